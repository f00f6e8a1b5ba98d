"""Wrong arguments, of the Python interface and of commands, are named before anything runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import eddyline as el

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINKS = [{"name": name, "rate": "10 Mbit/s", "delay": "5 ms"} for name in ("f", "r")]
ARRIVALS = {
    "duration": "3 s",
    "link": LINKS,
    "arrivals": [
        {
            "name": "web",
            "rate": "5 /s",
            "size": {"kind": "fixed", "size": "30 kB"},
            "controller": {"kind": "cubic"},
            "data": ["f"],
            "ack": ["r"],
        }
    ],
}
FLOW = {"name": "x", "data": ["f"], "ack": ["r"], "controller": {"kind": "fast", "alpha": "2 packets"}}


def scenario() -> el.Scenario:
    return el.Scenario({"duration": "1 s", "link": LINKS, "flow": [FLOW]})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda _s, _: el.gauntlet.run("cubic", only=3), "only: names are expected, not 3"),
        (lambda _s, _: el.gauntlet.run("cubic", only="los"), "there is no test 'los'"),
        (lambda _s, _: el.gauntlet.run("cubic", seeds="3"), "seeds: a whole number is expected, not '3'"),
        (lambda _s, _: el.gauntlet.run("cubic", jobs=-1), "jobs: -1; at least 1"),
        (lambda _s, _: el.gauntlet.run("cubic", timeout_s=-1), "timeout_s: -1 s; above 0"),
        (lambda _s, _: el.evaluate("cubic", only="respons"), "respons"),
        (lambda _s, _: el.evaluate("cubic", parameters="x=1"), "parameters: keys with their values are expected"),
        (lambda _s, _: el.evaluate("cubic", jobs=0), "jobs: 0; at least 1"),
        (lambda s, out: el.sweep(s, "x=1", out=out), "vary: keys with their values are expected, not 'x=1'"),
        (lambda s, out: el.sweep(s, {"link.f.rate": ["1 Mbit/s"]}, out=out, seeds="2"), "seeds: a whole number"),
        (lambda s, out: el.sweep(s, {"link.f.rate": ["1 Mbit/s"]}, out=out, timeout_s="30 s"), "timeout_s: a number"),
        (lambda s, out: el.sweep(s, {"link.f.rate": ["1 Mbit/s"]}, out=out, timeout_s=-1), "timeout_s: -1 s"),
        (lambda s, out: el.sweep(s, {"link.f.rate": ["1 Mbit/s"]}, out=out, memory="1 MB"), "memory: a whole number"),
        (lambda s, _: el.sweep(s, {"link.f.rate": ["1 Mbit/s"]}, out=None), "out: a path is expected, not NoneType"),
        (lambda _s, out: el.sweep(3, {"link.f.rate": ["1 Mbit/s"]}, out=out), "scenario: a path is expected, not int"),
        (lambda _s, out: el.merge([], out), "there is no folder to merge"),
        (lambda _s, out: el.merge([None], out), "folders: a path is expected, not NoneType"),
        (lambda _s, out: el.merge([out], None), "out: a path is expected, not NoneType"),
        (lambda _s, _: el.Swept.load(None), "folder: a path is expected, not NoneType"),
        (lambda _s, _: el.gauntlet.Card.load(None), "path: a path is expected, not NoneType"),
        (lambda s, _: s.run(log=True).write_log(None), "path: a path is expected, not NoneType"),
        (lambda s, _: s.run().save(None), "folder: a path is expected, not NoneType"),
        (lambda s, _: el.Results([s.run()]).save(None), "folder: a path is expected, not NoneType"),
        (lambda _s, _: el.register(3), "name: text is expected, not 3"),
        (lambda _s, _: el.register(object), "name: text is expected, not <class 'object'>"),
        (lambda _s, out: el.merge("nowhere", out), "nowhere: holds no sweep"),
        (lambda s, _: el.theory_map(s, "link.f.rate=1..2", "x"), "x: a key and its range are expected"),
        (lambda _s, _: el.advise(8, 2, 30), "down: text with a unit is expected, not 8"),
        (lambda _s, _: el.advise("8 Mbit/s", "2 Mbit/s", "20 ms", wan="eth1"), "wan and lan are both eth1"),
        (lambda _s, _: el.advise("8 Mbit/s", "2 Mbit/s", "20 ms", lan="eth0"), "name the other one too: --wan DEV is"),
        (lambda s, _: s.run(seeds=np.arange(2)), "seeds: a whole number is expected, not array([0, 1])"),
        (lambda s, _: s.run(qlog=b"traces"), "qlog: a path is expected, not bytes"),
        (lambda s, _: s.run(set={"link.f.rate": np.array(["1 Mbit/s"])}), "link.f.rate"),
        (lambda s, _: s.run(set={"flow.x.controller.alpha": math.nan}), "flow.x.controller.alpha: nan is not a finite"),
        (lambda s, _: s.run(set={"flow.x.controller": {"kind": "cubic", "c": math.inf}}), "controller.c: inf is not a"),
        (lambda _s, _: el.Result.load(None), "folder: a path is expected, not NoneType"),
        (lambda _s, _: el.open(None), "path: a path is expected, not NoneType"),
        (lambda _s, _: el.read_sweep(b"grid"), "folder: a path is expected, not bytes"),
        (lambda _s, _: el.advise("8 MB/s", "2 Mbit/s", "30 ms"), 'in bits: "64 Mbit/s"'),
        (lambda s, _: s.with_seed("1"), "seed: a whole number is expected, not '1'"),
        (lambda s, _: s.with_seed(True), "seed: a whole number is expected, not True"),
        (lambda s, _: s.with_overrides({"title": None}), "title: None is no value of a scenario"),
        (lambda _s, _: el.window_after(math.nan, 0.0), "the window is not a finite number, but nan"),
        (lambda _s, _: el.window_after(2.0, 0.0, math.nan), "max_window: a number of packets of at least 1"),
        (lambda _s, _: el.window_after(2.0, 0.0, 0.5), "max_window: a number of packets of at least 1"),
        (lambda s, _: s.check(s.run(seeds=2)), "one result is expected, not <Results"),
        (lambda s, _: s.run("theory", dynamics="jont"), "link models are integrator, ack_clocked"),
        (lambda _s, _: el.Scenario.load({"flow": []}), "path: a path is expected, not dict"),
        (lambda _s, _: el.theory.response("reno", [0.01, 0.1], 0.05), "loss: a number is expected, not [0.01, 0.1]"),
        (lambda _s, _: el.theory.response("reno", 0.01, "50 ms"), "rtt_s: a number is expected, not '50 ms'"),
        (lambda _s, _: el.theory.response("reno", 0.01, 0.1, ack_every=1.5), "ack_every: a whole number is expected"),
        (lambda _s, _: el.theory.response("reno", 0.01, 0.1, ack_every=2 * 10**6), "2000000; at most 1,000,000"),
        (lambda _s, _: el.theory.responses("reno", "0.01", 0.1), "loss: a number is expected, not '0.01'"),
        (lambda _s, _: el.theory.saw_tooth("reno", 1e9, 0.1, 10, flows=1.5), "flows: a whole number is expected"),
        (lambda _s, _: el.theory.saw_tooth("reno", "1e9", 0.1, 10), "rate_bps: a number is expected, not '1e9'"),
        (lambda _s, _: el.theory.saw_teeth("reno", 1e9, 0.1, 1.5), "threshold_packets: a whole number is expected"),
        (lambda _s, _: el.Results([]), "results: at least one result is expected"),
        (lambda s, _: el.Results([s.run()])[1:], "results: at least one result is expected"),
        (lambda s, _: el.env(s, reward=3), "reward: a name or a function is expected, not 3"),
    ],
)
@pytest.mark.filterwarnings("ignore:all 2 results are the same")
def test_a_wrong_argument_is_named(call: Callable[[Any, Path], object], said: str, tmp_path: Path) -> None:
    with pytest.raises(el.InputError) as caught:
        call(scenario(), tmp_path / "out")
    assert said in str(caught.value) + (caught.value.hint or "")
    assert not (tmp_path / "out").exists()


def test_one_name_may_stand_alone() -> None:
    card = el.gauntlet.run("newreno", only="line-100k", seeds=1)
    assert [verdict.name for verdict in card.verdicts] == ["line-100k"]


def test_numbers_of_theory_may_be_those_of_numpy() -> None:
    whole, rtt = np.int64(2), np.float32(0.125)
    several = el.theory.responses(["reno"], np.array([0.01, 0.02]), rtt, packet_bytes=np.int64(1500), ack_every=whole)
    assert several.to_dict() == el.theory.responses("reno", [0.01, 0.02], 0.125, ack_every=2).to_dict()
    path = {"flows": whole, "packet_bytes": np.int64(1500)}
    teeth = el.theory.saw_teeth(["dctcp"], np.float32(1e9), rtt, np.int64(6000), **path)
    assert teeth.to_dict() == el.theory.saw_teeth("dctcp", 1e9, 0.125, 6000, flows=2).to_dict()


def test_results_without_flows_have_a_picture_in_notebooks() -> None:
    assert "means of 2 results" in el.Scenario(ARRIVALS).run(seeds=2)._repr_html_()


@pytest.mark.parametrize("words", ["run a.toml --set", "theory map a.toml --x", "sweep a.toml --plot"])
def test_an_option_without_its_value_names_the_help_of_its_command(eddyline, words):
    *_, option = words.split()
    command = words.partition(" a.toml")[0]
    ran = eddyline(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: Option '{option}' requires an argument.\nhint: eddyline {command} --help\n"
