"""Runs in parallel threads, one per processor, with their values in the order of the tasks."""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

from eddyline.errors import EddylineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from typing import TypeAlias

    from eddyline.progress import Count, RunCallback

    Task: TypeAlias = Callable[[RunCallback], "_Value"]

__all__ = ["processors", "run_all", "run_keeping"]

_Value = TypeVar("_Value")
_Error = TypeVar("_Error", bound=EddylineError)


class _Cancelled(Exception):  # noqa: N818 - a signal between threads, not an error
    pass


def processors() -> int:
    """Number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class _Never(EddylineError):  # noqa: N818 - no real error
    """An error that nothing raises."""


def run_all(tasks: Sequence[Task[_Value]], jobs: int | None = None, *, done: Count | None = None) -> list[_Value]:
    """Runs all tasks. The first error cancels the running ones and is raised.

    Args:
        tasks: Each is called with the `progress` argument for its run.
        jobs: Number of threads; one per processor by default.
        done: Called after each task.

    Returns:
        The value of each task, in order.
    """
    return [v for v in run_keeping(_Never, tasks, jobs, done=done) if not isinstance(v, _Never)]


def run_keeping(
    keep: type[_Error],
    tasks: Sequence[Task[_Value]],
    jobs: int | None = None,
    *,
    done: Count | None = None,
    failed: Callable[[_Error], object] | None = None,
) -> list[_Value | _Error]:
    """Runs all tasks, like `run_all`, but keeps errors of a class as values.

    Args:
        keep: The class. Any other error cancels the running tasks and is raised.
        tasks: Each is called with the `progress` argument for its run.
        jobs: Number of threads; one per processor by default.
        done: Called after each task.
        failed: Called with each kept error, possibly from another thread.

    Returns:
        The value or the error of each task, in order.
    """
    cancelled, lock = threading.Event(), threading.Lock()
    finished = 0

    def progress(*_: object) -> None:
        if cancelled.is_set():
            raise _Cancelled

    def run(task: Task[_Value]) -> _Value | _Error:
        nonlocal finished
        progress()
        value: _Value | _Error
        error: _Error | None = None
        try:
            value = task(progress)
        except keep as e:
            value = error = e
        with lock:
            if failed is not None and error is not None:
                failed(error)
            finished += 1
            if done is not None:
                done(finished, len(tasks))
        return value

    with ThreadPoolExecutor(min(jobs or processors(), max(1, len(tasks)))) as pool:
        runs: list[Future[_Value | _Error]] = [pool.submit(run, task) for task in tasks]
        try:
            wait(runs, return_when=FIRST_EXCEPTION)
            cancelled.set()
            for each in runs:
                error = each.exception()
                if error is not None and not isinstance(error, _Cancelled):
                    raise error
            return [each.result() for each in runs]
        finally:
            cancelled.set()
