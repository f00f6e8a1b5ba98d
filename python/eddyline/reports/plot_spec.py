"""What figures of exhibits say, as `exhibits.toml` holds it: the keys of `[[exhibit.figure]]`.

A figure has one panel, or one for each value of a column (`panels`). Each panel has lines (or bars), one for each value
of a column (`groups`) and each entry of `lines`. Templates of labels have the columns of the line's first row, as the
table shows them, and the values given for the exhibit's texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["KINDS", "Axis", "FigureSpec", "Groups", "Legend", "Line", "Panels", "Reference"]

KINDS = ("lines", "scatter", "bars")
"""Plots that need no code."""


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        key: The column, unless lines have their own.
        label: The label, with unit.
        unit: The unit of the axis; SI values of the column are divided by its size.
        scale: `linear`, `log` or another scale of matplotlib.
        min: The lower limit, in the unit of the axis.
        max: The upper limit.
        ticks: Places of the labelled ticks.
        tick_format: How they are written.
        minor_ticks: Whether there are minor ticks.
        line_break: Where names of bars are broken: this text, at its first place, becomes a new line.
    """

    key: str = ""
    label: str = ""
    unit: str = ""
    scale: str = "linear"
    min: float | None = None
    max: float | None = None
    ticks: list[float] = field(default_factory=list)
    tick_format: str = "{:g}"
    minor_ticks: bool = True
    line_break: str = ""


@dataclass(frozen=True)
class Panels:
    """Panels beside each other, one for each value of the column `by`.

    Attributes:
        by: The column.
        values: The values, in order; those of the data unless given.
        title: Template of the titles.
    """

    by: str
    values: list[Any] = field(default_factory=list)
    title: str = ""


@dataclass(frozen=True)
class Groups:
    """Lines or bars for each value of the column `by`.

    Attributes:
        by: The column.
        values: The values, in order; those of the data unless given.
        colours: Their colours, in this order.
        styles: Their styles; the lines' own unless given.
    """

    by: str
    values: list[Any] = field(default_factory=list)
    colours: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Line:
    """A line, or marks.

    Attributes:
        x: The column; that of the axis unless given.
        y: Likewise.
        data: Where the rows are: the figure's unless given.
        where: Which rows: `column = value`, `column = [values]` or `column = { at_least = ..., at_most = ... }`.
        label: Template of the label in the legend; lines without one are not in it.
        colour: One of ours (`blue`, `red`, `green`, `pink`, `orange`, `cyan`, `black`, `yellow`), or of matplotlib.
        style: Marks and dashes, as matplotlib writes them: `o`, `-`, `x:`.
        width: Width of the line in points.
        mark_size: Size of the marks in points.
        opacity: From 0 to 1.
    """

    x: str = ""
    y: str = ""
    data: str = ""
    where: dict[str, Any] = field(default_factory=dict)
    label: str = ""
    colour: str = ""
    style: str = ""
    width: float | None = None
    mark_size: float | None = None
    opacity: float | None = None


@dataclass(frozen=True)
class Reference:
    """A straight line across a panel.

    Attributes:
        x: Where a vertical line is: in the unit of the axis, or a column, whose value in the first row counts.
        y: The same of a horizontal line.
        label: Template of its label.
        colour: As of lines.
        style: Dashes.
        width: Width in points.
    """

    x: float | str | None = None
    y: float | str | None = None
    label: str = ""
    colour: str = "black"
    style: str = "-"
    width: float = 0.8


@dataclass(frozen=True)
class Legend:
    """Where the legend is.

    Attributes:
        place: As matplotlib calls it; from `outside ...` on it is beside the panels.
        panel: In which panel otherwise, from 0.
        columns: Number of columns.
        font_size: In points, or as matplotlib calls it (`small`).
    """

    place: str = "best"
    panel: int = 0
    columns: int = 1
    font_size: float | str | None = None


@dataclass(frozen=True)
class FigureSpec:
    """A figure.

    Attributes:
        caption: Template of its caption.
        name: Template of its file's name; the exhibit's id unless given.
        each: A column: one figure for each of its values. The templates of caption and name have that value.
        size: Width and height in inches.
        kind: One of `KINDS`, or nothing where code draws it.
        data: Where the rows are: `rows`, or one of the series that the code gives.
        where: Which of them, as of lines.
        x: The axis.
        y: The axis.
        panels: Panels beside each other; one unless given.
        groups: Lines or bars for each value of a column.
        lines: Lines of each group; one of both axes' columns unless given. Over bars: marks at each name.
        references: Straight lines.
        bar_width: Width of a bar; names are one apart.
        legend: The legend; none unless given.
    """

    caption: str
    size: list[float]
    name: str = "{id}"
    each: str = ""
    kind: str = ""
    data: str = "rows"
    where: dict[str, Any] = field(default_factory=dict)
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    panels: Panels | None = None
    groups: Groups | None = None
    lines: list[Line] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    bar_width: float = 0.2
    legend: Legend | None = None
