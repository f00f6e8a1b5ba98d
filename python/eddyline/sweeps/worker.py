"""Runs points: in a process of its own (`serve`), or where a cluster calls `run_points`."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet, finalize

import eddyline._core as _core
from eddyline.errors import ControllerError, EddylineError
from eddyline.progress import limited
from eddyline.source import Source
from eddyline.sweeps.entities import ENTITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eddyline.controllers.transfer import Origin
    from eddyline.scenario import Result, Scenario
    from eddyline.sweeps.grid import Task

__all__ = ["RECALL", "Job", "OtherVersion", "Outcome", "Returned", "run_point", "run_points", "serve"]


@dataclass(frozen=True, eq=False)
class Job:
    """What all points of a sweep share.

    Attributes:
        text: The scenario as written.
        format: Its format.
        name: What messages call it.
        folder: Where relative paths in it start.
        given: Overrides of the whole sweep.
        keys: The varied keys.
        world: The world that runs the points.
        files: Contents of the files that it names, for machines without the folder.
        controllers: Origins of the user's own controllers that it may name.
        copies: Copies of files, as in `Source`.
        version: The version that the workers must have.
        timeout_s: Limit on a point's wall time.
        memory: Bytes that the packets in the network of a point may take; a share of what is free by default.
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
    copies: Mapping[str, str] = field(default_factory=dict)
    version: str = _core.VERSION
    timeout_s: float | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a point.

    Attributes:
        point: Its number.
        tables: The parts of the result document that `ENTITIES` names, without empty ones; None where it failed.
        approximations: What of the scenario the world could not model exactly.
        failure: Why it failed.
        seconds: Wall time of the run.
    """

    point: int
    tables: dict[str, list[dict[str, Any]]] | None
    approximations: tuple[str, ...] = ()
    failure: str | None = None
    seconds: float = 0.0


class OtherVersion(EddylineError):  # noqa: N818 - the name of a state
    """A worker has another version than the sweep."""

    def __init__(self, sweep: str, worker: str) -> None:
        super().__init__(sweep, worker)
        self.sweep, self.worker = sweep, worker


def run_point(job: Job, task: Task, heartbeat: Callable[..., object] | None = None) -> Outcome:
    """Runs one point. Any error is its outcome."""
    from eddyline.scenario import Scenario

    started = time.perf_counter()
    try:
        _register_controllers(job)
        _require_read(job)
        overrides = [*job.given, *zip(job.keys, task.values, strict=True)]
        if task.seed is not None:
            overrides.append(("seed", str(task.seed)))
        scenario = Scenario._loaded(_source(job), overrides)
        document = json.loads(_run(job, scenario, heartbeat).json)
    except ControllerError as e:
        why = f"{e}\n{e.traceback}".rstrip()
        return Outcome(task.point, None, failure=why, seconds=time.perf_counter() - started)
    except EddylineError as e:
        return Outcome(task.point, None, failure=str(e), seconds=time.perf_counter() - started)
    except MemoryError:
        return Outcome(task.point, None, failure="out of memory", seconds=time.perf_counter() - started)
    except Exception as e:  # last resort: the other points continue
        why = f"internal error: {type(e).__name__}: {e}"
        return Outcome(task.point, None, failure=why, seconds=time.perf_counter() - started)
    tables = {kind: document[kind] for kind in ENTITIES if document.get(kind)}
    return Outcome(task.point, tables, tuple(document["approximations"]), seconds=time.perf_counter() - started)


def _run(job: Job, scenario: Scenario, heartbeat: Callable[..., object] | None) -> Result:
    """In a thread where controllers are the user's: one that loops for ever is ended there, by the time limit."""
    from eddyline.parallel import ended_after, run_interruptible
    from eddyline.worlds import RunOptions

    options = RunOptions(series=False, memory=job.memory)
    if not job.controllers:
        return scenario.run_with(options, job.world, limited(job.timeout_s, heartbeat))

    def task(checkpoint: Callable[..., object]) -> Result:
        def progress(*state: object) -> None:
            checkpoint(*state)
            if heartbeat is not None:
                heartbeat(*state)

        with ended_after(job.timeout_s):
            return scenario.run_with(options, job.world, limited(job.timeout_s, progress))

    return run_interruptible(task)


