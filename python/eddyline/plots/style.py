"""What all figures share: style, colours, units, files."""

from __future__ import annotations

import shutil
import warnings
from contextlib import contextmanager
from io import BytesIO
from math import inf
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context, rcParamsDefault
from matplotlib.ticker import FixedFormatter, FixedLocator
from PIL import Image

from eddyline.quantities import seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = [
    "COLOURS",
    "DASHES",
    "ENDINGS",
    "FONTS",
    "FONT_SIZE",
    "MARKERS",
    "MAX_LINES",
    "STYLE",
    "capacity_look",
    "chosen",
    "duration",
    "entry",
    "from_zero",
    "grouped_bars",
    "heading",
    "lacks_characters",
    "literally",
    "log_scale",
    "name_ticks",
    "numbered",
    "render",
    "render_small",
    "scale",
    "tex",
]

# Okabe and Ito: distinguishable with colour-vision deficiency and in print
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800"]
DASHES = ["-", "--", "-.", ":"]
_GREY_DASHES = ["--", "-.", ":", (0, (9, 3))]
MARKERS = ["o", "^"]
MAX_LINES = 12  # lines in one panel
_FEW = 64
_ROOM = 1.05  # of the largest value
_TWO_DECADES = 101.0
_DECADE = 10.0
_PLAIN = 1e-4  # smaller numbers have exponents
_FEW_VALUES = 8  # whose numbers are all on an axis

ENDINGS = (".png", ".svg", ".pdf", ".pgf")
"""Suffixes of figures; the last needs TeX."""

