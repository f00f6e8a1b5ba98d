"""Figure of a home's line before and after: latency under load, and throughput of both directions, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from matplotlib import rc_context

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, STYLE, from_zero, heading, scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    Lines: TypeAlias = Mapping[str, tuple[Sequence[float], Sequence[float]]]

__all__ = ["before_and_after"]

_PANELS = (
    ("latency", "Round-trip time of a user that sends little, or its wait so far", "round-trip time", "time"),
    ("downloads", "Downloads together", "throughput", "rate"),
    ("uploads", "Uploads together", "throughput", "rate"),
)


def before_and_after(experiences: Sequence[tuple[str, Lines]], title: str) -> Figure:
    """Three panels over one time axis, a line for each experience.

    Args:
        experiences: Name and lines: times in s and values in SI units of `latency`, `downloads`, `uploads`.
        title: Above the figure.
    """
    with rc_context(STYLE):
        figure = empty(8.0, 7.0)
        axes = figure.subplots(len(_PANELS), 1, sharex=True)
        for axis, (key, name, label, kind) in zip(axes, _PANELS, strict=True):
            size, unit = scale(kind, max((max(lines[key][1], default=0.0) for _, lines in experiences), default=0.0))
            for place, (who, lines) in enumerate(experiences):
                times, values = lines[key]
                axis.plot(times, [v / size for v in values], color=COLOURS[1 - place % 2], label=who)
            axis.set_title(name)
            axis.set_ylabel(f"{label} ({unit})")
            from_zero(axis)
            axis.margins(x=0.01)
        axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        axes[-1].set_xlabel("time (s)")
        heading(figure, title)
    return figure
