"""Figures of the cures: what the download keeps against what the uploads keep, one figure per access link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import ListedColormap, LogNorm

from eddyline.reports.figures import BLACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.reports.exhibit import Row

__all__ = ["draw"]

_LISTED = 4
"""How many of the best are listed by name."""
_ALWAYS_LISTED = (
    "as it comes",
    "drop-tail, 1,000 packets",
    "drop-tail, advised size in bytes",
    "FQ-CoDel",
    "CAKE, ACK filter",
)
_MARKERS = {"queue": "o", "TCP": "^", "queue and TCP": "s", "nothing": "*", "the medium": "D"}
_MIN_S = 1e-3
_COLOURS = ListedColormap(colormaps["viridis"](np.linspace(0.85, 0.0, 256)))
"""Without the yellow end, which is hard to see on white."""
_TOP = 0.95
"""Above this, labels are below their points: there is no room above."""
_NEAR = (0.05, 0.045)
"""Points closer than this, horizontally and vertically, share one label."""


def draw(figure: Figure, rows: Sequence[Row]) -> None:
    """One access link: a panel for each number of uploads."""
    counts = list(dict.fromkeys(r["uploads"] for r in rows))
    axes = figure.subplots(1, len(counts), sharex=True, sharey=True, squeeze=False)[0]
    delays = [_delay(r) for r in rows]
    norm = LogNorm(max(min(delays), _MIN_S), max(*delays, 10 * _MIN_S))
    points = None
    for axis, uploads in zip(axes, counts, strict=True):
        part = [r for r in rows if r["uploads"] == uploads]
        for what, marker in _MARKERS.items():
            some = [r for r in part if r["changes"] == what]
            if some:
                points = axis.scatter(
                    [r["upload_kept"] for r in some],
                    [r["download_kept"] for r in some],
                    c=[_delay(r) for r in some],
                    norm=norm,
                    cmap=_COLOURS,
                    marker=marker,
                    s=130 if marker == "*" else 40,
                    edgecolors=BLACK,
                    linewidths=0.4,
                    zorder=3,  # above the grid
                )
        listed = sorted(
            (r for r in part if r["rank"] <= _LISTED or r["cure"] in _ALWAYS_LISTED), key=lambda r: r["rank"]
        )
        for near in _grouped(listed):
            axis.annotate(
                ", ".join(str(r["rank"]) for r in near),
                (near[0]["upload_kept"], near[0]["download_kept"]),
                xytext=(8, -11) if near[0]["download_kept"] > _TOP else (8, 5),
                textcoords="offset points",
                fontsize=7,
            )
        key = "\n".join(f"{r['rank']:>2}  {r['cure']}" for r in listed)
        axis.text(0.0, -0.17, key, transform=axis.transAxes, fontsize=7, va="top")
        axis.set_title(f"{uploads} upload{'s' if uploads > 1 else ''}")
        axis.set_xlabel("upload kept")
    axes[0].set_ylabel("download kept")
    axes[0].set_xlim(0, 1.05)
    axes[0].set_ylim(0, 1.05)
    if points is not None:
        figure.colorbar(points, ax=list(axes), label="wait, p99 of the slower queue (s)")


def _grouped(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows, those whose points are near one another together."""
    groups: list[list[Row]] = []
    for row in rows:
        for group in groups:
            first = group[0]
            across = abs(first["upload_kept"] - row["upload_kept"])
            if across < _NEAR[0] and abs(first["download_kept"] - row["download_kept"]) < _NEAR[1]:
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _delay(row: Row) -> float:
    return max(_MIN_S, row["up_p99_s"] or 0.0, row["down_p99_s"] or 0.0)
