"""Figures 10.1 and 10.2: buffers that count packets."""

from __future__ import annotations

import json
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from eddyline.papers.bidirectional_tcp.model import estimate
from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, ORDERS, PAYLOAD, UP_BPS, Link, simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = [
    "ALONE",
    "DOWNLINK",
    "FLAT_SHARE",
    "JUMP",
    "POLICIES",
    "crossing",
    "figure_10",
    "ns2_packets",
    "starving",
]

DOWNLINK = 50
WINDOW_PACKETS = 44
"""Full segments in a window of 64 kB."""
CAPACITY_RATIO = DOWN_BPS / UP_BPS
_UPLINKS = (*range(4, 62), 65, 70, 80, 100, 150)
_LARGE = 100
_SETTINGS = (*((order, 20.0) for order in ORDERS), ("together", 100.0))
JUMP = 0.1
FLAT_SHARE = 0.9
"""The ratio should not change below this share of the number of acknowledgements for a full downlink."""
POLICIES = {2: "delayed", 1: "every packet"}
"""Policy by the number of packets for each acknowledgement."""
_EVERY = {"10-1": 2, "10-2": 1}
ALONE = UP_BPS * PAYLOAD
"""What an upload gets by itself at most, bit/s."""
_SATISFACTORY = 2 / 3
"""The worse-off direction keeps two thirds of what its link carries."""


