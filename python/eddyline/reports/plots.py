"""Draws the figures that `eddyline.reports.plot_spec` describes: lines, marks and bars from rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.plots.style import COLOURS
from eddyline.reports.exhibit import cell
from eddyline.reports.parsing import filled
from eddyline.reports.plot_spec import Groups, Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.reports.exhibit import Column, Row
    from eddyline.reports.plot_spec import Axis, FigureSpec, Reference

__all__ = ["UNITS", "Data", "plot"]

UNITS = {
    "Gbit/s": 1e9,
    "Mbit/s": 1e6,
    "kbit/s": 1e3,
    "kB": 1e3,
    "ms": 1e-3,
    "us": 1e-6,
    "%": 1e-2,
    "1e-9": 1e-9,
    "1e-12": 1e-12,
}
"""Sizes of units in SI units; others count one. A column whose rows are in its unit already says `scale = 1`."""

_LEGEND_MARK = 16.0
"""The widest mark in a legend, in points: as wide as the room that matplotlib leaves beside a label."""

_NAMES = dict(zip(("blue", "red", "green", "pink", "orange", "cyan", "black", "yellow"), COLOURS, strict=True))


@dataclass(frozen=True)
class Data:
    """What figures are drawn from.

    Attributes:
        tables: Rows by name; the exhibit's own are `rows`.
        columns: The exhibit's columns: how labels write values.
        values: What fills templates besides.
        where: What error messages call the exhibit.
    """

    tables: Mapping[str, Sequence[Row]]
    columns: Sequence[Column]
    values: Mapping[str, Any]
    where: str

    def rows(self, name: str) -> Sequence[Row]:
        """The rows of that name."""
        name = self.text(name, {})
        if name not in self.tables:
            raise InputError(f"{self.where}: a figure has no data {name!r}", f"there are {', '.join(self.tables)}")
        return self.tables[name]

    def text(self, template: str, row: Mapping[str, Any]) -> str:
        """A template filled with the values of a row."""
        columns = {c.key: c for c in self.columns}
        shown = {key: _Cell(value, row, columns.get(key)) for key, value in row.items()}
        return filled(template, {**self.values, **shown}, self.where)


class _Cell:
    """A value of a row in a template: as the table shows it, or in the format that the template asks for."""

    def __init__(self, value: Any, row: Mapping[str, Any], column: Column | None) -> None:
        self.value, self.row, self.column = value, row, column

    def __format__(self, spec: str) -> str:
        if spec or self.column is None:
            return format(self.value, spec)
        return cell(self.row, self.column)


def plot(figure: Figure, spec: FigureSpec, data: Data) -> None:
    """Draws `spec` into an empty figure."""
    rows = _selected(data.rows(spec.data), spec.where)
    values = _values(rows, spec.panels.by, spec.panels.values) if spec.panels else [None]
    axes = figure.subplots(1, len(values), sharey=len(values) > 1, squeeze=False)[0]
    for axis, value in zip(axes, values, strict=True):
        where = {spec.panels.by: value} if spec.panels else {}
        if spec.kind == "bars":
            _bars(axis, spec, data, where)
        else:
            _lines(axis, spec, data, where)
        for reference in spec.references:
            _reference(axis, spec, reference, data)
        _scaled(axis, spec)
        if spec.panels:
            axis.set_title(data.text(spec.panels.title, _selected(rows, where)[0]))
    axes[0].set_ylabel(spec.y.label)
    _legend(figure, axes, spec)


def _lines(axis: Axes, spec: FigureSpec, data: Data, where: Mapping[str, Any]) -> None:
    for group, colour, style in _groups(spec, data):
        for line in spec.lines or [Line()]:
            rows = _selected(data.rows(line.data or spec.data), {**where, **spec.where, **group, **line.where})
            x, y = line.x or spec.x.key, line.y or spec.y.key
            rows = [r for r in rows if r.get(x) is not None and r.get(y) is not None]
            if rows:
                options = _options(line, colour) | {"label": data.text(line.label, rows[0]) or None}
                marks = style or line.style or ("o" if spec.kind == "scatter" else "-")
                axis.plot(_scaled_values(rows, x, spec.x), _scaled_values(rows, y, spec.y), marks, **options)


def _bars(axis: Axes, spec: FigureSpec, data: Data, where: Mapping[str, Any]) -> None:
    rows = _selected(data.rows(spec.data), {**where, **spec.where})
    names = _values(rows, spec.x.key, [])
    groups = list(_groups(spec, data))
    for place, (group, colour, _) in enumerate(groups):
        part = _selected(rows, group)
        shift = spec.bar_width * (place - (len(groups) - 1) / 2)
        at = [names.index(r[spec.x.key]) + shift for r in part]
        label = str(next(iter(group.values()), "")) or None
        axis.bar(at, _scaled_values(part, spec.y.key, spec.y), spec.bar_width, color=colour, label=label)
    for line in spec.lines:
        part = [next(r for r in _selected(rows, line.where) if r[spec.x.key] == name) for name in names]
        options = _options(line, "") | {"label": data.text(line.label, part[0]) or None}
        axis.plot(range(len(names)), _scaled_values(part, line.y, spec.y), line.style or "o", **options)
    broken = [str(n).replace(spec.x.line_break, "\n", 1) if spec.x.line_break else str(n) for n in names]
    axis.set_xticks(range(len(names)), broken)


def _reference(axis: Axes, spec: FigureSpec, reference: Reference, data: Data) -> None:
    row = data.rows("rows")[0]
    label = data.text(reference.label, row) or None
    for value, along, draw in ((reference.x, spec.x, axis.axvline), (reference.y, spec.y, axis.axhline)):
        if value is not None:
            at = _scaled_values([row], value, along)[0] if isinstance(value, str) else value
            colour = _NAMES.get(reference.colour, reference.colour)
            draw(at, color=colour, linestyle=reference.style, linewidth=reference.width, label=label)


def _groups(spec: FigureSpec, data: Data) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Which rows, colour and style of each group."""
    if spec.groups is None:
        yield {}, "", ""
        return
    groups: Groups = spec.groups
    values = _values(_selected(data.rows(spec.data), spec.where), groups.by, groups.values)
    colours = groups.colours or list(_NAMES)
    for place, value in enumerate(values):
        style = groups.styles[place % len(groups.styles)] if groups.styles else ""
        yield {groups.by: value}, _NAMES.get(c := colours[place % len(colours)], c), style


