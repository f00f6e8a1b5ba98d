"""What was saved is opened again, and everything has a short text and a table for notebooks."""

from __future__ import annotations

import copy
import json
import pickle
import tomllib
import traceback

import numpy as np
import pandas as pd
import pytest
from conftest import TWO_WAY

import eddyline as el
from eddyline.results import Results
from eddyline.scenario import stored
from eddyline.worlds import available

LOSSY = {"link.down.loss": 0.01}


@pytest.fixture(scope="module")
def scenario():
    return el.Scenario(tomllib.loads(TWO_WAY), set=LOSSY)


@pytest.fixture(scope="module")
def several(scenario):
    return scenario.run(seeds=3)


def test_seeds_without_chance_are_warned_of():
    certain = el.Scenario(tomllib.loads(TWO_WAY))
    with pytest.warns(UserWarning, match="all 2 results are the same: nothing in the scenario is random"):
        assert certain.run(seeds=2).identical
    assert not certain.run(seeds=2, set={"flow.*.start_jitter": "100 ms"}).identical


def test_run_takes_seeds_and_overrides(scenario, several):
    assert [r.to_dict()["seed"] for r in several] == [7, 8, 9]
    assert several[1].json.partition('"cost"')[0] == scenario.with_seed(8).run().json.partition('"cost"')[0]
    flows = several.flows
    assert list(flows.columns[:2]) == ["seed", "name"]
    assert len(flows) == 6
    assert several.summary["flows"][0]["goodput_bps"]["mean"] == pytest.approx(
        flows[flows["name"] == "download"]["goodput_bps"].mean()
    )
    assert set(several.series["seed"]) == {7, 8, 9}
    assert "3 runs" in several.plot().get_suptitle()
    assert len(several[:2]) == 2
    one = scenario.run(set={"link.down.rate": "1 Mbit/s", "flow.*.controller": {"kind": "newreno"}}, series=False)
    assert one.flows["controller"].tolist() == ["newreno", "newreno"]
    assert one.flows["throughput_bps"].max() <= 5e6
    with pytest.raises(el.InputError, match="seeds: 0; at least 1"):
        scenario.run(seeds=0)
    with pytest.raises(el.ScenarioError, match="rat"):
        scenario.with_overrides({"link.down.rat": 1})


