"""Figures 6 and 7: the ratio that eq. 8 predicts from the buffers, and the simulated one."""

from __future__ import annotations

from functools import partial
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.model import MEASURED_RHO, estimate
from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, ORDERS, UP_BPS, Link, bandwidth_delay, simulate
from eddyline.reports.figures import BLACK, BLUE, ORANGE, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["correlation", "estimates", "figure_6", "figure_7"]

WINDOWS = (16384, 32768, 65536, 131072)
UPLINKS = (6000, 9000, 15000, 30000)
DOWNLINKS = (22500, 37500, 75000)
DELAYS_MS = (20.0, 100.0)
CAPACITY_RATIO = DOWN_BPS / UP_BPS
_RULE_S = 0.3
_SHORTER, _LONGER = "shorter than the downlink's", "longer than the downlink's"
_PACKET = 1500
_SIMILAR = 1.25
"""Section 2: "similar average congestion windows", within this factor of each other."""
_LARGE_WINDOW = 65536
"""Section 3.1: the ratio of 10 needs "TCP buffers of at least 64 kB"."""


def grid() -> list[tuple[float, int, int, int]]:
    """Delay (tp) in ms, window, uplink buffer, downlink buffer of Section 3.1."""
    return [(tp, w, up, down) for tp in DELAYS_MS for w in WINDOWS for up in UPLINKS for down in DOWNLINKS]


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Pearson's."""
    x, y = fmean(xs), fmean(ys)
    joint = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return joint / sqrt(sum((a - x) ** 2 for a in xs) * sum((b - y) ** 2 for b in ys))


def _rows(context: Context, uploads: int) -> list[Row]:
    ns2 = {(c["window"], c["up_buffer"], c["down_buffer"]): c for c in context.ns2["figure-6"]} if uploads == 1 else {}
    cases = [(order, *point) for order in ORDERS for point in grid()]
    links = [
        Link(f"{down} B", f"{up} B", w, tp_ms=tp, uploads=uploads, order=order) for order, tp, w, up, down in cases
    ]
    rows: list[Row] = []
    for (order, tp, w, up, down), link, o in zip(cases, links, simulate(context, links), strict=True):
        printed, smaller = estimate(link), estimate(link, saw_tooth="smaller")
        spread = estimate(link, losses="one_at_a_time")
        measured = estimate(link, rho=MEASURED_RHO)
        reference = ns2.get((w, up, down)) if tp == DELAYS_MS[0] else None
        bdp = bandwidth_delay(DOWN_BPS, 1e-3 * tp)
        rows.append(
            {
                "order": order,
                "tp_s": 1e-3 * tp,
                "window": w,
                "up": up,
                "down": down,
                "uploads": uploads,
                "estimate": printed.ratio,
                "smaller": smaller.ratio,
                "spread": spread.ratio,
                "measured_rho": measured.ratio,
                "ratio": o.ratio,
                "off": o.ratio / printed.ratio - 1.0,
                "spread_off": o.ratio / spread.ratio - 1.0,
                "ns2": reference["download_bps"] / reference["upload_bps"] if reference else None,
                "download": o.download,
                "upload": o.upload,
                "down_use": o.utilisation("down"),
                "up_use": o.utilisation("up"),
                "use_of_the_lesser_link": min(o.utilisation("down"), o.utilisation("up")),
                "down_drops": o.drops("down"),
                "windows_ratio": (windows := o.window("download") / o.window("upload")),
                "rtt_ratio": (rtts := o.rtt("download") / o.rtt("upload")),
                "by_windows": windows / rtts,
                "provided": "large enough" if w >= _LARGE_WINDOW and down >= bdp else "too small",
                "setting": f"{up:,} B up, tp = {tp:g} ms",
                "curve": f"{w:,} B, tp = {tp:g} ms",
                "limit": "window" if printed.down_limited_by_window else "buffer",
                "marked": "circle" if down < bdp else "",
                "rule": "red" if abs(up - _RULE_S * UP_BPS / 8) <= 2000 and down == _RULE_S * DOWN_BPS / 8 else "",
                "sized": "windows of 64 kB or more" if w >= _LARGE_WINDOW else "smaller windows",
                "uplink_queue": _uplink_queue(up, down),
                "half_up_s": 8 * (printed.window_up * 2 / 3) / UP_BPS,
                "down_s": 8 * (down + bdp) / DOWN_BPS,
                "window_over_room": o.window("download") * _PACKET / (down + bdp),
            }
        )
    return rows


def _uplink_queue(up: int, down: int) -> str:
    """Whether half of a full uplink queue drains sooner than a full downlink queue, as Section 3 assumes."""
    return _SHORTER if up / 2 / UP_BPS < down / DOWN_BPS else _LONGER


def figure_6(context: Context) -> Exhibit:
    """One upload."""
    rows = _rows(context, 1)
    for row in rows:
        at_least_64_kb = row["window"] >= 65536
        row["printed_ratio"] = 10.0 if at_least_64_kb and (row["up"], row["down"]) == (9000, 75000) else None
    return context.definition("fig-6").exhibit(rows, draw={"fig-6": partial(_draw, rows=rows)})


def figure_7(context: Context) -> Exhibit:
    """Ten uploads."""
    rows = _rows(context, 10)
    single = {(r["order"], r["tp_s"], r["window"], r["up"], r["down"]): r["ratio"] for r in _rows(context, 1)}
    for row in rows:
        row["one_upload"] = single[row["order"], row["tp_s"], row["window"], row["up"], row["down"]]
        row["against_one"] = row["ratio"] / row["one_upload"] - 1.0
    return context.definition("fig-7").exhibit(rows, draw={"fig-7": partial(_draw, rows=rows)})


