"""What buffers have to do with capacities: the ratio beside k, eq. 6 for one flow alone, windows of the upload."""

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
    alone,
    ask,
    bandwidth_delay,
)
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, GREEN, ORANGE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["capacity_ratio", "rule_of_thumb", "upload_window"]

_PAPERS_K = DOWN_BPS / UP_BPS
_KS = (1.0, 2.0, 3.0, 5.0, 7.0, _PAPERS_K, 15.0, 20.0, 30.0, 40.0, 50.0)
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
    for (varied, window, order, k, link), o in zip(cases, ask(context, [c[-1] for c in cases]), strict=True):
        rows.append(
            {
                "varied": varied,
                "window": window,
                "order": order,
                "k": k,
                "ratio": o.ratio,
                "estimate": estimate(link).ratio,
                "down_use": o.used("down"),
                "up_use": o.used("up"),
                "side": "at least the paper's" if k >= _PAPERS_K else "below the paper's",
            }
        )
    for row in rows:
        same = [r for r in rows if all(r[key] == row[key] for key in ("varied", "window", "order"))]
        row["at_papers_k"] = next(r["ratio"] for r in same if r["k"] == _PAPERS_K)
    return Exhibit(
        id="capacity-ratio",
        title="Whether the ratio depends on the capacity ratio",
        place="Section 3, after eq. 8",
        reading=(
            "75,000 B down and 9,000 B up, tp = 20 ms; k from 1 to 50 by the rate of one link. Eq. 8 has no k in it, "
            "and supposes that both directions wait. A downlink that carries less than r times the uplink is full, "
            "and the ratio is near k, whatever the buffers. Far above r the downlink is never full: where the window "
            "is large, the download never loses and the ratio goes up to what its window stands for."
        ),
        columns=(
            Column("varied", "varied"),
            Column("window", "window", "B"),
            Column("order", "order of starts"),
            Column("k", "k", digits=3),
            Column("ratio", "ratio", digits=3),
            Column("at_papers_k", "ratio at the paper's k", digits=3),
            Column("estimate", "eq. 8", digits=3),
            Column("down_use", "downlink in use", percent=True, digits=3),
            Column("up_use", "uplink in use", percent=True, digits=3),
        ),
        rows=rows,
        pictures=[Picture("capacity-ratio", "Ratio over k, started together", drawn(_paint_k, 8.0, 3.6, rows))],
    )


def _paint_k(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    styles = {
        ("downlink", 65536): BLUE,
        ("uplink", 65536): RED,
        ("downlink", 131072): GREEN,
        ("uplink", 131072): ORANGE,
    }
    for (varied, window), colour in styles.items():
        part = [r for r in rows if r["varied"] == varied and r["window"] == window and r["order"] == "together"]
        ks = [r["k"] for r in part]
        axis.plot(
            ks,
            [r["ratio"] for r in part],
            "o-",
            markersize=3,
            color=colour,
            label=f"{varied} varied, {window // 1024} kB",
        )
        axis.plot(ks, [r["estimate"] for r in part], ":", color=colour, linewidth=1)
    axis.plot([1, 30], [1, 30], color="#999999", linewidth=0.8)
    axis.annotate("ratio = k", (24, 24), color="#777777", ha="right")
    axis.plot([], [], ":", color=BLACK, label="eq. 8")
    axis.set_xscale("log")
    axis.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    axis.minorticks_off()
    axis.set_xlabel("k, capacity of the downlink over that of the uplink")
    axis.set_ylabel("download over upload")
    axis.set_ylim(0, 30)
    figure.legend(loc="outside right upper", fontsize="small")


_THUMB_RTTS_S = (0.04, 0.3)
_SHARES = (0.25, 0.5, 1.0, 2.0)


def rule_of_thumb(context: Context) -> Exhibit:
    """Eq. 6: what it gives for 300 ms, and whether one flow alone fills the link with it."""
    printed = context.values["rule-of-thumb"]
    cases = [
        (way, rtt, share, alone(way, share * bandwidth_delay(rate, rtt / 2), rtt))
        for way, rate in (("down", DOWN_BPS), ("up", UP_BPS))
        for rtt in _THUMB_RTTS_S
        for share in _SHARES
    ]
    rows: list[Row] = []
    for (way, rtt, share, link), o in zip(cases, ask(context, [c[-1] for c in cases]), strict=True):
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
                "use": o.used(way),
            }
        )
    return Exhibit(
        id="rule-of-thumb",
        title="The rule of thumb for one flow alone",
        place="Section 2.3, eq. 6; Section 3.1",
        reading=(
            "Eq. 6 in bytes (2 tp C / 8), and a flow by itself with an unlimited window and a quarter to twice of "
            "that as its buffer, one packet at least. The paper's 9,000 and 75,000 B are said to be the rule for 300 "
            "ms; for the uplink the rule gives 7,200 B."
        ),
        columns=(
            Column("way", "link"),
            Column("rtt_s", "round trip", "ms", scale=1e-3),
            Column("times", "times eq. 6", digits=3),
            Column("eq_6", "eq. 6", "B"),
            Column("printed", "paper", "B"),
            Column("buffer", "buffer", "B"),
            Column("use", "link in use, alone", percent=True, digits=3),
        ),
        rows=rows,
    )


