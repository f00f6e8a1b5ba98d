"""The line behind the modem: how much of its rate to use, and what a packet takes on it.

A queue can only be managed where it forms, so the router sends at less than the line's rate. The framing's numbers are
those of tc-cake(8), counted from the IP packet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eddyline.spelling import unknown

__all__ = ["BARE", "COMMON", "LINES", "UNKNOWN", "Line", "line"]

_CELL_B, _CELL_PAYLOAD_B = 53, 48
_PTM_BLOCK_B = 64


@dataclass(frozen=True)
class Line:
    """Framing of a line, and the share of its rate that is used.

    Attributes:
        name: Its keyword in tc-cake(8) and in scenario files.
        overhead_B: Bytes added to each IP packet.
        minimum_B: Size of the smallest frame.
        linklayer: `none`, `atm` or `ptm`: what the frame is cut into.
        share: The share of the line's rate at which the router sends.
    """

    name: str
    overhead_B: int  # noqa: N815 (bytes)
    minimum_B: int  # noqa: N815
    linklayer: str
    share: float = 0.95

    def wire_bytes(self, size: int) -> int:
        """Bytes on the line of an IP packet."""
        frame = max(size + self.overhead_B, self.minimum_B)
        if self.linklayer == "atm":
            return -(-frame // _CELL_PAYLOAD_B) * _CELL_B
        if self.linklayer == "ptm":
            return frame + -(-frame // _PTM_BLOCK_B)
        return frame

    def framing(self) -> dict[str, Any]:
        """As a link of a scenario has it."""
        return {
            "overhead": f"{self.overhead_B} B",
            "minimum": f"{self.minimum_B} B",
            "linklayer": self.linklayer,
        }


BARE = Line("bare", 0, 0, "none", 1.0)
"""A link that carries IP packets and nothing else, at its full rate."""

UNKNOWN = Line("unknown", 0, 0, "none", 0.9)
"""Where nobody says what the line is: more room, for the framing of full packets."""

_ATM = {
    "ipoa-vcmux": 8,
    "ipoa-llcsnap": 16,
    "bridged-vcmux": 24,
    "bridged-llcsnap": 32,
    "pppoa-vcmux": 10,
    "pppoa-llc": 14,
    "pppoe-vcmux": 32,
    "pppoe-llcsnap": 40,
    "conservative": 48,
}

LINES = {
    each.name: each
    for each in (
        Line("ethernet", 38, 84, "none"),
        Line("docsis", 18, 64, "none"),
        Line("bridged-ptm", 22, 0, "ptm"),
        Line("pppoe-ptm", 30, 0, "ptm"),
        *(Line(name, overhead, 0, "atm") for name, overhead in _ATM.items()),
    )
}
"""By the keyword of tc-cake(8)."""

COMMON = {"fibre": "ethernet", "cable": "docsis", "vdsl": "pppoe-ptm", "adsl": "pppoe-llcsnap"}
"""The usual framing of lines by their everyday names."""


def line(name: str | None) -> Line:
    """The line of that name.

    Raises:
        InputError: There is no such line.
    """
    if name is None:
        return UNKNOWN
    keyword = COMMON.get(name, name)
    if keyword not in LINES:
        raise unknown("line", name, [*COMMON, *LINES])
    return LINES[keyword]
