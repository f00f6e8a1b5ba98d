"""Fig. 5: which link is full while flows come and go, by chain, by flows and by packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.conditions import B
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

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
    return Exhibit(
        id="fig-5",
        title="The bottleneck while flows come and go",
        place="Section 6, Fig. 5",
        reading=(
            "c_F = 1 Mbit/s, c_B = 2 Mbit/s, b = 0.04, 1/mu = 1 Mbit. The chain is the paper's model, the simulation "
            "of flows lets rates follow every arrival at once too, the simulation of packets (alpha 10, 20 ms) does "
            "not: there flows take time to find their rate, and a link counts as the bottleneck while more than one "
            "packet waits."
        ),
        columns=(
            Column("load", "load of forward", percent=True),
            Column("method", "by"),
            Column("idle", "no link", percent=True),
            Column("forward", "forward", percent=True),
            Column("backward", "backward", percent=True),
            Column("backward_of_busy", "backward, of busy time", percent=True),
            Column("flows", "mean flows"),
            Column("time_s", "mean transfer", "s"),
        ),
        rows=rows,
        notes=(
            "A transfer of 1 Mbit is 125 packets: start-up takes a good part of its life, which shows as a few points "
            "more of idle time at low load. Otherwise the paper's separation of timescales costs little here.",
        ),
        pictures=[Picture("fig-5", "Share of time in which each link is full", drawn(_paint, 7.0, 4.0, rows))],
    )


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


def _paint(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    for link, colour in (("forward", BLUE), ("backward", RED)):
        for method, style in (("chain", "-"), ("flow-level", "o"), ("packets", "x")):
            part = [r for r in rows if r["method"] == method]
            places, values = [r["load"] for r in part], [100 * r[link] for r in part]
            axis.plot(places, values, style, color=colour, label=f"{link}, {method}", markersize=6)
    axis.set_xlabel("load of the forward link")
    axis.set_ylabel("share of time as the bottleneck (%)")
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 100)
    axis.legend()
