"""Runs in world `kernel`, by the executable `eddyline-live`: the kernel's TCP over an emulated path, in real time.

Every command imports this module: what starts processes and makes files is imported where it is needed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple

import eddyline._core as _core
from eddyline.errors import EddylineError, InputError, WorldUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import TypeAlias

    from eddyline.progress import RunCallback
    from eddyline.watching import Lines, Watcher

    Run: TypeAlias = "_core.Run | LiveRun"
    """A run of any world."""

__all__ = [
    "LINUX_REMEDY",
    "LINUX_VARIABLE",
    "VARIABLE",
    "LiveOptions",
    "LiveRun",
    "build_kernel",
    "clean",
    "executable",
    "foreign",
    "linux",
    "run",
    "shell",
    "unavailable",
]

VARIABLE = "EDDYLINE_LIVE"
"""Environment variable that names the executable; empty: there is none."""

LINUX_VARIABLE = "EDDYLINE_LINUX"
"""Environment variable that names the user-mode Linux."""

LINUX_REMEDY = f"eddyline live build-kernel (some five minutes), or name it in {LINUX_VARIABLE}"
"""How to get it."""

_NAME = "eddyline-live"
_BUILD = f"cargo build --release -p {_NAME}, or name it in {VARIABLE}"
_WORLD = "kernel"
_POLL_S = 0.2  # between two reports of progress
_ANSWER_S = 10.0  # for the version
_LAST_WORD_S = 3.0  # of a program, after Ctrl-C
_CODES = {"kind": "B", "entity": "I", "quantity": "B"}
_ONE_AT_A_TIME = threading.Lock()  # runs in real time disturb each other


def executable() -> Path | None:
    """The executable: named by the variable, beside the package, in the checkout's `target`, or in the path."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        program = Path(named).absolute()  # a bare name would be looked for in the path
        return program if named and program.is_file() and os.access(program, os.X_OK) else None
    package = Path(__file__).parent
    built = package.parent.parent / "target"
    places = [package / _NAME, built / "release" / _NAME, built / "debug" / _NAME]
    found = next((place for place in places if os.access(place, os.X_OK)), None)
    if found is not None:
        return found
    import shutil

    in_path = shutil.which(_NAME)
    return None if in_path is None else Path(in_path)


def foreign(program: Path) -> WorldUnavailable | None:
    """The error about another program in the place of the executable, by its version; None about the executable."""
    return None if _identifies_itself(program) else _foreign(program)


@cache
def _identifies_itself(program: Path) -> bool:
    import subprocess

    asked = [str(program), "--version"]
    try:
        ran = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0 and ran.stdout.startswith(f"{_NAME} ".encode())


def linux() -> Path | None:
    """The user-mode Linux of virtual time: named by the variable, or where it is built."""
    named = os.environ.get(LINUX_VARIABLE)
    place = Path(named) if named is not None else _cached_linux()
    return place if place.is_file() else None


def _cached_linux() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "eddyline" / "linux"


def unavailable(*, is_virtual: bool = False) -> WorldUnavailable | None:
    """Why this machine cannot run the world, and the remedy; None where it can, as far as can be seen without a run.

    Args:
        is_virtual: In virtual time.
    """
    if sys.platform != "linux":
        return WorldUnavailable(_WORLD, f"no world kernel on {sys.platform}", "run on Linux")
    program = executable()
    if program is None and (named := os.environ.get(VARIABLE)):
        what = "cannot be executed" if Path(named).exists() else "there is no such file"
        return WorldUnavailable(_WORLD, f"no world kernel here: {VARIABLE}={named}: {what}", _BUILD)
    if program is None:
        return WorldUnavailable(
            _WORLD,
            f"no world kernel here: {_NAME} was not found",
            _BUILD,
        )
    if (other := foreign(program)) is not None:
        return other
    if is_virtual:
        return None if linux() is not None else WorldUnavailable(_WORLD, "no user-mode Linux was found", LINUX_REMEDY)
    if not Path("/dev/net/tun").exists():
        return WorldUnavailable(_WORLD, "no world kernel here: /dev/net/tun is missing", "modprobe tun")
    return None


