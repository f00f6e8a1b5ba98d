"""The record path: Linux TCP and FAST behind gigabit cards, for each answer to a full queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline import _core
from eddyline.papers.fast_overview.length import seconds
from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["CONTROLLERS", "LOCALS", "PAYLOAD_BPS", "chosen", "controllers", "table"]

LOCALS = {"cwr": "window reduced", "backpressure": "sender stops", "drop": "packet lost"}
"""What happens when the card's queue is full, in our words."""

PAYLOAD_BPS = 1e9 * 1460 / 1500
"""The most that a card lets through to the application."""

_FILES = {1: "one-flow", 2: "two-flows", 10: "ten-flows"}


@dataclass(frozen=True)
class Controller:
    """A controller as a run sets it."""

    name: str
    keys: tuple[tuple[str, str], ...]


CONTROLLERS = {
    "Linux TCP": Controller("reno", (("kind", "reno"),)),
    "FAST": Controller("fast", (("kind", "fast"), ("alpha", "80 packets"), ("gamma", "0.25"))),
    "FAST, no doubling": Controller(
        "fast", (("kind", "fast"), ("alpha", "80 packets"), ("gamma", "0.25"), ("mi_threshold", "0 s"))
    ),
    "FAST, ns-2 module": Controller("fast", (("kind", "fast"), ("alpha", "200 packets"), ("profile", NS2_PROFILE))),
    "CUBIC": Controller("cubic", (("kind", "cubic"),)),
    "BBR": Controller("bbr", (("kind", "bbr"),)),
}
"""Those that are run. FAST's alpha finds room in a queue of 100, its steps are half as large as usual. Its window
doubles while less than 0.75 ms is queued, or never (see exhibit `alpha`)."""

_STARTS = {"Linux TCP": ("Linux TCP",), "FAST": ("FAST", "FAST, no doubling")}


def chosen(controller: str, queue: int, local: str, *, flows: int = 1, length: float | None = None) -> Run:
    """One of the runs."""
    keys = [(f"flow.*.controller.{key}", value) for key, value in CONTROLLERS[controller].keys]
    cards = [(f'link."card {n}".queue.limit', f"{queue} packets") for n in range(1, flows + 1)]
    more = [("flow.*.tcp.local", local), ("duration", f"{seconds() if length is None else length:g} s")]
    return Run(_FILES[flows], set=(*keys, *cards, *more))


def _row(context: Context, run: Run, controller: str, queue: int, local: str, flows: int) -> Row:
    result = context.runner.run(run)
    senders = result.document["flows"]
    cards = [link for link in result.document["links"] if link["name"].startswith("card")]
    goodput = sum(f["goodput_bps"] for f in senders)
    return {
        "simulated_s": _core.quantity("time", result.scenario["duration"]),
        "controller": controller,
        "flows": flows,
        "txqueuelen": queue,
        "local": LOCALS[local],
        "goodput": goodput,
        "utilisation": goodput / (flows * PAYLOAD_BPS),
        "queue": sum(c["queue_packets"]["mean"] for c in cards) / flows,
        "sent_again": sum(f["retransmits"] for f in senders),
        "timeouts": sum(f["timeouts"] for f in senders),
        "refusals": sum(f.get("card_refusals") or 0 for f in senders),
    }


def table(context: Context) -> Exhibit:
    """The document's six experiments, each with the three answers to a full queue, none for longer than it took."""
    rows = _experiments(context)
    as_long = any(row["average"] is not None for row in rows)
    return Exhibit(
        id="record",
        title="The table of the record path",
        place="Results, second paragraph",
        reading=(
            f"Goodput over the first {seconds():g} s, or over all of an experiment that took no longer (one hour, six "
            "with ten flows), of the sum of the cards' 973 Mbit/s. The start takes FAST two minutes and Reno most of "
            "an hour, so only an average over the printed time is judged. What happens when a card's queue is full is "
            "not printed; Linux of that time reduced its window. Linux TCP is Reno with delayed acknowledgements and "
            "no random loss."
        ),
        columns=(
            Column("experiment", "experiment"),
            Column("controller", "as run here"),
            Column("local", "when the card is full"),
            Column("printed_s", "printed over", "s"),
            Column("simulated_s", "ours over", "s"),
            Column("printed", "printed", "Mbit/s", scale=1e6),
            Column("goodput", "ours", "Mbit/s", scale=1e6),
            Column("printed_utilisation", "printed", percent=True),
            Column("utilisation", "ours", percent=True),
            *([Column("average", "ours over the printed time", percent=True)] if as_long else []),
            *([Column("times_linux", "times Linux TCP over the printed time")] if as_long else []),
            Column("queue", "mean queue of a card", "packets"),
            Column("sent_again", "packets sent again"),
            Column("timeouts", "timeouts"),
            Column("refusals", "packets refused by the card"),
            Column("case", "controller and card"),
            Column("card_payload", "payload that a card can carry", "Mbit/s", scale=1e6),
            Column("printed_most", "the same as printed", "Mbit/s", scale=1e6),
        ),
        rows=rows,
        pictures=[Picture("record", f"Utilisation, printed and over {seconds():g} s", drawn(_paint, 7.0, 3.6, rows))],
        findings=_findings(rows),
        notes=(
            "The figure shows FAST without doubling.",
            "FAST has alpha 80 packets: with more than the queue holds it cannot come to rest (exhibit alpha).",
            "The round trip from Sunnyvale to Baltimore is not printed; it is taken as 180 ms too.",
        ),
    )


