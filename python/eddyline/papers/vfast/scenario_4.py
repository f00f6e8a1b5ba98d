"""Scenario IV: random loss (figures 15 and 16)."""

from __future__ import annotations

from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from eddyline.papers.vfast.drawing import series_rows, time_panels
from eddyline.papers.vfast.phases import swing
from eddyline.papers.vfast.runs import DEFAULT, FAST, PHASES, SENDERS, SETTLING_S, Case
from eddyline.papers.vfast.scenario_3 import arrived_bps, mean_over
from eddyline.reports.figures import BLACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Reading
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["figure_15", "figure_16", "phases"]

RECOVERIES = ("SACK", "NewReno", "timer")
SEEDS = 10


def _alone(
    context: Context, recoveries: Sequence[str], seeds: int, reading: Reading
) -> dict[tuple[str, str], list[RunResult]]:
    keys = [(r, s, n) for r in recoveries for s in SENDERS for n in range(1, seeds + 1)]
    runs = [Case("scenario-4-alone", s, None, r, reading, seed=n).with_series() for r, s, n in keys]
    found: dict[tuple[str, str], list[RunResult]] = {}
    for (recovery, sender, _), result in zip(keys, context.runner.run_all(runs), strict=True):
        found.setdefault((recovery, sender), []).append(result)
    return found


def figure_15(
    context: Context, recoveries: Sequence[str] = RECOVERIES, seeds: int = SEEDS, reading: Reading = DEFAULT
) -> Exhibit:
    """Base and mean round trip of flow 1."""
    found = _alone(context, recoveries, seeds, reading)
    rows: list[Row] = []
    for recovery in recoveries:
        row: Row = {"recovery": recovery}
        for sender in SENDERS:
            flows = [a.flow("flow 1") for a in found[recovery, sender]]
            moved = [swing(*a.over_time("flow 1", "rtt_s"), 10.0, 100.0) for a in found[recovery, sender]]
            key = sender.lower()
            row |= {
                f"{key}_base": fmean(f["base_rtt_s"] for f in flows),
                f"{key}_rtt": fmean(f["rtt_s"]["mean"] for f in flows),
                f"{key}_swing": fmean(m.width for m in moved if m),
            }
        row |= {
            "base_ratio": row["vfast_base"] / row["fast_base"],
            "rtt_ratio": row["vfast_rtt"] / row["fast_rtt"],
        }
        rows.append(row)
    pair = [(sender, found[recoveries[0], sender][0]) for sender in SENDERS]
    return context.definition("fig-15").exhibit(
        rows,
        values={"recovery": recoveries[0]},
        series={"fig-15-rtt": series_rows(pair, ("flow 1",), "rtt_s")},
        draw={"fig-15": partial(_draw, pair=pair, quantity="rtt_s")},
    )


def _draw(figure: Figure, pair: list[tuple[str, RunResult]], quantity: str) -> None:
    label, scale = {"rtt_s": ("RTT (ms)", 1e-3), "goodput_bps": ("rate (Mbit/s)", 1e6)}[quantity]
    for axis, (_, result) in zip(time_panels(figure, [s for s, _ in pair], label), pair, strict=True):
        times, values = result.over_time("flow 1", quantity)
        axis.plot(times, [v / scale for v in values], color=BLACK, linewidth=0.7)
        if quantity == "goodput_bps":
            axis.set_ylim(0, 150)


def figure_16(
    context: Context, recoveries: Sequence[str] = RECOVERIES, seeds: int = SEEDS, reading: Reading = DEFAULT
) -> Exhibit:
    """Rate of flow 1."""
    found = _alone(context, recoveries, seeds, reading)
    rows: list[Row] = []
    for recovery in recoveries:
        rates = {s: [a.flow("flow 1")["goodput_bps"] for a in found[recovery, s]] for s in SENDERS}
        queues = {
            s: [m.width for a in found[recovery, s] if (m := swing(*a.over_time("forward", "queue_packets"), 10, 100))]
            for s in SENDERS
        }
        low, high = _reference(context, recovery)
        mean = fmean(rates[FAST])
        rows.append(
            {
                "recovery": recovery,
                "fast": mean,
                "fast_deviation": stdev(rates[FAST]),
                "vfast": fmean(rates["VFAST"]),
                "vfast_deviation": stdev(rates["VFAST"]),
                "ratio": fmean(rates["VFAST"]) / mean,
                "reference_least": low,
                "reference_most": high,
                "ratio_sure": _ratio_less_errors(rates[FAST], rates["VFAST"]),
                "fast_queue_swing": fmean(queues[FAST]),
                "vfast_queue_swing": fmean(queues["VFAST"]),
                "queue_swing_sure": _ratio_less_errors(queues[FAST], queues["VFAST"]),
            }
        )
    chosen = recoveries[-1]
    pair = [(sender, found[chosen, sender][0]) for sender in SENDERS]
    return context.definition("fig-16").exhibit(
        rows,
        values={"recovery": chosen},
        series={"fig-16-rate": series_rows(pair, ("flow 1",), "goodput_bps")},
        draw={"fig-16": partial(_draw, pair=pair, quantity="goodput_bps")},
    )


def _ratio_less_errors(first: Sequence[float], second: Sequence[float]) -> float:
    """Mean ratio of the second to the first, seed by seed, less two standard errors of that mean."""
    ratios = [b / a for a, b in zip(first, second, strict=True)]
    return fmean(ratios) - 2.0 * stdev(ratios) / sqrt(len(ratios))


def _reference(context: Context, recovery: str) -> tuple[float | None, float | None]:
    if recovery == "SACK":
        intervals = context.ns2["IV, flow 1 alone"]["intervals"]
        totals = [i["total_payload_mbps"] * 1e6 for i in intervals]
        return min(totals), max(totals)
    if recovery == "timer":
        spread = context.reference["without_sack"]
        return spread["least_mbps"] * 1e6, spread["most_mbps"] * 1e6
    return None, None


def phases(context: Context, recoveries: Sequence[str] = RECOVERIES, reading: Reading = DEFAULT) -> Exhibit:
    """Three flows under random loss: totals by phase, and ns-2."""
    keys = [(r, s) for r in recoveries for s in SENDERS]
    results = context.runner.run_all([Case("scenario-4", s, None, r, reading).with_series() for r, s in keys])
    by_case = dict(zip(keys, results, strict=True))
    rows: list[Row] = []
    for recovery, sender, phase in ((r, s, p) for r, s in keys for p in PHASES):
        result, start = by_case[recovery, sender], phase.start + SETTLING_S
        intervals = context.ns2["IV"]["intervals"] if recovery == "SACK" and sender == FAST else None
        reference = intervals[PHASES.index(phase)]["total_payload_mbps"] * 1e6 if intervals else None
        total = arrived_bps(result, phase.flows, start, phase.stop)
        rows.append(
            {
                "recovery": recovery,
                "sender": sender,
                "phase": phase.name,
                "total": total,
                "reference": reference,
                "off": None if reference is None else total / reference - 1.0,
                "queue": mean_over(result, "forward", "queue_packets", start, phase.stop),
            }
        )
    return context.definition("scenario-4-totals").exhibit(rows)
