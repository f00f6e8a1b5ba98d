"""The rules on rows made by hand."""

from __future__ import annotations

import pytest

from eddyline.papers.claims import Claim, judge
from eddyline.papers.exhibit import Column, Exhibit
from eddyline.papers.rules import RULES, Terms

ROWS = [
    {"x": x, "y": y, "z": z, "kind": k}
    for x, y, z, k in ((1, 10.0, 10.0, "a"), (2, 20.2, 20.0, "b"), (3, 35.0, 30.0, "c"))
]


@pytest.mark.parametrize(
    ("rule", "terms", "holds", "value"),
    [
        ("near", Terms("y", "z", within=0.2), True, 35 / 30 - 1),
        ("near", Terms("y", "z", within=0.1), False, 35 / 30 - 1),
        ("within", Terms("y", "z", within=5.0), True, 5.0),
        ("within", Terms("y", "z", within=4.9), False, 5.0),
        ("same", Terms("kind", "kind"), True, 1.0),
        ("same", Terms("kind", "a"), False, 1 / 3),
        ("at_least", Terms("y", "z"), True, 10.0),
        ("at_least", Terms("y", "z", factor=1.1), False, 20.2),
        ("at_most", Terms("y", 35.0), True, 35.0),
        ("at_most", Terms("y", "z"), False, 35.0),
        ("rises", Terms("y", over="x"), True, 2.5),
        ("falls", Terms("y", over="x"), False, 2.5),
        ("peaks", Terms("y", 3.1, within=0.05, over="x"), True, 3.0),
        ("peaks", Terms("y", 2.0, within=0.05, over="x"), False, 3.0),
    ],
)
def test_rule(rule: str, terms: Terms, holds: bool, value: float) -> None:
    outcome = RULES[rule](ROWS, terms)
    assert outcome.holds is holds
    assert outcome.value == pytest.approx(value)


def test_noise_is_no_step_back() -> None:
    rows = [{"x": i, "y": y} for i, y in enumerate((1.0, 2.0, 1.999, 3.0))]
    assert not RULES["rises"](rows, Terms("y", over="x")).holds
    assert RULES["rises"](rows, Terms("y", over="x", slack=0.001)).holds


def test_no_change_is_neither() -> None:
    rows = [{"x": i, "y": 1.0} for i in range(3)]
    assert not RULES["rises"](rows, Terms("y", over="x")).holds
    assert not RULES["falls"](rows, Terms("y", over="x")).holds


def _judged(**changes: object) -> str:
    terms = Terms("y", "z", within=0.02)
    claim = Claim("c", "there", "so", "e", "near", terms, "because", by="x", **changes)  # type: ignore[arg-type]
    return judge(claim, Exhibit("e", "E", "", "", [Column("x", "place", "m")], ROWS)).verdict


def test_a_claim_may_hold_somewhere_only() -> None:
    assert _judged() == "only where place is 1 m or 2 m"
    assert _judged(rows={"x": [1, 2]}) == "confirmed"
    assert _judged(rows={"kind": "c"}) == "refuted"


def test_a_claim_without_rows_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no row"):
        _judged(rows={"kind": "z"})
