"""Makes figures fit their width: panels under each other, legends below, lines broken, as much height as text needs.

A figure in which all text has its place stays as it is.
"""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from matplotlib import rc_context
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, MaxNLocator
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from eddyline.plots.style import FONT_SIZE, STYLE, literally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

__all__ = ["full_size", "resized"]

_NARROW = 2.4  # inches: panels below this width stand under each other
_FULL_TEXT = 2.0  # inches: text keeps its size from this width on
_MIN_HEIGHT = 2.2  # inches of a figure that is made narrower
_LOW = 0.75  # inches: panels are at least this high
_SHAPE = 0.75  # height by width of panels that stood beside each other
_BESIDE = 0.38  # of the figure's width for a legend beside a panel, at most
_TIGHT = 0.85  # of the room for a legend under a panel: wider ones begin at the figure's edge
_INSIDE = 0.6  # of a panel's width or height for a legend in it, at most
_LINE = 1.25  # heights of the text between lines of a list
_GAP = 3.0  # points between the labels of ticks
_MIN_LINE = 8  # characters of a line
_LABEL = 1.0  # inches along an axis for its label
_BAR_LABEL = 1.6  # for a longer one, of a colour bar
_ROUNDS = 4  # of layout, each with more height
_OBLIQUE = 30  # degrees
_POINTS = 72.0

_broken_texts: WeakSet[Text] = WeakSet()


def resized(figure: Figure, width: float | None = None, font_size: float | None = None) -> Figure:
    """The figure at another width in inches and with another size of its text in points: of the same shape, or higher.

    Where text would not fit, also without these, it is placed anew. Below a width of 2 inches it is smaller, unless its
    size is given.
    """
    if width is not None:
        if font_size is None and full_size(width) < FONT_SIZE:
            font_size = full_size(width)
        old, height = figure.get_size_inches()
        figure.set_size_inches(width, max(height * width / old, min(height, _MIN_HEIGHT)))
    if font_size is not None:
        texts: list[Any] = [text for text in figure.findobj(Text) if isinstance(text, Text)]
        for text in texts:
            text.set_fontsize(text.get_fontsize() * font_size / FONT_SIZE)
    size = font_size or FONT_SIZE
    legends: Any = {"legend.fontsize": STYLE["legend.fontsize"] * size / FONT_SIZE, "legend.title_fontsize": size}
    with rc_context({**STYLE, **legends}):
        literally(figure)
        return _fitted(figure)


def full_size(width: float) -> float:
    """The largest size of text in points at which a figure of this width in inches has room for it."""
    return FONT_SIZE * width / _FULL_TEXT


def _fitted(figure: Figure) -> Figure:
    """The figure with all of its text in sight, higher where that needs room."""
    if figure.get_layout_engine() is None:
        return figure
    width = figure.bbox.width
    before = {axis: axis.get_position(original=True) for axis in figure.axes}
    panels = [axis for axis in figure.axes if axis.get_subplotspec() is not None]
    _stacked(figure, panels)
    if figure._suptitle is not None:  # type: ignore[attr-defined] # there is no other way to it
        _broken(figure._suptitle, 0.97 * width)  # type: ignore[attr-defined]
    for legend in list(figure.legends):
        if _size(legend, figure)[0] > 0.97 * width:
            entries = (legend.legend_handles, [t.get_text() for t in legend.get_texts()])
            legend.remove()
            _below(figure, entries)
    room = _laid_out(figure)
    moved = _legends(figure, panels)
    for again in range(_ROUNDS):
        room = _laid_out(figure) if again or moved else room
        for axis in figure.axes:
            _labels(axis)
        higher = sum(max(map(_names, row)) for row in _rows(figure.axes))
        missing = higher + (sum(_missing(row) for row in _rows(figure.axes)) if room else figure.dpi)
        if missing <= 1:
            break
        figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + missing / figure.dpi)
    _laid_out(figure)
    for axis in figure.axes:
        axis.apply_aspect()  # as in drawing: it may move a panel
        _labels(axis)
        _names(axis)
        _ticks(axis)
    for axis, place in before.items():  # layout begins where the axes are: a figure that fits stays the same to the bit
        axis._set_position(place)  # type: ignore[attr-defined]
    return figure


