"""VFAST's exhibits made small, so tests are quick: the same builders over fewer cases, slower links, shorter times.

`EDDYLINE_SLOW=1` makes the tests take the exhibits themselves, and the record path as long as it is by default, which
are minutes of work.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from eddyline.papers.vfast import (
    EXHIBITS,
    fluctuation,
    jitter_queue,
    jitter_timeouts,
    rivals,
    scenario_1,
    scenario_2,
    scenario_3,
    scenario_4,
    slip,
    timeouts,
    weights,
)

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.papers.reproduction import Builders
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["BUILDERS", "made_up_grid"]

SLOW = bool(os.environ.get("EDDYLINE_SLOW"))
_ONE = ((40.0, "SACK"),)


def made_up_grid() -> list[Row]:
    """Made-up objectives: larger weights are better, in all but the last objective."""
    names = list(weights.OBJECTIVES)
    rows: list[Row] = []
    for down in (0.25, 0.5, 0.75):
        for up in (0.25, 0.5, 0.75):
            good = {name: 100.0 + (down + up) * (1 if more else -1) for name, (_, more) in weights.OBJECTIVES.items()}
            good[names[-1]] = 100.0 - down - up
            rows.append({"down": down, "up": up, **good})
    return rows


def _ranks(context: Context) -> Exhibit:
    context.cached("weights", made_up_grid)
    return weights.ranks(context)


def _grid(context: Context) -> Exhibit:
    context.cached("weights", made_up_grid)
    return weights.grid(context, (0.25, 0.5, 0.75))


_THIN: Builders = {
    **{name: build for name, build in EXHIBITS.items() if name != "readings"},
    "fluctuating": partial(fluctuation.fluctuating, seeds=1, stop=60.0),
    "jitter-queue": partial(jitter_queue.queue, spreads=(2,), seeds=1, stop=60.0),
    "jitter-shares": partial(jitter_queue.shares, spreads=(4,), seeds=1, stop=60.0),
    "jitter-timeouts": partial(jitter_timeouts.timeouts, spreads=(20,), times=("0 s", "2 s"), hours=0.5),
    "spurious": partial(timeouts.spurious, floors=("1 ms", "200 ms"), seeds=1, duration="60 s"),
    "psi-grid": _grid,
    "psi-rank": _ranks,
    "fig-4": partial(scenario_1.figure_4, rtts=(100.0,)),
    "fig-5": partial(scenario_1.figure_5, rtts=(100.0,)),
    "fig-6": partial(scenario_1.figure_6, rtts=(100.0,)),
    "table-1": partial(scenario_2.table_1, thin=10),
    "fig-9": partial(scenario_2.figure_9, thin=10),
    "fig-10": partial(scenario_2.figure_10, thin=10),
    "slip": partial(slip.slip, thin=100, recoveries=()),
    "table-2": partial(scenario_3.table_2, settings=_ONE),
    "table-3": partial(scenario_3.table_3, settings=_ONE),
    "scenario-3-totals": partial(scenario_3.figure_totals, settings=_ONE),
    "fig-15": partial(scenario_4.figure_15, recoveries=("SACK",), seeds=2),
    "fig-16": partial(scenario_4.figure_16, recoveries=("SACK",), seeds=2),
    "scenario-4-totals": partial(scenario_4.phases, recoveries=("SACK",)),
    "rivals": partial(rivals.rivals, buffers=(2.0, 5.0), alphas=(50,), numbers=(), duration="160 s"),
}

BUILDERS: Builders = EXHIBITS if SLOW else _THIN
