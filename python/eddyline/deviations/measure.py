"""How far two results of one scenario are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.frames import flatten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eddyline.scenario import Result

__all__ = ["QUANTITIES", "Deviation", "Tolerance", "deviations", "worst"]

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
class Deviation:
    """One quantity in two worlds.

    Attributes:
        kind: flow or link.
        name: Of which one.
        quantity: Dotted name of the result's field.
        value: In the other world.
        reference: In world `sim`.
        allowed: The largest difference that counts as none.
    """

    kind: str
    name: str
    quantity: str
    value: float
    reference: float
    allowed: float

    @property
    def relative(self) -> float:
        """The difference as a share of the reference; infinite where that is zero and the value is not."""
        difference = self.value - self.reference
        if difference == 0:
            return 0.0
        return difference / abs(self.reference) if self.reference else float("inf") * difference

    @property
    def excess(self) -> float:
        """The difference in units of what is allowed: above 1 it counts."""
        return abs(self.value - self.reference) / self.allowed if self.allowed else 0.0


def deviations(result: Result, reference: Result, tolerance: Tolerance) -> list[Deviation]:
    """Every quantity that both results know."""
    ours, theirs = reference.to_dict(), result.to_dict()
    found = []
    for kind, quantities in QUANTITIES.items():
        for row, other in zip(ours[f"{kind}s"], theirs[f"{kind}s"], strict=True):
            values, others = dict(flatten(row)), dict(flatten(other))
            for quantity in quantities:
                value, known = others.get(quantity), values.get(quantity)
                if isinstance(value, int | float) and isinstance(known, int | float):
                    allowed = _allowed(quantity, value, known, values, tolerance)
                    found.append(Deviation(kind, row["name"], quantity, float(value), float(known), allowed))
    return found


def worst(found: Iterable[Deviation]) -> float:
    """The largest excess; zero where nothing is compared."""
    return max((each.excess for each in found), default=0.0)


def _allowed(quantity: str, value: float, known: float, row: Mapping[str, Any], tolerance: Tolerance) -> float:
    share = tolerance.share * max(abs(value), abs(known))
    if "packets" in quantity:
        return max(share, tolerance.packets)
    rate = row.get("packets_per_s")
    if quantity.endswith("_delay_s") and rate:
        return max(share, tolerance.packets / float(rate))
    return share
