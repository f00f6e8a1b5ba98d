"""Figures 1 and 2: goodput over time while uploads come and go, and what lasts."""

from __future__ import annotations

import json
from statistics import fmean
from typing import TYPE_CHECKING, Any

from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, ORDERS, Link, Outcome, ask
from eddyline.papers.runner import Run
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["figure_1", "figure_2", "starts"]

_SETTLING_S = 2.0
_PHASES_1 = (
    ("alone", 10.0, 30.0),
    ("one upload", 30.0, 45.0),
    ("alone again", 45.0, 60.0),
    ("two uploads", 60.0, 85.0),
)
_PHASES_2 = (("alone", 10.0, 30.0), ("one upload", 30.0, 60.0))
_TIMERS: dict[str, tuple[tuple[str, str], ...]] = {
    "1 s": (),
    "200 ms": (("flow.*.tcp.min_rto", "200 ms"),),
    "200 ms, F-RTO": (("flow.*.tcp.min_rto", "200 ms"), ("flow.*.tcp.frto", "true")),
}
"""Least retransmission timeout: RFC 6298 (2.4) and the scenario; Linux; and with what Linux does about false ones."""
_WHY_TIMERS = {
    "fig-1": (
        "The queue fills by a window a round trip, faster than a timer of 200 ms learns: the download takes the "
        "longer round trip for a loss and starts over. A least timeout of 1 s (RFC 6298) waits; F-RTO sees that "
        "it was none.",
    )
}
_LABELS = {"upload": "upload", "upload a": "one of two uploads", "upload b": "the other"}


def figure_1(context: Context) -> Exhibit:
    """Buffers of 75,000 B both ways."""
    return _figure(
        context,
        "fig-1",
        "figure-1",
        _PHASES_1,
        "Figure 1: one download, then one upload, then two; 75,000 B both ways",
        "The download starts at 10 s, an upload runs from 30 s to 45 s, two from 60 s to 85 s. Windows of 64 kB: "
        "with these the uplink's buffer holds all that is outstanding, so every acknowledgement of the download "
        "waits behind a full window of upload.",
    )


def figure_2(context: Context) -> Exhibit:
    """75,000 B down, 6,000 B up."""
    return _figure(
        context,
        "fig-2",
        "figure-2",
        _PHASES_2,
        "Figure 2: the same with 6,000 B for the uplink",
        "The download starts at 10 s, the upload at 30 s. Four packets fit into the uplink's buffer: the queue that "
        "the download's acknowledgements wait in is short, and so is their wait.",
    )


def _figure(
    context: Context, name: str, file: str, phases: tuple[tuple[str, float, float], ...], title: str, reading: str
) -> Exhibit:
    rows: list[Row] = []
    shown: list[Row] = []
    results = context.runner.run_all([Run(file, "sim", None, changes, "500 ms") for changes in _TIMERS.values()])
    for timer, result in zip(_TIMERS, results, strict=True):
        series: list[Row] = []
        for flow in [f["name"] for f in result.document["flows"]]:
            times, values = result.over_time(flow, "goodput_bps")
            series += [{"flow": flow, "time_s": t, "goodput_bps": v} for t, v in zip(times, values, strict=True)]
        shown = shown or series
        printed = context.values.get(name, {})
        for phase, start, stop in phases:
            late = [r for r in series if start + _SETTLING_S < r["time_s"] <= stop]
            down = fmean(r["goodput_bps"] for r in late if r["flow"] == "download")
            others = {r["flow"] for r in late} - {"download"}
            up = sum(fmean(r["goodput_bps"] for r in late if r["flow"] == f) for f in sorted(others))
            rows.append(
                {
                    "timer": timer,
                    "phase": phase,
                    "start_s": start,
                    "stop_s": stop,
                    "download": down,
                    "upload": up if "upload" in phase else None,
                    "share": down / DOWN_BPS,
                    "timeouts": result.flow("download")["timeouts"],
                    "printed_download": printed.get(phase, {}).get("download_bps"),
                    "printed_upload": printed.get(phase, {}).get("upload_bps"),
                }
            )
    return Exhibit(
        id=name,
        title=title,
        place=f"Section 1, Fig. {name[-1]}",
        reading=reading,
        columns=(
            Column("timer", "least timeout"),
            Column("phase", "phase"),
            Column("start_s", "from", "s"),
            Column("stop_s", "to", "s"),
            *((Column("printed_download", "download, paper", "kbit/s", scale=1e3),) if name == "fig-1" else ()),
            Column("download", "download", "kbit/s", scale=1e3),
            Column("share", "of the downlink", percent=True),
            *((Column("printed_upload", "uploads, paper", "kbit/s", scale=1e3),) if name == "fig-1" else ()),
            Column("upload", "uploads", "kbit/s", scale=1e3),
            Column("timeouts", "download's timeouts, whole run"),
        ),
        rows=rows,
        series={f"{name}-series": shown},
        pictures=[Picture(name, title, drawn(_paint, 8.0, 3.4, shown))],
        notes=(
            "The figure has means over two seconds, as a window comes back once a round trip of up to 2.7 s.",
            *_WHY_TIMERS.get(name, ()),
            f"Means leave out the first {_SETTLING_S:g} s of each phase. What lasts, for every order of starts and "
            "other windows: exhibit starts.",
        ),
    )


def _smooth(part: list[Row]) -> tuple[list[float], list[float]]:
    """Means over two seconds in kbit/s, from the first to the last that arrives."""
    there = [i for i, r in enumerate(part) if r["goodput_bps"] > 0]
    window = range(there[0], there[-1] + 1)
    means = [fmean(r["goodput_bps"] for r in part[max(there[0], i - 3) : i + 1]) / 1e3 for i in window]
    return [part[i]["time_s"] for i in window], means


