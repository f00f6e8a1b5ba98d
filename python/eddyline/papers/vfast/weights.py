"""Which psi is best: the grid of both weights over the four scenarios, by stated objectives."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from eddyline.papers.vfast.phases import settling, swing
from eddyline.papers.vfast.runs import JOINING, PHASES, VFAST, Case, Reading
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Phase
    from eddyline.reports.exhibit import Row

__all__ = ["grid", "ranks"]

WEIGHTS = (0.05, 0.25, 0.5, 0.75, 1.0)
_ERROR = ", standard error"
_EQUAL = 0.005
"""What is no further apart counts as equal."""
PAPERS = (0.5, 0.75)
"""Down and up."""
OBJECTIVES = {
    "I, settling": ("s", False),
    "II, settling": ("s", False),
    "III, RTT swing": ("ms", False),
    "III, total": ("Mbit/s", True),
    "IV, SACK": ("Mbit/s", True),
    "IV, timer": ("Mbit/s", True),
}
"""Unit, and whether more is better. Settling: mean seconds over flows and phases until rates stay within 5 % of what
they end at (a phase's length where they do not); swing: p95 - p5 of flow 1's round trip while more than one sends."""


def _settled(result: RunResult, phases: Sequence[Phase]) -> float:
    times = []
    for phase in phases:
        for flow in phase.flows:
            after = settling(*result.over_time(flow, "goodput_bps"), phase.start, phase.stop)
            times.append(phase.stop - phase.start if after is None else after)
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
        **_of_seeds("IV, SACK", sack),
        **_of_seeds("IV, timer", timer),
    }


def _of_seeds(name: str, results: Sequence[RunResult]) -> dict[str, float]:
    """Their mean, and how far chance moves it: its standard error."""
    rates = [a.flow("flow 1")["goodput_bps"] / 1e6 for a in results]
    return {name: fmean(rates), f"{name}{_ERROR}": stdev(rates) / sqrt(len(rates))}


def _found(context: Context, weights: Sequence[float], seeds: int) -> list[Row]:
    cells = [(down, up) for down in weights for up in weights]
    runs = []
    for down, up in cells:
        reading = Reading("psi", f"({down:g}, {up:g})", (("psi_down", str(down)), ("psi_up", str(up))))
        if (down, up) == PAPERS:
            reading = Reading("default", "")
        runs += [
            Case("scenario-1", VFAST, 100.0, reading=reading).whole(),
            Case("scenario-2", VFAST, reading=reading, thin=10).whole(),
            Case("scenario-3", VFAST, 40.0, reading=reading).whole(),
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
    rows = context.cached("weights", _maker(context, weights, seeds))
    return Exhibit(
        id="psi-grid",
        title="The weights of eq. 4 over the four scenarios",
        place="Section V, cases a and b",
        reading=(
            "The paper says that 1/2 (down) and 3/4 (up) came out best and gives neither objective nor values. Here "
            "are six objectives over a grid of both."
        ),
        columns=(
            Column("down", "psi down"),
            Column("up", "psi up"),
            *(Column(name, name, unit) for name, (unit, _) in OBJECTIVES.items()),
        ),
        rows=rows,
        pictures=[Picture("psi-grid", "Objectives over both weights", drawn(_paint, 10.0, 5.4, rows, list(weights)))],
        notes=(
            "Settling and swing: less is better; rates: more. Scenario II with all rates and alpha a tenth; scenario "
            f"IV with flow 1 alone, mean over {seeds} seeds.",
        ),
    )


def _maker(context: Context, weights: Sequence[float], seeds: int) -> Callable[[], list[Row]]:
    return lambda: _found(context, weights, seeds)


def ranks(context: Context, weights: Sequence[float] = WEIGHTS, seeds: int = 3) -> Exhibit:
    """Where the paper's pair ranks."""
    found = context.cached("weights", _maker(context, weights, seeds))
    rows: list[Row] = []
    for name, (unit, more) in OBJECTIVES.items():
        ordered = sorted(found, key=lambda r: r[name], reverse=more)
        paper = next(r for r in found if (r["down"], r["up"]) == PAPERS)
        # of the difference of two means
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
                "chance": max(_EQUAL, 2.0 * error / paper[name]) if paper[name] else _EQUAL,
                "spread": abs(ordered[-1][name] / ordered[0][name] - 1.0) if ordered[0][name] else 0.0,
            }
        )
    return Exhibit(
        id="psi-rank",
        title="Where (1/2, 3/4) ranks",
        place="Section V, cases a and b",
        reading=(
            "Rank 1 is best of all pairs. No pair is best everywhere. Over most of the grid the objectives hardly "
            "move, for a filter that hears every ACK is through with a step after a handful of them."
        ),
        columns=(
            Column("objective", "objective"),
            Column("best_down", "best psi down"),
            Column("best_up", "best psi up"),
            Column("best", "best"),
            Column("papers", "(1/2, 3/4)"),
            Column("worst", "worst"),
            Column("unit", "unit"),
            Column("rank", "rank of (1/2, 3/4)"),
            Column("of", "of"),
            Column("behind", "behind the best", percent=True, digits=3),
            Column("chance", "what chance may do", percent=True, digits=3),
            Column("spread", "worst behind best", percent=True, digits=3),
        ),
        rows=rows,
    )


def _paint(figure: Figure, rows: list[Row], weights: list[float]) -> None:
    axes = figure.subplots(2, 3)
    for axis, (name, (unit, more)) in zip(axes.flat, OBJECTIVES.items(), strict=True):
        values = [[next(r[name] for r in rows if (r["down"], r["up"]) == (d, u)) for u in weights] for d in weights]
        axis.grid(visible=False)
        image = axis.imshow(values, origin="lower", cmap="viridis" if more else "viridis_r")
        for i, line in enumerate(values):
            for k, value in enumerate(line):
                paper = (weights[i], weights[k]) == PAPERS
                text = f"{value:.3g}"
                axis.text(k, i, text, ha="center", va="center", fontsize=7, color="white" if not paper else "red")
        axis.set_xticks(range(len(weights)), [f"{w:g}" for w in weights])
        axis.set_yticks(range(len(weights)), [f"{w:g}" for w in weights])
        axis.set_title(f"{name} ({unit})", fontsize=9)
        axis.set_xlabel("psi up")
        axis.set_ylabel("psi down")
        figure.colorbar(image, ax=axis, shrink=0.8)
