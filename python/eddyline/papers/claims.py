"""Claims of a paper and the verdicts on them, which are computed from the rows of exhibits."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.papers.rules import RULES, Outcome, Terms, described, reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from eddyline.reports.exhibit import Column, Exhibit

__all__ = ["KINDS", "Claim", "Verdict", "absent_rows", "check", "count", "judge", "judged", "read", "selected"]

KINDS = ("confirmed", "partly", "refuted", "undecided")
"""Kinds of verdicts."""

_TERMS = ("value", "against", "within", "factor", "over", "slack")
_REQUIRED = ("id", "where", "says", "exhibit", "rule", "value", "why")
_SERIES = ("rises", "falls")


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, or one of ours about it, that data can decide.

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
        ours: Whether the statement is ours, not the paper's; those are listed and counted separately.
        needs: What must be run before a row can decide; without such a row the claim is "not decided".
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
    ours: bool = False
    needs: str = ""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim.

    Attributes:
        verdict: `confirmed`, `refuted`, `only where ...`, or `not decided`; in brackets how many groups are not
            decided. A claim is confirmed only if it holds in every group that it names.
        kind: One of `KINDS`.
        value: The number that decided: of the group that fails by most if one fails, else of the one nearest to
            failing; None where it is infinite, or nothing decided.
        shown: The same as text, with its unit, the group that it is of, whether it is of recorded runs, and of how many
            rows if some are left out.
        rule: The rule as text, with the rows that it is about.
        groups: Every group with whether the rule holds in it and its number.
        group_values: Their numbers as text.
        rows: How many rows decided.
        left_out: How many more the claim names that have no value, or no reference.
        undecided: Groups of which no row decided.
        recorded: Whether rows that decided are of recorded runs, not of runs made for this report.
    """

    claim: Claim
    verdict: str
    kind: str
    value: float | None
    shown: str
    rule: str
    groups: Sequence[tuple[str, Outcome]]
    group_values: Sequence[str]
    rows: int
    left_out: int
    undecided: Sequence[str]
    recorded: bool

    @property
    def numbered_groups(self) -> list[tuple[tuple[str, Outcome], str]]:
        """Every group with its number as text."""
        return list(zip(self.groups, self.group_values, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "id": self.claim.id,
            "where": self.claim.where,
            "says": self.claim.says,
            "verdict": self.verdict,
            "kind": self.kind,
            "value": self.value,
            "shown": self.shown,
            "rule": self.rule,
            "why": self.claim.why,
            "exhibit": self.claim.exhibit,
            "rows_where": {name: _alternatives(wanted) for name, wanted in self.claim.rows.items()},
            "rows": self.rows,
            "left_out": self.left_out,
            "undecided": list(self.undecided),
            "recorded": self.recorded,
            "groups": [{"where": name, "holds": o.holds, "value": o.value} for name, o in self.groups if name],
        }


def read(file: Path) -> list[Claim]:
    """The claims of a paper, in its order.

    Raises:
        InputError: An unknown rule or key, a missing key, or two claims of the same id.
    """
    with file.open("rb") as handle:
        tables = tomllib.load(handle)["claim"]
    claims = [_claim(table) for table in tables]
    for name, times in Counter(claim.id for claim in claims).items():
        if times > 1:
            raise InputError(f"claim {name}: there are {times} of this name")
    return claims


def _claim(table: dict[str, Any]) -> Claim:
    name = table.get("id", "without an id")
    missing = [key for key in _REQUIRED if key not in table]
    unknown = [key for key in table if key not in (*_REQUIRED, *_TERMS, "rows", "by", "ours", "needs")]
    if missing or unknown:
        raise InputError(f"claim {name}: key {(missing or unknown)[0]!r} {'is missing' if missing else 'is not known'}")
    terms = Terms(**{name: table.pop(name) for name in _TERMS if name in table})
    claim = Claim(terms=terms, **table)
    if claim.rule not in RULES:
        raise InputError(f"claim {claim.id}: there is no rule {claim.rule!r}")
    return claim


def selected(claim: Claim, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that decide: those that the claim names and that have a value and its reference."""
    complete = [r for r in _named(claim, rows) if r.get(claim.terms.value) is not None]
    if claim.terms.against is not None:
        complete = [r for r in complete if reference(r, claim.terms) is not None]
    if claim.rule in _SERIES:
        # one point is no series
        counts = Counter(r[claim.by] if claim.by else "" for r in complete)
        complete = [r for r in complete if counts[r[claim.by] if claim.by else ""] > 1]
    return complete


def _named(claim: Claim, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if all(row.get(key) in _alternatives(wanted) for key, wanted in claim.rows.items())]


def _alternatives(wanted: object) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def check(claim: Claim, exhibit: Exhibit) -> None:
    """Whether everything that the claim names is there: columns, texts, each alternative of its rows.

    Where no row decides a claim that says what it needs, rows that it names are enough.

    Raises:
        InputError: Something is not; the message says what.
    """
    columns = {name for row in exhibit.rows for name in row}
    terms = claim.terms
    for name in (terms.value, terms.over, claim.by, *claim.rows):
        if name and name not in columns:
            raise InputError(f"claim {claim.id}: exhibit {exhibit.id} has no column {name!r}")
    # a text that some cell has is compared literally; the name of a column that is mistyped is neither
    named = columns | _texts(exhibit) if claim.rule == "same" else columns
    if isinstance(terms.against, str) and terms.against not in named:
        raise InputError(
            f"claim {claim.id}: {terms.against!r} is neither a column of exhibit {exhibit.id} nor a text in it"
        )
    for absent in absent_rows(claim, exhibit):
        raise InputError(f"claim {claim.id}: no row of exhibit {exhibit.id} that counts has {absent}")


def absent_rows(claim: Claim, exhibit: Exhibit) -> list[str]:
    """The alternatives of the claim's rows that no row of the exhibit has which could decide, as `column = value`."""
    deciding = selected(claim, list(exhibit.rows)) or (_named(claim, list(exhibit.rows)) if claim.needs else [])
    return [
        f"{name} = {one!r}"
        for name, wanted in claim.rows.items()
        for one in _alternatives(wanted)
        if not any(row.get(name) == one for row in deciding)
    ]


def _texts(exhibit: Exhibit) -> set[str]:
    return {cell for row in exhibit.rows for cell in row.values() if isinstance(cell, str)}


def judged(claims: Sequence[Claim], exhibits: Mapping[str, Exhibit]) -> list[Verdict]:
    """Verdicts on the claims that rest on these exhibits, after a check of what each claim names."""
    resting = [claim for claim in claims if claim.exhibit in exhibits]
    for claim in resting:
        check(claim, exhibits[claim.exhibit])
    return [judge(claim, exhibits[claim.exhibit]) for claim in resting]


def count(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """How many of each kind."""
    return {kind: sum(v.kind == kind for v in verdicts) for kind in KINDS}


def judge(claim: Claim, exhibit: Exhibit) -> Verdict:
    """The verdict on `claim`, from the rows of its exhibit.

    Raises:
        InputError: No row of the exhibit has what the claim needs and it does not say that this may be, or one has what
            is no number.
    """
    rows = selected(claim, list(exhibit.rows))
    if not rows and not (claim.needs and _named(claim, list(exhibit.rows))):
        raise InputError(f"claim {claim.id}: exhibit {exhibit.id} has no row for it")
    if any(row[claim.terms.value] != row[claim.terms.value] for row in rows):
        raise InputError(f"claim {claim.id}: exhibit {exhibit.id} has a value that is no number")
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[claim.by] if claim.by else "", []).append(row)
    rule = RULES[claim.rule]
    labels = {c.key: c for c in exhibit.columns}
    outcomes = [(_shown(name, claim.by, labels), rule(part, claim.terms)) for name, part in groups.items()]
    holding = [name for name, o in outcomes if o.holds]
    named = _named(claim, list(exhibit.rows))
    everywhere = dict.fromkeys(row.get(claim.by) for row in named) if claim.by else {}
    undecided = [_shown(name, claim.by, labels) for name in everywhere if name not in groups and name is not None]

    def label(name: str) -> str:
        return labels[name].label if name in labels else name.replace("_", " ")

    if not rows:
        kind, verdict = "undecided", "not decided"
    elif not holding:
        kind = verdict = "refuted"
    elif len(holding) == len(outcomes) and not undecided:
        kind = verdict = "confirmed"
    else:
        kind, verdict = "partly", f"only where {label(claim.by)} is {_listed(holding)}"
    if rows and undecided:
        verdict += f" ({len(undecided)} of {len(outcomes) + len(undecided)} cases not decided)"

    def amount(value: float) -> str:
        return _amount(value, labels.get(claim.terms.value))

    rule_text = described(claim.rule, claim.terms, label, amount) + (f", in each {label(claim.by)}" if claim.by else "")
    if claim.rows:
        rule_text += "; of rows where " + " and ".join(
            f"{label(name)} is {_listed([_shown(one, name, labels) for one in _alternatives(wanted)])}"
            for name, wanted in claim.rows.items()
        )
    # of those that fail, or of all if none does, the one with least to spare
    group, decided = min(outcomes, key=lambda each: (each[1].holds, each[1].margin), default=("", None))
    value = None if decided is None else decided.value
    recorded = any(row.get("recorded") for row in rows)
    shown = _value_text(claim, value, amount) if rows else f"it takes {claim.needs}"
    if len(outcomes) > 1:
        shown += f" where {label(claim.by)} is {group}"
    if len(rows) < len(named) and rows:
        shown += f" ({len(rows)} of {len(named)} rows)"
    return Verdict(
        claim,
        verdict,
        kind,
        value,
        shown=shown + ", recorded" * recorded,
        rule=rule_text,
        groups=outcomes,
        group_values=[_value_text(claim, o.value, amount) for _, o in outcomes],
        rows=len(rows),
        left_out=len(named) - len(rows),
        undecided=undecided,
        recorded=recorded,
    )


def _amount(value: float, column: Column | None) -> str:
    """A value in the unit of its column."""
    if column is None:
        return f"{value:.4g}"
    if column.percent:
        return f"{100 * value:.3g} %"
    return f"{value / column.scale:.4g}" + (f" {column.unit}" if column.unit else "")


def _value_text(claim: Claim, value: float | None, amount: Callable[[float], str]) -> str:
    """The number that decided, with what it is."""
    if value is None:
        return "without bound"
    if claim.rule == "near":
        return f"worst deviation {100 * value:+.2f} %"
    if claim.rule == "within":
        return f"worst deviation {amount(value)}"
    if claim.rule == "same":
        return f"true of {100 * value:.4g} % of rows"
    if claim.rule in _SERIES:
        return f"change from first to last {100 * value:+.3g} %"
    return f"largest at {value:.4g}" if claim.rule == "peaks" else amount(value)


def _shown(name: Any, by: str, labels: Mapping[str, Any]) -> str:
    from eddyline.reports.exhibit import cell

    if by in labels:
        column = labels[by]
        return cell({by: name}, column) + (f" {column.unit}" if column.unit else "")
    if isinstance(name, bool):
        return "yes" if name else "no"
    return f"{name:g}" if isinstance(name, float) else str(name)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
