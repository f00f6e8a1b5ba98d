"""Figures of stability: characteristic roots and Nyquist curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, STYLE, duration, heading
from eddyline.quantities import count

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["stability"]

_MARKS = {"integrator": "o", "ack_clocked": "s", "joint": "^"}
_STYLES = {"integrator": "-", "ack_clocked": "-", "joint": (0, (4, 4))}
_REACH = 2.2  # of the Nyquist plane, from the middle between -1 and 0


def stability(documents: list[dict[str, Any]], nyquist: pd.DataFrame, title: str) -> Figure:
    """Rightmost roots in the complex plane, Nyquist curves beside them; one colour a link model."""
    with rc_context(STYLE):
        figure = empty(10.0, 5.4)
        left, right = figure.subplots(1, 2)
        for place, document in enumerate(documents):
            _roots(left, document, COLOURS[place])
            curves = nyquist[nyquist["link_model"] == document["link_model"]]
            _curves(right, document, curves, COLOURS[place])
        _root_plane(left)
        _nyquist_plane(right)
        handles, _ = left.get_legend_handles_labels()
        figure.legend(handles=[*handles, *_marks(documents)], loc="outside lower left", ncols=2)
        heading(figure, title)
    return figure


def _marks(documents: list[dict[str, Any]]) -> list[Line2D]:
    """What the marks on the curves mean, as far as there are any."""
    shown = (
        ("D", "gain_margin", "gain margin k: the curve passes -1 / k"),
        ("*", "delay_margin_s", "delay margin: the curve passes the unit circle"),
    )
    some = [(mark, text) for mark, key, text in shown if any(d[key] is not None for d in documents)]
    return [Line2D([], [], color="#555555", marker=mark, linestyle="", label=text) for mark, text in some]


def _verdict(document: dict[str, Any]) -> str:
    parts = [f"{document['link_model']}: {document['verdict']}"]
    if document["gain_margin"] is not None:
        parts.append(f"gain margin {count(_three_digits(document['gain_margin']))}")
    if document["delay_margin_s"] is not None:
        parts.append(f"delay margin {duration(_three_digits(document['delay_margin_s']))}")
    return ", ".join(parts)


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def _roots(axis: Axes, document: dict[str, Any], colour: str) -> None:
    both = [(re, sign * im) for re, im in document["roots"] for sign in ((1, -1) if im else (1,))]
    axis.plot(
        [re for re, _ in both],
        [im for _, im in both],
        _MARKS[document["link_model"]],
        color=colour,
        markersize=5,
        markerfacecolor="none",
        label=_verdict(document),
    )


def _root_plane(axis: Axes) -> None:
    axis.margins(0.08)
    low, high = axis.get_xlim()
    # the axis is always in sight, and something of what lies beyond
    low, high = min(low, -0.15 * max(abs(low), abs(high))), max(high, 0.15 * max(abs(low), abs(high)))
    axis.axvspan(0, high, color=COLOURS[1], alpha=0.08, linewidth=0)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlim(low, high)
    axis.set_title("Rightmost roots (right of the line: growing)")
    axis.set_xlabel("real part (1/s)")
    axis.set_ylabel("imaginary part (rad/s)")


def _curves(axis: Axes, document: dict[str, Any], rows: pd.DataFrame, colour: str) -> None:
    style = _STYLES[document["link_model"]]
    for _, locus in rows.groupby("locus"):
        axis.plot(locus["re"], locus["im"], color=colour, linestyle=style)
        axis.plot(locus["re"], -locus["im"], color=colour, linewidth=0.6, linestyle=":")
    gain, delay = document["gain_margin"], document["delay_margin_s"]
    if gain is not None:
        axis.plot(-1 / gain, 0, "D", color=colour, markersize=5, zorder=4)
    if delay is not None:
        angle = document["delay_margin_at_rad_s"] * delay - math.pi
        axis.plot(math.cos(angle), math.sin(angle), "*", color=colour, markersize=9, zorder=4)


def _nyquist_plane(axis: Axes) -> None:
    axis.add_patch(Circle((0, 0), 1, fill=False, color="#999999", linewidth=0.7))
    axis.axhline(0, color="#999999", linewidth=0.6)
    axis.axvline(0, color="#999999", linewidth=0.6)
    axis.plot(-1, 0, "+", color="black", markersize=12, markeredgewidth=1.6, zorder=5)
    axis.annotate("-1", (-1, 0), (-4, -12), textcoords="offset points", ha="right")
    axis.set_xlim(-0.5 - _REACH, -0.5 + _REACH)
    axis.set_ylim(-_REACH, _REACH)
    axis.set_aspect("equal")
    axis.set_title("Nyquist curves of the loop")
    axis.set_xlabel("real part")
    axis.set_ylabel("imaginary part")
