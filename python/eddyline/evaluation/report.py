"""An evaluation as a folder: one self-contained page, the document, a sheet for each controller, figures and data."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from eddyline.evaluation.document import DOCUMENT
from eddyline.papers.exhibit import Exhibit, cell
from eddyline.papers.report import PAGE, exhibit_section, page, picture, write_exhibits
from eddyline.plots import render_small

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eddyline.evaluation.document import Measurements

__all__ = ["FILES", "family", "write"]

SHEETS, FIGURES = "sheets", "figures.md"
FILES = (PAGE, DOCUMENT, FIGURES, SHEETS, "plots", "data")
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
    names = ", ".join(s.kind for s in evaluation.subjects)
    links = [f'<li><a href="#{e.id}">{escape(e.title)}</a></li>' for e in exhibits]
    parts = [
        exhibit_section(family(evaluation), folder),
        _failures(evaluation),
        "<h2 id=experiments>Experiments</h2>",
        f"<nav><ul>{''.join(links)}</ul></nav>",
        *(exhibit_section(e, folder) for e in exhibits),
        "<h2 id=controllers>Controllers</h2>",
        *(f"<section>{picture(sheets / f'{s.kind}.png', s.kind)}</section>" for s in measured),
    ]
    file = folder / PAGE
    file.write_text(page(f"Evaluation: {names}", _lead(evaluation), parts), "utf-8")
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


def _failures(evaluation: Measurements) -> str:
    if not evaluation.failures:
        return ""
    each = "".join(f"<li>{escape(f.text)}: {escape(f.error)}</li>" for f in evaluation.failures)
    return f"<h2 id=failures>What came to no end</h2><ul>{each}</ul>"
