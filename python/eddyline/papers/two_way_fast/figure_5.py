"""Fig. 5: which link is full while flows arrive and leave, by Markov chain, by flows and by packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.conditions import B

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_CHAIN = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
_FLOWS = (0.1, 0.3, 0.5, 0.7, 0.9)
_PACKETS = (0.1, 0.3, 0.5, 0.7, 0.9)
_ARRIVALS = 400_000


def build(context: Context) -> Exhibit:
    """Shares of time over the load of the forward link, lambda_F = lambda_B from 0 to 1 / (1 + b)."""
    rows = [_theory(context, load, flow_level=False) for load in _CHAIN]
    rows += [_theory(context, load, flow_level=True) for load in _FLOWS]
    results = context.runner.run_all([Run("population", "sim", None, _rates(load)) for load in _PACKETS])
    rows += [_packets(load, result.document) for load, result in zip(_PACKETS, results, strict=True)]
    return context.definition("fig-5").exhibit(rows)


def _rates(load: float) -> tuple[tuple[str, str], ...]:
    rate = f"{load / (1 + B):.9f} /s"
    return (('arrivals."forward files".rate', rate), ('arrivals."backward files".rate', rate))


def _theory(context: Context, load: float, flow_level: bool) -> Row:
    document = context.runner.theory(
        "population", "population", _rates(load), flow_level=flow_level, arrivals=_ARRIVALS if flow_level else None
    )
    times = document["mean_transfer_time_s"]
    shares = {name: document["bottleneck"].get(name, 0.0) for name in ("forward", "backward")}
    return _row(load, document["method"], document["idle"], shares, sum(document["mean_flows"].values()), times)


def _packets(load: float, result: dict[str, Any]) -> Row:
    shares = {link["name"]: link["bottleneck_share"] for link in result["links"]}
    flows = sum(a["mean_present"] for a in result["arrivals"])
    times = {a["name"]: a["completion_s"]["mean"] for a in result["arrivals"]}
    return _row(load, "packets", 1.0 - sum(shares.values()), shares, flows, times)


def _row(load: float, method: str, idle: float, shares: dict[str, float], flows: float, times: dict[str, float]) -> Row:
    busy = shares["forward"] + shares["backward"]
    return {
        "load": load,
        "method": method,
        "idle": idle,
        **shares,
        "backward_of_busy": shares["backward"] / busy,
        "flows": flows,
        "time_s": sum(times.values()) / len(times),
    }
