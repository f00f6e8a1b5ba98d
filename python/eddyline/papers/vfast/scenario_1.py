"""Scenario I: three flows share one link (figures 4 to 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.fairness import jain
from eddyline.papers.vfast.drawing import beside, series_rows, traces
from eddyline.papers.vfast.phases import settling, swing
from eddyline.papers.vfast.runs import DEFAULT, FAST, FLOWS, PHASES, SENDERS, SETTLING_S, Case, at_rest, true_base
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Reading
    from eddyline.reports.exhibit import Row

__all__ = ["figure_4", "figure_5", "figure_6"]

RTTS = (40.0, 100.0)
PAYLOAD = 8000.0


def _cases(rtts: Sequence[float], reading: Reading) -> list[Case]:
    return [Case("scenario-1", sender, rtt, reading=reading) for rtt in rtts for sender in SENDERS]


def _pair(context: Context, rtt: float, reading: Reading = DEFAULT) -> list[tuple[str, RunResult]]:
    runs = [Case("scenario-1", sender, rtt, reading=reading).whole() for sender in SENDERS]
    return list(zip(SENDERS, context.runner.run_all(runs), strict=True))


def figure_4(context: Context, rtts: Sequence[float] = RTTS, reading: Reading = DEFAULT) -> Exhibit:
    """Rates by phase: packets, equilibrium with the base round trips that senders had, ns-2."""
    rows = _by_phase(context, rtts, reading)
    pair = _pair(context, rtts[-1], reading)
    return Exhibit(
        id="fig-4",
        title="Scenario I: rates of three flows that join and leave",
        place="Section VI.A, figure 4",
        reading=(
            "A flow that joins takes the queue that it meets for propagation and holds alpha packets more than it "
            "knows of: each newcomer gets more than those before it, with either sender. Theory is the equilibrium "
            "with the base round trips that the senders had. When flow 3 leaves, the queue empties if the round trip "
            "is long enough for windows to fall behind; then flow 2 learns its true base and shares are even."
        ),
        columns=(
            Column("rtt_ms", "round trip", "ms"),
            Column("sender", "sender"),
            Column("phase", "phase"),
            Column("flow", "flow"),
            Column("rate", "rate", "Mbit/s", scale=1e6),
            Column("theory", "theory", "Mbit/s", scale=1e6),
            Column("off", "off theory", percent=True),
            Column("reference", "ns-2", "Mbit/s", scale=1e6),
            Column("reference_off", "off ns-2", percent=True, digits=3),
            Column("base", "base RTT believed", "ms", scale=1e-3),
            Column("base_error", "too large by", percent=True, digits=3),
            Column("jain", "Jain"),
            Column("settling_s", "settled to 5 % after", "s"),
            Column("swing", "p95 - p5", "Mbit/s", scale=1e6),
        ),
        rows=rows,
        pictures=[Picture("fig-4", f"Rates, {rtts[-1]:g} ms", drawn(_rates, 9.5, 3.2, pair))],
        series={"fig-4-rates": series_rows(pair, FLOWS, "goodput_bps")},
        notes=(
            "Rates are payload; means leave out the first 5 s of a phase. Jain's index is of the phase. The swing is "
            "of tenths of a second, in which the module sends one burst more or one less; the figure has means over a"
            " second.",
        ),
    )


def _by_phase(context: Context, rtts: Sequence[float], reading: Reading) -> list[Row]:
    """A row for every flow of every phase."""
    cases = _cases(rtts, reading)
    results = iter(context.runner.run_all([run for c in cases for run in (c.whole(), *(c.phase(p) for p in PHASES))]))
    rows: list[Row] = []
    for case in cases:
        whole = next(results)
        known = context.ns2["I"]["intervals"] if case.sender == FAST and case.rtt_ms == 100.0 else [None] * len(PHASES)
        for phase, reference in zip(PHASES, known, strict=True):
            result = next(results)
            bases = {flow: result.flow(flow)["base_rtt_s"] for flow in phase.flows}
            rates = {flow: result.flow(flow)["packets_per_s"] for flow in phase.flows}
            theory = at_rest(result, phase.flows, bases)
            fair = jain(list(rates.values()))
            for flow in phase.flows:
                said = reference["flows"][flow]["packets_per_s"] if reference else None
                times, values = whole.over_time(flow, "goodput_bps")
                rows.append(
                    {
                        "rtt_ms": case.rtt_ms,
                        "sender": case.sender,
                        "phase": phase.name,
                        "flow": flow,
                        "rate": rates[flow] * PAYLOAD,
                        "theory": theory[flow] * PAYLOAD,
                        "off": rates[flow] / theory[flow] - 1.0,
                        "reference": None if said is None else said * PAYLOAD,
                        "reference_off": None if said is None else rates[flow] / said - 1.0,
                        "base": bases[flow],
                        "base_error": bases[flow] / true_base(result, flow) - 1.0,
                        "jain": fair,
                        "settling_s": settling(times, values, phase.start, phase.stop),
                        "swing": getattr(swing(times, values, phase.start + SETTLING_S, phase.stop), "width", None),
                    }
                )
    return rows


def _rates(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(beside(figure, SENDERS, "rate (Mbit/s)"), pair, strict=True):
        traces(axis, result, FLOWS, "goodput_bps", 1e6, over=10)
        axis.legend(loc="upper center", ncols=3)
        axis.set_ylim(0, 125)


def figure_5(context: Context, rtts: Sequence[float] = RTTS, reading: Reading = DEFAULT) -> Exhibit:
    """Round trip of flow 1."""
    cases = _cases(rtts, reading)
    rows: list[Row] = []
    for case, result in zip(cases, context.runner.run_all([c.whole() for c in cases]), strict=True):
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
    return Exhibit(
        id="fig-5",
        title="Scenario I: round trip of flow 1",
        place="Section VI.A, figure 5",
        reading="Once flows have settled there is nothing to smooth: neither sender's round trip moves.",
        columns=(
            Column("rtt_ms", "round trip", "ms"),
            Column("sender", "sender"),
            Column("phase", "phase"),
            Column("mean", "mean", "ms", scale=1e-3),
            Column("swing", "p95 - p5", "ms", scale=1e-3),
            Column("settling_s", "settled to 5 % after", "s"),
        ),
        rows=rows,
        pictures=[Picture("fig-5", f"Round trip of flow 1, {rtts[-1]:g} ms", drawn(_trips, 9.5, 3.0, pair))],
        series={"fig-5-rtt": series_rows(pair, ("flow 1",), "rtt_s")},
    )


def _trips(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(beside(figure, SENDERS, "RTT of flow 1 (ms)"), pair, strict=True):
        traces(axis, result, ("flow 1",), "rtt_s", 1e-3)


def figure_6(context: Context, rtts: Sequence[float] = RTTS, reading: Reading = DEFAULT) -> Exhibit:
    """The queue, and whether it empties when flow 3 leaves."""
    cases = _cases(rtts, reading)
    after = PHASES[3]
    runs = []
    for c in cases:
        once = (*c.more, ("warmup", f"{after.start:g} s"), ("duration", f"{after.start + SETTLING_S:g} s"))
        leaving = Case(c.file, c.sender, c.rtt_ms, reading=reading, more=once)
        run = leaving.whole("5 ms")
        runs += [c.whole(), run]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for case in cases:
        whole, leaving_result = next(results), next(results)
        times, values = leaving_result.over_time("forward", "queue_packets")
        least = min(v for t, v in zip(times, values, strict=True) if t > after.start)
        times, values = whole.over_time("forward", "queue_packets")
        for phase in PHASES:
            moved = swing(times, values, phase.start + SETTLING_S, phase.stop)
            rows.append(
                {
                    "rtt_ms": case.rtt_ms,
                    "sender": case.sender,
                    "phase": phase.name,
                    "mean": moved.mean if moved else None,
                    "swing": moved.width if moved else None,
                    "least_after_leaving": least if phase is after else None,
                }
            )
    pair = _pair(context, rtts[-1], reading)
    return Exhibit(
        id="fig-6",
        title="Scenario I: the queue",
        place="Section VI.A, figure 6",
        reading=(
            "Each flow adds alpha packets and what its newcomer's error makes it add. Whether the queue empties when "
            "flow 3 leaves depends on how much it held against what the link carries in a round trip."
        ),
        columns=(
            Column("rtt_ms", "round trip", "ms"),
            Column("sender", "sender"),
            Column("phase", "phase"),
            Column("mean", "mean queue", "packets"),
            Column("swing", "p95 - p5", "packets"),
            Column("least_after_leaving", "least within 5 s", "packets"),
        ),
        rows=rows,
        pictures=[Picture("fig-6", f"Queue, {rtts[-1]:g} ms", drawn(_queues, 9.5, 3.0, pair))],
        series={"fig-6-queue": series_rows(pair, ("forward",), "queue_packets")},
    )


def _queues(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(beside(figure, SENDERS, "queue (packets)"), pair, strict=True):
        times, values = result.over_time("forward", "queue_packets")
        axis.plot(times, values, color="#000000", linewidth=0.9)
