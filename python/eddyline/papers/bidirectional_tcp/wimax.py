"""Section 5: which links give the four goodputs that were measured on a WiMAX link."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from statistics import median
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.model import estimate
from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, ORDERS, UP_BPS, Link, Outcome, simulate
from eddyline.reports.figures import BLACK, BLUE, GREEN, ORANGE, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["alone", "fit", "in_packets"]

_DELAYS_MS = (5.0, 20.0, 50.0)
_WINDOWS = (65536, 131072)
_DOWNLINKS = (15000, 22500, 37500, 75000)
_UPLINKS = (3000, 4500, 6000, 9000, 12000, 15000, 20000, 30000)
_OVERHEADS = (
    *(("share of the uplink's rate", s) for s in (0.0, 0.05, 0.1, 0.15, 0.2)),
    *(("bytes a packet, both ways", b) for b in (20.0, 40.0, 80.0)),
)
_DURATION_S, _WARMUP_S = 120.0, 20.0
_WITHIN = 0.10
_GOODPUTS = ("download_alone", "upload_alone", "download", "upload")


def _link(tp: float, window: int, down: int, up: int, overhead: tuple[str, float]) -> Link:
    kind, size = overhead
    share = size if kind.startswith("share") else 0.0
    framing = f'{{ overhead = "{size:g} B" }}'
    per_packet = () if kind.startswith("share") else tuple((f"link.{w}.framing", framing) for w in ("down", "up"))
    return Link(
        f"{down} B",
        f"{up} B",
        window=window,
        tp_ms=tp,
        up_bps=UP_BPS * (1.0 - share),
        duration_s=_DURATION_S,
        warmup_s=_WARMUP_S,
        overrides=per_packet,
    )


def _alone(link: Link, way: str) -> Link:
    """One flow by itself. The other buffer has no effect, so one run serves all of its sizes."""
    other = "upload" if way == "down" else "download"
    idle = ((f"flow.{other}.start", f"{link.duration_s - 0.001:g} s"),)
    if way == "down":
        return replace(link, up="75000 B", overrides=(*link.overrides, *idle))
    return replace(link, down="75000 B", overrides=(*link.overrides, *idle))


def _candidates() -> list[tuple[float, int, int, int, tuple[str, float]]]:
    return [
        (tp, window, down, up, overhead)
        for tp in _DELAYS_MS
        for window in _WINDOWS
        for down in _DOWNLINKS
        for up in _UPLINKS
        for overhead in _OVERHEADS
    ]


def _tried(context: Context) -> list[Row]:
    measured = context.values["section-5"]
    cases = _candidates()
    links = [_link(*case) for case in cases]
    plan = [link for each in links for link in (each, _alone(each, "down"), _alone(each, "up"))]
    outcomes = iter(simulate(context, plan))
    rows: list[Row] = []
    for (tp, window, down, up, (kind, size)), link in zip(cases, links, strict=True):
        both, by_itself, up_alone = next(outcomes), next(outcomes), next(outcomes)
        goodputs = {
            "download_alone": by_itself.download,
            "upload_alone": up_alone.upload,
            "download": both.download,
            "upload": both.upload,
        }
        predicted = estimate(link)
        rows.append(
            {
                "tp_s": 1e-3 * tp,
                "window": window,
                "down": down,
                "up": up,
                "overhead": kind,
                "overhead_size": size,
                "overhead_spoken": f"{100 * size:g} % of the uplink"
                if kind.startswith("share")
                else f"{size:g} B a packet",
                **goodputs,
                "ratio": both.ratio,
                "ratio_alone": by_itself.download / up_alone.upload,
                "off": max(abs(goodputs[name] / measured[name] - 1.0) for name in _GOODPUTS),
                "estimate": predicted.ratio,
            }
        )
    return rows


def fit(context: Context) -> Exhibit:
    """Settings within 10 % of all four goodputs, best first."""
    measured = context.values["section-5"]
    tried = context.cached("section-5", lambda: _tried(context))
    rows = sorted((dict(r) for r in tried if r["off"] <= _WITHIN), key=lambda r: float(r["off"]))
    for place, row in enumerate(rows, 1):
        row["place"] = place
        row["best"] = place == 1
        row.update({f"measured_{name}": measured[name] for name in (*_GOODPUTS, "ratio", "ratio_alone")})
    return context.definition("section-5").exhibit(
        rows,
        values={"tried": len(tried)},
        findings=_identified(rows, tried),
        series={"section-5-tried": tried},
        draw={"section-5": partial(_draw, rows=rows, tried=tried)},
    )


def _identified(rows: Sequence[Row], tried: Sequence[Row]) -> list[tuple[str, Row]]:
    """What the four goodputs determine of the link, and what they leave open."""
    if not rows:
        return [("none", {"tried": len(tried)})]
    low, high = _range(rows, "estimate")
    tried_low, tried_high = _range(tried, "estimate")
    shares = [r for r in rows if r["overhead"].startswith("share")]
    smallest, largest = _range(shares, "overhead_size") if shares else (0.0, 0.0)
    per_packet = len(rows) - len(shares)
    uplink = "bytes" if not shares else "share_or_bytes" if per_packet else "share"
    return [
        ("fits", {"fits": len(rows), "tried": len(tried), "off": 100 * rows[0]["off"]}),
        ("ratio", {"low": low, "high": high, "tried_low": tried_low, "tried_high": tried_high}),
        (uplink, {"low": 100 * smallest, "high": 100 * largest, "per_packet": per_packet}),
        ("open", {key: _range(rows, key) for key in ("up", "down", "tp_s", "window")}),
    ]


def _range(rows: Sequence[Row], key: str) -> tuple[float, float]:
    values = [r[key] for r in rows]
    return min(values), max(values)


def _draw(figure: Figure, rows: list[Row], tried: list[Row]) -> None:
    axis = figure.subplots()
    axis.plot([r["down"] / 1e3 for r in tried], [r["up"] / 1e3 for r in tried], ".", color="#BBBBBB", markersize=3)
    spread = {5.0: -1.8, 20.0: 0.0, 50.0: 1.8}
    beside = {_WINDOWS[0]: -0.45, _WINDOWS[1]: 0.45}
    for (tp, window), colour in zip(
        [(tp, w) for tp in _DELAYS_MS for w in _WINDOWS], (BLUE, BLUE, GREEN, GREEN, RED, RED), strict=True
    ):
        part = [r for r in rows if r["tp_s"] == 1e-3 * tp and r["window"] == window]
        axis.plot(
            [r["down"] / 1e3 + spread[tp] + beside[window] for r in part],
            [r["up"] / 1e3 for r in part],
            "o" if window == _WINDOWS[0] else "s",
            markersize=4,
            markerfacecolor="none",
            color=colour,
            label=f"tp = {tp:g} ms, {window // 1024} kB",
        )
    axis.set_xlabel("downlink buffer (kB)")
    axis.set_ylabel("uplink buffer (kB)")
    axis.set_xlim(0, 80)
    axis.set_ylim(0, 32)
    axis.plot([], [], ".", color="#BBBBBB", label="tried")
    if rows:
        axis.plot(
            rows[0]["down"] / 1e3 + spread[1e3 * rows[0]["tp_s"]] + beside[rows[0]["window"]],
            rows[0]["up"] / 1e3,
            "*",
            color=BLACK,
            label="best",
        )
        axis.axline((0, 0), slope=1 / 6.9, color=ORANGE, linewidth=0.8, label="1 to 6.9")
    figure.legend(loc="outside right upper", fontsize="small")


def alone(context: Context) -> Exhibit:
    """Single goodputs on a link of the printed rates, with nothing fitted: buffers of eq. 6 for 300 ms."""
    measured = context.values["section-5"]
    rows: list[Row] = []
    for way, name, rate in (("down", "download", DOWN_BPS), ("up", "upload", UP_BPS)):
        links = [_alone(Link(up="9000 B", window=w, tp_ms=tp), way) for tp in _DELAYS_MS for w in _WINDOWS]
        goodputs = [getattr(o, name) for o in simulate(context, links)]
        printed = measured[f"{name}_alone"]
        rows += [
            {"way": name, "rate": rate, "goodput": goodput, "measured": printed, "off": goodput / printed - 1.0}
            for goodput in (min(goodputs), max(goodputs))
        ]
    return context.definition("section-5-alone").exhibit(rows)


def in_packets(context: Context) -> Exhibit:
    """Every link that fits, its buffers counted in packets."""
    fits = [r for r in context.cached("section-5", lambda: _tried(context)) if r["off"] <= _WITHIN]
    rows: list[Row] = []
    for window in _WINDOWS:
        links = [
            _link(1e3 * r["tp_s"], r["window"], r["down"], r["up"], (r["overhead"], r["overhead_size"]))
            for r in fits
            if r["window"] == window
        ]
        limits = {
            "as fitted, in bytes": [(link.down, link.up) for link in links],
            "as many packets": [(_packets(link.down), _packets(link.up)) for link in links],
            "50 packets both ways": [("50 packets", "50 packets")] * len(links),
            "100 packets both ways": [("100 packets", "100 packets")] * len(links),
        }
        for (name, sizes), order in product(limits.items(), ORDERS):
            each = [
                replace(link, down=down, up=up, order=order, duration_s=600.0, warmup_s=60.0)
                for link, (down, up) in zip(links, sizes, strict=True)
            ]
            rows.append(_packet_row(name, window, order, simulate(context, each)))
    return context.definition("section-5-packets").exhibit(rows, values={"fits": len(fits)})


def _packets(size: str) -> str:
    """As many packets as fit into a buffer of bytes."""
    return f"{max(1, int(size.split()[0]) // 1500)} packets"


def _packet_row(name: str, window: int, order: str, outcomes: Sequence[Outcome]) -> Row:
    ratios = sorted(o.ratio for o in outcomes)
    return {
        "buffers": name,
        "counted": "bytes" if name.endswith("bytes") else "packets",
        "window": window,
        "case": f"{name}, {window // 1024} kB",
        "order": order,
        "links": len(ratios),
        "lowest": ratios[0],
        "middle": median(ratios),
        "highest": ratios[-1],
        "ratio": max(ratios, key=lambda r: abs(r - 1.0)),
    }