_UPLOAD_WINDOWS = (1500, 3000, 4500, 6000, 9000, 12000, 16384, 24000, 32768, 65536)


def upload_window(context: Context) -> Exhibit:
    """The window of uploads as a cure."""
    cases = [
        (uploads, order, window, Link(uploads=uploads, order=order, upload_window=window))
        for uploads in (1, 2, 10)
        for order in ORDERS
        for window in _UPLOAD_WINDOWS
    ]
    rows: list[Row] = []
    for (uploads, order, window, _), o in zip(cases, ask(context, [c[-1] for c in cases]), strict=True):
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
                "best": False,
            }
        )
    for uploads in (1, 2, 10):
        for order in ORDERS:
            part = [r for r in rows if r["uploads"] == uploads and r["order"] == order]
            max(part, key=lambda r: r["kept"])["best"] = True
    return Exhibit(
        id="upload-window",
        title="A smaller window for the upload",
        place="Section 6",
        reading=(
            "75,000 B both ways, the download's window 64 kB, each upload's as given. Kept is goodput over what the "
            "link's payload allows, the worse direction's counts. What stands in the uplink's buffer is all windows "
            "together, and none can be below a packet."
        ),
        columns=(
            Column("uploads", "uploads"),
            Column("order", "order of starts"),
            Column("window", "window of each", "B"),
            Column("download", "download", "kbit/s", scale=1e3),
            Column("upload", "uploads", "kbit/s", scale=1e3),
            Column("kept_down", "download kept", percent=True, digits=3),
            Column("kept_up", "uploads kept", percent=True, digits=3),
            Column("kept", "the worse one kept", percent=True, digits=3),
            Column("best", "best window"),
        ),
        rows=rows,
        pictures=[
            Picture(
                "upload-window",
                "What the worse direction keeps, started together",
                drawn(_paint_window, 7.0, 3.2, rows),
            )
        ],
    )


def _paint_window(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    for uploads, colour in ((1, BLUE), (2, GREEN), (10, RED)):
        part = [r for r in rows if r["uploads"] == uploads and r["order"] == "together"]
        axis.plot(
            [r["window"] / 1e3 for r in part],
            [100 * r["kept"] for r in part],
            "o-",
            markersize=3,
            color=colour,
            label=f"{uploads} upload{'s' if uploads > 1 else ''}",
        )
    axis.set_xlabel("window of each upload (kB)")
    axis.set_ylabel("kept (%)")
    axis.set_xlim(0, 40)
    axis.set_ylim(0, 100)
    axis.legend(loc="upper right")
