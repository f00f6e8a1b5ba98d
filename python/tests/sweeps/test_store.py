"""A sweep's folder survives being cut off at any step of any change, and nothing in it is lost or double."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import eddyline.parquet as parquet
from eddyline.sweeps import disk, part_files
from eddyline.sweeps import store as module
from eddyline.sweeps.disk import put
from eddyline.sweeps.frame import _frame, read_table
from eddyline.sweeps.grid import Grid, Vary
from eddyline.sweeps.parts import POINTS
from eddyline.sweeps.store import Store, parts_of
from eddyline.sweeps.worker import Outcome

BATCHES = [[3 * i + k for k in range(3)] for i in range(10)]

GRID = Grid([Vary("a", tuple(map(str, range(200))))])
SWEEP = {"points": len(GRID), "vary": {"a": [str(value) for value in range(200)]}}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The disk is not waited for, and parts are joined by threes, so that few are enough for all that can happen."""
    monkeypatch.setattr(disk.os, "fsync", lambda _: None)
    monkeypatch.setattr(module, "_PARTS_JOINED", 3)


def outcome(point: int, failure: str | None = None) -> Outcome:
    if failure:
        return Outcome(point, None, failure=failure)
    flows = [
        {
            "name": f"f{i}",
            "goodput_bps": None if point % 3 else 1.0 * point,
            "rtt_s": {"mean": 0.5 + point, "min": None},
        }
        for i in range(2)
    ]
    links = [{"name": "l", "lost": point}] if point % 2 else []
    return Outcome(point, {"flows": flows, "links": links}, ("a note",) if point == 5 else ())


def points_of(folder: Path) -> list[int]:
    return read_table(folder, POINTS, GRID)["point"].to_pylist()


def fill(folder: Path, batches) -> None:
    """As a sweep does: what is stored already is not done again."""
    held = Store(folder, GRID, SWEEP)
    for batch in batches:
        left = [p for p in batch if p not in held.done]
        held.add([outcome(p) for p in left])
        held.flush()
    held.finish()


def test_what_goes_in_comes_out_by_point(tmp_path):
    order = list(range(200))
    random.Random(1).shuffle(order)
    fill(tmp_path, [order[i : i + 7] for i in range(0, 200, 7)])
    assert points_of(tmp_path) == list(range(200))
    flows = read_table(tmp_path, "flows", GRID)
    assert flows["point"].to_pylist() == [p for p in range(200) for _ in range(2)]
    assert flows["flow"].to_pylist() == ["f0", "f1"] * 200
    assert flows["a"].to_pylist() == flows["point"].to_pylist()
    assert flows["rtt_s.mean"].to_pylist() == [0.5 + p for p in range(200) for _ in range(2)]
    assert flows["goodput_bps"].to_pylist() == [None if p % 3 else p for p in range(200) for _ in range(2)]
    assert read_table(tmp_path, "links", GRID)["lost"].to_pylist() == list(range(1, 200, 2))
    assert len(parts_of(tmp_path)) == 1
    again = Store(tmp_path, GRID, SWEEP)
    assert (again.done, list(again.approximations)) == (set(range(200)), ["a note"])


def test_a_column_without_values_is_nan(tmp_path):
    held = Store(tmp_path, GRID, SWEEP)
    held.add([Outcome(0, {"links": [{"name": "l", "lost": None, "bottleneck": None, "utilisation": None}]})])
    held.finish()
    frame = _frame(read_table(tmp_path, "links", GRID), text=())
    assert [str(frame[name].dtype) for name in ("lost", "bottleneck", "utilisation")] == ["float64"] * 3


