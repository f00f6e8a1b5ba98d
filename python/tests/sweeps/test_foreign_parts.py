"""Parts that are not those of the folder's sweep, or are there twice: an error, never numbers."""

from __future__ import annotations

import shutil

import pytest

import eddyline as el

VARY = ("--vary", "link.down.rate=1 Mbit/s,2 Mbit/s")


@pytest.fixture
def swept(eddyline, lossy):
    """Two finished sweeps that differ by an override; gives the command of the first."""
    words = ("sweep", lossy(), *VARY, "--out", "grid", "--table")
    other = ("sweep", lossy(), *VARY, "--out", "other", "-q", "--set", "link.up.rate=100 kbit/s")
    assert [eddyline(*each).code for each in (words, other)] == [0, 0]
    return words


def test_results_without_their_description_are_no_sweep(eddyline, swept, tmp_path):
    shutil.copy(tmp_path / "other" / "sweep.json", tmp_path / "kept.json")
    (tmp_path / "other" / "sweep.json").unlink()
    ran = eddyline(*swept[:4], "--out", "other")
    assert (ran.code, "whose description, sweep.json, is missing" in ran.err) == (2, True)
    assert not (tmp_path / "other" / "sweep.json").exists()
    # the same with its own description back
    shutil.copy(tmp_path / "kept.json", tmp_path / "other" / "sweep.json")
    assert len(el.read_sweep(tmp_path / "other")) == 2


def test_parts_of_another_sweep_are_refused(eddyline, swept, tmp_path):
    shutil.rmtree(tmp_path / "grid" / "parts")
    shutil.copytree(tmp_path / "other" / "parts", tmp_path / "grid" / "parts")
    ran = eddyline(*swept)
    assert (ran.code, ran.out) == (1, "")
    assert "0000001-0000001/points.parquet: of another sweep than the folder" in ran.err
    assert "hint: remove the folder" in ran.err
    with pytest.raises(el.EddylineError, match="of another sweep"):
        el.read_sweep(tmp_path / "grid")
    shutil.rmtree(tmp_path / "grid" / "parts" / "0000001-0000001")
    assert eddyline(*swept).code == 0


@pytest.mark.parametrize("kind", ["flows", "links", "points"])
def test_a_table_of_another_sweep_is_refused(eddyline, swept, tmp_path, kind):
    name = f"parts/0000001-0000001/{kind}.parquet"
    shutil.copy(tmp_path / "other" / name, tmp_path / "grid" / name)
    ran = eddyline(*swept)
    assert (ran.code, ran.out) == (1, "")
    assert f"{kind}.parquet: damaged" in ran.err
    with pytest.raises(el.EddylineError, match="damaged"):
        el.read_sweep(tmp_path / "grid", of=kind)


def test_points_that_are_there_twice_are_refused(eddyline, swept, tmp_path):
    parts = tmp_path / "grid" / "parts"
    shutil.copytree(parts / "0000001-0000001", parts / "0000002-0000002")
    ran = eddyline(*swept)
    assert (ran.code, ran.out) == (1, "")
    assert "0000002-0000002/points.parquet: of points that another part has" in ran.err
    with pytest.raises(el.EddylineError, match="another part has"):
        el.read_sweep(tmp_path / "grid")
    shutil.rmtree(parts / "0000002-0000002")
    assert len(el.read_sweep(tmp_path / "grid")) == 2


def test_a_part_of_another_sweep_over_the_steps_of_others_removes_nothing(eddyline, swept, tmp_path):
    parts = tmp_path / "grid" / "parts"
    shutil.copytree(tmp_path / "other" / "parts" / "0000001-0000001", parts / "0000001-0000002")
    ran = eddyline(*swept)
    assert (ran.code, ran.out) == (1, "")
    assert "0000001-0000002/points.parquet: of another sweep than the folder" in ran.err
    shutil.rmtree(parts / "0000001-0000002")
    again = eddyline(*swept[:-1], "--json")
    assert (again.code, '"ran": 0' in again.out) == (0, True)


def test_a_part_of_another_sweep_below_the_steps_of_others_stays(eddyline, swept, tmp_path):
    parts = tmp_path / "grid" / "parts"
    (parts / "0000001-0000001").rename(parts / "0000001-0000032")
    shutil.copytree(tmp_path / "other" / "parts" / "0000001-0000001", parts / "0000002-0000002")
    ran = eddyline(*swept)
    assert (ran.code, ran.out) == (1, "")
    assert "0000002-0000002/points.parquet: of another sweep than the folder" in ran.err
    # what a killed process was removing has lost a file
    (parts / "0000002-0000002" / "points.sha256").unlink()
    assert eddyline(*swept).code == 0
    assert [each.name for each in parts.iterdir()] == ["0000001-0000001"]