FONT_SIZE = 9.0
_SHOWN = "\u200b"  # before a label that legends are to show
_TEX_CHARACTERS = {
    **{c: f"\\{c}" for c in "$#&_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
}
_TEX = ("xelatex", "lualatex", "pdflatex")

FONTS: Any = {"pdf.fonttype": 42, "ps.fonttype": 42}  # TrueType: publishers refuse files with Type 3 fonts

# what a user's own style would change in part; resolutions are theirs
_LOOKS = (
    "axes",
    "errorbar",
    "figure",
    "font",
    "grid",
    "hatch",
    "image",
    "legend",
    "lines",
    "markers",
    "mathtext",
    "patch",
    "path",
    "savefig",
    "scatter",
    "svg",
    "text",
    "xaxis",
    "xtick",
    "yaxis",
    "ytick",
)
_THEIRS = ("figure.dpi", "figure.max_open_warning", "figure.raise_window", "savefig.dpi", "savefig.directory")
_USUAL = {k: v for k, v in rcParamsDefault.items() if k.split(".")[0] in _LOOKS and k not in _THEIRS}

STYLE: Any = {
    **_USUAL,
    **FONTS,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "figure.facecolor": "white",
    "font.size": FONT_SIZE,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "svg.hashsalt": "eddyline",
}

_UNITS = {
    "rate": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "time": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "packets": ((1.0, "packets"),),
    "frequency": ((1.0, "/s"),),
    "percent": ((1e-2, "%"),),
}


def render(figure: Figure, path: Path, dpi: int = 150) -> bool:
    """Writes a figure in the format of the file's suffix, the same bytes every time; all files have one layout.

    Returns:
        Whether the font has all characters; boxes stand for others.
    """
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    style = {**STYLE, "pgf.texsystem": tex() or _TEX[0], "pgf.rcfonts": False}
    with rc_context(style), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        literally(figure)
        _lay_out(figure, dpi)
        if path.suffix == ".pgf":
            with _for_tex(figure):
                figure.savefig(path, dpi=dpi)  # its images are files beside it
        else:
            # matplotlib's PDF hides an error of a full disk behind others
            with BytesIO() as file:
                figure.savefig(file, format=path.suffix[1:], dpi=dpi, metadata=metadata.get(path.suffix))
                drawn = file.getvalue()
            path.write_bytes(_as_xml(drawn) if path.suffix == ".svg" else drawn)
    for each in warned:
        if not lacks_characters(each):
            warnings.warn(each.message, stacklevel=2)
    return not any(lacks_characters(each) for each in warned)


def _as_xml(svg: bytes) -> bytes:
    """An SVG in which U+FFFD stands for the two characters of names that XML has not (XML 1.0, production 2)."""
    for character in "\ufffe\uffff":
        svg = svg.replace(character.encode(), "\ufffd".encode())
    return svg


def lacks_characters(warning: warnings.WarningMessage) -> bool:
    """Whether a warning says that the font lacks a character."""
    return "missing from font" in str(warning.message)


def entry(name: str) -> str:
    """A name as the label of a line: matplotlib hides those that begin with an underscore from legends."""
    return f"{_SHOWN}{name}" if name.startswith("_") else name


def literally(figure: Figure) -> None:
    """Names, titles and labels are text as it is: a dollar sign begins no mathematics."""
    for text in _given(figure):
        text.set_parse_math(False)
        text.set_text(text.get_text().removeprefix(_SHOWN))


def _given(figure: Figure) -> list[Text]:
    """All texts but the numbers at ticks, which matplotlib writes, and what stands in panels."""
    found = [figure._suptitle] if figure._suptitle is not None else []  # type: ignore[attr-defined] # no other way
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    for legend in legends:
        found += [legend.get_title(), *legend.get_texts()] if legend is not None else []
    for axes in figure.axes:
        found += [axes.title, axes._left_title, axes._right_title]  # type: ignore[attr-defined]
        for axis in (axes.xaxis, axes.yaxis):
            found += [axis.label]
            if isinstance(axis.get_major_formatter(), FixedFormatter):
                found += axis.get_ticklabels()
    return found


@contextmanager
def _for_tex(figure: Figure) -> Iterator[None]:
    """Inside, what TeX would take for commands is written as TeX writes it."""
    before = [(text, text.get_text()) for text in _given(figure)]
    for text, plain in before:
        text.set_text("".join(_TEX_CHARACTERS.get(c, c) for c in plain))
    try:
        yield
    finally:
        for text, plain in before:
            text.set_text(plain)


def _lay_out(figure: Figure, dpi: int) -> None:
    """Places the axes, once: with any layout engine, idle ones too, a figure is drawn twice for each file."""
    engine = figure.get_layout_engine()
    if engine is not None:
        usual, figure.dpi = figure.dpi, dpi
        engine.execute(figure)
        if _freeze_cut_ticks(figure):
            engine.execute(figure)
        figure.dpi = usual
        figure.set_layout_engine(None)


def _freeze_cut_ticks(figure: Figure) -> bool:
    """Keeps the ticks of y axes whose labels reach beyond the figure; returns whether there are such.

    Layout that makes room for the labels of many ticks can leave a panel for which few are chosen, and the other way
    round, for ever.
    """
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined] # of Agg
    found = False
    for axes in figure.axes:
        box = axes.yaxis.get_tightbbox(renderer)
        if box is not None and box.x0 < 0:
            axes.yaxis.set_major_locator(FixedLocator(axes.yaxis.get_majorticklocs().tolist()))
            found = True
    return found


def tex() -> str | None:
    """The TeX that measures text for `.pgf`, where there is one."""
    return next((name for name in _TEX if shutil.which(name)), None)


def render_small(figure: Figure, path: Path, dpi: int) -> None:
    """Writes a PNG with a palette of few colours, a third of the size."""
    with BytesIO() as file:
        figure.savefig(file, format="png", dpi=dpi)
        Image.open(file).convert("RGB").quantize(_FEW).save(path, optimize=True)


