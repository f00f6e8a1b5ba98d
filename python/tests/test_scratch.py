"""Scratch files and folders, and their removal where a process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eddyline import locks, scratch
from eddyline.output import replaced, replaced_file
from eddyline.scratch import staged

HOLD = """\
import sys
from pathlib import Path
from eddyline.scratch import staged

with staged(Path("out"), folder=True) as folder, staged(Path("plot.png"), folder=False) as file:
    (folder / "half").write_text("half")
    print(folder.name, file.name, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def held(tmp_path):
    """Another process in the middle of writing a folder and a file."""
    p = subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert p.stdout is not None
    names = p.stdout.readline().split()
    yield p, names
    p.kill()
    p.communicate()


def there(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()}


def test_files_of_the_user_are_left_alone(held, tmp_path):
    _, names = held
    with replaced(tmp_path / "other") as new:
        (new / "x").touch()
    with replaced_file(tmp_path / "f.txt") as new:
        new.write_text("x")
    locks_of_theirs = {Path(name).name.split(".staged")[0] + ".lock" for name in names}
    assert there(tmp_path) == {"other", "f.txt", *names, *locks_of_theirs}


def test_files_of_a_killed_process_are_removed_by_the_next(held, tmp_path):
    p, names = held
    p.send_signal(signal.SIGKILL)
    p.wait()
    assert set(names) <= there(tmp_path)
    (tmp_path / ".eddyline-00.trial").mkdir()  # of one that was killed between two system calls
    with replaced_file(tmp_path / "f.txt") as new:
        new.write_text("x")
    assert there(tmp_path) == {"f.txt"}


def test_a_process_number_does_not_identify_an_owner(tmp_path):
    """A held lock counts whatever processes run here: its owner may run on another machine."""
    lock = tmp_path / ".eddyline-0123.lock"
    (tmp_path / ".eddyline-0123.staged").mkdir()
    handle = os.open(lock, os.O_RDWR | os.O_CREAT)
    assert locks.take(handle)
    with staged(tmp_path / "out", folder=True):
        pass
    assert there(tmp_path) == {".eddyline-0123.lock", ".eddyline-0123.staged"}
    os.close(handle)
    with staged(tmp_path / "out", folder=True):
        pass
    assert there(tmp_path) == set()


def test_without_locks_everything_is_written_and_nothing_swept(tmp_path, monkeypatch):
    def none(_handle: int) -> bool:
        raise locks.NoLocks("none")

    monkeypatch.setattr(scratch, "take", none)
    (tmp_path / ".eddyline-0123.lock").touch()
    (tmp_path / ".eddyline-0123.staged").mkdir()
    with replaced(tmp_path / "out") as new:
        (new / "x").touch()
    assert there(tmp_path) == {"out", ".eddyline-0123.lock", ".eddyline-0123.staged"}


def test_a_failure_leaves_nothing(tmp_path):
    def fail(new: Path) -> None:
        staged_paths.append(new)
        raise RuntimeError

    staged_paths: list[Path] = []
    with pytest.raises(RuntimeError), replaced(tmp_path / "out") as new:
        fail(new)
    with pytest.raises(RuntimeError), replaced_file(tmp_path / "f.png") as new:
        fail(new)
    assert [a.suffix for a in staged_paths] == [".staged", ".png"]
    assert there(tmp_path) == set()
