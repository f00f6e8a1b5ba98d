"""The cures, ranked: queue disciplines and options of TCP on the paper's link and on five access links of today."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.cures.access_links import ACCESS_LINKS
from eddyline.papers.bidirectional_tcp.cures.catalogue import catalogue
from eddyline.papers.bidirectional_tcp.cures.drawing import draw
from eddyline.papers.bidirectional_tcp.cures.ranking import findings, ranked
from eddyline.papers.bidirectional_tcp.cures.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.bidirectional_tcp.cures.access_links import AccessLink
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["UPLOADS", "build", "exhibit", "rows_of"]

UPLOADS = (1, 10)


def rows_of(context: Context, links: Sequence[AccessLink], uploads: Sequence[int] = UPLOADS) -> list[Row]:
    """Every cure on these links, ranked."""
    trials = [Trial(link, n, cure) for link in links for n in uploads for cure in catalogue(link, n)]
    plans = [t.runs() for t in trials]
    results = iter(context.runner.run_all([run for plan in plans for run in plan]))
    return ranked([t.row([next(results) for _ in plan]) for t, plan in zip(trials, plans, strict=True)])


def build(context: Context) -> Exhibit:
    """All access links, one and ten uploads."""
    return exhibit(context, ACCESS_LINKS)


def exhibit(context: Context, links: Sequence[AccessLink]) -> Exhibit:
    """These access links, one and ten uploads."""
    rows = rows_of(context, links)
    definition = context.definition("cures")
    durations = [
        definition.finding("duration", {"link": k.name, "duration_s": k.duration_s, "warmup_s": k.warmup_s})
        for k in links
    ]
    by_link = {k.name: [r for r in rows if r["line"] == k.name] for k in links}
    return definition.exhibit(
        rows,
        values={"durations": ", ".join(durations)},
        findings=findings(rows, definition),
        draw={name: partial(draw, rows=part) for name, part in by_link.items()},
    )
