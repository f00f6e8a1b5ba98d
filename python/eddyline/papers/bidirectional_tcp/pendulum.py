"""Figure 5: the outstanding data swings from one end of the link to the other."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.occupancy import (
    Occupancy,
    cases,
    correlation_at,
    halvings,
    lags,
    overflows,
    upset,
)
from eddyline.papers.bidirectional_tcp.setting import ORDERS, Link, Outcome
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["figure_5"]

_RATE_BPS, _DOWN, _UP = 2e6, 37500, 15000
_INTERVAL = "10 ms"
_DURATION_S, _WARMUP_S = 300.0, 60.0
_SHOWN_S = (92.0, 104.0)
_ACCESS_S = 2 * 1.1e-3


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
    o, found = Occupancy.of(result, _WARMUP_S), Outcome(result)
    full_rtt = 2e-3 * tp_ms + _ACCESS_S + 8 * (_DOWN + 1500) / _RATE_BPS
    down, up = overflows(o.down_drops, full_rtt), overflows(o.up_drops, full_rtt)
    cut = halvings(o, o.download_window)
    later = [min((u - d for u in up if u >= d), default=None) for d in down]
    after = [min((u - c for u in up if u >= c), default=None) for c in cut]
    known = [x for x in later if x is not None]
    share, strict = cases(o), cases(o, 1499.0)
    least = min(lags(o, 2 * full_rtt), key=lambda lag: correlation_at(o, float(lag)))
    row: Row = {
        "order": order,
        "tp_s": 1e-3 * tp_ms,
        "window": window,
        "download": found.download,
        "upload": found.upload,
        "down_use": found.used("down"),
        "up_use": found.used("up"),
        "case_1": share.one,
        "case_1_upset": upset(o, 3 * full_rtt),
        "case_2": share.two,
        "case_3": share.three,
        "idle": share.idle,
        "case_2_strict": strict.two,
        "case_3_strict": strict.three,
        "overflows_down": len(down),
        "overflows_up": len(up),
        "followed": _within(later, full_rtt),
        "followed_halving": _within(after, full_rtt),
        "lag_rtts": median(known) / full_rtt if known else None,
        "correlation": correlation_at(o, 0.0),
        "least_correlation": correlation_at(o, float(least)),
        "least_at_s": float(least),
        "rtt_s": found.rtt("download"),
        "full_rtt_s": full_rtt,
        "compression": found.of("download", "ack_compression"),
    }
    return row, o


def _within(waits: list[float | None], most: float) -> float | None:
    return sum(w is not None and w <= most for w in waits) / len(waits) if waits else None


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
    picked = (shown.times >= _SHOWN_S[0]) & (shown.times <= _SHOWN_S[1])
    series = [
        {"time_s": float(t), "down_bytes": float(d), "up_bytes": float(u)}
        for t, d, u in zip(shown.times[picked], shown.down[picked], shown.up[picked], strict=True)
    ]
    drops = [[float(t) for t in d if _SHOWN_S[0] <= t <= _SHOWN_S[1]] for d in (shown.down_drops, shown.up_drops)]
    first = rows[0]
    return Exhibit(
        id="fig-5",
        title="Figure 5: the pendulum, a symmetric link with 37,500 and 15,000 B",
        place="Section 2.2, eq. 1 to 5, Fig. 5",
        reading=(
            "2 Mbit/s both ways. Case 1: data stands at the uplink only; case 2: at the downlink only; case 3: at "
            "both; more than one packet has to wait to stand. When the downlink overflows its sender pauses, the "
            "queue there runs empty, and all that the upload has outstanding arrives at the uplink. A round trip "
            "here is one with the downlink's queue full; the overflow needs one to become known, and then the window "
            "is halved."
        ),
        columns=(
            Column("order", "order of starts"),
            Column("tp_s", "tp", "ms", scale=1e-3),
            Column("window", "window", "B"),
            Column("case_1", "case 1", percent=True, digits=3),
            Column("case_1_upset", "of it within three round trips of an overflow down", percent=True, digits=3),
            Column("case_2", "case 2", percent=True, digits=3),
            Column("case_3", "case 3", percent=True, digits=3),
            Column("idle", "nothing stands", percent=True, digits=3),
            Column("case_2_strict", "case 2, one packet stands", percent=True, digits=3),
            Column("down_use", "downlink in use", percent=True, digits=3),
            Column("up_use", "uplink in use", percent=True, digits=3),
            Column("overflows_down", "overflows down"),
            Column("overflows_up", "overflows up"),
            Column("followed", "uplink follows within a round trip of the overflow", percent=True, digits=3),
            Column("followed_halving", "uplink follows within a round trip of the halving", percent=True, digits=3),
            Column("lag_rtts", "median wait for it", "round trips", digits=3),
            Column("correlation", "correlation of queues", digits=3),
            Column("least_correlation", "least over lags", digits=3),
            Column("least_at_s", "at lag", "ms", scale=1e-3, digits=3),
            Column("compression", "compressed ACKs, download", percent=True, digits=3),
        ),
        rows=rows,
        series={"fig-5-series": series},
        pictures=[
            Picture(
                "fig-5",
                "Buffer occupancy at R1 (downlink) and R2 (uplink); crosses are drops. tp = 20 ms",
                drawn(_paint, 8.0, 4.6, series, drops),
            )
        ],
        findings=(
            f"tp = 20 ms: case 1 {100 * first['case_1']:.0f} %, case 2 {100 * first['case_2']:.0f} %, case 3 "
            f"{100 * first['case_3']:.0f} % of the time.",
            f"{first['overflows_down']} overflows of the downlink in {_DURATION_S - _WARMUP_S:g} s; the uplink "
            f"overflows {first['lag_rtts']:.1f} round trips after each.",
        ),
    )


def _paint(figure: Figure, series: list[Row], drops: list[list[float]]) -> None:
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
