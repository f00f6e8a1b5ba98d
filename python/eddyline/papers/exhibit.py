"""An exhibit: a table of what the paper says beside what we find, with its figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

    Row: TypeAlias = dict[str, Any]

__all__ = ["Column", "Exhibit", "Picture", "cell"]


@dataclass(frozen=True)
class Column:
    """A column as people see it. Rows hold SI units; the table shows `value / scale` with `digits` digits."""

    key: str
    label: str
    unit: str = ""
    scale: float = 1.0
    digits: int = 4
    percent: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure of an exhibit, drawn when it is asked for."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Exhibit:
    """One table, figure or statement of a paper, reproduced.

    Attributes:
        id: What `--exhibit` calls it.
        title: Its title.
        place: Where in the paper.
        reading: How to read it, a sentence or two.
        columns: What tables show, in order.
        rows: All of the data, SI units; a None is a value that nobody has.
        pictures: Its figures.
        findings: Sentences computed from the rows: what they say.
        notes: What one has to know besides.
        series: Data of the figures that is no table to read, by file name.
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
    """One cell as people read it; an en dash where there is no value."""
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
