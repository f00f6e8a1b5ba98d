"""Framings of the link layer: the bytes that a packet takes on the line (`docs/concepts/links.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import eddyline._core as _core
from eddyline.kinds import listing

__all__ = ["BARE", "FRAMINGS", "Framing", "framing_of"]


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
BARE = Framing("", 0, 0, "none")
"""Of packets alone."""


def framing_of(given: Any) -> Framing:
    """The framing of a link or of a shaper as a scenario has it: by name, in numbers, or none."""
    if not given:
        return BARE
    if isinstance(given, str):
        return FRAMINGS[given]
    overhead, minimum = (round(_core.quantity("bytes", given.get(key, "0 B"))) for key in ("overhead", "minimum"))
    return Framing("", overhead, minimum, given.get("linklayer", "none"))
