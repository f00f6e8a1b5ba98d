"""One metric as a table: a row per flow (link, ...) and value of all keys but the last, a column per value of that."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from eddyline.quantities import shortened
from eddyline.sweeps.statistics import mean_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

__all__ = ["FAILED", "Pivot", "pivot"]

FAILED = "failed"
"""The text of a cell all of whose runs failed."""


@dataclass(frozen=True)
class Pivot:
    """The table of a metric.

    Attributes:
        names: Names of the columns that identify rows: flow (link, ...), all varied keys but the last.
        last: The last varied key; `metric` where nothing varies but seeds.
        values: Its values, which have the other columns.
        rows: For each row what identifies it, and the row of `statistics` of each value: `FAILED` where all runs
            failed, None where there is no such flow or run.
        runs: Runs of a cell, one for each seed.
    """

    names: list[str]
    last: str
    values: list[Any]
    rows: list[tuple[tuple[Any, ...], list[Mapping[Any, Any] | str | None]]]
    runs: int

    @property
    def repeated(self) -> bool:
        """Whether a cell is a mean of several values."""
        return any(cell["n"] > 1 for _, cells in self.rows for cell in cells if isinstance(cell, dict))

    def texts(self) -> list[list[str]]:
        """The cells' means with half of their 95 % intervals, and the number of values where not all runs have one."""
        return [[_text(cell, self.runs) for cell in cells] for _, cells in self.rows]

    def numbers(self) -> list[list[float]]:
        """The cells' means; not a number where there is none."""
        return [[c["mean"] if isinstance(c, dict) else float("nan") for c in cells] for _, cells in self.rows]

    def labels(self) -> tuple[list[tuple[str, ...]], list[str]]:
        """Short texts of what identifies rows, and of the last key's values."""
        columns = list(zip(*(key for key, _ in self.rows), strict=True))
        short = [{value: str(value) for value in columns[0]}, *(shortened(values) for values in columns[1:])]
        rows = [tuple(form[value] for form, value in zip(short, key, strict=True)) for key, _ in self.rows]
        of_last = shortened(self.values)
        return rows, [of_last[value] for value in self.values]


def pivot(
    made: pd.DataFrame, columns: Mapping[str, Sequence[Any]], failed: Iterable[Mapping[str, Any]], runs: int
) -> Pivot:
    """The table of a metric.

    Args:
        made: Its rows of `statistics`, at least one.
        columns: The varied keys but `seed`, each with its values in order.
        failed: The values of failed points.
        runs: As in `Pivot`.
    """
    *others, last = columns or ["metric"]
    entity = next(name for name in made.columns if name not in columns)
    found: dict[tuple[Any, ...], dict[Any, Mapping[Any, Any]]] = {}
    for row in made.to_dict("records"):
        found.setdefault((row[entity], *(row[key] for key in others)), {})[row[last]] = row
    there = {key[1:] for key in found}
    finished = {(*key[1:], value) for key, by in found.items() for value in by}
    lost = {tuple(labels[key] for key in columns) for labels in failed} - finished
    lost_rows, lost_values = {point[:-1] for point in lost}, {point[-1] for point in lost if point}
    known_values = {point[-1] for point in finished}
    entities = list(dict.fromkeys(key[0] for key in found))
    combinations = list(product(*(columns[key] for key in others)))
    if not columns:
        values = list(dict.fromkeys(made[last]))
    else:
        values = [value for value in columns[last] if value in known_values or value in lost_values]
    rows: list[tuple[tuple[Any, ...], list[Mapping[Any, Any] | str | None]]] = []
    for name, combination in product(entities, combinations):
        by = found.get((name, *combination))
        # where no run was finished, nobody knows which flows there would have been
        if by is None and (combination in there or combination not in lost_rows):
            continue
        cells = [(by or {}).get(value, FAILED if (*combination, value) in lost else None) for value in values]
        rows.append(((name, *combination), cells))
    return Pivot([entity, *others], last, values, rows, runs)


def _text(cell: Mapping[Any, Any] | str | None, runs: int) -> str:
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else mean_text(cell, runs)
