"""Whether the points of a sweep that is stored have the same results when they run again."""

from __future__ import annotations

import filecmp
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

import eddyline.sweeps.copies as copies
import eddyline.sweeps.manifest as manifest
from eddyline.errors import InputError, ScenarioError
from eddyline.frames import write_csv
from eddyline.result_folder import copied
from eddyline.source import Source
from eddyline.sweeps import csv_tables
from eddyline.sweeps.entities import ENTITIES, stored
from eddyline.sweeps.extension import SCENARIOS, stored_source
from eddyline.sweeps.frame import read_silently, read_table
from eddyline.sweeps.grid import Vary
from eddyline.sweeps.parts import POINTS
from eddyline.sweeps.plan import Plan
from eddyline.sweeps.sweep import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eddyline.sweeps.grid import Grid
    from eddyline.sweeps.listener import SweepListener

__all__ = ["Verified", "verify"]

_LIMITS = "^(timeout: |out of memory|the process that ran it died)"
"""Failures that a machine decides, not the scenario."""


class Verified(NamedTuple):
    """The outcome.

    Attributes:
        points: Number of points that were compared: those that are stored and did not run into a limit.
        limited: Number of points that ran into a limit of time or memory, or were lost with their process.
        changed: What is no longer as it was when the sweep ran; nothing was run then.
        differences: Place, stored value and value now, as JSON, of everything that differs.
    """

    points: int
    limited: int
    changed: list[str]
    differences: list[tuple[str, str, str]]


def verify(folder: Path, known: Mapping[str, Any], observer: SweepListener) -> Verified:
    """Runs a stored sweep again in a temporary folder, and compares all tables.

    Args:
        folder: Its folder.
        known: Its description.
        observer: Receives the progress.

    Raises:
        InputError: It cannot be run again from what the folder holds, or no point of it is stored.
    """
    plan = _plan(folder, known)
    grid = manifest.grid_of(known)
    points = read_table(folder, POINTS, grid)
    if not points.num_rows:
        if not plan.own:
            shard = "{}/{}".format(*known["shard"])
            raise InputError(f"{folder}: there is nothing to run again: shard {shard} of {len(grid)} points has none")
        raise InputError(f"{folder}: no point of this sweep is stored", "the same eddyline sweep runs them")
    limits = pc.match_substring_regex(points["failure"], _LIMITS).fill_null(False)
    limited, points = pc.sum(limits).as_py(), points.filter(pc.invert(limits))
    if not points.num_rows:
        stopped = "a limit of time or memory, or the process, stopped every stored point"
        raise InputError(f"{folder}: {stopped}: nothing to compare")
    # all at once: a sweep that goes on stores more
    kinds = [POINTS, *stored(known["format"])]
    before = {kind: _of_points(read_table(folder, kind, grid), points) for kind in kinds}
    changed = [
        *copies.changed(folder, known),
        *copies.missing(folder, known),
    ]  # first: it may be none of its kind any more
    if not changed:
        files = _checked(folder, plan, known, observer)
        now = {**plan.document([]), "files": files, **{key: known[key] for key in ("format", "version")}}
        changed = manifest.differences(known, now)
    if changed:
        return Verified(points.num_rows, limited, changed, [])
    with tempfile.TemporaryDirectory(prefix="eddyline-verify-") as place:
        again = Path(place) / "sweep"
        run(plan, again, None, None, observer, only=frozenset(points["point"].to_pylist()))
        found: list[tuple[str, str, str]] = []
        for kind in kinds:
            after = _of_points(read_table(again, kind, grid), points)
            found += _differences(kind, before[kind], after, grid)
    if points.num_rows + limited == len(plan.own):  # until then they may be older
        found += _csv_differences(folder, kinds)
    return Verified(points.num_rows, limited, [], found)


def _plan(folder: Path, known: Mapping[str, Any]) -> Plan:
    base = folder.absolute()
    source = stored_source(folder, known, Source("", "toml", "scenario.toml", base, copied(base, known)))
    if source is None:
        raise InputError(
            f"{folder}: the scenario of this sweep is missing",
            "a copy of that scenario as scenario.toml mends the folder",
        )
    vary = [Vary(key, tuple(values)) for key, values in known["vary"].items()]
    given = [(key, value) for key, value in known["set"]]
    shard = tuple(known["shard"]) if "shard" in known else None
    return Plan(source, vary, given, known["seeds"], known["world"], shard)


