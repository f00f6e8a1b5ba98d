"""`eddyline verify` runs the points of a sweep again."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import eddyline as el
import eddyline.sweeps.manifest as manifest
from eddyline.result_folder import copied
from eddyline.sweeps.grid import Grid, Vary
from eddyline.sweeps.listener import SweepListener
from eddyline.sweeps.part_files import write
from eddyline.sweeps.verification import _differences, verify

from .conftest import WATCHED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VARY = ("--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--seeds", 2)


def changed(folder: Path, kind: str, change: Callable[[pa.Table], pa.Table]) -> None:
    """Writes a table of the only part of a sweep anew."""
    (part,) = (folder / "parts").iterdir()
    tables = {file.stem: pq.read_table(file) for file in part.glob("*.parquet")}
    tables[kind] = change(tables[kind])
    document = json.loads((folder / "sweep.json").read_text())
    write(part, tables, manifest.identity(document))


@pytest.mark.parametrize(
    "words",
    [
        VARY,
        (*VARY, "--set", "link.up.delay=40 ms", "--start-jitter", "10 ms"),
        (*VARY, "--shard", "2/3"),
        ("--vary", "seed=3..6"),
        ("--vary", "flow.download.count=1,2"),
        (*VARY[:2], "--world", "theory"),
    ],
)
def test_the_same(eddyline, lossy, tmp_path, words):
    path = lossy(('title = "lossy"\n', ""), more=WATCHED)  # its title is the name of its file
    assert eddyline("sweep", path, *words, "--out", "grid", "--quiet").code == 0
    path.unlink()
    before = sorted(p.name for p in tmp_path.iterdir())
    ran = eddyline("verify", "grid")
    number = len(el.read_sweep(tmp_path / "grid", of="points")) if "--shard" not in words else 1
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"same: grid ({number} point")
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_another_value_is_named(eddyline, lossy, tmp_path):
    assert eddyline("sweep", lossy(), *VARY, "--out", "grid").code == 0

    def more(table: pa.Table) -> pa.Table:
        values: list[Any] = table["retransmits"].to_pylist()
        values[2] += 1
        return table.set_column(table.column_names.index("retransmits"), "retransmits", pa.array(values))

    changed(tmp_path / "grid", "flows", more)
    ran = eddyline("verify", "grid")
    assert ran.code == 1
    first, second = ran.out.splitlines()
    assert first == "different: grid"
    flow = "  link.down.rate=2 Mbit/s seed=3: flow download, retransmits: stored "
    assert second.startswith(flow)
    stored, now = map(int, second.removeprefix(flow).split(", now "))
    assert stored == now + 1


def test_a_missing_row_is_named(eddyline, lossy, tmp_path):
    assert eddyline("sweep", lossy(), *VARY, "--out", "grid").code == 0
    changed(tmp_path / "grid", "links", lambda table: table.slice(1))
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.out.count("\n")) == (1, 2)
    assert ran.out.endswith("  link.down.rate=1 Mbit/s seed=3: link down: stored none, now a row\n")


def test_a_point_that_failed_hides_no_other_difference(eddyline, lossy, tmp_path):
    assert eddyline("sweep", lossy(), *VARY, "--out", "grid").code == 0

    def failed(table: pa.Table) -> pa.Table:
        at = table.column_names.index("failure")
        return table.set_column(at, "failure", pa.array(["timeout", None, None, None], pa.string()))

    def more(table: pa.Table) -> pa.Table:
        values: list[Any] = table["retransmits"].to_pylist()
        values[-1] += 1
        return table.set_column(table.column_names.index("retransmits"), "retransmits", pa.array(values)).slice(1)

    changed(tmp_path / "grid", "points", failed)
    changed(tmp_path / "grid", "flows", more)
    _, first, second, third = eddyline("verify", "grid").out.splitlines()
    assert first == '  link.down.rate=1 Mbit/s seed=3: points, failure: stored "timeout", now null'
    assert second == "  link.down.rate=1 Mbit/s seed=3: flow download: stored none, now a row"
    assert third.startswith("  link.down.rate=2 Mbit/s seed=4: flow download, retransmits: stored ")


def test_points_that_ran_into_a_limit_are_left_out(eddyline, lossy, tmp_path):
    """Two of the four, as `--timeout` leaves them; their runs would end now, and one that never ends is not begun."""
    assert eddyline("sweep", lossy(), *VARY, "--out", "grid").code == 0

    def limited(*why: str | None) -> Any:
        def change(table: pa.Table) -> pa.Table:
            return table.set_column(table.column_names.index("failure"), "failure", pa.array(why, pa.string()))

        return change

    late, lost = "timeout: not finished after 0.08 s", "the process that ran it died, twice: killed"
    changed(tmp_path / "grid", "points", limited(late, None, lost, None))
    for kind in ("flows", "links"):
        changed(tmp_path / "grid", kind, lambda t: t.filter(pc.is_in(t["point"], pa.array([1, 3], t["point"].type))))
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.out) == (0, "same: grid (2 points, world sim)\n"), ran.out
    assert ran.err == "note: 2 points were not run again: stopped at a limit of time or memory, or with the process\n"
    changed(tmp_path / "grid", "points", limited("out of memory", late, lost, late))
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.out) == (2, "")
    assert "stopped every stored point: nothing to compare" in ran.err


def test_the_order_of_rows_is_compared_and_no_number_is_itself():
    def table(flows: list[str]) -> pa.Table:
        return pa.table({"point": [0, 0], "flow": flows, "rtt_s.mean": [float("nan"), None]})

    grid = Grid([Vary("a", ("1", "2"))])
    one, other = table(["up", "down"]), table(["up", "down"])
    assert not one.equals(other)  # not a number
    assert list(_differences("flows", one, other, grid)) == []
    swapped = one.take(pa.array([1, 0]))
    assert list(_differences("flows", one, swapped, grid)) == [("flows", "these rows", "the same in another order")]


def test_points_that_are_stored_meanwhile_are_not_compared(eddyline, lossy, tmp_path):
    assert eddyline("sweep", lossy(), *VARY, "--out", "all").code == 0
    whole = tmp_path / "all"
    known = manifest.read(whole)
    assert known is not None
    shutil.copytree(whole, tmp_path / "grid")
    for kind in ("points", "flows", "links"):
        changed(tmp_path / "grid", kind, lambda t: t.filter(pa.compute.less(t["point"], 3)))

    class More(SweepListener):
        def checking(self, *_: int) -> None:
            shutil.rmtree(tmp_path / "grid")
            shutil.copytree(whole, tmp_path / "grid")

    assert verify(tmp_path / "grid", known, More()) == (3, 0, [], [])


def test_a_table_in_csv_that_was_changed_is_named(eddyline, lossy, tmp_path):
    assert eddyline("sweep", lossy(), *VARY, "--csv", "--out", "grid").code == 0
    assert eddyline("verify", "grid").code == 0
    table = tmp_path / "grid" / "flows.csv"
    table.write_text(table.read_text().replace("download", "upload", 1))
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.out) == (1, "different: grid\n  flows.csv: stored one file, now changed\n")


def test_points_that_are_not_stored_are_not_compared(eddyline, lossy, tmp_path):
    assert eddyline("sweep", lossy(), *VARY, "--out", "grid").code == 0
    for kind in ("points", "flows", "links"):
        changed(tmp_path / "grid", kind, lambda t: t.filter(pa.compute.less(t["point"], 3)))
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.out) == (0, "same: grid (3 points, world sim)\n")


def film(name: object) -> str:
    """Traffic from a file."""
    return f'[[traffic]]\nname = "film"\npath = ["down"]\nmodel = {{ kind = "trace", file = "{name}" }}\n'


@pytest.mark.parametrize("where", ["beside", "inside", "above", "absolute"])
def test_a_sweep_with_files_runs_again_from_its_folder_anywhere(eddyline, lossy, tmp_path, where):
    name = {"beside": "film.dat", "inside": "films/one.dat", "above": "../film.dat", "absolute": tmp_path / "a.dat"}[
        where
    ]
    (tmp_path / "scenarios" / "films").mkdir(parents=True)
    scenario = lossy(more=film(name)).rename(tmp_path / "scenarios" / "given.toml")
    recording = scenario.parent / name
    recording.write_text("1000\n2000\n")
    assert eddyline("sweep", scenario, *VARY, "--out", "grid").code == 0
    recording.unlink()
    scenario.unlink()
    moved = (tmp_path / "grid").rename(tmp_path / "elsewhere")
    ran = eddyline("verify", moved)
    assert (ran.code, ran.out) == (0, f"same: {moved} (4 points, world sim)\n")
    # and its scenario there is one with all files, of which it grows
    ran = eddyline("sweep", moved / "scenario.toml", *VARY[:-1], 3, "--out", moved)
    assert (ran.code, "6 of 6 points done, 4 of them earlier" in ran.out) == (0, True), ran.err
    assert el.Scenario.load(moved / "scenario.toml").title == "lossy"
    assert eddyline("run", moved / "scenario.toml", "-q").code == 0


@pytest.mark.parametrize("given", ["incomplete", "whole path", "title by --set", "dotted path", "2025", 'a "q"'])
def test_a_scenario_in_the_folder_of_its_sweep_reads_the_copies(eddyline, lossy, tmp_path, given):
    (tmp_path / "film.dat").write_text("1000\n2000\n")
    untitled = ('title = "lossy"\n', "")
    edits = {"incomplete": ('rate = "2 Mbit/s"\n', "")} | dict.fromkeys(("title by --set", "2025", 'a "q"'), untitled)
    name = {"whole path": tmp_path / "film.dat", "dotted path": "./film.dat"}.get(given, "film.dat")
    path = lossy(*filter(None, [edits.get(given)]), more=film(name)).rename(tmp_path / f"{given}.toml")
    more = ("--set", "title=up/down") if "title" in given else ()
    assert eddyline("sweep", path, *VARY, *more, "--out", "grid").code == 0
    (tmp_path / "film.dat").unlink()
    folder = (tmp_path / "grid").rename(tmp_path / "moved")
    ran = eddyline("sweep", folder / "scenario.toml", *VARY[:-1], 3, *more, "--out", folder)
    assert (ran.code, "6 of 6 points done, 4 of them earlier" in ran.out) == (0, True), ran.err
    ran = eddyline("run", folder / "scenario.toml", "--set", "link.down.rate=1 Mbit/s", "-q", "--out", "again")
    assert ran.code == 0, ran.err
    stored = folder / "scenario.toml"
    stored.write_text(stored.read_text().replace("duration", "duratoin", 1))
    assert f"error: {stored}:" in eddyline("run", stored).err


def test_a_copy_that_is_gone_is_not_another_of_the_same_name(tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a1").touch()
    model = {"model": {"kind": "trace", "file": "/else/film.dat"}}
    known = {"files": {"film.dat": "a1", "/else/film.dat": "b2"}, "scenario": {"traffic": [model]}}
    assert "/else/film.dat" not in copied(tmp_path, known)
    # nor where the scenario writes the path otherwise; `..` may lead through a link
    for written, name in (("/else/./film.dat", "/else/film.dat"), ("./../d/../film.dat", "../d/../film.dat")):
        model["model"]["file"] = written
        again = {**known, "files": {"film.dat": "a1", "../film.dat": "a1", name: "b2"}}
        assert written not in copied(tmp_path, again)
    (tmp_path / "files" / "b2").touch()
    for written, name in (("/else/./film.dat", "/else/film.dat"), ("./../d/../film.dat", "../d/../film.dat")):
        model["model"]["file"] = written
        again = {**known, "files": {"film.dat": "a1", "../film.dat": "a1", name: "b2"}}
        assert copied(tmp_path, again)[written] == tmp_path / "files" / "b2"
    assert copied(tmp_path, known)["/else/film.dat"] == tmp_path / "files" / "b2"


def test_a_file_elsewhere_is_not_the_one_of_the_same_name_beside_the_scenario(eddyline, lossy, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "film.dat").write_text("1000\n2000\n")
    scenario = lossy(more=film("film.dat") + film(tmp_path / "film.dat").replace('"film"', '"other"'))
    scenario = scenario.rename(tmp_path / "own" / "given.toml")
    (tmp_path / "own" / "film.dat").write_text("3000\n2000\n")
    assert eddyline("sweep", scenario, *VARY, "--out", "grid").code == 0
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.out) == (0, "same: grid (4 points, world sim)\n")


def test_what_has_changed_is_said_and_nothing_runs(eddyline, lossy, tmp_path):
    (tmp_path / "film.dat").write_text("1000\n2000\n")
    assert eddyline("sweep", lossy(more=film("film.dat")), *VARY, "--out", "grid").code == 0
    (copy,) = (tmp_path / "grid" / "files").iterdir()
    for content in ("3000\n2000\n", "1000\n2000\nx"):  # another trace, and none
        copy.write_text(content)
        ran = eddyline("verify", "grid")
        assert (ran.code, ran.err) == (1, "")
        said = f"files/{copy.name}, the copy of film.dat, has changed"
        assert ran.out == f"different: grid: nothing was run, for the sweep had\n  {said}\n"


def test_the_copy_that_is_gone_is_named(eddyline, lossy, tmp_path):
    for name, size in (("one", 1000), ("two", 3000)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "film.dat").write_text(f"{size}\n2000\n")
    words = ("--vary", "traffic.film.model.file=one/film.dat,two/film.dat")
    assert eddyline("sweep", lossy(more=film("one/film.dat")), *words, "--out", "grid").code == 0
    digest = json.loads((tmp_path / "grid" / "sweep.json").read_text())["files"]["two/film.dat"]
    (tmp_path / "grid" / "files" / digest).unlink()
    ran = eddyline("verify", "grid")
    said = f"files/{digest}, the copy of two/film.dat, which is missing now"
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == f"different: grid: nothing was run, for the sweep had\n  {said}\n"


def test_a_grown_sweep_and_a_merged_one_have_all_files(eddyline, lossy, tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.dat").write_text("1000\n2000\n")
    scenario = lossy(more=film("one.dat"))
    for value in ("one.dat", "one.dat,two.dat"):
        assert eddyline("sweep", scenario, "--vary", f"traffic.film.model.file={value}", "--out", "grid").code == 0
    assert [copy.read_text() for copy in (tmp_path / "grid" / "files").iterdir()] == ["1000\n2000\n"]
    (tmp_path / "two.dat").write_text("5000\n2000\n")
    shards = ("--vary", "traffic.film.model.file=one.dat,two.dat", "--shard")
    for n in (1, 2):
        assert eddyline("sweep", scenario, *shards, f"{n}/2", "--out", f"s{n}").code == 0
    assert eddyline("sweep", "merge", "s1", "s2", "--out", "whole").code == 0
    assert len(list((tmp_path / "whole" / "files").iterdir())) == 2
    assert eddyline("verify", "whole").code == 0


@pytest.mark.parametrize(
    "files", [("one.dat",), ("one.dat", "two.dat"), ("own.dat", "other/own.dat"), ("other/own.dat",)]
)
def test_the_own_file_of_the_scenario_may_be_none_of_the_varied(eddyline, lossy, tmp_path, files):
    """And files in different folders may have the same name."""
    for number, name in enumerate(["own.dat", *files]):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{1000 * (number + 1)}\n2000\n")
    words = (
        "sweep",
        lossy(more=film("own.dat")),
        "--vary",
        f"traffic.film.model.file={','.join(files)}",
        "--out",
        "grid",
    )
    assert eddyline(*words).code == 0
    assert f"{len(files)} of them earlier" in eddyline(*words).out
    for name in ["own.dat", *files]:
        (tmp_path / name).unlink(missing_ok=True)
    ran = eddyline("verify", "grid")
    number = "1 point" if len(files) == 1 else f"{len(files)} points"
    assert (ran.code, ran.out, ran.err) == (0, f"same: grid ({number}, world sim)\n", "")


def test_a_sweep_without_the_own_file_of_its_scenario_grows(eddyline, lossy, tmp_path):
    """As earlier versions stored it."""
    for name in ("own", "one", "two"):
        (tmp_path / f"{name}.dat").write_text("1000\n2000\n")
    words = ("sweep", lossy(more=film("own.dat")), "--out", "grid", "--vary")
    assert eddyline(*words, "traffic.film.model.file=one.dat").code == 0
    path = tmp_path / "grid" / "sweep.json"
    document = json.loads(path.read_text())
    assert document["files"].pop("own.dat")
    path.write_text(json.dumps(document))
    changed(tmp_path / "grid", "points", lambda table: table)
    ran = eddyline(*words, "traffic.film.model.file=one.dat,two.dat")
    assert (ran.code, "1 of them earlier" in ran.out) == (0, True)


def test_what_cannot_be_run_again_says_why(eddyline, lossy, tmp_path):
    (tmp_path / "film.dat").write_text("1000\n2000\n")
    assert eddyline("sweep", lossy(more=film("film.dat")), *VARY, "--out", "film").code == 0
    shutil.rmtree(tmp_path / "film" / "files")  # as a sweep of an older version
    ran = eddyline("verify", "film")
    assert (ran.code, ran.out) == (2, "")
    assert "film: this sweep cannot be run again from its folder, which has no copy of film.dat" in ran.err
    assert "the same eddyline sweep with the scenario's own file puts the copies back" in ran.err
    assert eddyline("sweep", tmp_path / "lossy.toml", *VARY, "--out", "film").code == 0
    assert eddyline("verify", "film").code == 0
    stored = tmp_path / "film" / "scenario.toml"
    stored.write_text(stored.read_text() + "\n[[")
    ran = eddyline("verify", "film")
    assert (ran.code, "scenario.toml:" in ran.err, "not TOML" in ran.err) == (2, True, True)
    assert "no copy of" not in ran.err
    assert eddyline("sweep", lossy(), *VARY, "--out", "grid").code == 0
    document = json.loads((tmp_path / "grid" / "sweep.json").read_text())
    (tmp_path / "grid" / "scenario.toml").unlink()
    assert "the scenario of this sweep is missing" in eddyline("verify", "grid").err
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "sweep.json").write_text(json.dumps(document))
    assert eddyline("verify", "bare").code == 2


def test_a_shard_without_points_is_none_to_run(eddyline, lossy):
    words = ("--vary", "seed=1,2", "--shard", "5/9", "--out", "grid", "-q")
    assert eddyline("sweep", lossy(), *words).code == 0
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.err) == (2, "error: grid: there is nothing to run again: shard 5/9 of 2 points has none\n")


def test_a_controller_of_ones_own_is_needed(eddyline, lossy, tmp_path):
    own = "import eddyline as el\n@el.register('mine')\nclass Mine:\n  def __init__(s, path): s.cwnd = 4.0\n"
    (tmp_path / "mine.py").write_text(own + "  def on_ack(s, ack): pass\n  on_loss = on_timeout = on_ack\n")
    words = ("--set", "flow.download.controller.kind=mine", *VARY, "--out", "grid", "--controllers", "mine.py")
    assert eddyline("sweep", lossy(), *words).code == 0
    assert eddyline("verify", "grid", "--controllers", "mine.py").code == 0
    ran = eddyline("verify", "grid")
    assert (ran.code, "loaded with --controllers FILE" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("written", "instead", "said"),
    [
        ("duration", "duratoin", "did you mean duration?"),
        ('kind = "newreno"', 'kind = "mine"', "loaded with --controllers FILE"),
    ],
)
def test_the_stored_scenario_of_a_sweep_is_named_as_the_file_that_it_is(
    eddyline, lossy, tmp_path, written, instead, said
):
    assert eddyline("sweep", lossy(), "--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--out", "grid", "-q").code == 0
    path = tmp_path / "grid" / "scenario.toml"
    text = path.read_text()
    assert written in text
    path.write_text(text.replace(written, instead, 1))
    ran = eddyline("verify", "grid")
    assert (ran.code, ran.err.startswith("error: grid/scenario.toml:")) == (2, True), ran.err
    assert said in ran.err


def test_a_failure_is_the_same_wherever_the_controller_is(eddyline, lossy, tmp_path):
    """What follows its sentence names files of this machine."""
    mine = """import eddyline as el
