"""The overview of FAST (2003): the record path of SC2002."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview import alpha, conventional, host, loss, record, vegas

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Builders

__all__ = ["EXHIBITS"]

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
"""The function that makes each exhibit, by its id, in the order of the report."""