def _required() -> Path:
    program = executable()
    if program is None:
        raise unavailable() or EddylineError(f"{_NAME} has gone")
    if (other := foreign(program)) is not None:
        raise other
    return program


class LiveOptions(NamedTuple):
    """What to record, and by which clock.

    Attributes:
        folder: Base of relative paths in the scenario.
        series: Record series.
        pcap: Write captures of the hosts' interfaces to this folder.
        is_virtual: The clock jumps, in a user-mode Linux.
        watch: Called twice a second with what flows and links are doing; not in virtual time.
    """

    folder: Path
    series: bool = False
    pcap: Path | None = None
    is_virtual: bool = False
    watch: Watcher | None = None


class LiveRun:
    """The result of a run: the attributes of `_core.Run` that a world without a packet log has."""

    QUANTITIES = _core.Run.QUANTITIES
    EVENTS = _core.Run.EVENTS
    PACKETS = _core.Run.PACKETS
    failures: Final[tuple[tuple[str, str, str], ...]] = ()
    """It has no controllers from files."""
    execution: Final[tuple[int, int, str | None]] = (1, 1, None)
    """It has nothing to divide."""

    def __init__(self, text: str, names: _core.Names, columns: dict[str, bytes] | None) -> None:
        self._text = text
        self._names = names
        self._columns = columns
        document = json.loads(text)
        self._world = str(document["world"])
        self._approximations = list(document["approximations"])

    @property
    def world(self) -> str:
        """Name of the world that ran it."""
        return self._world

    @property
    def json(self) -> str:
        """The result document."""
        return self._text

    def write_json(self, write: Callable[[str], object]) -> None:
        """Writes the result document by calls of `write`."""
        write(self._text)

    @property
    def approximations(self) -> list[str]:
        """What of the scenario file the world could not honour."""
        return list(self._approximations)

    @property
    def names(self) -> _core.Names:
        """Names of flows, links and sources."""
        return self._names

    def series(self) -> dict[str, bytes] | None:
        """Columns of the series as bytes, or None where none were recorded."""
        return self._columns

    def log(self) -> dict[str, bytes] | None:
        """None: there is no packet log."""
        return None

    def write_log(self, path: str) -> bool:
        """False: there is no packet log."""
        del path
        return False


def run(scenario: _core.Scenario, options: LiveOptions, progress: RunCallback | None) -> LiveRun:
    """Runs a scenario. In real time one run at a time, in virtual time several.

    Args:
        scenario: What to run.
        options: What to record, and by which clock.
        progress: Called several times a second.

    Raises:
        InputError: The scenario asks for what the world does not have.
        WorldUnavailable: This machine cannot run it.
        EddylineError: It failed.
    """
    import tempfile

    from eddyline.watching import Lines

    program = _required()
    # files without names: none is left, however this process ends
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as columns,
        tempfile.TemporaryFile() as lines,
        _turn(options),
    ):
        given.write(scenario.canonical.encode())
        given.seek(0)
        command = [str(program), "--attached", "--folder", str(options.folder)]
        command += ["--series", f"/dev/fd/{columns.fileno()}"] if options.series else []
        command += ["--virtual"] if options.is_virtual else []
        command += ["--pcap", str(options.pcap)] if options.pcap is not None else []
        command += ["--watch", f"/dev/fd/{lines.fileno()}"] if options.watch is not None else []
        reports = _Reports(scenario.duration_s, progress, options.watch, Lines(lines))
        text = _output(command, given, (columns.fileno(), lines.fileno()), reports)
        try:
            return LiveRun(text, scenario.names, _columns(columns) if options.series else None)
        except (ValueError, KeyError, TypeError):  # it wrote something else
            raise _foreign(program) from None


