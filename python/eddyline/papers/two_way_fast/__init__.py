"""Performance Effects of Two-way FAST TCP (Ge, Chan, Andrew, Li, Tan, Zukerman)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.reproduction import reproduced
from eddyline.papers.two_way_fast import examples, figure_2, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers import Paper
    from eddyline.papers.reproduction import Builders, Reproduced

__all__ = ["EXHIBITS", "reproduce"]

EXHIBITS: Builders = {
    **{f"example-{n}": examples.builder(n) for n in range(1, 6)},
    "table-1": tables.table_1,
    "table-2": tables.table_2,
    "table-3": tables.table_3,
    "theorem-1": examples.theorem,
    "fig-2": figure_2.build,
}
"""What makes each exhibit, in the order of the report."""


def reproduce(paper: Paper, exhibits: Sequence[str] = ()) -> Reproduced:
    """Reproduces the paper, or the exhibits named."""
    return reproduced(paper, EXHIBITS, exhibits)
