"""Conditions (4) and (7): which link is the bottleneck, against simulations."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter

from eddyline.papers.runner import Run
from eddyline.reports.figures import BLUE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["B", "bottleneck_map", "condition", "flow_counts", "rate", "threshold"]

B = 40.0 / 1000.0
"""Size of an acknowledgement over that of a data packet (the paper's b)."""

_BACKWARD_MBPS = 10.0
_SMALLER_ALPHA = 20.0
_RATIOS = (1 / 100, 1 / 30, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1 / 1.3, 1, 1.3, 2, 4, 8, 16, 30, 100)
_ALPHAS = (1 / 30, 1 / 10, 1 / 4, 1 / 2, 1, 2, 4, 10, 30)
_NEAR = 0.2
_COUNTS = ((1, 4), (2, 3), (2, 2), (3, 2), (4, 1), (5, 5))
_CAPACITIES = (1 / 40, 1 / 4, 1 / 2, 1, 2, 4, 40)


def threshold(capacity_ratio: float) -> float:
    """Eq. 17: the ratio of alphas (or of equal flows), forward over backward, at which both links are full.

    Zero where the forward link is always the bottleneck, infinite where it never is.
    """
    if capacity_ratio <= B:
        return 0.0
    return math.inf if B * capacity_ratio >= 1.0 else (capacity_ratio - B) / (1.0 - B * capacity_ratio)


def rate(mbps: float) -> str:
    """A rate in the notation of scenario files."""
    return f"{mbps * 1e6:.0f} bit/s"


def condition(forward: float, backward: float, capacity_ratio: float) -> float:
    """Natural logarithm of left over right side of (4); above zero the forward link is the bottleneck."""
    return math.log((forward + B * backward) / (backward + B * forward) / capacity_ratio)


def _simulated_bottleneck(result: RunResult) -> tuple[str, float, float]:
    forward, backward = (result.link(name)["bottleneck_share"] for name in ("forward", "backward"))
    return ("forward" if forward > backward else "backward"), forward, backward


def _theory_bottleneck(margin: float) -> str:
    return "both" if abs(margin) < 1e-9 else "forward" if margin > 0 else "backward"


def bottleneck_map(context: Context) -> Exhibit:
    """One flow each way, for a grid of capacity ratios and alpha ratios."""
    points = [(c, a) for c in _RATIOS for a in _ALPHAS]
    rows: list[Row] = []
    for (capacities, alphas), result in zip(
        points, context.runner.run_all([_point(c, a) for c, a in points]), strict=True
    ):
        margin = condition(alphas, 1.0, capacities)
        simulated, forward, backward = _simulated_bottleneck(result)
        rows.append(
            {
                "capacity_ratio": capacities,
                "alpha_ratio": alphas,
                "links": "equal" if capacities == 1 else "unequal",
                "larger_alpha": "neither" if alphas == 1 else "forward" if alphas > 1 else "backward",
                "margin": margin,
                "balance": "near" if abs(margin) < _NEAR else "away",
                "theory": _theory_bottleneck(margin),
                "simulated": simulated,
                "forward_share": forward,
                "backward_share": backward,
                "largest_use": max(link["utilisation"] for link in result.document["links"]),
            }
        )
    return context.definition("bottleneck-map").exhibit(
        rows,
        values={"near": _NEAR, "near_factor": math.exp(_NEAR)},
        draw={"bottleneck-map": partial(_draw, rows=rows)},
    )


def _point(capacities: float, alphas: float) -> Run:
    faster = _BACKWARD_MBPS if capacities <= 1 else _BACKWARD_MBPS * min(capacities, 10.0)
    forward, backward = (faster, faster / capacities) if capacities > 1 else (faster * capacities, faster)
    return Run(
        "one-each-way",
        set=(
            ("link.forward.rate", rate(forward)),
            ("link.backward.rate", rate(backward)),
            ('flow."flow 1".controller.alpha', f"{_SMALLER_ALPHA * max(1.0, alphas):.6g} packets"),
            ('flow."flow 2".controller.alpha', f"{_SMALLER_ALPHA * max(1.0, 1 / alphas):.6g} packets"),
        ),
    )


def _draw(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    low, high = min(_ALPHAS) / 1.6, max(_ALPHAS) * 1.6
    left, right = min(_RATIOS) / 1.4, max(_RATIOS) * 1.4
    steps = [left * (right / left) ** (i / 600) for i in range(601)]
    line = [min(max(threshold(c), low), high) for c in steps]
    axis.fill_between(steps, line, high, color=BLUE, alpha=0.13, linewidth=0, label="(4): forward")
    axis.fill_between(steps, low, line, color=RED, alpha=0.13, linewidth=0, label="(4): backward")
    axis.plot(steps, line, color="#333333", linewidth=1, label="eq. 17: both")
    for side, colour, mark in (("forward", BLUE, "^"), ("backward", RED, "v")):
        part = [r for r in rows if r["simulated"] == side and r["theory"] != "both"]
        places = [r["capacity_ratio"] for r in part], [r["alpha_ratio"] for r in part]
        axis.plot(*places, mark, color=colour, markersize=5, label=f"simulated: {side}")
    even = [r for r in rows if r["theory"] == "both"]
    places = [r["capacity_ratio"] for r in even], [r["alpha_ratio"] for r in even]
    axis.plot(*places, "D", color="#333333", markersize=5, label="simulated: exact balance")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(left, right)
    axis.set_ylim(low, high)
    for each in (axis.xaxis, axis.yaxis):
        each.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}" if v >= 1 else f"1/{1 / v:g}"))
    axis.set_xlabel("capacity ratio c_F / c_B")
    axis.set_ylabel("ratio of alphas, forward over backward")
    axis.grid(visible=False)
    figure.legend(loc="outside right upper")


def flow_counts(context: Context) -> Exhibit:
    """Condition (7): equal flows, different numbers each way."""
    points = [(n, m, c) for n, m in _COUNTS for c in _CAPACITIES]
    rows: list[Row] = []
    for (n, m, capacities), result in zip(
        points, context.runner.run_all([_equal_flows(*p) for p in points]), strict=True
    ):
        left = n * (1.0 - B * capacities) + m * (B - capacities)
        simulated, forward, backward = _simulated_bottleneck(result)
        rows.append(
            {
                "forward_flows": n,
                "backward_flows": m,
                "capacity_ratio": capacities,
                "left": left,
                "condition": "both" if abs(left) < 1e-9 else "forward" if left > 0 else "backward",
                "simulated": simulated,
                "forward_share": forward,
                "backward_share": backward,
                "counts": "equal" if n == m else "unequal",
                "slower": "neither" if capacities == 1 else "backward" if capacities > 1 else "forward",
            }
        )
    return context.definition("flow-counts").exhibit(rows)


def _equal_flows(n: int, m: int, capacities: float) -> Run:
    forward, backward = (min(40.0, 10.0 * capacities), 0.0) if capacities >= 1 else (10.0 * capacities, 10.0)
    return Run(
        "equal-flows",
        set=(
            ("link.forward.rate", rate(forward)),
            ("link.backward.rate", rate(backward or forward / capacities)),
            ("flow.forwards.count", str(n)),
            ("flow.backwards.count", str(m)),
        ),
    )
