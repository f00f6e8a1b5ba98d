"""Running a sweep: the points that its folder lacks are run and stored."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import eddyline.ranges as ranges
import eddyline.worlds as worlds
from eddyline.arguments import file, number_of_seeds, seconds, table, whole
from eddyline.errors import EddylineError, InputError
from eddyline.locks import locked
from eddyline.output import refused, require_folder, require_writable_parent, room
from eddyline.parallel import processors
from eddyline.sweeps import batches, copies, csv_tables, manifest
from eddyline.sweeps.disk import STAGING, put, synced
from eddyline.sweeps.extension import SCENARIOS, carried, complete, extend, require_stored, stored_source, texts_of
from eddyline.sweeps.interrupt import Interrupt
from eddyline.sweeps.listener import SweepListener, require_listener
from eddyline.sweeps.store import PARTS, Store, parts_of
from eddyline.sweeps.swept import Failure, Swept
from eddyline.worlds import WORLDS, RunOptions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from eddyline.encoding import Overrides
    from eddyline.scenario import Scenario
    from eddyline.sweeps.batches import Engine
    from eddyline.sweeps.plan import Plan

__all__ = ["LOCK", "Failure", "Swept", "require_writable", "run", "sweep"]

LOCK = "lock"
"""Name of the file that the running process holds."""


def sweep(
    scenario: Scenario | Mapping[str, Any] | str | Path,
    vary: Mapping[str, Sequence[object] | str],
    *,
    out: str | Path,
    set: Overrides = (),
    seeds: int = 1,
    start_jitter: str | None = None,
    world: str = "sim",
    workers: int | None = None,
    engine: str | None = None,
    shard: tuple[int, int] | None = None,
    timeout_s: float | None = None,
    memory: int | None = None,
    listener: SweepListener | None = None,
) -> Swept:
    """Runs a grid of scenarios and stores the results in a folder. Points that are stored already are not run again.

    A folder grows: with more seeds, values or keys than before, only what is missing is run.

    Args:
        scenario: A scenario, a dict of its structure, or its file.
        vary: Keys by dotted name, and the values that each takes, or a range of them as text (`"1..10"`,
            `"1 Mbit/s..20 Mbit/s:5:log"`): the grid is their product.
        out: The folder.
        set: Keys to override in all points.
        seeds: Number of seeds of every point: the scenario's, the next, ...
        start_jitter: Starts flows later by a random time below this (`"100 ms"`), so that seeds differ.
        world: Name of the world that runs the points.
        workers: Number of processes; one per processor by default.
        engine: `"dask://HOST:PORT"` runs the points on the workers of a Dask cluster.
        shard: `(i, n)` runs only the i-th of n shares of the points, counted from 1; `merge` joins their folders.
        timeout_s: Limit on the wall time of a point, in seconds; one that takes longer has failed.
        memory: Bytes that the packets in the network of a point may take; by default half of what is free, divided
            among the processors.
        listener: Receives the progress: an instance of a subclass of `el.SweepListener`.

    Returns:
        The state of the folder. Points that fail do not stop the others: see its `failures`. The next sweep of the
        same folder runs them again.

    Raises:
        InputError: Something is wrong with the scenario, the grid or the folder, or the folder holds another sweep.
        EddylineError: The processes or the cluster cannot work.
        KeyboardInterrupt: Ctrl-C or SIGTERM; finished points are kept.
    """
    from eddyline.controllers.transfer import refuse_processes
    from eddyline.encoding import given_text, pairs
    from eddyline.keys import covers, with_start_jitter
    from eddyline.result_folder import source_of
    from eddyline.scenario import Scenario
    from eddyline.source import Source
    from eddyline.sweeps.grid import Vary, require_distinct
    from eddyline.sweeps.plan import Plan
    from eddyline.sweeps.remarks import remarks_of_points

    refuse_processes("el.sweep")
    folder = file("out", out).absolute()  # the working directory may change meanwhile
    seeds = number_of_seeds(seeds)
    workers = None if workers is None else whole("workers", workers, 1)
    timeout_s = None if timeout_s is None else seconds("timeout_s", timeout_s)
    memory = None if memory is None else whole("memory", memory, 1)
    if listener is not None:
        require_listener(listener)
    vary = table("vary", vary, 'vary={"link.up.rate": ["1 Mbit/s", "2 Mbit/s"]}')
    earlier: list[tuple[str, str]] = []
    if isinstance(scenario, Scenario):
        source = scenario.source
        source.require_unchanged()
        earlier = [(key, value) for key, value in scenario.given if not any(covers(k, key) for k in vary)]
    elif isinstance(scenario, Mapping):
        source = Source.of_table(scenario)
    else:
        source = source_of(file("scenario", scenario))
    lists = []
    for key, given in vary.items():
        if isinstance(given, Mapping) or not _is_list(given):
            raise InputError(f"{key}: {given!r} is no list of values", "of one value too: [VALUE]")
        values = ranges.values(key, given) if isinstance(given, str) else tuple(given_text(key, one) for one in given)
        lists.append(Vary(key, values))
    require_distinct(lists)
    given = pairs(set)
    if start_jitter is not None:
        given = with_start_jitter(given, given_text("start_jitter", start_jitter), "start_jitter", "set")
    plan = Plan(source, lists, [*earlier, *given], seeds, world, shard)
    remarks = remarks_of_points(plan)
    for sentence in remarks.sentences:
        warnings.warn(sentence, stacklevel=2)
    swept = run(plan, folder, workers, engine, listener or SweepListener(), timeout_s, memory)
    for path in swept.renew_csv():
        warnings.warn(f"{path} is not as write_csv() wrote it and stays as it is", stacklevel=2)
    if swept.identical:
        why = worlds.WORLDS[world].not_random(
            " (start_jitter='100 ms' with another folder starts flows at random times)"
        )
        number = plan.grid.repetitions[0]
        warnings.warn(f"all {number} seeds gave the same results: {why}", stacklevel=2)
    if (about_phase := remarks.phase_remark(swept)) is not None:
        warnings.warn(about_phase, stacklevel=2)
    return swept


def _is_list(given: object) -> bool:
    try:
        iter(given)  # type: ignore[call-overload]
    except TypeError:  # an array without dimensions has the method, too
        return False
    return True


def run(
    plan: Plan,
    folder: Path,
    workers: int | None,
    engine: str | None,
    observer: SweepListener,
    timeout_s: float | None = None,
    memory: int | None = None,
    only: Collection[int] | None = None,
) -> Swept:
    """Runs the points of a sweep that its folder lacks; with `only`, those of them that it names.

    Raises:
        InputError: The plan is wrong, the folder holds something else, or another process is running the sweep.
        EngineUnavailable: The engine cannot be used.
        KeyboardInterrupt: Ctrl-C or SIGTERM; finished points are kept.
    """
    started = time.monotonic()
    WORLDS[plan.world].check(RunOptions(memory=memory))
    known = manifest.read(folder)
    files = [] if known is None else list(known["files"])
    if known is None:
        require_writable(folder)
    if known is None or manifest.differences(known, plan.document(files)):
        csv_tables.require_permission(folder)
        checked = plan.check(lambda done: observer.checking(done, plan.grid.combinations))
        if known is None or _grows(folder, known, plan, plan.document(files)):
            files = checked
    if known is not None and not os.access(folder, os.W_OK) and not manifest.differences(known, plan.document(files)):
        return _read_only(folder)
    runner, seconds = _engine(workers, engine)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with room(folder), locked(folder / LOCK):
            document = plan.document(files)
            complete(folder)
            known = manifest.read(folder)  # of the process that held the lock last
            if known is None:
                _begin(folder, plan, document)
            elif _grows(folder, known, plan, document):
                extend(folder, known, plan.grid, _carried(folder, known, plan) or {}, texts_of(plan, document))
            copies.store(folder, plan, document["files"])
            there = copies.stored(folder, document["files"])
            store = Store(folder, plan.grid, manifest.read(folder) or document)
            already = len(store.done)
            observer.started(len(plan.own), already)
            wanted = [point for point in plan.own if point not in store.done and (only is None or point in only)]
            if wanted:
                csv_tables.require_permission(folder)
            _run_missing(plan, store, wanted, runner, seconds, engine is not None, there, observer, timeout_s, memory)
    finally:
        close = getattr(runner, "close", None)
        if close is not None:
            close()
    failures = [Failure(p, plan.grid.labels(p), why) for p, why in sorted(store.failures.items())]
    done = len(store.done)
    ran = done - already + len(failures)  # all of which this call has tried
    wall = time.monotonic() - started
    return Swept(folder, len(plan.own), done, ran, failures, list(store.approximations), wall, already)


def _read_only(folder: Path) -> Swept:
    """The sweep in a folder in which nothing can be written, such as an archive.

    Raises:
        InputError: It is not finished.
    """
    swept = replace(Swept.load(folder), folder=folder)  # as it is named
    if swept.done < swept.points:
        left = swept.points - swept.done
        raise InputError(
            f"{folder}: cannot be written to, and {left:,} points are missing", "a copy of the folder can be completed"
        )
    return swept


def _run_missing(
    plan: Plan,
    store: Store,
    wanted: Sequence[int],
    engine: Engine,
    seconds: float,
    remote: bool,
    files: Mapping[str, Path],
    observer: SweepListener,
    timeout_s: float | None,
    memory: int | None,
) -> None:
    store.failures.clear()  # they run again
    if wanted:
        # world kernel reads files itself, by their names
        carried = remote or bool(WORLDS[plan.world].clocks)
        job = plan.job(files, timeout_s, memory, carried=carried)
        outcomes: Any = engine.outcomes(job, batches.Batches(map(plan.grid.task, wanted), len(wanted), seconds))
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


def require_writable(folder: Path) -> None:
    """Makes sure that a sweep may start in a folder: it is absent, empty, or holds a sweep that never started."""
    with refused(folder):
        require_folder(folder, "choose another place for --out")
        names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    if names:
        own = {LOCK, PARTS, *SCENARIOS.values()}
        if {LOCK, PARTS}.isdisjoint(names):  # a scenario alone is a user's
            own -= {*SCENARIOS.values()}
        foreign = [name for name in names if name not in own and not name.startswith(STAGING)]
        if foreign:
            listed = ", ".join(foreign[:3]) + (", ..." if len(foreign) > 3 else "")
            raise InputError(
                f"{folder}: holds files that are not a sweep's: {listed}", "choose a new or empty folder for --out"
            )
        if parts_of(folder):
            raise InputError(
                f"{folder}: holds results of a sweep whose description, {manifest.MANIFEST}, is missing",
                "choose another folder for --out, or remove it",
            )
    require_writable_parent(folder)


def _grows(folder: Path, known: Mapping[str, Any], plan: Plan, document: Mapping[str, Any]) -> bool:
    """Whether the sweep in the folder is a smaller one, all of whose points are part of this one.

    Raises:
        InputError: It is another sweep.
    """
    found = manifest.differences(known, document)
    if not found:
        return False
    same = all(known[key] == document[key] for key in ("format", "version", "world"))
    same = same and known.get("controllers", {}).items() <= document.get("controllers", {}).items()
    same = same and plan.digests(list(known["files"])) == known["files"]
    if same and not {"shard"} & (known.keys() | document.keys()):
        require_stored(folder, known, plan.source)  # first: the stored points are told by their scenario there
        if _carried(folder, known, plan) is not None:
            return True
    listed = "".join(f"\n  {each}" for each in found)
    hint = "choose another folder for --out, or remove it; a sweep grows when all of its points are in the new one"
    if same and "shard" in known:
        hint = (
            "a shard does not grow: merge the shards that there are (eddyline sweep merge FOLDER ... --out FOLDER), "
            "then run the sweep there; or choose another folder for --out"
        )
    raise InputError(f"{folder}: holds another sweep, which had{listed}", hint)


def _carried(folder: Path, known: Mapping[str, Any], plan: Plan) -> dict[int, int] | None:
    source = stored_source(folder, known, plan.source)
    return None if source is None else carried(source, known, plan)


def _begin(folder: Path, plan: Plan, document: Mapping[str, Any]) -> None:
    """Writes the description of the sweep."""
    for name, text in texts_of(plan, document).items():  # the description last
        put(folder / name, text)
    synced(folder.absolute().parent)
