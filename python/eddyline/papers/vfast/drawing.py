"""What the figures of the four scenarios share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.figures import BLUE, GREEN, PINK, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.papers.lab import Answer

__all__ = ["COLOURS", "beside", "series_rows", "traces"]

COLOURS = {"flow 1": BLUE, "flow 2": RED, "flow 3": GREEN, "flow 4": PINK}


def beside(figure: Figure, titles: Sequence[str], label: str) -> list[Axes]:
    """Axes over time beside each other, one a title."""
    axes = figure.subplots(1, len(titles), sharey=True)
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title)
        axis.set_xlabel("time (s)")
        axis.set_xlim(0, 100)
    axes[0].set_ylabel(label)
    return list(axes)


def traces(axis: Axes, answer: Answer, flows: Sequence[str], quantity: str, scale: float) -> None:
    """One quantity of several flows."""
    for flow in flows:
        times, values = answer.over_time(flow, quantity)
        shown = [(t, v / scale) for t, v in zip(times, values, strict=True) if v == v and v > 0]
        axis.plot([t for t, _ in shown], [v for _, v in shown], color=COLOURS[flow], linewidth=0.9, label=flow)


def series_rows(
    answers: Sequence[tuple[str, Answer]], entities: Sequence[str], quantity: str
) -> list[dict[str, object]]:
    """The data behind a figure, every second sample."""
    rows: list[dict[str, object]] = []
    for sender, answer in answers:
        for entity in entities:
            times, values = answer.over_time(entity, quantity)
            rows += [
                {"sender": sender, "entity": entity, "time_s": t, quantity: None if v != v else v}
                for t, v in list(zip(times, values, strict=True))[::2]
            ]
    return rows
