"""Scenario II: four flows over three links of 1 Gbit/s (figures 9 and 10, table I)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from eddyline.papers.vfast.drawing import series_rows, time_panels, traces
from eddyline.papers.vfast.runs import DEFAULT, FAST, JOINING, SENDERS, VFAST, Case, equilibrium_rates, true_base_rtt
from eddyline.reports.figures import BLUE, GREEN, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Reading
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["figure_9", "figure_10", "table_1"]

_ALL = JOINING[-1].flows
_LINKS = ("link 1", "link 2", "link 3")
_PATHS = {
    "flow 1": ("link 1", "link 2", "link 3"),
    "flow 2": ("link 1",),
    "flow 3": ("link 2", "link 3"),
    "flow 4": ("link 3",),
}


def _by_phase(context: Context, thin: int, reading: Reading) -> dict[tuple[str, str], RunResult]:
    """Results by sender and name of the phase."""
    keys = [(sender, phase) for sender in SENDERS for phase in JOINING]
    runs = [Case("scenario-2", sender, reading=reading, thin=thin).phase(phase) for sender, phase in keys]
    results = context.runner.run_all(runs)
    return {(sender, phase.name): result for (sender, phase), result in zip(keys, results, strict=True)}


def _pair(context: Context, thin: int, reading: Reading) -> list[tuple[str, RunResult]]:
    runs = [Case("scenario-2", sender, reading=reading, thin=thin).with_series() for sender in SENDERS]
    return list(zip(SENDERS, context.runner.run_all(runs), strict=True))


def figure_9(context: Context, thin: int = 1, reading: Reading = DEFAULT) -> Exhibit:
    """Rates by phase, and of the equilibrium with the senders' base round trips."""
    results = _by_phase(context, thin, reading)
    rows: list[Row] = []
    for phase in JOINING:
        for flow in phase.flows:
            row: Row = {"phase": phase.name, "flow": flow}
            for sender in SENDERS:
                result = results[sender, phase.name]
                bases = {f: result.flow(f)["base_rtt_s"] for f in phase.flows}
                rate = result.flow(flow)["packets_per_s"]
                theory = equilibrium_rates(result, phase.flows, bases)[flow]
                key = sender.lower()
                row |= {f"{key}_rate": rate * 8e3, f"{key}_theory": theory * 8e3, f"{key}_off": rate / theory - 1.0}
            row["ratio"] = row["vfast_rate"] / row["fast_rate"]
            rows.append(row)
    pair = _pair(context, thin, reading)
    return context.definition("fig-9").exhibit(
        rows,
        series={"fig-9-rates": series_rows(pair, _ALL, "goodput_bps")},
        draw={"fig-9": partial(_draw_rates, pair=pair)},
    )


def _draw_rates(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(time_panels(figure, SENDERS, "rate (Mbit/s)"), pair, strict=True):
        traces(axis, result, _ALL, "goodput_bps", 1e6)
        axis.legend(loc="upper right", ncols=2)


def figure_10(context: Context, thin: int = 1, reading: Reading = DEFAULT) -> Exhibit:
    """Queues by phase, and where flow 1 waits longest."""
    results = _by_phase(context, thin, reading)
    rows: list[Row] = []
    for phase in JOINING:
        waits = {
            (sender, link): results[sender, phase.name].link(f"{link} forward") for sender in SENDERS for link in _LINKS
        }
        longest = {
            sender: max(_PATHS["flow 1"], key=lambda link: waits[sender, link]["queueing_delay_s"]["mean"])
            for sender in SENDERS
        }
        for link in _LINKS:
            fast, vfast = (waits[sender, link]["queue_packets"]["mean"] for sender in SENDERS)
            rows.append(
                {
                    "phase": phase.name,
                    "link": link,
                    "fast": fast,
                    "vfast": vfast,
                    "difference": vfast - fast,
                    "fast_longest": longest[FAST],
                    "vfast_longest": longest[VFAST],
                    "longest": " or ".join(dict.fromkeys(longest.values())),
                }
            )
    pair = _pair(context, thin, reading)
    return context.definition("fig-10").exhibit(
        rows,
        series={"fig-10-queues": series_rows(pair, [f"{k} forward" for k in _LINKS], "queue_packets")},
        draw={"fig-10": partial(_draw_queues, pair=pair)},
    )


def _draw_queues(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(time_panels(figure, SENDERS, "queue (packets)"), pair, strict=True):
        for link, colour in zip(_LINKS, (BLUE, GREEN, RED), strict=True):
            times, values = result.over_time(f"{link} forward", "queue_packets")
            axis.plot(times, values, color=colour, linewidth=0.9, label=link)
        axis.legend(loc="upper left")


def table_1(context: Context, thin: int = 1, reading: Reading = DEFAULT) -> Exhibit:
    """Base and mean round trips and windows of all flows, VFAST over FAST."""
    results = _by_phase(context, thin, reading)
    rows: list[Row] = []
    for phase in JOINING:
        for flow in phase.flows:
            fast, vfast = (results[sender, phase.name] for sender in SENDERS)
            of_fast, of_vfast = fast.flow(flow), vfast.flow(flow)
            rows.append(
                {
                    "phase": phase.name,
                    "flow": flow,
                    "propagation": true_base_rtt(fast, flow),
                    "fast_base": of_fast["base_rtt_s"],
                    "vfast_base": of_vfast["base_rtt_s"],
                    "base_ratio": of_vfast["base_rtt_s"] / of_fast["base_rtt_s"],
                    "fast_rtt": of_fast["rtt_s"]["mean"],
                    "vfast_rtt": of_vfast["rtt_s"]["mean"],
                    "rtt_ratio": of_vfast["rtt_s"]["mean"] / of_fast["rtt_s"]["mean"],
                    "fast_window": of_fast["window_packets"]["mean"],
                    "vfast_window": of_vfast["window_packets"]["mean"],
                    "window_ratio": of_vfast["window_packets"]["mean"] / of_fast["window_packets"]["mean"],
                    "rate_ratio": of_vfast["packets_per_s"] / of_fast["packets_per_s"],
                }
            )
    return context.definition("table-1").exhibit(rows)
