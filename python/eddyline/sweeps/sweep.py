"""Running a sweep: what is missing in its folder is answered and stored."""

from __future__ import annotations

import json
import os
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eddyline.errors import EddylineError, InputError
from eddyline.folder import claim_parent, refused
from eddyline.locks import locked
from eddyline.sweeps import batches, manifest
from eddyline.sweeps.interrupt import Interrupt
from eddyline.sweeps.store import PARTS, Store, put, synced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from eddyline.scenario import Overrides, Scenario
    from eddyline.sweeps.batches import Engine
    from eddyline.sweeps.plan import Plan

__all__ = ["Failure", "Listener", "Swept", "run", "sweep"]

LOCK = "lock"

_SCENARIOS = {"toml": "scenario.toml", "json": "scenario.json", "dict": "scenario.json"}


@dataclass(frozen=True)
class Failure:
    """A point that failed: its number, what was set in it, and why."""

    point: int
    set: dict[str, Any]
    why: str


@dataclass(frozen=True)
class Swept:
    """What is in the folder of a sweep now.

    Attributes:
        folder: Where.
        points: How many points it has.
        done: How many are answered.
        ran: How many of these were answered this time.
        failures: Those that failed.
        approximations: What the world could not honour of the scenario, in any point.
        wall_s: How long it took, this time.
    """

    folder: Path
    points: int
    done: int
    ran: int
    failures: list[Failure] = field(default_factory=list)
    approximations: list[str] = field(default_factory=list)
    wall_s: float = 0.0

    def read(self, of: str = "flows") -> pd.DataFrame:
        """A table of it, as `read_sweep` gives it."""
        from eddyline.sweeps.frame import read_sweep

        return read_sweep(self.folder, of)

    @property
    def flows(self) -> pd.DataFrame:
        """A row per point, seed and flow."""
        return self.read("flows")

    @property
    def links(self) -> pd.DataFrame:
        """A row per point, seed and link."""
        return self.read("links")


class Listener(Protocol):
    """Who is told how far a sweep is."""

    def checking(self, done: int, total: int) -> None:
        """So many combinations of so many are checked."""

    def begins(self, points: int, stored: int) -> None:
        """It has so many points, so many of which are stored already."""

    def hear(self, done: int, failed: int) -> None:
        """So many are answered and so many have failed, those before included."""


class Silence:
    """Nobody is told."""

    def checking(self, done: int, total: int) -> None:
        """See `Listener`."""

    def begins(self, points: int, stored: int) -> None:
        """See `Listener`."""

    def hear(self, done: int, failed: int) -> None:
        """See `Listener`."""


def sweep(
    scenario: Scenario | Mapping[str, Any] | str | Path,
    vary: Mapping[str, Sequence[object]],
    *,
    out: str | Path,
    set: Overrides = (),
    seeds: int = 1,
    world: str = "sim",
    workers: int | None = None,
    engine: str | None = None,
    listener: Listener | None = None,
) -> Swept:
    """Runs a grid of scenarios and keeps the results in a folder; whatever of it is there already is not run again.

    Args:
        scenario: A scenario, a dict of its structure, or its file.
        vary: Keys by dotted name, and the values that each takes: the grid is their product.
        out: The folder.
        set: Keys to override in all points.
        seeds: How many seeds to repeat every point with: the scenario's, the next, ...
        world: `"sim"` or `"theory"`.
        workers: How many processes; one for each processor unless said.
        engine: `"dask://HOST:PORT"` has the workers of a Dask cluster do it.
        listener: Is told how far it is.

    Returns:
        What is in the folder. Points that fail do not stop the others: see its `failures`. The next sweep of the same
        folder tries them again.

    Raises:
        InputError: Something is wrong with the scenario, the grid or the folder, or the folder holds another sweep.
        EddylineError: The processes or the cluster cannot work.
        KeyboardInterrupt: Ctrl-C; what was answered is kept.
    """
    from collections.abc import Mapping as AnyMapping

    from eddyline.scenario import Scenario, pairs, value_text
    from eddyline.sweeps.grid import Vary
    from eddyline.sweeps.plan import Plan, Source

    if isinstance(scenario, Scenario):
        source = Source.of_scenario(scenario)
    elif isinstance(scenario, AnyMapping):
        source = Source.of_table(scenario)
    else:
        source = Source.of_file(Path(scenario))
    lists = [Vary(key, tuple(value_text(value) for value in values)) for key, values in vary.items()]
    plan = Plan(source, lists, pairs(set), seeds, world)
    return run(plan, Path(out), workers, engine, listener or Silence())