def _laid_out(figure: Figure) -> bool:
    """Whether the text leaves room for the axes."""
    engine = figure.get_layout_engine()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if engine is not None:
            engine.execute(figure)
    return not any("layout not applied" in str(w.message) for w in warned)


def _size(artist: Any, figure: Figure) -> tuple[float, float]:
    box = artist.get_window_extent(figure.canvas.get_renderer())  # type: ignore[attr-defined] # of Agg
    return float(box.width), float(box.height)


def _stacked(figure: Figure, panels: Sequence[Axes]) -> None:
    """Panels under each other where those beside each other would be narrow."""
    grids = {id(spec.get_gridspec()): spec.get_gridspec() for a in panels if (spec := a.get_subplotspec())}
    if len(grids) != 1:
        return
    (grid,) = grids.values()
    width, height = figure.get_size_inches()
    if grid.ncols == 1 or width / grid.ncols >= _NARROW:
        return
    row = min(height * width / grid.ncols, _SHAPE * width)
    new = figure.add_gridspec(grid.nrows * grid.ncols, 1)
    for axis in panels:
        spec = axis.get_subplotspec()
        if spec is not None:
            axis.set_subplotspec(new[spec.num1, 0])
    figure.set_size_inches(width, max(row, height / grid.nrows) * grid.nrows * grid.ncols)


def _broken(text: Text, room: float, widest: float | None = None) -> None:
    """Breaks lines that are longer than `room`, in pixels along the text, and words that are longer than `widest`."""
    shown = " ".join(text.get_text().split())
    turned = text.get_rotation() % 180 == 90
    figure: Any = text.get_figure(root=True)
    if text in _broken_texts:  # in an earlier round, with less room perhaps
        text.set_text(shown)
    word = max(map(len, shown.split()), default=0)
    # between words first; a panel grows for the longest word of an upright label
    for shortest, limit, break_words in ((max(_MIN_LINE, word), room, False), (_MIN_LINE, widest or room, True)):
        columns = max(map(len, text.get_text().split("\n")), default=0)
        while columns > shortest and (length := _size(text, figure)[turned]) > limit:
            columns = max(shortest, min(columns - 1, int(columns * limit / length)))
            text.set_text(fill(shown, columns, break_long_words=break_words, break_on_hyphens=False))
            _broken_texts.add(text)


def _rows(axes: Sequence[Axes]) -> list[list[Axes]]:
    """Axes beside each other; a colour bar is in the first row."""
    rows: dict[int, list[Axes]] = {}
    for axis in axes:
        spec = axis.get_subplotspec()
        rows.setdefault(spec.rowspan.start if spec is not None else 0, []).append(axis)
    return list(rows.values())


def _along(axis: Axes) -> float:
    """Inches for the label of an upright axis."""
    return _LABEL if axis.get_subplotspec() is not None else _BAR_LABEL


def _missing(row: Sequence[Axes]) -> float:
    """Pixels that a row of panels lacks in height."""
    needed: list[float] = []
    for axis in row:
        figure: Any = axis.get_figure(root=True)
        names = [t for t in axis.get_yticklabels() if t.get_text()] if _named(axis.yaxis) else []
        lines: float = _LINE * len(names) * max((_size(t, figure)[1] for t in names), default=0.0)
        label = min(_size(axis.yaxis.label, figure)[1], _BAR_LABEL * figure.dpi)
        needed.append(max(lines, 1.04 * label, _LOW * figure.dpi) - axis.bbox.height)
    return max(0.0, *needed)


def _to_the_right(axis: Axes) -> list[Axes]:
    """Panels in the same row, after this one."""
    spec = axis.get_subplotspec()
    figure: Any = axis.get_figure(root=True)
    others = [(each, place) for each in figure.axes if (place := each.get_subplotspec()) is not None]
    if spec is None:
        return []
    rows = set(spec.rowspan)
    return [each for each, place in others if rows & set(place.rowspan) and place.colspan.start > spec.colspan.start]


def _labels(axis: Axes) -> None:
    """Breaks the title and the labels of a panel."""
    figure: Any = axis.get_figure(root=True)
    gap = _GAP * figure.dpi / _POINTS
    right = min((beside.bbox.x0 - gap for beside in _to_the_right(axis)), default=figure.bbox.width)
    for place in ("left", "center", "right"):
        title = {"left": axis._left_title, "center": axis.title, "right": axis._right_title}[place]  # type: ignore[attr-defined]
        _broken(title, right - axis.bbox.x0 if place == "left" else figure.bbox.width)
    _broken(axis.xaxis.label, min(figure.bbox.width, 1.2 * axis.bbox.width))
    high = max(axis.bbox.height, _along(axis) * figure.dpi)
    _broken(axis.yaxis.label, high, max(high, _BAR_LABEL * figure.dpi))


