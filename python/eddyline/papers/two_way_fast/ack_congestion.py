"""Example 1, where ACKs alone fill a link, with remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.papers.two_way_fast.one_way_delay import delay_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_FILE = "example-1-1000B"
_LONG = (("duration", "150 s"), ("warmup", "100 s"))
_BUFFER = "50 packets"
_SHORT = (("link.backward.queue", f'{{ kind = "droptail", limit = "{_BUFFER}" }}'),)
_FILTER = (("link.backward.queue", f'{{ kind = "ack_filter", limit = "{_BUFFER}" }}'),)
_RFC_5690 = (("flow.*.tcp.ack_congestion_control", "true"),)
_EIGHTH = (("flow.*.tcp.ack_every", "8"),)
_STREAM = (("flow.*.controller.ack_alpha", "5 packets"),)

_REMEDIES: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
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
    """Each remedy on Example 1, whose ACKs need four times the rate of their link."""
    rows: list[Row] = []
    for remedy, delay, changes in _REMEDIES:
        pauses = "filter" not in remedy
        settings = delay_settings(delay, pauses) + _LONG + changes
        sim = context.runner.run(Run(_FILE, "sim", None, settings))
        lossless = changes not in (_SHORT, _SHORT + _RFC_5690, _FILTER)
        theory = context.runner.equilibrium(Run(_FILE, "theory", None, settings)) if lossless else None
        flows = sim.document["flows"]
        total = sum(f["packets_per_s"] for f in flows)
        expected = sum(f["packets_per_s"] for f in theory.document["flows"]) if theory is not None else None
        rows.append(
            {
                "answer": remedy,
                "counts": delay,
                "total": total,
                "use": sim.link("forward")["data_utilisation"],
                "theory": expected,
                "off": relative_error(total, expected),
                "share": flows[0]["packets_per_s"] / flows[1]["packets_per_s"],
                "ack_wait_s": sum(f["reverse_queueing_delay_s"] for f in flows) / len(flows),
                "acks_dropped": sim.link("backward")["drops"]["ack"],
                "retransmits": sum(f["retransmits"] for f in flows),
                "restores": remedy not in ("nothing", "by load"),
                "stream": changes == _STREAM,
            }
        )
    return context.definition("ack-congestion").exhibit(rows, findings=_findings(rows))


def _findings(rows: Sequence[Row]) -> list[tuple[str, dict[str, Any]]]:
    best = max((r for r in rows if r["restores"]), key=lambda r: r["use"])
    controlled = [r for r in rows if r["stream"]]
    waits = ", ".join(f"{1e3 * r['ack_wait_s']:.0f} ms" for r in controlled)
    lossless = all(r["acks_dropped"] == 0 for r in controlled)
    return [
        ("best", {"published": rows[0]["total"], **best}),
        ("lossless" if lossless else "lossy", {"waits": waits}),
    ]
