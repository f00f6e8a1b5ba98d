"""Lists and ranges of values, with one grammar wherever they are given."""

from __future__ import annotations

import re

import pytest

import eddyline as el
from eddyline.ranges import integers, values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1..4", ("1", "2", "3", "4")),
        ("0,2..4,9", ("0", "2", "3", "4", "9")),
        ("1..4:4", ("1", "2", "3", "4")),
        ("0.1..0.4:4", ("0.1", "0.2", "0.3", "0.4")),
        ("1 Mbit/s..4 Mbit/s:3", ("1 Mbit/s", "2.5 Mbit/s", "4 Mbit/s")),
        ("1 Mbit/s..4Mbit/s:3:linear", ("1 Mbit/s", "2.5 Mbit/s", "4 Mbit/s")),
        ("500 kbit/s..2 Mbit/s:3:log", ("0.5 Mbit/s", "1 Mbit/s", "2 Mbit/s")),
        ("1 ms..1 s:4:log", ("0.001 s", "0.01 s", "0.1 s", "1 s")),
        ("0.1 %..1 %:2", ("0.1 %", "1 %")),
        ("1e-7..1e-5:3:log", ("0.0000001", "0.000001", "0.00001")),
        ("../a.dat,../b.dat", ("../a.dat", "../b.dat")),
        (r"['x'\, 'y'],['z']", ("['x', 'y']", "['z']")),
        ("fast,cubic", ("fast", "cubic")),
    ],
)
def test_values(text, expected):
    assert values("--vary k", text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 Mbit/s..4 Mbit/s", "how many values"),
        ("1..4:1", "allowed are 2 to 10,000"),
        ("1..4:x", "'x' is no number of values"),
        ("1..4:3:lin", "'lin' is no spacing"),
        ("1..4:3:log:log", "no spacing"),
        ("0..4:3:log", "above 0"),
        ("4..1", "above the lower"),
        ("4..4:2", "above the lower"),
        ("1 Mbit/s..4 ms:3", "one quantity"),
        ("1..4 ms:3", "one quantity"),
        ("1..20000", "more than 10,000"),
    ],
)
def test_what_is_wrong_is_said(text, said):
    with pytest.raises(el.InputError, match=said) as e:
        values("--vary k", text)
    assert str(e.value).startswith("--vary k: ")


def test_more_values_than_a_range_may_have_are_several_ranges():
    with pytest.raises(el.InputError) as e:
        values("--vary k", "1..20000")
    assert e.value.hint == "LO..HI:N takes N of them; a list may hold several ranges, as in 1..10000,10001..20000"
    assert values("--vary k", "1..10000,10001..20000") == tuple(map(str, range(1, 20001)))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("link.up.rate", "500 kbit/s..7 Mbit/s:9:log"),
        ("link.up.rate", "1 Mbit/s..9 Mbit/s:7"),
        ("flow.download.controller.gamma", "0.05..0.7:11"),
    ],
)
def test_a_sweep_and_a_map_take_the_same_points(scenario, key, text):
    mapped = el.theory_map(el.Scenario.load(scenario()), (key, text), ("link.down.rate", ["9 Mbit/s", "10 Mbit/s"]))
    assert list(values(key, text)) == mapped.x.settings


def test_every_integer_in_maps_too(scenario):
    ends = ("flow.upload.controller.alpha", "7 packets..9 packets:3"), ("link.down.rate", ["9 Mbit/s", "10 Mbit/s"])
    assert el.theory_map(el.Scenario.load(scenario()), *ends).x.values == [7, 8, 9]
    count = ("flow.upload.count", "1..3")
    assert el.theory_map(el.Scenario.load(scenario()), count, ends[1]).x.settings == ["1", "2", "3"]
    assert integers("x", "1..3:2") == "1..3:2"
    assert integers("x", "0.5..3") == "0.5..3"


def test_ranges_of_seeds(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--vary", "link.down.rate=1 Mbit/s", "--out", "grid")
    assert eddyline(*words, "--seeds", "5..8").code == 0
    assert list(el.read_sweep(tmp_path / "grid")["seed"]) == [5, 6, 7, 8]
    assert eddyline(*words, "--seeds", "4..9").out == "6 of 6 points done, 4 of them earlier: grid\n"
    seeds = re.findall(r'^  "seed": (\d+),$', eddyline("run", lossy(), "--seeds", "5..7", "--json").out, re.MULTILINE)
    assert seeds == ["5", "6", "7"]
    for wrong in ("7..5", "a..b", "1..", "0", "1..9999999", "1,2"):
        assert eddyline("run", lossy(), "--seeds", wrong).code == 2
    assert eddyline("run", lossy(), "--seeds", "5..7", "--seed", "1").code == 2


def test_ranges_on_the_command_line_and_in_python(eddyline, lossy, tmp_path):
    words = ("--vary", "link.down.rate=1 Mbit/s..3 Mbit/s:3", "--vary", "seed=1..4")
    ran = eddyline("sweep", lossy(), *words, "--out", "grid")
    assert (ran.code, ran.out) == (0, "12 of 12 points done: grid\n"), ran.err
    frame = el.read_sweep(tmp_path / "grid")
    assert list(frame["seed"]) == [1, 2, 3, 4] * 3
    assert list(frame["link.down.rate"].unique()) == ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s"]
    vary = {"link.down.rate": "1 Mbit/s..3 Mbit/s:3", "seed": "1..4"}
    assert el.sweep(lossy(), vary, out=tmp_path / "grid").ran == 0
    wrong = eddyline("sweep", lossy(), "--vary", "link.down.rate=1 Mbit/s..3 Mbit/s", "--out", "other")
    assert wrong.code == 2
    assert "--vary link.down.rate: 1 Mbit/s..3 Mbit/s: how many values?" in wrong.err
