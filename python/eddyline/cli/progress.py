"""Progress on the terminal: a bar, where the runs take more than a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from eddyline.progress import Count

__all__ = ["Progress"]

_BAR_AFTER_S = 1.0
_LINE_EVERY_S = 60.0


class Progress:
    """An `Observer` that shows runs on standard error: as one bar where that is a terminal, else as a line a minute.

    A controller of the user may change the working folder; after the runs it is again the one that relative places of
    the command line start in.
    """

    def __init__(self, *, silent: bool = False) -> None:
        self._wanted = not silent
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._started = self._written = time.monotonic()
        self._runs = 0
        self._done: dict[int, float] = {}
        self._finished = 0
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._folder: str | None = None

    def __enter__(self) -> Self:
        self._folder = _working_folder()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._folder is not None and self._folder != _working_folder():
            os.chdir(self._folder)

    def count(self, run: int = 0) -> Count:
        """A callback that reports pieces of work of one run."""
        return lambda done, total: self.update(run, done, total, 0.0)

    def expect(self, runs: int) -> None:
        """See `Observer`."""
        with self._lock:
            self._finished = self._runs
            self._runs += runs
            self._done = dict.fromkeys(range(self._finished), 1.0)

    def update(self, run: int, now_s: float, duration_s: float, wall_s: float) -> None:
        """See `Observer`."""
        if not self._wanted:
            return
        with self._lock:
            self._done[self._finished + run] = now_s / duration_s
            if not self._terminal:
                self._line()
                return
            if self._bar is None:
                if time.monotonic() - self._started < _BAR_AFTER_S:
                    return
                self._bar, self._task = _bar()
            if self._task is not None:
                rate = f"{now_s / wall_s:,.0f} x real time" if wall_s > 0 else ""
                share = sum(self._done.values()) / self._runs
                self._bar.update(self._task, completed=share, rate=rate)

    def _line(self) -> None:
        """Progress with the time of day, for a log."""
        now = time.monotonic()
        if now - self._written >= _LINE_EVERY_S:
            self._written = now
            share = sum(self._done.values()) / self._runs
            left = f", {timedelta(seconds=round((now - self._started) * (1 / share - 1)))} left" if share > 0 else ""
            click.echo(f"{datetime.now().astimezone():%H:%M:%S} {100 * share:.0f} %{left}", err=True)


def _working_folder() -> str | None:
    """None where it has been removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return None


def _bar() -> tuple[Bar, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("run", total=1.0, rate="")
