"""Scenario III: a buffer too small for the alpha of all flows (tables II and III)."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.vfast.drawing import series_rows, time_panels, traces
from eddyline.papers.vfast.phases import swing
from eddyline.papers.vfast.runs import DEFAULT, FAST, FLOWS, PHASES, SENDERS, SETTLING_S, Case, Phase, true_base_rtt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Reading
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["SETTINGS", "arrived_bps", "figure_totals", "mean_over", "table_2", "table_3"]

SETTINGS = ((40.0, "SACK"), (40.0, "NewReno"), (40.0, "timer"), (100.0, "SACK"), (100.0, "timer"))
PAYLOAD_SHARE = 1000 / 1040
SHARED = (25.0, 80.0)
"""While more than one flow sends."""


def _name(rtt: float, recovery: str) -> str:
    return f"{rtt:g} ms, {recovery}"


def _results(
    context: Context, settings: Sequence[tuple[float, str]], reading: Reading
) -> dict[tuple[str, str], RunResult]:
    keys = [(s, sender) for s in settings for sender in SENDERS]
    runs = [Case("scenario-3", sender, rtt, recovery, reading).with_series() for (rtt, recovery), sender in keys]
    return {
        (_name(*setting), sender): result
        for (setting, sender), result in zip(keys, context.runner.run_all(runs), strict=True)
    }


_SPANS = {"flow 1": SHARED, "flow 2": (25.0, 80.0), "flow 3": (45.0, 60.0)}


def table_2(context: Context, settings: Sequence[tuple[float, str]] = SETTINGS, reading: Reading = DEFAULT) -> Exhibit:
    """Round trips of all flows."""
    results = _results(context, settings, reading)
    earlier = _in_scenario_1(context, settings, reading)
    rows: list[Row] = []
    for rtt, recovery in settings:
        name = _name(rtt, recovery)
        for flow in FLOWS:
            row: Row = {"setting": name, "flow": flow}
            for sender in SENDERS:
                result = results[name, sender]
                moved = swing(*result.over_time(flow, "rtt_s"), *_SPANS[flow])
                base = result.flow(flow)["base_rtt_s"]
                key = sender.lower()
                row |= {
                    f"{key}_base_error": None if base is None else base / true_base_rtt(result, flow) - 1.0,
                    f"{key}_mean": moved.mean if moved else None,
                    f"{key}_swing": moved.width if moved else None,
                    f"{key}_period_s": moved.period_s if moved else None,
                }
            errors = [row[f"{s.lower()}_base_error"] for s in SENDERS]
            row["least_base_error"] = None if None in errors else min(errors)
            before = [row[f"{s.lower()}_mean"] / earlier[rtt, s][flow] for s in SENDERS]
            row["over_scenario_1"] = min(before)
            rows.append(row)
    first = _name(*settings[0])
    pair = [(sender, results[first, sender]) for sender in SENDERS]
    return context.definition("table-2").exhibit(
        rows,
        values={"first": first},
        draw={"table-2": partial(_draw_rtts, pair=pair)},
    )


def _in_scenario_1(
    context: Context, settings: Sequence[tuple[float, str]], reading: Reading
) -> dict[tuple[float, str], dict[str, float]]:
    """Mean round trips in scenario I, where no buffer overflows: by round trip and sender, then by flow."""
    keys = [(rtt, sender) for rtt in dict.fromkeys(rtt for rtt, _ in settings) for sender in SENDERS]
    runs = [Case("scenario-1", sender, rtt, reading=reading).with_series() for rtt, sender in keys]
    return {
        key: {flow: mean_over(result, flow, "rtt_s", *_SPANS[flow]) for flow in FLOWS}
        for key, result in zip(keys, context.runner.run_all(runs), strict=True)
    }


def _draw_rtts(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(time_panels(figure, SENDERS, "RTT (ms)"), pair, strict=True):
        traces(axis, result, FLOWS, "rtt_s", 1e-3)
        axis.legend(loc="lower center", ncols=3)


_QUANTITIES = (
    ("queue", "forward", "queue_packets", 1.0),
    *(("rate", flow, "goodput_bps", 1.0) for flow in FLOWS),
    *(("window", flow, "cwnd_packets", 1.0) for flow in FLOWS),
)


def table_3(context: Context, settings: Sequence[tuple[float, str]] = SETTINGS, reading: Reading = DEFAULT) -> Exhibit:
    """Queue, rates and windows: means and swings."""
    results = _results(context, settings, reading)
    rows: list[Row] = []
    for rtt, recovery in settings:
        name = _name(rtt, recovery)
        for what, entity, quantity, scale in _QUANTITIES:
            row: Row = {"setting": name, "what": what, "of": entity}
            for sender in SENDERS:
                times, values = results[name, sender].over_time(entity, quantity)
                moved = swing(times, values, *_SPANS.get(entity, SHARED))
                key = sender.lower()
                row |= {
                    f"{key}_mean": moved.mean * scale if moved else None,
                    f"{key}_swing": moved.width * scale if moved else None,
                    f"{key}_period_s": moved.period_s if moved else None,
                }
            rows.append(row)
    first = _name(*settings[0])
    pair = [(sender, results[first, sender]) for sender in SENDERS]
    return context.definition("table-3").exhibit(
        rows,
        values={"first": first},
        series={
            "table-3-windows": series_rows(pair, FLOWS, "cwnd_packets"),
            "table-3-queue": series_rows(pair, ("forward",), "queue_packets"),
        },
        draw={"table-3": partial(_draw_windows, pair=pair)},
    )


def _draw_windows(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    grid = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, (sender, result) in enumerate(pair):
        top, bottom = grid[0][column], grid[1][column]
        traces(top, result, FLOWS, "cwnd_packets", 1.0)
        times, values = result.over_time("forward", "queue_packets")
        bottom.plot(times, values, color="#000000", linewidth=0.7)
        top.set_title(sender)
        bottom.set_xlabel("time (s)")
        bottom.set_xlim(0, 100)
    grid[0][0].set_ylabel("window (packets)")
    grid[1][0].set_ylabel("queue (packets)")
    grid[0][0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3)


def mean_over(result: RunResult, entity: str, quantity: str, start: float, stop: float) -> float:
    """Mean of a series between two times, without missing samples."""
    times, values = result.over_time(entity, quantity)
    chosen = [v for t, v in zip(times, values, strict=True) if start < t <= stop + 1e-9 and v == v]
    return fmean(chosen) if chosen else 0.0


def arrived_bps(result: RunResult, flows: Sequence[str], start: float, stop: float) -> float:
    """Payload that reached the receivers of these flows between two times, in bit/s.

    In order or not: otherwise data that waits for a retransmission at `start` would count after it.
    """
    return sum(mean_over(result, flow, "throughput_bps", start, stop) for flow in flows) * PAYLOAD_SHARE


def _sharpest_fall(result: RunResult, phase: Phase) -> float:
    """A flow's window over what it was 0.2 s before, at its lowest in a phase; any flow may have the losses.

    The first seconds of each flow are left out.
    """
    falls: list[float] = []
    for flow in phase.flows:
        start = max(phase.start, next(p.start for p in PHASES if flow in p.flows) + SETTLING_S)
        times, values = result.over_time(flow, "cwnd_packets")
        kept = [v for t, v in zip(times, values, strict=True) if start < t <= phase.stop and v == v]
        falls += (after / before for before, after in zip(kept, kept[2:], strict=False))
    return min(falls)


def figure_totals(
    context: Context, settings: Sequence[tuple[float, str]] = SETTINGS, reading: Reading = DEFAULT
) -> Exhibit:
    """Totals by phase, losses, and ns-2."""
    results = _results(context, settings, reading)
    rows: list[Row] = []
    shared = Phase(PHASES[1].start, PHASES[3].stop, FLOWS)
    spans = (*PHASES, shared)
    for (rtt, recovery), sender, phase in ((x, s, p) for x in settings for s in SENDERS for p in spans):
        result = results[_name(rtt, recovery), sender]
        total = arrived_bps(result, phase.flows, phase.start + SETTLING_S, phase.stop)
        intervals = context.ns2["III"]["intervals"] if (rtt, recovery) == (40.0, "SACK") and sender == FAST else None
        reference = (
            intervals[PHASES.index(phase)]["total_payload_mbps"] * 1e6 if intervals and phase is not shared else None
        )
        drops = list(zip(*result.over_time("forward", "drops"), strict=True))
        rows.append(
            {
                "setting": _name(rtt, recovery),
                "sender": sender,
                "phase": phase.name,
                "flows": len(phase.flows),
                "total": total,
                "share": total / (100e6 * PAYLOAD_SHARE),
                "reference": reference,
                "off": None if reference is None else total / reference - 1.0,
                "dropped": sum(d for t, d in drops if phase.start < t <= phase.stop),
                "dropped_later": sum(d for t, d in drops if phase.start + SETTLING_S < t <= phase.stop),
                "timeouts": sum(result.flow(flow)["timeouts"] or 0 for flow in FLOWS),
                "sharpest": _sharpest_fall(result, phase),
                "mean_rtt": fmean(
                    mean_over(result, flow, "rtt_s", phase.start + SETTLING_S, phase.stop) for flow in phase.flows
                ),
            }
        )
    return context.definition("scenario-3-totals").exhibit(rows)
