"""Simulations side by side in threads: as many at a time as wanted, answers in the order of the work."""

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

    Watch: TypeAlias = Callable[..., None]
    """What a run takes as `progress`: it ends the run when the others are given up."""

__all__ = ["side_by_side"]

_Answer = TypeVar("_Answer")


class _Stopped(Exception):  # noqa: N818 - a message between threads, nobody's error
    pass


def side_by_side(
    work: Sequence[Callable[[Watch], _Answer]],
    jobs: int | None,
    done: Callable[[int, int], object] | None = None,
    failed: Callable[[EddylineError], object] | None = None,
) -> list[_Answer | EddylineError]:
    """Does all of it.

    Args:
        work: What is to be done; each is given what its run takes as `progress`.
        jobs: How many at a time; as many as there are processors unless said.
        done: Told after each how many are done, of how many.
        failed: Told of each that failed, and why; perhaps from another thread.

    Returns:
        An answer for each, in order; where one failed, its error: a fault of its own, the others go on.
    """
    stop, lock = threading.Event(), threading.Lock()
    finished = 0

    def watch(*_: object) -> None:
        if stop.is_set():
            raise _Stopped

    def one(task: Callable[[Watch], _Answer]) -> _Answer | EddylineError:
        nonlocal finished
        watch()
        answer: _Answer | EddylineError
        try:
            answer = task(watch)
        except EddylineError as e:
            answer = e
        with lock:
            if failed is not None and isinstance(answer, EddylineError):
                failed(answer)
            finished += 1
            if done is not None:
                done(finished, len(work))
        return answer

    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        runs: list[Future[_Answer | EddylineError]] = [pool.submit(one, task) for task in work]
        try:
            wait(runs, return_when=FIRST_EXCEPTION)
            for run in (each for each in runs if each.done()):
                run.result()  # raises what one of them did, before the others are waited for
            return [run.result() for run in runs]
        finally:
            stop.set()
