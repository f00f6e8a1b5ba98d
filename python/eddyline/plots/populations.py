"""Figures of populations of dynamic flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.ticker import MaxNLocator

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, STYLE, entry, from_zero, grouped_bars, heading, scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["population"]

_SEEN = 1e-4  # distributions are drawn until so much is left


def population(document: dict[str, Any], title: str) -> Figure:
    """Mean numbers, transfer times, shares of time, distributions; where it is unstable, growth and loads."""
    d = document
    names = list(d["mean_flows"])
    known = d.get("distribution") or {}
    with rc_context(STYLE):
        height = 1.8 + 0.32 * max(len(names), len(d["bottleneck"]) + 1)
        if not d["stable"]:
            figure = empty(9.0, height)
            left, right = figure.subplots(1, 2)
            _growth(left, d, names)
            _loads(right, d)
        elif known:
            figure = empty(9.0, 2 * height)
            (first, second), (third, fourth) = figure.subplots(2, 2)
            _means(first, second, d, names)
            _shares(third, d)
            _distribution(fourth, known)
        else:
            figure = empty(12.0, height)
            first, second, third = figure.subplots(1, 3)
            _means(first, second, d, names)
            _shares(third, d)
        error = "" if d["error"] is None else f", relative error {d['error']:.1e}"
        verdict = "" if d["stable"] else "unstable, "
        heading(figure, f"{title}: {verdict}{d['method']}{error}")
    return figure


def _means(first: Axes, second: Axes, d: dict[str, Any], names: list[str]) -> None:
    first.set_title("Mean number of flows")
    grouped_bars(first, names, [("", list(d["mean_flows"].values()))], "flows")
    times = list(d["mean_transfer_time_s"].values())
    size, unit = scale("time", max((t for t in times if t is not None), default=1.0))
    second.set_title("Mean transfer time")
    grouped_bars(second, names, [("", [None if t is None else t / size for t in times])], f"time ({unit})")


def _shares(axis: Axes, d: dict[str, Any]) -> None:
    axis.set_title("Share of time in which a link is full")
    names = [n for n in d["load"] if n in d["bottleneck"]]
    rows = ["no link", *(f"{n} alone" for n in names), "several"]
    shares = [d["idle"], *(d["bottleneck"][n] for n in names), d["several"]]
    grouped_bars(axis, rows, [("", [None if s is None else 100 * s for s in shares])], "share of time (%)")


def _distribution(axis: Axes, known: dict[str, list[float]]) -> None:
    longest = 1
    for place, (name, probabilities) in enumerate(known.items()):
        left, last = 1.0, 0
        for last, p in enumerate(probabilities):  # noqa: B007 - its last value is used
            left -= p
            if left < _SEEN:
                break
        longest = max(longest, last)
        numbers = range(last + 1)
        axis.step(
            numbers, probabilities[: last + 1], where="mid", color=COLOURS[place % len(COLOURS)], label=entry(name)
        )
    axis.set_title("Distribution")
    axis.set_xlabel("number of flows")
    axis.set_ylabel("probability")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlim(-0.5, longest + 0.5)
    from_zero(axis)
    axis.legend()


def _growth(axis: Axes, d: dict[str, Any], names: list[str]) -> None:
    axis.set_title("Growth of the number of flows")
    grouped_bars(axis, names, [("", [d["growth_per_s"].get(n) for n in names])], "flows a second")


def _loads(axis: Axes, d: dict[str, Any]) -> None:
    axis.set_title("Offered load")
    grouped_bars(axis, list(d["load"]), [("", [100 * v for v in d["load"].values()])], "load (%)")
    axis.axvline(100, color="black", linewidth=0.8)
