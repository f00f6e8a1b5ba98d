"""The examples over a QUIC stack: theory, the simulator and world `quic`, all with QUIC's packet sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.quic_packets import ACK, DATAGRAM, IP_AND_UDP, OVERHEAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_WIRE = ("flow.*.packet", f"{DATAGRAM + IP_AND_UDP} B")
_QUIC = (_WIRE, ("flow.*.header", f"{IP_AND_UDP} B"))
_SAME = (_WIRE, ("flow.*.header", f"{IP_AND_UDP + OVERHEAD} B"), ("flow.*.ack_packet", f"{IP_AND_UDP + ACK} B"))


def build(context: Context, examples: Sequence[int] = range(1, 6)) -> Exhibit:
    """Each flow's rate and each link's queue in the three worlds."""
    rows: list[Row] = []
    for example in examples:
        file = f"example-{example}-1000B"
        known = ("flow.*.controller.base_rtt", "known")
        runs = [Run(file, world, None, (*sizes, known)) for world, sizes in _WORLDS]
        theory, sim, quic = context.runner.run_all(runs)
        for flow in theory.document["flows"]:
            values = [each.flow(flow["name"])["packets_per_s"] for each in (theory, sim, quic)]
            rows.append(_row(example, flow["name"], "rate, packets a second", values))
        for link in theory.document["links"]:
            if link["bottleneck"]:
                values = [each.link(link["name"])["queue_packets"]["mean"] for each in (theory, sim, quic)]
                rows.append(_row(example, link["name"], "queue, packets", values))
    return context.definition("quic").exhibit(rows)


_WORLDS = (("theory", _SAME), ("sim", _SAME), ("quic", _QUIC))


def _row(example: int, of: str, what: str, values: list[float | None]) -> Row:
    theory, sim, quic = values
    return {
        "example": example,
        "of": of,
        "what": what,
        "theory": theory,
        "sim": sim,
        "quic": quic,
        "off_theory": relative_error(quic, theory),
        "off_sim": relative_error(quic, sim),
    }
