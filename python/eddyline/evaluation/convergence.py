"""Convergence: a second flow of the kind joins (delta-fair convergence, RFC 5166, section 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eddyline.evaluation.experiment import Experiment, Taken, series_of, sliding
from eddyline.evaluation.path import NARROW, noise
from eddyline.reports.exhibit import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.evaluation.experiment import Numbers, Point, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject
    from eddyline.scenario import Result, Scenario

__all__ = ["CONVERGENCE", "JOINS_S"]

JOINS_S = 20.0
_LENGTH_S = (140.0, 60.0)  # thorough and quick
_STEP_S = 0.5
_WINDOW_S = 5.0
_LATE = 0.5
"""The late part, as a share of the time with both flows."""


def _points(_quick: bool) -> Sequence[Point]:
    return [{}]


def _scenario(subject: Subject, _point: Point, setting: Setting, seed: int) -> Scenario:
    table = {
        "duration": f"{_LENGTH_S[setting.quick]} s",
        "record": {"interval": f"{_STEP_S} s"},
        "seed": seed,
        "link": NARROW.links(1.0, setting.queue),
        "flow": [subject.flow("tested first", setting), subject.flow("tested second", setting, start=f"{JOINS_S} s")],
        "traffic": noise(),
    }
    return subject.scenario(table, NARROW.rate_bps)


def _take(_subject: Subject, _point: Point, result: Result) -> Taken:
    times, first = series_of(result, "throughput_bps", "tested first")
    _, second = series_of(result, "throughput_bps", "tested second")
    width = round(_WINDOW_S / _STEP_S)
    joined = times > JOINS_S
    one, other = sliding(first[joined], width), sliding(second[joined], width)
    since = times[joined][width - 1 :] - JOINS_S
    late = slice(round((1 - _LATE) * len(one)), None)
    had = one[late] + other[late] > 0
    mine, both = other[late][had], (one[late] + other[late])[had]
    jain = both**2 / (2 * (mine**2 + (both - mine) ** 2))
    windows = {
        f"{name}_window_packets": series_of(result, "cwnd_packets", f"tested {name}")[1] for name in ("first", "second")
    }
    return Taken(
        {
            "settled_20_s": _settled(since, one, other, 0.20),
            "settled_5_s": _settled(since, one, other, 0.05),
            "jain": float(jain.mean()) if len(jain) else None,
            "second_share": float(mine.sum() / both.sum()) if len(jain) else None,
        },
        {"time_s": times, "first_bps": first, "second_bps": second, **windows},
    )


def _settled(since: Numbers, one: Numbers, other: Numbers, delta: float) -> float | None:
    """The first time from which the shares, of 5 s and of the rest, are between (1 - delta) / 2 and (1 + delta) / 2."""
    both, apart = one + other, other - one
    rest, rest_apart = (np.cumsum(values[::-1])[::-1] for values in (both, apart))
    within = np.flatnonzero((both > 0) & (np.abs(apart) <= delta * both) & (np.abs(rest_apart) <= delta * rest))
    return float(since[within[0]]) if len(within) else None


def _figures(rows: Sequence[Row]) -> dict[str, float | None]:
    return {key: rows[0][key] for key in ("settled_20_s", "settled_5_s", "jain")}


CONVERGENCE = Experiment(
    name="convergence",
    title="Convergence",
    place="20 Mbit/s, 40 ms, buffer of 1 BDP, 1 Mbit/s of Poisson traffic",
    reading=(
        "A second flow joins after 20 s. Settled: the end of the first 5 s in which the flows' shares of what both"
        " have are between (1 - delta) / 2 and (1 + delta) / 2, and in the mean from then to the end, counted from the "
        "joining, for delta 20 % and 5 %. "
        "Jain's index (of rates over 5 s) and the second flow's share are means over the later half of the time "
        "with both."
    ),
    points=_points,
    scenario=_scenario,
    take=_take,
    columns=(
        Column("settled_20_s", "settled within 20 %", "s"),
        Column("settled_5_s", "settled within 5 %", "s"),
        Column("jain", "Jain's index", digits=3),
        Column("second_share", "second's share", percent=True),
    ),
    figures=_figures,
    figure_columns=(
        Column("settled_20_s", "settled within 20 %", "s", digits=3),
        Column("settled_5_s", "settled within 5 %", "s", digits=3),
        Column("jain", "Jain's index", digits=3),
    ),
    series=True,
    chance=True,
)