@pytest.mark.parametrize("name", ["0-3", "1-1", "2024-11", "0000000-0000000", "0000003-0000002"])
def test_what_is_named_otherwise_is_no_part(eddyline, swept, tmp_path, name):
    parts = tmp_path / "grid" / "parts"
    shutil.copytree(parts / "0000001-0000001", parts / name)
    assert eddyline(*swept).code == 0
    assert {each.name for each in parts.iterdir()} == {"0000001-0000001", name}
    assert len(el.read_sweep(tmp_path / "grid")) == 2


def shards(eddyline, lossy, number):
    """The parts of two finished shards, whose folders are a and b."""
    words = ("sweep", lossy(), "--vary", "link.down.rate=1 Mbit/s,2 Mbit/s,3 Mbit/s,4 Mbit/s", "--out")
    for folder, shard in (("a", f"1/{number}"), ("b", f"2/{number}")):
        assert eddyline(*words, folder, "--shard", shard, "-q").code == 0
    return (*words, "a", "--shard", f"1/{number}")


@pytest.mark.parametrize("name", ["0000002-0000002", "0000001-0000002"])
def test_points_of_another_shard_are_refused(eddyline, lossy, tmp_path, name):
    words = shards(eddyline, lossy, 2)
    shutil.copytree(tmp_path / "b" / "parts" / "0000001-0000001", tmp_path / "a" / "parts" / name)
    ran = eddyline(*words)
    assert (ran.code, ran.out) == (1, "")
    assert f"{name}/points.parquet: of points of another folder" in ran.err
    with pytest.raises(el.EddylineError, match="of another folder"):
        el.read_sweep(tmp_path / "a")
    shutil.rmtree(tmp_path / "a" / "parts" / name)
    assert len(el.read_sweep(tmp_path / "a")) == 2


def test_points_below_a_part_that_lacks_them_stay(eddyline, lossy, tmp_path):
    """Parts of two shards in a folder of the whole sweep, one over the steps of the other."""
    words = shards(eddyline, lossy, 2)[:5]
    assert eddyline("sweep", "merge", "a", "--out", "whole").out == "2 of 4 points done: whole\n"
    parts = tmp_path / "whole" / "parts"
    shutil.copytree(tmp_path / "b" / "parts" / "0000001-0000001", parts / "0000001-0000002")
    ran = eddyline(*words, "whole")
    assert (ran.code, ran.out) == (1, "")
    assert "0000001-0000001/points.parquet: of points that the part which covers its steps does not have" in ran.err
    (parts / "0000001-0000002").rename(parts / "0000002-0000002")
    again = eddyline(*words, "whole", "--json")
    assert (again.code, '"ran": 0' in again.out) == (0, True)


@pytest.mark.parametrize("growth", [True, False])
def test_what_else_is_in_the_folder_of_a_part_is_kept(eddyline, lossy, tmp_path, growth):
    """Where a grown sweep replaces the part, and where the points that failed in it run again."""
    words = ("sweep", lossy(), "--out", "grid", "-q")
    first = (*words, "--vary", "seed=1..2") if growth else (*words, "--vary", "seed=1..3", "--timeout", "1 us")
    assert eddyline(*first).code == (0 if growth else 1)
    part = tmp_path / "grid" / "parts" / "0000001-0000001"
    (part / "mine").mkdir()
    (part / "mine" / "flows.csv").write_text("mine\n")
    (tmp_path / "grid" / "parts" / "0000001-0000001.left").mkdir()
    assert eddyline(*words, "--vary", "seed=1..3").code == 0
    assert len(el.read_sweep(tmp_path / "grid")) == 3
    names = sorted(each.name for each in part.parent.iterdir())
    assert names == ["0000001-0000001", "0000001-0000001.left", "0000001-0000001.left1"]
    left = part.with_name("0000001-0000001.left1")
    assert [p.relative_to(left).as_posix() for p in left.rglob("*")] == ["mine", "mine/flows.csv"]
    assert not (part / "mine").exists()


def test_a_part_that_is_a_link_grows_and_what_it_leads_to_stays(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--out", "grid", "-q", "--vary")
    assert eddyline(*words, "seed=1..2").code == 0
    part = tmp_path / "grid" / "parts" / "0000001-0000001"
    part.rename(tmp_path / "elsewhere")
    part.symlink_to(tmp_path / "elsewhere")
    assert eddyline(*words, "seed=1..3").code == 0
    assert len(el.read_sweep(tmp_path / "grid")) == 3
    assert (tmp_path / "elsewhere" / "points.parquet").is_file()
