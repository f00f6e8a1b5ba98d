"""What a paper claims, and whether it is so: verdicts follow from the exhibits' data, nobody types them."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from eddyline.papers.rules import RULES, Outcome, Terms, described, held_against

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from eddyline.papers.exhibit import Column, Exhibit

__all__ = ["Claim", "Verdict", "judge", "read"]

_TERMS = ("value", "against", "within", "factor", "over", "slack")


@dataclass(frozen=True)
class Claim:
    """A statement of the paper that data can decide.

    Attributes:
        id: Short name.
        where: Place in the paper.
        says: The statement, in our words.
        exhibit: Whose rows decide.
        rule: Which rule (`eddyline.papers.rules`).
        terms: Its column and parameters.
        why: Why this tolerance, or this reading.
        rows: Which rows count: entries that must be equal, or one of a list.
        by: Rows are judged in groups of one value of this column; the claim may hold in some groups only.
    """

    id: str
    where: str
    says: str
    exhibit: str
    rule: str
    terms: Terms
    why: str
    rows: Mapping[str, Any] = field(default_factory=dict)
    by: str = ""


@dataclass(frozen=True)
class Verdict:
    """What became of a claim.

    Attributes:
        verdict: `confirmed`, `refuted`, or `only where ...`.
        value: The number that decided: of a failing group if one fails, else the one nearest to failing.
        shown: The same as people read it.
        rule: The rule in words.
        groups: Every group with whether the rule holds in it and its number.
        spoken: Their numbers as people read them.
    """

    claim: Claim
    verdict: str
    value: float
    shown: str
    rule: str
    groups: Sequence[tuple[str, Outcome]]
    spoken: Sequence[str]

    @property
    def kind(self) -> str:
        """`confirmed`, `refuted` or `partly`."""
        return self.verdict if self.verdict in ("confirmed", "refuted") else "partly"

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "id": self.claim.id,
            "where": self.claim.where,
            "says": self.claim.says,
            "verdict": self.verdict,
            "value": self.value,
            "shown": self.shown,
            "rule": self.rule,
            "why": self.claim.why,
            "exhibit": self.claim.exhibit,
            "groups": [{"where": name, "holds": o.holds, "value": o.value} for name, o in self.groups if name],
        }


def read(file: Path) -> list[Claim]:
    """The claims of a paper, in its order."""
    with file.open("rb") as handle:
        tables = tomllib.load(handle)["claim"]
    return [_claim(table) for table in tables]


def _claim(table: dict[str, Any]) -> Claim:
    terms = Terms(**{name: table.pop(name) for name in _TERMS if name in table})
    claim = Claim(terms=terms, **table)
    if claim.rule not in RULES:
        raise ValueError(f"claim {claim.id}: there is no rule {claim.rule!r}")
    return claim


def selected(claim: Claim, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that decide: those that the claim names and that hold a value and what it is held against."""
    chosen = [row for row in rows if all(_is(row.get(key), wanted) for key, wanted in claim.rows.items())]
    complete = [r for r in chosen if r.get(claim.terms.value) is not None]
    if claim.terms.against is not None:
        complete = [r for r in complete if held_against(r, claim.terms) is not None]
    if claim.rule in ("rises", "falls") and claim.by:
        # one point is no series
        counts = Counter(r[claim.by] for r in complete)
        complete = [r for r in complete if counts[r[claim.by]] > 1]
    return complete


def _is(value: object, wanted: object) -> bool:
    return value in wanted if isinstance(wanted, list) else value == wanted


def judge(claim: Claim, exhibit: Exhibit) -> Verdict:
    """The verdict on `claim`, from the rows of its exhibit.

    Raises:
        ValueError: No row of the exhibit has what the claim needs.
    """
    rows = selected(claim, list(exhibit.rows))
    if not rows:
        raise ValueError(f"claim {claim.id}: exhibit {exhibit.id} has no row for it")
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[claim.by] if claim.by else "", []).append(row)
    rule = RULES[claim.rule]
    labels = {c.key: c for c in exhibit.columns}
    outcomes = [(_shown(name, claim.by, labels), rule(part, claim.terms)) for name, part in groups.items()]
    holding = [name for name, o in outcomes if o.holds]

    def label(name: str) -> str:
        return labels[name].label if name in labels else name.replace("_", " ")

    if len(holding) == len(outcomes):
        verdict = "confirmed"
    elif not holding:
        verdict = "refuted"
    else:
        verdict = f"only where {label(claim.by)} is {_listed(holding)}"

    def amount(value: float) -> str:
        return _amount(value, labels.get(claim.terms.value))

    words = described(claim.rule, claim.terms, label, amount) + (f", in each {label(claim.by)}" if claim.by else "")
    value = _deciding(outcomes)
    spoken = [_spoken(claim, o.value, amount) for _, o in outcomes]
    return Verdict(claim, verdict, value, _spoken(claim, value, amount), words, outcomes, spoken)


def _amount(value: float, column: Column | None) -> str:
    """A value in the unit of its column."""
    if column is None:
        return f"{value:.4g}"
    if column.percent:
        return f"{100 * value:.3g} %"
    return f"{value / column.scale:.4g}" + (f" {column.unit}" if column.unit else "")


def _spoken(claim: Claim, value: float, amount: Callable[[float], str]) -> str:
    """The number that decided, with what it is."""
    if claim.rule == "near":
        return f"worst deviation {100 * value:+.2f} %"
    if claim.rule == "within":
        return f"worst deviation {amount(value)}"
    if claim.rule == "same":
        return f"true of {100 * value:.4g} % of rows"
    if claim.rule in ("rises", "falls"):
        return f"change from first to last {100 * value:+.3g} %"
    return f"largest at {value:.4g}" if claim.rule == "peaks" else amount(value)


def _shown(name: Any, by: str, labels: Mapping[str, Any]) -> str:
    from eddyline.papers.exhibit import cell

    if by in labels:
        column = labels[by]
        return cell({by: name}, column) + (f" {column.unit}" if column.unit else "")
    return f"{name:g}" if isinstance(name, float) else str(name)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def _deciding(outcomes: Sequence[tuple[str, Outcome]]) -> float:
    """Of the groups that fail (or, if none does, of all) the number that is largest."""
    numbers = [o.value for _, o in outcomes if not o.holds] or [o.value for _, o in outcomes]
    value = max(numbers, key=abs)
    return value if isfinite(value) else 1e308
