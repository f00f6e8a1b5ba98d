"""Running a sweep: the points that its folder lacks are run and stored."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eddyline.errors import EddylineError, InputError
from eddyline.locks import locked
from eddyline.output import claim_parent, refused
from eddyline.parallel import processors
from eddyline.sweeps import batches, manifest
from eddyline.sweeps.interrupt import Interrupt
from eddyline.sweeps.store import PARTS, STAGING, Store, put, synced

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from eddyline.encoding import Overrides
    from eddyline.scenario import Scenario
    from eddyline.sweeps.batches import Engine
    from eddyline.sweeps.plan import Plan

__all__ = ["Failure", "SweepListener", "Swept", "run", "sweep"]

LOCK = "lock"

_SCENARIOS = {"toml": "scenario.toml", "json": "scenario.json", "dict": "scenario.json"}


@dataclass(frozen=True)
class Failure:
    """A failed point: its number, its values, and the reason."""

    point: int
    set: dict[str, Any]
    why: str


@dataclass(frozen=True)
class Swept:
    """The state of a sweep's folder after running it.

    Attributes:
        folder: The folder.
        points: Number of points.
        done: Number of finished points.
        ran: Number of those that this call ran.
        failures: Failed points.
        approximations: What of the scenario the world could not model exactly, in any point.
        wall_s: Wall time of this call.
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


class SweepListener(Protocol):
    """Receives the progress of a sweep."""

    def checking(self, done: int, total: int) -> None:
        """`done` of `total` combinations are checked."""

    def started(self, points: int, stored: int) -> None:
        """The runs start: `stored` of `points` are stored already."""

    def update(self, done: int, failed: int) -> None:
        """`done` points are finished and `failed` have failed, those of earlier calls included."""


class Silent:
    """Ignores the progress."""

    def checking(self, done: int, total: int) -> None:
        """See `SweepListener`."""

    def started(self, points: int, stored: int) -> None:
        """See `SweepListener`."""

    def update(self, done: int, failed: int) -> None:
        """See `SweepListener`."""


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
    listener: SweepListener | None = None,
) -> Swept:
    """Runs a grid of scenarios and stores the results in a folder. Points that are stored already are not run again.

    Args:
        scenario: A scenario, a dict of its structure, or its file.
        vary: Keys by dotted name, and the values that each takes: the grid is their product.
        out: The folder.
        set: Keys to override in all points.
        seeds: Number of seeds of every point: the scenario's, the next, ...
        world: `"sim"` or `"theory"`.
        workers: Number of processes; one per processor by default.
        engine: `"dask://HOST:PORT"` runs the points on the workers of a Dask cluster.
        listener: Receives the progress; see `SweepListener`.

    Returns:
        The state of the folder. Points that fail do not stop the others: see its `failures`. The next sweep of the
        same folder runs them again.

    Raises:
        InputError: Something is wrong with the scenario, the grid or the folder, or the folder holds another sweep.
        EddylineError: The processes or the cluster cannot work.
        KeyboardInterrupt: Ctrl-C; finished points are kept.
    """
    from eddyline.encoding import pairs, value_text
    from eddyline.scenario import Scenario
    from eddyline.sweeps.grid import Vary
    from eddyline.sweeps.plan import Plan, Source

    if isinstance(scenario, Scenario):
        source = Source.of_scenario(scenario)
    elif isinstance(scenario, Mapping):
        source = Source.of_table(scenario)
    else:
        source = Source.of_file(Path(scenario))
    lists = [Vary(key, tuple(value_text(value) for value in values)) for key, values in vary.items()]
    plan = Plan(source, lists, pairs(set), seeds, world)
    return run(plan, Path(out), workers, engine, listener or Silent())


def run(plan: Plan, folder: Path, workers: int | None, engine: str | None, observer: SweepListener) -> Swept:
    """Runs the points of a sweep that its folder lacks.

    Raises:
        InputError: The plan is wrong, the folder holds something else, or another process is running the sweep.
        EngineUnavailable: The engine cannot be used.
        KeyboardInterrupt: Ctrl-C; finished points are kept.
    """
    started = time.monotonic()
    known = manifest.read(folder)
    if known is None:
        _claim(folder)
        files = plan.check(lambda done: observer.checking(done, plan.grid.combinations))
    else:
        files = list(known["files"])
        _compare(folder, known, plan.document(files))
    runner, seconds = _engine(workers, engine)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / LOCK):
            document = plan.document(files)
            known = manifest.read(folder)  # of the process that held the lock last
            if known is None:
                _begin(folder, plan, document)
            else:
                _compare(folder, known, document)
            store = Store(folder, plan.grid)
            already = len(store.done)
            observer.started(len(plan.grid), already)
            _run_missing(plan, store, runner, seconds, engine is not None, files, observer)
    finally:
        close = getattr(runner, "close", None)
        if close is not None:
            close()
    failures = [Failure(p, plan.grid.labels(p), why) for p, why in sorted(store.failures.items())]
    done = len(store.done)
    wall = time.monotonic() - started
    return Swept(folder, len(plan.grid), done, done - already, failures, list(store.approximations), wall)


def _run_missing(
    plan: Plan,
    store: Store,
    engine: Engine,
    seconds: float,
    remote: bool,
    files: Sequence[str],
    observer: SweepListener,
) -> None:
    left = len(plan.grid) - len(store.done)
    store.failures.clear()  # they run again
    if left:
        job = plan.job([name for name in files if not Path(name).is_absolute()] if remote else ())
        tasks = (plan.grid.task(point) for point in range(len(plan.grid)) if point not in store.done)
        outcomes: Any = engine.outcomes(job, batches.Batches(tasks, left, seconds))
        with Interrupt() as interrupt:
            try:
                with closing(outcomes):
                    for several in outcomes:
                        store.add(several)
                        observer.update(len(store.done), len(store.failures))
                        if interrupt.requested:
                            break
            except EddylineError:  # of the engine: its outcomes are kept
                store.flush()
                raise
            store.flush()
            if interrupt.requested:
                raise KeyboardInterrupt
    store.finish()


def _engine(workers: int | None, engine: str | None) -> tuple[Engine, float]:
    """The engine, and the target duration of its batches in seconds."""
    if engine is not None:
        if workers is not None:
            raise InputError("--workers is for the processes of this machine, a cluster has its own")
        from eddyline.sweeps import cluster

        return cluster.Cluster(engine), cluster.BATCH_S
    if workers is not None and workers < 1:
        raise InputError(f"{workers} workers: at least one is needed")
    from eddyline.sweeps import pool

    return pool.Pool(workers or processors()), pool.BATCH_S


def _claim(folder: Path) -> None:
    """Makes sure that a sweep may start in a folder: it is absent, empty, or holds a sweep that never started."""
    with refused(folder):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise InputError(f"{folder}: exists and is not a folder", "choose another place for --out")
        names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    if names:
        own = {LOCK, PARTS, *_SCENARIOS.values()}
        foreign = [name for name in names if name not in own and not name.startswith(STAGING)]
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
            f"{folder}: holds another sweep, which had{listed}", "choose another folder for --out, or remove it"
        )


def _begin(folder: Path, plan: Plan, document: Mapping[str, Any]) -> None:
    """Writes the description of the sweep."""
    put(folder / _SCENARIOS[plan.source.format], plan.source.text)
    put(folder / manifest.MANIFEST, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    synced(folder.absolute().parent)
