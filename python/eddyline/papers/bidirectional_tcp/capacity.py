"""How buffers and capacities relate: the ratio over k, eq. 6 for one flow alone, windows of the upload."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.model import estimate
from eddyline.papers.bidirectional_tcp.setting import (
    DOWN_BPS,
    ORDERS,
    PAYLOAD,
    UP_BPS,
    Link,
    bandwidth_delay,
    simulate,
    single_flow,
)
from eddyline.reports.figures import BLACK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["capacity_ratio", "rule_of_thumb", "upload_window"]

_PAPER_K = DOWN_BPS / UP_BPS
_KS = (1.0, 2.0, 3.0, 5.0, 7.0, _PAPER_K, 15.0, 20.0, 30.0, 40.0, 50.0)
_VARIED = ("downlink", "uplink")


def _link(varied: str, k: float, window: int, order: str) -> Link:
    link = Link("75000 B", "9000 B", window=window, order=order)
    return replace(link, down_bps=k * UP_BPS) if varied == "downlink" else replace(link, up_bps=DOWN_BPS / k)


def capacity_ratio(context: Context) -> Exhibit:
    """Capacity ratios from 1 to 50 at fixed buffers."""
    cases = [
        (varied, window, order, k, _link(varied, k, window, order))
        for varied in _VARIED
        for window in (65536, 131072)
        for order in ORDERS
        for k in _KS
    ]
    rows: list[Row] = []
    for (varied, window, order, k, link), o in zip(cases, simulate(context, [c[-1] for c in cases]), strict=True):
        rows.append(
            {
                "varied": varied,
                "window": window,
                "order": order,
                "k": k,
                "ratio": o.ratio,
                "estimate": estimate(link).ratio,
                "down_use": o.utilisation("down"),
                "up_use": o.utilisation("up"),
                "side": "at least the paper's" if k >= _PAPER_K else "below the paper's",
            }
        )
    for row in rows:
        same = [r for r in rows if all(r[key] == row[key] for key in ("varied", "window", "order"))]
        row["at_papers_k"] = next(r["ratio"] for r in same if r["k"] == _PAPER_K)
    return context.definition("capacity-ratio").exhibit(rows, draw={"capacity-ratio": _draw_legend})


def _draw_legend(figure: Figure) -> None:
    """Where the ratio is k, and a legend with one entry for all dotted lines."""
    axis = figure.axes[0]
    axis.plot(_KS, _KS, color="#999999", linewidth=0.8)
    axis.annotate("ratio = k", (19, 20), color="#777777", ha="right")
    axis.plot([], [], ":", color=BLACK, label="eq. 8")
    figure.legend(loc="outside right upper", fontsize="small")


_THUMB_RTTS_S = (0.04, 0.3)
_SHARES = (0.25, 0.5, 1.0, 2.0)


def rule_of_thumb(context: Context) -> Exhibit:
    """Eq. 6: what it gives for 300 ms, and whether one flow alone fills the link with it."""
    printed = context.values["rule-of-thumb"]
    cases = [
        (way, rtt, share, single_flow(way, share * bandwidth_delay(rate, rtt / 2), rtt))
        for way, rate in (("down", DOWN_BPS), ("up", UP_BPS))
        for rtt in _THUMB_RTTS_S
        for share in _SHARES
    ]
    rows: list[Row] = []
    for (way, rtt, share, link), o in zip(cases, simulate(context, [c[-1] for c in cases]), strict=True):
        rate = DOWN_BPS if way == "down" else UP_BPS
        eq_6 = bandwidth_delay(rate, rtt / 2)
        rows.append(
            {
                "way": "downlink" if way == "down" else "uplink",
                "rtt_s": rtt,
                "times": share,
                "eq_6": eq_6,
                "buffer": float(link.down.split()[0] if way == "down" else link.up.split()[0]),
                "printed": printed[f"{way}_buffer"] if rtt == printed["rtt_s"] and share == 1.0 else None,
                "use": o.utilisation(way),
            }
        )
    return context.definition("rule-of-thumb").exhibit(rows)


_UPLOAD_WINDOWS = (1500, 3000, 4500, 6000, 9000, 12000, 16384, 24000, 32768, 65536)


def upload_window(context: Context) -> Exhibit:
    """Smaller windows for uploads, as a cure."""
    cases = [
        (uploads, order, window, Link(uploads=uploads, order=order, upload_window=window))
        for uploads in (1, 2, 10)
        for order in ORDERS
        for window in _UPLOAD_WINDOWS
    ]
    rows: list[Row] = []
    for (uploads, order, window, _), o in zip(cases, simulate(context, [c[-1] for c in cases]), strict=True):
        shares = o.download / (DOWN_BPS * PAYLOAD), o.upload / (UP_BPS * PAYLOAD)
        rows.append(
            {
                "uploads": uploads,
                "order": order,
                "window": window,
                "download": o.download,
                "upload": o.upload,
                "kept_down": shares[0],
                "kept_up": shares[1],
                "kept": min(shares),
                "up_queue": o.queue_bytes("up"),
                "best": False,
            }
        )
    for uploads in (1, 2, 10):
        for order in ORDERS:
            part = [r for r in rows if r["uploads"] == uploads and r["order"] == order]
            max(part, key=lambda r: r["kept"])["best"] = True
    for row in rows:
        row["kept_with_one"] = next(
            r["kept"] for r in rows if r["best"] and r["uploads"] == 1 and r["order"] == row["order"]
        )
    return context.definition("upload-window").exhibit(rows)
