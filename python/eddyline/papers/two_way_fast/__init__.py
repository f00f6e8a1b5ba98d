"""Performance Effects of Two-way FAST TCP (Ge, Chan, Andrew, Li, Tan, Zukerman)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.reproduction import reproduced
from eddyline.papers.two_way_fast import (
    ack_congestion,
    ack_priority,
    conditions,
    efficiency,
    examples,
    figure_2,
    figure_5,
    film,
    joining,
    late_joiners,
    one_way_delay,
    separation,
    starts,
    switching,
    tables,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers import Paper
    from eddyline.papers.reproduction import Builders, Reproduced
    from eddyline.progress import Observer

__all__ = ["EXHIBITS", "reproduce"]

EXHIBITS: Builders = {
    "theorem-1": examples.theorem,
    "bottleneck-map": conditions.map_of_bottlenecks,
    "flow-counts": conditions.counts,
    "utilisation": efficiency.utilisation,
    "joining": joining.build,
    "fig-2": figure_2.build,
    **{f"example-{n}": examples.builder(n) for n in range(1, 6)},
    "example-4-start": starts.build,
    "table-1": tables.table_1,
    "table-2": tables.table_2,
    "table-3": tables.table_3,
    "balance": efficiency.balance,
    "switching": switching.build,
    "fast-ack-priority": ack_priority.build,
    "one-way-delay": one_way_delay.build,
    "ack-congestion": ack_congestion.build,
    "late-joiners": late_joiners.build,
    "film": film.film,
    "film-load": film.load,
    "fig-4": film.figure_4,
    "fig-5": figure_5.build,
    "fig-5-timescale": separation.build,
}
"""What makes each exhibit, in the order of the report."""


def reproduce(paper: Paper, exhibits: Sequence[str] = (), listener: Observer | None = None) -> Reproduced:
    """Reproduces the paper, or the exhibits named."""
    return reproduced(paper, EXHIBITS, exhibits, listener)
