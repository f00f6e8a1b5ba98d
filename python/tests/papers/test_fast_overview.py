"""The record path: averages are judged over the printed time, a host's cost by a figure that it was not fitted to."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.errors import InputError
from eddyline.papers import find
from eddyline.papers.claims import check, judge, read
from eddyline.papers.context import Context
from eddyline.papers.fast_overview import host, record
from eddyline.papers.fast_overview.length import VARIABLE

if TYPE_CHECKING:
    from eddyline.papers.claims import Claim
    from eddyline.papers.reproduction import Reproduction

HOUR = ("linux-185", "fast-925", "fast-times-linux", "linux-266", "linux-2-flows", "fast-2-flows")
SIX_HOURS = ("fast-10-flows",)


@pytest.fixture(scope="module")
def claims() -> dict[str, Claim]:
    return {c.id: c for c in read(find("fast-overview").folder / "claims.toml")}


def test_claims_about_hours_are_undecided_after_a_short_run(
    overview: dict[str, Any], reproductions: dict[str, Reproduction]
) -> None:
    assert overview["record"].rows
    verdicts = {v.claim.id: v for v in reproductions["fast-overview"].verdicts}
    for name in (*HOUR, *SIX_HOURS):
        assert verdicts[name].verdict == "not decided", name
        assert verdicts[name].value is None
        assert VARIABLE in verdicts[name].shown
    assert {v.claim.id for v in verdicts.values() if v.kind == "undecided"} == {*HOUR, *SIX_HOURS}


def test_rows_have_their_duration(overview: dict[str, Any]) -> None:
    for row in overview["record"].rows:
        assert row["simulated_s"] == 150.0
        assert row["printed_s"] == (21600.0 if row["flows"] == 10 else 3600.0)
        assert row["average"] is None
    assert {row["simulated_s"] for row in overview["controllers"].rows} == {150.0}


def test_an_experiment_is_simulated_no_longer_than_it_lasted(
    monkeypatch: pytest.MonkeyPatch, claims: dict[str, Claim]
) -> None:
    """Experiments of 3.6 s and of 21.6 s, where 5 s are asked for: the first are judged, the last is not."""
    context = Context(find("fast-overview").folder)
    for said in context.values["run"]:
        said["hours"] *= 0.001
    monkeypatch.setenv(VARIABLE, "5")
    exhibit = record.table(context)
    for row in exhibit.rows:
        ten = row["flows"] == 10
        assert row["simulated_s"] == (5.0 if ten else 3.6)
        assert row["average"] == (None if ten else row["utilisation"])
    for name in HOUR:
        check(claims[name], exhibit)
        assert judge(claims[name], exhibit).verdict != "not decided", name
    assert judge(claims["fast-10-flows"], exhibit).verdict == "not decided"


def test_only_a_claim_that_says_what_it_needs_may_be_undecided(
    overview: dict[str, Any], claims: dict[str, Claim]
) -> None:
    silent = dataclasses.replace(claims["fast-925"], needs="")
    for done in (check, judge):
        with pytest.raises(InputError, match="no row"):
            done(silent, overview["record"])
    other = dataclasses.replace(claims["fast-925"], rows={"experiment": "FAST, 3 flows, 100"})
    for done in (check, judge):
        with pytest.raises(InputError, match="no row"):
            done(other, overview["record"])


@pytest.mark.parametrize("order", host.ORDERS)
def test_the_cost_is_a_fit(order: str, overview: dict[str, Any]) -> None:
    rows = {(r["card"], r["packet"]): r for r in overview["host-cost"].rows if r["order"] == order}
    fitted = rows[host.CARD_BPS, 1500]
    assert fitted["closed_form"] == pytest.approx(1.3e9, rel=1e-12)
    assert fitted["overhead"] == 9731  # 11,680 bits at 1.3 Gbit/s are 11,231 bytes at ten, 1,500 of them the packet


def test_a_host_behind_a_gigabit_card(overview: dict[str, Any]) -> None:
    """11,680 bits in 8.985 us at ten gigabit: 7.785 + 12 us at one, or the wire's 12 us alone."""
    rows = {r["order"]: r for r in overview["host-cost"].rows if r["card"] == host.GIGABIT_BPS}
    expected = {host.BEFORE: 11680 / 19.785e-6, host.BESIDE: 11680 / 12e-6}
    for order, row in rows.items():
        # whole bytes of framing: half a byte of 2,473
        assert row["goodput"] == pytest.approx(expected[order], rel=5e-4)
        assert row["printed"] == 925e6


def test_vegas_holds_its_queue_at_any_delay(overview: dict[str, Any]) -> None:
    rows = overview["vegas-delay"].rows
    assert [r["rtt"] for r in rows] == [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
    for row in rows:
        assert row["utilisation"] == pytest.approx(1.0, abs=1e-4)
        # steps of a packet a round trip of 20 flows leave each with one packet at the least
        assert row["least"] >= 20.0
        assert row["growth"] == pytest.approx(1.0, abs=0.1)
