"""The rules by which claims are judged.

A rule looks at the rows of one group and says whether the statement holds there, and by which number. The parameters
are those of the claim's table in `claims.toml`:

| rule | holds where | parameters |
| --- | --- | --- |
| `near` | every value deviates from its reference by at most a share of it | `against`, `within` |
| `within` | every value is within a distance of its reference | `against`, `within` |
| `same` | every value equals its reference | `against` |
| `at_least`, `at_most` | every value is on that side of `factor` times its reference | `against`, `factor` |
| `rises`, `falls` | values, in the order of `over`, go that way; steps up to `slack` are noise | `over`, `slack` |
| `peaks` | the place (`over`) of the largest value is within a share of `against` | `over`, `against`, `within` |

The reference, `against`, is a number, the name of a column, or (`same`) a text that some cell of the exhibit has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import copysign, inf, isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["RULES", "Outcome", "Terms", "described", "reference"]


@dataclass(frozen=True)
class Terms:
    """The column that a rule judges, and its parameters."""

    value: str
    against: float | str | None = None
    within: float = 0.0
    factor: float = 1.0
    over: str = ""
    slack: float = 0.0


_ROUNDING = 1e-12
"""What is so much smaller than another number of the same kind is zero but for rounding."""


@dataclass(frozen=True)
class Outcome:
    """Whether the rule holds in a group, and the number that decided.

    Attributes:
        holds: Whether it does.
        value: The worst deviation (`near` as a share, `within` as a distance), the share of rows that are the `same`,
            the value nearest to its limit or furthest beyond it, the change from first to last as a share, the place
            of the largest; None where it is infinite, as a deviation from zero may be.
        margin: How far from failing; below zero, or zero, how far beyond. Shares for `near`, `same`, `rises`, `falls`
            and `peaks`, the value's own unit for the others.
    """

    holds: bool
    value: float | None
    margin: float


def _outcome(holds: bool, value: float, margin: float) -> Outcome:
    return Outcome(holds, value if isfinite(value) else None, margin)


def reference(row: Mapping[str, Any], terms: Terms) -> Any:
    """What the value of `row` is compared with: a number, or the row's own entry in the column of that name."""
    against = terms.against
    return row[against] if isinstance(against, str) and against in row else against


def _share(value: float, of: float) -> float:
    """Difference of `value` from `of` as a share of it, infinite where that is zero, or what rounding leaves of it."""
    if abs(of) > _ROUNDING * abs(value):
        return (value - of) / abs(of)
    return copysign(inf, value) if value else 0.0


def _near(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    worst = max((_share(float(row[terms.value]), float(reference(row, terms))) for row in rows), key=abs)
    margin = terms.within - abs(worst)
    return _outcome(margin >= 0, worst, margin)


def _within(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    worst = max((float(row[terms.value]) - float(reference(row, terms)) for row in rows), key=abs)
    margin = terms.within + 1e-12 - abs(worst)
    return _outcome(margin >= 0, worst, margin)


def _same(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    right = sum(row[terms.value] == reference(row, terms) for row in rows)
    return _outcome(right == len(rows), right / len(rows), right / len(rows) - 1.0)


def _limited(rows: Sequence[Mapping[str, Any]], terms: Terms, side: int) -> Outcome:
    def margin(row: Mapping[str, Any]) -> float:
        return side * (float(row[terms.value]) - terms.factor * float(reference(row, terms)))

    worst = min(rows, key=margin)
    return _outcome(margin(worst) >= 0, float(worst[terms.value]), margin(worst))


def _trend(rows: Sequence[Mapping[str, Any]], terms: Terms, side: int) -> Outcome:
    """A step the wrong way decides where there is one, the change from first to last where there is none."""
    values = [float(row[terms.value]) for row in sorted(rows, key=lambda row: float(row[terms.over]))]
    back = min(side * _share(b, a) + terms.slack for a, b in pairwise(values))
    change = _share(values[-1], values[0])
    margin = back if back < 0 else side * change - terms.slack
    return _outcome(margin > 0, change, margin)


def _peaks(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    top = max(rows, key=lambda row: float(row[terms.value]))
    margin = terms.within - abs(_share(float(top[terms.over]), float(reference(top, terms))))
    return _outcome(margin >= 0, float(top[terms.over]), margin)


RULES: dict[str, Callable[[Sequence[Mapping[str, Any]], Terms], Outcome]] = {
    "near": _near,
    "within": _within,
    "same": _same,
    "at_least": partial(_limited, side=1),
    "at_most": partial(_limited, side=-1),
    "rises": partial(_trend, side=1),
    "falls": partial(_trend, side=-1),
    "peaks": _peaks,
}
"""Every rule, by name."""


def described(rule: str, terms: Terms, label: Callable[[str], str], amount: Callable[[float], str]) -> str:
    """The rule as text; `label` and `amount` format names of columns and values."""
    value = label(terms.value)
    against = label(terms.against) if isinstance(terms.against, str) else amount(float(terms.against or 0.0))
    times = "" if terms.factor == 1.0 else f"{terms.factor:g} times "
    noise = f" (up to {100 * terms.slack:g} % is noise)" if terms.slack else ""
    return {
        "near": f"{value} within {100 * terms.within:g} % of {against}",
        "within": f"{value} within {amount(terms.within)} of {against}",
        "same": f"{value} the same as {against}",
        "at_least": f"{value} at least {times}{against}",
        "at_most": f"{value} at most {times}{against}",
        "rises": f"{value} rises with {label(terms.over)}{noise}",
        "falls": f"{value} falls with {label(terms.over)}{noise}",
        "peaks": f"{value} is largest where {label(terms.over)} is within {100 * terms.within:g} % of "
        f"{label(terms.against) if isinstance(terms.against, str) else terms.against}",
    }[rule]
