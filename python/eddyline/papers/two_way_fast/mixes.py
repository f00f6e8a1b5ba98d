"""Section 6: how the bottleneck moves with load, with the mix of directions, and where one link always is it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.chain import Load, simulate
from eddyline.papers.two_way_fast.conditions import B

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["always_one", "mix", "shifts"]

_LOADS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
_EVENTS = 200_000
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_ARRIVALS = (0.3, 0.9)
_MIX_METHODS = 60_000


def shifts(context: Context) -> Exhibit:
    """The chain of Fig. 5: how constant the ratio of flows is, and how often the bottleneck moves."""
    rows: list[Row] = []
    for load in _LOADS:
        path = simulate(Load(load / (1.0 + B), load / (1.0 + B)), _EVENTS, seed=1)
        rows.append(
            {
                "load": load,
                "idle": 1.0 - path.busy / path.time,
                "share": path.share,
                "spread": path.spread,
                "per_busy_s": path.shifts / path.busy,
                "per_s": path.shifts / path.time,
            }
        )
    return context.definition("fig-5-shifts").exhibit(rows)


def mix(context: Context) -> Exhibit:
    """The chain with a given number of arrivals, over the share of them that goes forward."""
    rows: list[Row] = []
    for arrivals in _ARRIVALS:
        for share in _SHARES:
            document = context.runner.theory(
                "population", "population", _rates(arrivals * share, arrivals * (1 - share))
            )
            busy = document["bottleneck"]["forward"] + document["bottleneck"]["backward"]
            rows.append(
                {
                    "arrivals": arrivals,
                    "share": share,
                    "load_forward": document["load"]["forward"],
                    "load_backward": document["load"]["backward"],
                    "idle": document["idle"],
                    "forward_of_busy": document["bottleneck"]["forward"] / busy,
                }
            )
    return context.definition("fig-5-mix").exhibit(rows)


def _rates(forward: float, backward: float) -> tuple[tuple[str, str], ...]:
    return (
        ('arrivals."forward files".rate', f"{forward:.9f} /s"),
        ('arrivals."backward files".rate', f"{backward:.9f} /s"),
    )


_DEGENERATE = {"c_F = 40 c_B": ("backward", 8e6, 0.2e6), "c_B = 40 c_F": ("forward", 0.2e6, 8e6)}
"""Links on which the coefficients of (7) have the same sign: which is always the bottleneck, and the rates."""
_SIZES = {
    "exponential": '{ kind = "exponential", mean = "25 kB" }',
    "fixed": '{ kind = "fixed", size = "25 kB" }',
    "Pareto": '{ kind = "pareto", mean = "25 kB", shape = 1.5 }',
}


def always_one(context: Context) -> Exhibit:
    """Links so unlike that (7) has one sign for every number of flows: chain, other sizes of files, packets."""
    rows: list[Row] = []
    for links, (name, forward, backward) in _DEGENERATE.items():
        other = "forward" if name == "backward" else "backward"
        for sizes, table in _SIZES.items():
            changes = (
                ("link.forward.rate", f"{forward:.0f} bit/s"),
                ("link.backward.rate", f"{backward:.0f} bit/s"),
                ("arrivals.*.size", table),
                *_rates(0.35, 0.35),
            )
            methods: dict[str, dict[str, float]] = {}
            exact = sizes == "exponential"
            options: dict[str, Any] = {} if exact else {"flow_level": True, "arrivals": _MIX_METHODS}
            methods["chain" if exact else "flow-level"] = context.runner.theory(
                "population", "population", changes, **options
            )["bottleneck"]
            result = context.runner.run(Run("population", "sim", None, changes))
            methods["packets"] = {k["name"]: k["bottleneck_share"] for k in result.document["links"]}
            for method, shares in methods.items():
                busy = shares.get("forward", 0.0) + shares.get("backward", 0.0)
                rows.append(
                    {
                        "links": links,
                        "expected": name,
                        "sizes": sizes,
                        "method": method,
                        "busy": busy,
                        "share": shares.get(name, 0.0) / busy,
                        "other_share": shares.get(other, 0.0) / busy,
                    }
                )
    return context.definition("always-one").exhibit(rows)
