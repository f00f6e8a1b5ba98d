"""Worker processes on this machine: each runs a point at a time, and when it dies or hangs only that point is lost."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from eddyline.errors import EddylineError
from eddyline.progress import Timeout
from eddyline.sweeps.batches import received
from eddyline.sweeps.worker import RECALL, Outcome, Returned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eddyline.sweeps.batches import Batches
    from eddyline.sweeps.grid import Task
    from eddyline.sweeps.worker import Job

__all__ = ["BATCH_S", "Pool"]

BATCH_S = 0.1
"""Target duration of a batch."""

_START_S = 0.1
"""What the start of a process takes, roughly: it is worth while for longer work, or where a point takes longer."""

_MAX_FAILED_STARTS = 5

_LATE_S = 5.0
"""By how much a point may exceed its time limit, or by the limit again if that is more, before its process is killed.
It ends points by itself, unless a controller waits in a call or catches what ends it."""

_LOOK_S = 1.0

# workers find the package where it is here, even off their own path
_ROOT = str(Path(__file__).parents[2])
_START = "import sys; sys.path.append(sys.argv[1]); from eddyline.sweeps.worker import serve; serve()"


class Pool:
    """An engine of that many processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def outcomes(self, job: Job, batches: Batches) -> Iterator[list[Outcome]]:
        """Outcomes as they arrive."""
        events: SimpleQueue[tuple[_Worker, Any]] = SimpleQueue()
        workers = {_Worker(job, events)}
        last, failed_starts = time.monotonic(), 0
        try:
            while workers:
                outcomes: list[Outcome] = []
                for worker, message in received(events):
                    if worker not in workers:
                        continue
                    if isinstance(message, _Gone):
                        workers.discard(worker)
                        if not worker.ready:
                            failed_starts += 1
                            if failed_starts >= _MAX_FAILED_STARTS:
                                raise EddylineError(f"the processes of the sweep do not start: {worker.why()}")
                        elif worker.tasks:
                            outcomes += batches.died(worker.tasks.popleft(), worker.why())
                        batches.give_back(worker.tasks)
                        worker.end()
                    elif message is None:
                        worker.started()
                        failed_starts = 0
                    elif isinstance(message, Returned):
                        batches.give_back(worker.returned(message.points))
                    else:
                        worker.finished()
                        outcomes.append(message)
                for worker in [each for each in workers if each.is_late()]:
                    outcomes.append(worker.ended_late())
                    workers.discard(worker)
                    batches.give_back(worker.tasks)
                    worker.end()
                batches.learn(outcomes)
                for worker in workers:
                    if worker.wants_more() and batches.left:
                        worker.give(batches.take(self._workers))
                if not batches.left and any(w.ready and not w.tasks for w in workers):
                    max(workers, key=lambda w: len(w.tasks)).recall()
                last = time.monotonic() if outcomes else last
                if not workers or batches.left_s > _START_S or time.monotonic() - last > _START_S:
                    more = batches.left + sum(max(0, len(w.tasks) - 1) for w in workers)
                    workers |= {_Worker(job, events) for _ in range(min(self._workers - len(workers), more))}
                if not batches.left and not any(w.tasks for w in workers):
                    for worker in workers:
                        worker.end()
                    workers.clear()
                yield outcomes
        finally:
            for worker in workers:
                worker.end()


class _Gone:
    """The last event of a worker."""


class _Worker:
    """A process and its points."""

    def __init__(self, job: Job, events: SimpleQueue[tuple[_Worker, Any]]) -> None:
        self.tasks: deque[Task] = deque()
        self.ready = False
        self._limit_s = job.timeout_s
        self._began = 0.0  # the first of its points
        self._late: float | None = None  # when it was first seen to be
        self._low_mark = 0
        self._recalled = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, _ROOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            process_group=0,  # Ctrl-C is for the parent process
        )
        self._send(job)
        threading.Thread(target=self._receive, args=(events,), daemon=True).start()

    def _receive(self, events: SimpleQueue[tuple[_Worker, Any]]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as source, suppress(Exception):  # a pickle may be cut off
            while True:
                events.put((self, pickle.load(source)))
        events.put((self, _Gone()))

    def started(self) -> None:
        """It is ready for points."""
        self.ready = True
        self._began = time.monotonic()

    def finished(self) -> Task:
        """Its first point is done, and the next one begins."""
        self._began, self._late = time.monotonic(), None
        return self.tasks.popleft()

    def is_late(self) -> bool:
        """Whether its first point takes so much longer than its limit that the process will not end it.

        For a second at least: after the sweep's process was stopped, an outcome may have come that has not been read.
        """
        now = time.monotonic()
        if self._limit_s is None or not (self.ready and self.tasks):
            return False
        if now - self._began <= self._limit_s + max(self._limit_s, _LATE_S):
            return False
        if self._late is None:
            self._late = now
        return now - self._late > _LOOK_S

    def ended_late(self) -> Outcome:
        """The outcome of a point that has to end with the process."""
        assert self._limit_s is not None
        seconds = time.monotonic() - self._began
        return Outcome(self.finished().point, None, failure=str(Timeout(self._limit_s)), seconds=seconds)

    def wants_more(self) -> bool:
        """Whether it will soon be idle."""
        return self.ready and len(self.tasks) <= self._low_mark

    def give(self, tasks: Sequence[Task]) -> None:
        """Sends points, in the order in which it will run them."""
        if not self.tasks:
            self._began, self._late = time.monotonic(), None
        self.tasks.extend(tasks)
        self._low_mark = len(tasks) // 2
        self._send(list(tasks))

    def recall(self) -> None:
        """Asks for the points that it has not started."""
        if not self._recalled and len(self.tasks) > 1:
            self._recalled = True
            self._send(RECALL)

    def returned(self, points: frozenset[int]) -> list[Task]:
        """The points that it returned."""
        self._recalled = False
        back = [t for t in self.tasks if t.point in points]
        self.tasks = deque(t for t in self.tasks if t.point not in points)
        return back

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it died; its last event reports that
            pickle.dump(message, self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()

    def end(self) -> None:
        """Kills it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._errors):
            with suppress(BrokenPipeError):  # data that it has not read
                if stream is not None:
                    stream.close()

    def why(self) -> str:
        """How it ended, with the last line of its standard error."""
        code = self._process.wait()
        end = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit {code}"
        if code == -signal.SIGKILL:
            end += ", as systems do that are short of memory (--memory limits a point)"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"{end}: {lines[-1]}" if lines else end