def heading(figure: Figure, text: str) -> None:
    """The line above all panels."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=11)


def scale(kind: str, largest: float) -> tuple[float, str]:
    """Size and name of the unit for an axis of a kind (`rate`, `time`, ..., `plain`) with that largest value.

    A kind that is none is the only unit, as `BDP`.
    """
    if kind not in _UNITS:
        return 1.0, "" if kind == "plain" else kind
    return next((u for u in _UNITS[kind] if largest >= u[0]), _UNITS[kind][-1])


def log_scale(kind: str, least: float, largest: float) -> tuple[float, str]:
    """`scale` for a logarithmic axis: the largest unit in which the least value is a plain number, not as 1e-07."""
    return scale(kind, min(largest, least / _PLAIN))


def duration(value: float) -> str:
    """A time for titles, four significant digits, in the units of axes."""
    return seconds(value).replace(" us", " µs")


def capacity_look(place: int) -> dict[str, Any]:
    """The line of what a link carries, beside coloured ones; another one for each of several that differ."""
    return {"color": "#777777", "linestyle": _GREY_DASHES[place % len(_GREY_DASHES)], "linewidth": 1.0}


def chosen(names: Sequence[str], most: int) -> list[str]:
    """At most so many names, in their order: some of each table of flows (`NAME[0]`, `NAME[1]`, ...), large or not."""
    tables: dict[str, list[str]] = {}
    for name in names:
        tables.setdefault(name.split("[", 1)[0], []).append(name)
    turns = [(turn, name) for table in tables.values() for turn, name in enumerate(table)]
    kept = {name for _, name in sorted(turns, key=lambda pair: pair[0])[:most]}
    return [name for name in names if name in kept]


def name_ticks(axis: Any, places: Sequence[float], names: Sequence[str]) -> None:
    """Names at places of an axis: text as it is, which fits its room as other text does (`FixedFormatter` says so)."""
    axis.set_ticks(list(places))
    axis.set_major_formatter(FixedFormatter(list(names)))


def numbered(axis: Any, ratio: float, values: Sequence[float] = ()) -> None:
    """Plain numbers on a logarithmic axis, at a few values.

    At many, within two decades more than one per decade, within one decade as on a linear axis.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    # fractions with the digits that tables have; a buffer of 16384 packets is not one of 16380
    plain = FuncFormatter(lambda value, _: f"{value if value % 1 == 0 else float(f'{value:.4g}'):g}")
    if 1 < len(values) <= _FEW_VALUES:
        axis.set_major_locator(FixedLocator(sorted(values)))
    elif ratio < _DECADE:
        axis.set_major_locator(MaxNLocator(nbins=6, steps=(1, 2, 5, 10)))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if ratio <= _TWO_DECADES else (1,)))
    axis.set_major_formatter(plain)
    axis.set_minor_formatter(NullFormatter())


def from_zero(axis: Axes) -> None:
    """An axis of what is drawn, from zero on, with room for markers and lines at the top."""
    largest = axis.dataLim.y1
    axis.set_ylim(0, _ROOM * largest if 0 < largest < inf else None)


def grouped_bars(
    axis: Axes,
    names: Sequence[str],
    groups: Sequence[tuple[str, Sequence[float | None]]],
    label: str,
    *,
    missing: str = "not known",
) -> None:
    """Horizontal bars, a row for each name with one bar per group; text in place of None.

    Args:
        axis: Where.
        names: Names of the rows; only two dozen are drawn, some of each table, and the title says so.
        groups: Name and values of each group.
        label: Of the value axis, with unit.
        missing: The text for None.
    """
    kept = set(chosen(names, 2 * MAX_LINES))
    shown = [row for row, name in enumerate(names) if name in kept]
    count, height = len(groups), 0.8 / max(1, len(groups))
    drawn = [(group, [values[row] for row in shown]) for group, values in groups]
    largest = max((v for _, values in drawn for v in values if v is not None), default=0.0)
    for place, (group, values) in enumerate(drawn):
        offsets = [row + (place - (count - 1) / 2) * height for row in range(len(shown))]
        widths = [v or 0.0 for v in values]
        axis.barh(offsets, widths, height=0.92 * height, color=COLOURS[place % len(COLOURS)], label=group or None)
        for offset, value in zip(offsets, values, strict=True):
            text = missing if value is None else f"{value:.4g}"
            axis.annotate(text, (value or 0.0, offset), (3, 0), textcoords="offset points", va="center", fontsize=7)
    name_ticks(axis.yaxis, range(len(shown)), [names[row] for row in shown])
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")
    axis.set_axisbelow(True)
    axis.set_xlim(0, 1.18 * largest if largest > 0 else 1.0)
    axis.set_xlabel(label)
    if len(names) > len(shown):
        axis.set_title(f"{axis.get_title(loc='left')} ({len(shown)} of {len(names)})".strip())
