"""Figures of maps: cells by colour, regions by name, the stability boundary as a curve."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from matplotlib import rc_context
from matplotlib.colors import ListedColormap, SymLogNorm, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, STYLE, entry, heading, log_scale, numbered, scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["drawn"]

_KINDS = {"bit/s": "rate", "s": "time", "B": "bytes"}
_NOTHING = "#bbbbbb"
_FAINT = 1e-3  # of the largest real part: below it colours fade to white


class MapAxis(Protocol):
    """An axis of a map; see `theory.Axis`."""

    @property
    def key(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def spacing(self) -> str: ...
    @property
    def values(self) -> list[float]: ...


class Map(Protocol):
    """What is drawn of a map; see `theory.TheoryMap`."""

    @property
    def title(self) -> str: ...
    @property
    def show(self) -> str: ...
    @property
    def link_model(self) -> str | None: ...
    @property
    def x(self) -> MapAxis: ...
    @property
    def y(self) -> MapAxis: ...
    @property
    def failed(self) -> int: ...
    @property
    def boundary(self) -> list[list[tuple[float, float]]]: ...
    def grid(self, column: str) -> pd.DataFrame: ...
    def to_dict(self) -> Any: ...


def drawn(map_: Map) -> Figure:
    """A map of any kind."""
    with rc_context(STYLE):
        figure = empty(8.0, 5.6)
        axis = figure.subplots()
        axis.grid(visible=False)
        plane = _Plane(axis, map_.x, map_.y)
        painted = {"bottleneck": _bottleneck, "stability": _stability, "throughput": _throughput}[map_.show]
        handles = painted(figure, plane, map_)
        if map_.failed:
            handles.append(Patch(facecolor=_NOTHING, hatch="///", edgecolor="white", label="no value"))
        if handles:
            figure.legend(handles=handles, loc="outside lower left", ncols=2)
        about = {"bottleneck": "links with a queue", "stability": f"stability, {map_.link_model}"}
        flow = map_.to_dict()["flow"]
        about["throughput"] = f"goodput of {flow}" if flow else "goodput of all flows"
        heading(figure, f"{map_.title}: {about[map_.show]}")
    return figure


class _Plane:
    """The two axes, scaled to suitable units, and the edges of the cells."""

    def __init__(self, axis: Axes, x: MapAxis, y: MapAxis) -> None:
        self.axis = axis
        self.sizes = (_size(x)[0], _size(y)[0])
        self.edges = tuple(_edges(a, size) for a, size in zip((x, y), self.sizes, strict=True))
        for each, (values, size), set_scale, set_label, limits in (
            (x, (self.edges[0], _size(x)), axis.set_xscale, axis.set_xlabel, axis.set_xlim),
            (y, (self.edges[1], _size(y)), axis.set_yscale, axis.set_ylabel, axis.set_ylim),
        ):
            if each.spacing == "log":
                set_scale("log")
            set_label(f"{each.key} ({size[1]})" if size[1] else each.key)
            limits(values[0], values[-1])
        for scaled, each in ((axis.xaxis, x), (axis.yaxis, y)):
            if each.spacing == "log":
                numbered(scaled, each.values[-1] / each.values[0])

    def paint(self, values: NDArray[np.float64], **style: Any) -> Any:
        """Fills the cells."""
        return self.axis.pcolormesh(*self.edges, values, shading="flat", rasterized=True, **style)

    def hatch(self, where: NDArray[np.bool_], pattern: str, colour: str | None = None) -> None:
        """Hatches some cells, on a colour."""
        import numpy as np
        from matplotlib.collections import PolyCollection

        xs, ys = (np.asarray(e) for e in self.edges)
        cells = [
            [(xs[i], ys[j]), (xs[i + 1], ys[j]), (xs[i + 1], ys[j + 1]), (xs[i], ys[j + 1])]
            for j, i in zip(*np.nonzero(where), strict=True)
        ]
        if cells:
            face = colour or "none"
            self.axis.add_collection(
                PolyCollection(cells, facecolor=face, edgecolor="white", linewidth=0, hatch=pattern)
            )

    def curve(self, points: Sequence[tuple[float, float]]) -> None:
        """A curve, SI units."""
        xs = [x / self.sizes[0] for x, _ in points]
        ys = [y / self.sizes[1] for _, y in points]
        self.axis.plot(xs, ys, color="black", linewidth=1.8, solid_capstyle="round")


def _size(axis: MapAxis) -> tuple[float, str]:
    if axis.unit in _KINDS:
        kind, least, most = _KINDS[axis.unit], axis.values[0], axis.values[-1]
        return log_scale(kind, least, most) if axis.spacing == "log" else scale(kind, most)
    return 1.0, axis.unit


def _edges(axis: MapAxis, size: float) -> list[float]:
    """Edges of the cells: halfway between their centres, and as far beyond the first and the last, but not below 0."""
    values = [v / size for v in axis.values]
    if axis.spacing == "log":
        inner = [math.sqrt(a * b) for a, b in pairwise(values)]
        return [values[0] ** 2 / inner[0], *inner, values[-1] ** 2 / inner[-1]]
    inner = [(a + b) / 2 for a, b in pairwise(values)]
    return [max(0.0, 2 * values[0] - inner[0]), *inner, 2 * values[-1] - inner[-1]]


def _bottleneck(_figure: Figure, plane: _Plane, map_: Map) -> list[Any]:
    import numpy as np

    regions = map_.grid("region").to_numpy(dtype=object)
    names = sorted({r for r in regions.flat if r is not None}, key=lambda r: (r != "none", r.count(" + "), r))
    colours = [_shade(i) for i in range(len(names))]
    numbers = np.array([[names.index(r) if r is not None else np.nan for r in row] for row in regions])
    plane.hatch(np.isnan(numbers), "///", _NOTHING)
    plane.paint(numbers, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(names) - 0.5, alpha=0.75)
    several = map_.grid("equilibria").to_numpy() > 1
    plane.hatch(several, "xxx")
    handles: list[Any] = [Patch(color=c, alpha=0.75, label=entry(n)) for n, c in zip(names, colours, strict=True)]
    if several.any():
        label = "several equilibria (colour: the first)"
        handles.append(Patch(facecolor="#888888", hatch="xxx", edgecolor="white", label=label))
    return handles


def _shade(number: int) -> Any:
    """A colour for each of many regions: the usual ones, then the same paler, then darker."""
    turn, place = divmod(number, len(COLOURS))
    towards, share = ((1.0, 0.0), (1.0, 0.55), (0.0, 0.45))[turn % 3]
    return tuple((1 - share) * part + share * towards for part in to_rgb(COLOURS[place]))


def _stability(figure: Figure, plane: _Plane, map_: Map) -> list[Any]:
    import numpy as np

    values = map_.grid("root_re_per_s").to_numpy()
    unknown = map_.grid("stable").isna().to_numpy()
    plane.hatch(unknown, "///", _NOTHING)
    known = values[np.isfinite(values)]
    reach = float(np.abs(known).max(initial=0.0)) or 1.0
    # the sign matters most: small values have colours too
    norm = SymLogNorm(_FAINT * reach, vmin=-reach, vmax=reach)
    mesh = plane.paint(values, cmap="RdBu_r", norm=norm)
    bar = figure.colorbar(mesh, ax=plane.axis)
    bar.set_label("real part of the rightmost root (1/s): above 0 disturbances grow")
    for curve in map_.boundary:
        plane.curve(curve)
    return [Line2D([], [], color="black", linewidth=1.8, label="stability boundary")] if map_.boundary else []


def _throughput(figure: Figure, plane: _Plane, map_: Map) -> list[Any]:
    import numpy as np

    values = map_.grid("goodput_bps").to_numpy()
    plane.hatch(np.isnan(values), "///", _NOTHING)
    size, unit = scale("rate", float(np.nanmax(values)))
    mesh = plane.paint(values / size, cmap="viridis", vmin=0)
    figure.colorbar(mesh, ax=plane.axis).set_label(f"goodput ({unit})")
    return []
