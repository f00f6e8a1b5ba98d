"""Figures 8 and 9: windows and queues where both directions are busy, and the correlation of the queues."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from eddyline.papers.bidirectional_tcp.occupancy import Occupancy, correlation_at, halvings, lags
from eddyline.papers.bidirectional_tcp.setting import ORDERS, Link, Outcome
from eddyline.reports.figures import BLACK, BLUE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["figure_8", "figure_9"]

_DOWN, _UP = 75000, 9000
_WINDOWS = {"64 kB": 65536, "128 kB": 131072}
_SETTINGS = [(order, tp, window) for tp in (20.0, 100.0) for window in _WINDOWS for order in ORDERS]
_DURATION_S, _WARMUP_S = 300.0, 30.0
_SHOWN_S = 60.0
_LAG_S = 1.0
_ONE_PACKET = 1500.0


def _link(order: str, tp_ms: float, window: str) -> Link:
    return Link(
        f"{_DOWN} B",
        f"{_UP} B",
        window=_WINDOWS[window],
        tp_ms=tp_ms,
        order=order,
        duration_s=_DURATION_S,
        warmup_s=_WARMUP_S,
    )


def _runs(context: Context) -> list[tuple[tuple[str, float, str], Outcome]]:
    results = context.runner.run_all([_link(*setting).run("20 ms") for setting in _SETTINGS])
    return [(setting, Outcome(result)) for setting, result in zip(_SETTINGS, results, strict=True)]


def _compared(runs: list[tuple[tuple[str, float, str], Outcome]]) -> list[Row]:
    """How often windows are halved and buffers overflow, run by run."""
    rows: list[Row] = []
    minutes = (_DURATION_S - _WARMUP_S) / 60.0
    for (order, tp, window), outcome in runs:
        o = Occupancy.of(outcome.result, _WARMUP_S)
        at_overflow = o.down[np.isin(o.times, o.up_drops)]
        rows.append(
            {
                "order": order,
                "tp_s": 1e-3 * tp,
                "window": window,
                "ratio": outcome.ratio,
                "down_use": outcome.utilisation("down"),
                "up_use": outcome.utilisation("up"),
                "halvings_down": len(halvings(o, o.download_window)) / minutes,
                "halvings_up": len(halvings(o, o.upload_window)) / minutes,
                "drops_down": outcome.drops("down"),
                "drops_up": outcome.drops("up"),
                "down_at_up_overflow": float(np.median(at_overflow)) / _DOWN if len(at_overflow) else None,
                "down_empty_at_up_overflow": float(np.mean(at_overflow <= _ONE_PACKET)) if len(at_overflow) else None,
                "down_median": float(np.median(o.down)) / _DOWN,
                "rtt_s": outcome.rtt("download"),
            }
        )
    return rows


def _first_minute(outcome: Outcome) -> list[Row]:
    """Queues and windows of the first minute."""
    start = Occupancy.of(outcome.result, 0.0)
    columns = {
        "time_s": start.times,
        "down_bytes": start.down,
        "up_bytes": start.up,
        "download_packets": start.download_window,
        "upload_packets": start.upload_window,
    }
    picked = np.flatnonzero(start.times <= _SHOWN_S)
    return [{name: float(column[i]) for name, column in columns.items()} for i in picked]


def figure_8(context: Context) -> Exhibit:
    """Windows and queues over time."""
    runs = _runs(context)
    series = _first_minute(next(outcome for setting, outcome in runs if setting == ("together", 20.0, "128 kB")))
    return context.definition("fig-8").exhibit(
        _compared(runs), series={"fig-8-series": series}, draw={"fig-8": partial(_draw_windows, series=series)}
    )


def _draw_windows(figure: Figure, series: list[Row]) -> None:
    upper, lower = figure.subplots(2, 1, sharex=True)
    times = [r["time_s"] for r in series]
    for axis, queue, window, colour, name in (
        (upper, "up_bytes", "upload_packets", RED, "upload, R2"),
        (lower, "down_bytes", "download_packets", BLUE, "download, R1"),
    ):
        axis.fill_between(times, [r[queue] / 1e3 for r in series], color=colour, alpha=0.35, linewidth=0, label="queue")
        axis.plot(times, [1.5 * r[window] for r in series], color=BLACK, linewidth=1, label="window")
        axis.set_ylabel(f"{name} (kB)")
        axis.set_ylim(bottom=0)
    upper.legend(loc="upper right", ncols=2)
    lower.set_xlabel("time (s)")
    lower.set_xlim(0, _SHOWN_S)


def figure_9(context: Context) -> Exhibit:
    """Cross-correlation of both queues."""
    rows: list[Row] = []
    series: list[Row] = []
    for (order, tp, window), outcome in _runs(context):
        o = Occupancy.of(outcome.result, _WARMUP_S)
        curve = [(float(lag), correlation_at(o, float(lag))) for lag in lags(o, _LAG_S)]
        lowest = min(curve, key=lambda point: point[1])
        within_rtt = [value for lag, value in curve if abs(lag) <= outcome.rtt("download")]
        rows.append(
            {
                "order": order,
                "tp_s": 1e-3 * tp,
                "window": window,
                "at_zero": correlation_at(o, 0.0),
                "least": lowest[1],
                "least_at_s": lowest[0],
                "least_in_rtt": min(within_rtt),
                "median": median(value for _, value in curve),
                "rtt_s": outcome.rtt("download"),
            }
        )
        if order == "together":
            series += [{"tp_s": 1e-3 * tp, "window": window, "lag_s": lag, "correlation": c} for lag, c in curve]
    return context.definition("fig-9").exhibit(rows, series={"fig-9-series": series})
