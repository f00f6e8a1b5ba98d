"""Figures 10.1 and 10.2: buffers that count packets."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.model import estimate
from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, ORDERS, PAYLOAD, UP_BPS, Link, ask
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, CYAN, GREEN, ORANGE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["crossing", "figure_10", "starving"]

DOWNLINK = 50
CAPACITY_RATIO = DOWN_BPS / UP_BPS
_UPLINKS = (*range(4, 62), 65, 70, 80, 100, 150)
_LARGE = 100
_SETTINGS = (*((order, 20.0) for order in ORDERS), ("together", 100.0))
_JUMP = 0.1
_FLAT_SHARE = 0.9
"""Below so much of the acknowledgements that a full downlink is worth the ratio should not change."""
_EVERY = {"10-1": 2, "10-2": 1}
_ALONE = UP_BPS * PAYLOAD


def _links(acks_every: int) -> list[tuple[str, float, int, Link]]:
    return [
        (
            order,
            tp,
            up,
            Link(
                f"{DOWNLINK} packets", f"{up} packets", tp_ms=tp, acks_every=acks_every, order=order, duration_s=2000.0
            ),
        )
        for order, tp in _SETTINGS
        for up in _UPLINKS
        if up <= DOWNLINK or up == _LARGE or (order, tp) == _SETTINGS[0]
    ]


def _rows(context: Context, acks_every: int) -> list[Row]:
    cases = _links(acks_every)
    ns2 = {(c["tp_s"], c["up_buffer"]): c for c in context.ns2["figure-10"]} if acks_every == 2 else {}
    rows: list[Row] = []
    for (order, tp, up, link), o in zip(cases, ask(context, [c[3] for c in cases]), strict=True):
        predicted = estimate(link)
        theirs = ns2.get((1e-3 * tp, up))
        rows.append(
            {
                "acks": "delayed" if acks_every == 2 else "every packet",
                "order": order,
                "tp_s": 1e-3 * tp,
                "up": up,
                "range": "below half" if up < DOWNLINK / 2 else "half to all" if up <= DOWNLINK else "above",
                "side": "half or more" if up >= DOWNLINK / 2 else "below half",
                "share_of_down": up / DOWNLINK,
                "download": o.download,
                "upload": o.upload,
                "upload_share": o.upload / _ALONE,
                "ratio": o.ratio if isfinite(o.ratio) else None,
                "estimate": None if predicted.up_starves else predicted.ratio,
                "least_uplink": predicted.least_uplink,
                "ns2": theirs["download_bps"] / theirs["upload_bps"] if theirs else None,
                "timeouts": o.total("upload", "timeouts"),
                "drops": o.drops("up"),
                "capacity_ratio": CAPACITY_RATIO,
                "jump": None,
            }
        )
    for before, row in pairwise(rows):
        adjacent = row["up"] == before["up"] + 1 and row["tp_s"] == before["tp_s"] and row["order"] == before["order"]
        both = row["ratio"] is not None and before["ratio"] is not None
        row["jump"] = abs(row["ratio"] / before["ratio"] - 1.0) if adjacent and both else None
    return rows


def crossing(rows: list[Row]) -> float | None:
    """Uplink packets at which the ratio comes down through the capacity ratio for good, between points on a line."""
    ordered = sorted(rows, key=lambda r: float(r["up"]))
    ordered = [r for r in ordered if r["ratio"] is not None]
    last = next((i for i in reversed(range(len(ordered))) if ordered[i]["ratio"] > CAPACITY_RATIO), None)
    if last is None or last + 1 == len(ordered):
        return None
    above, below = ordered[last], ordered[last + 1]
    part = (above["ratio"] - CAPACITY_RATIO) / (above["ratio"] - below["ratio"])
    return float(above["up"] + part * (below["up"] - above["up"]))


def figure_10(number: str) -> Callable[[Context], Exhibit]:
    """Figure 10.1 (delayed acknowledgements) or 10.2 (one for each packet)."""

    def build(context: Context) -> Exhibit:
        rows = _rows(context, _EVERY[number])
        delayed = number == "10-1"
        return Exhibit(
            id=f"fig-{number}",
            title=f"Figure {number.replace('-', '.')}: buffers in packets, "
            + ("delayed acknowledgements" if delayed else "an acknowledgement for every packet"),
            place=f"Section 4, Fig. {number.replace('-', '.')}",
            reading=(
                f"Downlink {DOWNLINK} packets, windows of 64 kB, 2,000 s a run; ratio of download to upload over the "
                "uplink's buffer. An acknowledgement takes as much room as a data packet: the 44 packets of the "
                f"download's window stand for {'22' if delayed else '44'} of them. Below that the upload's packets "
                "find no room. Eq. 7 in packets is our extension; it ends where it leaves room for less than one "
                "packet."
            ),
            columns=(
                Column("order", "order of starts"),
                Column("tp_s", "tp", "ms", scale=1e-3),
                Column("up", "uplink buffer", "packets"),
                Column("ratio", "ratio, our sim", digits=3),
                *((Column("ns2", "ns-2", digits=3),) if delayed else ()),
                Column("estimate", "eq. 8 in packets", digits=3),
                Column("download", "download", "kbit/s", scale=1e3),
                Column("upload", "upload", "kbit/s", scale=1e3),
                Column("upload_share", "upload against alone", percent=True, digits=3),
                Column("jump", "change from one packet less", percent=True, digits=3),
                Column("timeouts", "upload's timeouts"),
                Column("drops", "dropped up"),
            ),
            rows=rows,
            pictures=[
                Picture(f"fig-{number}", "Ratio over the uplink's buffer in packets", drawn(_paint, 8.0, 3.8, rows))
            ],
        )

    return build


def _paint(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    for tp, colour in ((0.02, BLUE), (0.1, RED)):
        part = [r for r in rows if r["tp_s"] == tp and r["order"] == "together" and r["up"] <= 61 and r["ratio"]]
        axis.plot(
            [r["up"] for r in part],
            [r["ratio"] for r in part],
            "o-",
            markersize=3,
            linewidth=0.9,
            color=colour,
            label=f"our sim, tp = {1e3 * tp:g} ms",
        )
        known = [r for r in part if r["ns2"] is not None]
        if known:
            axis.plot(
                [r["up"] for r in known],
                [r["ns2"] for r in known],
                "x",
                markersize=5,
                color=BLACK if tp == 0.02 else ORANGE,
                label=f"ns-2, tp = {1e3 * tp:g} ms",
            )
        fits = [r for r in part if r["estimate"] is not None and r["estimate"] < 30]
        axis.plot(
            [r["up"] for r in fits],
            [r["estimate"] for r in fits],
            ":",
            color=GREEN if tp == 0.02 else CYAN,
            label=f"eq. 8 in packets, tp = {1e3 * tp:g} ms",
        )
    axis.axhline(CAPACITY_RATIO, color="#555555", linewidth=0.8)
    axis.annotate("capacity ratio", (60, CAPACITY_RATIO), ha="right", va="bottom", color="#555555")
    axis.set_xlabel("uplink buffer (packets)")
    axis.set_ylabel("download over upload")
    axis.set_xlim(3, 61)
    axis.set_ylim(0, 27)
    figure.legend(loc="outside right upper", fontsize="small")


def _change_by_duration(context: Context, part: list[Row], order: str, tp: float, acks_every: int) -> float:
    """Median change of the ratio from runs of 500 s to those of 2,000 s, every third buffer below half."""
    some = [r for r in part if r["range"] == "below half" and r["ratio"]][::3]
    short = [
        Link(
            f"{DOWNLINK} packets", f"{r['up']} packets", tp_ms=tp, acks_every=acks_every, order=order, duration_s=500.0
        )
        for r in some
    ]
    changes = [abs(r["ratio"] / o.ratio - 1.0) for r, o in zip(some, ask(context, short), strict=True)]
    return float(median(changes))


def starving(context: Context) -> Exhibit:
    """What follows from both figures: where the ratio crosses the capacity ratio, how much it jumps, who starves."""
    rows: list[Row] = []
    printed = context.values["half-the-downlink"]["share"]
    for number, acks_every in _EVERY.items():
        found = _rows(context, acks_every)
        flat = DOWNLINK // acks_every
        for order, tp in _SETTINGS:
            part = [r for r in found if r["order"] == order and r["tp_s"] == 1e-3 * tp]
            below = [r for r in part if r["range"] == "below half"]
            mid = [r for r in part if r["range"] == "half to all"]
            jumps = [r["jump"] for r in part if r["jump"] is not None and r["up"] < _FLAT_SHARE * flat]
            at = crossing(part)
            rows.append(
                {
                    "figure": number.replace("-", "."),
                    "acks": part[0]["acks"],
                    "order": order,
                    "tp_s": 1e-3 * tp,
                    "crossing": at,
                    "crossing_share": None if at is None else at / DOWNLINK,
                    "least_uplink": part[0]["least_uplink"],
                    "lowest_below": min(r["upload_share"] for r in below),
                    "highest_below": max(r["upload_share"] for r in below),
                    "lowest_above": min(r["upload_share"] for r in mid),
                    "printed_share": printed,
                    "largest_jump": max(jumps),
                    "jumps": sum(j > _JUMP for j in jumps) / len(jumps),
                    "change_by_duration": _change_by_duration(context, part, order, tp, acks_every),
                    "ratio_at_50": next(r["ratio"] for r in part if r["up"] == DOWNLINK),
                    "ratio_at_100": next(r["ratio"] for r in part if r["up"] == _LARGE),
                }
            )
    for row in rows:
        twin = next(
            r for r in rows if r["acks"] == "delayed" and r["order"] == row["order"] and r["tp_s"] == row["tp_s"]
        )
        row["jumps_when_delayed"] = twin["jumps"]
    return Exhibit(
        id="half-the-downlink",
        title="Half the downlink's buffer, and what happens below",
        place="Section 4",
        reading=(
            "Where the ratio comes down through the capacity ratio, in uplink packets; what the upload gets of what "
            "it would get alone below half of the downlink's 50 packets and from there to 50; in how many steps of "
            "one packet the ratio changes by more than a tenth, below nine tenths of the acknowledgements that a "
            "full downlink is worth. Those are half the downlink's buffer if acknowledgements are delayed, else all "
            "of it."
        ),
        columns=(
            Column("figure", "Fig."),
            Column("acks", "ACK policy"),
            Column("order", "order of starts"),
            Column("tp_s", "tp", "ms", scale=1e-3),
            Column("crossing", "crossing of capacity ratio", "packets", digits=3),
            Column("least_uplink", "room for one packet from", "packets", digits=3),
            Column("lowest_below", "upload's least share below half", percent=True, digits=3),
            Column("highest_below", "upload's largest share below half", percent=True, digits=3),
            Column("lowest_above", "its least from half to all", percent=True, digits=3),
            Column("largest_jump", "largest jump", percent=True, digits=3),
            Column("jumps", "steps above 10 %", percent=True, digits=3),
            Column("change_by_duration", "change, 500 to 2,000 s", percent=True, digits=3),
            Column("ratio_at_50", "ratio at 50 packets", digits=3),
            Column("ratio_at_100", "ratio at 100", digits=3),
        ),
        rows=rows,
    )