def _paint(figure: Figure, series: list[Row]) -> None:
    axis = figure.subplots()
    last = max(r["time_s"] for r in series)
    for flow in dict.fromkeys(r["flow"] for r in series):
        times, values = _smooth([r for r in series if r["flow"] == flow])
        style: dict[str, Any] = (
            {"color": BLUE} if flow == "download" else {"color": RED, "linestyle": "--", "linewidth": 1}
        )
        axis.plot(times, values, label=_LABELS.get(flow, flow), **style)
    axis.set_xlabel("time (s)")
    axis.set_ylabel("goodput (kbit/s)")
    axis.set_xlim(0, last)
    axis.set_ylim(0, 2100)
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)


_BUFFERS = {
    "Fig. 1": ("75000 B", "75000 B"),
    "Fig. 2": ("75000 B", "6000 B"),
    "50 packets": ("50 packets", "50 packets"),
}
_LINUX = {"Fig. 1": "75k/75k B", "Fig. 2": "6k up/75k down B", "50 packets": "50/50 pkts"}
_WINDOWS = {"64 kB": 65536, "128 kB": 131072, "unlimited": 1_000_000}


def _started(context: Context) -> list[Row]:
    """Every link, window, number of uploads and order of starts, with Linux beside it where that was run."""
    reference = context.folder / "reference"
    linux = json.loads((reference / "linux.json").read_text("utf-8"))["cases"]
    cases = [
        (name, window, uploads, order)
        for name in _BUFFERS
        for window in _WINDOWS
        for uploads in (1, 2)
        for order in ORDERS
    ]
    links = [
        Link(down=_BUFFERS[name][0], up=_BUFFERS[name][1], window=_WINDOWS[window], uploads=uploads, order=order)
        for name, window, uploads, order in cases
    ]
    early = [Outcome(a) for a in context.runner.run_all([_early(link).run() for link in links])]
    rows: list[Row] = []
    for (name, window, uploads, order), o, first in zip(cases, ask(context, links), early, strict=True):
        known = [
            c
            for c in linux
            if c["controller"] == "reno" and c["buffers"] == _LINUX[name] and c["starts"] == order and uploads == 1
            and c["window"] == (None if window == "unlimited" else _WINDOWS[window])
        ]  # fmt: skip
        rows.append(
            {
                "link": name,
                "window": window,
                "uploads": uploads,
                "order": order,
                "download": o.download,
                "upload": o.upload,
                "ratio": o.ratio,
                "down_use": o.used("down"),
                "first_minute": first.download,
                "linux_download": known[0]["download_bps"] if known else None,
                "linux_upload": known[0]["upload_bps"] if known else None,
                "printed_download": 200e3 if name == "Fig. 1" else None,
                "printed_upload": 200e3 if name == "Fig. 1" else None,
                "rtt_ratio": o.rtt("download") / o.rtt("upload"),
            }
        )
    for row in rows:
        twin = next(
            r for r in rows if r["link"] == "Fig. 1" and all(r[k] == row[k] for k in ("window", "uploads", "order"))
        )
        row["download_in_fig_1"] = twin["download"]
    return rows


def starts(context: Context) -> Exhibit:
    """The links of both figures, all orders of starts, three windows, one and two uploads."""
    rows = _started(context)
    return Exhibit(
        id="starts",
        title="What lasts, and what the order of starts does",
        place="Section 1, Fig. 1 and 2",
        reading=(
            "Minutes 1 to 10 after the start, and the download's first minute together with the upload. Download "
            "first: the upload joins 15 s later; upload first: the reverse. With 64 kB what lasts is the same in "
            "every order. Larger windows make the first minute depend on it: a download that starts together with "
            "the upload has its slow start before the uplink's queue is long, and keeps that window until its next "
            "loss. Linux is real TCP (Reno) over an emulated path for about a minute: there it decides more, and "
            "longer."
        ),
        columns=(
            Column("link", "buffers of"),
            Column("window", "window"),
            Column("uploads", "uploads"),
            Column("order", "order of starts"),
            Column("download", "download", "kbit/s", scale=1e3),
            Column("upload", "uploads", "kbit/s", scale=1e3),
            Column("ratio", "ratio", digits=3),
            Column("down_use", "downlink in use", percent=True, digits=3),
            Column("first_minute", "download, first minute", "kbit/s", scale=1e3),
            Column("linux_download", "Linux: download", "kbit/s", scale=1e3),
            Column("linux_upload", "Linux: upload", "kbit/s", scale=1e3),
            Column("rtt_ratio", "RTT, download over upload", digits=3),
        ),
        rows=rows,
        findings=_first_minutes(rows),
    )


def _first_minutes(rows: list[Row]) -> list[str]:
    """What the order does to the first minute and to what lasts, in the link of Fig. 1."""
    said = []
    for window in _WINDOWS:
        part = [r for r in rows if r["link"] == "Fig. 1" and r["uploads"] == 1 and r["window"] == window]
        first = ", ".join(f"{r['first_minute'] / 1e3:.0f} {r['order']}" for r in part)
        lasting = ", ".join(f"{r['download'] / 1e3:.0f}" for r in part)
        said.append(f"Fig. 1, {window}: download in the first minute (kbit/s) {first}; later {lasting}.")
    return said


def _early(link: Link) -> Link:
    """The same, the first minute in which both are there."""
    from dataclasses import replace

    first = max(ORDERS[link.order])
    return replace(link, duration_s=first + 60.0, warmup_s=first)