def _entries(axis: Axes) -> tuple[list[Any], list[str]]:
    legend = axis.get_legend()
    handles, labels = axis.get_legend_handles_labels()
    return (handles, labels) if legend is not None else ([], [])


def _legends(figure: Figure, panels: Sequence[Axes]) -> bool:
    """Legends below the panels where they are too wide beside them or in them; whether there are such."""
    there = [(axis, legend) for axis in panels if (legend := axis.get_legend()) is not None]
    if not any(_too_wide(figure, axis, legend) for axis, legend in there):
        return False
    known = [{(label, _colour(h)) for h, label in zip(*_entries(axis), strict=True)} for axis, _ in there]
    most = max(range(len(there)), key=lambda n: len(known[n]))
    titles = [legend.get_title().get_text() for _, legend in there]
    entries = [_entries(axis) for axis, _ in there]
    for _, legend in there:
        legend.remove()
    if all(part <= known[most] for part in known):
        _below(figure, entries[most], titles[most])
        return True
    _laid_out(figure)
    seen: set[Any] = set()
    for (axis, _), part, given, title in zip(there, known, entries, titles, strict=True):
        if not part <= seen:
            _under(axis, given, title)
        seen |= part
    return True


def _too_wide(figure: Figure, axis: Axes, legend: Legend) -> bool:
    width, height = _size(legend, figure)
    if legend.get_bbox_to_anchor().x0 >= axis.bbox.x1 - 1:
        return width > _BESIDE * figure.bbox.width or height > 1.02 * axis.bbox.height + 1.2 * figure.dpi
    return width > _INSIDE * axis.bbox.width or height > _INSIDE * axis.bbox.height


def _colour(handle: Any) -> str:
    for part in (handle, *(handle if isinstance(handle, tuple) else ())):
        if hasattr(part, "get_color"):
            return str(part.get_color())
    return ""


def _below(figure: Figure, entries: tuple[list[Any], list[str]], title: str = "") -> None:
    """One legend below all panels, in as many columns as fit."""
    options = {"loc": "outside lower left", "title": title or None}
    legend = _columns(figure, figure, entries, 0.97 * figure.bbox.width, options)
    figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + _size(legend, figure)[1] / figure.dpi)


def _under(axis: Axes, entries: tuple[list[Any], list[str]], title: str) -> None:
    """A legend under one panel and its labels."""
    figure: Any = axis.get_figure(root=True)
    higher = _names(axis)
    covered: Any = axis.xaxis.get_tightbbox(figure.canvas.get_renderer())
    drop = axis.bbox.y0 - covered.y0 if covered is not None else 0.0
    below = axis.transAxes + ScaledTranslation(0, -drop / figure.dpi, figure.dpi_scale_trans)
    options = {
        "loc": "upper left",
        "bbox_to_anchor": (0.0, 0.0),
        "bbox_transform": below,
        "title": title or None,
        "borderaxespad": 0.2,
    }
    # layout would make room between panels for what is wider than one that has another to its right
    right = axis.bbox.x1 if _to_the_right(axis) else 0.97 * figure.bbox.width
    room = right - axis.bbox.x0
    legend = _columns(axis, figure, entries, room, options)
    spec = axis.get_subplotspec()
    leftmost = spec is None or spec.colspan.start == 0
    # labels in several lines move the panel to the right later
    if leftmost and _size(legend, figure)[0] > _TIGHT * room:
        legend.remove()
        options["bbox_transform"] = blended_transform_factory(figure.transFigure, below)
        legend = _columns(axis, figure, entries, right, options)
    more = (higher + _size(legend, figure)[1]) / figure.dpi
    figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + more)


