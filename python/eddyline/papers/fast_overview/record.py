"""The record path: Linux TCP and FAST behind gigabit NICs, for each reaction to a full NIC queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import eddyline._core as _core
from eddyline.papers.fast_overview.length import seconds
from eddyline.papers.runner import NS2_PROFILE, Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["CONTROLLERS", "LOCALS", "PAYLOAD_BPS", "chosen", "controllers", "table"]

LOCALS = {"cwr": "window reduced", "backpressure": "sender stops", "drop": "packet lost"}
"""What happens when the NIC queue is full, by `tcp.local`."""

PAYLOAD_BPS = 1e9 * 1460 / 1500
"""The largest goodput that a NIC can carry."""

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
    """The six experiments, each with the three reactions to a full NIC queue, none for longer than the original."""
    rows = _experiments(context)
    any(row["average"] is not None for row in rows)
    return context.definition("record").exhibit(rows, values={"seconds": seconds()}, findings=_findings(rows))


def _experiments(context: Context) -> list[Row]:
    cases = [(run, c, local) for run in context.values["run"] for c in _STARTS[run["controller"]] for local in LOCALS]
    lengths = {run["id"]: min(seconds(), 3600.0 * run["hours"]) for run in context.values["run"]}
    runs = [chosen(c, r["txqueuelen"], local, flows=r["flows"], length=lengths[r["id"]]) for r, c, local in cases]
    context.runner.run_all(runs)
    rows: list[Row] = []
    for (experiment, controller, local), run in zip(cases, runs, strict=True):
        row = _row(context, run, controller, experiment["txqueuelen"], local, experiment["flows"])
        printed = experiment.get("mbps")
        as_long = row["simulated_s"] == 3600.0 * experiment["hours"]
        row |= {
            "experiment": experiment["id"],
            "printed": None if printed is None else 1e6 * printed,
            "printed_utilisation": experiment["utilisation"],
            "printed_s": 3600.0 * experiment["hours"],
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


def _findings(rows: list[Row]) -> list[tuple[str, Row]]:
    findings: list[tuple[str, Row]] = []
    short = []
    for name in dict.fromkeys(r["experiment"] for r in rows):
        part = [r for r in rows if r["experiment"] == name]
        if part[0]["average"] is None:
            short.append(name)
            continue
        nearest = min(part, key=lambda r: abs(r["average"] - r["printed_utilisation"]))
        matches = abs(nearest["average"] - nearest["printed_utilisation"]) < 0.05
        findings.append(("match" if matches else "mismatch", nearest | {"printed": nearest["printed_utilisation"]}))
    if short:
        findings.append(("too_short", {"experiments": "; ".join(short)}))
    return findings


def controllers(context: Context) -> Exhibit:
    """One flow of each controller, both queues, all three reactions."""
    cases = [(c, queue, local) for c in CONTROLLERS for queue in (100, 10_000) for local in LOCALS]
    runs = [chosen(*case) for case in cases]
    context.runner.run_all(runs)
    rows = [_row(context, run, *case, 1) for case, run in zip(cases, runs, strict=True)]
    for row in rows:
        row["case"] = f"{row['txqueuelen']:,} packets, {row['local']}"
    return context.definition("controllers").exhibit(rows, values={"seconds": seconds()})
