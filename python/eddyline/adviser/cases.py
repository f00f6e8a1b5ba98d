"""The cases in which a queue is tried: round-trip times, numbers of flows, orders of starts, phases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, TypeVar

from eddyline.quantities import seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.adviser.access import Access

__all__ = ["ORDERS", "PHASES", "Case", "Phase", "cases", "more_cases", "screening"]

_Any = TypeVar("_Any")

ORDERS = ("together", "download first", "upload first")
"""Real and simulated alike, the flow that starts first keeps its advantage for minutes."""


@dataclass(frozen=True)
class Phase:
    """Where in the other direction's round trip, and in a packet's transmission, the second direction begins.

    Packets of two flows that meet a full buffer in the same order every round trip lose in the same order every time
    (Floyd and Jacobson, On traffic phase effects, 1992): what happens depends on fractions of these times.

    Attributes:
        start: Later start, in round-trip times.
        delay: Longer path, in transmission times of a full packet on its own link.
        spread: How far the round-trip times of one direction's flows are apart, relative; their starts then are too.
    """

    start: float
    delay: float
    spread: float


PHASES = (Phase(0.0, 0.0, 0.0), Phase(0.5, 0.25, 0.0), Phase(0.25, 0.5, 0.02), Phase(0.75, 0.75, 0.02))


_SPREADS = (0.0, 0.02, 0.1)
_SCATTERED, _MORE = 48, 144
_PRIMES = (2, 3, 5, 7, 11, 13, 17)


@dataclass(frozen=True)
class Case:
    """One simulation of both directions, or of one of them where the other has no flows.

    Attributes:
        rtt_s: Round-trip time without queues of the downloads and of the uploads.
        downloads: How many there are.
        uploads: How many there are.
        order: Which direction starts first.
        phase: Phase of the uploads.
    """

    rtt_s: tuple[float, float]
    downloads: int
    uploads: int
    order: str = ORDERS[0]
    phase: Phase = PHASES[0]

    @property
    def way(self) -> str:
        """Of a direction alone, which one: `download` or `upload`; else `both`."""
        return "both" if self.downloads and self.uploads else "download" if self.downloads else "upload"

    def described(self) -> str:
        """In words, for people."""
        trips = " and ".join(dict.fromkeys(seconds(rtt) for rtt in self.rtt_s))
        flows = f"{self.downloads} down, {self.uploads} up"
        return f"{flows}, {self.order}, round trip {trips}"

    def alone(self, way: str) -> Case:
        """The flows of one direction by themselves, started at once."""
        if way == "download":
            return Case((self.rtt_s[0], self.rtt_s[0]), self.downloads, 0)
        return Case((self.rtt_s[1], self.rtt_s[1]), 0, self.uploads)


def _round_trips(access: Access) -> list[tuple[float, float]]:
    """Both directions at the longest, both at the shortest, and one at each."""
    low, high = access.rtt_s
    return [(low, low)] if low == high else [(high, high), (low, low), (low, high), (high, low)]


def screening(access: Access) -> list[Case]:
    """The first cases of every candidate: the fewest flows, at once."""
    return [Case(rtt, access.downloads[0], access.uploads[0]) for rtt in _round_trips(access)]


def cases(access: Access) -> list[Case]:
    """All cases, those of `screening` first, then the most different ones.

    The fewest flows run in every order and phase, the corners of the numbers of flows and their middle in every order,
    both with all round-trip times at one end of the range; with the downloads at one end and the uploads at the other,
    these run at once. Scattered cases are added, since it is in between that a buffer loses its share.
    """
    first = screening(access)
    (d0, d1), (u0, u1) = access.downloads, access.uploads
    corners = [(d0, u1), (d1, u0), (d1, u1), ((d0 + d1) // 2, (u0 + u1 + 1) // 2)]
    found = list(first)
    found += [Case(rtt, d, u) for rtt in _round_trips(access) for d, u in corners]
    found += _scattered(access, 1, _SCATTERED)
    for case in first:
        if case.rtt_s[0] == case.rtt_s[1]:
            found += [replace(case, order=order, phase=phase) for phase in PHASES for order in ORDERS]
            found += [Case(case.rtt_s, d, u, order) for d, u in corners for order in ORDERS]
    return list(dict.fromkeys(found))


def more_cases(access: Access) -> list[Case]:
    """Additional, scattered cases for candidates close to the limit."""
    return _scattered(access, _SCATTERED + 1, _SCATTERED + _MORE)


def _scattered(access: Access, first: int, last: int) -> list[Case]:
    """Cases evenly spread over everything at once: multiples of irrational numbers, modulo 1."""
    low, high = access.rtt_s
    round_trips = sorted({low, sqrt(low * high), high})

    def one_of(several: Sequence[_Any], place: float) -> _Any:
        return several[int(place * len(several))]

    found = []
    for i in range(first, last + 1):
        places = [i * sqrt(prime) % 1 for prime in _PRIMES]
        rtt = one_of(round_trips, places[0]), one_of(round_trips, places[1])
        flows = [
            one_of(range(fewest, most + 1), place)
            for (fewest, most), place in zip((access.downloads, access.uploads), places[2:], strict=False)
        ]
        phase = Phase(places[4], places[5], one_of(_SPREADS, places[6]))
        found.append(Case(rtt, flows[0], flows[1], ORDERS[i % len(ORDERS)], phase))
    return found
