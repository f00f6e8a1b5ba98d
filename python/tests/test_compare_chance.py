"""`compare` where the seed matters: what is chance, and what has a cause beside it."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from compared_worlds import COMPETING, LATE, SHORT, Kernel, compared

from eddyline.cli import main
from eddyline.deviations import explain
from eddyline.deviations.explain import with_other_seeds
from eddyline.deviations.measure import Deviation, Range
from eddyline.errors import WorldUnavailable
from eddyline.scenario import Scenario
from eddyline.worlds import WORLDS

if TYPE_CHECKING:
    from pathlib import Path


def test_chance_is_no_cause(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The played kernel is `sim` with another seed: one flow has half as much, and nothing is behind it."""
    kernel, file = Kernel({"seed": 42}), tmp_path / "x.toml"
    found = kernel.found((capsys, monkeypatch), file, controller="cubic", text=COMPETING)
    assert (found["explained"], found["steps"], found["tried"], found["untried"]) == (True, [], [], [])
    assert found["seeds"] == list(range(11, 21))
    far = [d for d in found["deviations"] if not d["within"]]
    assert len(far) > 3
    for each in found["deviations"]:
        low, high = each["sim_range"]
        assert low <= each["sim"] <= high
        assert each["chance"] is not each["within"]
        assert each["within"] or 0.97 * low <= each["value"] <= high / 0.97
    assert main(["compare", str(file)]) == 0
    out = capsys.readouterr().out
    assert "chance: within the range of sim's values over 10 seeds (11 to 20), or the tolerance of it" in out
    assert f"kernel: within chance, {len(far)} of 20 quantities beyond the tolerance" in out
    (row,) = (line.split() for line in out.splitlines() if line.startswith(" delay[1] "))
    assert row[-1] == "chance"


def test_a_cause_beside_chance_is_found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """QUIC's larger acknowledgements fill more of the way back, what flows get is chance."""
    file = tmp_path / "x.toml"
    file.write_text(COMPETING.replace("CONTROLLER", "cubic").replace("TCP", ""))
    quic = compared(capsys, file, "quic")
    assert [step["difference"] for step in quic["steps"]] == ["packet sizes"]
    before, after = quic["deviations"], quic["steps"][0]["deviations"]
    assert sum(d["chance"] for d in before) > 3
    (back, left) = (d for part in (before, after) for d in part if (d["name"], d["quantity"]) == ("b", "utilisation"))
    assert back["value"] > 1.8 * back["sim"]
    assert left["value"] == pytest.approx(left["sim"], rel=0.06)  # acknowledgements of several ranges are larger still
    assert [d for d in after if not d["within"] and not d["chance"] and d is not left] == []


