"""An agreement as exhibits: on the terminal, and as a folder with a page, the document, figures and data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eddyline.folder_manifest import MANIFEST
from eddyline.plots.style import name_ticks
from eddyline.quantities import bits_per_second, count, percent, seconds
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, GREEN, ORANGE, PINK, drawn
from eddyline.reports.files import write_exhibits
from eddyline.reports.page import PAGE, render_page
from eddyline.validation.agreement import values
from eddyline.worlds import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from eddyline.reports.exhibit import Row
    from eddyline.validation.agreement import Agreement, CaseRuns, Comparison

__all__ = ["DOCUMENT", "FILES", "exhibits", "sentences", "write"]

DOCUMENT = "agreement.json"
FILES = (PAGE, DOCUMENT, "plots", "data", MANIFEST)
"""What is in the folder."""

_COLOURS = dict(zip(NAMES, (BLUE, GREEN, ORANGE, PINK), strict=True))
_BAND = 1.0  # the tolerance, in its own unit
_WIDEST = 3.0  # what is farther out is drawn at the edge


def write(agreement: Agreement, folder: Path) -> Path:
    """Writes everything into an existing folder; returns the page."""
    (folder / DOCUMENT).write_text(json.dumps(agreement.to_dict(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    made = exhibits(agreement)
    write_exhibits(made, folder)
    page = folder / PAGE
    text = render_page(
        "agreement.html", agreement=agreement, sentences=sentences(agreement), exhibits=made, plots=folder / "plots"
    )
    page.write_text(text, "utf-8")
    return page


def sentences(agreement: Agreement) -> list[str]:
    """What did not run, what cannot be trusted, and the count."""
    lines = [f"not run: {why}" for why in agreement.unavailable.values()]
    for case, world, outcome in agreement.skipped:
        lines.append(f"{'FAILED' if outcome.failed else 'not run'}: {case}, world {world}: {outcome.why}")
    lines.append(f"{agreement.held} of {len(agreement.comparisons)} comparisons hold, {agreement.failed} fail")
    return lines


def exhibits(agreement: Agreement) -> list[Exhibit]:
    """A table and a figure for each case."""
    return [_exhibit(runs, agreement.quick) for runs in agreement.runs]


def _exhibit(runs: CaseRuns, quick: bool) -> Exhibit:
    case = runs.case
    worlds = [world for world, outcome in runs.outcomes.items() if outcome.result is not None]
    compared = runs.comparisons
    rows: dict[tuple[str, str], Row] = {}
    for tolerance in case.tolerance:
        for world in worlds:
            for of, value in values(runs.outcomes[world].result or {}, tolerance):
                row = rows.setdefault((of, tolerance.quantity), {"of": of, "quantity": tolerance.quantity})
                row.setdefault(world, None if value is None else _text(tolerance.quantity, value))
    for each in compared:
        rows[each.of, each.tolerance.quantity][each.world] = (
            f"{_text(each.tolerance.quantity, each.value)}, {_deviation(each)}"
        )
    notes = dict.fromkeys(
        f"{each.tolerance.quantity} of {each.tolerance.of}, {' and '.join(each.tolerance.worlds)}: "
        f"{_allowed(each)}: {each.tolerance.why}."
        for each in compared
    )
    caption = f"{case.title}: differences from world {compared[0].tolerance.against if compared else ''} in tolerances."
    return Exhibit(
        id=case.name,
        title=case.title,
        place=f"{case.paper}, {case.scenario}{', short runs' if quick else ''}",
        reading=f"Scaled: {case.scaled}." if not case.scaled.startswith("not") else f"{case.scaled.capitalize()}.",
        columns=[Column("of", "of"), Column("quantity", "quantity"), *(Column(world, world) for world in worlds)],
        rows=list(rows.values()),
        pictures=[Picture(case.name, caption, drawn(_paint, 7.0, 1.1 + 0.22 * len(rows), compared))]
        if compared
        else [],
        notes=list(notes),
        series={f"{case.name}-comparisons": [each.to_dict() for each in compared]},
    )


def _deviation(comparison: Comparison) -> str:
    """The difference, and a mark where it is too large."""
    if comparison.relative is None:
        return "unknown" if comparison.excess is None else "equal" if comparison.excess == 0 else "differs"
    return f"{100 * comparison.relative:+.1f} %{'' if comparison.holds else ' FAILED'}"


def _allowed(comparison: Comparison) -> str:
    tolerance = comparison.tolerance
    parts = [percent(tolerance.share)] if tolerance.share > 0 else []
    parts += [_text(tolerance.quantity, tolerance.slack)] if tolerance.slack > 0 else []
    return "within " + " or ".join(parts)


def _text(quantity: str, value: float | None) -> str:
    name = quantity.split(".")[0]
    if value is None:
        return "unknown"
    if name.endswith("_bps"):
        return bits_per_second(value)
    if name.endswith("_s") and not name.endswith("per_s"):
        return seconds(value)
    return percent(value) if name.endswith(("utilisation", "share")) else count(value)


def _paint(figure: Figure, compared: Sequence[Comparison]) -> None:
    """A row for each quantity, a mark for each world; the band is the tolerance."""
    axis = figure.subplots()
    labels = list(dict.fromkeys(f"{each.of}: {each.tolerance.quantity}" for each in compared))
    axis.axvspan(-_BAND, _BAND, color="#dddddd", label="tolerance")
    for world in dict.fromkeys(each.world for each in compared):
        known = [(each, each.excess) for each in compared if each.world == world and each.excess is not None]
        x = [max(-_WIDEST, min(_WIDEST, excess)) for _, excess in known]
        y = [labels.index(f"{each.of}: {each.tolerance.quantity}") for each, _ in known]
        axis.plot(x, y, "o", color=_COLOURS[world], label=world)
    axis.axvline(0.0, color="black", linewidth=0.8)
    axis.set_xlim(-1.05 * _WIDEST, 1.05 * _WIDEST)
    axis.set_ylim(len(labels) - 0.5, -0.5)
    name_ticks(axis.yaxis, range(len(labels)), labels)
    axis.set_xlabel("difference, in units of what is allowed")
    figure.legend(loc="outside upper right", ncols=5)
