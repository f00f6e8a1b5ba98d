"""An exhibit: a table with its figures, and the text that says how to read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

    Row: TypeAlias = dict[str, Any]

__all__ = ["Column", "Exhibit", "Picture", "cell"]


@dataclass(frozen=True)
class Column:
    """A column of the table.

    Attributes:
        key: Its key in the rows, which hold SI units.
        label: Its heading.
        unit: Its unit, below the heading.
        scale: The size of the unit: the table shows `value / scale`.
        digits: Significant digits.
        percent: Whether values are shares, shown in per cent.
        optional: Whether the column is left out where no row has a value (columns of an `exhibits.toml`).
    """

    key: str
    label: str
    unit: str = ""
    scale: float = 1.0
    digits: int = 4
    percent: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure of an exhibit, drawn when it is asked for."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Exhibit:
    """A table and its figures: one table, figure or statement of a paper, or one experiment of an evaluation.

    Attributes:
        id: Its name on the command line.
        title: Its title.
        place: Where it is in the paper.
        reading: How to read it, a sentence or two.
        columns: The columns of the table, in order.
        rows: All data in SI units, also what the table does not show; None is a value that is not known.
        pictures: Its figures.
        findings: Sentences computed from the rows.
        notes: Remarks below the table.
        series: Data of the figures that the table does not show, by file name.
    """

    id: str
    title: str
    place: str
    reading: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    pictures: Sequence[Picture] = ()
    findings: Sequence[str] = ()
    notes: Sequence[str] = ()
    series: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    @cached_property
    def text_columns(self) -> frozenset[str]:
        """Keys of the columns that hold text in some row."""
        return frozenset(c.key for c in self.columns if any(isinstance(row.get(c.key), str) for row in self.rows))

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        columns = [{"key": c.key, "label": c.label, "unit": c.unit, "scale": c.scale} for c in self.columns]
        return {
            "id": self.id,
            "title": self.title,
            "place": self.place,
            "reading": self.reading,
            **({"findings": list(self.findings)} if self.findings else {}),
            "notes": list(self.notes),
            "columns": columns,
            "rows": list(self.rows),
        }


def cell(row: Mapping[str, Any], column: Column) -> str:
    """One cell, formatted; an en dash where there is no value."""
    value = row.get(column.key)
    if value is None:
        return "\u2013"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "(" + ", ".join(cell({column.key: part}, column) for part in value) + ")"
    if column.percent:
        return f"{_unsigned_zero(f'{100 * value:.{max(0, column.digits - 2)}f}')} %"
    return _number(value / column.scale, column.digits)


def _number(value: float, digits: int) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    text = f"{value:,.{digits}g}"
    return f"{value:,.0f}" if "e" in text and abs(value) >= 1 else text


def _unsigned_zero(text: str) -> str:
    return text.removeprefix("-") if not text.strip("-0.") else text