def _options(line: Line, colour: str) -> dict[str, Any]:
    own = _NAMES.get(line.colour, line.colour) or colour
    options = {"color": own or None, "linewidth": line.width, "markersize": line.mark_size, "alpha": line.opacity}
    return {key: value for key, value in options.items() if value is not None}


def _scaled(axis: Axes, spec: FigureSpec) -> None:
    """Scales, limits, ticks and the label of x."""
    for which, along, name in ((spec.x, axis.xaxis, "x"), (spec.y, axis.yaxis, "y")):
        if which.scale != "linear":
            axis.set(**{f"{name}scale": which.scale})
        if which.ticks:
            along.set_ticks(which.ticks, [which.tick_format.format(tick) for tick in which.ticks])
        if not which.minor_ticks:
            along.minorticks_off()
        if which.min is not None or which.max is not None:
            axis.set(**{f"{name}lim": (which.min, which.max)})
    axis.set_xlabel(spec.x.label)


def _legend(figure: Figure, axes: Sequence[Axes], spec: FigureSpec) -> None:
    if spec.legend is None:
        return
    place: Any = spec.legend.place
    widest = max((line.mark_size or 0.0 for line in spec.lines), default=0.0)
    options: dict[str, Any] = {"ncols": spec.legend.columns, "fontsize": spec.legend.font_size}
    options["markerscale"] = min(1.0, _LEGEND_MARK / max(widest, 1.0))
    if place.startswith("outside"):
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc=place, **options)
    else:
        axes[spec.legend.panel].legend(loc=place, **options)


def _scaled_values(rows: Sequence[Row], key: str, axis: Axis) -> list[float]:
    size = UNITS.get(axis.unit, 1.0)
    return [row[key] / size for row in rows]


def _values(rows: Sequence[Row], key: str, given: Sequence[Any]) -> list[Any]:
    return list(given) or list(dict.fromkeys(row[key] for row in rows))


def _selected(rows: Sequence[Row], where: Mapping[str, Any]) -> list[Row]:
    return [row for row in rows if all(_fits(row.get(key), wanted) for key, wanted in where.items())]


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        low, high = wanted.get("at_least"), wanted.get("at_most")
        return value is not None and (low is None or value >= low) and (high is None or value <= high)
    return value in wanted if isinstance(wanted, list) else bool(value == wanted)
