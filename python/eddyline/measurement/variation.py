"""Whether a line's rate varies: its rate over successive parts of the time in which packets wait for it."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from eddyline.measurement.datagrams import Arrival

__all__ = ["Light", "Part", "mean_bps", "parts", "varies"]

_PART_S, _PART_PACKETS, _PARTS = 0.4, 10, 5
"""The least duration and packets of a part, and the fewest parts that tell anything."""
_WAIT_S, _WAIT_PACKETS = 0.002, 4
"""What waits longer than this, and than so many packets take, does not wait for the machines at the ends."""
_VARIES = 0.03
"""Quartiles further apart than this share of the median are those of a line whose rate varies. A machine that receives
late makes some parts longer and others shorter, but not a quarter of them: at a constant rate 0.01 was seen."""


class Part(NamedTuple):
    """A part of the time in which packets waited for the line, and what it carried in it.

    Attributes:
        rate_bps: Its rate.
        seconds: Its duration.
        packets: Their number.
    """

    rate_bps: float
    seconds: float
    packets: int


def parts(arrivals: list[Arrival], size: int, phases: tuple[int, ...], rate: float) -> list[Part]:
    """The parts of phases of a test with packets of one size.

    Between two packets that both waited, the line carried the second all the time, whatever was offered. The time
    without a queue does not count: what arrives then is what was sent.

    Args:
        arrivals: Those of the test.
        size: Of its packets.
        phases: Those that overload the line.
        rate: About the line's.
    """
    waited = max(_WAIT_S, _WAIT_PACKETS * 8 * size / rate)
    own = sorted((a for a in arrivals if a.phase in (0, *phases)), key=lambda a: a.received_ns)
    least = min((a.received_ns - a.sent_ns for a in own), default=0)
    found, seconds, packets = [], 0.0, 0
    for before, a in pairwise(own):
        if a.phase not in phases:
            continue
        if min(each.received_ns - each.sent_ns - least for each in (before, a)) < 1e9 * waited:
            continue
        seconds, packets = seconds + (a.received_ns - before.received_ns) / 1e9, packets + 1
        if seconds >= _PART_S and packets >= _PART_PACKETS:
            found.append(Part(8 * size * packets / seconds, seconds, packets))
            seconds, packets = 0.0, 0
    return found


class Light(NamedTuple):
    """The packets of light loads, which wait for nothing, and how many of them the line lost.

    Attributes:
        sent: How many were sent, up to the last that arrived.
        lost: How many of these did not arrive.
    """

    sent: int
    lost: int

    @classmethod
    def of(cls, *tests: list[Arrival]) -> Light:
        """Those of the first phases of tests."""
        numbers = [[a.number for a in arrivals if a.phase == 0] for arrivals in tests]
        sent = sum(max(each, default=-1) + 1 for each in numbers)
        return cls(sent, sent - sum(map(len, numbers)))

    def plus(self, other: Light) -> Light:
        """Those of both."""
        return Light(self.sent + other.sent, self.lost + other.lost)


def mean_bps(found: list[Part]) -> float:
    """The mean rate over the time of the parts."""
    return sum(part.rate_bps * part.seconds for part in found) / sum(part.seconds for part in found)


def varies(found: list[Part], light: Light) -> tuple[float, float] | None:
    """The quartiles of the rate over time, where they are too far apart for a constant one.

    Random losses scatter what arrives of a part, by a standard deviation of sqrt(share / packets). The share is that of
    the light loads, with one packet more, because none in a hundred may still be one in a hundred.
    """
    if len(found) < _PARTS:
        return None
    by_rate = sorted(found)
    ends = list(accumulate(part.seconds for part in by_rate))
    low, middle, high = (
        next(part.rate_bps for part, end in zip(by_rate, ends, strict=True) if end >= share * ends[-1])
        for share in (0.25, 0.5, 0.75)
    )
    share = (light.lost + 1) / (light.sent + 1)
    scatter = 2 * sqrt(share / median(part.packets for part in found))
    return (low, high) if high - low > (_VARIES + scatter) * middle else None
