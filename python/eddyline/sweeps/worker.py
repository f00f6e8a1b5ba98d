"""Answers points: in a process of its own (`serve`), or wherever a cluster calls `answer`."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet, finalize

from eddyline import _core
from eddyline.errors import ControllerError, EddylineError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eddyline.controllers.elsewhere import Origin
    from eddyline.sweeps.grid import Task

__all__ = ["RECALL", "TABLES", "Job", "OtherVersion", "Outcome", "Returned", "answer", "answer_all", "serve"]

TABLES = ("flows", "links", "groups", "arrivals")
"""The parts of a result that a sweep keeps."""


@dataclass(frozen=True, eq=False)
class Job:
    """What all points of a sweep have in common.

    Attributes:
        text: The scenario as written, in `format`; `name` is what messages call it.
        folder: Where relative paths in it start.
        given: Overrides of the whole sweep.
        keys: The varied keys.
        world: Who answers.
        files: Contents of the files that it names by relative paths, for machines that do not have the folder.
        controllers: Where the user's own controllers are from that it may name.
        version: Whoever answers must be of this version.
    """

    text: str
    format: str
    name: str
    folder: str
    given: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    world: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    controllers: tuple[Origin, ...] = ()
    version: str = _core.VERSION


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a point.

    Attributes:
        point: Its number.
        tables: Flows, links, groups and arrivals, as in the result document; None where it failed.
        approximations: What the world could not honour of the scenario.
        failure: Why it failed.
        seconds: How long it took.
    """

    point: int
    tables: dict[str, list[dict[str, Any]]] | None
    approximations: tuple[str, ...] = ()
    failure: str | None = None
    seconds: float = 0.0


class OtherVersion(EddylineError):  # noqa: N818 - says what is the case
    """Who should answer is not of the version that asks."""

    def __init__(self, asks: str, answers: str) -> None:
        super().__init__(asks, answers)
        self.asks, self.answers = asks, answers


def answer(job: Job, task: Task, heartbeat: Callable[..., object] | None = None) -> Outcome:
    """Runs one point; whatever goes wrong with it is part of the answer."""
    from eddyline.scenario import Scenario

    started = time.perf_counter()
    try:
        _know(job)
        overrides = [*job.given, *zip(job.keys, task.values, strict=True)]
        if task.seed is not None:
            overrides.append(("seed", str(task.seed)))
        folder = _folder(job)
        scenario = Scenario._of(_core.load(job.text, job.format, job.name, folder, overrides), folder)
        document = json.loads(scenario.run(job.world, series=False, progress=heartbeat).json)
    except ControllerError as e:
        why = f"{e}\n{e.traceback}".rstrip()
        return Outcome(task.point, None, failure=why, seconds=time.perf_counter() - started)
    except EddylineError as e:
        return Outcome(task.point, None, failure=str(e), seconds=time.perf_counter() - started)
    except MemoryError:
        return Outcome(task.point, None, failure="out of memory", seconds=time.perf_counter() - started)
    except Exception as e:  # the guard: one point is no reason to lose the others
        why = f"internal error: {type(e).__name__}: {e}"
        return Outcome(task.point, None, failure=why, seconds=time.perf_counter() - started)
    tables = {name: document[name] for name in TABLES if document[name]}
    return Outcome(task.point, tables, tuple(document["approximations"]), seconds=time.perf_counter() - started)


def answer_all(job: Job, tasks: Sequence[Task]) -> list[Outcome]:
    """Runs several points, one after the other.

    Raises:
        OtherVersion: This is not the version that asks.
    """
    if job.version != _core.VERSION:
        raise OtherVersion(job.version, _core.VERSION)
    return [answer(job, task) for task in tasks]


_known: WeakSet[Job] = WeakSet()


def _know(job: Job) -> None:
    """Registers the controllers of a job, once."""
    if job.controllers and job not in _known:
        from eddyline.controllers.elsewhere import restore

        restore(job.controllers)
        _known.add(job)


_unpacked: WeakKeyDictionary[Job, Path] = WeakKeyDictionary()
_unpacking = threading.Lock()


def _folder(job: Job) -> Path:
    """Where relative paths start: the folder itself, or one with copies of its files, which goes when the job goes."""
    if not job.files:
        return Path(job.folder)
    with _unpacking:
        if job not in _unpacked:
            from eddyline.folder import _inner

            holder = Path(tempfile.mkdtemp(prefix="eddyline-sweep-"))
            finalize(job, shutil.rmtree, holder, ignore_errors=True)
            inner = _inner(holder, list(job.files))
            for name, content in job.files.items():
                copy = inner / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
            _unpacked[job] = inner
        return _unpacked[job]


RECALL = "recall"
"""Said to a process: give back what you have not begun."""


@dataclass(frozen=True, slots=True)
class Returned:
    """Points that a process gives back."""

    points: frozenset[int]


def serve() -> None:
    """Answers points that come in on standard input, each on standard output as soon as it is done.

    In come pickles: the job, then lists of tasks and `RECALL`; out go None, when ready, outcomes and `Returned`. Ends
    when nothing more can come, and soon after whoever started it has gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may come between the answers
    waiting: deque[Task] = deque()
    more = threading.Semaphore(0)
    one_at_a_time = threading.Lock()

    def say(what: object) -> None:
        with one_at_a_time:
            pickle.dump(what, sink, protocol=pickle.HIGHEST_PROTOCOL)
            sink.flush()

    def listen() -> None:
        try:
            while True:
                said = pickle.load(source)
                if said == RECALL:
                    back = []
                    while more.acquire(blocking=False):
                        back.append(waiting.pop().point)
                    say(Returned(frozenset(back)))
                else:
                    waiting.extend(said)
                    more.release(len(said))
        except (EOFError, BrokenPipeError):
            os._exit(0)

    def heartbeat(*_: object) -> None:
        if os.getppid() != parent:
            os._exit(1)

    job: Job = pickle.load(source)
    threading.Thread(target=listen, daemon=True).start()
    try:
        say(None)
        while more.acquire():
            say(answer(job, waiting.popleft(), heartbeat))
    except BrokenPipeError:
        os._exit(0)
