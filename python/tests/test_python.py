"""The Python API: `import eddyline as el`."""

from __future__ import annotations

import copy
import json
import math
import pickle
import threading
import tomllib
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from conftest import TWO_WAY

import eddyline as el
import eddyline.errors as errors
from eddyline.summary import student_t, summarise

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def table():
    return tomllib.loads(TWO_WAY)


@pytest.fixture(scope="module")
def result(table):
    return el.Scenario(table).run("sim")


def test_all_names_are_exported():
    for name in el.__all__:
        assert getattr(el, name) is not None
    assert callable(el.compare)
    with pytest.raises(AttributeError):
        _ = el.nothing


def test_a_dict_a_file_and_json_are_the_same(table, scenario, tmp_path):
    (tmp_path / "case.json").write_text(json.dumps(table))
    hashes = {
        el.Scenario(table).sha256,
        el.Scenario.load(scenario()).sha256,
        el.Scenario.load(tmp_path / "case.json").sha256,
    }
    assert len(hashes) == 1


def test_a_path_in_place_of_a_table_is_explained(tmp_path):
    for path in ("two-way.toml", tmp_path / "two-way.toml"):
        with pytest.raises(
            el.ScenarioError, match=r"is no table; a file is read by Scenario\.load\('.*two-way\.toml'\)"
        ):
            el.Scenario(path)


def test_a_dict_may_hold_numpy_numbers(table):
    changed = {**table, "seed": np.int64(3)}
    assert el.Scenario(changed).seed == 3
    with pytest.raises(el.ScenarioError):
        el.Scenario({**table, "seed": object()})
    with pytest.raises(el.ScenarioError, match=r"record\.interval: nan is not a finite number"):
        el.Scenario({**table, "record": {"interval": math.nan}})
    loop: dict[str, object] = {}
    loop["link"] = [loop]
    with pytest.raises(el.ScenarioError, match=r"link\[0\]: a table or list within itself"):
        el.Scenario(loop)


def test_overrides_as_mapping_or_pairs(table):
    a = el.Scenario(table, set={"seed": 5, "link.down.rate": "20 Mbit/s"})
    b = el.Scenario(table, set=[("seed", "5"), ("link.down.rate", "20 Mbit/s")])
    assert a.seed == 5
    assert a.sha256 == b.sha256


def test_errors_are_reported_together(table):
    with pytest.raises(el.ScenarioError) as caught:
        el.Scenario({**table, "duratoin": "3 s", "warmup": 3}, name="mine")
    assert isinstance(caught.value, ValueError)
    keys = {d["key"] for d in caught.value.diagnostics}
    assert {"duratoin", "warmup"} <= keys
    assert "mine" in str(caught.value)


def test_frames(result):
    assert list(result.flows["name"]) == ["download", "upload"]
    assert {"rtt_s.mean", "window_packets.max", "goodput_bps"} <= set(result.flows.columns)
    assert {"queue_packets.mean", "drops.data", "queueing_delay_s.p99"} <= set(result.links.columns)
    assert result.flows["completed_at_s"].isna().all()
    assert result.flows["completed_at_s"].dtype == np.float64
    document = result.to_dict()
    assert result.flows["rtt_s.mean"].tolist() == [f["rtt_s"]["mean"] for f in document["flows"]]
    assert result.world == "sim"


def test_series_are_tidy(result):
    series = result.series
    assert list(series.columns) == ["time_s", "kind", "entity", "quantity", "value"]
    wide = series[(series["entity"] == "download") & (series["quantity"] == "throughput_bps")]
    assert 100 < len(wide) <= 1001
    assert wide["time_s"].is_monotonic_increasing
    late = wide[wide["time_s"] > 1]["value"].mean()
    assert late == pytest.approx(result.flows["throughput_bps"][0], rel=0.02)


def test_no_series_unless_asked_for_where_there_are_many(table):
    quiet = el.Scenario(table).run(series=False)
    with pytest.raises(el.EddylineError, match="no series"):
        _ = quiet.series
    with pytest.raises(el.EddylineError, match="no packet log"):
        _ = quiet.log


def test_packet_log(table):
    log = el.Scenario(table).run(log="upload").log
    assert set(log["source"]) == {"upload"}
    assert {"send", "enqueue", "receive"} <= set(log["event"])
    with pytest.raises(el.InputError, match="nobody"):
        el.Scenario(table).run(log="nobody")


