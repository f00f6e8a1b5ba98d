"""Small packets first: what footnote 2 of the paper suggests, and its complications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.fairness import jain
from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.examples import ratio
from eddyline.papers.two_way_fast.fairness import proportional
from eddyline.reports.exhibit import Column, Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["build"]

_FIRST = (("link.*.queue", '{ kind = "ack_priority" }'),)
_WIRE = 1040
_NARROW_MBPS = (4.0, 3.8, 2.0)
"""Backward rates around the acknowledgements of 100 Mbit/s forward: 3.85 Mbit/s."""
_SLOW = (
    ("link.forward.rate", "2 Mbit/s"),
    ("link.backward.rate", "192 kbit/s"),
    ("duration", "600 s"),
    ("warmup", "200 s"),
)
_ALPHA = "flow.*.controller.alpha"


def build(context: Context) -> Exhibit:
    """Examples 1 to 5 with and without, then the complications."""
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
    return Exhibit(
        id="fast-ack-priority",
        title="Acknowledgements before data",
        place="Section 6, footnote 2",
        reading=(
            "Each example with FIFO queues and with acknowledgements before data on every link. In theory they then "
            "take capacity and pay no price, wherever data wait: with flows both ways each direction fills, and "
            "alpha shares it among those that send that way; with flows one way nothing changes. Fairness: Jain's "
            "index of x over what weighted proportional fairness gives. The rows after the examples are the "
            "complications."
        ),
        columns=(
            Column("case", "case"),
            Column("flow", "flow"),
            Column("fifo", "FIFO, theory", "packets/s"),
            Column("theory", "ACKs first, theory", "packets/s"),
            Column("sim", "ACKs first, sim", "packets/s"),
            Column("off", "sim against theory", percent=True, digits=4),
            Column("ack_wait_s", "ACKs wait, sim", "ms", scale=1e-3, digits=3),
            Column("fair", "proportional fairness", "packets/s"),
            Column("jain_fifo", "fairness, FIFO", digits=3),
            Column("jain", "ACKs first", digits=3),
            Column("equilibrium", "equilibrium"),
        ),
        rows=rows,
        findings=_findings(rows),
        notes=(
            "Complications. Starvation: where the acknowledgements of one direction alone would fill the other link, "
            "data on it get next to nothing, and there is no equilibrium; a FIFO has one. What is no queueing is "
            "still waiting: an acknowledgement waits for the rest of the packet in transmission, which the equations "
            "do not know and which a slow link and a small alpha make visible. Blindness: who makes the "
            "acknowledgements no longer feels what they cost; the data that go the other way pay for all of it. And "
            "acknowledgements that carry data, or are as long as small data packets, are in neither class.",
        ),
    )


def _rows(context: Context, case: str, file: str, changes: tuple[tuple[str, str], ...]) -> list[Row]:
    fifo = context.runner.run(Run(file, "theory", None, changes))
    sim = context.runner.run(Run(file, "sim", None, changes + _FIRST))
    first = context.runner.equilibrium(Run(file, "theory", None, changes + _FIRST))
    fair = proportional(fifo.scenario)
    rows: list[Row] = []
    for flow in fifo.document["flows"]:
        name = flow["name"]
        theory = first.flow(name)["packets_per_s"] if first is not None else None
        simulated = sim.flow(name)
        rows.append(
            {
                "case": case,
                "flow": name,
                "fifo": flow["packets_per_s"],
                "theory": theory,
                "sim": simulated["packets_per_s"],
                "off": ratio(simulated["packets_per_s"], theory),
                "ack_wait_s": simulated["reverse_queueing_delay_s"],
                "fair": fair[name],
                "jain_fifo": jain([f["packets_per_s"] / fair[f["name"]] for f in fifo.document["flows"]]),
                "jain": jain([f["packets_per_s"] / fair[f["name"]] for f in sim.document["flows"]]),
                "equilibrium": "none" if first is None else "yes",
                "example": case.startswith("Example") and "," not in case,
            }
        )
    return rows


def _findings(rows: Sequence[Row]) -> list[str]:
    examples: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["example"]:
            examples.setdefault(row["case"], row)
    fairer = [c for c, r in examples.items() if r["jain"] > r["jain_fifo"] + 0.01]
    same = [c for c, r in examples.items() if abs(r["jain"] - r["jain_fifo"]) <= 0.01]
    worst = max((abs(r["off"]) for r in rows if r["example"] and r["off"] is not None), default=0.0)
    said = [
        f"Nearer to proportional fairness with acknowledgements first: {', '.join(fairer) or 'none'}; no difference: "
        f"{', '.join(same) or 'none'}. Simulation is within {worst:.1%} of theory in all examples."
    ]
    starved = [r for r in rows if r["equilibrium"] == "none" and r["sim"] < 0.5 * r["fifo"]]
    said += [
        f"{r['case']}: no equilibrium; {r['flow']} gets {r['sim']:.3g} packets/s where FIFOs give {r['fifo']:.3g}."
        for r in starved
    ]
    return said
