"""Framings of the link layer: the bytes that a packet takes on the line (`docs/concepts/links.md`)."""

from __future__ import annotations

from dataclasses import dataclass

import eddyline._core as _core
from eddyline.kinds import listing

__all__ = ["FRAMINGS", "Framing"]


@dataclass(frozen=True)
class Framing:
    """What the link layer adds to a packet.

    Attributes:
        name: Its keyword in tc-cake(8) and in scenario files.
        overhead_B: Bytes added to each IP packet.
        minimum_B: Size of the smallest frame.
        linklayer: `none`, `atm` or `ptm`: what the frame is cut into.
    """

    name: str
    overhead_B: int  # noqa: N815 (bytes)
    minimum_B: int  # noqa: N815
    linklayer: str

    def line_bytes(self, size: int) -> int:
        """Bytes on the line of an IP packet."""
        return _core.line_bytes(size, self.overhead_B, self.minimum_B, self.linklayer)


FRAMINGS = {
    entry["name"]: Framing(*(entry[key] for key in ("name", "overhead_B", "minimum_B", "linklayer")))
    for entry in listing()["framings"]
}
"""By name."""
