"""Figures: throughput, windows, round-trip times and queues over time; shares where there is no time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from eddyline.result import Result

__all__ = ["STYLE", "bars", "overview", "render"]

# Okabe and Ito: told apart by everybody, in print too.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800"]
_DASHES = ["-", "--", "-.", ":"]
_MOST = 12  # lines in one panel

STYLE: Any = {
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "figure.facecolor": "white",
    "font.size": 9,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "svg.hashsalt": "eddyline",
}

# Quantity, panel title, axis label without unit, scale to the unit of the axis by its largest value.
_PANELS = (
    ("throughput_bps", "Throughput", "throughput", "rate"),
    ("cwnd_packets", "Congestion window", "window (packets)", "plain"),
    ("rtt_s", "Round-trip time", "RTT", "time"),
    ("queue_packets", "Queues", "waiting packets", "plain"),
)
_UNITS = {
    "rate": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "time": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
}


def overview(series: pd.DataFrame, title: str) -> Figure:
    """Four panels over one time axis, from tidy series."""
    present = [p for p in _PANELS if (series["quantity"] == p[0]).any()]
    with rc_context(STYLE):
        figure = _figure(8.0, 0.9 + 2.1 * max(1, len(present)))
        axes = figure.subplots(max(1, len(present)), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (quantity, name, label, unit) in zip(axes, present, strict=False):
            _panel(axis, series[series["quantity"] == quantity], label, unit)
            axis.set_title(name)
        axes[-1].set_xlabel("time (s)")
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    return figure


def bars(result: Result) -> Figure:
    """Goodput of every flow and utilisation of every link."""
    flows, links = result.flows, result.links
    with rc_context(STYLE):
        figure = _figure(8.0, 4.0)
        left, right = figure.subplots(1, 2)
        rates = flows["goodput_bps"].astype(float).fillna(0.0)
        size, unit = _unit("rate", float(rates.max()) if len(rates) else 0.0)
        _bars(left, list(flows["name"]), list(rates / size), "Flows", f"goodput ({unit})", _COLOURS[0])
        shares = links["utilisation"].astype(float).fillna(0.0) * 100
        _bars(right, list(links["name"]), list(shares), "Links", "utilisation (%)", _COLOURS[1])
        figure.suptitle(f"{result.title} (world {result.world})", x=0.01, ha="left", fontsize=11)
    return figure


def render(figure: Figure, path: Path) -> None:
    """Writes a figure in the format of the file's ending, the same bytes every time."""
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    with rc_context(STYLE):
        figure.savefig(path, dpi=150, metadata=metadata.get(path.suffix))


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _panel(axis: Axes, rows: pd.DataFrame, label: str, unit: str) -> None:
    values = rows["value"]
    size, name = _unit(unit, float(values.max()) if len(values) else 0.0)
    entities = [str(e) for e in rows["entity"].unique()]
    for place, entity in enumerate(entities[:_MOST]):
        one = rows[rows["entity"] == entity]
        axis.plot(
            one["time_s"],
            one["value"] / size,
            label=entity,
            color=_COLOURS[place % len(_COLOURS)],
            linestyle=_DASHES[place // len(_COLOURS) % len(_DASHES)],
        )
    axis.set_ylabel(f"{label} ({name})" if name else label)
    axis.set_ylim(bottom=0)
    axis.margins(x=0.01)
    more = f" (first {_MOST} of {len(entities)})" if len(entities) > _MOST else ""
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), title=more or None)


def _bars(axis: Axes, names: list[str], values: list[float], title: str, label: str, colour: str) -> None:
    shown = names[: 2 * _MOST]
    places = range(len(shown))
    axis.barh(list(places), values[: len(shown)], color=colour, height=0.7)
    axis.set_yticks(list(places), shown)
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(label)
    more = f" (first {len(shown)} of {len(names)})" if len(names) > len(shown) else ""
    axis.set_title(title + more)


def _unit(unit: str, largest: float) -> tuple[float, str]:
    if unit == "plain":
        return 1.0, ""
    return next((u for u in _UNITS[unit] if largest >= u[0]), _UNITS[unit][-1])


def compared(worlds: list[tuple[str, pd.DataFrame]], title: str) -> Figure:
    """Windows and queues of several worlds over one another: the first thin and dark, the others broad and pale.

    Args:
        worlds: Name and tidy series of each.
        title: Above the figure.
    """
    figure = _figure(9.0, 6.0)
    axes = figure.subplots(2, 1, sharex=True)
    panels = (("cwnd_packets", "window (packets)"), ("queue_packets", "waiting packets"))
    for axis, (quantity, label) in zip(axes, panels, strict=True):
        for place, (world, series) in enumerate(worlds):
            rows = series[series["quantity"] == quantity]
            for colour, (name, part) in enumerate(rows.groupby("entity", sort=False, observed=True)):
                width, alpha = (1.2, 1.0) if place == 0 else (3.0, 0.35)
                style = {"color": f"C{colour}", "linewidth": width, "alpha": alpha}
                axis.plot(part["time_s"], part["value"], label=f"{name}, {world}", **style)
        axis.set_ylabel(label)
        axis.set_ylim(bottom=0)
        axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8)
    axes[-1].set_xlabel("time (s)")
    figure.suptitle(title, x=0.01, ha="left")
    return figure
