"""What experiments are: points to simulate for each controller, and how numbers and curves are measured."""

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
    from eddyline.scenario import Result, Scenario

    Numbers: TypeAlias = npt.NDArray[np.float64]
    Point: TypeAlias = Mapping[str, float | str]
    Row: TypeAlias = dict[str, Any]
    Curves: TypeAlias = Mapping[str, Numbers]

__all__ = ["Experiment", "Taken", "exponent", "series_of", "sliding"]


@dataclass(frozen=True)
class Taken:
    """Measurements of one run.

    Attributes:
        numbers: By column; None where the run does not have the value.
        curves: Columns of equal length, `time_s` first, where the experiment shows something over time.
    """

    numbers: Mapping[str, float | bool | str | None]
    curves: Curves | None = None


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes:
        name: Its name for `--only`.
        title: Its title.
        place: The path, in a few words.
        reading: How it is measured and how to read it.
        points: The points to simulate, for a quick evaluation or a thorough one.
        scenario: The scenario of a point.
        take: Measures numbers and curves in a run.
        columns: Columns of the table: keys of points, then of numbers.
        figures: Key figures of the rows of one controller, for the table of all controllers.
        figure_columns: Their columns.
        series: Whether runs record series.
        chance: Whether seeds matter; otherwise each point runs once.
        any_queue: Whether the queue at the bottleneck can be chosen.
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
    """The exponent b of y ~ x^b over pairs (x, y), by least squares of logarithms; None of fewer than two x."""
    if len({x for x, _ in pairs}) < 2:
        return None
    return linear_regression([math.log(x) for x, _ in pairs], [math.log(y) for _, y in pairs]).slope


def series_of(result: Result, quantity: str, entity: str) -> tuple[Numbers, Numbers]:
    """Times and values of one quantity of one flow or link."""
    series = result.series
    rows = series[(series["quantity"] == quantity) & (series["entity"] == entity)]
    return rows["time_s"].to_numpy(dtype=np.float64), rows["value"].to_numpy(dtype=np.float64)


def sliding(values: Numbers, width: int) -> Numbers:
    """Moving averages over `width` values."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    means: Numbers = (total[width:] - total[:-width]) / width
    return means
