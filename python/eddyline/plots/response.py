"""Figures of response functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, DASHES, STYLE, duration, heading, numbered, scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["curves"]

_POWERS = 1e3  # an axis from this ratio on has powers of ten


def curves(document: dict[str, Any]) -> Figure:
    """Mean window and throughput over the share of packets lost, both axes logarithmic."""
    rows = document["responses"]
    size, unit = scale("rate", max(row["throughput_bps"] for row in rows))
    with rc_context(STYLE):
        figure = empty(9.0, 4.2)
        left, right = figure.subplots(1, 2)
        for place, kind in enumerate(dict.fromkeys(row["kind"] for row in rows)):
            mine = [row for row in rows if row["kind"] == kind]
            style: Any = {"color": COLOURS[place % len(COLOURS)], "linestyle": DASHES[place % len(DASHES)]}
            # a curve for other losses than the heading says
            label = kind if mine[0]["function_losses"] == document["losses"] else f"{kind}, for periodic losses"
            style |= {"marker": "o" if len(mine) < 12 else "", "markersize": 3, "label": label}
            losses = [row["loss"] for row in mine]
            left.plot(losses, [row["window_packets"] for row in mine], **style)
            dots = [row for row in mine if row.get("sim_window_packets")]
            if dots:
                at, windows = [row["loss"] for row in dots], [row["sim_window_packets"] for row in dots]
                halves = [row["sim_ci95_half_packets"] or 0.0 for row in dots]
                name = f"{kind}, simulated"
                if any(halves):  # none of a single run
                    name += " (95 %)"
                    left.errorbar(at, windows, halves, color=style["color"], fmt="none", capsize=2)
                left.plot(at, windows, color=style["color"], linestyle="", marker="x", label=name)
            right.plot(losses, [row["throughput_bps"] / size for row in mine], **style)
        for axis, label in ((left, "mean window (packets)"), (right, f"throughput ({unit})")):
            axis.set_xscale("log")
            axis.set_yscale("log")
            for side, limits in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, axis.get_ylim())):
                if limits[1] / limits[0] < _POWERS:
                    numbered(side, limits[1] / limits[0])
            axis.set_xlabel("share of packets lost")
            axis.set_ylabel(label)
        left.legend()
        rtt = f"round trip {duration(document['rtt_s'])}"
        heading(figure, f"Response functions: {rtt}, {document['losses']} losses, {document['packet_bytes']} B packets")
    return figure