def shell(scenario: str, folder: Path, program: Sequence[str], *, at_sender: bool) -> int:
    """Runs a program at one end of an emulated path, and returns its exit code.

    Args:
        scenario: The canonical scenario.
        folder: Where relative paths in it start.
        program: The program and its arguments.
        at_sender: At the sender's end of the first flow, not at the receiver's.

    Raises:
        WorldUnavailable: This machine cannot.
    """
    import subprocess
    import tempfile

    found = _required()
    with tempfile.TemporaryFile() as given:
        given.write(scenario.encode())
        given.seek(0)
        end = "sender" if at_sender else "receiver"
        name = f"/dev/fd/{given.fileno()}"
        command = [str(found), "--attached", "--folder", str(folder), "--shell", end, name, "--", *program]
        with _quit_is_for_the_program(), subprocess.Popen(command, pass_fds=(given.fileno(),)) as run:
            try:
                return run.wait()
            except KeyboardInterrupt:
                # a terminal has told the program as well, which may have a last word
                with suppress(subprocess.TimeoutExpired):
                    return run.wait(_LAST_WORD_S)
                raise
            finally:
                run.kill()


@contextmanager
def _quit_is_for_the_program() -> Iterator[None]:
    """A terminal sends SIGQUIT to it as well, and some programs report by that. A handler is not inherited."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGQUIT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGQUIT, before)


def build_kernel(out: Path | None = None, jobs: int | None = None) -> int:
    """Builds the user-mode Linux of virtual time, and returns the exit code. It says on the terminal how far it is.

    Args:
        out: Where to put it; by default where `linux` finds it.
        jobs: Compilers at a time; by default one a processor.

    Raises:
        WorldUnavailable: There is no executable, which has the sources.
    """
    import subprocess

    program = _required()
    place = out if out is not None else _cached_linux()
    environment = os.environ | ({} if jobs is None else {"JOBS": str(jobs)})
    return subprocess.run([program, "--build-kernel", place.absolute()], env=environment, check=False).returncode


def clean() -> list[Path]:
    """Removes what runs in virtual time that were killed have left. Returns the folders that are gone.

    Raises:
        WorldUnavailable: There is no executable.
    """
    import subprocess

    program = _required()
    ran = subprocess.run([program, "--clean"], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise _failure(ran.returncode, ran.stderr)
    return [Path(line) for line in ran.stdout.splitlines()]


def _turn(options: LiveOptions) -> AbstractContextManager[object]:
    """What a run waits for: the end of others in real time."""
    return nullcontext() if options.is_virtual else _ONE_AT_A_TIME


class _Reports(NamedTuple):
    """Who is called during a run."""

    duration_s: float
    progress: RunCallback | None
    watch: Watcher | None
    lines: Lines

    def report(self, wall_s: float) -> None:
        if self.progress is not None:
            self.progress(min(wall_s, self.duration_s), self.duration_s, 0, wall_s)
        if self.watch is not None:
            for line in self.lines.new():
                self.watch(line)


def _output(command: list[str], given: IO[bytes], files: tuple[int, ...], reports: _Reports) -> str:
    import subprocess

    began = time.monotonic()
    with subprocess.Popen(
        command,
        stdin=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=files,
        text=True,
        encoding="utf-8",
    ) as child:
        try:
            while True:
                try:
                    out, err = child.communicate(timeout=_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    reports.report(time.monotonic() - began)
        except BaseException:
            child.kill()
            raise
    if child.returncode == 0:
        return out
    raise _failure(child.returncode, err)


def _foreign(program: Path) -> WorldUnavailable:
    return WorldUnavailable(_WORLD, f"{program} is no {_NAME}", f"unset {VARIABLE}, or name {_NAME} in it")


def _failure(code: int, err: str) -> EddylineError:
    """The error that the executable reports: a message, and in a last line a hint or a remedy."""
    message, hint = err.strip().removeprefix("error: "), None
    for word in ("\nremedy: ", "\nhint: "):
        if word in message:
            message, hint = message.split(word, 1)
    if code == 2:
        return InputError(message, hint)
    if code == WorldUnavailable.exit_code:
        return WorldUnavailable(_WORLD, message, hint)
    if code < 0:
        return EddylineError(f"{_NAME} was ended by signal {-code}")
    return EddylineError(f"{_NAME}: {message or f'exit {code}'}", hint)


def _columns(file: IO[bytes]) -> dict[str, bytes]:
    from array import array

    file.seek(0)
    columns = json.load(file)
    return {name: array(_CODES.get(name, "d"), values).tobytes() for name, values in columns.items()}