def test_plots(result, table):
    figure = result.plot()
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert titles == ["Throughput, means of 12 ms", "Congestion window", "Round-trip time", "Queues"]
    assert figure.axes[-1].get_xlabel() == "time (s)"
    assert "Mbit/s" in figure.axes[0].get_ylabel()
    names = [t.get_text() for t in figure.axes[0].get_legend().get_texts()]
    assert names == ["capacity of down", "capacity of up", "download (fast)", "upload (fast)"]
    assert set(figure.axes[0].lines[0].get_ydata()) == {10.0}
    dashes = [line.get_linestyle() for line in figure.axes[0].lines[:2]]
    assert dashes[0] != dashes[1]  # 10 and 1 Mbit/s
    (down, up) = table["link"]
    alike = el.Scenario({**table, "link": [down, {**up, "rate": down["rate"]}]}).run(series=True).plot()
    assert len({line.get_linestyle() for line in alike.axes[0].lines[:2]}) == 1
    assert len(el.Scenario(table).run("theory").plot().axes) == 2


def test_results_can_be_sent_to_other_processes(result, table):
    """As `save` keeps them, without a packet log."""
    for each in (result, el.Scenario(table).run("theory"), el.Scenario(table).run(series=False)):
        sent = pickle.loads(pickle.dumps(each))
        assert (sent.json, sent.scenario.sha256, sent.asked) == (each.json, each.scenario.sha256, each.asked)
        assert sent.has_series() == each.has_series()
        if each.has_series():
            pd.testing.assert_frame_equal(sent.series, each.series)
        assert pickle.loads(pickle.dumps(sent)).json == each.json
    logged = el.Scenario(table).run(log=True)
    assert len(logged.log)
    for each in (pickle.loads(pickle.dumps(logged)), copy.copy(logged)):
        with pytest.raises(el.EddylineError, match=r"sent to another process have no packet log\n.*where it ran"):
            _ = each.log
    with pytest.raises(el.EddylineError, match="no packet log was recorded"):
        _ = el.Scenario(table).run().log


def test_a_saved_result_knows_its_options(table, tmp_path):
    made = el.Scenario(table).run("theory", dynamics="integrator")
    made.save(tmp_path / "a")
    read = el.open(tmp_path / "a")
    assert read.asked == made.asked != {}
    read.save(tmp_path / "b")
    assert el.open(tmp_path / "b").asked == made.asked


def test_results_that_a_folder_cannot_tell_apart_are_not_saved(table, tmp_path):
    scenario = el.Scenario(table)
    runs = [scenario.run(series=False), el.Scenario(table, set={"title": "other"}).run(series=False)]
    for wrong in ([runs[0], runs[0]], runs, [runs[0], runs[1].scenario.with_seed(9).run(series=False)]):
        with pytest.raises(el.InputError, match="results of one scenario with different seeds or worlds"):
            el.Results(wrong).save(tmp_path / "mix")
    theory = [scenario.run("theory", dynamics=True), scenario.with_seed(9).run("theory")]
    for wrong in (theory, [*theory[::-1], runs[0]]):
        with pytest.raises(el.InputError, match="results of world theory with the same options"):
            el.Results(wrong).save(tmp_path / "mix")
    assert not (tmp_path / "mix").exists()
    el.Results([runs[0], scenario.with_seed(9).run(series=False)]).save(tmp_path / "mix")


def test_compare_is_one_table(result, table):
    theory = el.Scenario(table).run("theory")
    both = el.compare(result, theory)
    assert list(both.columns) == ["sim", "theory"]
    assert both.index.names == ["kind", "name", "quantity"]
    assert both.loc[("flow", "upload", "goodput_bps"), "sim"] == result.flows["goodput_bps"][1]
    few = el.compare(result, theory, quantities=["goodput_bps"])
    assert len(few) == 2
    assert list(el.compare(result, result).columns) == ["sim 1", "sim 2"]
    other = el.Scenario(table, set={"title": "other"}).run()
    assert list(el.compare(result, other).columns) == ["sim: two-way", "sim: other"]
    with pytest.raises(el.InputError):
        el.compare()
    with pytest.raises(el.InputError, match="did you mean goodput_bps"):
        el.compare(result, quantities=["goodput"])
    single = el.compare(result, quantities="goodput_bps")
    assert set(single.index.get_level_values("quantity")) == {"goodput_bps"}


