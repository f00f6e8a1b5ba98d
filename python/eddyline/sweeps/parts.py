"""Outcomes of points as Arrow tables: a row per point, and one per point and entity (flow, link, ...)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.schema import columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eddyline.sweeps.grid import Grid
    from eddyline.sweeps.worker import Outcome

    Table: TypeAlias = Any  # pyarrow.Table

__all__ = ["POINTS", "TEXTS", "joined", "label_types", "labelled", "tables", "without_superseded"]

POINTS = "points"
"""The table of points themselves."""

_TYPES = {"number": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_(), "string": pa.string()}
"""Arrow types of the types of JSON."""

TEXTS = pa.list_(pa.field("element", pa.string()))
"""A list of texts, with the element name that Parquet gives it."""


def tables(outcomes: Sequence[Outcome], grid: Grid) -> dict[str, Table]:
    """The tables of these points, without empty ones except that of the points."""
    made = {POINTS: _points(outcomes, grid)}
    for kind, entity in ENTITIES.items():
        owners: list[int] = []
        rows: list[dict[str, Any]] = []
        for outcome in outcomes:
            part = (outcome.tables or {}).get(kind, ())
            owners += [outcome.point] * len(part)
            rows += part
        if rows:
            made[kind] = labelled(_entities(rows, kind, entity), owners, grid)
    return made


def _points(outcomes: Sequence[Outcome], grid: Grid) -> Table:
    table = pa.table(
        {
            "failure": pa.array([o.failure for o in outcomes], pa.string()),
            "approximations": pa.array([list(o.approximations) for o in outcomes], TEXTS),
        }
    )
    return labelled(table, [o.point for o in outcomes], grid)


def _entities(rows: Sequence[dict[str, Any]], kind: str, entity: str) -> Table:
    table = pa.Table.from_struct_array(pa.array(rows))
    while any(pa.types.is_struct(f.type) for f in table.schema):
        table = table.flatten()  # `rtt_s` with `mean` becomes `rtt_s.mean`
    # tables within an entity (completion times by size) do not fit a row
    table = table.drop_columns([f.name for f in table.schema if pa.types.is_list(f.type)])
    # by the schema of results: a column has its type without any value too, so that sweeps can be put together
    types = columns(kind)
    fields = [f.with_type(_TYPES[types[f.name]]) if f.name in types else f for f in table.schema]
    table = table.cast(pa.schema(fields))
    return table.rename_columns([entity if name == "name" else name for name in table.column_names])


def labelled(table: Table, owners: Sequence[int], grid: Grid) -> Table:
    """The table with the columns that identify the point in front."""
    labels = {point: grid.labels(point) for point in dict.fromkeys(owners)}
    columns: dict[str, Any] = {"point": pa.array(owners, pa.int64())}
    for name, kind in label_types(grid).items():
        columns[name] = pa.array([labels[point][name] for point in owners], kind)
    for name in table.column_names:
        columns[name] = table[name]
    return pa.table(columns)


def label_types(grid: Grid) -> dict[str, Any]:
    """Arrow types of the columns that identify a point."""
    types = {key: pa.array(values).type for key, values in grid.columns.items()}
    return types if grid.varies_seed else {**types, "seed": pa.int64()}


def joined(parts: Iterable[Table]) -> Table:
    """One table of several, stably sorted by point. A column of nulls takes the others' type."""
    table = pa.concat_tables(list(parts), promote_options="permissive")
    order = pc.sort_indices(table, sort_keys=[("point", "ascending")])  # stable
    return table.take(order).combine_chunks()


def without_superseded(points: Table) -> Table:
    """Each point once, of the table of points: its success if there is one, else its latest failure.

    Args:
        points: By point, the rows of each in the order in which they were stored.
    """
    kept: dict[int, int] = {}
    for row, (point, failure) in enumerate(
        zip(points["point"].to_pylist(), points["failure"].to_pylist(), strict=True)
    ):
        if failure is None or point not in kept or points["failure"][kept[point]].is_valid:
            kept[point] = row
    return points if len(kept) == len(points) else points.take(pa.array(list(kept.values()), pa.int64()))
