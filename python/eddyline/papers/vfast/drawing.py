"""Drawing of series over time, for the figures of the four scenarios."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import eddyline._core as _core
from eddyline.reports.figures import BLUE, GREEN, PINK, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.papers.runner import RunResult

__all__ = ["COLOURS", "series_rows", "time_panels", "traces"]

COLOURS = {"flow 1": BLUE, "flow 2": RED, "flow 3": GREEN, "flow 4": PINK}


def time_panels(figure: Figure, titles: Sequence[str], label: str) -> list[Axes]:
    """Panels side by side with time as the x axis, one for each title."""
    axes = figure.subplots(1, len(titles), sharey=True)
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title)
        axis.set_xlabel("time (s)")
        axis.set_xlim(0, 100)
    axes[0].set_ylabel(label)
    return list(axes)


def traces(axis: Axes, result: RunResult, flows: Sequence[str], quantity: str, scale: float, samples: int = 1) -> None:
    """Draws one quantity of several flows while they send; each point is the mean of `samples` samples around it."""
    for flow in flows:
        spec = next(f for f in result.scenario["flow"] if f["name"] == flow)
        start, stop = (
            _core.values(key, str(spec[key]))[0][0] if spec.get(key) else otherwise
            for key, otherwise in (("start", 0.0), ("stop", float("inf")))
        )
        times, values = result.over_time(flow, quantity)
        shown = [(t, v / scale) for t, v in zip(times, values, strict=True) if v == v and start < t <= stop]
        if samples > 1:
            shown = [
                (shown[i + samples // 2][0], fmean(v for _, v in shown[i : i + samples]))
                for i in range(len(shown) - samples)
            ]
        axis.plot([t for t, _ in shown], [v for _, v in shown], color=COLOURS[flow], linewidth=0.9, label=flow)


def series_rows(
    results: Sequence[tuple[str, RunResult]], entities: Sequence[str], quantity: str
) -> list[dict[str, object]]:
    """The series of a figure as rows, every second sample."""
    rows: list[dict[str, object]] = []
    for sender, result in results:
        for entity in entities:
            times, values = result.over_time(entity, quantity)
            rows += [
                {"sender": sender, "entity": entity, "time_s": t, quantity: None if v != v else v}
                for t, v in list(zip(times, values, strict=True))[::2]
            ]
    return rows
