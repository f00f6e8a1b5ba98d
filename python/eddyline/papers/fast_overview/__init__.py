"""The overview of FAST (2003): the record path of SC2002."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview import alpha, conventional, host, loss, record, vegas
from eddyline.papers.reproduction import reproduced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers import Paper
    from eddyline.papers.reproduction import Builders, Reproduced
    from eddyline.progress import Observer

__all__ = ["EXHIBITS", "reproduce"]

EXHIBITS: Builders = {
    "record": record.table,
    "controllers": record.controllers,
    "alpha": alpha.sweep,
    "random-loss": loss.search,
    "host-cost": host.cost,
    "conventional": conventional.sweep,
    "vegas-loss": vegas.loss,
    "vegas-delay": vegas.delay,
    "vegas-base-rtt": vegas.base_rtt,
}
"""What makes each exhibit, in the order of the report."""


def reproduce(paper: Paper, exhibits: Sequence[str] = (), listener: Observer | None = None) -> Reproduced:
    """Reproduces the overview, or the exhibits named."""
    return reproduced(paper, EXHIBITS, exhibits, listener)
