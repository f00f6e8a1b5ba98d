"""Whether the points of a sweep that is stored have the same results when they run again."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

import eddyline.sweeps.manifest as manifest
from eddyline.errors import InputError, ScenarioError
from eddyline.source import Source
from eddyline.sweeps.copies import copied
from eddyline.sweeps.entities import ENTITIES, stored
from eddyline.sweeps.extension import stored_source
from eddyline.sweeps.frame import read_table
from eddyline.sweeps.grid import Vary
from eddyline.sweeps.parts import POINTS
from eddyline.sweeps.plan import Plan
from eddyline.sweeps.sweep import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eddyline.sweeps.grid import Grid
    from eddyline.sweeps.sweep import SweepListener

__all__ = ["Verified", "verify"]


class Verified(NamedTuple):
    """The outcome.

    Attributes:
        points: Number of points that were compared: those that are stored.
        changed: What is no longer as it was when the sweep ran; nothing was run then.
        differences: Place, stored value and value now, as JSON, of everything that differs.
    """

    points: int
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
        raise InputError(f"{folder}: no point of this sweep is stored", "the same eddyline sweep runs them")
    files = _checked(folder, plan, known, observer)
    now = {**plan.document([]), "files": files, **{key: known[key] for key in ("format", "version")}}
    changed = manifest.differences(known, now)
    if changed:
        return Verified(points.num_rows, changed, [])
    with tempfile.TemporaryDirectory(prefix="eddyline-verify-") as place:
        again = Path(place) / "sweep"
        run(plan, again, None, None, observer)
        found = [
            d for kind in (POINTS, *stored(known["format"])) for d in _differences(kind, folder, again, grid, points)
        ]
    return Verified(points.num_rows, [], found)


def _plan(folder: Path, known: Mapping[str, Any]) -> Plan:
    # without a title of its own, the scenario has the name of its file
    title = (known["scenario"] or {}).get("title", "scenario")
    base = folder.absolute()
    source = stored_source(folder, Source("", "toml", "", base, copied(base, known)))
    if source is None:
        raise InputError(f"{folder}: the scenario of this sweep is missing", "eddyline sweep ... --out DIR writes it")
    source = replace(source, name=f"{title}.toml")
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
        if not relative or e.unknown_controllers:
            raise
        raise InputError(
            f"{folder}: this sweep cannot be run again from its folder, which has no copy of {', '.join(relative)}",
            "eddyline sweep with the scenario's own file and another --out DIR runs it again",
        ) from None
    # those beside the scenario have short names, by whatever path it names them
    ends = {name: next((f for f in found if f.endswith(f"/{name}")), name) for name in relative}
    digests = plan.digests([ends.get(name, name) for name in known["files"]])
    return {name: digests[ends.get(name, name)] for name in known["files"]}


def _differences(kind: str, folder: Path, again: Path, grid: Grid, points: Any) -> Iterator[tuple[str, str, str]]:
    """Differences of a table in the points that are stored."""
    before, after = (read_table(place, kind, grid) for place in (folder, again))
    after = after.filter(pc.is_in(after["point"], points["point"].combine_chunks()))
    names = sorted({*before.column_names, *after.column_names})
    if _with(before, names).equals(_with(after, names)):
        return
    entity = ENTITIES.get(kind)
    nothing: dict[str, Any] = {}
    for earlier, now in zip_longest(before.to_pylist(), after.to_pylist(), fillvalue=nothing):
        row = earlier or now
        where = " ".join(f"{key}={value}" for key, value in grid.labels(row["point"]).items())
        where = f"{where}: {kind}" if entity is None else f"{where}: {entity} {row[entity]}"
        if not earlier or not now or any(earlier[key] != now[key] for key in ("point", entity) if key is not None):
            yield (
                where,
                "a row" if earlier else "none",
                "another row" if earlier and now else "a row" if now else "none",
            )
            return  # the rows after it have other places
        for name in names:
            if not _same(earlier.get(name), now.get(name)):
                yield f"{where}, {name}", _text(earlier.get(name)), _text(now.get(name))


def _with(table: Any, names: list[str]) -> Any:
    """The table with these columns."""
    columns = {n: table[n] if n in table.column_names else pa.nulls(table.num_rows) for n in names}
    return pa.table(columns).combine_chunks()


def _same(earlier: Any, now: Any) -> bool:
    """Whether both are equal, two values that are not a number too."""
    return bool(earlier == now or (earlier != earlier and now != now))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
