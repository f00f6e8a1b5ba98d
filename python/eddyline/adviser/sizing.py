"""Buffers by formula, before anything is simulated.

With both links busy the two windows must be in the proportion of the two rates (eq. 3 to 5 of Heusse, Brown, Schwengler
and Duda). A window swings between half and all of what its path holds, buffer and pipe: w_d = 3/4 (B_d + P_d),
w_u = 3/4 (B_u - rho w_d / 2 + P_u), and both pipes are rate times round-trip time. So w_d / w_u = C_d / C_u gives

    B_u = B_d C_u / C_d + rho w_d / 2,

whatever the round-trip time: buffers in the proportion of the rates, plus room for the download's acknowledgements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.adviser.access import ACK_B, HEADER_B, PACKET_B

if TYPE_CHECKING:
    from eddyline.adviser.access import Access

__all__ = ["Buffers", "both_busy", "proportional"]

_MIN_PACKETS = 4
"""With fewer in the path there are never three duplicate acknowledgements: every loss costs a timeout."""


@dataclass(frozen=True)
class Buffers:
    """Buffer sizes in bytes."""

    down: float
    up: float


def proportional(access: Access) -> Buffers:
    """A downlink buffer of a bandwidth-delay product at the longest round-trip time (eq. 6), the uplink's to match."""
    path = access.down_packets_per_s * PACKET_B * access.rtt_s[1]
    smallest = _MIN_PACKETS * PACKET_B
    # where the uplink has its minimum, the downlink is sized in proportion
    down = max(path, smallest, smallest * access.down_bps / access.up_bps)
    window = 0.75 * (down + path)
    up = down * access.up_bps / access.down_bps + ACK_B / PACKET_B * window / 2
    return Buffers(down, max(up, smallest))


def both_busy(access: Access) -> tuple[float, float]:
    """Goodput of download and uploads in bit/s when both links are full: data and the other side's delayed ACKs.

    The packet rates D and U solve P D + A U / 2 = C_d / 8 and P U + A D / 2 = C_u / 8. Where the acknowledgements alone
    would fill a link, the flow that they belong to is slowed down by them and the other starves.
    """
    p, a = access.line.line_bytes(PACKET_B), access.line.line_bytes(ACK_B) / 2
    c, e = access.down_bps / 8, access.up_bps / 8
    determinant = p * p - a * a
    down = (p * c - a * e) / determinant
    up = (p * e - a * c) / determinant
    if up < 0:
        down, up = min(c / p, e / a), 0.0
    if down < 0:
        down, up = 0.0, min(e / p, c / a)
    payload = 8 * (PACKET_B - HEADER_B)
    return down * payload, up * payload
