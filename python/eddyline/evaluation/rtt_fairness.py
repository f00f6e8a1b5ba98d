"""RTT fairness: two flows of one kind with round-trip times that differ (RFC 5166, section 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.evaluation.experiment import Experiment, Taken, exponent
from eddyline.evaluation.path import NARROW, noise
from eddyline.reports.exhibit import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.evaluation.experiment import Point, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject
    from eddyline.scenario import Result, Scenario

__all__ = ["RTT_FAIRNESS"]

_RATIOS = (1.0, 2.0, 4.0, 8.0)
_QUICK = (1.0, 4.0)
_SHALLOW, _DEEP = 1.0, 5.0
_WARMUP_S, _MEASURED_S = 40.0, 160.0  # a cycle of Reno's takes some 20 s with the deep buffer


def _points(quick: bool) -> Sequence[Point]:
    ratios = _QUICK if quick else _RATIOS
    return [{"buffer_bdp": size, "ratio": ratio} for size in (_SHALLOW, _DEEP) for ratio in ratios]


def _scenario(subject: Subject, point: Point, setting: Setting, seed: int) -> Scenario:
    extra = (float(point["ratio"]) - 1) * NARROW.rtt_s / 2
    access_delay = {"data": f"{extra:.9f} s", "ack": f"{extra:.9f} s"}
    table = {
        "duration": f"{_WARMUP_S + _MEASURED_S} s",
        "warmup": f"{_WARMUP_S} s",
        "seed": seed,
        "link": NARROW.links(float(point["buffer_bdp"]), setting.queue),
        "flow": [
            subject.flow("tested near", setting),
            subject.flow("tested far", setting, start="1 s", access_delay=access_delay),
        ],
        "traffic": noise(),
    }
    return subject.scenario(table, NARROW.rate_bps)


def _take(_subject: Subject, _point: Point, result: Result) -> Taken:
    near, far = result.to_dict()["flows"]
    known = near["throughput_bps"] and far["throughput_bps"]
    rtts = (near["rtt_s"]["mean"], far["rtt_s"]["mean"])
    return Taken(
        {
            "rtt_ratio": rtts[1] / rtts[0] if None not in rtts else None,
            "rate_ratio": near["throughput_bps"] / far["throughput_bps"] if known else None,
            "near_bps": near["throughput_bps"],
            "far_bps": far["throughput_bps"],
        }
    )


def _figures(rows: Sequence[Row]) -> dict[str, float | None]:
    known = [r for r in rows if r["rate_ratio"] and r["rtt_ratio"]]
    alike = next((r["rate_ratio"] for r in known if (r["buffer_bdp"], r["ratio"]) == (_SHALLOW, 1)), None)
    return {
        "equal_rtt_rate_ratio": alike,
        "rtt_exponent": _exponent(known, _SHALLOW),
        "rtt_exponent_deep": _exponent(known, _DEEP),
    }


def _exponent(rows: Sequence[Row], size: float) -> float | None:
    """The exponent of rates over round-trip times, queueing included."""
    return exponent([(r["rtt_ratio"], 1 / r["rate_ratio"]) for r in rows if r["buffer_bdp"] == size])


RTT_FAIRNESS = Experiment(
    name="rtt-fairness",
    title="RTT fairness",
    place="20 Mbit/s, 40 ms, buffer of 1 and 5 BDP, 1 Mbit/s of Poisson traffic",
    reading=(
        "Two flows of the kind: the near one has a round trip of 40 ms, the far one of 1 to 8 times that. "
        "The exponent says that rates go as round-trip times, queueing included, to that power (least squares). 0 "
        "is fair; Reno's is -1 where each flow loses the same share of its packets, as 1 / (RTT sqrt(p)), and -2 "
        "where both lose at the same moments (Lakshman and Madhow 1997)."
    ),
    points=_points,
    scenario=_scenario,
    take=_take,
    columns=(
        Column("buffer_bdp", "buffer", "BDP"),
        Column("ratio", "RTTs, unloaded", "far / near"),
        Column("rtt_ratio", "RTTs, measured", "far / near", digits=3),
        Column("rate_ratio", "rates", "near / far", digits=3),
        Column("near_bps", "near", "Mbit/s", 1e6),
        Column("far_bps", "far", "Mbit/s", 1e6),
    ),
    figures=_figures,
    figure_columns=(
        Column("equal_rtt_rate_ratio", "rates at equal RTT", "first / second", digits=3),
        Column("rtt_exponent", "RTT exponent, 1 BDP", digits=2),
        Column("rtt_exponent_deep", "RTT exponent, 5 BDP", digits=2),
    ),
    chance=True,
)