def test_seeds_that_change_nothing_measure_no_chance(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    links, one, _ = LATE.replace("LIMIT", "15 packets").replace("BASE", "known").split("[[flow]]")
    file.write_text(f"{links}[[flow]]{one}")
    theory = compared(capsys, file, "theory")
    assert "seeds" not in theory
    assert {"sim_range", "chance"}.isdisjoint(key for each in theory["deviations"] for key in each)
    scenario = Scenario.load(file)
    assert with_other_seeds(scenario, scenario.run(), lambda some: [each.run() for each in some]).results == []


def test_flows_that_compete_in_phase_start_at_random_for_chance(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With acknowledgements of quic's size two flows share the link otherwise, by their phases and their growth."""
    file = tmp_path / "x.toml"
    file.write_text("""
title = "two on a link"
duration = "60 s"
warmup = "10 s"
link = [
    { name = "down", rate = "20 Mbit/s", delay = "10 ms", queue = { kind = "droptail", limit = "80 packets" } },
    { name = "up", rate = "20 Mbit/s", delay = "10 ms" },
]
[[flow]]
name = "ours"
controller = { kind = "newreno" }
data = ["down"]
ack = ["up"]
tcp = { pacing = true }
[[flow]]
name = "theirs"
controller = { kind = "cubic" }
data = ["down"]
ack = ["up"]
""")
    quic = compared(capsys, file, "quic")
    assert (quic["seeds"], quic["start_jitter_s"]) == (list(range(10)), 0.1)
    steps = [step["difference"] for step in quic["steps"]]
    assert (steps, quic["explained"]) == (["packet sizes", "byte counting"], True)
    assert main(["compare", str(file)]) == 0
    assert "10 seeds (0 to 9, whose flows start up to 100 ms later, since nothing else is" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:the flows over")
def test_there_are_other_seeds_than_the_largest(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(COMPETING.replace("CONTROLLER", "cubic").replace("TCP", ""))
    scenario = Scenario.load(file, set={"seed": 2**63 - 1, "duration": "2 s", "warmup": "1 s"})
    others = with_other_seeds(scenario, scenario.run(), lambda some: [each.run() for each in some])
    assert [each.to_dict()["seed"] for each in others.results] == list(range(9))
    assert others.start_jitter_s is None


def test_other_seeds_run_only_where_something_deviates_and_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []
    other_seeds = explain.with_other_seeds

    def counted(scenario: Scenario, *rest: Any) -> Any:
        asked.append(scenario.seed)
        return other_seeds(scenario, *rest)

    monkeypatch.setattr(explain, "with_other_seeds", counted)
    file, tools = tmp_path / "x.toml", (capsys, monkeypatch)
    # world quic deviates too
    assert not all(d["within"] for d in Kernel({"seed": 42}).found(tools, file, text=SHORT)["deviations"])
    assert asked == [11]
    for world in ("quic", "theory"):
        monkeypatch.setitem(
            WORLDS, world, replace(WORLDS[world], missing=lambda _, w=world: WorldUnavailable(w, "not here"))
        )
    assert all(d["within"] for d in Kernel({}).found(tools, file, text=SHORT)["deviations"])
    assert asked == [11]


def test_what_one_seed_alone_brings_nearer_explains_nothing() -> None:
    def trial(*values: float) -> Deviation:
        return Deviation("flow", "f", "goodput_bps", 10.0, 6.0, 1.0, Range(tuple(sorted(values)), 1.0))

    before = [trial(5.0, 6.0, 8.0)]
    for values, excess in (
        ((5.0, 6.0, 9.5), 2.0),  # one seed alone: the range before counts
        ((5.0, 9.0, 9.5), 0.5),
        ((1.0, 2.0, 3.0), 7.0),  # farther away
        ((20.0, 21.0, 22.0), 10.0),  # on the other side
    ):
        (found,) = explain._nearer([trial(*values)], before)
        assert found.excess == pytest.approx(excess)
        assert found.range == trial(*values).range
    # the scenario's own seed is as the other world: that is no matter of one other seed
    own = replace(trial(5.0, 6.0, 10.0), reference=10.0)
    assert explain._nearer([own], before) == [own]
    # what had counted before goes on to count
    (kept,) = explain._nearer([trial(5.0, 6.0, 9.5)], before)
    assert explain._nearer([trial(5.0, 6.0, 9.9)], [kept])[0].excess == pytest.approx(2.0)
    assert Range((3.0,), 1.0).distance_without_one(10.0) == 7.0


def test_a_value_within_the_range_of_seeds_is_none_that_deviates() -> None:
    def found(value: float, low: float, high: float) -> Deviation:
        return Deviation("flow", "f", "goodput_bps", value, 1.0, 0.03, Range((low, high), 0.03))

    for value, low, high, excess, by_chance in (
        (1.5, 0.9, 2.0, 0.0, True),
        (1.52, 1.0, 1.5, 2 / 3, True),
        (1.56, 1.0, 1.5, 2.0, False),
        (0.84, 0.9, 1.5, 2.0, False),
        (1.02, 1.0, 1.5, 0.0, False),
        (1.06, 1.0, 1.0, 2.0, False),
    ):
        one = found(value, low, high)
        assert (one.excess, one.by_chance) == (pytest.approx(excess), by_chance)
    # where nothing is allowed, every difference counts, from the range too
    for value, excess in ((1.5, 0.0), (1.5001, inf), (0.9999, inf)):
        assert replace(found(value, 1.0, 1.5), range=Range((1.0, 1.5), 0.0)).excess == excess
        assert replace(found(value, 0.0, 0.0), range=None, allowed=0.0, reference=1.5).excess == (value != 1.5 and inf)
    # chance decides between 1 and 1.5, whether the reference is near by chance or not
    assert found(1.02, 1.0, 1.5).left_to_chance
    assert not found(1.02, 1.0, 1.01).left_to_chance
    assert not found(1.6, 1.0, 1.5).left_to_chance