def _checked(folder: Path, plan: Plan, known: Mapping[str, Any], observer: SweepListener) -> dict[str, str | None]:
    """Digests of the files that the sweep reads, by the names that they have in its description."""
    relative = [name for name in known["files"] if not Path(name).is_absolute()]
    try:
        found = plan.check(lambda done: observer.checking(done, plan.grid.combinations))
    except ScenarioError as e:
        # the file has another name than the scenario is given
        path = next((folder / name for name in SCENARIOS.values() if (folder / name).is_file()), folder)
        message = str(e).replace(f"{plan.source.name}:", f"{path}:")
        if e.unknown_controllers:
            raise ScenarioError(message, e.diagnostics, e.unknown_controllers) from None
        there = copied(folder, known)
        absent = [name for name in relative if name not in there]
        if not absent:
            raise InputError(message, e.hint) from None
        raise InputError(
            f"{folder}: this sweep cannot be run again from its folder, which has no copy of {', '.join(absent)}",
            "the same eddyline sweep with the scenario's own file puts the copies back",
        ) from None
    # those beside the scenario have short names, by whatever path it names them
    ends = {name: min((f for f in found if f"/{f}".endswith(f"/{name}")), key=len, default=name) for name in relative}
    digests = plan.digests([ends.get(name, name) for name in known["files"]])
    return {name: digests[ends.get(name, name)] for name in known["files"]}


def _differences(kind: str, before: Any, after: Any, grid: Grid) -> Iterator[tuple[str, str, str]]:
    """Differences of a table."""
    names = sorted({*before.column_names, *after.column_names})
    if _with(before, names).equals(_with(after, names)):
        return
    entity = ENTITIES.get(kind)
    earlier, now = (_rows(table, entity) for table in (before, after))
    for key in sorted({**earlier, **now}, key=lambda key: key[0]):
        point, name, _ = key
        where = " ".join(f"{varied}={value}" for varied, value in grid.labels(point).items())
        where = f"{where}: {kind}" if entity is None else f"{where}: {entity} {name}"
        one, other = earlier.get(key), now.get(key)
        if one is None or other is None:
            yield where, "none" if one is None else "a row", "none" if other is None else "a row"
            continue
        for column in names:
            if not _same(_compared(column, one.get(column)), _compared(column, other.get(column))):
                yield f"{where}, {column}", _text(one.get(column)), _text(other.get(column))
    if earlier.keys() == now.keys() and list(earlier) != list(now):
        yield kind, "these rows", "the same in another order"


def _compared(column: str, value: Any) -> Any:
    """The value; of a failure its first line. A traceback follows, which names files where they are on this machine."""
    return value.partition("\n")[0] if column == "failure" and isinstance(value, str) else value


def _rows(table: Any, entity: str | None) -> dict[tuple[int, str, int], dict[str, Any]]:
    """Rows by point, name, and how many of the same came before."""
    rows: dict[tuple[int, str, int], dict[str, Any]] = {}
    seen: Counter[tuple[int, str]] = Counter()
    for row in table.to_pylist():
        key = (row["point"], "" if entity is None else row[entity])
        rows[(*key, seen[key])] = row
        seen[key] += 1
    return rows


def _csv_differences(folder: Path, kinds: list[str]) -> Iterator[tuple[str, str, str]]:
    """Tables in CSV that are not those in Parquet; files of their names that were never written are the user's."""
    written = csv_tables.names(folder)
    with tempfile.TemporaryDirectory(prefix="eddyline-verify-") as place:
        for kind in kinds:
            path, again = folder / f"{kind}.csv", Path(place) / f"{kind}.csv"
            if path.name in written and path.exists():
                write_csv(read_silently(folder, kind), again)
                if filecmp.cmp(path, again, shallow=False):
                    continue
                if csv_tables.is_as_written(path):
                    yield (
                        path.name,
                        "the table of an earlier call",
                        "other rows; the same eddyline sweep with --csv renews it",
                    )
                else:
                    yield path.name, "one file", "changed"


def _of_points(table: Any, points: Any) -> Any:
    return table.filter(pc.is_in(table["point"], points["point"].combine_chunks()))


def _with(table: Any, names: list[str]) -> Any:
    """The table with these columns."""
    columns = {n: table[n] if n in table.column_names else pa.nulls(table.num_rows) for n in names}
    return pa.table(columns).combine_chunks()


def _same(earlier: Any, now: Any) -> bool:
    """Whether both are equal, two values that are not a number too."""
    return bool(earlier == now or (earlier != earlier and now != now))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
