"""A table of a sweep that is not as it was written is damage, wherever the folder is used."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import eddyline as el
from eddyline.cli import main
from eddyline.sweeps.part_files import Damaged

from .conftest import WATCHED

if TYPE_CHECKING:
    from pathlib import Path


def missing(path: Path) -> None:
    path.unlink()


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def cleared(path: Path) -> None:
    path.write_bytes(b"")


def of_another_part(path: Path) -> None:
    pq.write_table(pq.read_table(path).slice(1), path)


def flipped_once(path: Path) -> None:
    path.write_bytes(flipped(path.read_bytes(), random.Random(2)))


@pytest.fixture
def folder(lossy, tmp_path) -> Path:
    el.sweep(lossy(), {"seed": "1..4"}, out=tmp_path / "g")
    return tmp_path / "g"


def only_part(folder: Path) -> Path:
    (part,) = (folder / "parts").iterdir()
    return part


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        *((harm, kind) for harm in (missing, cut_short, cleared, flipped_once) for kind in ("flows", "points")),
        (missing, "links"),
        (of_another_part, "flows"),
    ],
)
def test_no_use_of_a_damaged_folder_is_silent(eddyline, lossy, tmp_path, folder, harm, kind):
    part = only_part(folder)
    harm(part / f"{kind}.parquet")
    hint = f"remove the folder {part}: the next sweep runs its points again"
    with pytest.raises(Damaged) as e:
        el.read_sweep(folder, of=kind)
    assert (str(e.value).startswith(f"{part / kind}.parquet: "), e.value.hint) == (True, hint)
    with pytest.raises(Damaged):
        el.merge([folder], tmp_path / "joined")
    with pytest.raises(Damaged):
        el.sweep(lossy(), {"seed": "1..6"}, out=folder)
    same = eddyline("sweep", lossy(), "--vary", "seed=1..4", "--out", folder)
    assert (same.code, same.out, same.err.count(f"{part / kind}.parquet: ")) == (1, "", 1)
    assert hint in same.err


def flipped(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]


def zeroed(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content))
    return content[:place] + bytes(len(content[place : place + 16])) + content[place + 16 :]


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def test_every_damage_of_every_file_of_a_part_is_found(lossy, tmp_path):
    el.sweep(lossy(more=WATCHED), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, seeds=2, out=tmp_path / "g")
    part, chance = only_part(tmp_path / "g"), random.Random(1)
    files = sorted(part.iterdir())
    assert [p.name for p in files] == [
        *("flows.parquet", "links.parquet", "points.parquet", "points.sha256", "probes.parquet", "traffic.parquet")
    ]
    for path in files:
        whole, of = path.read_bytes(), "points" if path.suffix == ".sha256" else path.stem
        for harm in (flipped, zeroed, cut) * 20:
            content = harm(whole, chance)
            path.write_bytes(content)
            if content == whole:
                continue
            with pytest.raises(Damaged) as e:
                el.read_sweep(tmp_path / "g", of=of)
            assert str(part) in e.value.hint
        path.write_bytes(whole)
        assert len(el.read_sweep(tmp_path / "g", of=of)) >= 4


def test_the_digest_of_a_part_is_not_missing(folder):
    (only_part(folder) / "points.sha256").unlink()
    with pytest.raises(Damaged, match=r"points\.sha256: missing"):
        el.read_sweep(folder)


def test_the_digest_of_a_part_is_that_of_sha256sum(folder):
    subprocess.run(["sha256sum", "--check", "--strict", "points.sha256"], cwd=only_part(folder), check=True)


def test_after_the_remedy_the_sweep_is_whole(lossy, tmp_path, folder):
    shutil.copytree(folder, tmp_path / "before")
    missing(only_part(folder) / "flows.parquet")
    shutil.rmtree(only_part(folder))
    assert el.sweep(lossy(), {"seed": "1..4"}, out=folder).done == 4
    files = [{p.name: p.read_bytes() for p in only_part(each).iterdir()} for each in (folder, tmp_path / "before")]
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        *((key, None, f"it has no {key}") for key in ("vary", "files", "set", "seeds", "first_seed")),
        *((key, None, f"it has no {key}") for key in ("version", "world", "scenario", "scenario_sha256", "points")),
        ("vary", [1], "vary is [1]"),
        ("vary", {"seed": ["1", 2]}, 'vary is {"seed": ["1", 2]}'),
        ("vary", {"seed": ["1", "1", "2", "3"]}, "--vary seed: 1 is given 2 times"),
        ("files", {"a.csv": 5}, 'files is {"a.csv": 5}'),
        ("set", [["duration"]], 'set is [["duration"]]'),
        ("seeds", True, "seeds is true"),
        ("seeds", 0, "seeds is 0"),
        ("points", 5, "points is 5, and vary and seeds make 4"),
        ("shard", [5, 2], "shard is [5, 2]"),
        ("controllers", {"mine": None}, 'controllers is {"mine": null}'),
        ("controller_files", {"mine": {"code": {}}}, 'controller_files is {"mine": {"code": {}}}'),
    ],
)
def test_a_description_that_is_none_is_damage(folder, lossy, tmp_path, key, value, said):
    path = folder / "sweep.json"
    document = json.loads(path.read_text())
    document.pop(key, None)
    path.write_text(json.dumps(document if value is None else document | {key: value}))
    uses = (
        lambda: el.read_sweep(folder),
        lambda: el.sweep(lossy(), {"seed": "1..4"}, out=folder),
        lambda: el.merge([folder], tmp_path / "joined"),
    )
    for use in uses:
        with pytest.raises(el.InputError) as e:
            use()
        assert str(e.value) == f"{path} is damaged: {said}"
        assert e.value.hint == "a sweep into another folder starts anew"
    assert main(["verify", str(folder)]) == 2


def test_a_stored_scenario_that_is_no_text_is_damage(folder, lossy, tmp_path, capfd):
    path = folder / "scenario.toml"
    path.write_bytes(b"\xff" + path.read_bytes())
    out = str(tmp_path / "joined")
    more = ["sweep", str(lossy()), "--vary", "seed=1..6", "--out", str(folder)]
    for words in (["verify", str(folder)], ["sweep", "merge", str(folder), "--out", out], more):
        assert main(words) == 2
        said = capfd.readouterr().err
        assert f"error: {path} is damaged: 'utf-8' codec can't decode byte 0xff in position 0" in said
        assert "hint: a copy of that scenario as scenario.toml mends the folder\n" in said


NOT_A_LOCK = "error: g/lock: is not the lock of a sweep\nhint: move it away: the lock is made anew\n"


@pytest.mark.parametrize("what", ["pipe", "folder", "link", "broken link"])
def test_a_lock_that_is_no_file_is_said(eddyline, lossy, folder, tmp_path, what):
    """A link is not followed: what it leads to is somebody else's."""
    lock, precious = folder / "lock", tmp_path / "precious"
    precious.write_text("precious")
    lock.unlink()
    match what:
        case "pipe":
            os.mkfifo(lock)
        case "folder":
            lock.mkdir()
        case "link":
            lock.symlink_to(precious)
        case "broken link":
            lock.symlink_to(tmp_path / "nowhere")
    ran = eddyline("sweep", lossy(), "--vary", "seed=1..6", "--out", "g")
    assert (ran.code, ran.err) == (2, NOT_A_LOCK)
    assert precious.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("text", ["my own notes", "process 12 on host\nand notes", "process x on host\n"])
def test_a_foreign_file_of_the_locks_name_is_kept(eddyline, lossy, tmp_path, text):
    (tmp_path / "g").mkdir()
    lock = tmp_path / "g" / "lock"
    lock.write_text(text)
    ran = eddyline("sweep", lossy(), "--vary", "seed=1..2", "--out", "g")
    assert (ran.code, ran.err) == (2, NOT_A_LOCK)
    assert lock.read_text() == text
    lock.write_text("process 12 on host\n")  # of one that was killed
    assert eddyline("sweep", lossy(), "--vary", "seed=1..2", "--out", "g").code == 0
    assert lock.read_text() == ""
