"""The window of a single flow over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.evaluation.experiment import Experiment, Taken, series_of
from eddyline.evaluation.path import WIDE
from eddyline.reports.exhibit import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.evaluation.experiment import Point, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject
    from eddyline.scenario import Result, Scenario

__all__ = ["BUFFER_BDP", "TRACE"]

BUFFER_BDP = 0.5
_LENGTH_S = (60.0, 30.0)  # thorough and quick
_STEP_S = 0.1
_WARMUP = 0.25
"""Share of the time before the measurement."""


def _points(_quick: bool) -> Sequence[Point]:
    return [{}]


def _scenario(subject: Subject, _point: Point, setting: Setting, seed: int) -> Scenario:
    table = {
        "duration": f"{_LENGTH_S[setting.quick]} s",
        "warmup": f"{_WARMUP * _LENGTH_S[setting.quick]} s",
        "record": {"interval": f"{_STEP_S} s"},
        "seed": seed,
        "link": WIDE.links(BUFFER_BDP, setting.queue),
        "flow": [subject.flow("tested", setting)],
    }
    return subject.scenario(table, WIDE.rate_bps)


def _take(_subject: Subject, _point: Point, result: Result) -> Taken:
    flow = result.to_dict()["flows"][0]
    times, window = series_of(result, "cwnd_packets", "tested")
    _, in_flight = series_of(result, "in_flight_packets", "tested")
    counted = window[times > _WARMUP * times[-1]]
    return Taken(
        {
            "window_packets": flow["window_packets"]["mean"],
            "least_window_packets": flow["window_packets"]["min"],
            "largest_window_packets": flow["window_packets"]["max"],
            "window_variation": float(counted.std() / counted.mean()),
            "goodput_bps": flow["goodput_bps"],
            "rtt_s": flow["rtt_s"]["mean"],
        },
        {"time_s": times, "window_packets": window, "in_flight_packets": in_flight},
    )


def _figures(rows: Sequence[Row]) -> dict[str, float | None]:
    return {"window_variation": rows[0]["window_variation"]}


TRACE = Experiment(
    name="trace",
    title="The window alone",
    place="100 Mbit/s, 40 ms, buffer of half a BDP",
    reading=(
        "One flow alone for a minute, half of it in a quick evaluation: its window over time. Numbers are from a "
        "quarter of the time on: mean, minimum and maximum window, the window's standard deviation over its mean, "
        "goodput, mean round-trip time."
    ),
    points=_points,
    scenario=_scenario,
    take=_take,
    columns=(
        Column("window_packets", "mean window", "packets"),
        Column("least_window_packets", "min", "packets"),
        Column("largest_window_packets", "max", "packets"),
        Column("window_variation", "variation", percent=True),
        Column("goodput_bps", "goodput", "Mbit/s", 1e6),
        Column("rtt_s", "round trip", "ms", 1e-3),
    ),
    figures=_figures,
    figure_columns=(Column("window_variation", "the window's variation", percent=True),),
    series=True,
)
