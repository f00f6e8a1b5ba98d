"""An evaluation as a folder: one self-contained page, the document, a sheet for each controller, figures and data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.evaluation.document import DOCUMENT
from eddyline.folder_manifest import MANIFEST
from eddyline.plots import render_small
from eddyline.reports.exhibit import Exhibit, cell
from eddyline.reports.files import write_exhibits
from eddyline.reports.page import PAGE, render_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eddyline.evaluation.document import Measurements

__all__ = ["FILES", "family", "write"]

SHEETS, FIGURES = "sheets", "figures.md"
FILES = (PAGE, DOCUMENT, FIGURES, SHEETS, "plots", "data", MANIFEST)
"""What is in the folder."""

_SHEET_DPI = 110


def write(evaluation: Measurements, folder: Path, drawn: Callable[[int, int], object] | None = None) -> Path:
    """Writes everything into an existing folder; returns the page.

    Args:
        evaluation: What was measured.
        folder: Where.
        drawn: Told after each sheet how many are done, of how many.
    """
    (folder / DOCUMENT).write_text(evaluation.json + "\n", "utf-8")
    exhibits = evaluation.exhibits()
    (folder / FIGURES).write_text(_markdown(family(evaluation)), "utf-8")
    write_exhibits([family(evaluation), *exhibits], folder)
    sheets = folder / SHEETS
    sheets.mkdir()
    measured = [s for s in evaluation.subjects if any(evaluation.of(e.name, s).rows for e in evaluation.experiments)]
    for place, subject in enumerate(measured):
        render_small(evaluation.sheet(subject), sheets / f"{subject.kind}.png", _SHEET_DPI)
        if drawn is not None:
            drawn(place + 1, len(measured))
    file = folder / PAGE
    page = render_page(
        "evaluation.html",
        evaluation=evaluation,
        summary=family(evaluation),
        exhibits=exhibits,
        subtitle=_lead(evaluation),
        plots=folder / "plots",
        sheets={s.kind: sheets / f"{s.kind}.png" for s in measured},
    )
    file.write_text(page, "utf-8")
    return file


def family(evaluation: Measurements) -> Exhibit:
    """One row a controller: what all experiments say."""
    runs = "a quick look, " if evaluation.setting.quick else ""
    return Exhibit(
        id="figures",
        title="In a few numbers",
        place=f"{runs}{evaluation.seeds} seed{'s' if evaluation.seeds > 1 else ''}",
        reading="One row a controller; what each number is, stands with its experiment.",
        columns=evaluation.figure_columns,
        rows=evaluation.figures,
    )


def _markdown(exhibit: Exhibit) -> str:
    """The table, to be put into a document."""
    heads = [f"{c.label} ({c.unit})" if c.unit else c.label for c in exhibit.columns]
    rules = ["---", *("---:" for _ in heads[1:])]
    rows = [[cell(row, c) for c in exhibit.columns] for row in exhibit.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, rules, *rows))


def _lead(evaluation: Measurements) -> str:
    given = [f"{s.kind}: {', '.join(f'{k} {v}' for k, v in s.parameters)}" for s in evaluation.subjects if s.parameters]
    return "; ".join(given) or "All parameters are the defaults."
