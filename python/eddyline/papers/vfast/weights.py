"""Which weights psi are best: a grid of both over the four scenarios, by six objectives."""

from __future__ import annotations

from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from eddyline.papers.vfast.phases import settling, swing
from eddyline.papers.vfast.runs import DEFAULT, JOINING, PHASES, VFAST, Case, Reading
from eddyline.reports.figures import RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Phase
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["grid", "ranks"]

WEIGHTS = (0.05, 0.25, 0.5, 0.75, 1.0)
_ERROR = ", standard error"
_TOLERANCE = 0.005
"""Relative differences up to this count as equal."""
PAPER_WEIGHTS = (0.5, 0.75)
"""The paper's, down and up."""
OBJECTIVES = {
    "I, settling": ("s", False),
    "II, settling": ("s", False),
    "III, RTT swing": ("ms", False),
    "III, total": ("Mbit/s", True),
    "IV, SACK": ("Mbit/s", True),
    "IV, timer": ("Mbit/s", True),
}
"""Unit, and whether larger is better. Settling: mean seconds over flows and phases until rates stay within 5 % of their
final value (the length of the phase where they do not). Swing: p95 - p5 of flow 1's round trip while more than one flow
sends."""


def _settled(result: RunResult, phases: Sequence[Phase]) -> float:
    times = []
    for phase in phases:
        for flow in phase.flows:
            settled = settling(*result.over_time(flow, "goodput_bps"), phase.start, phase.stop)
            times.append(phase.stop - phase.start if settled is None else settled)
    return fmean(times)


def _objectives(results: Sequence[RunResult], seeds: int) -> dict[str, float]:
    one, two, three = results[:3]
    sack, timer = results[3 : 3 + seeds], results[3 + seeds :]
    moved = swing(*three.over_time("flow 1", "rtt_s"), 25.0, 80.0)
    rates = [
        fmean(v for t, v in zip(*three.over_time(f, "goodput_bps"), strict=True) if 25.0 < t <= 60.0)
        for f in ("flow 1", "flow 2")
    ]
    return {
        "I, settling": _settled(one, PHASES),
        "II, settling": _settled(two, JOINING),
        "III, RTT swing": (moved.width if moved else 0.0) * 1e3,
        "III, total": sum(rates) / 1e6,
        **_mean_and_error("IV, SACK", sack),
        **_mean_and_error("IV, timer", timer),
    }


def _mean_and_error(name: str, results: Sequence[RunResult]) -> dict[str, float]:
    """The mean goodput and its standard error."""
    rates = [a.flow("flow 1")["goodput_bps"] / 1e6 for a in results]
    return {name: fmean(rates), f"{name}{_ERROR}": stdev(rates) / sqrt(len(rates))}


def _objective_rows(context: Context, weights: Sequence[float], seeds: int) -> list[Row]:
    cells = [(down, up) for down in weights for up in weights]
    runs = []
    for down, up in cells:
        reading = Reading("psi", (("psi_down", str(down)), ("psi_up", str(up))))
        if (down, up) == PAPER_WEIGHTS:
            reading = DEFAULT
        runs += [
            Case("scenario-1", VFAST, 100.0, reading=reading).with_series(),
            Case("scenario-2", VFAST, reading=reading, thin=10).with_series(),
            Case("scenario-3", VFAST, 40.0, reading=reading).with_series(),
            *(
                Case("scenario-4-alone", VFAST, None, recovery, reading, seed=seed).summary()
                for recovery in ("SACK", "timer")
                for seed in range(1, seeds + 1)
            ),
        ]
    results = context.runner.run_all(runs)
    each = 3 + 2 * seeds
    rows: list[Row] = []
    for place, (down, up) in enumerate(cells):
        part = results[place * each : (place + 1) * each]
        rows.append({"down": down, "up": up, **_objectives(part, seeds)})
    return rows


def grid(context: Context, weights: Sequence[float] = WEIGHTS, seeds: int = 3) -> Exhibit:
    """Every pair of weights, every objective."""
    rows = context.cached("weights", partial(_objective_rows, context, weights, seeds))
    return context.definition("psi-grid").exhibit(
        rows, values={"seeds": seeds}, draw={"psi-grid": partial(_draw, rows=rows, weights=list(weights))}
    )


def ranks(context: Context, weights: Sequence[float] = WEIGHTS, seeds: int = 3) -> Exhibit:
    """The rank of the paper's pair by each objective."""
    found = context.cached("weights", partial(_objective_rows, context, weights, seeds))
    rows: list[Row] = []
    for name, (unit, more) in OBJECTIVES.items():
        ordered = sorted(found, key=lambda r: r[name], reverse=more)
        paper = next(r for r in found if (r["down"], r["up"]) == PAPER_WEIGHTS)
        # standard error of the difference of two means
        error = sqrt(2.0) * paper.get(f"{name}{_ERROR}", 0.0)
        rank = 1 + sum((r[name] > paper[name]) if more else (r[name] < paper[name]) for r in found)
        rows.append(
            {
                "objective": name,
                "unit": unit,
                "best_down": ordered[0]["down"],
                "best_up": ordered[0]["up"],
                "best": ordered[0][name],
                "papers": paper[name],
                "worst": ordered[-1][name],
                "rank": rank,
                "of": len(found),
                "behind": abs(paper[name] / ordered[0][name] - 1.0) if ordered[0][name] else 0.0,
                "chance": max(_TOLERANCE, 2.0 * error / paper[name]) if paper[name] else _TOLERANCE,
                "spread": abs(ordered[-1][name] / ordered[0][name] - 1.0) if ordered[0][name] else 0.0,
            }
        )
    return context.definition("psi-rank").exhibit(rows)


def _draw(figure: Figure, rows: list[Row], weights: list[float]) -> None:
    axes = figure.subplots(2, 3)
    for axis, (name, (unit, more)) in zip(axes.flat, OBJECTIVES.items(), strict=True):
        values = [[next(r[name] for r in rows if (r["down"], r["up"]) == (d, u)) for u in weights] for d in weights]
        axis.grid(visible=False)
        image = axis.imshow(values, origin="lower", cmap="viridis" if more else "viridis_r")
        low, high = min(min(row) for row in values), max(max(row) for row in values)
        for i, row in enumerate(values):
            for k, value in enumerate(row):
                paper = (weights[i], weights[k]) == PAPER_WEIGHTS
                # viridis ends in yellow, on which white cannot be read
                place = (value - low) / (high - low) if high > low else 0.0
                bright = (place if more else 1.0 - place) > 0.6
                weight = "bold" if paper else "normal"
                colour = "black" if bright else "white"
                axis.text(k, i, f"{value:.3g}", ha="center", va="center", fontsize=7, color=colour, fontweight=weight)
                if paper:
                    axis.plot(
                        k, i, "s", markersize=24, markerfacecolor="none", markeredgecolor=RED, markeredgewidth=1.6
                    )
        axis.set_xticks(range(len(weights)), [f"{w:g}" for w in weights])
        axis.set_yticks(range(len(weights)), [f"{w:g}" for w in weights])
        axis.set_title(f"{name} ({unit})", fontsize=9)
        axis.set_xlabel("psi up")
        axis.set_ylabel("psi down")
        figure.colorbar(image, ax=axis, shrink=0.8)
