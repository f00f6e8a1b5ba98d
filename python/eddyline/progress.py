"""Progress of runs: what a run calls back, and who observes several runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from eddyline.errors import EddylineError

__all__ = ["Count", "Observer", "RunCallback", "Timeout", "limited"]

RunCallback: TypeAlias = Callable[[float, float, int, float], object]
"""Called at the start and then some ten times a second with virtual seconds, duration in seconds, events, wall seconds.
It may raise to stop the run."""

Count: TypeAlias = Callable[[int, int], object]
"""Called after each piece of work with the number of finished pieces and their total."""


class Timeout(EddylineError):  # noqa: N818 - the name of a state
    """A run took longer than its limit."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"timeout: not finished after {limit_s:g} s", "--timeout gives it longer")

    @classmethod
    def of(cls, limit_s: float) -> type[Timeout]:
        """A class of this error that needs no arguments."""
        return type("Timeout", (cls,), {"__init__": lambda self: cls.__init__(self, limit_s)})


def limited(limit_s: float | None, progress: Callable[..., object] | None = None) -> Callable[..., object] | None:
    """The callback of a run that may take so many seconds of wall time from now; it raises `Timeout` after that.

    Args:
        limit_s: The limit; None for none.
        progress: Called first.
    """
    if limit_s is None:
        return progress
    deadline = time.monotonic() + limit_s

    def checked(*state: Any) -> None:
        if progress is not None:
            progress(*state)
        if time.monotonic() > deadline:
            raise Timeout(limit_s)

    return checked


class Observer(Protocol):
    """Receives the progress of several runs."""

    def expect(self, runs: int) -> None:
        """Announces `runs` more runs. All earlier ones are finished."""

    def update(self, run: int, now_s: float, duration_s: float, wall_s: float) -> None:
        """Run number `run` of those announced last has simulated `now_s` of `duration_s`, in `wall_s` seconds."""
