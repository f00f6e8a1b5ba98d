"""Scenario II: four flows over three links of 1 Gbit/s (figures 9 and 10, table I)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.vfast.drawing import beside, series_rows, traces
from eddyline.papers.vfast.runs import DEFAULT, FAST, JOINING, SENDERS, VFAST, Case, at_rest, true_base
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.vfast.runs import Reading
    from eddyline.reports.exhibit import Row

__all__ = ["figure_9", "figure_10", "table_1"]

_ALL = JOINING[-1].flows
_LINKS = ("link 1", "link 2", "link 3")
_PATHS = {
    "flow 1": ("link 1", "link 2", "link 3"),
    "flow 2": ("link 1",),
    "flow 3": ("link 2", "link 3"),
    "flow 4": ("link 3",),
}


def _ask(context: Context, thin: int, reading: Reading) -> dict[tuple[str, str], RunResult]:
    """Phase by phase: (sender, name of the phase)."""
    keys = [(sender, phase) for sender in SENDERS for phase in JOINING]
    runs = [Case("scenario-2", sender, reading=reading, thin=thin).phase(phase) for sender, phase in keys]
    results = context.runner.run_all(runs)
    return {(sender, phase.name): result for (sender, phase), result in zip(keys, results, strict=True)}


def _pair(context: Context, thin: int, reading: Reading) -> list[tuple[str, RunResult]]:
    runs = [Case("scenario-2", sender, reading=reading, thin=thin).whole() for sender in SENDERS]
    return list(zip(SENDERS, context.runner.run_all(runs), strict=True))


def figure_9(context: Context, thin: int = 1, reading: Reading = DEFAULT) -> Exhibit:
    """Rates by phase beside equilibrium with the base round trips that senders had."""
    results = _ask(context, thin, reading)
    rows: list[Row] = []
    for phase in JOINING:
        for flow in phase.flows:
            row: Row = {"phase": phase.name, "flow": flow}
            for sender in SENDERS:
                result = results[sender, phase.name]
                bases = {f: result.flow(f)["base_rtt_s"] for f in phase.flows}
                rate = result.flow(flow)["packets_per_s"]
                theory = at_rest(result, phase.flows, bases)[flow]
                key = sender.lower()
                row |= {f"{key}_rate": rate * 8e3, f"{key}_theory": theory * 8e3, f"{key}_off": rate / theory - 1.0}
            row["ratio"] = row["vfast_rate"] / row["fast_rate"]
            rows.append(row)
    pair = _pair(context, thin, reading)
    return Exhibit(
        id="fig-9",
        title="Scenario II: rates of four flows over three links",
        place="Section VI.B, figure 9",
        reading=(
            "Each phase is the equilibrium of FAST with the base round trips that the senders had. The links are full "
            "with FAST already: no sender can double its rate on them, and VFAST's rates are FAST's."
        ),
        columns=(
            Column("phase", "phase"),
            Column("flow", "flow"),
            Column("fast_rate", "FAST", "Mbit/s", scale=1e6),
            Column("fast_theory", "theory", "Mbit/s", scale=1e6),
            Column("fast_off", "off", percent=True),
            Column("vfast_rate", "VFAST", "Mbit/s", scale=1e6),
            Column("vfast_theory", "theory", "Mbit/s", scale=1e6),
            Column("vfast_off", "off", percent=True),
            Column("ratio", "VFAST over FAST"),
        ),
        rows=rows,
        pictures=[Picture("fig-9", "Rates of scenario II", drawn(_rates, 9.5, 3.2, pair))],
        series={"fig-9-rates": series_rows(pair, _ALL, "goodput_bps")},
        notes=(
            "Rates are payload. The paper plots the window over the average round trip, which is a rate only as far as "
            "that average is right (exhibit slip).",
        ),
    )


def _rates(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(beside(figure, SENDERS, "rate (Mbit/s)"), pair, strict=True):
        traces(axis, result, _ALL, "goodput_bps", 1e6)
        axis.legend(loc="upper right", ncols=2)


def figure_10(context: Context, thin: int = 1, reading: Reading = DEFAULT) -> Exhibit:
    """Queues by phase, and where flow 1 waits longest."""
    results = _ask(context, thin, reading)
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
    return Exhibit(
        id="fig-10",
        title="Scenario II: queues",
        place="Section VI.B, figure 10",
        reading=(
            "Where flow 1 waits longest is its bottleneck: link 1 until two flows more press on link 3. Link 2 carries "
            "the same flows as link 3 but flow 4 and lets them through."
        ),
        columns=(
            Column("phase", "phase"),
            Column("link", "link"),
            Column("fast", "FAST", "packets"),
            Column("vfast", "VFAST", "packets"),
            Column("difference", "VFAST less FAST", "packets"),
            Column("fast_longest", "flow 1 waits longest at (FAST)"),
            Column("vfast_longest", "at (VFAST)"),
        ),
        rows=rows,
        pictures=[Picture("fig-10", "Queues of scenario II", drawn(_queues, 9.5, 3.2, pair))],
        series={"fig-10-queues": series_rows(pair, [f"{k} forward" for k in _LINKS], "queue_packets")},
    )


def _queues(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    for axis, (_, result) in zip(beside(figure, SENDERS, "queue (packets)"), pair, strict=True):
        for link, colour in zip(_LINKS, (BLUE, GREEN, RED), strict=True):
            times, values = result.over_time(f"{link} forward", "queue_packets")
            axis.plot(times, values, color=colour, linewidth=0.9, label=link)
        axis.legend(loc="upper left")


def table_1(context: Context, thin: int = 1, reading: Reading = DEFAULT) -> Exhibit:
    """Base and mean round trips and windows of all flows, VFAST over FAST."""
    results = _ask(context, thin, reading)
    rows: list[Row] = []
    for phase in JOINING:
        for flow in phase.flows:
            fast, vfast = (results[sender, phase.name] for sender in SENDERS)
            before, after = fast.flow(flow), vfast.flow(flow)
            rows.append(
                {
                    "phase": phase.name,
                    "flow": flow,
                    "propagation": true_base(fast, flow),
                    "fast_base": before["base_rtt_s"],
                    "vfast_base": after["base_rtt_s"],
                    "base_ratio": after["base_rtt_s"] / before["base_rtt_s"],
                    "fast_rtt": before["rtt_s"]["mean"],
                    "vfast_rtt": after["rtt_s"]["mean"],
                    "rtt_ratio": after["rtt_s"]["mean"] / before["rtt_s"]["mean"],
                    "fast_window": before["window_packets"]["mean"],
                    "vfast_window": after["window_packets"]["mean"],
                    "window_ratio": after["window_packets"]["mean"] / before["window_packets"]["mean"],
                    "rate_ratio": after["packets_per_s"] / before["packets_per_s"],
                }
            )
    return Exhibit(
        id="table-1",
        title="Scenario II: base and mean round trips",
        place="Section VI.B, table I",
        reading=(
            "The paper's base round trip halves with VFAST on a path that is the same. The least round trip of a path"
            " is propagation and transmission; no filter of samples can go below it. It does not here."
        ),
        columns=(
            Column("phase", "phase"),
            Column("flow", "flow"),
            Column("propagation", "least possible", "ms", scale=1e-3),
            Column("fast_base", "base, FAST", "ms", scale=1e-3),
            Column("vfast_base", "base, VFAST", "ms", scale=1e-3),
            Column("base_ratio", "ratio"),
            Column("fast_rtt", "RTT, FAST", "ms", scale=1e-3),
            Column("vfast_rtt", "RTT, VFAST", "ms", scale=1e-3),
            Column("rtt_ratio", "ratio"),
            Column("fast_window", "window, FAST", "packets"),
            Column("vfast_window", "window, VFAST", "packets"),
            Column("window_ratio", "ratio"),
            Column("rate_ratio", "rate, VFAST over FAST"),
        ),
        rows=rows,
    )
