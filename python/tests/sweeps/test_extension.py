"""A sweep grows, is cut into shards and joined again: in the end it has the bytes of the sweep made at once."""

from __future__ import annotations

import json
import shutil
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import eddyline as el
import eddyline.parquet as parquet
from eddyline.sweeps.listener import SweepListener
from eddyline.sweeps.manifest import EXTENSION
from eddyline.sweeps.merge import merge

from .conftest import WATCHED

if TYPE_CHECKING:
    from collections.abc import Callable

RATES = ("link.down.rate=1 Mbit/s,2 Mbit/s", "link.down.rate=1 Mbit/s,1500 kbit/s,2 Mbit/s")


def whole(folder: Path) -> dict[str, bytes]:
    """All that a folder holds."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def summary(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize("more", ["", WATCHED])
def test_extended_twice_it_equals_the_sweep_made_at_once(eddyline, lossy, tmp_path, more):
    path = lossy(more=more)
    steps = [
        (2, ("--vary", RATES[0])),
        (4, ("--vary", RATES[0], "--seeds", 2)),
        (9, ("--vary", RATES[1], "--seeds", 3)),
        (27, ("--vary", RATES[1], "--vary", "link.up.delay=10 ms,20 ms,30 ms", "--seeds", 3)),
    ]
    before = 0
    for points, words in steps:
        d = summary(eddyline("sweep", path, *words, "--out", "grown", "--json"))
        assert (d["points"], d["done"], d["ran"]) == (points, points, points - before)
        before = points
    assert summary(eddyline("sweep", path, *steps[-1][1], "--out", "once", "--json"))["ran"] == 27
    assert whole(tmp_path / "grown") == whole(tmp_path / "once")
    assert el.read_sweep(tmp_path / "grown").equals(el.read_sweep(tmp_path / "once"))


def test_a_column_becomes_text_when_a_value_is(eddyline, lossy, tmp_path):
    path, key = lossy(), "link.down.loss"
    words = ("sweep", path, "--vary", f"{key}=0.01", "--vary", "seed=3,4")
    assert eddyline(*words, "--out", "grown").code == 0
    more = ("sweep", path, "--vary", "seed=4,3,9", "--vary", f"{key}={{ kind = 'periodic'\\, every = 9 }},0.01")
    assert summary(eddyline(*more, "--out", "grown", "--json"))["ran"] == 4  # also in another order
    assert eddyline(*more, "--out", "once").code == 0
    assert whole(tmp_path / "grown") == whole(tmp_path / "once")
    assert list(el.read_sweep(tmp_path / "grown")[key])[:2] == ["{ kind = 'periodic', every = 9 }", "0.01"]


def test_an_unfinished_sweep_grows_and_failures_run_again(lossy, tmp_path):
    path, folder = lossy(), tmp_path / "g"

    class Stop(el.EddylineError):
        pass

    class Impatient:
        def checking(self, done, total): ...
        def started(self, points, stored): ...
        def update(self, done, failed):  # noqa: ARG002
            if done >= 5:
                raise Stop("enough")

    with pytest.raises(Stop):
        el.sweep(path, {"seed": "1..40"}, out=folder, listener=Impatient())
    with pytest.warns(UserWarning, match="unfinished"):
        stored = len(el.read_sweep(folder))
    assert 5 <= stored <= 40
    swept = el.sweep(path, {"seed": "1..50"}, out=folder)
    assert (swept.done, swept.ran) == (50, 50 - stored)
    el.sweep(path, {"seed": "1..50"}, out=tmp_path / "once")
    assert whole(folder) == whole(tmp_path / "once")


@pytest.mark.parametrize(
    ("vary", "set", "said"),
    [
        ({"link.down.rate": ["1 Mbit/s"]}, {}, "link.down.rate=1 Mbit/s,2 Mbit/s, now 1 Mbit/s"),
        ({"link.up.delay": ["1 ms", "2 ms"]}, {}, "now (not varied)"),
        ({"link.down.rate": ["1 Mbit/s", "2 Mbit/s"], "link.up.delay": ["1 ms", "2 ms"]}, {}, "link.up.delay"),
        ({"link.down.rate": ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s"]}, {"link.up.delay": "1 ms"}, "--set"),
    ],
)
def test_another_sweep_is_no_extension(lossy, tmp_path, vary, set, said):
    el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=tmp_path / "g")
    before = whole(tmp_path / "g")
    with pytest.raises(el.InputError, match="holds another sweep") as e:
        el.sweep(lossy(), vary, set=set, out=tmp_path / "g")
    assert said in str(e.value)
    assert "a sweep grows when all of its points are in the new one" in e.value.hint
    assert whole(tmp_path / "g") == before


@pytest.mark.parametrize("harm", ["changed", "no scenario", "missing"])
def test_a_stored_scenario_that_is_not_the_sweep_s_is_named(lossy, tmp_path, harm):
    path = lossy()
    el.sweep(path, {"seed": "1..2"}, out=tmp_path / "g")
    stored = tmp_path / "g" / "scenario.toml"
    said = "not the scenario that this sweep was made of"
    if harm == "missing":
        stored.unlink()
        said = "missing"
    else:
        stored.write_text({"changed": path.read_text().replace("2 Mbit/s", "3 Mbit/s"), "no scenario": "["}[harm])
    with pytest.raises(el.InputError) as e:
        el.sweep(path, {"seed": "1..3"}, out=tmp_path / "g")
    assert str(e.value) == f"{stored}: {said}"
    shutil.copyfile(path, stored)
    assert e.value.hint.startswith("a copy of that scenario as scenario.toml mends the folder; ")
    assert el.sweep(path, {"seed": "1..3"}, out=tmp_path / "g").done == 3


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_scenario_that_needs_its_varied_key_grows(lossy, tmp_path, ends):
    """It is identified by its text."""
    path = lossy(('rate = "2 Mbit/s"\n', ""))
    path.write_bytes(path.read_bytes().replace(b"\n", ends.encode()))
    el.sweep(path, {"link.down.rate": ["1 Mbit/s"]}, out=tmp_path / "g")
    assert (tmp_path / "g" / "scenario.toml").read_bytes() == path.read_bytes()
    more = {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}
    assert el.sweep(path, more, out=tmp_path / "g").ran == 1
    el.sweep(path, more, out=tmp_path / "at once")
    assert whole(tmp_path / "g") == whole(tmp_path / "at once")


@pytest.mark.parametrize("place", ["in the folder", "elsewhere"])
def test_an_edited_copy_of_the_stored_scenario_is_another_one(lossy, tmp_path, place):
    """The stored points are of the scenario as it was, whatever the file in the folder says now."""
    el.sweep(lossy(), {"seed": "1..2"}, out=tmp_path / "g")
    stored = tmp_path / "g" / "scenario.toml"
    stored.write_text(stored.read_text().replace("2 Mbit/s", "3 Mbit/s"))
    edited = stored if place == "in the folder" else Path(shutil.copy(stored, tmp_path / "edited.toml"))
    before = whole(tmp_path / "g")
    for seeds in ("1..2", "1..3"):  # the same points, and more
        with pytest.raises(el.InputError, match="not the scenario that this sweep was made of"):
            el.sweep(edited, {"seed": seeds}, out=tmp_path / "g")
    assert whole(tmp_path / "g") == before
    assert el.sweep(edited, {"seed": "1..2"}, out=tmp_path / "h").ran == 2


def test_a_sweep_without_a_title_grows(lossy, tmp_path):
    path = lossy(('title = "lossy"\n', ""))
    el.sweep(path, {"seed": "1..2"}, out=tmp_path / "g")
    assert el.sweep(path, {"seed": "1..3"}, out=tmp_path / "g").ran == 1


def test_cut_off_at_any_step_an_extension_is_old_or_new(lossy, tmp_path, monkeypatch):
    path = lossy()
    el.sweep(path, {"seed": "1..3"}, out=tmp_path / "old")
    el.sweep(path, {"seed": "1..6"}, out=tmp_path / "new")
    states, step = [], 0
    while True:
        step += 1
        folder = tmp_path / f"cut-{step}"
        shutil.copytree(tmp_path / "old", folder)
        (folder / "parts" / "0000001-0000001" / "mine.txt").write_text("mine")
        if not _cut_at(step, monkeypatch, partial(el.sweep, path, {"seed": "1..6"}, out=folder, workers=1)):
            break
        with pytest.warns(UserWarning, match="unfinished") if _unfinished(folder) else _nothing():
            seeds = list(el.read_sweep(folder)["seed"])
        assert seeds == sorted(set(seeds)) >= [1, 2, 3], step
        states.append((folder / EXTENSION).exists())
        assert el.sweep(path, {"seed": "1..6"}, out=folder, workers=1).done == 6, step
        (left,) = folder.glob("parts/*.left")
        assert [(p.name, p.read_text()) for p in left.iterdir()] == [("mine.txt", "mine")], step
        shutil.rmtree(left)
        assert whole(folder) == whole(tmp_path / "new"), step
    assert step > 10
    assert True in states
    assert False in states


def _cut_at(step: int, monkeypatch, work: Callable[[], object]) -> bool:
    """Whether the power went off in some work: every rename and every written file is a step at which it may."""

    class Cut(BaseException):
        pass

    left = step
    with monkeypatch.context() as power:

        def wired(real):
            def call(*args, **options):
                nonlocal left
                left -= 1
                if left <= 0:
                    raise Cut
                return real(*args, **options)

            return call

        files = ((Path, "rename"), (Path, "replace"), (Path, "unlink"), (parquet, "write"), (shutil, "rmtree"))
        for owner, name in files:
            power.setattr(owner, name, wired(getattr(owner, name)))
        try:
            work()
        except Cut:
            return True
    return False


def _unfinished(folder: Path) -> bool:
    from eddyline.sweeps import manifest
    from eddyline.sweeps.frame import read_table

    document = manifest.read(folder)
    assert document is not None
    return len(read_table(folder, "points", manifest.grid_of(document))) < document["points"]


def _nothing():
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize("more", ["", WATCHED])
def test_shards_are_merged_into_the_sweep_made_at_once(eddyline, lossy, tmp_path, more):
    path = lossy(more=more)
    words = ("sweep", path, "--vary", RATES[1], "--seeds", 5)
    assert eddyline(*words, "--out", "once").code == 0
    for i in (1, 2, 3):
        ran = eddyline(*words, "--shard", f"{i}/3", "--out", f"shard-{i}")
        assert (ran.code, ran.out) == (0, f"5 of 5 points done: shard-{i}\n"), ran.err
        assert len(el.read_sweep(tmp_path / f"shard-{i}")) == 5  # and no warning that points are missing
    part = eddyline("sweep", "merge", "shard-3", "shard-1", "--out", "grid")
    assert (part.code, part.out) == (1, "10 of 15 points done: grid\n")
    d = summary(eddyline("sweep", "merge", "shard-2", "--out", "grid", "--json"))
    assert (d["points"], d["done"], d["ran"]) == (15, 15, 5)
    assert whole(tmp_path / "grid") == whole(tmp_path / "once")
    assert eddyline(*words, "--out", "grid").out == "15 of 15 points done, 15 of them earlier: grid\n"
    # what a missing shard lacks, the sweep itself runs
    merge([tmp_path / "shard-1"], tmp_path / "rest")
    assert el.sweep(path, {"link.down.rate": RATES[1].split("=")[1]}, seeds=5, out=tmp_path / "rest").ran == 10
    assert whole(tmp_path / "rest") == whole(tmp_path / "once")


@pytest.mark.parametrize("given", [("a", "b", "c"), ("b", "c")])
def test_a_shard_becomes_the_whole_sweep_by_a_merge(given, eddyline, lossy, tmp_path):
    path = lossy()
    words = ("sweep", path, "--vary", RATES[1], "--seeds", 4)
    for index, name in enumerate("abc", 1):
        assert eddyline(*words, "--shard", f"{index}/3", "--out", name, *(["--csv"] if name == "a" else [])).code == 0
    part = eddyline("sweep", "merge", "b", "--out", "a")
    assert (part.code, part.out) == (1, "8 of 12 points done, 4 of them earlier: a\n")
    with pytest.warns(UserWarning, match="a: unfinished: 4 of 12 points are missing"):
        assert len(el.read_sweep(tmp_path / "a")) == 8
    assert eddyline("sweep", "merge", *given, "--out", "a").out == "12 of 12 points done, 8 of them earlier: a\n"
    assert eddyline(*words, "--out", "once", "--csv").code == 0
    assert whole(tmp_path / "a") == whole(tmp_path / "once")
    assert eddyline(*words, "--out", "a").out == "12 of 12 points done, 12 of them earlier: a\n"
    larger = ("sweep", path, "--vary", RATES[1], "--seeds", 5, "--json")
    assert summary(eddyline(*larger, "--out", "a"))["ran"] == 3


def test_cut_off_at_any_step_a_merge_into_a_shard_can_be_repeated(lossy, tmp_path, monkeypatch):
    for index in (1, 2):
        el.sweep(lossy(), {"seed": "1..6"}, out=tmp_path / str(index), shard=(index, 2))
    el.sweep(lossy(), {"seed": "1..6"}, out=tmp_path / "once")
    cut, step = True, 0
    while cut:
        step += 1
        folder = tmp_path / f"cut-{step}"
        shutil.copytree(tmp_path / "1", folder)
        cut = _cut_at(step, monkeypatch, partial(merge, [tmp_path / "2"], folder))
        with warnings.catch_warnings(action="ignore"):
            assert len(el.read_sweep(folder)) in (3, 6), step
        assert merge([tmp_path / "2"], folder).done == 6, step
        assert whole(folder) == whole(tmp_path / "once"), step
    assert step > 5


def test_shards_and_merges_that_do_not_fit_are_refused(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--vary", RATES[0])
    assert eddyline(*words, "--shard", "1/2", "--out", "a").code == 0
    all_of_it = eddyline(*words, "--out", "a")
    assert (all_of_it.code, "hint: a shard does not grow: merge" in all_of_it.err) == (2, True)
    elsewhere = eddyline(*words, "--shard", "1/2", "--world", "theory", "--out", "a")
    assert (elsewhere.code, "a shard does not grow" in elsewhere.err) == (2, False)
    other = eddyline(*words, "--shard", "2/2", "--out", "a")
    assert (other.code, "--shard 1/2, now --shard 2/2" in other.err) == (2, True)
    larger = eddyline(*words, "--seeds", 2, "--shard", "1/2", "--out", "a")
    assert (larger.code, "holds another sweep" in larger.err) == (2, True)
    for wrong in ("0/2", "3/2", "1", "a/b", "1/2/3"):
        assert eddyline(*words, "--shard", wrong, "--out", "b").code == 2
    assert eddyline(*words, "--seeds", 2, "--out", "b").code == 0
    mixed = eddyline("sweep", "merge", "a", "b", "--out", "c")
    assert (mixed.code, "b: not of the same sweep as a, which had\n  seeds 1, now 2" in mixed.err) == (2, True)
    assert "hint: the eddyline sweep of one of them, with the same files and controllers, runs" in mixed.err
    nothing = eddyline("sweep", "merge", "nowhere", "--out", "c")
    assert (nothing.code, "nowhere: holds no sweep" in nothing.err) == (2, True)
    assert not (tmp_path / "c").exists()
    with pytest.raises(el.InputError, match="shard 3/2"):
        el.sweep(lossy(), {"seed": [1]}, out=tmp_path / "d", shard=(3, 2))


def test_shards_whose_scenario_or_files_were_changed_are_not_merged(lossy, tmp_path):
    model = '[[traffic]]\nname = "film"\npath = ["down"]\nmodel = { kind = "trace", file = "film.dat" }\n'
    (tmp_path / "film.dat").write_text("0 1000\n40 2000\n")
    path = lossy(('title = "lossy"\n', ""), more=model)
    shards = [tmp_path / "1", tmp_path / "2"]
    for n, folder in enumerate(shards, 1):
        el.sweep(path, {"seed": "1..4"}, out=folder, shard=(n, 2))
    (copy,) = (shards[1] / "files").iterdir()
    stored = shards[1] / "scenario.toml"
    harms = (
        (stored, path.read_text().replace("2 Mbit/s", "3 Mbit/s"), f"{stored}: not the scenario that this sweep was"),
        (stored, "[", f"{stored}: not the scenario that this sweep was"),
        (stored, None, f"{stored}: missing"),
        (copy, "0 1\n", f"{shards[1]}: files/{copy.name}, the copy of film.dat, has changed"),
    )
    for file, content, said in harms:
        before = file.read_bytes()
        if content is None:
            file.unlink()
        else:
            file.write_text(content)
        with pytest.raises(el.InputError) as e:
            merge(shards, tmp_path / "whole")
        assert str(e.value).startswith(said)
        assert "mends the folder" in e.value.hint
        assert not (tmp_path / "whole").exists()
        file.write_bytes(before)
    assert merge(shards, tmp_path / "whole").done == 4


def test_a_line_a_minute_where_there_is_no_terminal(monkeypatch, capsys):
    from eddyline.cli import sweep as command

    now = [0.0]
    monkeypatch.setattr(command.time, "monotonic", lambda: now[0])
    bar = command.Bar(silent=False)
    bar.started(1000, 100)
    for second in range(1, 200):
        now[0] = float(second)
        bar.update(100 + 2 * second, 1)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == [
        "sweep, 1 failed: 221 of 1,000, 2.02/s, 0:06:26 left",
        "sweep, 1 failed: 341 of 1,000, 2.01/s, 0:05:28 left",
        "sweep, 1 failed: 461 of 1,000, 2.01/s, 0:04:29 left",
    ]
    quiet = command.Bar(silent=True)
    quiet.started(1000, 0)
    now[0] = 900.0
    quiet.update(5, 0)
    assert capsys.readouterr().err == ""


def test_a_point_that_takes_too_long_has_failed(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--vary", "duration=1 s,4000 h", "--out", "grid")
    ran = eddyline(*words, "--timeout", "500 ms", "--json")
    assert ran.code == 1
    d = json.loads(ran.out)
    assert (d["done"], d["failed"]) == (1, 1)
    assert d["failures"][0]["why"] == "timeout: not finished after 0.5 s"
    with pytest.warns(UserWarning, match="1 of 2 points failed"):
        points = el.read_sweep(tmp_path / "grid", of="points")
    assert list(points["failure"].isna()) == [True, False]
    for wrong in ("0", "-1 s", "5 Mbit/s", "soon"):
        assert eddyline(*words, "--timeout", wrong).code == 2


def test_a_point_in_the_middle_of_a_burst_times_out(eddyline, lossy):
    """A window of 1e15 packets is sent in one event."""
    fast = ("--set", 'flow.*.controller={ kind = "fast", alpha = "10 packets" }')
    vary = ("--vary", "flow.*.controller.min_window=2 packets,1e15 packets")
    words = ("--out", "grid", "--timeout", "1 s", "--memory", "1000000 GB", "--json")
    ran = eddyline("sweep", lossy(), *fast, *vary, *words)
    d = json.loads(ran.out)
    assert (ran.code, d["done"], d["failed"]) == (1, 1, 1)
    assert d["failures"][0]["why"] == "timeout: not finished after 1 s"


def test_a_point_beyond_its_memory_has_failed(eddyline, lossy):
    """A window of 10 GB fails, its neighbour is stored."""
    window = "flow.*.controller.min_window=2 packets,9e6 packets"
    fast = ("--set", 'flow.*.controller={ kind = "fast", alpha = "10 packets" }')
    words = (
        "sweep",
        lossy(),
        "--vary",
        window,
        *fast,
        "--set",
        "link.*.queue.limit=unlimited",
        "--out",
        "grid",
        "--json",
    )
    ran = eddyline(*words, "--memory", "64 MiB")
    assert ran.code == 1
    d = json.loads(ran.out)
    assert (d["done"], d["failed"]) == (1, 1)
    assert "out of memory" in d["failures"][0]["why"]
    assert eddyline(*words, "--memory", "64 pounds").code == 2


@pytest.mark.parametrize("name", ["film.dat", "./film.dat", "../film.dat", "whole"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_file_that_changes_during_a_sweep_is_read_as_it_was_stored(lossy, tmp_path, monkeypatch, name, inside):
    film = (tmp_path / name).resolve() if name != "whole" else tmp_path / "film.dat"
    film.write_text("1000\n2000\n")
    model = f'model = {{ kind = "trace", file = "{film if name == "whole" else name}" }}'
    path = lossy(more=f'\n[[traffic]]\nname = "film"\npath = ["down"]\n{model}\n')
    monkeypatch.chdir(tmp_path)
    given = path.name if inside else path

    class Changing(SweepListener):
        def started(self, *_: int) -> None:
            film.write_text("8000\n9000\n")

    el.sweep(given, {"seed": "1..3"}, out="once", workers=1)
    el.sweep(given, {"seed": "1..3"}, out="grid", workers=1, listener=Changing())
    assert el.read_sweep("grid", of="traffic").equals(el.read_sweep("once", of="traffic"))


@pytest.mark.parametrize("of_python", [False, True])
def test_a_stored_scenario_is_swept_with_its_copies(eddyline, lossy, tmp_path, of_python):
    """A film named by a relative path and one named by an absolute path, both gone."""
    films = [tmp_path / "film.dat", tmp_path / "data" / "film.dat"]
    more = ""
    for name, film in zip(("film.dat", films[1]), films, strict=True):
        film.parent.mkdir(exist_ok=True)
        film.write_text("1000\n2000\n")
        model = f'model = {{ kind = "trace", file = "{name}" }}'
        more += f'\n[[traffic]]\nname = "{film.parent.name} film"\npath = ["down"]\n{model}\n'
    path = lossy(more=more)
    once = el.sweep(path, {"seed": "1..3"}, out=tmp_path / "once", workers=1)
    el.Scenario.load(path).run(series=False).save(tmp_path / "kept")
    for film in films:
        film.unlink()
    kept = tmp_path / "kept" / "scenario.json"
    for seeds in ("1,2", "1,2,3"):  # the second grows the first
        if of_python:
            swept = el.sweep(el.Scenario.load(kept), {"seed": seeds.split(",")}, out=tmp_path / "grid", workers=1)
            assert not swept.failures, swept.failures
        else:
            words = ("--vary", f"seed={seeds}", "--out", "grid", "--workers", 1)
            ran = eddyline("sweep", kept, *words)
            assert ran.code == 0, ran.err
    assert el.read_sweep(tmp_path / "grid", of="traffic").equals(once.read("traffic"))


def test_a_merge_says_what_runs_failed_points_again(eddyline, lossy):
    flood = '\n[[traffic]]\nname = "flood"\npath = ["down"]\nmodel = { kind = "cbr", rate = "900 kbit/s" }\n'
    grid = ["sweep", lossy(more=flood), "--vary", "traffic.flood.model.rate=0.9 Mbit/s,3 Mbit/s,4 Mbit/s"]
    grid += ["--world", "theory", "--quiet", "--set", "link.down.loss=0.0"]
    grid += ["--set", "flow.download.controller={ kind = 'fast', alpha = '10 packets' }"]
    for shard in (1, 2):  # theory has no equilibrium of more than the link carries
        assert eddyline(*grid, "--shard", f"{shard}/2", "--out", f"s{shard}").code == 1
    merged = eddyline("sweep", "merge", "s1", "s2", "--out", "m")
    assert merged.code == 1
    assert "2 points failed; the same sweep without --shard runs what failed again\n" in merged.err
    assert "2 points failed; the same command runs what failed again\n" in eddyline(*grid, "--out", "m").err


@pytest.mark.parametrize("inside", [(), ("scenario.toml",)])
def test_what_is_no_extension_is_refused_and_changes_nothing(lossy, tmp_path, inside):
    folder = tmp_path / "out"
    vary = {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}
    el.sweep(lossy(), vary, out=folder)
    (folder / EXTENSION).mkdir()
    for name in inside:
        (folder / EXTENSION / name).write_text("")
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(el.InputError, match=r"\.extension: lacks sweep\.json") as caught:
        el.sweep(lossy(), vary, out=folder)
    assert caught.value.hint == "remove it"
    assert sorted(path.name for path in folder.iterdir()) == before