def run_points(job: Job, tasks: Sequence[Task]) -> list[Outcome]:
    """Runs several points, one after the other.

    Raises:
        OtherVersion: The sweep is of another version.
    """
    if job.version != _core.VERSION:
        raise OtherVersion(job.version, _core.VERSION)
    return [run_point(job, task) for task in tasks]


def _require_read(job: Job) -> None:
    """Makes sure that the files which controllers read are still those of the sweep."""
    if job.controllers:
        from eddyline.controllers.transfer import require_unchanged

        require_unchanged(job.controllers, "read")


_registered: WeakSet[Job] = WeakSet()


def _register_controllers(job: Job) -> None:
    """Registers the controllers of a job, once."""
    if job.controllers and job not in _registered:
        from eddyline.controllers.transfer import require_unchanged, restore

        require_unchanged(job.controllers, "code")
        restore(job.controllers)
        _registered.add(job)


_unpacked: WeakKeyDictionary[Job, Source] = WeakKeyDictionary()
_unpacking = threading.Lock()


def _source(job: Job) -> Source:
    """The scenario, with its files where they are, or with those of the job in a folder that is removed with it."""
    if not job.files:
        copies = {name: Path(copy) for name, copy in job.copies.items()}
        return Source(job.text, job.format, job.name, Path(job.folder), copies)
    with _unpacking:
        if job not in _unpacked:
            import shutil
            import tempfile

            from eddyline.result_folder import copies as places

            holder = Path(tempfile.mkdtemp(prefix="eddyline-sweep-"))
            finalize(job, shutil.rmtree, holder, ignore_errors=True)
            source = Source(job.text, job.format, job.name, *places(holder, list(job.files)))
            whole = {}  # one beside the scenario has a short name also where the scenario has its whole path
            for name, content in job.files.items():
                copy = source.file(name)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                whole[str(Path(job.folder, name))] = copy
            _unpacked[job] = replace(source, copies={**whole, **source.copies})
        return _unpacked[job]


RECALL = "recall"
"""Message to a worker: return the points that you have not started."""


@dataclass(frozen=True, slots=True)
class Returned:
    """Points that a worker returns."""

    points: frozenset[int]


def serve() -> None:
    """Runs points from standard input and writes each outcome to standard output.

    Input and output are pickles. In: the job, then lists of tasks and `RECALL`. Out: None, when ready, then outcomes
    and `Returned`. It ends with its input, and soon after its parent process has died, once Python code runs in it.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # both reach all processes of a job; the parent ends its workers
        signal.signal(number, signal.SIG_IGN)
    parent = os.getppid()
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may be written between the outcomes
    waiting: deque[Task] = deque()
    available = threading.Semaphore(0)
    sending = threading.Lock()

    def send(message: object) -> None:
        with sending:
            pickle.dump(message, sink, protocol=pickle.HIGHEST_PROTOCOL)
            sink.flush()

    def receive() -> None:
        try:
            while True:
                message = pickle.load(source)
                if message == RECALL:
                    back = []
                    while available.acquire(blocking=False):
                        back.append(waiting.pop().point)
                    send(Returned(frozenset(back)))
                else:
                    waiting.extend(message)
                    available.release(len(message))
        except (EOFError, BrokenPipeError):
            os._exit(0)

    def heartbeat(*_: object) -> None:
        if os.getppid() != parent:
            os._exit(1)

    job: Job = pickle.load(source)
    with suppress(Exception):  # the error is the first point's; what the controllers import is not part of its time
        _register_controllers(job)
    threading.Thread(target=receive, daemon=True).start()
    try:
        send(None)
        while available.acquire():
            send(run_point(job, waiting.popleft(), heartbeat))
    except BrokenPipeError:
        os._exit(0)
