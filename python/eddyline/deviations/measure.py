"""How far two results of one scenario are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.frames import flatten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eddyline.scenario import Result

__all__ = ["QUANTITIES", "Deviation", "Range", "Tolerance", "deviations", "worst"]

QUANTITIES: dict[str, tuple[str, ...]] = {
    "flow": ("goodput_bps", "rtt_s.mean", "queueing_delay_s", "window_packets.mean"),
    "link": ("utilisation", "queue_packets.mean"),
}
"""What is compared of each kind."""


@dataclass(frozen=True)
class Tolerance:
    """Where two values count as equal.

    Attributes:
        share: They differ by at most this share of the larger one,
        packets: or, queues and windows, by so many packets; queueing delays of a flow by the time between so many.
    """

    share: float = 0.03
    packets: float = 2.0


@dataclass(frozen=True)
class Range:
    """Values of `sim` over several seeds.

    Attributes:
        values: In ascending order.
        allowed: The largest distance from the range that counts as none.
    """

    values: tuple[float, ...]
    allowed: float

    @property
    def low(self) -> float:
        """The smallest value."""
        return self.values[0]

    @property
    def high(self) -> float:
        """The largest value."""
        return self.values[-1]

    def distance(self, value: float) -> float:
        """How far a value lies outside."""
        return max(self.low - value, value - self.high, 0.0)

    def distance_without_one(self, value: float) -> float:
        """How far a value lies outside at most where one seed is left out."""
        lowest, highest = (self.values[1:] or self.values)[0], (self.values[:-1] or self.values)[-1]
        return max(lowest - value, value - highest, 0.0)

    def joined(self, other: Range) -> Range:
        """Of the values of both."""
        return Range(tuple(sorted((*self.values, *other.values))), max(self.allowed, other.allowed))


@dataclass(frozen=True)
class Deviation:
    """One quantity in two worlds.

    Attributes:
        kind: flow or link.
        name: Of which one.
        quantity: Dotted name of the result's field.
        value: In the other world.
        reference: In world `sim`.
        allowed: The largest difference that counts as none.
        range: What chance makes of the reference; None where one seed is known.
        earlier: The range that counts in its place, where one seed alone brings this one nearer.
    """

    kind: str
    name: str
    quantity: str
    value: float
    reference: float
    allowed: float
    range: Range | None = None
    earlier: Range | None = None

    @property
    def relative(self) -> float:
        """The difference as a share of the reference; infinite where that is zero and the value is not."""
        difference = self.value - self.reference
        if difference == 0:
            return 0.0
        return difference / abs(self.reference) if self.reference else float("inf") * difference

    @property
    def excess(self) -> float:
        """The difference, from the range where there is one, in units of what is allowed: above 1 it counts.

        Infinite where nothing is allowed.
        """
        counted = self.earlier or self.range
        if counted is None:
            return self._excess
        return _in_units(counted.distance(self.value), counted.allowed)

    @property
    def within(self) -> bool:
        """Whether the difference from the reference is within the tolerance."""
        return self._excess <= 1.0

    @property
    def by_chance(self) -> bool:
        """Whether another seed makes as large a difference, and it counts as none for that alone."""
        return self.excess <= 1.0 and not self.within

    @property
    def left_to_chance(self) -> bool:
        """Whether the value is one of those between which chance decides, be it near the reference or not."""
        wide = self.range is not None and self.range.high - self.range.low > self.range.allowed
        return self.by_chance or (wide and self.excess <= 1.0)

    @property
    def _excess(self) -> float:
        return _in_units(abs(self.value - self.reference), self.allowed)


def deviations(
    result: Result, reference: Result, tolerance: Tolerance, others: Sequence[Result] = ()
) -> list[Deviation]:
    """Every quantity that both results know.

    Args:
        result: Of the other world.
        reference: Of `sim`.
        tolerance: What counts as equal.
        others: Of `sim` with other seeds.
    """
    ours, theirs, more = reference.to_dict(), result.to_dict(), [each.to_dict() for each in others]
    found = []
    for kind, quantities in QUANTITIES.items():
        for row, other, *seeds in zip(*(each[f"{kind}s"] for each in (ours, theirs, *more)), strict=True):
            values, flat, flat_seeds = dict(flatten(row)), dict(flatten(other)), [dict(flatten(each)) for each in seeds]
            for quantity in quantities:
                value, known = flat.get(quantity), values.get(quantity)
                if not isinstance(value, int | float) or not isinstance(known, int | float):
                    continue
                allowed, spread = _allowed(quantity, value, known, values, tolerance), None
                if seeds:
                    more_known = (v for each in flat_seeds if isinstance(v := each.get(quantity), int | float))
                    all_ = sorted(map(float, (known, *more_known)))
                    nearest = min(max(value, all_[0]), all_[-1])
                    spread = Range(tuple(all_), _allowed(quantity, value, nearest, values, tolerance))
                found.append(Deviation(kind, row["name"], quantity, float(value), float(known), allowed, spread))
    return found


def worst(found: Iterable[Deviation]) -> float:
    """The largest excess; zero where nothing is compared."""
    return max((each.excess for each in found), default=0.0)


def _in_units(distance: float, allowed: float) -> float:
    if distance == 0:
        return 0.0
    return distance / allowed if allowed else float("inf")


def _allowed(quantity: str, value: float, known: float, row: Mapping[str, Any], tolerance: Tolerance) -> float:
    share = tolerance.share * max(abs(value), abs(known))
    if "packets" in quantity:
        return max(share, tolerance.packets)
    rate = row.get("packets_per_s")
    if quantity.endswith("_delay_s") and rate:
        return max(share, tolerance.packets / float(rate))
    return share