@pytest.mark.usefixtures("without_figures")
def test_save_and_load(result, tmp_path):
    result.save(tmp_path / "r")
    again = el.Result.load(tmp_path / "r")
    assert again.to_dict() == result.to_dict()
    pd.testing.assert_frame_equal(again.series, result.series)
    assert again.scenario.sha256 == result.scenario.sha256
    with pytest.raises(el.InputError):
        el.Result.load(tmp_path)
    lacking = [json.dumps({k: v for k, v in result.to_dict().items() if k != key}) for key in ("world", "links")]
    wrong = [json.dumps({**result.to_dict(), "flows": rows}) for rows in ([1], [{}], [{"name": 1}])]
    for text in (result.json[:100], "[3]", '{"flows": [3]}', *lacking, *wrong):
        (tmp_path / "r" / "result.json").write_text(text)
        with pytest.raises(el.InputError, match=r"r/result\.json: not a result"):
            el.Result.load(tmp_path / "r")


@pytest.mark.parametrize("threads", [0, 1025, 2**64])
def test_threads_that_no_machine_has_are_refused(table, threads):
    with pytest.raises(el.InputError, match="threads"):
        el.Scenario(table).run(threads=threads)


def test_a_recorded_capacity_is_drawn(table, tmp_path):
    (tmp_path / "drive.csv").write_text("time_s,rate_bps\n0,8e6\n1,2e6\n2,2e6\n")
    first = {k: v for k, v in table["link"][0].items() if k != "rate"}
    first["trace"] = {"kind": "csv", "file": "drive.csv"}
    link = [first, *table["link"][1:]]
    result = el.Scenario({**table, "link": link}, folder=tmp_path).run(series=True)
    axis = result.plot().get_axes()[0]
    (line,) = [each for each in axis.lines if each.get_label() == f"capacity of {first['name']}"]
    times, rates = (np.asarray(data, float) for data in line.get_data())
    # means of intervals: those in which the rate changes have both; the last line lasts as long as the one before it
    begins, ends = times[::2] % 3, times[1::2] % 3
    for begin, end, mbps in zip(begins, ends, rates[1::2].round(9), strict=True):
        if begin < end <= 1:
            assert mbps == 8.0
        elif 1 <= begin < end:
            assert mbps == 2.0
        else:
            assert 2.0 <= mbps <= 8.0
    assert {2.0, 8.0} <= set(rates.round(9))


def test_worlds(table):
    s = el.Scenario(table)
    with pytest.raises(el.WorldUnavailable) as caught:
        s.run("kernel")
    assert caught.value.world == "kernel"
    assert caught.value.hint
    with pytest.raises(el.InputError):
        s.run("moon")


@pytest.mark.parametrize(
    ("world", "options"),
    [
        ("sim", {"dynamics": "integrator"}),
        ("sim", {"base_rtt_s": [0.02, 0.02]}),
        ("sim", {"law": "algorithm"}),
        ("theory", {"log": True}),
        ("theory", {"base_rtt_s": [-1.0, 2.0]}),
        ("theory", {"base_rtt_s": [0.02]}),
    ],
)
def test_invalid_options_of_worlds(table, world, options):
    with pytest.raises(el.InputError):
        el.Scenario(table).run(world, **options)


def test_dynamics_may_be_just_asked_for(table):
    asked = el.Scenario(table).run("theory", dynamics=True)
    assert (
        asked.asked
        == el.Scenario(table).run("theory", dynamics="ack_clocked").asked
        == {"dynamics": "ack_clocked", "law": "equation"}
    )
    assert el.Scenario(table).run("theory", dynamics=False).asked == {}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: s.run("theory", dynamics=5), "there is no link model 5"),
        (lambda s: s.run(5), "there is no world 5; worlds are theory, sim, kernel, quic"),
        (lambda s: s.run("thoery"), r"there is no world 'thoery'; did you mean theory\? worlds are theory, sim"),
        (lambda s: s.run(["sim", "theory"]), r"there is no world \['sim', 'theory'\]; worlds are theory, sim"),
        (lambda s: s.run(seeds=20261127), "seeds: 20,261,127; 1 to 100,000 are possible"),
        (lambda s: el.sweep(s, {"seed": [1]}, out="x", seeds=10**12), "seeds: 1,000,000,000,000; 1 to"),
        (lambda _: el.theory.equilibrium(5), "scenario: a scenario, its file or a dict of its structure is expected"),
        (lambda _: el.probe(None, "up"), "scenario: a scenario, its file or a dict of its structure is expected"),
        (lambda s: s.run(seeds="3"), "seeds: a whole number is expected, not '3'"),
        (lambda s: s.run(log=5), "log: True, or the name of a flow, link or traffic, is expected, not 5"),
        (lambda s: s.run(seeds=2.5), "seeds: a whole number"),
        (lambda s: s.run(threads="2"), "threads: a whole number"),
        (lambda s: el.compare(s.run(series=False), 5), "compare: results are expected, not 5"),
    ],
)
def test_arguments_of_another_type_are_answered_with_what_is_expected(table, call, said):
    with pytest.raises(el.InputError, match=said):
        call(el.Scenario(table))


