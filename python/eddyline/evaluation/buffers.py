"""Utilisation and queue of a flow alone, over the buffer (RFC 5166, section 2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.evaluation.experiment import Experiment, Taken
from eddyline.evaluation.path import NARROW
from eddyline.latency import grade
from eddyline.reports.exhibit import Column
from eddyline.retransmissions import resent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.evaluation.experiment import Point, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject
    from eddyline.scenario import Result, Scenario

__all__ = ["BUFFERS"]

_SIZES = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
_QUICK = (0.1, 1.0, 4.0)
_WARMUP_S, _MEASURED_S, _PER_BDP_S = 20.0, 60.0, 40.0  # the cycle grows with the buffer
_SPEEDUP = 3.0


def _points(quick: bool) -> Sequence[Point]:
    return [{"buffer_bdp": size} for size in (_QUICK if quick else _SIZES)]


def _scenario(subject: Subject, point: Point, setting: Setting, seed: int) -> Scenario:
    size, speedup = float(point["buffer_bdp"]), _SPEEDUP if setting.quick else 1.0
    warmup, measured = _WARMUP_S / speedup, (_MEASURED_S + _PER_BDP_S * size) / speedup
    table = {
        "duration": f"{warmup + measured:.6f} s",
        "warmup": f"{warmup:.6f} s",
        "seed": seed,
        "link": NARROW.links(size, setting.queue),
        "flow": [subject.flow("tested", setting)],
    }
    return subject.scenario(table, NARROW.rate_bps)


def _take(_subject: Subject, _point: Point, result: Result) -> Taken:
    document = result.to_dict()
    flow, link = document["flows"][0], document["links"][0]
    return Taken(
        {
            "utilisation": link["utilisation"],
            "queueing_delay_s": link["queueing_delay_s"]["mean"],
            "queueing_delay_p99_s": link["queueing_delay_s"]["p99"],
            "responsiveness_rpm": flow["responsiveness_rpm"],
            "grade": grade(0.0, link["queueing_delay_s"]["mean"]),
            "queue_packets": link["queue_packets"]["mean"],
            "resent": resent(document["world"], result.scenario.to_dict()["flow"], [flow]),
        }
    )


def _figures(rows: Sequence[Row]) -> dict[str, float | None]:
    smallest = rows[0]
    delays = {r["buffer_bdp"]: r["queueing_delay_s"] for r in rows}
    at = {r["buffer_bdp"]: r["responsiveness_rpm"] for r in rows}
    return {
        "shallow_utilisation": smallest["utilisation"] if smallest["buffer_bdp"] == _SIZES[0] else None,
        "queueing_delay_1_bdp_s": delays.get(1.0),
        "queueing_delay_10_bdp_s": delays.get(10.0),
        "responsiveness_10_bdp_rpm": at.get(10.0),
    }


BUFFERS = Experiment(
    name="buffers",
    title="Use and queue over the buffer",
    place="20 Mbit/s, 40 ms, alone",
    reading=(
        "One flow alone: the share of time in which the link transmits, the queueing delay (mean and 99th "
        "percentile), its round trips a minute (RPM, draft-ietf-ippm-responsiveness on the loaded connection), the "
        "bufferbloat grade of the mean queueing delay, and the share of packets "
        "sent again, over the buffer in bandwidth-delay products."
    ),
    points=_points,
    scenario=_scenario,
    take=_take,
    columns=(
        Column("buffer_bdp", "buffer", "BDP"),
        Column("utilisation", "use", percent=True),
        Column("queueing_delay_s", "queueing delay", "ms", 1e-3),
        Column("queueing_delay_p99_s", "99th percentile", "ms", 1e-3),
        Column("responsiveness_rpm", "RPM", digits=3),
        Column("grade", "grade"),
        Column("queue_packets", "mean queue", "packets"),
        Column("resent", "sent again", percent=True, digits=5),
    ),
    figures=_figures,
    figure_columns=(
        Column("shallow_utilisation", "use with 0.1 BDP", percent=True),
        Column("queueing_delay_1_bdp_s", "queueing with 1 BDP", "ms", 1e-3, digits=3),
        Column("queueing_delay_10_bdp_s", "with 10 BDP", "ms", 1e-3, digits=3),
        Column("responsiveness_10_bdp_rpm", "RPM with 10 BDP", digits=3),
    ),
)
