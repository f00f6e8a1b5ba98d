"""Fairness of rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["jain"]


def jain(rates: Sequence[float]) -> float | None:
    """Jain's index, (sum x)^2 / (n sum x^2): 1 where all rates are equal, 1 / n where all but one are 0.

    None where all are 0 (Jain, Chiu, Hawe 1984).
    """
    squares = sum(rate * rate for rate in rates)
    # of equal rates, rounding may make it larger than 1
    return min(1.0, sum(rates) ** 2 / (len(rates) * squares)) if squares > 0 else None