def test_theory_takes_scenarios_files_and_dicts(table, scenario):
    file = scenario()
    for given in (table, file, str(file)):
        assert el.theory.equilibrium(given).json == el.theory.equilibrium(el.Scenario(table)).json
        assert el.theory.stability(given).json == el.theory.stability(el.Scenario(table)).json
        with pytest.raises(el.InputError, match="link"):
            el.probe(given, "none")


ERRORS = [
    el.InputError("wrong", "a hint"),
    el.ScenarioError("wrong", [{"key": "a"}], ["mine"]),
    el.WorldUnavailable("kernel", "none here", "another one"),
    el.UntrustedRun("kernel", ["late"]),
    el.NoEquilibrium("grows", "a hint"),
    el.ControllerError("mine", "Mine.on_ack", "raised", "a traceback"),
    el.InternalError("a defect"),
    errors.Displaced("out: is in out-2"),
    errors.LostConnection("quic", ["gone"]),
    errors.NotInstalled("not here", "pip"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_are_sent_to_other_processes(error):
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def test_all_errors_are_tried():
    known = {getattr(errors, name) for name in errors.__all__} - {el.EddylineError}
    assert known | {errors.LostConnection} == {type(error) for error in ERRORS}


def test_the_working_directory_may_change(tmp_path, monkeypatch):
    (tmp_path / "sizes.txt").write_text("1000\n2000\n")
    source = {
        "name": "web",
        "data": ["down"],
        "ack": ["up"],
        "rate": "5 /s",
        "size": {"kind": "trace", "file": "sizes.txt"},
    }
    line = {"rate": "1 Mbit/s", "delay": "5 ms"}
    links = [{"name": "down", **line}, {"name": "up", **line}]
    table = {"duration": "1 s", "link": links, "arrivals": [{**source, "controller": {"kind": "reno"}}]}
    (tmp_path / "web.json").write_text(json.dumps(table))
    monkeypatch.chdir(tmp_path)
    scenarios = [el.Scenario.load("web.json"), el.Scenario(table)]
    monkeypatch.chdir("/")
    for s in scenarios:
        s.with_seed(2).run(series=False).save(tmp_path / "out")


def test_expectations(table):
    s = el.Scenario({**table, "expect": [{"of": "flow.*", "what": "goodput_bps", "at_least": "1 kbit/s"}]})
    assert s.expected_worlds == ["sim"]
    outcomes = s.check(s.run())
    assert [o["held"] for o in outcomes] == [True, True]


def test_the_progress_callback_is_called_and_may_stop_the_run(table):
    calls = []

    def progress(now, duration, events, wall):
        calls.append((now, duration, events, wall))
        if len(calls) == 3:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        el.Scenario(table, set={"duration": "100 h"}).run(series=False, progress=progress)
    assert calls[0][1] == 360_000
    assert calls[0][0] < calls[1][0] < calls[2][0]


def test_other_threads_run_meanwhile(table):
    """The interpreter's lock is released."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(None)

    thread = threading.Thread(target=tick)
    thread.start()
    el.Scenario(table, set={"duration": "1000 s"}).run(series=False)
    seen = len(ticks)
    stop.set()
    thread.join()
    assert seen >= 3


def test_a_scenario_is_sent_to_a_worker(table):
    s = pickle.loads(pickle.dumps(el.Scenario(table)))
    assert s.sha256 == el.Scenario(table).sha256
    assert "two-way" in repr(s)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    # Student's t at 97.5 %, from printed tables
    [(1, 12.7062), (4, 2.7764), (10, 2.2281), (30, 2.0423), (40, 2.0211), (60, 2.0003), (120, 1.9799), (10**6, 1.9600)],
)
def test_student(freedom, quantile):
    assert student_t(freedom) == pytest.approx(quantile, abs=6e-5)


def test_summary_leaves_nulls_out():
    runs = [{"seed": 1, "a": {"b": 1, "c": None, "d": "x"}}, {"seed": 2, "a": {"b": None, "c": None, "d": "y"}}]
    assert summarise(runs) == {
        "n": 2,
        "seeds": [1, 2],
        "a": {"b": {"mean": 1.0, "sd": None, "ci95": None, "n": 1}, "c": None, "d": None},
    }


def test_summary_merges_entries_of_lists_by_what_they_are_of():
    def run(*classes, notes=()):
        sizes = [{"from_bytes": low, "below_bytes": high, "completed": n} for low, high, n in classes]
        return {"arrivals": [{"name": "web", "by_size": sizes}], "approximations": list(notes)}

    large, medium, small = (100_000, None, 3), (1000, 10_000, 2), (1, 1000, 5)
    summary = summarise([run(large, notes="a"), run(small, large, notes="ba"), run(), run(medium)])
    one = {"sd": None, "ci95": None, "n": 1}
    assert summary["arrivals"][0]["name"] == "web"
    assert summary["arrivals"][0]["by_size"] == [
        {"from_bytes": 1, "below_bytes": 1000, "completed": {"mean": 5.0, **one}},
        {"from_bytes": 1000, "below_bytes": 10_000, "completed": {"mean": 2.0, **one}},
        {
            "from_bytes": 100_000,
            "below_bytes": None,
            "completed": {"mean": 3.0, "sd": 0.0, "ci95": [3.0, 3.0], "n": 2},
        },
    ]
    assert summary["approximations"] == ["a", "b"]
    # prices of links are told apart by their places
    price, unknown = summarise([{"prices_s": [1.0, None]}, {"prices_s": [2.0, None]}])["prices_s"]
    assert (price["mean"], price["n"], unknown) == (1.5, 2, None)


def test_overrides_apply_to_the_scenario_as_it_was_written(tmp_path: Path) -> None:
    queue = {"kind": "droptail", "limit": "200 ms"}
    table = {
        "duration": "2 s",
        "link": [{"name": n, "rate": "10 Mbit/s", "delay": "20 ms", "queue": queue} for n in ("there", "back")],
        "flow": [{"name": "f", "controller": {"kind": "newreno"}, "data": ["there"], "ack": ["back"]}],
    }
    scenario = el.Scenario(table)
    # a limit that follows from the rate, and the defaults of other kinds
    for override in (
        {"link.there.rate": "3 Mbit/s"},
        {"link.there.queue": {"kind": "pie"}},
        {"flow.f.controller.kind": "cubic"},
    ):
        expected = el.Scenario(table, set=override)
        for changed in (scenario.with_overrides(override), scenario.with_seed(7).with_overrides(override)):
            assert changed.with_seed(scenario.seed).canonical == expected.canonical
        assert scenario.run(set=override).scenario.sha256 == expected.sha256
    cubic = scenario.with_overrides({"flow.f.controller.kind": "cubic", "link.there.queue.kind": "pie"})
    changed = cubic.with_overrides({"flow.f.controller.kind": "ledbat", "link.there.queue.kind": "codel"})
    assert changed.to_dict()["link"][0]["queue"]["target"] == "5 ms"
    assert pickle.loads(pickle.dumps(cubic)).canonical == cubic.canonical
    varied = {"link.there.rate": ["3 Mbit/s"]}
    swept = el.sweep(cubic, varied, out=tmp_path / "swept", workers=1).flows
    alone = cubic.with_overrides({"link.there.rate": "3 Mbit/s"}).run().flows
    assert swept["rtt_s.p99"].tolist() == alone["rtt_s.p99"].tolist()


def test_overrides_are_dicts_pairs_or_texts_as_on_the_command_line(table):
    two_way = el.Scenario(table)
    given = {"link.up.rate": "5 Mbit/s"}
    wanted = two_way.with_overrides(given).canonical
    for same in (list(given.items()), "link.up.rate=5 Mbit/s", ["link.up.rate = 5 Mbit/s"]):
        assert two_way.with_overrides(same).canonical == wanted
    for wrong in (5, "link.up.rate", [1], [("link.up.rate", "5 Mbit/s", "?")], [(1, 2)]):
        with pytest.raises(el.InputError, match="is no override"):
            two_way.with_overrides(wrong)
