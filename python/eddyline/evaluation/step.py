"""Reaction to a step of the capacity: down to half and back (RFC 5166, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eddyline.evaluation.experiment import Experiment, Taken, series_of, sliding
from eddyline.evaluation.path import NARROW
from eddyline.reports.exhibit import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.evaluation.experiment import Point, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject
    from eddyline.scenario import Result, Scenario

__all__ = ["DOWN_S", "STEP", "UP_S"]

DOWN_S, UP_S, _END_S = 30.0, 60.0, 90.0
_BUFFER_BDP = 0.5
"""Not more: with a longer buffer the window at half the capacity would fill the whole, without any recovery."""
_STEP_S = 0.1
_HOLD_S = 1.0
_FIRST_S, _LATER_S = 5.0, 15.0
_RECOVERED = 0.9


def _points(_quick: bool) -> Sequence[Point]:
    return [{}]


def _scenario(subject: Subject, _point: Point, setting: Setting, seed: int) -> Scenario:
    changes = [
        {"at": f"{DOWN_S} s", "rate": f"{NARROW.rate_bps / 2:.0f} bit/s"},
        {"at": f"{UP_S} s", "rate": f"{NARROW.rate_bps:.0f} bit/s"},
    ]
    table = {
        "duration": f"{_END_S} s",
        "record": {"interval": f"{_STEP_S} s"},
        "seed": seed,
        "link": NARROW.links(_BUFFER_BDP, setting.queue, changes=changes),
        "flow": [subject.flow("tested", setting)],
    }
    return subject.scenario(table, NARROW.rate_bps)


def _take(_subject: Subject, _point: Point, result: Result) -> Taken:
    times, rate = series_of(result, "throughput_bps", "tested")
    _, waiting = series_of(result, "queue_bytes", "there")
    _, drops = series_of(result, "drops", "there")
    # a value is the mean over the interval that ends at its time
    half = (times > DOWN_S) & (times <= UP_S)
    delay = 8 * waiting / np.where(half, NARROW.rate_bps / 2, NARROW.rate_bps)
    at_first = half & (times <= DOWN_S + _FIRST_S)
    later = half & (times > DOWN_S + _LATER_S)
    peak, rest = float(delay[at_first].max()), float(delay[later].mean())
    after = times > UP_S
    held = np.flatnonzero(sliding(rate[after], round(_HOLD_S / _STEP_S)) >= _RECOVERED * NARROW.rate_bps - 1e-6)
    return Taken(
        {
            "half_share": float(rate[half & (times > DOWN_S + 2)].mean()) / (NARROW.rate_bps / 2),
            "peak_delay_s": peak,
            "half_delay_s": rest,
            "overshoot_s": max(0.0, peak - rest),
            "drops": float(drops[half].sum()),
            "recovery_s": float(held[0] * _STEP_S) if len(held) else None,
        },
        {"time_s": times, "rate_bps": rate, "queueing_delay_s": delay},
    )


def _figures(rows: Sequence[Row]) -> dict[str, float | None]:
    return {key: rows[0][key] for key in ("overshoot_s", "recovery_s")}


STEP = Experiment(
    name="step",
    title="Capacity step",
    place="20 Mbit/s, 40 ms, buffer of half a BDP; 10 Mbit/s from 30 to 60 s",
    reading=(
        "One flow. Its share of the halved capacity from 2 s after the step on; the longest queueing delay in the "
        "first 5 s, the mean from 15 s on, and by how much the first is above the second; packets dropped "
        "meanwhile. Recovered: the beginning of the first second with nine tenths of the whole capacity after it "
        "is back."
    ),
    points=_points,
    scenario=_scenario,
    take=_take,
    columns=(
        Column("half_share", "use of the half", percent=True),
        Column("peak_delay_s", "peak delay", "ms", 1e-3, digits=3),
        Column("half_delay_s", "delay later", "ms", 1e-3, digits=3),
        Column("overshoot_s", "overshoot", "ms", 1e-3, digits=3),
        Column("drops", "dropped", "packets"),
        Column("recovery_s", "recovered after", "s", digits=3),
    ),
    figures=_figures,
    figure_columns=(
        Column("overshoot_s", "delay overshoot at half the capacity", "ms", 1e-3, digits=3),
        Column("recovery_s", "recovery at the whole", "s", digits=3),
    ),
    series=True,
)