def ns2_packets(context: Context) -> dict[str, list[dict[str, Any]]]:
    """Runs of ns-2 with buffers in packets (`reference/ns2-packets.json`), by case."""

    def read() -> dict[str, list[dict[str, Any]]]:
        document = json.loads((context.folder / "reference" / "ns2-packets.json").read_text("utf-8"))
        return {
            name: [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
            for name, table in document["cases"].items()
        }

    return context.cached("ns2-packets", read)


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
    ns2 = {
        (c["tp_s"], c["up_buffer"]): c
        for c in ns2_packets(context)["figure-10"]
        if c["acks_every"] == acks_every and c["seed"] == 1
    }
    rows: list[Row] = []
    for (order, tp, up, link), o in zip(cases, simulate(context, [c[3] for c in cases]), strict=True):
        predicted = estimate(link)
        reference = ns2.get((1e-3 * tp, up))
        rows.append(
            {
                "acks": POLICIES[acks_every],
                "order": order,
                "tp_s": 1e-3 * tp,
                "up": up,
                "range": "below half" if up < DOWNLINK / 2 else "half to all" if up <= DOWNLINK else "above",
                "side": "half or more" if up >= DOWNLINK / 2 else "below half",
                "share_of_down": up / DOWNLINK,
                "download": o.download,
                "upload": o.upload,
                "upload_share": o.upload / ALONE,
                "kept": min(o.upload / ALONE, o.download / (DOWN_BPS * PAYLOAD)),
                "down_use": o.utilisation("down"),
                "setting": f"{POLICIES[acks_every]}, tp = {tp:g} ms",
                "ratio": o.ratio if isfinite(o.ratio) else None,
                "estimate": None if predicted.up_starves else predicted.ratio,
                "least_uplink": predicted.least_uplink,
                "ns2": reference["download_bps"] / reference["upload_bps"] if reference else None,
                "timeouts": o.total("upload", "timeouts"),
                "drops": o.drops("up"),
                "capacity_ratio": CAPACITY_RATIO,
                "jump": None,
            }
        )
    for previous, row in pairwise(rows):
        adjacent = row["up"] == previous["up"] + 1 and all(row[key] == previous[key] for key in ("tp_s", "order"))
        both = row["ratio"] is not None and previous["ratio"] is not None
        row["jump"] = abs(row["ratio"] / previous["ratio"] - 1.0) if adjacent and both else None
    return rows


def crossing(rows: list[Row]) -> float | None:
    """Uplink packets from which the ratio stays below the capacity ratio, interpolated between two points."""
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
        acks_every = _EVERY[number]
        rows = _rows(context, acks_every)
        return context.definition(f"fig-{number}").exhibit(
            rows,
            values={
                "number": number.replace("-", "."),
                "acks": rows[0]["acks"],
                "downlink": DOWNLINK,
                "ack_packets": WINDOW_PACKETS // acks_every,
            },
            draw={f"fig-{number}": _draw_name},
        )

    return build


def _draw_name(figure: Figure) -> None:
    """The name of the line across the figure."""
    figure.axes[0].annotate("capacity ratio", (60, CAPACITY_RATIO), ha="right", va="bottom", color="#555555")


def _change_by_duration(context: Context, part: list[Row], order: str, tp: float, acks_every: int) -> float:
    """Largest change of the ratio from runs of 500 s to those of 2,000 s, every third buffer below half."""
    sampled = [r for r in part if r["range"] == "below half" and r["ratio"]][::3]
    short = [
        Link(
            f"{DOWNLINK} packets", f"{r['up']} packets", tp_ms=tp, acks_every=acks_every, order=order, duration_s=500.0
        )
        for r in sampled
    ]
    changes = [abs(r["ratio"] / o.ratio - 1.0) for r, o in zip(sampled, simulate(context, short), strict=True)]
    return float(max(changes))


def _satisfying(part: list[Row]) -> Row:
    """The range of adjacent sizes around the best with which the worse-off direction keeps two thirds."""
    up_to_all = {r["up"]: r["kept"] for r in part if r["up"] <= DOWNLINK}
    best = max(up_to_all, key=lambda up: float(up_to_all[up]))
    if up_to_all[best] < _SATISFACTORY:
        return {"satisfying": 0, "best_kept": up_to_all[best]}
    first = last = best
    while up_to_all.get(first - 1, 0.0) >= _SATISFACTORY:
        first -= 1
    while up_to_all.get(last + 1, 0.0) >= _SATISFACTORY:
        last += 1
    return {
        "satisfying": last - first + 1,
        "satisfying_from": first,
        "satisfying_to": last,
        "best_kept": up_to_all[best],
    }


def starving(context: Context) -> Exhibit:
    """What follows from both figures: where the ratio crosses the capacity ratio, its steps, the upload's share."""
    rows: list[Row] = []
    printed = context.values["half-the-downlink"]["share"]
    for number, acks_every in _EVERY.items():
        all_rows = _rows(context, acks_every)
        for order, tp in _SETTINGS:
            part = [r for r in all_rows if r["order"] == order and r["tp_s"] == 1e-3 * tp]
            below = [r for r in part if r["range"] == "below half"]
            mid = [r for r in part if r["range"] == "half to all"]
            crossed_at = crossing(part)
            rows.append(
                {
                    "figure": number.replace("-", "."),
                    "acks": part[0]["acks"],
                    "order": order,
                    "tp_s": 1e-3 * tp,
                    "crossing": crossed_at,
                    "crossing_share": None if crossed_at is None else crossed_at / DOWNLINK,
                    "least_uplink": part[0]["least_uplink"],
                    "lowest_below": min(r["upload_share"] for r in below),
                    "highest_below": max(r["upload_share"] for r in below),
                    "lowest_above": min(r["upload_share"] for r in mid),
                    "printed_share": printed,
                    "change_by_duration": _change_by_duration(context, part, order, tp, acks_every),
                    "setting": part[0]["setting"],
                    **_satisfying(part),
                    "ns2_crossing": crossing([{"up": r["up"], "ratio": r["ns2"]} for r in part if r["ns2"]]),
                    "ratio_at_50": next(r["ratio"] for r in part if r["up"] == DOWNLINK),
                    "ratio_at_100": next(r["ratio"] for r in part if r["up"] == _LARGE),
                }
            )
    for row in rows:
        delayed = next(
            r for r in rows if r["acks"] == "delayed" and r["order"] == row["order"] and r["tp_s"] == row["tp_s"]
        )
        row["to_when_delayed"] = delayed.get("satisfying_to")
    return context.definition("half-the-downlink").exhibit(rows)
