"""The line behind the modem: how much of its rate to use, and what a packet takes on it.

A queue can only be managed where it forms, so the router sends at less than the line's rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eddyline.framing import FRAMINGS, Framing
from eddyline.spelling import unknown

__all__ = ["BARE", "COMMON", "LINES", "UNKNOWN", "Line", "line"]


@dataclass(frozen=True)
class Line(Framing):
    """A line behind a modem: its framing, and the share of its rate at which the router sends.

    Attributes:
        share: The share.
    """

    share: float = 0.95

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

LINES = {name: Line(**vars(framing)) for name, framing in FRAMINGS.items()}
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
