"""Handing out points: few at a time where each takes long, many where each takes little."""

from __future__ import annotations

from collections import Counter, deque
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol, TypeVar

from eddyline.errors import EddylineError
from eddyline.sweeps.worker import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eddyline.sweeps.grid import Task
    from eddyline.sweeps.worker import Job

__all__ = ["Batches", "Engine", "EngineUnavailable", "heard"]

_Event = TypeVar("_Event")

_MOST = 2_000  # points in a batch
_TICK_S = 0.1


class Engine(Protocol):
    """Who has points answered."""

    def outcomes(self, job: Job, batches: Batches) -> Iterator[list[Outcome]]:
        """Answers in whatever order they come; something, if only an empty list, several times a second.

        Closing the iterator stops the work.
        """


class EngineUnavailable(EddylineError):  # noqa: N818 - says what is the case, as WorldUnavailable does
    """This machine, or the cluster, cannot do the work."""

    exit_code = 3


def heard(events: SimpleQueue[_Event]) -> Iterator[_Event]:
    """All that has happened; waits a moment where nothing has."""
    try:
        yield events.get(timeout=_TICK_S)
        while True:
            yield events.get_nowait()
    except Empty:
        return


class Batches:
    """The points that nobody has been given yet.

    Args:
        tasks: All points to do.
        total: How many these are.
        seconds: How long a batch should take.
    """

    def __init__(self, tasks: Iterable[Task], total: int, seconds: float) -> None:
        self._tasks = iter(tasks)
        self._fresh = total
        self._seconds = seconds
        self._again: deque[Task] = deque()
        self._alone: deque[Task] = deque()
        self._deaths: Counter[int] = Counter()
        self._pace: float | None = None

    @property
    def left(self) -> int:
        """Points that wait."""
        return self._fresh + len(self._again) + len(self._alone)

    def take(self, workers: int) -> list[Task]:
        """The next batch for one of so many workers; empty where nothing is left."""
        if self._alone:
            return [self._alone.popleft()]
        waiting = self._fresh + len(self._again)
        fair = waiting // (2 * workers) + 1  # towards the end all should finish together
        wanted = 1 if self._pace is None else int(self._seconds / max(self._pace, 1e-6))
        size = max(1, min(wanted, fair, _MOST))
        batch = [self._again.popleft() for _ in range(min(size, len(self._again)))]
        fresh = list(islice(self._tasks, size - len(batch)))
        self._fresh -= len(fresh)
        return batch + fresh

    def learn(self, outcomes: Iterable[Outcome]) -> None:
        """How long points take; the latest count most."""
        for outcome in outcomes:
            self._pace = outcome.seconds if self._pace is None else 0.9 * self._pace + 0.1 * outcome.seconds

    def give_back(self, tasks: Iterable[Task], *, alone: bool = False) -> None:
        """These were taken, and nobody works on them now; `alone`: each is to be a batch of its own."""
        (self._alone if alone else self._again).extend(tasks)

    def died(self, suspect: Task, why: str) -> list[Outcome]:
        """Whoever worked on `suspect` died: it is tried once more, then it has failed."""
        self._deaths[suspect.point] += 1
        if self._deaths[suspect.point] < 2:
            self.give_back([suspect], alone=True)
            return []
        return [Outcome(suspect.point, None, failure=f"the process that ran it died, twice: {why}")]
