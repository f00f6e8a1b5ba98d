"""Child processes and what they cost."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ChildError", "Cost", "MissingError", "count_instructions", "counter", "run"]

_TAIL = 1 << 20


class ChildError(Exception):
    """A child came back with an error."""


class MissingError(Exception):
    """What would be needed is not here; says what."""


@dataclass(frozen=True)
class Cost:
    """What one process took."""

    cpu_s: float
    """User and system time."""
    peak_bytes: int
    """Largest resident set."""
    output: str
    """The end of what it printed (all of it, up to a megabyte)."""


def run(command: Sequence[str | Path]) -> Cost:
    """Runs `command` to its end.

    This process stays small, as a child's peak memory counts from what its parent held when it was born.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([str(c) for c in command], stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            err.seek(0)
            message = err.read(2000).decode(errors="replace").strip()
            raise ChildError(f"{Path(command[0]).name} ended with {child.returncode}: {message}")
        size = out.seek(0, os.SEEK_END)
        out.seek(max(0, size - _TAIL))
        output = out.read().decode(errors="replace")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output)


@functools.cache
def counter() -> str:
    """Who counts instructions here: `perf` (this processor's own counters) or `callgrind` (some 50 times slower).

    Raises:
        MissingError: Neither does.
    """
    if shutil.which("perf"):
        try:
            _perf(["true"])
        except (ChildError, MissingError):
            pass
        else:
            return "perf"
    if shutil.which("valgrind"):
        return "callgrind"
    raise MissingError("no instruction counts: perf may not count here and valgrind is not installed")


def count_instructions(command: Sequence[str | Path]) -> tuple[int, str]:
    """Runs `command`; gives the instructions it took in user mode, and what it printed."""
    return _perf(command) if counter() == "perf" else _callgrind(command)


def _perf(command: Sequence[str | Path]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "counts")
        cost = run(["perf", "stat", "-x", ",", "-e", "instructions:u", "-o", file, "--", *command])
        found = re.search(r"^(\d+),", file.read_text(), re.MULTILINE)
    if found is None:
        raise MissingError("perf does not count instructions here")
    return int(found[1]), cost.output


def _callgrind(command: Sequence[str | Path]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "counts")
        cost = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", "--log-file=/dev/null", *command])
        found = re.search(r"^(?:summary|totals): (\d+)", file.read_text(), re.MULTILINE)
    if found is None:
        raise ChildError("callgrind left no total")
    return int(found[1]), cost.output
