"""The rules by which claims are judged: small, general, and blind to what the paper hopes for.

A rule looks at the rows of one group and says whether the statement holds there, and by which number. The parameters
are those of the claim's table in `claims.toml`:

| rule | holds where | parameters |
| --- | --- | --- |
| `near` | every value is within a share of what it is held against | `against`, `within` |
| `within` | every value is within a distance of what it is held against | `against`, `within` |
| `same` | every value is what it is held against, word for word | `against` |
| `at_least`, `at_most` | every value is on that side of `factor` times what it is held against | `against`, `factor` |
| `rises`, `falls` | values, in the order of `over`, go that way; steps up to `slack` are noise | `over`, `slack` |
| `peaks` | the place (`over`) of the largest value is within a share of `against` | `over`, `against`, `within` |

`against` is a number, a word, or the name of a column.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["RULES", "Outcome", "Terms", "described", "held_against"]


@dataclass(frozen=True)
class Terms:
    """What a rule is told: which column, and its parameters."""

    value: str
    against: float | str | None = None
    within: float = 0.0
    factor: float = 1.0
    over: str = ""
    slack: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """Whether the rule holds in a group, and the number that decided.

    That is the worst deviation (`near` as a share, `within` as a distance), the share of rows that are the `same`,
    the value nearest to its limit or furthest beyond it, the change from first to last as a share, the place of the
    largest.
    """

    holds: bool
    value: float


def held_against(row: Mapping[str, Any], terms: Terms) -> Any:
    """What the value of `row` is held against: a number, or the row's own entry in the column of that name."""
    against = terms.against
    return row[against] if isinstance(against, str) and against in row else against


def _off(row: Mapping[str, Any], terms: Terms) -> float:
    against = float(held_against(row, terms))
    value = float(row[terms.value])
    return value / against - 1.0 if against else (0.0 if value == 0 else float("inf"))


def _near(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    worst = max((_off(row, terms) for row in rows), key=abs)
    return Outcome(abs(worst) <= terms.within, worst)


def _within(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    worst = max((float(row[terms.value]) - float(held_against(row, terms)) for row in rows), key=abs)
    return Outcome(abs(worst) <= terms.within + 1e-12, worst)


def _same(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    right = sum(row[terms.value] == held_against(row, terms) for row in rows)
    return Outcome(right == len(rows), right / len(rows))


def _at_least(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    def margin(row: Mapping[str, Any]) -> float:
        return float(row[terms.value]) - terms.factor * float(held_against(row, terms))

    worst = min(rows, key=margin)
    return Outcome(margin(worst) >= 0, float(worst[terms.value]))


def _at_most(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    def margin(row: Mapping[str, Any]) -> float:
        return terms.factor * float(held_against(row, terms)) - float(row[terms.value])

    worst = min(rows, key=margin)
    return Outcome(margin(worst) >= 0, float(worst[terms.value]))


def _ordered(rows: Sequence[Mapping[str, Any]], terms: Terms) -> list[float]:
    return [float(row[terms.value]) for row in sorted(rows, key=lambda row: float(row[terms.over]))]


def _rises(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    values = _ordered(rows, terms)
    steps = [b >= a - terms.slack * abs(a) for a, b in pairwise(values)]
    change = values[-1] / values[0] - 1.0 if values[0] else float("inf")
    return Outcome(all(steps) and change > terms.slack, change)


def _falls(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    values = _ordered(rows, terms)
    steps = [b <= a + terms.slack * abs(a) for a, b in pairwise(values)]
    change = values[-1] / values[0] - 1.0 if values[0] else 0.0
    return Outcome(all(steps) and change < -terms.slack, change)


def _peaks(rows: Sequence[Mapping[str, Any]], terms: Terms) -> Outcome:
    top = max(rows, key=lambda row: float(row[terms.value]))
    off = float(top[terms.over]) / float(held_against(top, terms)) - 1.0
    return Outcome(abs(off) <= terms.within, float(top[terms.over]))


RULES: dict[str, Callable[[Sequence[Mapping[str, Any]], Terms], Outcome]] = {
    "near": _near,
    "within": _within,
    "same": _same,
    "at_least": _at_least,
    "at_most": _at_most,
    "rises": _rises,
    "falls": _falls,
    "peaks": _peaks,
}
"""Every rule, by name."""


def described(rule: str, terms: Terms, label: Callable[[str], str], amount: Callable[[float], str]) -> str:
    """The rule in words; `label` and `amount` turn names of columns and values into what people read."""
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