def run(plan: Plan, folder: Path, workers: int | None, engine: str | None, listener: Listener) -> Swept:
    """Runs what is missing of a sweep in its folder.

    Raises:
        InputError: The plan is wrong, the folder holds something else, or another process is at work there.
        EngineUnavailable: The engine is not to be had.
        KeyboardInterrupt: Ctrl-C; what was answered is kept.
    """
    started = time.monotonic()
    known = manifest.read(folder)
    if known is None:
        _claim(folder)
        files = plan.check(lambda done: listener.checking(done, plan.grid.combinations))
    else:
        files = list(known["files"])
        _compare(folder, known, plan.document(files))
    crew, seconds = _engine(workers, engine)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / LOCK):
            document = plan.document(files)
            known = manifest.read(folder)  # of whoever held the lock before us
            if known is None:
                _begin(folder, plan, document)
            else:
                _compare(folder, known, document)
            store = Store(folder, plan.grid)
            before = len(store.done)
            listener.begins(len(plan.grid), before)
            _answer(plan, store, crew, seconds, engine is not None, files, listener)
    finally:
        close = getattr(crew, "close", None)
        if close is not None:
            close()
    failures = [Failure(p, plan.grid.labels(p), why) for p, why in sorted(store.failures.items())]
    done = len(store.done)
    wall = time.monotonic() - started
    return Swept(folder, len(plan.grid), done, done - before, failures, list(store.approximations), wall)


def _answer(
    plan: Plan, store: Store, engine: Engine, seconds: float, elsewhere: bool, files: Sequence[str], listener: Listener
) -> None:
    left = len(plan.grid) - len(store.done)
    store.failures.clear()  # each has another try
    if left:
        job = plan.job([name for name in files if not Path(name).is_absolute()] if elsewhere else ())
        tasks = (plan.grid.task(point) for point in range(len(plan.grid)) if point not in store.done)
        outcomes: Any = engine.outcomes(job, batches.Batches(tasks, left, seconds))
        with Interrupt() as interrupt:
            try:
                with closing(outcomes):
                    for several in outcomes:
                        store.add(several)
                        listener.hear(len(store.done), len(store.failures))
                        if interrupt.heard:
                            break
            except EddylineError:  # the engine's: what it had answered is kept
                store.flush()
                raise
            store.flush()
            if interrupt.heard:
                raise KeyboardInterrupt
    store.finish()


def _engine(workers: int | None, engine: str | None) -> tuple[Engine, float]:
    """Who answers, and how long one of their batches should take, in seconds."""
    if engine is not None:
        if workers is not None:
            raise InputError("--workers is for the processes of this machine, a cluster has its own")
        from eddyline.sweeps import cluster

        return cluster.Cluster(engine), cluster.BATCH_S
    if workers is not None and workers < 1:
        raise InputError(f"{workers} workers: at least one is needed")
    from eddyline.sweeps import pool

    return pool.Pool(workers or _processors()), pool.BATCH_S


def _processors() -> int:
    """Those that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _claim(folder: Path) -> None:
    """Makes sure that a sweep may begin in a folder: absent, empty, or with what one left that never got further."""
    with refused(folder):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise InputError(f"{folder}: exists and is not a folder", "choose another place for --out")
        names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    if names:
        ours = {LOCK, PARTS, *_SCENARIOS.values()}
        foreign = [name for name in names if name not in ours and not name.startswith(".aside")]
        if foreign:
            listed = ", ".join(foreign[:3]) + (", ..." if len(foreign) > 3 else "")
            raise InputError(
                f"{folder}: holds files that are not a sweep's: {listed}", "choose a new or empty folder for --out"
            )
    claim_parent(folder)


def _compare(folder: Path, known: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    found = manifest.differences(known, document)
    if found:
        listed = "".join(f"\n  {each}" for each in found)
        raise InputError(
            f"{folder}: holds another sweep; it was made with{listed}", "choose another folder for --out, or remove it"
        )


def _begin(folder: Path, plan: Plan, document: Mapping[str, Any]) -> None:
    """Says what the folder holds from now on."""
    put(folder / _SCENARIOS[plan.source.format], plan.source.text)
    put(folder / manifest.MANIFEST, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    synced(folder.absolute().parent)
