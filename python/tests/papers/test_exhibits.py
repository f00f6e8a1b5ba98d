"""Exhibits have their rows, and theory's columns are the values that were computed by a separate program."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.reports.exhibit import cell

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Reproduction

CLOSED_FORM = 1e-9


def test_every_exhibit_has_rows_and_says_how_to_read_it(reproduced: Reproduction) -> None:
    for exhibit in reproduced.exhibits:
        assert exhibit.rows, exhibit.id
        assert exhibit.reading, exhibit.id
        assert exhibit.place, exhibit.id
        for column in exhibit.columns:
            assert any(row.get(column.key) is not None for row in exhibit.rows), (exhibit.id, column.key)
            assert all(cell(row, column) for row in exhibit.rows), (exhibit.id, column.key)


def test_ids_are_unique(reproduced: Reproduction) -> None:
    pictures = [p.name for e in reproduced.exhibits for p in e.pictures]
    claims = [v.claim.id for v in reproduced.verdicts]
    for names in ([e.id for e in reproduced.exhibits], pictures, claims):
        assert len(names) == len(set(names))


def test_the_document_is_plain_json(reproduced: Reproduction) -> None:
    text = json.dumps(reproduced.to_dict(), allow_nan=False)
    document = json.loads(text)
    assert set(document) >= {"paper", "exhibits", "claims"}
    assert all(set(e) >= {"id", "rows"} and e["rows"] for e in document["exhibits"])
    assert all(set(c) >= {"id", "where", "verdict", "value", "rule"} for c in document["claims"])


@pytest.mark.parametrize("example", range(1, 6))
def test_theory_of_the_examples(example: int, two_way: dict[str, Any], theory: dict[str, Any]) -> None:
    known = theory["two-way-fast"]["examples"][str(example)]
    rows = [r for r in two_way["theorem-1"].rows if r["example"] == example and r["wire"] == 1000]
    # there the flows that go forward come first
    expected = dict(zip(known["alpha_F"] + known["alpha_B"], known["x"], strict=True))
    if example == 5:
        expected = {30.0: known["x"][0]}
    for row in rows:
        assert row["theory"] == pytest.approx(expected[row["alpha"]], rel=CLOSED_FORM)
    use = {r["link"]: r for r in two_way["utilisation"].rows if r["example"] == example and r["wire"] == 1000}
    for link, key in (("forward", "UF"), ("backward", "UB")):
        assert use[link]["theory"] == pytest.approx(known[key], rel=CLOSED_FORM)
        assert use[link]["formula"] == pytest.approx(known[key], rel=CLOSED_FORM)


@pytest.mark.parametrize("example", range(1, 6))
def test_proportional_fairness(example: int, two_way: dict[str, Any], theory: dict[str, Any]) -> None:
    known = theory["two-way-fast"]["examples"][str(example)]
    rows = [r for r in two_way["theorem-1"].rows if r["example"] == example and r["wire"] == 1000]
    expected = dict(zip(known["alpha_F"] + known["alpha_B"], known["true_prop_fair_x"], strict=True))
    for row in rows:
        assert row["fair"] == pytest.approx(expected[row["alpha"]], rel=1e-5)


@pytest.mark.parametrize("example", range(1, 6))
def test_equations_5_and_6(example: int, two_way: dict[str, Any]) -> None:
    for row in two_way["theorem-1"].rows:
        if row["example"] == example:
            assert row["equation"] == pytest.approx(row["theory"], rel=CLOSED_FORM)


def test_the_chain_simulated_is_the_chain_solved(two_way: dict[str, Any]) -> None:
    solved = {r["load"]: r for r in two_way["fig-5"].rows if r["method"] == "chain"}
    for row in two_way["fig-5-shifts"].rows:
        assert row["idle"] == pytest.approx(solved[row["load"]]["idle"], abs=0.01), row["load"]


def test_theory_with_the_film(theory: dict[str, Any]) -> None:
    from eddyline import Scenario
    from eddyline.papers import find

    file = find("two-way-fast").folder / "scenarios" / "film-backward.toml"
    changes = {
        "flow.*.packet": "1000 B",
        "flow.*.header": "0 B",
        'traffic."film backward".model': f'{{ kind = "cbr", rate = "{20 * 908 * 5032 / 70:.0f} bit/s" }}',
    }
    flows = Scenario.load(file, set=changes).run("theory").to_dict()["flows"]
    assert [f["packets_per_s"] for f in flows] == pytest.approx(theory["two-way-fast"]["vbr"]["x"], rel=1e-6)


def test_theory_of_the_letter(asymmetric: dict[str, Any], theory: dict[str, Any]) -> None:
    known = {c["kf"]: c for c in theory["asymmetric-fast"]["cases"]}
    for exhibit, k_f in (("fig-2", 4.0), ("fig-3", 40.0), ("fig-4", 20.0)):
        row = asymmetric[exhibit].rows[0]
        assert row["theory"] == pytest.approx(known[k_f]["throughput_bps"], rel=CLOSED_FORM)
        assert row["theorem"] == pytest.approx(known[k_f]["throughput_bps"], rel=CLOSED_FORM)
        assert row["eq_15"] == pytest.approx(known[k_f]["untruncated_eq15_aggregate"], rel=CLOSED_FORM)
        assert row["d_over_q0"] == pytest.approx(known[k_f]["d_over_q0"], rel=0.01)


def test_k_f_of_one_is_among_the_sweep(asymmetric: dict[str, Any]) -> None:
    assert [r["theory"] for r in asymmetric["k-f-sweep"].rows if r["k_f"] == 1.0] == [pytest.approx(100e6, rel=1e-9)]


def test_the_film_is_made_to_the_figures_of_the_paper(two_way: dict[str, Any]) -> None:
    frames = two_way["fig-4"].series["fig-4-frames"]
    assert len(frames) == 908
    assert sum(f["bits"] for f in frames) / len(frames) == pytest.approx(5032, abs=8)  # sizes are whole bytes