@el.register("mine")
class Mine:
    def __init__(self, path, limit: float = 1e9):
        self.cwnd, self.limit = path.initial_window, limit
    def on_round(self, round):
        self.cwnd += 1
        if self.cwnd > self.limit:
            raise ValueError("LIMIT")
    def on_loss(self, loss):
        self.cwnd = max(loss.flight_size / 2, 2)
    def on_timeout(self, timeout):
        self.cwnd = 1
"""
    (tmp_path / "mine.py").write_text(mine.replace("LIMIT", "too large"))
    words = ("--set", "flow.*.controller={ kind = 'mine' }", "--vary", "flow.download.controller.limit=12,1000")
    ran = eddyline("sweep", lossy(), "--controllers", "mine.py", *words, "--out", "grid", "--quiet")
    assert ran.code == 1
    (failed,) = el.Swept.load(tmp_path / "grid").failures
    failure = failed.why
    sentence, _, traceback = failure.partition("\n")
    assert ("ValueError: too large" in sentence, str(tmp_path / "mine.py") in traceback) == (True, True)
    (tmp_path / "home").mkdir()
    (tmp_path / "mine.py").rename(tmp_path / "home" / "mine.py")
    assert eddyline("verify", "grid", "--controllers", "home/mine.py").code == 0
    changed(tmp_path / "grid", "points", lambda table: _with_failure(table, failure.replace("too large", "too small")))
    ran = eddyline("verify", "grid", "--controllers", "home/mine.py")
    assert (ran.code, "points, failure" in ran.out) == (1, True)


def _with_failure(table: pa.Table, text: str) -> pa.Table:
    failures = [text if why else why for why in table["failure"].to_pylist()]
    place = table.column_names.index("failure")
    return table.set_column(
        place, table.schema.field("failure"), pa.array(failures, table.schema.field("failure").type)
    )
