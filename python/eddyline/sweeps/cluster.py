"""A Dask cluster: batches are its tasks, and what a lost worker had is done again by another."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from eddyline import _core
from eddyline.errors import EddylineError, InputError
from eddyline.sweeps.batches import EngineUnavailable, heard
from eddyline.sweeps.worker import OtherVersion, answer_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eddyline.sweeps.batches import Batches
    from eddyline.sweeps.grid import Task
    from eddyline.sweeps.worker import Job, Outcome

__all__ = ["BATCH_S", "Cluster"]

BATCH_S = 0.5
"""How long a batch should take: a task of Dask costs some milliseconds."""

_TICK_S = 0.1
_LOOK_AGAIN_S = 1.0
_CONNECT_S = 10
_ALONE_S = 60
_AHEAD = 2  # batches per thread of the cluster that are with it at a time


class Cluster:
    """An engine of the workers of a Dask scheduler.

    Args:
        engine: `dask://HOST:PORT`.

    Raises:
        InputError: That is no address.
        EngineUnavailable: There is no Dask here, or nobody answers there.
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
        self._distributed: Any = distributed  # its types are half there
        self._place = place
        self._gone = False
        self._before = _hush()
        try:
            self._client: Any = self._distributed.Client(f"tcp://{place}", timeout=_CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as e:
            raise EngineUnavailable(
                f"no Dask scheduler answers at {place}: {' '.join(str(e).split()) or type(e).__name__}",
                "`dask scheduler` starts one and prints its address; `dask worker HOST:PORT` adds a worker",
            ) from None

    def close(self) -> None:
        """Lets go of the cluster."""
        with suppress(OSError, TimeoutError):
            self._client.close(timeout=_TICK_S)
        if not self._gone:  # else its threads go on complaining
            for logger, level in self._before:
                logger.setLevel(level)

    def outcomes(self, job: Job, batches: Batches) -> Iterator[list[Outcome]]:
        """Answers as they come."""
        events: SimpleQueue[Any] = SimpleQueue()
        running: dict[str, tuple[Any, list[Task]]] = {}  # by the future's key
        # A task, not scattered data: when its worker is lost the scheduler still has the recipe.
        carried = self._client.submit(_itself, job, pure=False)
        looked, manned, threads, given = 0.0, time.monotonic(), 0, 0
        try:
            while batches.left or running:
                if time.monotonic() - looked > _LOOK_AGAIN_S:
                    looked, threads = time.monotonic(), self._threads()
                    manned = looked if threads else manned
                    if looked - manned > _ALONE_S:
                        raise EngineUnavailable(
                            f"the Dask cluster at {self._place} has no workers",
                            f"`dask worker {self._place}` starts one",
                        )
                while batches.left and len(running) < _AHEAD * max(1, threads):
                    tasks = batches.take(_AHEAD * max(1, threads))
                    given += 1
                    future = self._client.submit(answer_all, carried, tasks, pure=False, priority=-given)
                    running[future.key] = (future, tasks)
                    future.add_done_callback(events.put)
                outcomes: list[Outcome] = []
                for future in heard(events):
                    _, tasks = running.pop(future.key)
                    outcomes += self._outcomes(future, tasks, batches)
                batches.learn(outcomes)
                yield outcomes
        finally:
            with suppress(Exception):  # the cluster may be gone; what it answered is kept
                self._client.cancel([future for future, _ in running.values()])

    def _threads(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, TimeoutError):
            raise self._lost() from None

    def _lost(self) -> EddylineError:
        self._gone = True
        return EddylineError(
            f"the Dask cluster at {self._place} is gone", "what it had answered is kept: the same command goes on"
        )

    def _outcomes(self, future: Any, tasks: list[Task], batches: Batches) -> list[Outcome]:
        if future.status == "finished":
            with suppress(OSError, TimeoutError, self._distributed.client.FutureCancelledError):
                outcomes: list[Outcome] = future.result(timeout=_CONNECT_S)
                return outcomes
            batches.give_back(tasks)  # lost on the way here
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
                f"a worker of the cluster has Eddyline {error.answers}, this is {error.asks}",
                f"pip install eddyline=={error.asks} on the workers",
            )
        if isinstance(error, ImportError):
            raise EngineUnavailable(
                f"a worker of the cluster cannot load Eddyline: {error}",
                f"pip install eddyline=={_core.VERSION} on the workers",
            )
        raise EddylineError(f"the Dask cluster at {self._place} failed: {type(error).__name__}: {error}")


def _itself(job: Job) -> Job:
    return job


def _hush() -> list[tuple[logging.Logger, int]]:
    """Lost workers are our business: nobody needs to read what Dask has to say about them. What there was before."""
    theirs = ("distributed", "tornado", "asyncio")
    known = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in theirs]
    before = [(logger, logger.level) for logger in map(logging.getLogger, {*theirs, *known})]
    for logger, _ in before:
        logger.setLevel(logging.CRITICAL + 1)
    return before
