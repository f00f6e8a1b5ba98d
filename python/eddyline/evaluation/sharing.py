"""Sharing with others: beside Reno and beside CUBIC, over the buffer (RFC 5166, section 2.3; RFC 9743, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.evaluation.experiment import Experiment, Taken
from eddyline.evaluation.path import NARROW, noise
from eddyline.evaluation.subject import Subject
from eddyline.reports.exhibit import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.evaluation.experiment import Point, Row
    from eddyline.evaluation.path import Setting
    from eddyline.scenario import Result, Scenario

__all__ = ["RIVALS", "SHARING"]

RIVALS = ("reno", "cubic")
_BUFFERS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
_QUICK = (0.5, 1.0, 4.0)
# the cycle of the window grows with the buffer
_WARMUP_S, _WARMUP_PER_BDP_S = 30.0, 15.0
_MEASURED_S, _MEASURED_PER_BDP_S = 90.0, 60.0
_SPEEDUP = 3.0


def _points(quick: bool) -> Sequence[Point]:
    return [{"rival": rival, "buffer_bdp": size} for rival in RIVALS for size in (_QUICK if quick else _BUFFERS)]


def _scenario(subject: Subject, point: Point, setting: Setting, seed: int) -> Scenario:
    size, speedup = float(point["buffer_bdp"]), _SPEEDUP if setting.quick else 1.0
    warmup = (_WARMUP_S + _WARMUP_PER_BDP_S * size) / speedup
    measured = (_MEASURED_S + _MEASURED_PER_BDP_S * size) / speedup
    rival = Subject(str(point["rival"])).flow("rival", setting, start="0.1 s")
    table = {
        "duration": f"{warmup + measured:.6f} s",
        "warmup": f"{warmup:.6f} s",
        "seed": seed,
        "link": NARROW.links(size, setting.queue),
        "flow": [subject.flow("tested", setting), rival],
        "traffic": noise(),
    }
    return subject.scenario(table, NARROW.rate_bps)


def _take(_subject: Subject, _point: Point, result: Result) -> Taken:
    mine, other = (float(f["goodput_bps"] or 0.0) for f in result.to_dict()["flows"])
    return Taken(
        {
            "share": mine / (mine + other) if mine + other > 0 else None,
            "goodput_bps": mine,
            "rival_goodput_bps": other,
        }
    )


def _figures(rows: Sequence[Row]) -> dict[str, float | None]:
    shares = {(r["rival"], r["buffer_bdp"]): r["share"] for r in rows}
    return {f"share_beside_{rival}": shares.get((rival, 1.0)) for rival in RIVALS}


SHARING = Experiment(
    name="sharing",
    title="Share beside Reno and CUBIC",
    place="20 Mbit/s, 40 ms, 1 Mbit/s of Poisson traffic",
    reading=(
        "One flow beside one of another kind, over the buffer in bandwidth-delay products: its share of what both "
        "have. Half is fair; more is taken from the other."
    ),
    points=_points,
    scenario=_scenario,
    take=_take,
    columns=(
        Column("rival", "beside"),
        Column("buffer_bdp", "buffer", "BDP"),
        Column("share", "share", percent=True),
        Column("goodput_bps", "its goodput", "Mbit/s", 1e6),
        Column("rival_goodput_bps", "the other's", "Mbit/s", 1e6),
    ),
    figures=_figures,
    figure_columns=(
        Column("share_beside_reno", "share beside Reno, 1 BDP", percent=True),
        Column("share_beside_cubic", "share beside CUBIC, 1 BDP", percent=True),
    ),
    chance=True,
)
