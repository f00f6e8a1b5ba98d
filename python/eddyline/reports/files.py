"""The data of exhibits as CSV, their figures as PNG and SVG."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from eddyline.plots import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eddyline.reports.exhibit import Exhibit

__all__ = ["write_exhibits"]


def write_exhibits(exhibits: Sequence[Exhibit], folder: Path) -> None:
    """Writes data and figures of exhibits into new folders `data` and `plots` in `folder`."""
    plots, data = folder / "plots", folder / "data"
    plots.mkdir()
    data.mkdir()
    for exhibit in exhibits:
        _write_csv(data / f"{exhibit.id}.csv", exhibit.rows)
        for name, rows in exhibit.series.items():
            _write_csv(data / f"{name}.csv", rows)
        for picture in exhibit.pictures:
            figure = picture.draw()
            render(figure, plots / f"{picture.name}.png")
            render(figure, plots / f"{picture.name}.svg")


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