def _experiments(context: Context) -> list[Row]:
    cases = [(run, c, local) for run in context.values["run"] for c in _STARTS[run["controller"]] for local in LOCALS]
    lengths = {run["id"]: min(seconds(), 3600.0 * run["hours"]) for run in context.values["run"]}
    runs = [chosen(c, r["txqueuelen"], local, flows=r["flows"], length=lengths[r["id"]]) for r, c, local in cases]
    context.runner.run_all(runs)
    rows: list[Row] = []
    for (said, controller, local), run in zip(cases, runs, strict=True):
        row = _row(context, run, controller, said["txqueuelen"], local, said["flows"])
        printed = said.get("mbps")
        as_long = row["simulated_s"] == 3600.0 * said["hours"]
        row |= {
            "experiment": said["id"],
            "printed": None if printed is None else 1e6 * printed,
            "printed_utilisation": said["utilisation"],
            "printed_s": 3600.0 * said["hours"],
            "average": row["utilisation"] if as_long else None,
            "case": f"{controller}, {LOCALS[local]}",
        }
        rows.append(row)
    for row in rows:
        linux = next(r for r in rows if r["experiment"] == "Linux, 1 flow, 100" and r["local"] == row["local"])
        compared = row["experiment"] == "FAST, 1 flow, 100" and row["average"] is not None
        row["times_linux"] = row["goodput"] / linux["goodput"] if compared else None
        row["card_payload"], row["printed_most"] = PAYLOAD_BPS, 1e6 * context.values["card"]["application_mbps"]
    return rows


def _findings(rows: list[Row]) -> list[str]:
    said, short = [], []
    for name in dict.fromkeys(r["experiment"] for r in rows):
        part = [r for r in rows if r["experiment"] == name]
        if part[0]["average"] is None:
            short.append(name)
            continue
        best = min(part, key=lambda r: abs(r["average"] - r["printed_utilisation"]))
        said.append(
            f"{name}: printed {best['printed_utilisation']:.0%}; nearest is {best['average']:.0%} of "
            f"{best['controller']} with the card's answer '{best['local']}'"
            + ("." if abs(best["average"] - best["printed_utilisation"]) < 0.05 else ", which is no match.")
        )
    if short:
        said.append(f"Not run as long as printed, so not held against what is printed: {'; '.join(short)}.")
    return said


def _paint(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    names = list(dict.fromkeys(r["experiment"] for r in rows))
    for place, (local, colour) in enumerate(zip(LOCALS.values(), (BLUE, GREEN, RED), strict=True)):
        part = [[r for r in rows if r["experiment"] == n and r["local"] == local][-1] for n in names]
        axis.bar(
            [i + 0.2 * (place - 1) for i in range(len(names))],
            [100 * r["utilisation"] for r in part],
            0.2,
            color=colour,
            label=local,
        )
    printed = [next(r for r in rows if r["experiment"] == n)["printed_utilisation"] for n in names]
    axis.plot(range(len(names)), [100 * p for p in printed], "_", color=BLACK, markersize=28, label="printed")
    axis.set_xticks(range(len(names)), [n.replace(", ", "\n", 1) for n in names])
    axis.set_ylabel("utilisation (%)")
    axis.set_ylim(0, 105)
    figure.legend(loc="outside right upper")


def controllers(context: Context) -> Exhibit:
    """One flow of each controller, both queues, all three answers."""
    cases = [(c, queue, local) for c in CONTROLLERS for queue in (100, 10_000) for local in LOCALS]
    runs = [chosen(*case) for case in cases]
    context.runner.run_all(runs)
    rows = [_row(context, run, *case, 1) for case, run in zip(cases, runs, strict=True)]
    for row in rows:
        row["case"] = f"{row['txqueuelen']:,} packets, {row['local']}"
    return Exhibit(
        id="controllers",
        title="Every controller on the record path",
        place="Results, second paragraph; CUBIC and BBR are of later years",
        reading=(
            f"One flow over {seconds():g} s from the start. Who grows by a packet a round trip after an early end of "
            "slow start has not filled 15,000 packets of path within minutes; who sends a window in a burst fills a "
            "queue of 100 with a window of 200."
        ),
        columns=(
            Column("controller", "controller"),
            Column("case", "queue and what happens when it is full"),
            Column("goodput", "goodput", "Mbit/s", scale=1e6),
            Column("utilisation", "of the card", percent=True),
            Column("queue", "mean queue", "packets"),
            Column("sent_again", "packets sent again"),
            Column("timeouts", "timeouts"),
            Column("refusals", "packets refused by the card"),
        ),
        rows=rows,
    )
