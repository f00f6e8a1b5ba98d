"""Processes of this machine: each runs one point at a time, and takes nothing with it but that point when it dies."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import eddyline
from eddyline.errors import EddylineError
from eddyline.sweeps.batches import heard
from eddyline.sweeps.worker import RECALL, Returned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eddyline.sweeps.batches import Batches
    from eddyline.sweeps.grid import Task
    from eddyline.sweeps.worker import Job, Outcome

__all__ = ["BATCH_S", "Pool"]

BATCH_S = 0.1
"""How long a batch should take."""

_FALSE_STARTS = 5

# The package is found where it was found here, even when that is not where Python looks by itself.
_START = "import sys; sys.path.append(sys.argv[1]); from eddyline.sweeps.worker import serve; serve()"


class Pool:
    """An engine of so many processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def outcomes(self, job: Job, batches: Batches) -> Iterator[list[Outcome]]:
        """Answers as they come."""
        events: SimpleQueue[tuple[_Worker, Any]] = SimpleQueue()
        crew = {_Worker(job, events) for _ in range(min(self._workers, batches.left))}
        false_starts = 0
        try:
            while crew:
                outcomes: list[Outcome] = []
                for worker, said in heard(events):
                    if worker not in crew:
                        continue
                    if isinstance(said, _Gone):
                        crew.discard(worker)
                        if not worker.ready:
                            false_starts += 1
                            if false_starts >= _FALSE_STARTS:
                                raise EddylineError(f"the processes of the sweep do not start: {worker.why()}")
                        elif worker.tasks:
                            outcomes += batches.died(worker.tasks.popleft(), worker.why())
                        batches.give_back(worker.tasks)
                        worker.end()
                    elif said is None:
                        worker.ready, false_starts = True, 0
                    elif isinstance(said, Returned):
                        batches.give_back(worker.returned(said.points))
                    else:
                        worker.tasks.popleft()
                        outcomes.append(said)
                batches.learn(outcomes)
                for worker in crew:
                    if worker.wants() and batches.left:
                        worker.give(batches.take(self._workers))
                if not batches.left and any(w.ready and not w.tasks for w in crew):
                    max(crew, key=lambda w: len(w.tasks)).recall()
                while batches.left and len(crew) < self._workers:
                    crew.add(_Worker(job, events))
                if not batches.left and not any(w.tasks for w in crew):
                    for worker in crew:
                        worker.end()
                    crew.clear()
                yield outcomes
        finally:
            for worker in crew:
                worker.end()


class _Gone:
    """The last event of a worker."""


class _Worker:
    """A process and what it has been given."""

    def __init__(self, job: Job, events: SimpleQueue[tuple[_Worker, Any]]) -> None:
        self.tasks: deque[Task] = deque()
        self.ready = False
        self._enough = 0
        self._recalled = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, str(Path(eddyline.__file__).parents[1])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            process_group=0,  # Ctrl-C is for whoever started it
        )
        self._give(job)
        threading.Thread(target=self._listen, args=(events,), daemon=True).start()

    def _listen(self, events: SimpleQueue[tuple[_Worker, Any]]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as source, suppress(Exception):  # the end comes in mid-word perhaps
            while True:
                events.put((self, pickle.load(source)))
        events.put((self, _Gone()))

    def wants(self) -> bool:
        """Whether it will soon have nothing to do."""
        return self.ready and len(self.tasks) <= self._enough

    def give(self, tasks: Sequence[Task]) -> None:
        """Points, in the order in which it will answer them."""
        self.tasks.extend(tasks)
        self._enough = len(tasks) // 2
        self._give(list(tasks))

    def recall(self) -> None:
        """Asks for the points that it has not begun."""
        if not self._recalled and len(self.tasks) > 1:
            self._recalled = True
            self._give(RECALL)

    def returned(self, points: frozenset[int]) -> list[Task]:
        """What it gave back."""
        self._recalled = False
        back = [t for t in self.tasks if t.point in points]
        self.tasks = deque(t for t in self.tasks if t.point not in points)
        return back

    def _give(self, what: object) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it died; its last event will say so
            pickle.dump(what, self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()

    def end(self) -> None:
        """Ends it, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._errors):
            with suppress(BrokenPipeError):  # what it was given last and never read
                if stream is not None:
                    stream.close()

    def why(self) -> str:
        """How it ended, with the last line that it complained."""
        code = self._process.wait()
        end = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit {code}"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"{end}: {lines[-1]}" if lines else end
