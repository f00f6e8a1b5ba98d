"""Figure 5: outstanding data moves from the queue at one end of the link to that at the other, and back."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.occupancy import (
    Occupancy,
    case_1_after_overflow,
    cases,
    correlation_at,
    halvings,
    in_case,
    in_proportion,
    lags,
    overflows,
    within_eq_5,
)
from eddyline.papers.bidirectional_tcp.setting import ORDERS, Link, Outcome
from eddyline.reports.figures import BLACK, BLUE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["figure_5"]

_RATE_BPS, _DOWN, _UP = 2e6, 37500, 15000
_INTERVAL = "10 ms"
_DURATION_S, _WARMUP_S = 300.0, 60.0
_SHOWN_S = (92.0, 104.0)
_ACCESS_S = 2 * 1.1e-3
_ONE_PACKET = 1500.0
_PROPORTIONAL, _ROUGHLY = 0.1, 0.25
"""Windows are in proportion to the (equal) capacities if they differ by at most this share."""


def _link(order: str, tp_ms: float, window: int) -> Link:
    return Link(
        f"{_DOWN} B",
        f"{_UP} B",
        window=window,
        tp_ms=tp_ms,
        up_bps=_RATE_BPS,
        down_bps=_RATE_BPS,
        order=order,
        duration_s=_DURATION_S,
        warmup_s=_WARMUP_S,
    )


def _row(context: Context, order: str, tp_ms: float, window: int) -> tuple[Row, Occupancy]:
    result = context.runner.run(_link(order, tp_ms, window).run(_INTERVAL))
    o, outcome = Occupancy.of(result, _WARMUP_S), Outcome(result)
    full_rtt = 2e-3 * tp_ms + _ACCESS_S + 8 * (_DOWN + 1500) / _RATE_BPS
    down, up = overflows(o.down_drops, full_rtt), overflows(o.up_drops, full_rtt)
    halved = halvings(o, o.download_window)
    after_overflow = [min((u - d for u in up if u >= d), default=None) for d in down]
    after_halving = [min((u - h for u in up if u >= h), default=None) for h in halved]
    delays = [d for d in after_overflow if d is not None]
    share, lenient = cases(o), cases(o, _ONE_PACKET)
    one, two, three = in_case(o)
    lowest_lag = min(lags(o, 2 * full_rtt), key=lambda lag: correlation_at(o, float(lag)))
    row: Row = {
        "order": order,
        "tp_s": 1e-3 * tp_ms,
        "window": window,
        "download": outcome.download,
        "upload": outcome.upload,
        "down_use": outcome.utilisation("down"),
        "up_use": outcome.utilisation("up"),
        "case_1": share.one,
        "case_1_upset": case_1_after_overflow(o, 3 * full_rtt),
        "case_2": share.two,
        "case_3": share.three,
        "idle": share.idle,
        "case_2_lenient": lenient.two,
        "case_3_lenient": lenient.three,
        "eq_5": within_eq_5(o, one, window, -1),
        "eq_5_converse": within_eq_5(o, two, window, 1),
        "proportional": in_proportion(o, three, window, _PROPORTIONAL),
        "roughly_proportional": in_proportion(o, three, window, _ROUGHLY),
        "overflows_down": len(down),
        "overflows_up": len(up),
        "followed": _within(after_overflow, full_rtt),
        "followed_halving": _within(after_halving, full_rtt),
        "lag_rtts": median(delays) / full_rtt if delays else None,
        "correlation": correlation_at(o, 0.0),
        "least_correlation": correlation_at(o, float(lowest_lag)),
        "least_at_s": float(lowest_lag),
        "rtt_s": outcome.rtt("download"),
        "full_rtt_s": full_rtt,
        "compression": outcome.value("download", "ack_compression"),
    }
    return row, o


def _within(delays: list[float | None], limit: float) -> float | None:
    """Share of delays up to `limit`; None is an infinite delay."""
    return sum(d is not None and d <= limit for d in delays) / len(delays) if delays else None


def figure_5(context: Context) -> Exhibit:
    """A symmetric link with unequal buffers."""
    rows: list[Row] = []
    shown: Occupancy | None = None
    for tp in (20.0, 100.0):
        for window in (65536, 131072):
            for order in ORDERS:
                row, o = _row(context, order, tp, window)
                rows.append(row)
                shown = shown or o
    assert shown is not None
    selected = (shown.times >= _SHOWN_S[0]) & (shown.times <= _SHOWN_S[1])
    series = [
        {"time_s": float(t), "down_bytes": float(d), "up_bytes": float(u)}
        for t, d, u in zip(shown.times[selected], shown.down[selected], shown.up[selected], strict=True)
    ]
    drops = [[float(t) for t in d if _SHOWN_S[0] <= t <= _SHOWN_S[1]] for d in (shown.down_drops, shown.up_drops)]
    first = rows[0]
    return context.definition("fig-5").exhibit(
        rows,
        findings=[
            ("cases", {f"case_{n}": 100 * first[f"case_{n}"] for n in (1, 2, 3)}),
            ("overflows", {**first, "seconds": _DURATION_S - _WARMUP_S}),
        ],
        series={"fig-5-series": series},
        draw={"fig-5": partial(_draw, series=series, drops=drops)},
    )


def _draw(figure: Figure, series: list[Row], drops: list[list[float]]) -> None:
    upper, lower = figure.subplots(2, 1, sharex=True)
    times = [r["time_s"] for r in series]
    for axis, key, limit, colour, name, lost in (
        (upper, "down_bytes", _DOWN, BLUE, "R1, downlink", drops[0]),
        (lower, "up_bytes", _UP, RED, "R2, uplink", drops[1]),
    ):
        axis.plot(times, [r[key] / 1e3 for r in series], color=colour, linewidth=0.7)
        axis.plot(lost, [limit / 1e3] * len(lost), "x", color=BLACK, markersize=5, label="drop")
        axis.set_ylabel(f"{name} (kB)")
        axis.set_ylim(0, 1.15 * limit / 1e3)
    upper.legend(loc="lower right")
    lower.set_xlabel("time (s)")
    lower.set_xlim(*_SHOWN_S)
