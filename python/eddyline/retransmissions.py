"""What senders had to send again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import eddyline._core as _core
import eddyline.quic_packets as quic_packets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["resent"]


def resent(world: str, tables: Iterable[Mapping[str, Any]], flows: Iterable[Mapping[str, Any]]) -> float | None:
    """Retransmissions over themselves and the packets delivered in order, None where there are none.

    Args:
        world: The world of the run.
        tables: The scenario's flows, with all defaults; one with a count stands for all of its flows.
        flows: Those of the result.
    """
    payloads = {table["name"]: _payload(world, table) for table in tables}
    sent = again = 0.0
    for flow in flows:
        again += flow["retransmits"]
        sent += flow["delivered_bytes"] / payloads[str(flow["name"]).split("[")[0]] + flow["retransmits"]
    return again / sent if sent > 0 else None


def _payload(world: str, table: Mapping[str, Any]) -> float:
    """Of a full packet, bytes."""
    packet, header = (_core.quantity("bytes", table[key]) for key in ("packet", "header"))
    return quic_packets.payload(packet - header) if world == "quic" else packet - header
