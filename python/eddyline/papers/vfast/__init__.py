"""VFAST TCP: A delay-based enhanced version of FAST TCP (Belhaj, Tagina)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.vfast import (
    dilemma,
    fluctuation,
    jitter_queue,
    jitter_timeouts,
    readings,
    rivals,
    scenario_1,
    scenario_2,
    scenario_3,
    scenario_4,
    schedules,
    slip,
    smoothing,
    timeouts,
    weights,
)

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Builders

__all__ = ["EXHIBITS"]

EXHIBITS: Builders = {
    "fig-1": dilemma.oscillation,
    "rerouting": dilemma.rerouting,
    "eq-4-step": smoothing.step,
    "bias": smoothing.bias,
    "jitter-queue": jitter_queue.queue,
    "jitter-shares": jitter_queue.shares,
    "two-delays": fluctuation.delays,
    "fluctuating": fluctuation.fluctuating,
    "jitter-timeouts": jitter_timeouts.timeouts,
    "spurious": timeouts.spurious,
    "psi-grid": weights.grid,
    "psi-rank": weights.ranks,
    "fig-2": schedules.paths(2, "I"),
    "fig-3": schedules.schedule(3, "I"),
    "fig-4": scenario_1.figure_4,
    "fig-5": scenario_1.figure_5,
    "fig-6": scenario_1.figure_6,
    "fig-7": schedules.paths(7, "II"),
    "fig-8": schedules.schedule(8, "II"),
    "table-1": scenario_2.table_1,
    "fig-9": scenario_2.figure_9,
    "fig-10": scenario_2.figure_10,
    "slip": slip.slip,
    "fig-11": schedules.paths(11, "III"),
    "fig-12": schedules.schedule(12, "III"),
    "table-2": scenario_3.table_2,
    "table-3": scenario_3.table_3,
    "scenario-3-totals": scenario_3.figure_totals,
    "fig-13": schedules.paths(13, "IV"),
    "fig-14": schedules.schedule(14, "IV"),
    "fig-15": scenario_4.figure_15,
    "fig-16": scenario_4.figure_16,
    "scenario-4-totals": scenario_4.phases,
    "readings": readings.readings,
    "rivals": rivals.rivals,
}
"""The function that makes each exhibit, by its id, in the order of the report."""