def _draw(figure: Figure, rows: list[Row]) -> None:
    for axis, tp in zip(figure.subplots(1, 2, sharex=True, sharey=True), DELAYS_MS, strict=True):
        part = [r for r in rows if r["order"] == "together" and r["tp_s"] == 1e-3 * tp]
        for r in part:
            colour = RED if r["rule"] else BLUE
            face = "none" if r["marked"] else colour
            size = 12.0 * r["window"] / 16384
            axis.scatter(
                r["ratio"], r["estimate"], s=size, facecolors=face, edgecolors=colour, linewidths=0.9, alpha=0.75
            )
            if r.get("ns2") is not None:
                axis.plot(r["ns2"], r["estimate"], "x", color=BLACK, markersize=3.5, markeredgewidth=0.7, alpha=0.7)
            if (r["window"], r["up"], r["down"]) == (131072, 9000, 75000):
                axis.plot(r["ratio"], r["estimate"], ".", color=BLACK, markersize=4)
        axis.axvline(CAPACITY_RATIO, color=ORANGE, linewidth=1)
        axis.plot([0.5, 20], [0.5, 20], ":", color="#777777", linewidth=1)
        axis.set_xscale("log")
        axis.set_yscale("log")
        ticks = [1, 2, 5, 10, 20]
        axis.set_xticks(ticks, [str(t) for t in ticks])
        axis.set_yticks(ticks, [str(t) for t in ticks])
        axis.minorticks_off()
        axis.set_xlim(0.5, 24)
        axis.set_ylim(0.5, 24)
        axis.set_xlabel("download over upload, simulated")
        axis.set_title(f"tp = {tp:g} ms", loc="left", fontsize="medium")
    first = figure.axes[0]
    first.set_ylabel("estimate, eq. 8")
    first.annotate(
        "capacity ratio", (0.94 * CAPACITY_RATIO, 0.55), rotation=90, ha="right", va="bottom", color="#555555"
    )
    marks = {
        "our simulation, area as window": {"marker": "o", "color": BLUE},
        "buffers of the rule of thumb, 300 ms": {"marker": "o", "color": RED},
        "downlink buffer below bandwidth x delay": {"marker": "o", "markerfacecolor": "none", "color": BLUE},
    }
    if any(r.get("ns2") is not None for r in rows):
        marks["ns-2"] = {"marker": "x", "color": BLACK}
    handles = [first.plot([], [], linestyle="", label=label, **style)[0] for label, style in marks.items()]  # type: ignore[arg-type]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), fontsize="small")


def _mean_off(rows: Sequence[Row], queue: str) -> float | None:
    """Mean deviation where the download's buffer is the limit and the assumption of Section 3 holds, or not."""
    offs = [abs(r["off"]) for r in rows if r["limit"] == "buffer" and r["uplink_queue"] == queue]
    return fmean(offs) if offs else None


def _correlation(rows: Sequence[Row], x: str, y: str) -> float | None:
    """Correlation of two columns; None without rows."""
    return correlation([r[x] for r in rows], [r[y] for r in rows]) if rows else None


def _windows_within(rows: Sequence[Row], factor: float) -> float:
    """Share of points at which the mean windows differ by at most this factor."""
    return fmean(1.0 / factor <= r["windows_ratio"] <= factor for r in rows)


def estimates(context: Context) -> Exhibit:
    """How good the estimate is, by uplink buffer, and why it fails where it does."""
    one, ten = _rows(context, 1), _rows(context, 10)
    rows: list[Row] = []
    for uploads, source in ((1, one), (10, ten)):
        for tp in DELAYS_MS:
            for up in (0, *UPLINKS):
                part = [r for r in source if r["tp_s"] == 1e-3 * tp and r["order"] == "together" and up in (0, r["up"])]
                compared = [r for r in part if r["ns2"] is not None]
                provided = [r for r in part if r["provided"] == "large enough"]
                worst = max(part, key=lambda r: abs(r["off"]))
                rows.append(
                    {
                        "uploads": uploads,
                        "tp_s": 1e-3 * tp,
                        "up": f"{up:,} B" if up else "all",
                        "correlation": _correlation(part, "estimate", "ratio"),
                        "provided": _correlation(provided, "estimate", "ratio") if not up else None,
                        "provided_points": len(provided) if not up else None,
                        "measured_rho": _correlation(part, "measured_rho", "ratio"),
                        "ns2_correlation": _correlation(compared, "estimate", "ns2"),
                        "with_ns2": _correlation(compared, "ratio", "ns2"),
                        "smaller": _correlation(part, "smaller", "ratio"),
                        "spread": _correlation(part, "spread", "ratio"),
                        "off_supposed": _mean_off(part, _SHORTER),
                        "off_too_long": _mean_off(part, _LONGER),
                        "off": fmean(abs(r["off"]) for r in part),
                        "spread_off": fmean(abs(r["spread_off"]) for r in part),
                        "worst": worst["off"],
                        "worst_at": f"{worst['window']:,} B, {worst['up']:,} B, {worst['down']:,} B",
                        "overshoot": max((r["window_over_room"] for r in part if r["limit"] == "buffer"), default=None),
                        "unreached": fmean(r["half_up_s"] > r["down_s"] for r in part),
                        "similar_windows": _windows_within(part, _SIMILAR),
                        "windows_within_two": _windows_within(part, 2.0),
                    }
                )
    return context.definition("estimate").exhibit(rows)