@pytest.mark.usefixtures("without_figures")
def test_open_opens_what_was_written(several, eddyline, tmp_path):
    path = tmp_path / "two-way.toml"
    path.write_text(TWO_WAY)
    opened = el.open(path)
    assert isinstance(opened, el.Scenario)
    several[0].save(tmp_path / "one")
    assert el.open(tmp_path / "one").to_dict() == several[0].to_dict()
    assert el.open(tmp_path / "one" / "result.json").to_dict() == several[0].to_dict()
    words = ("run", path, "--set", "link.down.loss=0.01", "--out")
    assert eddyline(*words, "seeds", "--seeds", 3, figures=False).code == 0
    seeds = el.open(tmp_path / "seeds")
    assert isinstance(seeds, el.Results)
    pd.testing.assert_frame_equal(seeds.flows, several.flows)
    assert len(seeds.series) == len(several.series)
    assert "3 runs" in seeds.plot().get_suptitle()
    assert eddyline(*words, "worlds", "--world", "all", "--set", "link.down.loss=0", figures=False).code == 0
    worlds = el.Result.load(tmp_path / "worlds")
    assert list(worlds.flows["world"].unique()) == available()
    el.sweep(path, {"link.up.delay": ["1 ms", "2 ms"]}, out=tmp_path / "sweep")
    assert repr(el.open(tmp_path / "sweep")).endswith("sweep': 2 of 2 points>")
    card = el.gauntlet.run("reno", only=["line-1m"], seeds=1)
    (tmp_path / "card.json").write_text(card.json)
    assert el.open(tmp_path / "card.json") == card
    for name, more in (("one", ()), ("worlds", ("--world", "all")), ("seeds", ("--seeds", 2))):
        printed = eddyline("run", path, "--json", *more)
        assert printed.code == 0
        (tmp_path / f"{name}.json").write_text(printed.out)
        assert el.open(tmp_path / f"{name}.json") == json.loads(printed.out)
    (tmp_path / "numbers.json").write_text("[1, 2]")
    with pytest.raises(el.InputError, match=r"numbers.json: not a document of Eddyline"):
        el.open(tmp_path / "numbers.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(el.InputError, match="holds nothing that can be opened"):
        el.open(tmp_path / "empty")
    with pytest.raises(el.ScenarioError):
        el.open(tmp_path / "nowhere.toml")


@pytest.mark.usefixtures("without_figures")
def test_a_stored_scenario_without_files_is_of_a_folder_that_exists(scenario, tmp_path):
    scenario.run().save(tmp_path / "kept")
    assert el.Scenario.load(tmp_path / "kept" / "scenario.json").folder == tmp_path / "kept"
    assert stored(tmp_path / "kept")[1].folder == tmp_path / "kept"


@pytest.mark.usefixtures("without_figures")
def test_each_stored_run_has_its_series(several, scenario, tmp_path):
    several.save(tmp_path / "seeds")
    opened = el.open(tmp_path / "seeds")
    for kept, live in zip(opened, several, strict=True):
        pd.testing.assert_frame_equal(kept.series, live.series)
    pd.testing.assert_frame_equal(opened.series, several.series, check_categorical=False)
    assert [axes.get_title() for axes in opened[2].plot().axes] == [axes.get_title() for axes in several[2].plot().axes]
    assert set(opened[1:].series["seed"]) == {8, 9}
    opened[1:].save(tmp_path / "some")
    pd.testing.assert_frame_equal(el.open(tmp_path / "some")[0].series, several[1].series)
    worlds = el.Results([scenario.run("theory"), scenario.run(series=True)])
    worlds.save(tmp_path / "worlds")
    theory, sim = el.open(tmp_path / "worlds")
    pd.testing.assert_frame_equal(sim.series, several[0].series)
    assert not theory.has_series()
    with pytest.raises(el.EddylineError, match="no series were recorded"):
        _ = theory.series


def test_series_are_those_of_the_result_that_was_loaded(scenario, tmp_path, monkeypatch):
    folder = tmp_path / "loop"
    scenario.run().save(folder)
    first = el.open(folder)
    used = el.open(folder)
    whole = used.series
    monkeypatch.chdir(tmp_path)
    relative = el.open("loop")
    monkeypatch.chdir("/")
    pd.testing.assert_frame_equal(relative.series, whole)
    scenario.run(set={"link.down.rate": "1 Mbit/s"}).save(folder)
    with pytest.raises(
        el.InputError, match=r"loop/series\.parquet: has been written again since the result was loaded"
    ):
        _ = first.series
    with pytest.raises(el.InputError, match="written again"):
        first.save(tmp_path / "mixed")
    pd.testing.assert_frame_equal(used.series, whole)
    kept = el.open(folder)
    folder.rename(tmp_path / "old")
    with pytest.raises(el.InputError, match="has gone since the result was loaded"):
        kept.plot()


def test_short_texts_and_tables_for_notebooks(scenario, several, tmp_path):
    swept = el.sweep(scenario, {"link.up.delay": ["1 ms", "2 ms"]}, out=tmp_path / "sweep")
    advice = el.advise("20 Mbit/s", "2 Mbit/s", "40 ms", downloads=1, uploads=1, have="fifo")
    card = el.gauntlet.run("reno", only=["line-1m"], seeds=1)
    evaluation = el.evaluate(["reno"], only=["trace"], quick=True)
    for thing, shown in (
        (scenario, ("down", "10 Mbit/s", "fast")),
        (several[0], ("download", "goodput_bps")),
        (several, ("means of 3 results", "upload")),
        (swept, ("link.up.delay", "2 of 2 points")),
        (advice, ("down", "up", "simulated")),
        (card, ("line-1m", "at least 85.0 %")),
        (evaluation, ("controller", "reno")),
    ):
        assert len(repr(thing)) < 120, repr(thing)
        html = thing._repr_html_()
        assert "<table" in html
        for text in shown:
            assert text in html, text
    unknown = scenario.with_overrides({"flow.*.controller": {"kind": "cubic"}})
    assert "<td>cubic (profile rfc9438" in unknown._repr_html_()
    theory = unknown.run("theory")
    for thing in (theory, Results([theory, unknown.run()])):
        assert thing._repr_html_().count("<li>world theory: theory has no model of cubic") == 1
    assert "<li>" not in unknown.run()._repr_html_()
    assert "<script>" not in el.Scenario(tomllib.loads(TWO_WAY), set={"title": "<script>"})._repr_html_()


def test_figures_show_themselves(several):
    assert several[0].plot()._repr_png_().startswith(b"\x89PNG")


def test_dicts_and_numpy_numbers_are_overrides(scenario):
    vary = {"link.down.queue": {"kind": "droptail", "limit": "30000 B"}, "seed": np.int64(5)}
    assert scenario.with_overrides(vary).to_dict()["link"][0]["queue"]["limit"] == "30000 B"


@pytest.mark.parametrize(
    ("call", "choices"),
    [
        (lambda s: s.run("simm"), "theory, sim"),
        (lambda s: el.theory_map(s, ("a", "1..2"), ("b", "1..2"), "bottle"), "bottleneck, stability, throughput"),
        (lambda _: el.advise("1 Mbit/s", "1 Mbit/s", "20 ms", have="cak"), "linux"),
        (lambda _: el.gauntlet.run("reno", only=["sped"]), "speeds"),
        (lambda _: el.evaluate("reno", only=["trce"]), "response"),
        (lambda s: s.with_overrides({"flow.*.controller.kind": "cubik"}), "cubic"),
    ],
)
def test_errors_list_the_choices(scenario, call, choices):
    with pytest.raises(el.InputError) as e:
        call(scenario)
    assert choices in f"{e.value} {e.value.hint}"
    assert choices in "".join(traceback.format_exception(e.value))


OWN = """
import eddyline as el


@el.register("absent")
class Absent(el.Controller):
    def __init__(self, path: el.PathFacts, keep: float = 0.5):
        self.keep = keep
        self.cwnd = 4.0

    def on_ack(self, ack):
        self.cwnd += 1 / self.cwnd

    def on_loss(self, loss):
        self.cwnd = max(2.0, self.keep * self.cwnd)

    def on_timeout(self, timeout):
        self.cwnd = 1.0
"""


@pytest.mark.parametrize("seeds", [1, 2])
def test_a_stored_result_opens_without_the_controllers_that_it_ran(eddyline, scenario, tmp_path, seeds):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "s.json").write_text(scenario.canonical)
    controller = ("--set", "flow.download.controller={kind='absent',keep=0.75}", "--controllers", "own.py")
    ran = eddyline("run", "s.json", *controller, *(("--seeds", 2) if seeds > 1 else ()), "--out", "kept", figures=False)
    assert ran.code == 0, ran.err
    opened = el.open(tmp_path / "kept")
    for result in opened if seeds > 1 else [opened]:
        assert result.flows.set_index("name").loc["download", "controller"] == "absent"
        assert len(result.series) > 100
        assert any(axes.get_title(loc="left").startswith("Throughput") for axes in result.plot().axes)
        asked = result.scenario
        assert not asked.loads
        assert asked.seed == result.to_dict()["seed"] == asked.to_dict()["seed"]
        assert asked.sha256 == result.to_dict()["scenario_sha256"]
        assert asked.to_dict()["flow"][0]["controller"]["keep"] == 0.75
        assert "not loaded" in repr(asked)
        assert "absent" in asked._repr_html_()
        with pytest.raises(el.ScenarioError, match='unknown kind "absent"'):
            asked.run()
        again = pickle.loads(pickle.dumps(result))
        assert again.flows.equals(result.flows)
        assert again.scenario.sha256 == asked.sha256
    opened.save(tmp_path / "saved")
    assert (tmp_path / "saved/scenario.json").read_bytes() == (tmp_path / "kept/scenario.json").read_bytes()
    # with them it runs, as stored
    assert eddyline("verify", "saved", "--controllers", "own.py", figures=False).code == 0


