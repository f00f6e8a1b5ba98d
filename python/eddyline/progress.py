"""Progress of runs: what a run calls back, and who observes several runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

__all__ = ["Count", "Observer", "RunCallback"]

RunCallback: TypeAlias = Callable[[float, float, int, float], object]
"""Called some ten times a second with virtual seconds, duration in seconds, events, wall seconds. It may raise to stop
the run."""

Count: TypeAlias = Callable[[int, int], object]
"""Called after each piece of work with the number of finished pieces and their total."""


class Observer(Protocol):
    """Receives the progress of several runs."""

    def expect(self, runs: int) -> None:
        """Announces `runs` more runs. All earlier ones are finished."""

    def update(self, run: int, now_s: float, duration_s: float, wall_s: float) -> None:
        """Run number `run` of those announced last has simulated `now_s` of `duration_s`, in `wall_s` seconds."""
