"""Where acknowledgements alone fill a link: what can be done about it, on Example 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.examples import ratio
from eddyline.papers.two_way_fast.one_way_delay import counting
from eddyline.reports.exhibit import Column, Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["build"]

_FILE = "example-1-1000B"
_LONG = (("duration", "150 s"), ("warmup", "100 s"))
_BUFFER = "50 packets"
_SHORT = (("link.backward.queue", f'{{ kind = "droptail", limit = "{_BUFFER}" }}'),)
_FILTER = (("link.backward.queue", f'{{ kind = "ack_filter", limit = "{_BUFFER}" }}'),)
_RFC_5690 = (("flow.*.tcp.ack_congestion_control", "true"),)
_EIGHTH = (("flow.*.tcp.ack_every", "8"),)
_STREAM = (("flow.*.controller.ack_alpha", "5 packets"),)

_ANSWERS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("nothing", "round_trip", ()),
    ("by load", "weighted", ()),
    ("nothing, 50 packets of buffer", "forward", _SHORT),
    ("RFC 5690, 50 packets of buffer", "forward", _SHORT + _RFC_5690),
    ("ACK filter, 50 packets of buffer", "forward", _FILTER),
    ("an ACK for eight packets", "forward", _EIGHTH),
    ("ACKs by delay, 5 queued", "forward", _STREAM),
    ("ACKs by delay, 5 queued", "weighted", _STREAM),
)


def build(context: Context) -> Exhibit:
    """Every answer on Example 1, whose acknowledgements are four times what their link carries."""
    rows: list[Row] = []
    for answer, delay, changes in _ANSWERS:
        pauses = "filter" not in answer
        all_of_it = counting(delay, pauses) + _LONG + changes
        sim = context.runner.run(Run(_FILE, "sim", None, all_of_it))
        lossless = changes not in (_SHORT, _SHORT + _RFC_5690, _FILTER)
        theory = context.runner.equilibrium(Run(_FILE, "theory", None, all_of_it)) if lossless else None
        flows = sim.document["flows"]
        total = sum(f["packets_per_s"] for f in flows)
        wanted = sum(f["packets_per_s"] for f in theory.document["flows"]) if theory is not None else None
        rows.append(
            {
                "answer": answer,
                "counts": delay,
                "total": total,
                "use": sim.link("forward")["data_utilisation"],
                "theory": wanted,
                "off": ratio(total, wanted),
                "share": flows[0]["packets_per_s"] / flows[1]["packets_per_s"],
                "ack_wait_s": sum(f["reverse_queueing_delay_s"] for f in flows) / len(flows),
                "acks_dropped": sim.link("backward")["drops"]["ack"],
                "retransmits": sum(f["retransmits"] for f in flows),
                "restores": answer != "nothing" and answer != "by load",
                "stream": changes == _STREAM,
            }
        )
    return Exhibit(
        id="ack-congestion",
        title="Acknowledgements alone fill a link",
        place="Section 5.1, Example 1; Section 1",
        reading=(
            "Two downloads over 100 Mbit/s whose acknowledgements come back over 1 Mbit/s: at one for each packet they "
            "need 4. FAST as published, and weighted, settle where acknowledgements fit, at a quarter of the link. A "
            "flow that counts the way out alone needs another answer: fewer acknowledgements, by losing them in a "
            "short buffer, by a rule, or by controlling them as the flow that they are (ack_alpha: so many queued, as "
            "FAST's law has it for data)."
        ),
        columns=(
            Column("answer", "answer"),
            Column("counts", "data count"),
            Column("total", "both downloads", "packets/s"),
            Column("use", "link used", percent=True),
            Column("theory", "theory", "packets/s"),
            Column("off", "off", percent=True),
            Column("share", "flow 1 over flow 2", digits=3),
            Column("ack_wait_s", "ACKs wait", "ms", scale=1e-3, digits=3),
            Column("acks_dropped", "ACKs lost"),
            Column("retransmits", "sent again"),
        ),
        rows=rows,
        findings=_findings(rows),
        notes=(
            "Alphas are 100 and 200, so a flow 1 over flow 2 of 0.5 is as asked. Theory has no model of "
            "acknowledgements that are lost. With the ACK filter flows do not pause: its queue holds one "
            "acknowledgement a flow.",
        ),
    )


def _findings(rows: Sequence[Row]) -> list[str]:
    published = rows[0]["total"]
    best = max((r for r in rows if r["restores"]), key=lambda r: r["use"])
    stream = [r for r in rows if r["stream"]]
    waits = ", ".join(f"{1e3 * r['ack_wait_s']:.0f} ms" for r in stream)
    return [
        f"As published {published:.0f} packets/s; {best['answer']} gives {best['total']:.0f}, {best['use']:.1%} of the "
        "link.",
        f"Acknowledgements controlled by delay lose none and wait {waits}."
        if all(r["acks_dropped"] == 0 for r in stream)
        else "Acknowledgements controlled by delay are lost too.",
    ]
