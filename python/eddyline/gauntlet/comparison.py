"""A scorecard beside an earlier one: what differs by more than seeds do.

Both ran with seeds, and a seed is the same randomness in both: what did not change gives the same values. Where they
differ, Welch's test says whether the means differ by more than their spread over the seeds explains, at a level such
that among all tests of a comparison a false alarm comes once in twenty times (Bonferroni).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.gauntlet.scorecard import Card, Verdict

__all__ = ["Change", "beyond_chance", "compare"]

_FALSE_ALARMS = 0.05


@dataclass(frozen=True)
class Change:
    """One test now and then.

    Attributes:
        name: Of the test.
        before: Its value in the base; None where that is not known or the base has no such test.
        now: Its value.
        tolerance: Differences up to this are within what seeds explain; None where too few seeds say it.
        kind: `"same"`, `"better"`, `"worse"` (beyond the tolerance), `"broken"` (it passed, and does not), `"fixed"`
            or `"new"`.
    """

    name: str
    before: float | None
    now: float | None
    tolerance: float | None
    kind: str

    @property
    def bad(self) -> bool:
        """Whether it is a step back."""
        return self.kind in ("worse", "broken")

    def to_dict(self) -> dict[str, Any]:
        """As in the document."""
        return {
            "name": self.name,
            "change": self.kind,
            "before": self.before,
            "value": self.now,
            "tolerance": self.tolerance,
        }


def compare(card: Card, base: Card) -> tuple[Change, ...]:
    """Holds a scorecard against an earlier one.

    Raises:
        InputError: They are of different sets.
    """
    if card.suite_version != base.suite_version:
        raise InputError(
            f"the base is of set {base.suite_version}, this is set {card.suite_version}",
            "run the base again with this version",
        )
    before = {v.name: v for v in base.verdicts}
    level = _FALSE_ALARMS / max(1, len(card.verdicts))
    return tuple(_change(v, before.get(v.name), level) for v in card.verdicts)


def _change(now: Verdict, before: Verdict | None, level: float) -> Change:
    if before is None:
        return Change(now.name, None, now.value, None, "new")
    tolerance = _tolerance(before.values, now.values, level)
    kind = "same"
    if now.value is not None and before.value is not None:
        gain = (now.value - before.value) * (1 if now.bound.least else -1)
        if tolerance is None or abs(gain) > tolerance:
            kind = "better" if gain > 0 else "worse" if gain < 0 else "same"
    if now.passed != before.passed and (kind != "same" or None in (now.value, before.value)):
        kind = "fixed" if now.passed else "broken"
    return Change(now.name, before.value, now.value, tolerance, kind)


def _tolerance(a: Sequence[float | None], b: Sequence[float | None], level: float) -> float | None:
    x, y = [v for v in a if v is not None], [v for v in b if v is not None]
    if x == y:
        return 0.0
    if min(len(x), len(y)) < 2:
        return None
    return beyond_chance(x, y, level)


def beyond_chance(x: Sequence[float], y: Sequence[float], level: float) -> float:
    """How far the means of two samples may be apart at this level of significance (Welch, 1947)."""
    of_x, of_y = variance(x) / len(x), variance(y) / len(y)
    spread = of_x + of_y
    # a spread that is rounding, about equal values, is none
    if spread <= (1e-12 * max(abs(fmean(x)), abs(fmean(y)))) ** 2:
        return 0.0
    freedom = spread**2 / (of_x**2 / (len(x) - 1) + of_y**2 / (len(y) - 1))
    return _quantile(max(1, math.floor(freedom)), level) * math.sqrt(spread)


def _quantile(freedom: int, level: float) -> float:
    """The t that is exceeded, either way, with probability `level`; by bisection."""
    low, high = 0.0, 1.0
    while _two_sided(freedom, high) > level:
        high *= 2.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _two_sided(freedom, middle) > level else (low, middle)
    return high


def _two_sided(freedom: int, t: float) -> float:
    """The probability that Student's t is beyond t either way (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    theta = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(theta) ** 2
    odd = freedom % 2 == 1
    term, total = (math.cos(theta) if odd else 1.0), 0.0
    for k in range(1 if odd else 0, freedom - 1, 2):
        total += term
        term *= cosine * (k + 1) / (k + 2)
    inside = 2.0 / math.pi * (theta + math.sin(theta) * total) if odd else math.sin(theta) * total
    return max(0.0, 1.0 - inside)
