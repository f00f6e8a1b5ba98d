"""What exhibits say, read from an `exhibits.toml`: titles, readings, columns, notes, findings, figures.

Code computes rows; everything else about an exhibit is in the file:

    [columns]                                  # columns that several exhibits have, by key
    theory = { label = "our theory", unit = "Mbit/s" }

    [[exhibit]]
    id      = "k-f-sweep"                      # or ids = ["fig-2", "fig-3"]: one text for several exhibits
    title   = "..."
    place   = "..."                            # where it is in the paper
    reading = "..."                            # how to read it
    columns = [{ key = "k_f", label = "k_f" }, "theory"]
    notes   = ["..."]

    [exhibit.findings]                         # sentences with computed numbers, by name
    least = "The least of the others keeps {kept:.1%} ({variant})."

    [[exhibit.figure]]                         # see `eddyline.reports.plot_spec`
    caption = "..."

All texts are templates: `{name:format}` is filled with a value that the code gives, `{{` is a brace.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import drawn
from eddyline.reports.parsing import filled, parse
from eddyline.reports.plot_spec import KINDS, FigureSpec
from eddyline.reports.plots import UNITS, Data, plot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from eddyline.reports.exhibit import Row

__all__ = ["Definition", "read"]


@dataclass(frozen=True)
class _Table:
    """The keys of `[[exhibit]]`."""

    title: str
    place: str
    reading: str
    columns: list[Any]
    id: str = ""
    ids: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: dict[str, Any] = field(default_factory=dict)
    figure: list[FigureSpec] = field(default_factory=list)


@dataclass(frozen=True)
class Definition:
    """The texts of one exhibit.

    Attributes:
        id: The exhibit's id.
        where: What error messages call it: file and exhibit.
        table: What the file has.
        columns: The columns, shared ones included.
    """

    id: str
    where: str
    table: _Table
    columns: Sequence[Column]

    def exhibit(
        self,
        rows: Sequence[Row],
        *,
        values: Mapping[str, Any] | None = None,
        findings: Iterable[str | tuple[str, Mapping[str, Any]]] = (),
        series: Mapping[str, Sequence[Row]] | None = None,
        curves: Mapping[str, Sequence[Row]] | None = None,
        draw: Mapping[str, Callable[[Figure], None]] | None = None,
    ) -> Exhibit:
        """The exhibit with these rows.

        Args:
            rows: All of the data, SI units.
            values: What fills the templates.
            findings: Names of findings with the values that fill them, or sentences as they are.
            series: Data of the figures, which is written beside the table's.
            curves: Data of the figures, which is not written: closed forms.
            draw: What draws figures without a kind, by name; of the others, what is drawn over them. Where there is a
                figure for each value of a column, by that value.

        Raises:
            InputError: A template has no value, a figure no data or nothing that draws it.
        """
        given = {"id": self.id} | dict(values or {})
        data = Data({"rows": rows, **(series or {}), **(curves or {})}, self.columns, given, self.where)
        return Exhibit(
            id=self.id,
            title=filled(self.table.title, given, self.where),
            place=filled(self.table.place, given, self.where),
            reading=filled(self.table.reading, given, self.where),
            columns=[c for c in self.columns if not c.optional or any(r.get(c.key) is not None for r in rows)],
            rows=rows,
            pictures=[p for spec in self.table.figure for p in self._pictures(spec, data, draw or {})],
            findings=[f if isinstance(f, str) else self.finding(*f) for f in findings],
            notes=[filled(note, given, self.where) for note in self.table.notes],
            series=dict(series or {}),
        )

    def finding(self, name: str, values: Mapping[str, Any]) -> str:
        """The sentence of that name, for code that puts several together."""
        if name not in self.table.findings:
            raise InputError(f"{self.where}: there is no finding {name!r}")
        return filled(self.table.findings[name], values, f"{self.where}, finding {name}")

    def _pictures(
        self, spec: FigureSpec, data: Data, draw: Mapping[str, Callable[[Figure], None]]
    ) -> Iterator[Picture]:
        if not spec.each:
            yield self._picture(spec, data, draw)
            return
        for value in dict.fromkeys(row[spec.each] for row in data.rows(spec.data)):
            name = filled(spec.name, {**data.values, spec.each: _file_name(str(value))}, self.where)
            one = replace(spec, each="", name=name, where={**spec.where, spec.each: value})
            values = {**data.values, spec.each: value}
            yield self._picture(one, replace(data, values=values), {name: draw[value]} if value in draw else {})

    def _picture(self, spec: FigureSpec, data: Data, draw: Mapping[str, Callable[[Figure], None]]) -> Picture:
        name = filled(spec.name, data.values, self.where)
        if not spec.kind and name not in draw:
            raise InputError(f"{self.where}: figure {name!r} has no kind and nothing draws it")

        def paint(figure: Figure) -> None:
            if spec.kind:
                plot(figure, spec, data)
            if name in draw:
                draw[name](figure)

        width, height = spec.size
        return Picture(name, filled(spec.caption, data.values, self.where), drawn(paint, width, height))


def _file_name(text: str) -> str:
    return "".join(c for c in text.lower().replace(" ", "-") if c.isalnum() or c == "-")


def read(file: Path) -> dict[str, Definition]:
    """The exhibits of a file, by id.

    Raises:
        InputError: The file cannot be read, or a key is wrong, missing, or there twice.
    """
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as e:
        raise InputError(f"{file}: {e}") from None
    for key in document:
        if key not in ("columns", "exhibit"):
            raise InputError(f"{file}: key {key!r} is not known", "there are [columns] and [[exhibit]]")
    shared = {
        key: _column({"key": key, **table}, f"{file}, column {key}")
        for key, table in document.get("columns", {}).items()
    }
    definitions = [d for table in document.get("exhibit", []) for d in _definitions(file, table, shared)]
    for name, times in Counter(d.id for d in definitions).items():
        if times > 1:
            raise InputError(f"{file}: there are {times} exhibits {name!r}")
    return {d.id: d for d in definitions}


def _definitions(file: Path, raw: dict[str, Any], shared: Mapping[str, Column]) -> list[Definition]:
    where = f"{file}, exhibit {raw.get('id') or raw.get('ids')}"
    table = parse(_Table, raw, where)
    if bool(table.id) == bool(table.ids):
        raise InputError(f"{where}: it must have either id or ids")
    for spec in table.figure:
        if spec.kind and spec.kind not in KINDS:
            raise InputError(f"{where}: there is no kind of figure {spec.kind!r}", f"kinds are {', '.join(KINDS)}")
        if len(spec.size) != 2:
            raise InputError(f"{where}: size must be width and height in inches")
    columns = [_shared(c, shared, where) if isinstance(c, str) else _column(c, where) for c in table.columns]
    return [Definition(name, where, table, columns) for name in table.ids or [table.id]]


def _shared(key: str, shared: Mapping[str, Column], where: str) -> Column:
    if key not in shared:
        raise InputError(f"{where}: [columns] has no {key!r}")
    return shared[key]


def _column(table: Mapping[str, Any], where: str) -> Column:
    scale = {} if "scale" in table else {"scale": UNITS.get(table.get("unit", ""), 1.0)}
    return parse(Column, {**table, **scale}, where)
