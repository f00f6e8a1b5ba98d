"""What all experiments are: points that are simulated for each controller, and how numbers and curves are taken."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import linear_regression
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject
    from eddyline.reports.exhibit import Column
    from eddyline.result import Result
    from eddyline.scenario import Scenario

    Numbers: TypeAlias = npt.NDArray[np.float64]
    Point: TypeAlias = Mapping[str, float | str]
    Row: TypeAlias = dict[str, Any]
    Curves: TypeAlias = Mapping[str, Numbers]

__all__ = ["Experiment", "Taken", "exponent", "series_of", "sliding"]


@dataclass(frozen=True)
class Taken:
    """What came of one run.

    Attributes:
        numbers: By column; None where the run does not know.
        curves: Columns of equal length, `time_s` first, where there is something to see over time.
    """

    numbers: Mapping[str, float | bool | None]
    curves: Curves | None = None


@dataclass(frozen=True)
class Experiment:
    """One thing that is measured.

    Attributes:
        name: What `--only` calls it.
        title: What it is, in a few words.
        place: The path, in a few words.
        reading: How it is measured and how to read it.
        points: What is simulated, for a quick look or not.
        scenario: One simulation.
        take: Takes the numbers and curves of one.
        columns: Keys of points, then of numbers, as people see them.
        figures: What the rows of one controller say in a few numbers, for the table of all of them.
        figure_columns: These, as people see them.
        series: Whether runs record series.
        chance: Whether seeds matter: else each point runs once.
        any_queue: Whether the queue at the bottleneck may be chosen.
    """

    name: str
    title: str
    place: str
    reading: str
    points: Callable[[bool], Sequence[Point]]
    scenario: Callable[[Subject, Point, Setting, int], Scenario]
    take: Callable[[Subject, Point, Result], Taken]
    columns: Sequence[Column]
    figures: Callable[[Sequence[Row]], dict[str, float | None]]
    figure_columns: Sequence[Column]
    series: bool = False
    chance: bool = False
    any_queue: bool = True


def exponent(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The power with which the second of each pair goes as the first: least squares of logarithms; None of one pair."""
    if len({x for x, _ in pairs}) < 2:
        return None
    return linear_regression([math.log(x) for x, _ in pairs], [math.log(y) for _, y in pairs]).slope


def series_of(result: Result, quantity: str, entity: str) -> tuple[Numbers, Numbers]:
    """Times and values of one quantity of one flow or link."""
    series = result.series
    rows = series[(series["quantity"] == quantity) & (series["entity"] == entity)]
    return rows["time_s"].to_numpy(dtype=np.float64), rows["value"].to_numpy(dtype=np.float64)


def sliding(values: Numbers, width: int) -> Numbers:
    """Means over the last `width` values, from the first place where there are so many."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    means: Numbers = (total[width:] - total[:-width]) / width
    return means
