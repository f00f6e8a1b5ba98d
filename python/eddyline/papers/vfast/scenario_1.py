"""Scenario I: three flows share one link (figures 4 to 6)."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.fairness import jain
from eddyline.papers.vfast.drawing import series_rows, time_panels, traces
from eddyline.papers.vfast.phases import settling, swing
from eddyline.papers.vfast.runs import (
    DEFAULT,
    FAST,
    FLOWS,
    PHASES,
    SENDERS,
    SETTLING_S,
    Case,
    equilibrium_rates,
    true_base_rtt,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import Run, RunResult
    from eddyline.papers.vfast.runs import Phase, Reading
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["figure_4", "figure_5", "figure_6"]

RTTS = (40.0, 100.0)
PAYLOAD_BITS = 8000.0
LINK_BPS = 100e6
AFTER_LEAVING = PHASES[3:]
"""Phases that begin when a flow leaves."""
SAMPLE_MS = 5.0
USED = 0.99
"""A link that carries this share of its rate over a round trip counts as used: a packet more or less is 0.2 %."""


def _cases(rtts: Sequence[float], reading: Reading) -> list[Case]:
    return [Case("scenario-1", sender, rtt, reading=reading) for rtt in rtts for sender in SENDERS]


def _pair(context: Context, rtt: float, reading: Reading = DEFAULT) -> list[tuple[str, RunResult]]:
    runs = [Case("scenario-1", sender, rtt, reading=reading).with_series() for sender in SENDERS]
    return list(zip(SENDERS, context.runner.run_all(runs), strict=True))


def figure_4(context: Context, rtts: Sequence[float] = RTTS, reading: Reading = DEFAULT) -> Exhibit:
    """Rates by phase: of packets, of the equilibrium with the senders' base round trips, of ns-2."""
    rows = _by_phase(context, rtts, reading)
    pair = _pair(context, rtts[-1], reading)
    return context.definition("fig-4").exhibit(
        rows,
        values={"rtt": rtts[-1]},
        series={"fig-4-rates": series_rows(pair, FLOWS, "goodput_bps")},
        draw={"fig-4": partial(_draw_rates, pair=pair)},
    )


def _by_phase(context: Context, rtts: Sequence[float], reading: Reading) -> list[Row]:
    """A row for every flow of every phase."""
    cases = _cases(rtts, reading)
    results = iter(
        context.runner.run_all([run for c in cases for run in (c.with_series(), *(c.phase(p) for p in PHASES))])
    )
    rows: list[Row] = []
    for case in cases:
        whole = next(results)
        intervals = (
            context.ns2["I"]["intervals"] if case.sender == FAST and case.rtt_ms == 100.0 else [None] * len(PHASES)
        )
        for phase, interval in zip(PHASES, intervals, strict=True):
            result = next(results)
            bases = {flow: result.flow(flow)["base_rtt_s"] for flow in phase.flows}
            rates = {flow: result.flow(flow)["packets_per_s"] for flow in phase.flows}
            theory = equilibrium_rates(result, phase.flows, bases)
            fair = jain(list(rates.values()))
            for flow in phase.flows:
                reference = interval["flows"][flow]["packets_per_s"] if interval else None
                times, values = whole.over_time(flow, "goodput_bps")
                rows.append(
                    {
                        "rtt_ms": case.rtt_ms,
                        "sender": case.sender,
                        "phase": phase.name,
                        "flow": flow,
                        "rate": rates[flow] * PAYLOAD_BITS,
                        "theory": theory[flow] * PAYLOAD_BITS,
                        "off": rates[flow] / theory[flow] - 1.0,
                        "reference": None if reference is None else reference * PAYLOAD_BITS,
                        "reference_off": None if reference is None else rates[flow] / reference - 1.0,
                        "base": bases[flow],
                        "base_error": bases[flow] / true_base_rtt(result, flow) - 1.0,
                        "jain": fair,
                        "settling_s": settling(times, values, phase.start, phase.stop),
                        "swing": getattr(swing(times, values, phase.start + SETTLING_S, phase.stop), "width", None),
                    }
                )
    return rows


