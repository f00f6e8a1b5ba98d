"""The effect of reverse traffic: Example 3 with a backward flow that joins and leaves."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.efficiency import formula
from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.reports.figures import BLUE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_PHASES = (("before", 0.0, 30.0), ("both", 30.0, 70.0), ("after", 70.0, 100.0))
_SETTLING_S = 5.0
_FORWARD, _BACKWARD = 100.0, 10.0
_PAYLOAD = 1000.0 / 1040.0


def build(context: Context) -> Exhibit:
    """Rates in the three phases, theory and simulation."""
    result = context.runner.run(Run("joining", interval="500 ms"))
    rows: list[Row] = []
    series: list[Row] = []
    for flow, link, rate in (("flow 1", 0, _FORWARD), ("flow 2", 1, _BACKWARD)):
        times, values = result.over_time(flow, "goodput_bps")
        series += [{"flow": flow, "time_s": t, "goodput_bps": v} for t, v in zip(times, values, strict=True)]
        for phase, start, stop in _PHASES:
            if flow == "flow 2" and phase != "both":
                continue
            late = [v for t, v in zip(times, values, strict=True) if start + _SETTLING_S < t <= stop]
            use = formula(100.0, 30.0 * (phase == "both"), _FORWARD / _BACKWARD, 40.0 / 1040.0)[link]
            theory, simulated = use * rate * _PAYLOAD, fmean(late) / 1e6
            row = {"phase": phase, "start_s": start, "stop_s": stop, "flow": flow, "theory": theory}
            rows.append({**row, "simulated": simulated, "off": relative_error(simulated, theory)})
    for row in rows:
        row["alone"] = rows[0]["simulated"] if row["flow"] == "flow 1" else None
    return context.definition("joining").exhibit(
        rows, series={"joining-series": series}, draw={"joining": partial(_draw, series=series, rows=rows)}
    )


def _draw(figure: Figure, series: list[Row], rows: list[Row]) -> None:
    axis = figure.subplots()
    axis.axvspan(30, 70, color="#000000", alpha=0.05, linewidth=0)
    names = {"flow 1": "flow 1, forward over 100 Mbit/s", "flow 2": "flow 2, backward over 10 Mbit/s"}
    for flow, colour in (("flow 1", BLUE), ("flow 2", RED)):
        part = [r for r in series if r["flow"] == flow and (flow == "flow 1" or 30 < r["time_s"] <= 70.5)]
        axis.plot([r["time_s"] for r in part], [r["goodput_bps"] / 1e6 for r in part], color=colour, label=names[flow])
        for r in rows:
            if r["flow"] == flow:
                axis.plot([r["start_s"], r["stop_s"]], [r["theory"]] * 2, "--", color=colour, linewidth=0.9, alpha=0.8)
    axis.plot([], [], "--", color="#555555", linewidth=0.9, label="theory (eq. 5, 6)")
    axis.set_xlabel("time (s)")
    axis.set_ylabel("throughput, payload (Mbit/s)")
    axis.set_xlim(0, 100)
    axis.set_ylim(0, 105)
    axis.annotate("flow 2 sends", (50, 60), ha="center", color="#555555")
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
