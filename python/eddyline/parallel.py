"""Runs in parallel threads, one per processor, with their values in the order of the tasks."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from eddyline.ctrl_c import end_command
from eddyline.errors import EddylineError
from eddyline.progress import Timeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
    from typing import TypeAlias

    from eddyline.progress import Count, RunCallback

    Task: TypeAlias = Callable[[RunCallback], "_Value"]

__all__ = ["ended_after", "processors", "raise_in", "run_all", "run_interruptible", "run_keeping"]

_GRACE_S = 0.4  # a run that calls back stops by itself within a tenth of a second
_POLL_S = 0.1

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


def _first_error(runs: Sequence[Future[_Value]]) -> None:
    """Waits for all runs or the first error, and comes up for air: what another thread raises here is heard then."""
    while True:
        done, left = wait(runs, timeout=_POLL_S, return_when=FIRST_EXCEPTION)
        if not left or any(each.exception() is not None for each in done):
            return


def _insist(running: set[int]) -> None:
    """Ends cancelled tasks that no longer call back: a user's controller in an endless loop."""
    began = time.monotonic()
    while running:
        if time.monotonic() - began > _GRACE_S:
            for thread in list(running):
                raise_in(thread, _Cancelled)
        time.sleep(_POLL_S / 10)


def raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raises an exception in the Python code of another thread; None takes back one that is not raised yet."""
    import ctypes

    value = ctypes.py_object() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), value)


def run_interruptible(task: Task[_Value]) -> _Value:
    """Runs a task in a thread, so that Ctrl-C is heard whatever its Python code does."""
    (value,) = run_all([task], 1)
    return value


@contextmanager
def ended_after(limit_s: float | None) -> Iterator[None]:
    """Ends Python code in the block that neither returns nor calls back within a time: a controller in a loop.

    Args:
        limit_s: The limit; None for none.

    Raises:
        Timeout: In place of the error that ended it.
    """
    if limit_s is None:
        yield
        return
    target, done, expired = threading.get_ident(), threading.Event(), threading.Event()

    def watch() -> None:
        if done.wait(limit_s + _GRACE_S):
            return
        expired.set()
        while not done.wait(_POLL_S):
            raise_in(target, Timeout.of(limit_s))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except EddylineError:
        if expired.is_set():
            raise Timeout(limit_s) from None
        raise
    finally:
        over = False
        while not over:
            with suppress(Timeout):  # raised again, in these lines
                done.set()
                watcher.join()
                raise_in(target, None)
                over = True


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
    running: set[int] = set()  # threads with a task
    finished = 0

    def progress(*_: object) -> None:
        if cancelled.is_set():
            raise _Cancelled

    def run(task: Task[_Value]) -> _Value | _Error:
        nonlocal finished
        value: _Value | _Error
        error: _Error | None = None
        running.add(threading.get_ident())  # first: whoever cancels sees this thread, or it sees that
        try:
            progress()
            value = task(progress)
        except keep as e:
            value = error = e
        finally:
            running.discard(threading.get_ident())
        with lock:
            if failed is not None and error is not None:
                failed(error)
            finished += 1
            if done is not None:
                done(finished, len(tasks))
        return value

    pool = ThreadPoolExecutor(min(jobs or processors(), max(1, len(tasks))))
    try:
        runs: list[Future[_Value | _Error]] = [pool.submit(run, task) for task in tasks]
        _first_error(runs)
        cancelled.set()
        for each in runs:
            error = each.exception()
            if error is not None and not isinstance(error, _Cancelled):
                raise error
        return [each.result() for each in runs]
    except KeyboardInterrupt:
        cancelled.set()
        try:
            _insist(running)
            pool.shutdown()
        except KeyboardInterrupt:  # again: a call in which a controller waits does not end
            end_command()
            raise
        raise
    finally:
        cancelled.set()
        _insist(running)
        pool.shutdown()
