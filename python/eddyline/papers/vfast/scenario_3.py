"""Scenario III: a buffer too small for what flows want queued (tables II and III)."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.vfast.drawing import beside, series_rows, traces
from eddyline.papers.vfast.phases import swing
from eddyline.papers.vfast.runs import DEFAULT, FAST, FLOWS, PHASES, SENDERS, SETTLING_S, Case, Phase, true_base
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Reading
    from eddyline.reports.exhibit import Row

__all__ = ["SETTINGS", "arrived", "figure_totals", "over", "table_2", "table_3"]

SETTINGS = ((40.0, "SACK"), (40.0, "NewReno"), (40.0, "timer"), (100.0, "SACK"), (100.0, "timer"))
PAYLOAD_SHARE = 1000 / 1040
CROWDED = (25.0, 80.0)
"""While more than one flow sends."""


def _name(rtt: float, recovery: str) -> str:
    return f"{rtt:g} ms, {recovery}"


def _whole(
    context: Context, settings: Sequence[tuple[float, str]], reading: Reading
) -> dict[tuple[str, str], RunResult]:
    keys = [(s, sender) for s in settings for sender in SENDERS]
    runs = [Case("scenario-3", sender, rtt, recovery, reading).whole() for (rtt, recovery), sender in keys]
    return {
        (_name(*setting), sender): result
        for (setting, sender), result in zip(keys, context.runner.run_all(runs), strict=True)
    }


_SPANS = {"flow 1": CROWDED, "flow 2": (25.0, 80.0), "flow 3": (45.0, 60.0)}


def table_2(context: Context, settings: Sequence[tuple[float, str]] = SETTINGS, reading: Reading = DEFAULT) -> Exhibit:
    """Round trips of all flows."""
    results = _whole(context, settings, reading)
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
                    f"{key}_base_error": None if base is None else base / true_base(result, flow) - 1.0,
                    f"{key}_mean": moved.mean if moved else None,
                    f"{key}_swing": moved.width if moved else None,
                    f"{key}_period_s": moved.period_s if moved else None,
                }
            errors = [row[f"{s.lower()}_base_error"] for s in SENDERS]
            row["least_base_error"] = None if None in errors else min(errors)
            rows.append(row)
    return Exhibit(
        id="table-2",
        title="Scenario III: round trips",
        place="Section VI.C, table II",
        reading=(
            "While more than one flow sends the buffer is full: the round trip cannot exceed propagation and 1,000 "
            "packets, and falls where a loss halves a window."
        ),
        columns=(
            Column("setting", "setting"),
            Column("flow", "flow"),
            Column("fast_base_error", "base too large, FAST", percent=True, digits=3),
            Column("vfast_base_error", "VFAST", percent=True, digits=3),
            Column("fast_mean", "mean RTT, FAST", "ms", scale=1e-3),
            Column("vfast_mean", "VFAST", "ms", scale=1e-3),
            Column("fast_swing", "p95 - p5, FAST", "ms", scale=1e-3),
            Column("vfast_swing", "VFAST", "ms", scale=1e-3),
            Column("fast_period_s", "period, FAST", "s"),
            Column("vfast_period_s", "VFAST", "s"),
        ),
        rows=rows,
        pictures=[
            Picture("table-2", f"Round trips, {_name(*settings[0])}", drawn(_trips, 9.5, 3.0, results, settings))
        ],
        notes=("A period is given where the autocorrelation comes back to a quarter and more.",),
    )


def _trips(figure: Figure, results: dict[tuple[str, str], RunResult], settings: Sequence[tuple[float, str]]) -> None:
    name = _name(*settings[0])
    for axis, sender in zip(beside(figure, SENDERS, "RTT (ms)"), SENDERS, strict=True):
        traces(axis, results[name, sender], FLOWS, "rtt_s", 1e-3)
        axis.legend(loc="lower center", ncols=3)


_QUANTITIES = (
    ("queue", "forward", "queue_packets", 1.0),
    *(("rate", flow, "goodput_bps", 1.0) for flow in FLOWS),
    *(("window", flow, "cwnd_packets", 1.0) for flow in FLOWS),
)


def table_3(context: Context, settings: Sequence[tuple[float, str]] = SETTINGS, reading: Reading = DEFAULT) -> Exhibit:
    """Queue, rates and windows: means and how far they swing."""
    results = _whole(context, settings, reading)
    rows: list[Row] = []
    for rtt, recovery in settings:
        name = _name(rtt, recovery)
        for what, entity, quantity, scale in _QUANTITIES:
            row: Row = {"setting": name, "what": what, "of": entity}
            for sender in SENDERS:
                times, values = results[name, sender].over_time(entity, quantity)
                moved = swing(times, values, *_SPANS.get(entity, CROWDED))
                key = sender.lower()
                row |= {
                    f"{key}_mean": moved.mean * scale if moved else None,
                    f"{key}_swing": moved.width * scale if moved else None,
                    f"{key}_period_s": moved.period_s if moved else None,
                }
            rows.append(row)
    pair = [(sender, results[_name(*settings[0]), sender]) for sender in SENDERS]
    return Exhibit(
        id="table-3",
        title="Scenario III: queue, rates, windows",
        place="Section VI.C, table III",
        reading=(
            "Means and swings (p95 - p5 of samples every 0.1 s) while more than one flow sends. Who gets how much is "
            "decided by the base round trips that newcomers learn, which the first overflow decides: a different "
            "filter gives different luck, and swings go either way."
        ),
        columns=(
            Column("setting", "setting"),
            Column("what", "what"),
            Column("of", "of"),
            Column("fast_mean", "mean, FAST"),
            Column("vfast_mean", "VFAST"),
            Column("fast_swing", "p95 - p5, FAST"),
            Column("vfast_swing", "VFAST"),
            Column("fast_period_s", "period, FAST", "s"),
            Column("vfast_period_s", "VFAST", "s"),
        ),
        rows=rows,
        pictures=[Picture("table-3", f"Windows and queue, {_name(*settings[0])}", drawn(_windows, 9.5, 5.4, pair))],
        series={
            "table-3-windows": series_rows(pair, FLOWS, "cwnd_packets"),
            "table-3-queue": series_rows(pair, ("forward",), "queue_packets"),
        },
        notes=("Queue and windows in packets, rates in bit/s of payload.",),
    )


def _windows(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
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
    grid[0][0].legend(loc="upper right")


def over(result: RunResult, entity: str, quantity: str, start: float, stop: float) -> float:
    """Mean of a series between two times; what is missing is left out."""
    times, values = result.over_time(entity, quantity)
    chosen = [v for t, v in zip(times, values, strict=True) if start < t <= stop + 1e-9 and v == v]
    return fmean(chosen) if chosen else 0.0


def arrived(result: RunResult, flows: Sequence[str], start: float, stop: float) -> float:
    """Payload that reached the receivers of these flows between two times, in bit/s.

    In order or not: what waits for a hole before the first of the times would otherwise count after it.
    """
    return sum(over(result, flow, "throughput_bps", start, stop) for flow in flows) * PAYLOAD_SHARE


def figure_totals(
    context: Context, settings: Sequence[tuple[float, str]] = SETTINGS, reading: Reading = DEFAULT
) -> Exhibit:
    """Totals by phase, losses, and ns-2."""
    results = _whole(context, settings, reading)
    rows: list[Row] = []
    crowd = Phase(PHASES[1].start, PHASES[3].stop, FLOWS)
    spans = (*PHASES, crowd)
    for (rtt, recovery), sender, phase in ((x, s, p) for x in settings for s in SENDERS for p in spans):
        result = results[_name(rtt, recovery), sender]
        total = arrived(result, phase.flows, phase.start + SETTLING_S, phase.stop)
        known = context.ns2["III"]["intervals"] if (rtt, recovery) == (40.0, "SACK") and sender == FAST else None
        said = known[PHASES.index(phase)]["total_payload_mbps"] * 1e6 if known and phase is not crowd else None
        times, drops = result.over_time("forward", "drops")
        rows.append(
            {
                "setting": _name(rtt, recovery),
                "sender": sender,
                "phase": phase.name,
                "flows": len(phase.flows),
                "total": total,
                "share": total / (100e6 * PAYLOAD_SHARE),
                "reference": said,
                "off": None if said is None else total / said - 1.0,
                "dropped": sum(d for t, d in zip(times, drops, strict=True) if phase.start < t <= phase.stop),
                "timeouts": sum(result.flow(flow)["timeouts"] or 0 for flow in FLOWS),
                "mean_rtt": fmean(
                    over(result, flow, "rtt_s", phase.start + SETTLING_S, phase.stop) for flow in phase.flows
                ),
            }
        )
    return Exhibit(
        id="scenario-3-totals",
        title="Scenario III: totals and losses by phase",
        place="Section VI.C",
        reading=(
            "One flow fits the buffer and loses nothing. Two and three overflow it. With SACK and with NewReno the "
            "link stays full all the same; where the timer repairs every loss it does not."
        ),
        columns=(
            Column("setting", "setting"),
            Column("sender", "sender"),
            Column("phase", "phase"),
            Column("flows", "flows"),
            Column("total", "payload that arrived", "Mbit/s", scale=1e6),
            Column("share", "of the link", percent=True, digits=3),
            Column("reference", "ns-2", "Mbit/s", scale=1e6),
            Column("off", "off ns-2", percent=True, digits=3),
            Column("dropped", "packets dropped"),
            Column("timeouts", "timeouts, whole run"),
            Column("mean_rtt", "mean RTT", "ms", scale=1e-3),
        ),
        rows=rows,
        notes=(
            "Payload counts when it arrives, in order or not; where the timer repairs losses, two to four percent of "
            "it had arrived before.",
        ),
    )
