"""A Dask cluster: batches are its tasks, and those of a lost worker run again on another."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.errors import EddylineError, InputError
from eddyline.sweeps.batches import EngineUnavailable, received
from eddyline.sweeps.worker import OtherVersion, run_points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eddyline.sweeps.batches import Batches
    from eddyline.sweeps.grid import Task
    from eddyline.sweeps.worker import Job, Outcome

__all__ = ["BATCH_S", "Cluster"]

BATCH_S = 0.5
"""Target duration of a batch: a task of Dask costs some milliseconds."""

_TICK_S = 0.1
_REFRESH_S = 1.0
_CONNECT_S = 10
_NO_WORKERS_S = 60
_QUEUED = 2  # batches per thread of the cluster


class Cluster:
    """An engine of the workers of a Dask scheduler.

    Args:
        engine: `dask://HOST:PORT`.

    Raises:
        InputError: The address is invalid.
        EngineUnavailable: Dask is not installed, or no scheduler answers.
    """

    def __init__(self, engine: str) -> None:
        place = engine.removeprefix("dask://")
        host, colon, port = place.rpartition(":")
        if place == engine or not (host and colon and port.isdecimal()):
            raise InputError(f"there is no engine {engine!r}", "a Dask cluster is named dask://HOST:PORT")
        try:
            import distributed
        except ImportError:
            raise EngineUnavailable(
                "Dask is not installed here", "pip install 'eddyline[dask]', here and on the workers"
            ) from None
        self._distributed: Any = distributed  # its types are incomplete
        self._place = place
        self._gone = False
        self._levels = _silence()
        try:
            self._client: Any = self._distributed.Client(f"tcp://{place}", timeout=_CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as e:
            raise EngineUnavailable(
                f"no Dask scheduler answers at {place}: {' '.join(str(e).split()) or type(e).__name__}",
                "`dask scheduler` starts one and prints its address; `dask worker HOST:PORT` adds a worker",
            ) from None

    def close(self) -> None:
        """Closes the connection."""
        with suppress(OSError, TimeoutError):
            self._client.close(timeout=_TICK_S)
        if not self._gone:  # otherwise its threads keep logging errors
            for logger, level in self._levels:
                logger.setLevel(level)

    def outcomes(self, job: Job, batches: Batches) -> Iterator[list[Outcome]]:
        """Outcomes as they arrive."""
        events: SimpleQueue[Any] = SimpleQueue()
        running: dict[str, tuple[Any, list[Task]]] = {}  # by the future's key
        # a task, not scattered data: the scheduler can run it again when its worker is lost
        carried = self._client.submit(_identity, job, pure=False)
        refreshed, last_worker, threads, given = 0.0, time.monotonic(), 0, 0
        try:
            while batches.left or running:
                if time.monotonic() - refreshed > _REFRESH_S:
                    refreshed, threads = time.monotonic(), self._threads()
                    last_worker = refreshed if threads else last_worker
                    if refreshed - last_worker > _NO_WORKERS_S:
                        raise EngineUnavailable(
                            f"the Dask cluster at {self._place} has no workers",
                            f"`dask worker {self._place}` starts one",
                        )
                while batches.left and len(running) < _QUEUED * max(1, threads):
                    tasks = batches.take(_QUEUED * max(1, threads))
                    given += 1
                    future = self._client.submit(run_points, carried, tasks, pure=False, priority=-given)
                    running[future.key] = (future, tasks)
                    future.add_done_callback(events.put)
                outcomes: list[Outcome] = []
                for future in received(events):
                    _, tasks = running.pop(future.key)
                    outcomes += self._outcomes(future, tasks, batches)
                batches.learn(outcomes)
                yield outcomes
        finally:
            with suppress(Exception):  # the cluster may be gone; its outcomes are kept
                self._client.cancel([future for future, _ in running.values()])

    def _threads(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, TimeoutError):
            raise self._lost() from None

    def _lost(self) -> EddylineError:
        self._gone = True
        return EddylineError(
            f"the Dask cluster at {self._place} is gone", "its outcomes are kept: the same command continues"
        )

    def _outcomes(self, future: Any, tasks: list[Task], batches: Batches) -> list[Outcome]:
        if future.status == "finished":
            with suppress(OSError, TimeoutError, self._distributed.client.FutureCancelledError):
                outcomes: list[Outcome] = future.result(timeout=_CONNECT_S)
                return outcomes
            batches.give_back(tasks)  # lost in transfer
            return []
        if future.status != "error":
            # cancelled, or lost with a worker: the scheduler may well be there
            self._threads()
            batches.give_back(tasks)
            return []
        error = future.exception(timeout=_CONNECT_S)
        if isinstance(error, self._distributed.scheduler.KilledWorker):
            if len(tasks) == 1:
                return batches.died(tasks[0], "several workers of the cluster were lost with it")
            batches.give_back(tasks, alone=True)
            return []
        if isinstance(error, OtherVersion):
            raise EngineUnavailable(
                f"a worker of the cluster has Eddyline {error.worker}, this is {error.sweep}",
                f"pip install eddyline=={error.sweep} on the workers",
            )
        if isinstance(error, ImportError):
            raise EngineUnavailable(
                f"a worker of the cluster cannot load Eddyline: {error}",
                f"pip install eddyline=={_core.VERSION} on the workers",
            )
        raise EddylineError(f"the Dask cluster at {self._place} failed: {type(error).__name__}: {error}")


def _identity(job: Job) -> Job:
    return job


def _silence() -> list[tuple[logging.Logger, int]]:
    """Silences Dask's log about lost workers, which the sweep handles; returns the previous levels."""
    roots = ("distributed", "tornado", "asyncio")
    known = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in roots]
    levels = [(logger, logger.level) for logger in map(logging.getLogger, {*roots, *known})]
    for logger, _ in levels:
        logger.setLevel(logging.CRITICAL + 1)
    return levels