def _columns(owner: Any, figure: Figure, entries: Any, room: float, options: dict[str, Any]) -> Legend:
    legend: Legend
    for columns in range(min(4, len(entries[1])), 0, -1):
        legend = owner.legend(*entries, ncols=columns, **options)
        literally(figure)
        width = _size(legend, figure)[0]
        if width <= room or columns == 1:
            break
        legend.remove()
    text = max((_size(t, figure)[0] for t in legend.get_texts()), default=0.0)
    for each in legend.get_texts():
        _broken(each, room - (width - text))
    return legend


def _named(axis: Axis) -> bool:
    return isinstance(axis.get_major_formatter(), FixedFormatter)


def _names(panel: Axes) -> float:
    """Breaks names below a panel that would be printed over each other, and turns them where that is not enough.

    Returns:
        The pixels by which they are higher then.
    """
    axis: Any = panel.xaxis
    figure: Any = panel.get_figure(root=True)
    labels = list(panel.get_xticklabels())
    if not _named(axis) or _apart(axis, figure, False) or any(label.get_rotation() for label in labels):
        return 0.0
    height = max(_size(label, figure)[1] for label in labels)
    whole = [" ".join(label.get_text().split()) for label in labels]
    places = sorted(float(panel.transData.transform((place, 0))[0]) for place in panel.get_xticks())
    pitch = min(b - a for a, b in pairwise(places))
    for label in labels:
        _broken(label, pitch - _GAP * figure.dpi / _POINTS, math.inf)
    axis.set_major_formatter(FixedFormatter([label.get_text() for label in labels]))
    if not _apart(axis, figure, False):
        line = _LINE * float(labels[0].get_fontsize()) * figure.dpi / _POINTS
        lines = max(1, int(pitch * math.sin(math.radians(_OBLIQUE)) / line))
        axis.set_major_formatter(FixedFormatter([_in_lines(name, lines) for name in whole]))
        panel.tick_params("x", rotation=_OBLIQUE)
        for label in panel.get_xticklabels():
            label.set_horizontalalignment("right")
    literally(figure)
    return max(_size(label, figure)[1] for label in panel.get_xticklabels()) - height


def _in_lines(name: str, most: int) -> str:
    """A name in at most so many lines, as short as its words allow."""
    widths = range(1, len(name) + 2)
    every = (wrap(name, columns, break_long_words=False, break_on_hyphens=False) for columns in widths)
    return "\n".join(next(lines for lines in every if len(lines) <= most))


def _ticks(panel: Axes) -> None:
    """Fewer numbers, at last one, where they would be printed over each other."""
    figure: Any = panel.get_figure(root=True)
    for axis, scale, limits, upright in (
        (panel.xaxis, panel.get_xscale(), panel.get_xlim(), False),
        (panel.yaxis, panel.get_yscale(), panel.get_ylim(), True),
    ):
        if _named(axis) or _apart(axis, figure, upright):
            continue
        if scale in ("log", "symlog"):
            low, high = sorted(limits)
            marks = [float(t) for t in axis.get_majorticklocs() if low <= t <= high]
            kept: list[float] = []
            for mark in sorted(marks, key=_rank):
                axis.set_ticks(sorted([*kept, mark]))
                if _apart(axis, figure, upright):
                    kept.append(mark)
            axis.set_ticks(sorted(kept))
        elif isinstance(locator := axis.get_major_locator(), MaxNLocator):
            # matplotlib knows how long an axis is, but takes its labels for three characters
            for intervals in range(len(axis.get_majorticklocs()), 0, -1):
                locator.set_params(nbins=intervals)
                if _apart(axis, figure, upright):
                    break
            else:
                low, high = sorted(limits)
                axis.set_ticks([mark for mark in axis.get_majorticklocs() if low <= mark <= high][-1:])


def _rank(mark: float) -> tuple[bool, float]:
    """Which labels stay first: nothing, powers of ten from the largest, others."""
    if mark == 0:
        return (False, -math.inf)
    power = math.log10(abs(mark))
    return (abs(power - round(power)) > 1e-9, -abs(mark))


def _apart(axis: Axis, figure: Figure, upright: bool) -> bool:
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined] # of Agg
    boxes = [t.get_window_extent(renderer) for t in axis.get_ticklabels() if t.get_text() and t.get_visible()]
    spans = sorted((b.y0, b.y1) if upright else (b.x0, b.x1) for b in boxes if b.width > 0)
    gap = 0.0 if upright else _GAP * figure.dpi / _POINTS
    return all(a[1] + gap <= b[0] for a, b in pairwise(spans))
