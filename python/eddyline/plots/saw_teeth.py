"""Figures of queues at a marking threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, STYLE, heading, scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["queues"]

_PERIODS = 5


def queues(document: dict[str, Any]) -> Figure:
    """The queue over time, a panel per sender: the saw-tooth, the simulation if there is one, and the threshold."""
    rows = document["sawteeth"]
    pipe = document["rate_bps"] * document["rtt_s"] / (8 * document["packet_bytes"])
    with rc_context(STYLE):
        figure = empty(8.5, 0.9 + 2.4 * len(rows))
        axes = figure.subplots(len(rows), 1, squeeze=False)[:, 0]
        for axis, row in zip(axes, rows, strict=True):
            size, unit = scale("time", _PERIODS * row["period_s"])
            times, lengths = _tooth(row, pipe)
            sim = row.get("sim_series")
            begin = 0.0
            if sim is not None:
                axis.plot(np.array(sim["time_s"]) / size, sim["queue_packets"], color=COLOURS[0], label="simulated")
                # aligned with the first window reduction in the series
                begin = _first_cut(sim) % row["period_s"] - row["period_s"]
            at = np.concatenate([begin + period * row["period_s"] + times for period in range(_PERIODS + 2)])
            repeated = np.tile(lengths, _PERIODS + 2)
            axis.plot(at / size, repeated, color=COLOURS[1], linestyle="--", label="closed form")
            axis.axhline(document["threshold_packets"], color="#888888", linewidth=0.8, label="threshold K")
            axis.set_xlim(0, _PERIODS * row["period_s"] / size)
            axis.set_ylim(bottom=0)
            axis.set_ylabel("queue (packets)")
            axis.set_title(f"{row['kind']}, {100 * row['utilisation']:.1f} % of the link by the closed form")
            axis.set_xlabel(f"time ({unit})")
        axes[0].legend(loc="lower right", ncols=3)
        rate, rate_unit = scale("rate", document["rate_bps"])
        time, time_unit = scale("time", document["rtt_s"])
        flows = "one flow" if rows[0]["flows"] == 1 else f"{rows[0]['flows']} flows"
        path = f"{document['rate_bps'] / rate:g} {rate_unit}, {document['rtt_s'] / time:g} {time_unit}"
        heading(figure, f"Marks above {document['threshold_packets']:g} packets: {flows}, {path}")
    return figure


def _tooth(row: dict[str, Any], pipe: float) -> tuple[Any, Any]:
    """One period from its cut on: windows grow each round trip, which takes the time of max(window, pipe) packets."""
    top = pipe + row["queue_max_packets"]
    given_up = row["flows"] * row["period_round_trips"]  # a round trip adds a packet to each window
    window = np.linspace(top - given_up, top, 200)
    steps = np.maximum(window, pipe)
    times = np.concatenate([[0.0], np.cumsum((steps[1:] + steps[:-1]) / 2)])
    return times / times[-1] * row["period_s"], np.maximum(window - pipe, 0.0)


def _first_cut(sim: dict[str, Any]) -> float:
    """When the queue first falls by its maximum decrease within a quarter of a round trip."""
    lengths = np.array(sim["queue_packets"])
    falls = lengths[:-2] - lengths[2:]
    return float(sim["time_s"][int(np.argmax(falls >= 0.8 * falls.max())) + 1])
