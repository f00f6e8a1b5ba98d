from __future__ import annotations

import os
import signal
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from conftest import COMMAND, environment, heed

from eddyline.sweeps.store import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable

LOSSY = """\
title = "lossy"
duration = "2 s"
seed = 3

[[link]]
name = "down"
rate = "2 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "22500 B" }
loss = 0.01

[[link]]
name = "up"
rate = "192 kbit/s"
delay = "20 ms"

[[flow]]
name = "download"
controller = { kind = "newreno" }
data = ["down"]
ack = ["up"]
"""
"""A millisecond of work; every seed gives another answer."""

WATCHED = """
[[probe]]
name = "web"
data = ["up"]
ack = ["down"]

[[traffic]]
name = "call"
path = ["down"]
model = { kind = "poisson", rate = "100 kbit/s" }
"""
"""More tables for it, whose results are neither of flows nor of links."""


@pytest.fixture
def lossy(tmp_path: Path) -> Callable[..., Path]:
    """Writes that scenario, with replacements."""

    def write(*replacements: tuple[str, str], more: str = "") -> Path:
        text = LOSSY
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "lossy.toml"
        path.write_text(text + more)
        return path

    return write


def rates(number: int, first: int = 1000) -> str:
    """`--vary` of so many rates."""
    return "link.down.rate=" + ",".join(f"{first + i} kbit/s" for i in range(number))


def start(*words: object, **options: object) -> subprocess.Popen[str]:
    """The command, in the background, ready to hear Ctrl-C."""
    line, pipe = [str(COMMAND), *map(str, words)], subprocess.PIPE
    return subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, env=environment(), preexec_fn=heed, **options)  # type: ignore[call-overload]


def stored(folder: Path) -> int:
    """How many points a folder holds at this moment."""
    while True:
        try:
            parts = [folder / "parts" / f"{a:07d}-{b:07d}" / "points.parquet" for a, b in parts_of(folder)]
            return sum(_rows(part, part.stat().st_ino, part.stat().st_mtime_ns) for part in parts)
        except FileNotFoundError:  # just joined
            continue


@cache
def _rows(part: Path, _inode: int, _changed_ns: int) -> int:
    """How many rows a file has; it is asked often, and a file changes never."""
    return pq.ParquetFile(part).metadata.num_rows  # type: ignore[no-any-return]


def part(folder: Path) -> dict[str, bytes]:
    """The files of a finished sweep's only part."""
    (only,) = (folder / "parts").iterdir()
    return {p.name: p.read_bytes() for p in only.iterdir()}


def wait_until(what: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "never happened"
        time.sleep(0.005)


def children(pid: int) -> list[int]:
    """Processes that a process started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found


def alive(pid: int) -> bool:
    """Whether a process is there, and not dead with nobody to take note."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # before it was opened, or after
        return False


def cpu_s(pid: int) -> float:
    """How long a process has run."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):  # before it was opened, or after
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kill(p: subprocess.Popen[str]) -> None:
    os.kill(p.pid, signal.SIGKILL)
    p.communicate()
