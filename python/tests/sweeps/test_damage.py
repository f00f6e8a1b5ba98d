"""A table of a sweep that is missing or cut short is damage, wherever the folder is used."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import eddyline as el
from eddyline.cli import main
from eddyline.sweeps.part_files import Damaged

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
        *((harm, kind) for harm in (missing, cut_short, cleared) for kind in ("flows", "points")),
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


def test_damage_within_a_table_is_damage_or_another_value(folder):
    path = only_part(folder) / "flows.parquet"
    whole, found = path.read_bytes(), 0
    for place in range(4, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 128]) + whole[place + 1 :])
        try:
            el.read_sweep(folder)
        except Damaged:
            found += 1
    assert found > 10


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