def test_parts_are_joined_on_the_way(tmp_path):
    held = Store(tmp_path, GRID, SWEEP)
    for point in range(100):
        held.add([outcome(point)])
        held.flush()
        digits = [3**i for i in range(5) for _ in range((point + 1) // 3**i % 3)]
        assert sorted(b - a + 1 for a, b in parts_of(tmp_path)) == digits
        assert len(list((tmp_path / "parts").iterdir())) == len(digits)


def test_a_failure_gives_way_to_success_and_to_a_later_failure(tmp_path):
    held = Store(tmp_path, GRID, SWEEP)
    held.add([outcome(1, "first"), outcome(2, "first"), outcome(3)])
    held.flush()
    held.add([outcome(2), outcome(1, "second")])
    held.flush()
    for _ in range(2):
        table = read_table(tmp_path, POINTS, GRID)
        assert dict(zip(table["point"].to_pylist(), table["failure"].to_pylist(), strict=True)) == {
            1: "second",
            2: None,
            3: None,
        }
        again = Store(tmp_path, GRID, SWEEP)
        assert (again.done, again.failures) == ({2, 3}, {1: "second"})
        held.finish()


def test_the_order_of_arrival_leaves_no_trace(tmp_path):
    texts = []
    for seed in range(3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        order, chance = list(range(200)), random.Random(seed)
        chance.shuffle(order)
        cuts = sorted(chance.sample(range(1, 200), 5 + seed))
        fill(folder, [order[a:b] for a, b in zip([0, *cuts], [*cuts, 200], strict=True)])
        (part,) = (folder / "parts").iterdir()
        texts.append({p.name: p.read_bytes() for p in part.iterdir()})
    assert texts[0] == texts[1] == texts[2]


class Cut(BaseException):
    """The power is off."""


class Power:
    """Counts what is done to the disk, and goes off at one of these steps, in the middle of it. Then nothing works."""

    def __init__(self, monkeypatch, at: int) -> None:
        self.steps, self.at = 0, at
        self.log: list[str] = []
        for owner, name, half in (
            (Path, "mkdir", None),
            (Path, "rename", None),
            (Path, "replace", None),
            (Path, "write_text", lambda path, text, *_: path.write_bytes(text[: len(text) // 2].encode())),
            (disk.os, "fsync", None),
            (parquet, "write", lambda _, path: path.write_bytes(b"PAR1 half of it")),
            (shutil, "rmtree", lambda path, **_: next(iter(Path(path).iterdir()), Path(path) / "none").unlink(True)),
            (part_files, "remove", lambda part: (part / "points.parquet").unlink()),
        ):
            monkeypatch.setattr(owner, name, self._wired(name, getattr(owner, name), half))

    def _wired(self, name, real, half):
        def call(*args, **options):
            self.steps += 1
            if self.steps > self.at:
                raise Cut
            if self.steps == self.at:
                if half is not None and Path(args[-1 if name == "write" else 0]).exists() | (name != "rmtree"):
                    half(*args, **options)
                raise Cut
            self.log.append(name)
            return real(*args, **options)

        return call


def _cut_at(step: int, folder: Path) -> tuple[bool, list[str]]:
    """Fills a folder with the power off at a step; whether it was."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        power = Power(monkeypatch, step)
        try:
            fill(folder, BATCHES)
        except Cut:
            return True, power.log
    return False, power.log


def content(folder: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")}


def test_cut_off_at_any_step_nothing_is_lost_or_double(tmp_path):
    step, known, left = 0, 0, None
    while True:
        step += 1
        folder = tmp_path / str(step)
        folder.mkdir()
        cut, _ = _cut_at(step, folder)
        if not cut:
            break
        before, left = left, content(folder)
        if left == before:  # and so is all that follows: the folder is what the next one knows
            shutil.rmtree(folder)
            continue
        held = points_of(folder)
        assert held == list(range(len(held))), step  # whole batches in order, each point once
        assert len(held) % 3 == 0, step
        assert len(held) >= known, step  # what was stored before the previous step still is
        known = len(held)
        flows = read_table(folder, "flows", GRID)
        assert flows["point"].to_pylist() == [p for p in held for _ in range(2)], step
        fill(folder, BATCHES)
        assert points_of(folder) == list(range(30)), step
        assert read_table(folder, "flows", GRID).num_rows == 60, step
        assert len(list((folder / "parts").iterdir())) == 1, step
        assert [p.name for p in folder.iterdir()] == ["parts"], step
        shutil.rmtree(folder)
    assert step > 15 * 7  # ten batches, joined after the third, sixth, ninth (twice) and at the end
    assert known == 30


def test_everything_is_on_the_disk_before_it_counts(tmp_path):
    """What a loss of power may take is what was not yet synced: a name must not come before its content."""
    (tmp_path / "x").mkdir()
    _, log = _cut_at(10**9, tmp_path / "x")
    renames = [i for i, name in enumerate(log) if name == "rename"]
    assert len(renames) == 10 + 4 + 1 + 1
    assert log[renames[-1] - 1] == "remove"  # the last gives the only part its final name
    assert log[renames[-1] + 1] == "fsync"
    begin = 0
    for i in renames[:-1]:
        before = log[begin:i]
        assert (
            before.count("fsync") - (begin > 0) == sum(map(before.count, ("write", "write_text"))) + 1
        )  # each file, and their folder
        assert log[i + 1] == "fsync"  # the name itself
        begin = i + 1


def test_a_text_is_put_whole_or_not_at_all(tmp_path):
    path = tmp_path / "sweep.json"
    step = 1
    while True:
        with pytest.MonkeyPatch.context() as monkeypatch:
            Power(monkeypatch, step)
            try:
                put(path, "content")
            except Cut:
                pass
            else:
                break
        assert not path.exists() or path.read_text() == "content"
        step += 1
    assert step == 5
    assert path.read_text() == "content"
