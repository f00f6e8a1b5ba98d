"""A scorecard compared with an earlier one: significant differences.

Equal code gives equal values for the seeds that both have. Where these differ, Welch's test over all seeds decides
whether the difference of the means is significant, at a level such that one comparison of the whole set in twenty has
a false alarm among its tests (Bonferroni). A test has that level however few are run with it. With one seed on either
side there is no spread to test, and any difference counts.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean, variance
from typing import TYPE_CHECKING

from eddyline.errors import InputError
from eddyline.gauntlet.scorecard import Change
from eddyline.gauntlet.suite import suite
from eddyline.summary import student_t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.gauntlet.scorecard import Card, Verdict

__all__ = ["compare", "require_comparable", "significant_difference"]

_FALSE_ALARMS = 0.05


def require_comparable(base: Card, suite_version: int, world: str) -> None:
    """Makes sure that a scorecard can be the base of one of this version of the tests, from this world.

    Raises:
        InputError: It cannot.
    """
    if suite_version != base.suite_version:
        raise InputError(
            f"the base is of set {base.suite_version}, this is set {suite_version}",
            "run the base again with this version",
        )
    if world != base.world:
        raise InputError(
            f"the base ran in world {base.world}, this in world {world}", "compare scorecards of one world"
        )


def compare(card: Card, base: Card) -> tuple[Change, ...]:
    """Compares a scorecard with an earlier one.

    Raises:
        InputError: They are of different versions of the tests, or of different worlds.
    """
    require_comparable(base, card.suite_version, card.world)
    earlier = {v.name: v for v in base.verdicts}
    level = _FALSE_ALARMS / len(suite().tests)
    return tuple(_change(v, earlier.get(v.name), level) for v in card.verdicts)


def _change(now: Verdict, earlier: Verdict | None, level: float) -> Change:
    if earlier is None:
        return Change(now.name, None, now.value, None, "new")
    common = min(len(earlier.values), len(now.values))
    before, after = earlier.values[:common], now.values[:common]
    tolerance, kind = 0.0 if before == after else _tolerance(earlier.values, now.values, level), "same"
    old, new = earlier.value, now.value
    if tolerance is None:  # one seed is compared with itself
        old, new = replace(earlier, values=before).value, replace(now, values=after).value
    if before != after and old is not None and new is not None:
        gain = (new - old) * (1 if now.bound.least else -1)
        if tolerance is None or abs(gain) > tolerance:
            kind = "better" if gain > 0 else "worse" if gain < 0 else "same"
    if earlier.complete and not now.complete:
        kind = "broken"  # whatever the base had: a run that ended early has no value to compare
    elif now.complete and not earlier.complete:
        kind = "fixed" if now.passed else "better"
    elif now.passed != earlier.passed and kind != "same":
        kind = "fixed" if now.passed else "broken"
    return Change(now.name, earlier.value, now.value, tolerance, kind, earlier.passed)


def _tolerance(a: Sequence[float | None], b: Sequence[float | None], level: float) -> float | None:
    x, y = [v for v in a if v is not None], [v for v in b if v is not None]
    if min(len(x), len(y)) < 2:
        return None
    return significant_difference(x, y, level)


def significant_difference(x: Sequence[float], y: Sequence[float], level: float) -> float:
    """The difference of the means of two samples that is significant at this level (Welch, 1947)."""
    of_x, of_y = variance(x) / len(x), variance(y) / len(y)
    spread = of_x + of_y
    # the spread of equal values is rounding error
    if spread <= (1e-12 * max(abs(fmean(x)), abs(fmean(y)))) ** 2:
        return 0.0
    freedom = spread**2 / (of_x**2 / (len(x) - 1) + of_y**2 / (len(y) - 1))
    return student_t(freedom, level) * math.sqrt(spread)
