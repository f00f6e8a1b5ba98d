"""Figures 1 and 2: goodput over time while uploads come and go, and over minutes."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, ORDERS, Link, Outcome, simulate
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["figure_1", "figure_2", "starts"]

_SETTLING_S = 2.0
_WINDOWS = {"64 kB": 65536, "128 kB": 131072, "unlimited": 1_000_000}
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
"""Minimum retransmission timeout: of RFC 6298 (2.4) and the scenario; of Linux; and with F-RTO, as in Linux."""


def figure_1(context: Context) -> Exhibit:
    """Buffers of 75,000 B both ways."""
    return _figure(context, "fig-1", "figure-1", _PHASES_1)


def figure_2(context: Context) -> Exhibit:
    """75,000 B down, 6,000 B up."""
    return _figure(context, "fig-2", "figure-2", _PHASES_2)


def _figure(context: Context, name: str, file: str, phases: tuple[tuple[str, float, float], ...]) -> Exhibit:
    rows: list[Row] = []
    first_series: list[Row] = []
    cases = [(window, timer) for window in _WINDOWS for timer in _TIMERS]
    runs = [
        Run(file, "sim", None, (*_TIMERS[timer], ("flow.*.receive_window", f"{_WINDOWS[window]} B")), "500 ms")
        for window, timer in cases
    ]
    for (window, timer), result in zip(cases, context.runner.run_all(runs), strict=True):
        series: list[Row] = []
        for flow in [f["name"] for f in result.document["flows"]]:
            times, values = result.over_time(flow, "goodput_bps")
            series += [{"flow": flow, "time_s": t, "goodput_bps": v} for t, v in zip(times, values, strict=True)]
        first_series = first_series or series
        printed = context.values.get(name, {})
        for phase, start, stop in phases:
            settled = [r for r in series if start + _SETTLING_S < r["time_s"] <= stop]
            down = fmean(r["goodput_bps"] for r in settled if r["flow"] == "download")
            others = {r["flow"] for r in settled} - {"download"}
            up = sum(fmean(r["goodput_bps"] for r in settled if r["flow"] == f) for f in sorted(others))
            rows.append(
                {
                    "window": window,
                    "timer": timer,
                    "setting": f"{window}, {timer}",
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
    return context.definition(name).exhibit(
        rows,
        values={"settling_s": _SETTLING_S},
        series={f"{name}-series": first_series},
        curves={"smoothed": _smoothed(first_series)},
    )


def _smoothed(series: list[Row]) -> list[Row]:
    """Means over two seconds of each flow, from its first to its last delivery."""
    rows: list[Row] = []
    for flow in dict.fromkeys(r["flow"] for r in series):
        part = [r for r in series if r["flow"] == flow]
        active = [i for i, r in enumerate(part) if r["goodput_bps"] > 0]
        first, last = active[0], active[-1]
        for i in range(first, last + 1):
            mean = fmean(r["goodput_bps"] for r in part[max(first, i - 3) : i + 1])
            rows.append({"flow": flow, "time_s": part[i]["time_s"], "goodput_bps": mean})
    return rows


_BUFFERS = {
    "Fig. 1": ("75000 B", "75000 B"),
    "Fig. 2": ("75000 B", "6000 B"),
    "50 packets": ("50 packets", "50 packets"),
}
_LINUX = {"Fig. 1": "75k/75k B", "Fig. 2": "6k up/75k down B", "50 packets": "50/50 pkts"}


def _long_term(context: Context) -> list[Row]:
    """Every link, window, number of uploads and order of starts, with results of Linux where there are any."""
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
    first_minutes = [Outcome(a) for a in context.runner.run_all([_first_minute(link).run() for link in links])]
    rows: list[Row] = []
    for (name, window, uploads, order), o, first in zip(cases, simulate(context, links), first_minutes, strict=True):
        linux_runs = [
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
                "down_use": o.utilisation("down"),
                "first_minute": first.download,
                "linux_download": linux_runs[0]["download_bps"] if linux_runs else None,
                "linux_upload": linux_runs[0]["upload_bps"] if linux_runs else None,
                "printed_download": 200e3 if name == "Fig. 1" else None,
                "printed_upload": 200e3 if name == "Fig. 1" else None,
                "rtt_ratio": o.rtt("download") / o.rtt("upload"),
            }
        )
    for row in rows:
        in_fig_1 = next(
            r for r in rows if r["link"] == "Fig. 1" and all(r[k] == row[k] for k in ("window", "uploads", "order"))
        )
        row["download_in_fig_1"] = in_fig_1["download"]
    return rows


def starts(context: Context) -> Exhibit:
    """The links of both figures, all orders of starts, three windows, one and two uploads."""
    rows = _long_term(context)
    return context.definition("starts").exhibit(rows, findings=_first_minutes(rows))


def _first_minutes(rows: list[Row]) -> list[tuple[str, Row]]:
    """What the order of starts changes in the first minute and later, on the link of Fig. 1."""
    findings: list[tuple[str, Row]] = []
    for window in _WINDOWS:
        part = [r for r in rows if r["link"] == "Fig. 1" and r["uploads"] == 1 and r["window"] == window]
        first = {r["order"]: r["first_minute"] / 1e3 for r in part}
        later = {r["order"]: r["download"] / 1e3 for r in part}
        findings.append(("order", {"window": window, "first": first, "later": later}))
    return findings


def _first_minute(link: Link) -> Link:
    """The same over the first minute in which both directions are active."""
    first = max(ORDERS[link.order])
    return replace(link, duration_s=first + 60.0, warmup_s=first)
