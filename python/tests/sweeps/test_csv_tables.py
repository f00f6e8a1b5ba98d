"""Whose a CSV in a sweep's folder is: tables that were written are renewed, files of the user stay."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

import eddyline as el

NOTES = "my notes\n"


def stays(path: Path) -> str:
    return f"note: {path} is not as --csv wrote it and stays as it is\n"


def test_a_file_with_the_name_of_a_table_stays(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--out", "grid", "--no-progress", "--vary")
    assert eddyline(*words, "seed=1,2").code == 0
    notes = tmp_path / "grid" / "flows.csv"
    notes.write_text(NOTES)
    for values in ("1,2", "1,2,3"):  # the same again, and grown
        ran = eddyline(*words, f"seed={values}")
        assert (ran.code, ran.err) == (0, stays(Path("grid/flows.csv"))), values
        assert eddyline(*words, f"seed={values}", "--quiet").err == ""
    with pytest.warns(UserWarning, match=r"flows\.csv is not as write_csv\(\) wrote it and stays as it is"):
        swept = el.sweep(lossy(), {"seed": "1..4"}, out=tmp_path / "grid")
    ran = eddyline(*words, "seed=1,2,3,4,5", "--csv")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: grid/flows.csv: exists and is no table that --csv writes\nhint: move it to another place\n"
    )
    with pytest.raises(el.InputError, match=r"flows\.csv: exists and is no table"):
        swept.write_csv()
    assert [p.name for p in (tmp_path / "grid").glob("*.csv*")] == ["flows.csv"]
    assert (notes.read_text(), swept.done, len(el.read_sweep(tmp_path / "grid"))) == (NOTES, 4, 4)  # nothing ran


def test_a_file_with_the_name_of_a_table_stays_in_a_shard_that_is_merged_into(eddyline, lossy, tmp_path):
    for name, more in (("a", ()), ("b", ()), ("c", ("--csv",))):
        shard = f"{'abc'.index(name) + 1}/3"
        assert eddyline("sweep", lossy(), "--vary", "seed=1..6", "--shard", shard, "--out", name, *more).code == 0
    for name, table in (("a", "flows.csv"), ("c", "links.csv")):
        (tmp_path / name / table).write_text(NOTES)
        ran = eddyline("sweep", "merge", "a", "b", "c", "--out", name)
        assert (ran.code, ran.err) == (0, stays(Path(name, table)))
        assert (tmp_path / name / table).read_text() == NOTES
    assert [p.name for p in (tmp_path / "a").glob("*.csv*")] == ["flows.csv"]
    assert len(pd.read_csv(tmp_path / "c" / "flows.csv")) == len(pd.read_csv(tmp_path / "c" / "points.csv")) == 6


def test_a_table_that_is_write_protected_is_refused_before_the_run(eddyline, lossy, tmp_path, monkeypatch):
    words, grid = ("sweep", lossy(), "--out", "grid", "--no-progress", "--vary"), tmp_path / "grid"
    assert eddyline(*words, "seed=1,2", "--csv").code == 0
    table, access = grid / "flows.csv", os.access
    # root may write everything
    monkeypatch.setattr(os, "access", lambda path, *more: Path(path).name != table.name and access(path, *more))
    with pytest.raises(el.InputError, match=r"flows\.csv: is write-protected, and is to be written anew"):
        el.sweep(lossy(), {"seed": "1..4"}, out=grid)
    assert len(el.read_sweep(grid)) == 2, "nothing ran"
    swept = el.sweep(lossy(), {"seed": "1..2"}, out=grid)  # nothing is to be written
    with pytest.raises(el.InputError, match=r"flows\.csv: is write-protected"):
        swept.write_csv()
    monkeypatch.undo()
    # tables as they were written before the sweep grew
    before = {path: path.read_bytes() for path in (*grid.glob("*.csv"), grid / "csv.sha256")}
    el.sweep(lossy(), {"seed": "1..3"}, out=grid)
    for path, content in before.items():
        path.write_bytes(content)
    ran = eddyline("verify", "grid")
    assert ran.code == 1
    said = (
        "flows.csv: stored the table of an earlier call, now other rows; the same eddyline sweep with --csv renews it"
    )
    assert said in ran.out
    assert "now changed" not in ran.out


@pytest.mark.parametrize("changed", ["column in front", "column", "row", "row of points"])
def test_a_table_in_csv_that_was_changed_stays(changed, eddyline, lossy, tmp_path):
    words, grid = ("sweep", lossy(), "--out", "grid", "--no-progress", "--vary"), tmp_path / "grid"
    assert eddyline(*words, "seed=1,2", "--csv").code == 0
    table = grid / ("points.csv" if "points" in changed else "flows.csv")
    lines = table.read_text().splitlines()
    with table.open("w") as file:
        for line in lines[:-1] if "row" in changed else lines:
            print({"column": f"{line},mine", "column in front": f"mine,{line}"}.get(changed, line), file=file)
    before = table.read_text()
    for _ in range(2):
        ran = eddyline(*words, "seed=1,2,3")
        assert ran.err.replace(stays(Path("grid", table.name)), "") == "", ran.err
    assert table.read_text() == before
    assert len(pd.read_csv(grid / "links.csv")) == 2 * 3
    # asked for, it replaces a table of its own, but none with other columns
    ran = eddyline(*words, "seed=1,2,3", "--csv")
    assert ran.code == (0 if "row" in changed else 2), ran.err
    if "column" in changed:
        assert "grid/flows.csv: exists and is no table that --csv writes" in ran.err
        assert table.read_text() == before
        table.unlink()
    ran = eddyline(*words, "seed=1,2,3,4")
    assert (ran.code, ran.err, len(pd.read_csv(table))) == (0, "", 4)
    assert eddyline("verify", "grid").code == 0


@pytest.mark.parametrize("target", ["a table", "notes", "nothing"])
def test_a_link_with_the_name_of_a_table_is_not_followed(target, eddyline, lossy, tmp_path):
    words, grid = ("sweep", lossy(), "--out", "grid", "--no-progress", "--vary"), tmp_path / "grid"
    assert eddyline(*words, "seed=1,2", "--csv").code == 0
    outside, link = tmp_path / "outside.csv", grid / "flows.csv"
    link.rename(outside)
    if target == "notes":
        outside.write_text(NOTES)
    elif target == "nothing":
        outside.unlink()
    before = outside.read_bytes() if outside.exists() else None
    link.symlink_to(outside)
    ran = eddyline(*words, "seed=1,2,3")
    assert (ran.code, ran.err) == (0, stays(Path("grid/flows.csv")))
    ran = eddyline(*words, "seed=1,2,3,4", "--csv")
    assert (ran.code, ran.out) == (2, "")
    assert "error: grid/flows.csv: is a symbolic link, which --csv does not follow\nhint: " in ran.err
    assert link.readlink() == outside
    assert (outside.read_bytes() if outside.exists() else None) == before
    assert len(pd.read_csv(grid / "points.csv")) == 3


@pytest.mark.parametrize("cut", range(1, 8))  # three tables, the record before each, and at the end
def test_tables_in_csv_whose_writing_was_cut_off_are_renewed(cut, lossy, tmp_path, monkeypatch):
    grid, replace, names = tmp_path / "grid", Path.replace, []
    el.sweep(lossy(), {"seed": "1..2"}, out=grid).write_csv()

    def cut_off(staged: Path, target: Path) -> Path:
        if "csv" in target.name:
            names.append(target.name)
            if len(names) == cut:
                raise KeyboardInterrupt
        return replace(staged, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", cut_off)
        with pytest.raises(KeyboardInterrupt):
            el.sweep(lossy(), {"seed": "1..3"}, out=grid)
    swept = el.sweep(lossy(), {"seed": "1..4"}, out=grid)  # a warning would be an error
    for kind in ("flows", "links", "points"):
        assert len(pd.read_csv(grid / f"{kind}.csv")) == len(swept.read(kind)), kind
    assert len((grid / "csv.sha256").read_text().splitlines()) == 3
