"""Small packets served first, as footnote 2 of the paper suggests, and the complications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.fairness import jain
from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.papers.two_way_fast.fairness import proportional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_ACKS_FIRST = (("link.*.queue", '{ kind = "ack_priority" }'),)
_WIRE = 1040
_NARROW_MBPS = (4.0, 3.8, 2.0)
"""Backward rates close to the 3.85 Mbit/s that ACKs of 100 Mbit/s forward take."""
_SLOW = (
    ("link.forward.rate", "2 Mbit/s"),
    ("link.backward.rate", "192 kbit/s"),
    ("duration", "600 s"),
    ("warmup", "200 s"),
)
_ALPHA = "flow.*.controller.alpha"


def build(context: Context) -> Exhibit:
    """Examples 1 to 5 with FIFO queues and with ACKs first, then the complications."""
    rows: list[Row] = []
    for example in range(1, 6):
        rows += _rows(context, f"Example {example}", f"example-{example}-{_WIRE}B", ())
    for narrow in _NARROW_MBPS:
        rows += _rows(
            context,
            f"Example 3, {narrow:g} Mbit/s back",
            f"example-3-{_WIRE}B",
            (("link.backward.rate", f"{narrow:g} Mbit/s"),),
        )
    for alpha in (20, 2):
        changes = (*_SLOW, (_ALPHA, f"{alpha} packets"))
        rows += _rows(context, f"2 Mbit/s and 192 kbit/s, alpha {alpha}", f"example-3-{_WIRE}B", changes)
    return context.definition("fast-ack-priority").exhibit(rows, findings=_findings(rows))


def _rows(context: Context, case: str, file: str, changes: tuple[tuple[str, str], ...]) -> list[Row]:
    fifo = context.runner.run(Run(file, "theory", None, changes))
    sim = context.runner.run(Run(file, "sim", None, changes + _ACKS_FIRST))
    acks_first = context.runner.equilibrium(Run(file, "theory", None, changes + _ACKS_FIRST))
    fair = proportional(fifo.scenario)
    rows: list[Row] = []
    for flow in fifo.document["flows"]:
        name = flow["name"]
        theory = acks_first.flow(name)["packets_per_s"] if acks_first is not None else None
        simulated = sim.flow(name)
        rows.append(
            {
                "case": case,
                "flow": name,
                "fifo": flow["packets_per_s"],
                "theory": theory,
                "sim": simulated["packets_per_s"],
                "off": relative_error(simulated["packets_per_s"], theory),
                "ack_wait_s": simulated["reverse_queueing_delay_s"],
                "fair": fair[name],
                "jain_fifo": jain([f["packets_per_s"] / fair[f["name"]] for f in fifo.document["flows"]]),
                "jain": jain([f["packets_per_s"] / fair[f["name"]] for f in sim.document["flows"]]),
                "equilibrium": "none" if acks_first is None else "yes",
                "example": case.startswith("Example") and "," not in case,
            }
        )
    return rows


def _findings(rows: Sequence[Row]) -> list[tuple[str, dict[str, Any]]]:
    examples: dict[str, Row] = {}
    for row in rows:
        if row["example"]:
            examples.setdefault(row["case"], row)
    fairer = [c for c, r in examples.items() if r["jain"] > r["jain_fifo"] + 0.01]
    same = [c for c, r in examples.items() if abs(r["jain"] - r["jain_fifo"]) <= 0.01]
    worst = max((abs(r["off"]) for r in rows if r["example"] and r["off"] is not None), default=0.0)
    starved = [r for r in rows if r["equilibrium"] == "none" and r["sim"] < 0.5 * r["fifo"]]
    return [
        ("fairer", {"fairer": ", ".join(fairer) or "none", "same": ", ".join(same) or "none", "worst": worst}),
        *(("starved", row) for row in starved),
    ]
