"""Access types as a home user names them: the table in `isps.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from eddyline.adviser.line import COMMON
from eddyline.framing import FRAMINGS
from eddyline.quantities import bits_per_second, read
from eddyline.spelling import unknown

__all__ = ["FIELDS", "OPTIONAL", "Figure", "Isp", "isp", "isps"]

FIELDS = ("down", "up", "rtt", "buffer_down", "buffer_up", "framing", "share")
"""What the table has of every access type."""

OPTIONAL = ("varies",)
"""What it has of some."""

_SWAPPED = 1.5
"""An uplink that is so many times as fast as the downlink is perhaps the downlink: usual rates fall from down to up."""

_SLOW = 0.01
"""A rate below this share of the usual one is perhaps in another unit."""

_PACKET, _PAYLOAD = 1500, 1460
"""Bytes of a full packet of TCP over IPv4, and what of them a speed test counts."""


@dataclass(frozen=True)
class Figure:
    """A number and where it is from."""

    value: str | float
    source: str

    @property
    def assumed(self) -> bool:
        """Whether it is ours."""
        return self.source.startswith("assumption")


@dataclass(frozen=True)
class Isp:
    """An access type.

    Attributes:
        name: As in `--isp`.
        title: In words.
        also: Other names of it.
        wan: The usual name of the interface in OpenWrt.
        figures: By name, of `FIELDS` and `OPTIONAL`.
    """

    name: str
    title: str
    also: tuple[str, ...]
    wan: str
    figures: dict[str, Figure]

    def text(self, field: str) -> str:
        """A quantity as written."""
        return str(self.figures[field].value)

    @property
    def line(self) -> str | None:
        """Keyword of the framing; None where there is none per packet."""
        name = self.text("framing")
        return None if name == "none" else name

    @property
    def share(self) -> float:
        """The share of the measured rate at which the router sends."""
        return float(self.figures["share"].value)

    @property
    def profile(self) -> str | None:
        """Profile of the rate over time; None where it is constant."""
        return self.text("varies") if "varies" in self.figures else None

    def remarks(self, down: str | None, up: str | None, line: str | None = None) -> list[str]:
        """What to consider about the rates given, on a line of framing `line`. What is not given is the usual.

        Raises:
            InputError: One is not a rate.
        """
        texts = {"down": self.text("down") if down is None else down, "up": self.text("up") if up is None else up}
        rates = {name: read(name, "rate", text) for name, text in texts.items()}
        found = []
        if rates["up"] > _SWAPPED * rates["down"]:
            found.append(
                f"{bits_per_second(rates['up'])} up and {bits_per_second(rates['down'])} down: lines of this type "
                "rarely carry more up than down; perhaps --down and --up are swapped"
            )
        for name, rate in rates.items():
            usual = read(name, "rate", self.text(name))
            if rate < _SLOW * usual:
                found.append(
                    f"{name} {bits_per_second(rate)}: lines of this type usually have some {bits_per_second(usual)}; "
                    "perhaps another unit was meant"
                )
        name = line or self.line or ""
        framing = FRAMINGS.get(COMMON.get(name, name))
        if framing is not None and framing.linklayer == "atm" and (down is not None or up is not None):
            less = 1.0 - _PAYLOAD / framing.line_bytes(_PACKET)
            found.append(
                f"--down and --up are taken for the rates that the modem shows; a speed test has {less:.0%} less, "
                "because of headers and cells"
            )
        return found


@cache
def isps() -> dict[str, Isp]:
    """All access types by name."""
    table = tomllib.loads((Path(__file__).parent / "isps.toml").read_text("utf-8"))
    found = {}
    for name, rows in table.items():
        figures = {key: Figure(**row) for key, row in rows.items() if isinstance(row, dict)}
        found[name] = Isp(name, rows["title"], tuple(rows.get("also", ())), rows["wan"], figures)
    return found


def isp(name: str) -> Isp:
    """The access type of that name, in any case, or of another name that it has.

    Raises:
        InputError: There is no such type.
    """
    lower = name.lower()
    for each in isps().values():
        if lower in (each.name, *each.also):
            return each
    raise unknown("access type", name, isps(), also=[other for each in isps().values() for other in each.also])
