"""The rules on rows made by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.errors import InputError
from eddyline.papers import find
from eddyline.papers.claims import Claim, judge, judged, read
from eddyline.papers.reproduction import Reproduction
from eddyline.papers.rules import RULES, Terms
from eddyline.papers.terminal import show
from eddyline.reports.exhibit import Column, Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eddyline.papers.claims import Verdict

ROWS = [
    {"x": x, "y": y, "z": z, "kind": k}
    for x, y, z, k in ((1, 10.0, 10.0, "a"), (2, 20.2, 20.0, "b"), (3, 35.0, 30.0, "c"))
]


@pytest.mark.parametrize(
    ("rule", "terms", "holds", "value", "margin"),
    [
        ("near", Terms("y", "z", within=0.2), True, 35 / 30 - 1, 0.2 - 5 / 30),
        ("near", Terms("y", "z", within=0.1), False, 35 / 30 - 1, 0.1 - 5 / 30),
        ("within", Terms("y", "z", within=5.0), True, 5.0, 0.0),
        ("within", Terms("y", "z", within=4.9), False, 5.0, -0.1),
        ("same", Terms("kind", "kind"), True, 1.0, 0.0),
        ("same", Terms("kind", "a"), False, 1 / 3, -2 / 3),
        ("at_least", Terms("y", "z"), True, 10.0, 0.0),
        ("at_least", Terms("y", "z", factor=1.1), False, 20.2, 20.2 - 22.0),
        ("at_most", Terms("y", 35.0), True, 35.0, 0.0),
        ("at_most", Terms("y", "z"), False, 35.0, -5.0),
        ("rises", Terms("y", over="x", slack=0.1), True, 2.5, 2.4),
        ("falls", Terms("y", over="x"), False, 2.5, -1.02),
        ("peaks", Terms("y", 3.1, within=0.05, over="x"), True, 3.0, 0.05 - 0.1 / 3.1),
        ("peaks", Terms("y", 2.0, within=0.05, over="x"), False, 3.0, 0.05 - 0.5),
    ],
)
def test_rule(rule: str, terms: Terms, holds: bool, value: float, margin: float) -> None:
    outcome = RULES[rule](ROWS, terms)
    assert outcome.holds is holds
    assert outcome.value == pytest.approx(value)
    assert outcome.margin == pytest.approx(margin, abs=1e-9)


@pytest.mark.parametrize("zero", [0.0, 5e-15])
def test_a_deviation_from_zero_has_no_value(zero: float) -> None:
    outcome = RULES["near"]([{"y": 1.0}], Terms("y", zero, within=0.1))
    assert not outcome.holds
    assert outcome.value is None
    assert RULES["near"]([{"y": 0.0}], Terms("y", 0.0, within=0.1)).value == 0.0


def test_a_fall_below_zero_is_a_fall() -> None:
    rows = [{"x": i, "y": y} for i, y in enumerate((-1.0, -2.0))]
    assert RULES["falls"](rows, Terms("y", over="x")).holds
    assert not RULES["rises"](rows, Terms("y", over="x")).holds


def test_noise_is_not_a_regression() -> None:
    rows = [{"x": i, "y": y} for i, y in enumerate((1.0, 2.0, 1.999, 3.0))]
    assert not RULES["rises"](rows, Terms("y", over="x")).holds
    assert RULES["rises"](rows, Terms("y", over="x", slack=0.001)).holds


def test_no_change_is_neither_a_rise_nor_a_fall() -> None:
    rows = [{"x": i, "y": 1.0} for i in range(3)]
    assert not RULES["rises"](rows, Terms("y", over="x")).holds
    assert not RULES["falls"](rows, Terms("y", over="x")).holds


def _claim(rule: str = "near", terms: Terms | None = None, **changes: Any) -> Claim:
    terms = terms or Terms("y", "z", within=0.02)
    return Claim("c", "there", "so", "e", rule, terms, "because", **({"by": "x"} | changes))


def _exhibit(rows: Sequence[dict[str, Any]] = ROWS) -> Exhibit:
    return Exhibit("e", "E", "", "", [Column("x", "place", "m")], rows)


def test_a_claim_may_hold_in_some_rows_only() -> None:
    def verdict(**changes: Any) -> str:
        return judge(_claim(**changes), _exhibit()).verdict

    assert verdict() == "only where place is 1 m or 2 m"
    assert verdict(rows={"x": [1, 2]}) == "confirmed"
    assert verdict(rows={"kind": "c"}) == "refuted"


def test_the_rule_names_the_rows_that_it_is_about() -> None:
    every, some = (judge(_claim(**changes), _exhibit()) for changes in ({}, {"rows": {"x": [1, 2], "kind": "a"}}))
    assert some.rule == every.rule + "; of rows where place is 1 m or 2 m and kind is a"
    assert (every.to_dict()["rows_where"], some.to_dict()["rows_where"]) == ({}, {"x": [1, 2], "kind": ["a"]})
    flags = _exhibit([row | {"long": row["x"] > 1} for row in ROWS])
    assert judge(_claim(rows={"long": True}), flags).rule.endswith("; of rows where long is yes")


def test_the_number_says_of_which_group_it_is() -> None:
    rows = [{"x": x, "y": 1.0, "z": z} for x, z in ((1, 1.0), (2, 1.0), (2, 3.0))]
    several = judge(_claim(rule="same", terms=Terms("y", "z")), _exhibit(rows))
    assert (several.verdict, several.shown) == ("only where place is 1 m", "true of 50 % of rows where place is 2 m")
    one = judge(_claim(rule="same", terms=Terms("y", "z"), rows={"x": 2}), _exhibit(rows))
    assert one.shown == "true of 50 % of rows"


def test_a_claim_without_rows_is_an_error() -> None:
    with pytest.raises(ValueError, match="no row"):
        judge(_claim(rows={"kind": "z"}), _exhibit())


@pytest.mark.parametrize(
    ("rule", "terms", "value"),
    [
        # all hold: the one nearest to its limit, which is the smallest, not the largest
        ("at_least", Terms("y", 5.0), 10.0),
        ("at_most", Terms("y", 50.0), 35.0),
        ("near", Terms("y", "z", within=0.5), 35 / 30 - 1),
        # some fail: the one that fails by most
        ("at_least", Terms("y", 25.0), 10.0),
        ("at_most", Terms("y", 15.0), 35.0),
    ],
)
def test_the_group_nearest_to_failing_decides(rule: str, terms: Terms, value: float) -> None:
    assert judge(_claim(rule, terms), _exhibit()).value == pytest.approx(value)


def test_the_smallest_fall_decides() -> None:
    rows = [
        {"x": x, "y": y, "kind": kind}
        for kind, last in (("steep", 1.0), ("flat", 8.0))
        for x, y in ((1, 10), (2, last))
    ]
    falls = judge(_claim("falls", Terms("y", over="x"), by="kind"), _exhibit(rows))
    assert falls.verdict == "confirmed"
    assert falls.value == pytest.approx(-0.2)


def test_what_is_no_number_decides_nothing() -> None:
    with pytest.raises(InputError, match="no number"):
        judge(_claim(), _exhibit([*ROWS, {"x": 1, "y": float("nan"), "z": 1.0}]))


def test_rows_without_a_value_are_counted() -> None:
    rows = [*ROWS, {"x": 3, "y": None, "z": 1.0, "kind": "d"}, {"x": 4, "y": 1.0, "z": None, "kind": "d"}]
    verdict = judge(_claim(), _exhibit(rows))
    assert (verdict.rows, verdict.left_out) == (3, 2)
    assert verdict.shown.endswith(" (3 of 5 rows)")
    assert verdict.undecided == ["4 m"]
    assert verdict.to_dict()["left_out"] == 2


def test_a_claim_is_confirmed_only_where_every_case_is_decided() -> None:
    def verdict(kinds: Sequence[str]) -> Verdict:
        rows = [r for r in ROWS if r["kind"] in kinds]
        return judge(_claim(), _exhibit([*rows, {"x": 4, "y": None, "z": 1.0, "kind": "d"}]))

    holds = verdict(("a", "b"))
    assert (holds.kind, holds.verdict) == ("partly", "only where place is 1 m or 2 m (1 of 3 cases not decided)")
    fails = verdict(("c",))
    assert (fails.kind, fails.verdict) == ("refuted", "refuted (1 of 2 cases not decided)")
    both = verdict(("b", "c"))
    assert (both.kind, both.verdict) == ("partly", "only where place is 2 m (1 of 3 cases not decided)")
    assert both.to_dict()["kind"] == "partly"


def test_the_terminal_says_how_many_cases_are_not_decided(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [*ROWS[:2], {"x": 4, "y": None, "z": 1.0, "kind": "d"}]
    verdict = judge(_claim(), _exhibit(rows))
    show(Reproduction(find("two-way-fast"), [_exhibit(rows)], [verdict], 0.0, 0, 0))
    shown = " ".join(capsys.readouterr().out.split())
    assert "(1 of 3 cases not decided)" in shown
    assert "1 claim: 0 confirmed, 1 only in part, 0 refuted;" in shown


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"terms": Terms("why", "z")}, "no column 'why'"),
        ({"terms": Terms("y", "zed")}, "'zed' is neither a column of exhibit e nor a text in it"),
        ({"by": "ex"}, "no column 'ex'"),
        ({"rule": "rises", "terms": Terms("y", over="ex")}, "no column 'ex'"),
        ({"rows": {"knd": "a"}}, "no column 'knd'"),
        ({"rows": {"kind": ["a", "z"]}}, "has kind = 'z'"),
        ({"rule": "same", "terms": Terms("kind", "kid")}, "'kid' is neither a column of exhibit e nor a text in it"),
    ],
)
def test_what_a_claim_names_has_to_be_there(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        judged([_claim(**changes)], {"e": _exhibit()})


def test_a_text_is_compared_literally() -> None:
    word = _claim("same", Terms("kind", "a"), by="", rows={"x": 1})
    assert [v.verdict for v in judged([word], {"e": _exhibit()})] == ["confirmed"]


def test_what_an_alternative_needs_is_a_value() -> None:
    rows = [*ROWS, {"x": 4, "y": None, "z": 1.0, "kind": "d"}]
    with pytest.raises(ValueError, match="has kind = 'd'"):
        judged([_claim(rows={"kind": ["a", "d"]})], {"e": _exhibit(rows)})


def test_claims_are_validated(tmp_path: Path) -> None:
    claim = '[[claim]]\nid = "c"\nwhere = "w"\nsays = "s"\nexhibit = "e"\nrule = "near"\nvalue = "y"\nwhy = "b"\n'
    file = tmp_path / "claims.toml"
    file.write_text(claim + claim, "utf-8")
    with pytest.raises(ValueError, match="there are 2 of this name"):
        read(file)
    for text, says in (
        (claim + "our = true\n", "key 'our' is not known"),
        (claim.replace('why = "b"\n', ""), "key 'why' is missing"),
        (claim.replace('"near"', '"nearly"'), "no rule 'nearly'"),
    ):
        file.write_text(text, "utf-8")
        with pytest.raises(InputError, match=says):
            read(file)
    file.write_text(claim + "ours = true\n", "utf-8")
    assert [c.ours for c in read(file)] == [True]
