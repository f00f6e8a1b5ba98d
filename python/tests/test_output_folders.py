"""Output folders replace earlier output of the same kind, and nothing else."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from conftest import environment

import eddyline as el
from eddyline.errors import EddylineError, InputError
from eddyline.folder_manifest import MANIFEST, foreign, write
from eddyline.output import replaced

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = {
    "evaluate": ("evaluate", "reno", "--quick", "--only", "trace"),
    "gauntlet": ("gauntlet", "--controller", "reno", "--only", "line-1m", "--seeds", "1"),
    "why": ("gauntlet", "--controller", "reno", "--why", "line-1m", "--seeds", "1"),
    "reproduce": ("reproduce", "two-way-fast", "--exhibit", "table-1"),
    "run": ("run", "two-way.toml"),
    "validate": ("validate", "--quick", "--worlds", "theory", "--only", "one-fast-flow"),
}


def there(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_replaces_its_own_output_and_nothing_else(eddyline, scenario, tmp_path, name):
    scenario()
    words = (*COMMANDS[name], "--out", "out", "-q")
    first = eddyline(*words)
    assert (first.code, first.err.count("error")) in {(0, 0), (1, 0)}, first.err
    out = tmp_path / "out"
    held = there(out)
    assert MANIFEST in held
    assert eddyline(*words).code == first.code
    assert there(out) == held
    for place in {(out / file).parent for file in held}:
        mine = place / "mine.txt"
        mine.write_text("mine")
        ran = eddyline(*words)
        assert (ran.code, ran.out) == (2, "")
        assert f"error: out: holds other files: {mine.relative_to(out)}\n" in ran.err
        assert mine.read_text() == "mine"
        mine.unlink()


MINE = {
    "evaluate": ["data/measured.csv", "plots/fig1.svg"],
    "gauntlet": ["scorecard.md"],
    "why": ["scenario.json", "why.png"],
    "reproduce": ["data/measured.csv", "plots/fig1.svg"],
    "run": ["files/notes.txt", "flows.csv", "scenario.json"],
    "validate": ["data/measured.csv", "plots/fig1.svg"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_names_of_an_output_are_not_enough(eddyline, scenario, tmp_path, name):
    """A project may have `data`, `plots` and `scenario.json` of its own."""
    scenario()
    mine = MINE[name]
    for file in mine:
        (tmp_path / "project" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / file).write_text("mine")
    ran = eddyline(*COMMANDS[name], "--out", "project", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert f"error: project: holds other files: {mine[0]}" in " ".join(ran.err.split())
    assert f"no {MANIFEST} says that they are of an earlier output" in ran.err
    assert {(tmp_path / "project" / file).read_text() for file in mine} == {"mine"}


def heed_permissions() -> None:
    """Without the capability by which root may write anywhere; a `preexec_fn`."""
    drop, dac_override, dac_read_search = 24, 1, 2  # of linux/prctl.h and linux/capability.h
    for capability in (dac_override, dac_read_search):
        ctypes.CDLL(None).prctl(drop, capability)  # refused to others than root, who lack them


@pytest.mark.parametrize("protected", ["result", "result/files", "result/result.json", "fig.png"])
def test_what_is_write_protected_is_not_replaced(scenario, tmp_path, protected):
    scenario()
    command = [sys.executable, "-m", "eddyline", "run", "two-way.toml"]
    options = ["--out", "result"] if protected.startswith("result") else ["--plot", "fig.png"]
    ours = {"cwd": tmp_path, "env": environment(), "capture_output": True, "text": True, "preexec_fn": heed_permissions}
    assert subprocess.run([*command, *options], check=False, **ours).returncode == 0
    place = tmp_path / protected
    if not place.exists():
        place.mkdir()
    mode = place.stat().st_mode
    place.chmod(mode & ~0o222)
    before = {p: p.stat().st_ino for p in tmp_path.rglob("*")}
    ran = subprocess.run([*command, *options, "--set", "duration=1 s"], check=False, **ours)
    place.chmod(mode)
    said = f"error: {options[1]}: cannot be written: permission denied\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", said)
    assert {p: p.stat().st_ino for p in tmp_path.rglob("*")} == before


def test_what_is_written_meanwhile_stays(tmp_path):
    own = ("report.html", MANIFEST)
    (tmp_path / "out-2").mkdir()

    def written_meanwhile() -> None:
        with replaced(tmp_path / "out", own) as new:
            (new / "report.html").write_text("ours")
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "notes.txt").write_text("mine")

    with pytest.raises(EddylineError) as refused:
        written_meanwhile()
    said = "something else was written there meanwhile; this output is in"
    assert str(refused.value) == f"{tmp_path / 'out'}: {said} {tmp_path / 'out-3'}"
    assert there(tmp_path) == {"out/notes.txt", "out-3/report.html", f"out-3/{MANIFEST}"}


def test_what_becomes_a_link_to_nothing_meanwhile_stays(tmp_path):
    def linked_meanwhile() -> None:
        with replaced(tmp_path / "out", ("x", MANIFEST)) as new:
            (new / "x").write_text("ours")
            (tmp_path / "out").symlink_to("nowhere")
            (tmp_path / "out-2").symlink_to("nowhere")

    with pytest.raises(EddylineError, match="out-3"):
        linked_meanwhile()
    assert (tmp_path / "out-3" / "x").read_text() == "ours"


def test_a_result_is_not_saved_over_other_files(scenario, tmp_path):
    result = el.Scenario.load(scenario()).run(series=False)
    result.save(tmp_path / "out")
    result.save(tmp_path / "out")
    (tmp_path / "out" / "series.parquet").write_text("mine")
    with pytest.raises(InputError, match=r"out: holds other files: series\.parquet\n"):
        result.save(tmp_path / "out")
    with pytest.raises(InputError, match="holds other files"):
        el.Scenario.load(scenario()).run(seeds=2, series=False, set={"flow.*.start_jitter": "10 ms"}).save(
            tmp_path / "out"
        )


def test_what_is_foreign(tmp_path):
    own = ("report.html", "data", MANIFEST)
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "report.html").touch()
    assert foreign(tmp_path, own) == ["report.html"]
    write(tmp_path)
    assert foreign(tmp_path, own) == []
    (tmp_path / "data" / "deep" / "x").touch()
    (tmp_path / "data" / "link").symlink_to(tmp_path)
    (tmp_path / "a").mkdir()
    assert foreign(tmp_path, own) == ["a", "data/deep/x", "data/link"]
    assert foreign(tmp_path, ("report.html", "data")) == ["a", "data", MANIFEST]
    for damaged in ("", "[]", '{"sha256": 1}', "[" * 100_000):
        (tmp_path / MANIFEST).write_text(damaged)
        assert "report.html" in foreign(tmp_path, own)
