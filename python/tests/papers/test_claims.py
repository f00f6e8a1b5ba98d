"""Verdicts follow from data: changing the data behind a claim changes its verdict."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find
from eddyline.papers.claims import Claim, judge, read, selected
from eddyline.papers.rules import reference

from .conftest import NAMES

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


def _perturbed(claim: Claim, exhibit: Exhibit, holds: bool, groups: int | None = None) -> Exhibit:
    rows = copy.deepcopy(list(exhibit.rows))
    for group in list(_groups(claim, rows))[:groups]:
        if claim.rule in ("rises", "falls", "peaks"):
            _shape(claim, group, holds)
        else:
            for row in group:
                _set(claim, row, holds)
    return dataclasses.replace(exhibit, rows=rows)


def _exhibit(reproductions: dict[str, Reproduction], paper: str, claim: Claim) -> Exhibit:
    """The exhibit of a claim; if nothing in it decides and the claim says what it needs, with made-up values."""
    exhibit = next(e for e in reproductions[paper].exhibits if e.id == claim.exhibit)
    if not claim.needs or selected(claim, list(exhibit.rows)):
        return exhibit
    named = [r for r in exhibit.rows if all(r.get(key) == value for key, value in claim.rows.items())]
    assert named
    return dataclasses.replace(exhibit, rows=[{**r, claim.terms.value: 1.0} for r in named])


@NUMBERS
def test_the_verdict_follows_the_data(paper: str, claim: Claim, reproductions: dict[str, Reproduction]) -> None:
    exhibit = _exhibit(reproductions, paper, claim)
    found = judge(claim, exhibit).verdict
    assert found != "not decided"
    flipped = {holds: judge(claim, _perturbed(claim, exhibit, holds)).verdict for holds in (True, False)}
    assert flipped == {True: "confirmed", False: "refuted"}
    assert any(verdict != found for verdict in flipped.values())


@NUMBERS
def test_one_group_is_enough(paper: str, claim: Claim, reproductions: dict[str, Reproduction]) -> None:
    exhibit = _exhibit(reproductions, paper, claim)
    holding = _perturbed(claim, exhibit, holds=True)
    groups = len(list(_groups(claim, list(exhibit.rows))))
    one_broken = judge(claim, _perturbed(claim, holding, holds=False, groups=1)).verdict
    assert one_broken == "refuted" if groups == 1 else one_broken.startswith("only where ")


@pytest.mark.parametrize(("paper", "claim"), POINTWISE, ids=[f"{n}-{c.id}" for n, c in POINTWISE])
def test_one_row_is_enough(paper: str, claim: Claim, reproductions: dict[str, Reproduction]) -> None:
    exhibit = _perturbed(claim, _exhibit(reproductions, paper, claim), holds=True)
    for place in range(len(selected(claim, list(exhibit.rows)))):
        rows = copy.deepcopy(list(exhibit.rows))
        _set(claim, selected(claim, rows)[place], holds=False)
        assert judge(claim, dataclasses.replace(exhibit, rows=rows)).verdict != "confirmed"


def test_every_claim_is_judged(reproduced: Reproduction) -> None:
    claims = read(reproduced.paper.folder / "claims.toml")
    assert [v.claim.id for v in reproduced.verdicts] == [c.id for c in claims]
    assert all(c.where and c.says and c.why for c in claims)


def test_our_own_statements_are_counted_separately(reproduced: Reproduction) -> None:
    ours = {c.id for c in read(reproduced.paper.folder / "claims.toml") if c.ours}
    document = reproduced.to_dict()
    assert {c["id"] for c in document["ours"]} == ours
    assert not ours & {c["id"] for c in document["claims"]}
    for whose in ("claims", "ours"):
        verdicts = [c["verdict"] for c in document[whose]]
        said = {"confirmed": "confirmed", "refuted": "refuted", "undecided": "not decided"}
        counted = {kind: verdicts.count(word) for kind, word in said.items()}
        partly = len(verdicts) - sum(counted.values())
        assert document["counts"][whose] == counted | {"partly": partly}


def test_no_verdict_is_typed() -> None:
    for name in NAMES:
        text = (find(name).folder / "claims.toml").read_text("utf-8")
        assert not [line for line in text.splitlines() if line.startswith("verdict")]


@pytest.mark.parametrize(
    ("paper", "claim", "verdict"),
    [
        ("two-way-fast", "eq-5-6", "confirmed"),
        ("two-way-fast", "any-network", "only where example is 1 or 5"),
        ("two-way-fast", "ex-2-flows-1-2", "only where wire is 1,040 B"),
        ("two-way-fast", "ex-4-switching", "refuted"),
        ("two-way-fast", "table-1-bottleneck", "only where example is 1, 2, 3 or 5"),
        ("two-way-fast", "film-feasible", "only where film is forward"),
        ("two-way-fast", "film-rate", "confirmed"),
        ("two-way-fast", "film-side", "confirmed"),
        ("two-way-fast", "never-both-full", "refuted"),
        ("two-way-fast", "one-way-equilibrium", "confirmed"),
        ("two-way-fast", "one-way-clocks", "confirmed"),
        ("two-way-fast", "weighted-is-fair", "confirmed"),
        ("two-way-fast", "ack-congestion-cures", "confirmed"),
        ("two-way-fast", "ack-streams", "confirmed"),
        ("two-way-fast", "late-drain", "confirmed"),
        ("two-way-fast", "late-correction", "only where case is 5 flows"),
        ("two-way-fast", "late-ageing", "refuted"),
        ("two-way-fast", "late-cost", "confirmed"),
        ("asymmetric-fast", "upload-degrades", "confirmed"),
        ("asymmetric-fast", "upload-restored", "confirmed"),
        ("asymmetric-fast", "upload-not-starved", "confirmed"),
        ("asymmetric-fast", "upload-theory", "confirmed"),
        ("asymmetric-fast", "theorem-1", "confirmed"),
        ("asymmetric-fast", "eq-15", "only where k_f is 1"),
        ("asymmetric-fast", "so-stable", "refuted"),
        ("asymmetric-fast", "theorem-1-stable", "only where setting is Fig. 2, Fig. 3, Fig. 4 or k_f = 0.1"),
        (
            "asymmetric-fast",
            "asymmetry-and-stability",
            "only where by is ack-clocked, joint, packets, clean or packets, ns-2 profile",
        ),
        ("asymmetric-fast", "d-over-q0", "refuted"),
        ("vfast", "smaller-psi-is-faster", "refuted"),
        ("vfast", "eliminates-rate-oscillation", "refuted"),
        ("vfast", "fair-whatever-the-delay", "only where base RTT is known"),
        ("vfast", "spurious-with-a-window", "refuted"),
        ("vfast", "ten-seconds", "refuted"),
        ("vfast", "wait-theory", "confirmed"),
        ("vfast", "queue-theory", "confirmed"),
        ("vfast", "bias-keeps-the-rate", "confirmed"),
        ("vfast", "unfair-to-the-first", "confirmed"),
        ("vfast", "bottleneck-moves", "confirmed"),
        ("vfast", "windows-same", "confirmed"),
        ("vfast", "base-halved", "refuted"),
        ("vfast", "rtt-halved", "refuted"),
        ("vfast", "rates-doubled", "refuted"),
        ("vfast", "one-configuration", "refuted"),
        ("vfast", "random-loss-200-percent", "refuted"),
        ("vfast", "random-loss-doubled", "refuted"),
        ("fast-overview", "host-1-3", "only where the host works is beside the wire"),
        ("fast-overview", "host-sizes", "confirmed"),
        ("fast-overview", "vegas-unstable", "refuted"),
        (
            "bidirectional-tcp",
            "fig-1-download",
            "only where window and minimum timeout is 64 kB, 1 s or 64 kB, 200 ms, F-RTO",
        ),
        ("bidirectional-tcp", "fig-1-lasting", "only where window is 64 kB"),
        ("bidirectional-tcp", "one-tenth", "only where window is 64 kB"),
        ("bidirectional-tcp", "compression-taken-away", "confirmed"),
        ("bidirectional-tcp", "compression-not-the-cause", "confirmed"),
        ("bidirectional-tcp", "compression-left", "confirmed"),
        ("bidirectional-tcp", "case-2", "only where tp is 100 ms"),
        ("bidirectional-tcp", "case-1-after-overflow", "only where tp is 20 ms"),
        ("bidirectional-tcp", "case-3-in-proportion", "refuted"),
        ("bidirectional-tcp", "eq-5", "refuted"),
        ("bidirectional-tcp", "eq-5-converse", "confirmed"),
        ("bidirectional-tcp", "uplink-follows", "confirmed"),
        ("bidirectional-tcp", "uplink-follows-the-drop", "refuted"),
        ("bidirectional-tcp", "follow-the-estimate", "confirmed"),
        ("bidirectional-tcp", "follow-the-estimate-everywhere", "only where tp is 20 ms"),
        ("bidirectional-tcp", "overflow-at-room", "only where uplink buffer is 6,000 B or 9,000 B"),
        ("bidirectional-tcp", "about-ten", "only where tp is 20 ms"),
        ("bidirectional-tcp", "rule-for-300-ms", "only where link is downlink"),
        ("bidirectional-tcp", "faster-upload", "confirmed"),
        ("bidirectional-tcp", "faster-download", "refuted"),
        ("bidirectional-tcp", "six-packets-stall", "refuted"),
        ("bidirectional-tcp", "six-packets-loss", "confirmed"),
        ("bidirectional-tcp", "half-the-downlink", "only where policy and tp is delayed, tp = 20 ms"),
        ("bidirectional-tcp", "smaller-uplink-ratio", "refuted"),
        ("bidirectional-tcp", "satisfactory-range", "confirmed"),
        ("bidirectional-tcp", "range-depends-on-acks", "only where policy and tp is every packet, tp = 20 ms"),
        ("bidirectional-tcp", "strong-variation", "confirmed"),
        ("bidirectional-tcp", "stronger-than-delayed", "confirmed"),
        ("bidirectional-tcp", "section-5-alone", "only where transfer is download"),
        ("bidirectional-tcp", "section-5", "confirmed"),
        ("bidirectional-tcp", "upload-window", "confirmed"),
        ("bidirectional-tcp", "upload-window-several", "only where uploads is 10"),
        ("bidirectional-tcp", "bytes-allow-smaller", "confirmed"),
        ("bidirectional-tcp", "cells-sufficient", "confirmed"),
        ("bidirectional-tcp", "downlink-larger", "confirmed"),
        ("bidirectional-tcp", "small-uplink", "confirmed"),
        ("asymmetric-fast", "d-over-q0-ack-clocked", "only where gain a round trip is 20 or 100"),
    ],
)
def test_reported_quantities(paper: str, claim: str, verdict: str, reproductions: dict[str, Reproduction]) -> None:
    assert next(v.verdict for v in reproductions[paper].verdicts if v.claim.id == claim) == verdict


def test_example_4_needs_a_late_start(reproductions: dict[str, Reproduction]) -> None:
    verdict = next(v for v in reproductions["two-way-fast"].verdicts if v.claim.id == "ex-4-simulation")
    groups = {name: outcome.holds for name, outcome in verdict.groups}
    assert groups["0.16 s late"]
    assert not groups["together"]
    assert not groups["1 s late"]
