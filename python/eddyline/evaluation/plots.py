"""Figures of an evaluation: all controllers in one, and the sheet of one controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib import rc_context
from matplotlib.ticker import NullFormatter

from eddyline.evaluation.path import FULL_PACKET_B
from eddyline.evaluation.response import CAPACITY
from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, DASHES, STYLE, from_zero, heading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Rows: TypeAlias = Sequence[Mapping[str, Any]]
    Curves: TypeAlias = Mapping[str, npt.NDArray[np.float64]]
    Given: TypeAlias = tuple[Rows, Curves | None]

__all__ = ["overlaid", "sheet"]

_BACKGROUND, _GUIDE = "#b0b0b0", "#888888"
_CLOSED = "closed form"
_MOVING = "not settled"
_SMALL: Any = STYLE | {"font.size": 7.5, "axes.titlesize": 8.5, "axes.labelsize": 7.5, "legend.fontsize": 6.5}
_DOTS: Any = {"marker": "o", "markersize": 3}
_THIN = 0.9


@dataclass(frozen=True)
class _Look:
    """Style of one controller."""

    label: str
    colour: str
    dash: str = "-"
    background: bool = False

    def line(self, **more: Any) -> dict[str, Any]:
        order = 1.5 if self.background else 2.0
        return {"color": self.colour, "linestyle": self.dash, "label": self.label, "zorder": order} | more


@dataclass(frozen=True)
class _Panel:
    """One pair of axes.

    Attributes:
        experiment: Whose rows it shows.
        title: Above it.
        draw: Draws one controller.
        frame: Labels, scales and guides.
        over_time: It has curves over time, and a panel for each controller.
        on_sheet: Whether the sheet of a controller has it.
        overlaid: Whether the figure of all controllers has it.
    """

    experiment: str
    title: str
    draw: Callable[[Axes, Rows, Curves | None, _Look], None]
    frame: Callable[[Axes], None]
    over_time: bool = False
    on_sheet: bool = True
    overlaid: bool = True


def sheet(title: str, mine: Mapping[str, Given], background: Mapping[str, Given]) -> Figure:
    """All panels of one controller, with Reno's in grey in the background.

    Args:
        title: The controller.
        mine: Its rows and curves by experiment.
        background: Those of Reno, or nothing.
    """
    panels = [p for p in _PANELS if p.experiment in mine and p.on_sheet]
    columns = min(3, len(panels))
    grid_rows = -(-len(panels) // columns)
    with rc_context(_SMALL):
        figure = empty(3.1 * columns, 0.35 + 2.05 * grid_rows)
        axes = figure.subplots(grid_rows, columns, squeeze=False).ravel()
        for axis, panel in zip(axes, panels, strict=False):
            if panel.experiment in background and not panel.over_time:
                panel.draw(axis, *background[panel.experiment], _Look("reno", _BACKGROUND, background=True))
            panel.draw(axis, *mine[panel.experiment], _Look(title, COLOURS[0]))
            panel.frame(axis)
            axis.set_title(panel.title)
            if len(axis.get_legend_handles_labels()[0]) > 1:
                axis.legend(handlelength=1.4, borderaxespad=0.2, labelspacing=0.25)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        heading(figure, title)
    return figure


def overlaid(experiment: str, controllers: Sequence[tuple[str, Rows, Curves | None]]) -> Figure:
    """One experiment: all controllers in each panel, or a panel per controller over time."""
    panels = [p for p in _PANELS if p.experiment == experiment and p.overlaid]
    given = [each for each in controllers if each[1]]
    with rc_context(STYLE):
        return (_framed if panels[0].over_time else _overlaid)(panels, given)


def _overlaid(panels: Sequence[_Panel], given: Sequence[tuple[str, Rows, Curves | None]]) -> Figure:
    figure = empty(max(4.5, 3.6 * len(panels)), 3.6 + 0.13 * len(given) / len(panels))
    axes = figure.subplots(1, len(panels), squeeze=False).ravel()
    for axis, panel in zip(axes, panels, strict=True):
        for place, (name, rows, curves) in enumerate(given):
            colour, dash = COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]
            panel.draw(axis, rows, curves, _Look(name, colour, dash))
        panel.frame(axis)
        axis.set_title(panel.title)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4 * len(panels), len(labels)))
    return figure


def _framed(panels: Sequence[_Panel], given: Sequence[tuple[str, Rows, Curves | None]]) -> Figure:
    columns = len(panels) if len(panels) > 1 else min(3, len(given))
    cells = [(panel, each) for each in given for panel in panels]
    grid_rows = -(-len(cells) // columns)
    figure = empty(max(4.5, 3.6 * columns), 2.4 * grid_rows)
    axes = figure.subplots(grid_rows, columns, squeeze=False).ravel()
    for axis, (panel, (name, rows, curves)) in zip(axes, cells, strict=False):
        panel.draw(axis, rows, curves, _Look(name, COLOURS[0]))
        panel.frame(axis)
        axis.set_title(f"{name}: {panel.title.lower()}")
        if axis.get_legend_handles_labels()[0]:
            axis.legend()
    for axis in axes[len(cells) :]:
        axis.set_visible(False)
    return figure


def _column(rows: Rows, key: str, scale: float = 1.0) -> list[float]:
    return [float("nan") if row[key] is None else row[key] / scale for row in rows]


def _response(axis: Axes, rows: Rows, _curves: Curves | None, look: _Look) -> None:
    axis.plot(_column(rows, "loss"), _column(rows, "packets_per_s"), **look.line(**_DOTS))
    moving = [row for row in rows if not row["settled"]]
    if moving and not look.background:
        label = None if _MOVING in axis.get_legend_handles_labels()[1] else _MOVING
        ring: Any = {"linestyle": "", "marker": "o", "markersize": 7, "markerfacecolor": "none"}
        axis.plot(_column(moving, "loss"), _column(moving, "packets_per_s"), color=look.colour, label=label, **ring)
    known = [(row["loss"], row["theory_packets_per_s"]) for row in rows if row["theory_packets_per_s"]]
    if known and not look.background:
        label = None if _CLOSED in axis.get_legend_handles_labels()[1] else _CLOSED
        axis.plot(*zip(*known, strict=True), color=look.colour, linestyle="", marker="x", markersize=7, label=label)


def _response_frame(axis: Axes) -> None:
    axis.set(xscale="log", xlabel="share of packets lost", ylabel="rate (packets/s)")
    axis.set_yscale("log", nonpositive="mask")
    axis.yaxis.set_minor_formatter(NullFormatter())
    _at_least(axis, 1e2, 5e4)
    axis.axhline(CAPACITY.rate_bps / (8 * FULL_PACKET_B), color=_GUIDE, linewidth=0.7, linestyle=":", zorder=1)


def _fairness(buffer_bdp: float) -> Callable[[Axes, Rows, Curves | None, _Look], None]:
    def draw(axis: Axes, rows: Rows, _curves: Curves | None, look: _Look) -> None:
        mine = [row for row in rows if row["buffer_bdp"] == buffer_bdp]
        axis.plot(_column(mine, "rtt_ratio"), _column(mine, "rate_ratio"), **look.line(**_DOTS))

    return draw


def _both_buffers(axis: Axes, rows: Rows, _curves: Curves | None, look: _Look) -> None:
    if not look.background:  # too many lines for one panel
        for place, size in enumerate(dict.fromkeys(row["buffer_bdp"] for row in rows)):
            _fairness(size)(axis, rows, None, _Look(f"buffer of {size:g} BDP", COLOURS[place]))


def _fairness_frame(axis: Axes) -> None:
    for power in (0, 1, 2):
        axis.plot([1, 8], [1, 8**power], color=_GUIDE, linewidth=0.7, linestyle=":", zorder=1)
        axis.annotate(f"$-{power}$" if power else "fair", (8, 8**power), fontsize=6.5, color=_GUIDE)
    axis.set(xscale="log", xlabel="RTT of far over near", ylabel="rate of near over far")
    axis.set_yscale("log", nonpositive="mask")
    _plain_ticks(axis, (1, 2, 4, 8))


def _two_flows(axis: Axes, curves: Curves | None, key: str, scale: float, look: _Look) -> None:
    if curves is None:
        return
    joined = curves["second_bps"].cumsum() > 0
    axis.plot(curves["time_s"], curves[f"first_{key}"] / scale, **look.line(label="first", linewidth=_THIN))
    second = look.line(label="second", color=COLOURS[1], linewidth=_THIN)
    axis.plot(curves["time_s"][joined], curves[f"second_{key}"][joined] / scale, **second)


def _rates(axis: Axes, _rows: Rows, curves: Curves | None, look: _Look) -> None:
    _two_flows(axis, curves, "bps", 1e6, look)


def _windows(axis: Axes, _rows: Rows, curves: Curves | None, look: _Look) -> None:
    _two_flows(axis, curves, "window_packets", 1.0, look)


def _step_rate(axis: Axes, _rows: Rows, curves: Curves | None, look: _Look) -> None:
    if curves is not None:
        axis.plot(curves["time_s"], curves["rate_bps"] / 1e6, **look.line(linewidth=_THIN, label=None))


def _step_delay(axis: Axes, _rows: Rows, curves: Curves | None, look: _Look) -> None:
    if curves is not None:
        axis.plot(curves["time_s"], curves["queueing_delay_s"] * 1e3, **look.line(linewidth=_THIN, label=None))


def _trace(axis: Axes, _rows: Rows, curves: Curves | None, look: _Look) -> None:
    if curves is not None:
        in_flight: dict[str, Any] = {"color": COLOURS[5], "linewidth": 0.6, "label": "in flight", "zorder": 1.8}
        axis.plot(curves["time_s"], curves["in_flight_packets"], **in_flight)
        axis.plot(curves["time_s"], curves["window_packets"], **look.line(label="window"))


def _over_time(label: str) -> Callable[[Axes], None]:
    def frame(axis: Axes) -> None:
        axis.set(xlabel="time (s)", ylabel=label)
        from_zero(axis)

    return frame


def _share_beside(rival: str) -> Callable[[Axes, Rows, Curves | None, _Look], None]:
    def draw(axis: Axes, rows: Rows, _curves: Curves | None, look: _Look) -> None:
        mine = [row for row in rows if row["rival"] == rival]
        axis.plot(_column(mine, "buffer_bdp"), _column(mine, "share", 0.01), **look.line(**_DOTS))

    return draw


def _both_shares(axis: Axes, rows: Rows, _curves: Curves | None, look: _Look) -> None:
    if not look.background:  # too many lines for one panel
        for place, rival in enumerate(dict.fromkeys(str(row["rival"]) for row in rows)):
            _share_beside(rival)(axis, rows, None, _Look(f"beside {rival}", COLOURS[place]))


def _share_frame(axis: Axes) -> None:
    axis.axhline(50, color=_GUIDE, linewidth=0.7, linestyle=":", zorder=1)
    _buffer_axis(axis, "share of both (%)")
    axis.set_ylim(0, 100)


def _use(axis: Axes, rows: Rows, _curves: Curves | None, look: _Look) -> None:
    axis.plot(_column(rows, "buffer_bdp"), _column(rows, "utilisation", 0.01), **look.line(**_DOTS))


def _use_frame(axis: Axes) -> None:
    _buffer_axis(axis, "use of the link (%)")
    _at_least(axis, 80.0, 101.0)


def _queue(axis: Axes, rows: Rows, _curves: Curves | None, look: _Look) -> None:
    axis.plot(_column(rows, "buffer_bdp"), _column(rows, "queueing_delay_s", 1e-3), **look.line(**_DOTS))


def _queue_frame(axis: Axes) -> None:
    _buffer_axis(axis, "queueing delay (ms)")
    unused = any((np.asarray(line.get_ydata(), float) <= 0).any() for line in axis.lines)
    if unused:  # no logarithm of 0: linear below a tenth of a millisecond
        axis.set_yscale("symlog", linthresh=0.1)
        axis.set_ylim(-0.02, max(500.0, axis.get_ylim()[1]))
    else:
        axis.set_yscale("log")
        _at_least(axis, 0.3, 500.0)


def _at_least(axis: Axes, low: float, high: float) -> None:
    """Extends the axis to a common range, so that sheets compare."""
    below, above = axis.get_ylim()
    axis.set_ylim(min(low, below), max(high, above))


def _buffer_axis(axis: Axes, label: str) -> None:
    axis.set(xscale="log", xlabel="buffer (BDP)", ylabel=label)
    _plain_ticks(axis, (0.1, 0.5, 1, 2, 5, 10))


def _plain_ticks(axis: Axes, at: Sequence[float]) -> None:
    axis.set_xticks(at, [f"{each:g}" for each in at])
    axis.xaxis.set_minor_formatter(NullFormatter())


_PANELS = (
    _Panel("response", "Response to loss", _response, _response_frame),
    _Panel("rtt-fairness", "RTT fairness, buffer of 1 BDP", _fairness(1.0), _fairness_frame, on_sheet=False),
    _Panel("rtt-fairness", "RTT fairness, buffer of 5 BDP", _fairness(5.0), _fairness_frame, on_sheet=False),
    _Panel("rtt-fairness", "RTT fairness", _both_buffers, _fairness_frame, overlaid=False),
    _Panel("trace", "The window alone", _trace, _over_time("packets"), over_time=True),
    _Panel("convergence", "A second flow joins", _rates, _over_time("Mbit/s"), over_time=True),
    _Panel("convergence", "Their windows", _windows, _over_time("packets"), over_time=True, on_sheet=False),
    _Panel("step", "Half the capacity: rate", _step_rate, _over_time("Mbit/s"), over_time=True),
    _Panel("step", "Half the capacity: queue", _step_delay, _over_time("queueing delay (ms)"), over_time=True),
    _Panel("sharing", "Share beside Reno", _share_beside("reno"), _share_frame, on_sheet=False),
    _Panel("sharing", "Share beside CUBIC", _share_beside("cubic"), _share_frame, on_sheet=False),
    _Panel("sharing", "Share beside others", _both_shares, _share_frame, overlaid=False),
    _Panel("buffers", "Use alone", _use, _use_frame),
    _Panel("buffers", "Queue alone", _queue, _queue_frame),
)
