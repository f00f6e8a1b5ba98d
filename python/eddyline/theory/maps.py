"""Maps: one result of theory over any two keys of a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import eddyline._core as _core
import eddyline.ranges as ranges
from eddyline.errors import InputError
from eddyline.loading import loaded
from eddyline.spelling import unknown
from eddyline.theory.document import Document
from eddyline.worlds import DYNAMICS, LINK_MODELS

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.loading import Given

__all__ = ["SHOWS", "Axis", "Range", "TheoryMap", "theory_map"]

SHOWS = ("bottleneck", "stability", "throughput")
"""What a map can show."""

Range: TypeAlias = str | Sequence[str | float]
"""`"LO..HI"`, `"LO..HI:POINTS"`, `"LO..HI:POINTS:log"`, or a list of values, as `set` takes them."""

_VALUE = {"bottleneck": "region", "stability": "root_re_per_s", "throughput": "goodput_bps"}


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes:
        key: The key, by its dotted name.
        unit: SI unit of the values: `bit/s`, `s`, `B`, `packets`, `/s`; empty for plain numbers.
        spacing: `linear`, `log` or `list`.
        values: The values, ascending.
        settings: The same as text: `Scenario.load(..., set={key: setting})` makes the scenario of a cell.
    """

    key: str
    unit: str
    spacing: str
    values: list[float]
    settings: list[str]


class TheoryMap(Document):
    """One result over two keys. A cell has exactly the result of the scenario with these two values set."""

    @property
    def notes(self) -> list[str]:
        """What the results leave out: with the file's own values, and what else at the corners of the map."""
        own = [f"with the file's own values: {note}" for note in super().notes]
        keys = (self.x.key, self.y.key)
        corners = self._parsed["corner_notes"]
        return own + [f"with {keys[0]}={c['x']} and {keys[1]}={c['y']}: {c['note']}" for c in corners]

    @property
    def show(self) -> str:
        """What it shows."""
        return str(self._parsed["show"])

    @property
    def link_model(self) -> str | None:
        """The link model of a stability map."""
        model: str | None = self._parsed["link_model"]
        return model

    @property
    def x(self) -> Axis:
        """The first axis."""
        return Axis(**self._parsed["x"])

    @property
    def y(self) -> Axis:
        """The second axis."""
        return Axis(**self._parsed["y"])

    @property
    def frame(self) -> pd.DataFrame:
        """A row per cell, x varying first: a column per key, then the result of the cell, then `error`.

        bottleneck: `region` (links with a price in the first equilibrium), `equilibria` (how many there are),
        `bottlenecks` (links with a price in each). stability: `stable`, `neutral` (disturbances neither grow nor die
        out), `root_re_per_s`, `root_im_per_s` (the rightmost root), `equilibria`. throughput: `packets_per_s`,
        `goodput_bps`, `equilibria`. A cell without a value has nulls, and the reason in `error`.
        """
        from eddyline.frames import frame

        names = {"x": self.x.key, "y": self.y.key}
        return frame(self._parsed["cells"]).rename(columns=names)

    def grid(self, column: str | None = None) -> pd.DataFrame:
        """One column of the frame as a table: a row per value of y, a column per value of x.

        Args:
            column: Its name; the region, the real part of the root or the goodput by default.
        """
        import pandas as pd

        column = column or _VALUE[self.show]
        x, y = self.x, self.y
        cells = self._parsed["cells"]
        if column not in cells[0]:
            raise unknown("column", column, cells[0])
        width = len(x.values)
        rows = [[c[column] for c in cells[start : start + width]] for start in range(0, len(cells), width)]
        return pd.DataFrame(
            rows, index=pd.Index(y.values, name=y.key), columns=pd.Index(x.values, name=x.key), dtype=_type(rows)
        )

    @property
    def failed(self) -> int:
        """How many cells have no value."""
        return int(self._parsed["failed"])

    @property
    def boundary(self) -> list[list[tuple[float, float]]]:
        """Of a stability map: where disturbances begin to grow, as curves of (x, y). A closed one ends at its start."""
        return [[(x, y) for x, y in curve] for curve in self._parsed["boundary"] or []]

    def plot(self) -> Figure:
        """The map."""
        from eddyline.plots.maps import drawn

        return drawn(self)


def _type(rows: list[list[Any]]) -> Any:
    plain = all(v is None or type(v) in (int, float) for row in rows for v in row)
    return "float64" if plain else object


def theory_map(
    scenario: Given,
    x: tuple[str, Range],
    y: tuple[str, Range],
    show: str = "bottleneck",
    *,
    flow: str | None = None,
    link_model: str = DYNAMICS,
    progress: Callable[[int, int], object] | None = None,
) -> TheoryMap:
    """Computes one result of theory over any two keys of a scenario.

    Args:
        scenario: The scenario; all keys but two keep their values.
        x: Key of the first axis by its dotted name, and its range: `("link.up.rate", "1 Mbit/s..10 Mbit/s:41:log")`.
            Ends have units; without a number of points there are 41, without `log` they are evenly spaced. `1..10`
            between plain integers is every integer.
        y: The same for the second axis.
        show: `"bottleneck"` (which links have a price), `"stability"` (the rightmost root, and the boundary) or
            `"throughput"` (in the first equilibrium).
        flow: Whose throughput: a flow, or all flows of one table with a `count`. The sum of all by default.
        link_model: Of a stability map: `"integrator"`, `"ack_clocked"` or `"joint"`.
        progress: Called some ten times a second with (pieces of work done, their number); may raise to stop.

    Returns:
        The map. Cells without a value say why in `frame["error"]`.

    Raises:
        InputError: A range or a value is not allowed, or there is no such key, flow or link model.
        EddylineError: No cell has a value, and why.
        KeyboardInterrupt: Ctrl-C, within a second.
    """
    from eddyline.keys import require_effect

    scenario = loaded(scenario)

    for name, given in (("x", x), ("y", y)):
        if isinstance(given, str) or len(given) != 2:
            raise InputError(
                f"{name}: a key and its range are expected, not {given!r}",
                '("link.up.rate", "1 Mbit/s..10 Mbit/s:41:log")',
            )
    require_effect([x[0], y[0]], "--x")
    if show not in SHOWS:
        raise unknown("map", show, SHOWS)
    if link_model not in LINK_MODELS:
        raise unknown("link model", link_model, LINK_MODELS)
    if flow is not None and show != "throughput":
        raise InputError("flow is for maps of throughput", f"this one shows {show}")
    if link_model != DYNAMICS and show != "stability":
        raise InputError("link_model is for maps of stability", f"this one shows {show}")
    axes, source = ((x[0], _text(x[1])), (y[0], _text(y[1]))), scenario.source
    with source.as_read() as copies:
        written = _core.Written(source.text, source.format, source.name, source.folder, scenario.given, copies)
        request = _core.Map(*axes, show, written, flow=flow, link_model=link_model)
        text = scenario._core.map(request, progress=progress)
    return TheoryMap(text, scenario.title)


def _text(given: Range) -> str:
    return ranges.integers("range", given) if isinstance(given, str) else ", ".join(map(str, given))
