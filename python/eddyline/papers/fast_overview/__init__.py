"""The overview of FAST (2003): the record path of SC2002."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview import alpha, conventional, fairness, host, loss, record, vegas, vegas_delay
from eddyline.papers.fast_overview.record import long_notice

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Builders

__all__ = ["EXHIBITS", "long_notice"]

EXHIBITS: Builders = {
    "record": record.table,
    "card": host.card,
    "controllers": record.controllers,
    "gamma": alpha.overshoot,
    "alpha": alpha.sweep,
    "random-loss": loss.search,
    "host-cost": host.cost,
    "conventional": conventional.sweep,
    "fast-fairness": fairness.shares,
    "vegas-loss": vegas.loss,
    "vegas-scale": vegas.scale,
    "vegas-delay": vegas_delay.delay,
    "vegas-base-rtt": vegas.base_rtt,
}
"""The function that makes each exhibit, by its id, in the order of the report."""
