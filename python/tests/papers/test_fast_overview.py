"""The record path: averages are judged over the printed time, a host's cost by a figure that it was not fitted to."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.errors import InputError
from eddyline.papers import find
from eddyline.papers.claims import check, judge, read
from eddyline.papers.context import Context
from eddyline.papers.fast_overview import host, record
from eddyline.papers.fast_overview.recording import Recording, lasting, summary

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.papers.claims import Claim
    from eddyline.papers.reproduction import Reproduction


@pytest.fixture(scope="module")
def claims() -> dict[str, Claim]:
    return {c.id: c for c in read(find("fast-overview").folder / "claims.toml")}


def test_the_recording_is_that_of_these_scenarios_and_of_this_simulator(overview: dict[str, Any]) -> None:
    """If it fails: `eddyline reproduce fast-overview --exhibit record --long`."""
    findings = " ".join(overview["record"].findings)
    assert re.search(r"\d\d runs are a recording", findings)
    assert "not used" not in findings


def test_a_recording_of_another_scenario_or_simulator_is_not_used(tmp_path: Path) -> None:
    shutil.copytree(find("fast-overview").folder, tmp_path, dirs_exist_ok=True)
    context = Context(tmp_path)
    asked = [c.long for c in record.cases(context) if c.experiment == "Linux, 1 flow, 100"]
    scenario, numbers, same = (long.name for long in asked)
    file = tmp_path / "recorded" / "record.json"
    document = json.loads(file.read_text("utf-8"))
    document["runs"][scenario]["scenario_sha256"] = "0" * 64
    document["runs"][numbers]["short"]["goodput_bps"] *= 1.000001
    file.write_text(json.dumps(document), "utf-8")
    recording = Recording(context)
    assert set(recording.find(asked)) == {same}
    assert recording.stale == [scenario, numbers]


def test_hours_are_decided_by_the_recording_and_say_so(
    overview: dict[str, Any], reproductions: dict[str, Reproduction]
) -> None:
    assert overview["record"].rows
    verdicts = {v.claim.id: v for v in reproductions["fast-overview"].verdicts if v.claim.exhibit == "record"}
    for verdict in verdicts.values():
        assert verdict.kind != "undecided"
        assert verdict.recorded
        assert verdict.shown.endswith(", recorded")
    assert any("are a recording" in text for text in overview["record"].findings)


def test_a_row_is_recorded_if_its_values_are(overview: dict[str, Any]) -> None:
    rows = overview["record"].rows
    without = [r for r in rows if r["utilisation"] is None and r["utilisation_quarter"] is None]
    assert without
    assert not any(r["recorded"] for r in without)
    assert all(r["recorded"] for r in rows if r not in without)


def test_what_matches_is_said_by_verdicts_only(
    overview: dict[str, Any], reproductions: dict[str, Reproduction]
) -> None:
    findings = " ".join(overview["record"].findings)
    assert "FAST, 10 flows, 100: printed 88%; nearest is 99%, " in findings
    assert "match" not in findings
    (ten,) = [v for v in reproductions["fast-overview"].verdicts if v.claim.id == "fast-10-flows"]
    assert ten.kind == "partly"
    assert ten.verdict.endswith(" (6 of 9 cases not decided)")


def _seconds(context: Context) -> Context:
    """The same with one flow only, and experiments of 0.72 s."""
    context.values["run"] = [r | {"hours": 0.0002} for r in context.values["run"] if r["id"].endswith("1 flow, 100")]
    return context


def test_long_runs_are_simulated_and_recorded(tmp_path: Path) -> None:
    shutil.copytree(find("fast-overview").folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "recorded" / "record.json").unlink()
    made = record.table(_seconds(Context(tmp_path, long=True)))
    for row in made.rows:
        assert row["seconds"] == pytest.approx(0.72)
        assert row["utilisation"] is not None
        assert row["recorded"] is False
    found = record.table(_seconds(Context(tmp_path)))
    assert all(row["recorded"] for row in found.rows)
    assert [row | {"recorded": False} for row in found.rows] == list(made.rows)
    assert "none is missing" in record.long_notice(_seconds(Context(tmp_path)))


def test_a_notice_says_how_long_it_takes(tmp_path: Path) -> None:
    shutil.copytree(find("fast-overview").folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "recorded" / "record.json").unlink()
    text = record.long_notice(Context(tmp_path))
    # three of Linux, 18 of FAST that are run in any case, each flow at a gigabit
    said = re.search(r"0 runs are recorded and current, simulated now: (\d+) to (\d+), .*: (\S+) to (\S+) hours", text)
    assert said is not None
    runs, most, hours, most_hours = (float(n) for n in said.groups())
    assert (runs, most) == (21, 51)
    assert 0.0 < hours < most_hours


def test_a_notice_counts_other_reactions_where_the_first_is_recorded(tmp_path: Path) -> None:
    shutil.copytree(find("fast-overview").folder, tmp_path, dirs_exist_ok=True)
    context = Context(tmp_path)
    context.values["run"] = [r for r in context.values["run"] if r["id"] == "FAST, 1 flow, 100"]
    file = tmp_path / "recorded" / "record.json"
    document = json.loads(file.read_text("utf-8"))
    # another reaction to a queue that was full, and a first one of which two others depend
    del document["runs"]["FAST, 1 flow, 100: FAST, no doubling, gamma 0.5, packet lost"]
    slow = "FAST, 1 flow, 100: FAST, no doubling, slow updates, gamma 0.5, window reduced"
    kept = document["runs"].pop(slow)
    file.write_text(json.dumps(document), "utf-8")
    assert "10 runs are recorded and current, simulated now: 2 to 4, " in record.long_notice(context)
    document["runs"][slow] = kept
    file.write_text(json.dumps(document), "utf-8")
    assert "11 runs are recorded and current, simulated now: 1, " in record.long_notice(context)


def test_the_reaction_does_not_matter_where_no_queue_was_full() -> None:
    context = Context(find("fast-overview").folder)
    runs = [lasting(record.chosen("FAST, no doubling", "0.25", 100, local), 20.0) for local in record.LOCALS]
    first, *others = context.runner.run_all(runs)
    assert summary(first).refusals == 0
    assert all(summary(other) == summary(first) for other in others)


def test_only_a_claim_that_says_what_it_needs_may_be_undecided(
    overview: dict[str, Any], claims: dict[str, Claim]
) -> None:
    # six hours that are not recorded
    missing = {"experiment": "FAST, 10 flows, 100", "controller": "FAST"}
    assert judge(dataclasses.replace(claims["fast-10-flows"], rows=missing), overview["record"]).kind == "undecided"
    silent = dataclasses.replace(claims["fast-10-flows"], needs="", rows=missing)
    for done in (check, judge):
        with pytest.raises(InputError, match="no row"):
            done(silent, overview["record"])
    other = dataclasses.replace(claims["fast-10-flows"], rows={"experiment": "FAST, 3 flows, 100"})
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


def test_vegas_at_rest_and_oscillating(overview: dict[str, Any]) -> None:
    rows = overview["vegas-delay"].rows
    assert {r["delay"] for r in rows} >= {"long beside the queueing", "short beside the queueing"}
    for row in rows:
        if row["kind"] == "alpha < beta":
            # each flow keeps from alpha to beta packets queued, of which one may be in transmission
            low, _, high = row["alpha_beta"].partition(" to ")
            assert int(low) * row["flows"] - row["flows"] <= row["queue"] <= int(high) * row["flows"] + row["flows"]
        # steps of a packet a round trip, seen a round trip late
        assert row["swing"] <= 4.0
