"""The candidate queues: around the closed form for FIFOs, by rule for the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import PACKET_B
from eddyline.adviser.sizing import proportional

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.adviser.access import Access

__all__ = ["DEFAULT", "DEFAULT_PACKETS", "HAVE", "UNITS", "Queues", "default", "families", "limit"]

UNITS = ("bytes", "packets", "cells")
"""What a FIFO's limit may count."""

DEFAULT = "default"
"""The family of the buffers that nobody has set."""

DEFAULT_PACKETS = 1000
"""The default of Linux for an Ethernet interface (txqueuelen), and of most access routers with it."""

HAVE = {
    "linux": ("drop-tail", "ACKs first", "CoDel", "PIE", "FQ-CoDel", "CAKE"),
    "sqm": ("drop-tail", "CoDel", "PIE", "FQ-CoDel", "CAKE"),
    "fifo": ("drop-tail",),
    "codel": ("CoDel",),
    "pie": ("PIE",),
    "fq_codel": ("FQ-CoDel",),
    "cake": ("CAKE",),
}
"""The families that a router can set up: all that Linux has lines for, what OpenWrt's SQM runs, or one of them."""

_CELL_B, _TRAILER_B = 48, 8
"""Payload of an ATM cell, and AAL5's trailer (ITU-T I.361, I.363.5)."""

_DOWN_FACTORS = (0.5, 1.0, 2.0)
_UP_FACTORS = (0.5, 0.71, 1.0, 1.41, 2.0, 3.0)
_INTERVALS = (1.0, 2.0)
"""Factors on the interval of CoDel: a longer one leaves a single flow more of a long path, for a longer queue."""

_MIN_FQ_PACKETS, _MAX_FQ_PACKETS = 1000, 10240
_MIN_CAKE_B = 4 << 20


@dataclass(frozen=True)
class Queues:
    """The queues of both directions, as a scenario file writes them."""

    down: Mapping[str, Any]
    up: Mapping[str, Any]


def limit(size: float, unit: str) -> str:
    """The limit of a queue of `size` bytes of full packets, in that unit."""
    whole = max(1, round(size / PACKET_B))
    if unit == "packets":
        return f"{whole} packets"
    if unit == "cells":
        return f"{whole * -(-(PACKET_B + _TRAILER_B) // _CELL_B)} cells"
    return f"{max(PACKET_B, round(size / 100) * 100)} B"


def default() -> Queues:
    """The queues of a link that nobody has set up."""
    return Queues(_fifo(f"{DEFAULT_PACKETS} packets"), _fifo(f"{DEFAULT_PACKETS} packets"))


def families(access: Access, unit: str) -> dict[str, list[Queues]]:
    """Candidates by family, the simplest family first."""
    size = proportional(access)

    def fifo(down: float, up: float) -> Queues:
        return Queues(_fifo(limit(down, unit)), _fifo(limit(up, unit)))

    grid = [fifo(size.down * d, size.up * u) for d in _DOWN_FACTORS for u in _UP_FACTORS]
    own = [_fifo(limit(size.down * d, unit)) for d in _DOWN_FACTORS]
    first = [limit(max(access.up_bps * access.rtt_s[1] / 8, 4 * PACKET_B) * u, unit) for u in (1.0, 2.0)]
    rates = (access.down_bps, access.up_bps)

    def both(make: Any, *options: Any) -> Queues:
        down, up = (make(access, rate, *options) for rate in rates)
        return Queues(down, up)

    return {
        "drop-tail": [q for i, q in enumerate(grid) if q not in grid[:i]],
        "ACKs first": [Queues(down, {"kind": "ack_priority", "limit": up}) for down in own for up in first],
        "CoDel": [both(_codel, "codel", factor) for factor in _INTERVALS],
        "PIE": [both(_pie, factor) for factor in _INTERVALS],
        "FQ-CoDel": [both(_codel, "fq_codel", factor) for factor in _INTERVALS],
        "CAKE": [
            Queues(_cake(access, rates[0], factor, "none"), _cake(access, rates[1], factor, filtered))
            for factor in _INTERVALS
            for filtered in ("none", "conservative", "aggressive")
        ],
    }


def _fifo(limit: str) -> dict[str, Any]:
    return {"kind": "droptail", "limit": limit}


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} us"


def _packets(access: Access, rate_bps: float) -> str:
    """Room for a path's worth of packets."""
    path = round(rate_bps * access.rtt_s[1] / (8 * PACKET_B))
    return f"{min(max(_MIN_FQ_PACKETS, path), _MAX_FQ_PACKETS)} packets"


def _target(access: Access, rate_bps: float, usual_s: float) -> float:
    """At least one and a half packets long (RFC 8289, section 4)."""
    return max(usual_s, 1.5 * 8 * access.line.line_bytes(PACKET_B) / rate_bps)


def _codel(access: Access, rate_bps: float, kind: str, factor: float) -> dict[str, Any]:
    """The interval is no less than the longest round trip (RFC 8289, section 4)."""
    target = _target(access, rate_bps, 5e-3)
    interval = factor * max(100e-3, access.rtt_s[1], 2 * target)
    room = _packets(access, rate_bps)
    return {"kind": kind, "limit": room, "target": _time(factor * target), "interval": _time(interval)}


def _pie(access: Access, rate_bps: float, factor: float) -> dict[str, Any]:
    target = factor * _target(access, rate_bps, 15e-3)
    return {"kind": "pie", "limit": _packets(access, rate_bps), "target": _time(target)}


def _cake(access: Access, rate_bps: float, factor: float, ack_filter: str) -> dict[str, Any]:
    """Its target follows from the round-trip time, its limit from the rate, as Linux's but without an upper bound."""
    rtt = factor * max(100e-3, access.rtt_s[1])
    room = max(_MIN_CAKE_B, round(4 * rtt * rate_bps / 8))
    return {"kind": "cake", "limit": f"{room} B", "rtt": _time(rtt), "ack_filter": ack_filter}
