"""Verdicts follow from data: changing the data behind a claim changes its verdict."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find
from eddyline.papers.claims import Claim, judge, read, selected
from eddyline.papers.rules import reference

from .thin import NAMES, SLOW, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eddyline.papers.reproduction import Reproduction
    from eddyline.reports.exhibit import Exhibit

CLAIMS = [(name, claim) for name in NAMES for claim in read(find(name).folder / "claims.toml")]
# a series is perturbed as a whole
POINTWISE = [(name, claim) for name, claim in CLAIMS if claim.rule not in ("rises", "falls", "peaks")]
NUMBERS = pytest.mark.parametrize(("paper", "claim"), CLAIMS, ids=[f"{n}-{c.id}" for n, c in CLAIMS])


def _groups(claim: Claim, rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    chosen = selected(claim, rows)
    for name in dict.fromkeys(r[claim.by] if claim.by else "" for r in chosen):
        yield [r for r in chosen if (r[claim.by] if claim.by else "") == name]


def _set(claim: Claim, row: dict[str, Any], holds: bool) -> None:
    """Writes a value just inside or just outside of what the rule allows."""
    terms = claim.terms
    against = reference(row, terms)
    if claim.rule == "near":
        row[terms.value] = against * (1 if holds else 1 + 1.5 * terms.within) if against else float(not holds)
    elif claim.rule == "within":
        row[terms.value] = against + (0 if holds else 1.5 * terms.within)
    elif claim.rule == "same":
        row[terms.value] = against if holds else f"not {against}"
    else:
        step = 0.01 * max(1.0, abs(against)) * (1 if claim.rule == "at_least" else -1)
        row[terms.value] = terms.factor * against + (step if holds else -step)


def _shape(claim: Claim, rows: list[dict[str, Any]], holds: bool) -> None:
    """Puts a whole series in order, or out of it."""
    terms = claim.terms
    if claim.rule == "peaks":
        by_distance = sorted(rows, key=lambda r: abs(float(r[terms.over]) / float(reference(r, terms)) - 1.0))
        top = max(float(r[terms.value]) for r in rows) + 1.0
        by_distance[0 if holds else -1][terms.value] = top
        return
    upward = (claim.rule == "rises") == holds
    for place, row in enumerate(sorted(rows, key=lambda r: float(r[terms.over]), reverse=not upward)):
        row[terms.value] = 1.0 + place


def _copied(exhibit: Exhibit) -> list[dict[str, Any]]:
    """Rows to change; values are replaced, never changed themselves."""
    return [dict(row) for row in exhibit.rows]


def _perturbed(claim: Claim, exhibit: Exhibit, holds: bool, groups: int | None = None) -> Exhibit:
    rows = _copied(exhibit)
    for group in list(_groups(claim, rows))[:groups]:
        if claim.rule in ("rises", "falls", "peaks"):
            _shape(claim, group, holds)
        else:
            for row in group:
                _set(claim, row, holds)
    return dataclasses.replace(exhibit, rows=rows)


def _missing(reproduction: Reproduction) -> dict[str, str]:
    """Claims whose rows are not in thinned exhibits, with the reason."""
    claims = read(reproduction.paper.folder / "claims.toml")
    return {} if SLOW else without(reproduction.paper.name, claims, {e.id: e for e in reproduction.exhibits})


def _exhibit(reproductions: dict[str, Reproduction], paper: str, claim: Claim) -> Exhibit:
    """The exhibit of a claim; if nothing in it decides and the claim says what it needs, with made-up values."""
    missing = _missing(reproductions[paper])
    if claim.id in missing:
        pytest.skip(missing[claim.id])
    exhibit = next(e for e in reproductions[paper].exhibits if e.id == claim.exhibit)
    if not claim.needs or selected(claim, list(exhibit.rows)):
        return exhibit
    named = [r for r in exhibit.rows if all(r.get(key) == value for key, value in claim.rows.items())]
    assert named
    return dataclasses.replace(exhibit, rows=[{**r, claim.terms.value: 1.0} for r in named])


@NUMBERS
def test_the_verdict_follows_the_data(paper: str, claim: Claim, reproductions: dict[str, Reproduction]) -> None:
    exhibit = _exhibit(reproductions, paper, claim)
    found = judge(claim, exhibit)
    assert found.kind != "undecided"
    flipped = {holds: judge(claim, _perturbed(claim, exhibit, holds)) for holds in (True, False)}
    # what holds wherever it is decided is not confirmed while a case is not
    assert {h: v.kind for h, v in flipped.items()} == {
        True: "partly" if found.undecided else "confirmed",
        False: "refuted",
    }
    assert any(v.groups != found.groups for v in flipped.values())


@NUMBERS
def test_one_group_is_enough(paper: str, claim: Claim, reproductions: dict[str, Reproduction]) -> None:
    exhibit = _exhibit(reproductions, paper, claim)
    holding = _perturbed(claim, exhibit, holds=True)
    groups = len(list(_groups(claim, list(exhibit.rows))))
    one_broken = judge(claim, _perturbed(claim, holding, holds=False, groups=1))
    assert one_broken.kind == ("refuted" if groups == 1 else "partly")


@pytest.mark.parametrize(("paper", "claim"), POINTWISE, ids=[f"{n}-{c.id}" for n, c in POINTWISE])
def test_one_row_is_enough(paper: str, claim: Claim, reproductions: dict[str, Reproduction]) -> None:
    exhibit = _perturbed(claim, _exhibit(reproductions, paper, claim), holds=True)
    for place in range(len(selected(claim, list(exhibit.rows)))):
        rows = _copied(exhibit)
        _set(claim, selected(claim, rows)[place], holds=False)
        assert judge(claim, dataclasses.replace(exhibit, rows=rows)).verdict != "confirmed"


def test_every_claim_is_judged(reproduced: Reproduction) -> None:
    claims = read(reproduced.paper.folder / "claims.toml")
    missing = _missing(reproduced)
    assert [v.claim.id for v in reproduced.verdicts] == [c.id for c in claims if c.id not in missing]
    assert all(c.where and c.says and c.why for c in claims)


def test_our_own_statements_are_counted_separately(reproduced: Reproduction) -> None:
    missing = _missing(reproduced)
    ours = {c.id for c in read(reproduced.paper.folder / "claims.toml") if c.ours and c.id not in missing}
    document = reproduced.to_dict()
    assert {c["id"] for c in document["ours"]} == ours
    assert not ours & {c["id"] for c in document["claims"]}
    for whose in ("claims", "ours"):
        begins = {"confirmed": "confirmed", "partly": "only where ", "refuted": "refuted", "undecided": "not decided"}
        assert all(c["verdict"].startswith(begins[c["kind"]]) for c in document[whose])
        kinds = [c["kind"] for c in document[whose]]
        assert document["counts"][whose] == {kind: kinds.count(kind) for kind in begins}


def test_no_verdict_is_typed() -> None:
    for name in NAMES:
        text = (find(name).folder / "claims.toml").read_text("utf-8")
        assert not [line for line in text.splitlines() if line.startswith("verdict")]


def test_example_4_needs_a_late_start(reproductions: dict[str, Reproduction]) -> None:
    verdict = next(v for v in reproductions["two-way-fast"].verdicts if v.claim.id == "ex-4-simulation")
    groups = {name: outcome.holds for name, outcome in verdict.groups}
    assert groups["0.16 s late"]
    assert not groups["together"]
    assert not groups["1 s late"]
