"""The folder of a sweep as pandas frames."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from eddyline.arguments import file
from eddyline.errors import InputError
from eddyline.sweeps import manifest
from eddyline.sweeps.entities import ENTITIES, stored
from eddyline.sweeps.groups import with_groups_of_one
from eddyline.sweeps.part_files import Damaged
from eddyline.sweeps.parts import POINTS, TEXTS, joined, label_types, without_superseded
from eddyline.sweeps.store import misplaced, parts_of, read_part

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from eddyline.sweeps.grid import Grid

__all__ = ["read_silently", "read_sweep", "read_table"]

_MAX_TRIES = 20


def read_sweep(folder: str | Path, of: str = "flows") -> pd.DataFrame:
    """Reads a sweep. One that is not finished gives a warning.

    Args:
        folder: What `eddyline sweep --out` or `sweep(out=...)` wrote.
        of: `"flows"`, `"links"`, `"groups"` (tables with `count` above 1, and of one flow where `count`
            varies), `"arrivals"`, `"probes"` or `"traffic"`; `"points"`
            for the points.

    Returns:
        A row per point, seed and flow (link, ...), in the order of the grid: a column per varied key, `seed`, `flow`
        (`link`, ...) and the fields of the result (`goodput_bps`, `rtt_s.mean`, ...), SI units, as the names say.
        Varied values are numbers where all of a key are plain numbers, truth values where all are `true` or `false`,
        else texts as given. Of points: `failure` (the reason, or null) and `approximations`.

    Raises:
        InputError: The folder holds no sweep, or there is no such table.
    """
    folder = file("folder", folder)
    if of != POINTS and of not in ENTITIES:
        raise InputError(f"of: a sweep has no {of!r}", f"of is one of {', '.join([*ENTITIES, POINTS])}")
    document, points, table = _read(folder, of)
    if of != POINTS and of not in stored(document["format"]):
        raise InputError(f"{folder}: of an earlier version, which has no {of}", "run the sweep again in another folder")
    own = manifest.own_points(document)
    failed = len(points) - points["failure"].null_count
    missing = len(own) - len(points)
    which = "{}: shard {} of {}".format(folder, *document["shard"]) if "shard" in document else str(folder)
    if missing:
        warnings.warn(f"{which}: unfinished: {missing:,} of {len(own):,} points are missing", stacklevel=2)
    if failed:
        warnings.warn(f"{which}: {failed:,} of {len(own):,} points failed: of='points' says why", stacklevel=2)
    return _frame(table.drop_columns(["point"]), text=("failure",))


def read_silently(folder: Path, of: str) -> pd.DataFrame:
    """As `read_sweep`, for a caller that knows what is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_sweep(folder, of)


def _read(folder: Path, of: str) -> tuple[dict[str, Any], Any, Any]:
    """Description, points and another table, all of one state of the folder."""
    for _ in range(_MAX_TRIES):
        document = manifest.read(folder)
        if document is None:
            raise InputError(f"{folder}: holds no sweep", "eddyline sweep ... --out DIR makes one")
        grid = manifest.grid_of(document)
        points = read_table(folder, POINTS, grid)
        table = points if of == POINTS else read_table(folder, of, grid)
        if of == "groups":
            table = with_groups_of_one(table, read_table(folder, "flows", grid), grid)
        if manifest.read(folder) == document:
            return document, points, table
        # the sweep was extended meanwhile
    raise InputError(f"{folder}: changes faster than it can be read", "is something removing its files?")


def read_table(folder: Path, kind: str, grid: Grid) -> Any:
    """A table of all parts, by point.

    Raises:
        Damaged: A table is not as it was written.
        InputError: Parts are replaced faster than they can be read.
    """
    failed: list[tuple[int, int]] | None = None
    for _ in range(_MAX_TRIES):
        document, spans = manifest.read(folder), parts_of(folder)
        sweep = None if document is None else manifest.identity(document)
        try:
            read = [(span, read_part(folder, span, kind, sweep)) for span in spans]
            found = [table for _, table in read if table is not None]
            own = range(len(grid)) if document is None else manifest.own_points(document)
            if kind == POINTS and (damaged := misplaced(folder, read, own)) is not None:
                raise damaged
        except Damaged:
            if spans == failed:
                raise
            failed = spans  # a running sweep may just have joined them
            continue
        if not found:
            return _empty(kind, grid)
        return without_superseded(joined(found)) if kind == POINTS else joined(found)
    raise InputError(f"{folder}: changes faster than it can be read", "is something removing its files?")


def _empty(kind: str, grid: Grid) -> Any:
    fields = {"failure": pa.string(), "approximations": TEXTS}
    if kind in ENTITIES:
        fields = {ENTITIES[kind]: pa.string()}
    return pa.schema({"point": pa.int64(), **label_types(grid), **fields}).empty_table()


def _frame(table: Any, text: tuple[str, ...]) -> pd.DataFrame:
    """A frame like `Result.flows`: a column without values is NaN."""
    for place, field in enumerate(table.schema):
        truth = pa.types.is_boolean(field.type) and table[field.name].null_count == table.num_rows > 0
        null = pa.types.is_null(field.type) and field.name not in text  # in parts of format 1
        if truth or null:
            table = table.set_column(place, field.name, pc.cast(table[field.name], pa.float64()))
    frame: pd.DataFrame = table.to_pandas()
    return frame
