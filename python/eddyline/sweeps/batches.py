"""Batches of points: small where each point takes long, large where it does not."""

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

__all__ = ["Batches", "Engine", "EngineUnavailable", "received"]

_Event = TypeVar("_Event")

_MAX_POINTS = 2_000  # in a batch
_TICK_S = 0.1


class Engine(Protocol):
    """Runs points on workers."""

    def outcomes(self, job: Job, batches: Batches) -> Iterator[list[Outcome]]:
        """Outcomes in the order in which they arrive; yields, if only an empty list, several times a second.

        Closing the iterator stops the work.
        """


class EngineUnavailable(EddylineError):  # noqa: N818 - the name of a state, as WorldUnavailable
    """This machine or the cluster cannot run the points."""

    exit_code = 3


def received(events: SimpleQueue[_Event]) -> Iterator[_Event]:
    """All pending events; waits a moment for the first."""
    try:
        yield events.get(timeout=_TICK_S)
        while True:
            yield events.get_nowait()
    except Empty:
        return


class Batches:
    """The points that are not assigned to a worker.

    Args:
        tasks: All points to run.
        total: Their number.
        seconds: Target duration of a batch.
    """

    def __init__(self, tasks: Iterable[Task], total: int, seconds: float) -> None:
        self._tasks = iter(tasks)
        self._fresh = total
        self._seconds = seconds
        self._returned: deque[Task] = deque()
        self._alone: deque[Task] = deque()
        self._deaths: Counter[int] = Counter()
        self._pace: float | None = None

    @property
    def left(self) -> int:
        """Number of points left."""
        return self._fresh + len(self._returned) + len(self._alone)

    @property
    def left_s(self) -> float:
        """Seconds that they take one after the other; 0 before the first point is finished."""
        return (self._pace or 0.0) * self.left

    def take(self, workers: int) -> list[Task]:
        """The next batch for one of that many workers; empty where none is left."""
        if self._alone:
            return [self._alone.popleft()]
        waiting = self._fresh + len(self._returned)
        fair = waiting // (2 * workers) + 1  # so that all workers finish together
        target = 1 if self._pace is None else int(self._seconds / max(self._pace, 1e-6))
        size = max(1, min(target, fair, _MAX_POINTS))
        batch = [self._returned.popleft() for _ in range(min(size, len(self._returned)))]
        fresh = list(islice(self._tasks, size - len(batch)))
        self._fresh -= len(fresh)
        return batch + fresh

    def learn(self, outcomes: Iterable[Outcome]) -> None:
        """Updates the duration of points, an exponential average."""
        for outcome in outcomes:
            self._pace = outcome.seconds if self._pace is None else 0.9 * self._pace + 0.1 * outcome.seconds

    def give_back(self, tasks: Iterable[Task], *, alone: bool = False) -> None:
        """Returns taken points; with `alone` each becomes a batch of its own."""
        (self._alone if alone else self._returned).extend(tasks)

    def died(self, suspect: Task, why: str) -> list[Outcome]:
        """A worker died at `suspect`: the point is run once more, then it has failed."""
        self._deaths[suspect.point] += 1
        if self._deaths[suspect.point] < 2:
            self.give_back([suspect], alone=True)
            return []
        return [Outcome(suspect.point, None, failure=f"the process that ran it died, twice: {why}")]