def _draw_rates(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(time_panels(figure, SENDERS, "rate (Mbit/s)"), pair, strict=True):
        traces(axis, result, FLOWS, "goodput_bps", 1e6, samples=10)
        axis.legend(loc="upper center", ncols=3)
        axis.set_ylim(0, 125)


def figure_5(context: Context, rtts: Sequence[float] = RTTS, reading: Reading = DEFAULT) -> Exhibit:
    """Round trip of flow 1."""
    cases = _cases(rtts, reading)
    rows: list[Row] = []
    for case, result in zip(cases, context.runner.run_all([c.with_series() for c in cases]), strict=True):
        times, values = result.over_time("flow 1", "rtt_s")
        for phase in PHASES:
            moved = swing(times, values, phase.start + SETTLING_S, phase.stop)
            rows.append(
                {
                    "rtt_ms": case.rtt_ms,
                    "sender": case.sender,
                    "phase": phase.name,
                    "mean": moved.mean if moved else None,
                    "swing": moved.width if moved else None,
                    "period_s": moved.period_s if moved else None,
                    "settling_s": settling(times, values, phase.start, phase.stop),
                }
            )
    pair = _pair(context, rtts[-1], reading)
    return context.definition("fig-5").exhibit(
        rows,
        values={"rtt": rtts[-1]},
        series={"fig-5-rtt": series_rows(pair, ("flow 1",), "rtt_s")},
        draw={"fig-5": partial(_draw_rtts, pair=pair)},
    )


def _draw_rtts(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(time_panels(figure, SENDERS, "RTT of flow 1 (ms)"), pair, strict=True):
        traces(axis, result, ("flow 1",), "rtt_s", 1e-3)


def figure_6(context: Context, rtts: Sequence[float] = RTTS, reading: Reading = DEFAULT) -> Exhibit:
    """The queue, and whether it empties and leaves the link unused when a flow leaves."""
    cases = _cases(rtts, reading)
    runs = [run for c in cases for run in (c.with_series(), *(_leaving(c, phase) for phase in AFTER_LEAVING))]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for case in cases:
        times, values = next(results).over_time("forward", "queue_packets")
        after = {phase: next(results) for phase in AFTER_LEAVING}
        for phase in PHASES:
            moved = swing(times, values, phase.start + SETTLING_S, phase.stop)
            rows.append(
                {
                    "rtt_ms": case.rtt_ms,
                    "sender": case.sender,
                    "phase": phase.name,
                    "mean": moved.mean if moved else None,
                    "swing": moved.width if moved else None,
                    "least_after_leaving": _least_queue(after[phase], phase) if phase in after else None,
                    "unused": _unused_round_trips(after[phase], phase) if phase in after else None,
                }
            )
    pair = _pair(context, rtts[-1], reading)
    return context.definition("fig-6").exhibit(
        rows,
        values={"rtt": rtts[-1]},
        series={"fig-6-queue": series_rows(pair, ("forward",), "queue_packets")},
        draw={"fig-6": partial(_draw_queues, pair=pair)},
    )


def _leaving(case: Case, phase: Phase) -> Run:
    """The first seconds of a phase."""
    window = (("warmup", f"{phase.start:g} s"), ("duration", f"{phase.start + SETTLING_S:g} s"))
    run = Case(case.file, case.sender, case.rtt_ms, reading=case.reading, more=(*case.more, *window))
    return run.with_series(f"{SAMPLE_MS:g} ms")


def _least_queue(result: RunResult, phase: Phase) -> float:
    times, values = result.over_time("forward", "queue_packets")
    return min(v for t, v in zip(times, values, strict=True) if t > phase.start)


def _unused_round_trips(result: RunResult, phase: Phase) -> int:
    """Of the round trips without queueing that these seconds have: in how many the link carried less than it could."""
    times, values = result.over_time("forward", "departure_bps")
    carried = [v for t, v in zip(times, values, strict=True) if t > phase.start + 1e-9]
    samples = round(1e3 * true_base_rtt(result, "flow 1") / SAMPLE_MS)
    return sum(
        fmean(carried[first : first + samples]) < USED * LINK_BPS
        for first in range(0, len(carried) - samples + 1, samples)
    )


def _draw_queues(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(time_panels(figure, SENDERS, "queue (packets)"), pair, strict=True):
        times, values = result.over_time("forward", "queue_packets")
        axis.plot(times, values, color="#000000", linewidth=0.9)