@pytest.mark.parametrize("command", [("tc", "s.toml"), ("probe", "s.toml", "--link", "up")])
def test_commands_that_run_no_flows_read_scenarios_with_controllers_of_ones_own(eddyline, tmp_path, command):
    (tmp_path / "own.py").write_text(OWN)
    links = """
        link = [
          { name = "down", rate = "10 Mbit/s", delay = "10 ms" },
          { name = "up", rate = "1 Mbit/s", delay = "10 ms", queue = { kind = "droptail", limit = "20 packets" } },
        ]
    """
    flow = 'flow = [{ name = "f", controller = { kind = "absent", keep = 0.7 }, data = ["down"], ack = ["up"] }]'
    (tmp_path / "s.toml").write_text(f'duration = "10 s"\n{links}\n{flow}')
    refused = eddyline(*command)
    assert (refused.code, "loaded with --controllers FILE" in refused.err) == (2, True)
    ran = eddyline(*command, "--controllers", "own.py")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    "damaged",
    ["{}", "[]", '{"title": "x"}', '{"title": "x", "seed": "a"}', '{"title": "x", "seed": null}', "{", "down.loss"],
)
@pytest.mark.usefixtures("without_figures")
def test_a_damaged_scenario_is_an_error_as_before(scenario, tmp_path, damaged):
    """Only what is wrong with controllers may wait until the scenario is run."""
    scenario.run(series=False).save(tmp_path / "kept")
    file = tmp_path / "kept/scenario.json"
    file.write_text(file.read_text().replace('"loss": 0.01', '"loss": 2') if damaged == "down.loss" else damaged)
    with pytest.raises(el.ScenarioError):
        el.open(tmp_path / "kept")


def test_pickled_results_open_without_their_controllers(scenario):
    """As stored ones do: a pool whose parent does not have them would wait for ever."""
    el.register("absent-now")(type("AbsentNow", (Kept,), {}))
    result = scenario.run(set={"flow.download.controller": {"kind": "absent-now"}})
    kept, asked = pickle.dumps(result), pickle.dumps(result.scenario)
    el.unregister("absent-now")
    again = pickle.loads(kept)
    assert again.json == result.json
    assert again.series.equals(result.series)
    assert (again.scenario.loads, again.scenario.canonical) == (False, result.scenario.canonical)
    assert copy.deepcopy(again).json == result.json
    assert again.scenario.with_seed(9).seed == 9
    with pytest.raises(el.InputError, match="seed: -1; at least 0"):
        again.scenario.with_seed(-1)
    with pytest.raises(el.ScenarioError, match='unknown kind "absent-now"'):
        pickle.loads(asked).run()
    el.register("absent-now")(type("AbsentNow", (Kept,), {}))
    assert again.scenario.run().json.partition('"cost"')[0] == result.json.partition('"cost"')[0]
    el.unregister("absent-now")


class Kept(el.Controller):
    def __init__(self, _path):
        self.cwnd = 8.0

    def on_ack(self, ack):
        pass

    def on_loss(self, loss):
        pass

    def on_timeout(self, timeout):
        pass
