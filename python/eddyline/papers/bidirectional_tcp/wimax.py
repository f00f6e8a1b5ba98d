"""Section 5: which links give the four goodputs that were measured on a WiMAX link, and what they leave open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.model import estimate
from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, ORDERS, UP_BPS, Link, Outcome, ask
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, GREEN, ORANGE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["fit", "in_packets"]

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
        more=per_packet,
    )


def _alone(link: Link, way: str) -> Link:
    """One flow by itself; the other buffer has no part in it, so there is one run for all of its sizes."""
    other = "upload" if way == "down" else "download"
    idle = ((f"flow.{other}.start", f"{_DURATION_S - 0.001:g} s"),)
    if way == "down":
        return replace(link, up="75000 B", more=(*link.more, *idle))
    return replace(link, down="75000 B", more=(*link.more, *idle))


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
    found = iter(ask(context, plan))
    rows: list[Row] = []
    for (tp, window, down, up, (kind, size)), link in zip(cases, links, strict=True):
        both, by_itself, up_alone = next(found), next(found), next(found)
        got = {
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
                **got,
                "ratio": both.ratio,
                "ratio_alone": by_itself.download / up_alone.upload,
                "off": max(abs(got[name] / measured[name] - 1.0) for name in _GOODPUTS),
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
    return Exhibit(
        id="section-5",
        title="The WiMAX link: what gives the measured goodputs",
        place="Section 5",
        reading=(
            f"{len(tried):,} links tried: both buffers, propagation, window, and overhead either as a share of the "
            "uplink's rate or as bytes on every packet. Here are those that give all four measured goodputs within "
            "10 %: 1.9 and 0.16 Mbit/s alone, 1.04 and 0.15 together."
        ),
        columns=(
            Column("place", "fit"),
            Column("off", "worst deviation", percent=True, digits=3),
            Column("down", "downlink buffer", "B"),
            Column("up", "uplink buffer", "B"),
            Column("overhead_spoken", "overhead"),
            Column("tp_s", "tp", "ms", scale=1e-3),
            Column("window", "window", "B"),
            Column("download_alone", "download alone", "Mbit/s", scale=1e6, digits=3),
            Column("upload_alone", "upload alone", "Mbit/s", scale=1e6, digits=3),
            Column("download", "download", "Mbit/s", scale=1e6, digits=3),
            Column("upload", "upload", "Mbit/s", scale=1e6, digits=3),
            Column("ratio", "ratio", digits=3),
            Column("estimate", "eq. 8", digits=3),
        ),
        rows=rows,
        findings=_identified(rows, tried),
        pictures=[
            Picture(
                "section-5",
                "Uplink buffer over downlink buffer of all links that fit: a valley, not a point",
                drawn(_paint, 7.0, 3.6, rows, tried),
            )
        ],
        series={"section-5-tried": tried},
    )


def _identified(rows: Sequence[Row], tried: Sequence[Row]) -> list[str]:
    """What the four goodputs fix of the link, and what they leave open."""
    if not rows:
        return [f"None of {len(tried):,} links gives all four."]

    def span(key: str, form: str = "{:,.0f}", among: Sequence[Row] = rows) -> str:
        values = [r[key] for r in among]
        return f"{form.format(min(values))} to {form.format(max(values))}"

    shares = [100 * r["overhead_size"] for r in rows if r["overhead"].startswith("share")]
    per_packet = len(rows) - len(shares)
    less = f"{min(shares):.0f} to {max(shares):.0f} % less than its 192 kbit/s" if shares else "less than 192 kbit/s"
    instead = f" ({per_packet} fit with 20 to 80 B more on every packet instead)" if per_packet else ""
    return [
        f"{len(rows)} of {len(tried):,} links fit, the best to within {100 * rows[0]['off']:.1f} %.",
        f"Identified: the ratio of what both directions can store, by eq. 8 {span('estimate', '{:.1f}')} of the "
        f"{span('estimate', '{:.1f}', tried)} tried; and an uplink that gives {less}{instead}.",
        f"Not identified: the sizes themselves ({span('up')} B up, {span('down')} B down fit), propagation "
        f"({span('tp_s', '{:g}')} s) and window ({span('window')} B).",
    ]


def _paint(figure: Figure, rows: list[Row], tried: list[Row]) -> None:
    axis = figure.subplots()
    axis.plot([r["down"] / 1e3 for r in tried], [r["up"] / 1e3 for r in tried], ".", color="#BBBBBB", markersize=3)
    spread = {5.0: -1.2, 20.0: 0.0, 50.0: 1.2}
    for (tp, window), colour in zip(
        [(tp, w) for tp in _DELAYS_MS for w in _WINDOWS], (BLUE, BLUE, GREEN, GREEN, RED, RED), strict=True
    ):
        part = [r for r in rows if r["tp_s"] == 1e-3 * tp and r["window"] == window]
        axis.plot(
            [r["down"] / 1e3 + spread[tp] for r in part],
            [r["up"] / 1e3 for r in part],
            "o" if window == _WINDOWS[0] else "s",
            markersize=5,
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
            rows[0]["down"] / 1e3 + spread[1e3 * rows[0]["tp_s"]], rows[0]["up"] / 1e3, "*", color=BLACK, label="best"
        )
        axis.axline((0, 0), slope=1 / 6.9, color=ORANGE, linewidth=0.8, label="1 to 6.9")
    figure.legend(loc="outside right upper", fontsize="small")


def in_packets(context: Context) -> Exhibit:
    """The best fit, its buffers counted in packets."""
    best = min(context.cached("section-5", lambda: _tried(context)), key=lambda r: float(r["off"]))
    overhead = (best["overhead"], best["overhead_size"])
    link = _link(1e3 * best["tp_s"], best["window"], best["down"], best["up"], overhead)
    same = (max(1, best["down"] // 1500), max(1, best["up"] // 1500))
    limits = {
        "as fitted, in bytes": (link.down, link.up),
        "as many packets": (f"{same[0]} packets", f"{same[1]} packets"),
        "50 packets both ways": ("50 packets", "50 packets"),
        "100 packets both ways": ("100 packets", "100 packets"),
    }
    cases = [
        (name, order, replace(link, down=down, up=up, order=order, duration_s=600.0, warmup_s=60.0))
        for name, (down, up) in limits.items()
        for order in ORDERS
    ]
    rows: list[Row] = []
    for (name, order, each), o in zip(cases, ask(context, [c[-1] for c in cases]), strict=True):
        rows.append(_counted(name, order, each, o))
    return Exhibit(
        id="section-5-packets",
        title="The WiMAX link if its buffers counted packets",
        place="Section 5",
        reading=(
            "The best fit of section-5 with its own buffers, with as many packets of 1,500 B, and with two common "
            "defaults. The paper expects a ratio close to 1."
        ),
        columns=(
            Column("buffers", "buffers"),
            Column("order", "order of starts"),
            Column("down", "down"),
            Column("up", "up"),
            Column("download", "download", "kbit/s", scale=1e3),
            Column("upload", "upload", "kbit/s", scale=1e3),
            Column("ratio", "ratio", digits=3),
        ),
        rows=rows,
        notes=(f"Rates {DOWN_BPS / 1e6:g} Mbit/s down and {link.up_bps / 1e3:g} kbit/s up.",),
    )


def _counted(name: str, order: str, link: Link, o: Outcome) -> Row:
    return {
        "buffers": name,
        "counted": "packets" if link.up.endswith("packets") else "bytes",
        "order": order,
        "down": link.down,
        "up": link.up,
        "download": o.download,
        "upload": o.upload,
        "ratio": o.ratio,
    }
