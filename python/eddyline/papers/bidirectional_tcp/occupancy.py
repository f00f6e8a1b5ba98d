"""Both queues over time: the paper's three cases, overflows, correlation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eddyline.papers.runner import RunResult

    Numbers = NDArray[np.float64]

__all__ = ["Cases", "Occupancy", "case_1_after_overflow", "cases", "correlation_at", "halvings", "lags", "overflows"]

_PACKET = 1500
_HALVED = 0.75
"""A window that falls below this share of itself from one sample to the next has been halved."""


@dataclass(frozen=True)
class Occupancy:
    """Both queues, in bytes, and both windows, in packets, sampled every `interval_s`."""

    interval_s: float
    times: Numbers
    down: Numbers
    up: Numbers
    down_drops: Numbers
    up_drops: Numbers
    download_window: Numbers
    upload_window: Numbers

    @classmethod
    def of(cls, result: RunResult, after_s: float) -> Occupancy:
        """From the series of a run, from `after_s` on."""

        def series(entity: str, quantity: str) -> Numbers:
            times, values = result.over_time(entity, quantity)
            return np.asarray(values)[np.asarray(times) > after_s]

        times = np.asarray(result.over_time("down", "queue_bytes")[0])
        kept = times[times > after_s]
        return cls(
            interval_s=float(kept[1] - kept[0]),
            times=kept,
            down=series("down", "queue_bytes"),
            up=series("up", "queue_bytes"),
            down_drops=kept[series("down", "drops") > 0],
            up_drops=kept[series("up", "drops") > 0],
            download_window=series("download", "cwnd_packets"),
            upload_window=series("upload", "cwnd_packets"),
        )


@dataclass(frozen=True)
class Cases:
    """Shares of time with a standing queue at the uplink only (1), the downlink only (2), both (3), neither."""

    one: float
    two: float
    three: float
    idle: float


def cases(o: Occupancy, standing: float = _PACKET) -> Cases:
    """Shares of time in the cases after eq. 4; a queue stands where more than `standing` bytes wait.

    A single packet on its way is no standing queue, and acknowledgements have no size in the equations.
    """
    down, up = o.down > standing, o.up > standing
    return Cases(
        float(np.mean(~down & up)), float(np.mean(down & ~up)), float(np.mean(down & up)), float(np.mean(~down & ~up))
    )


def case_1_after_overflow(o: Occupancy, within_s: float) -> float | None:
    """Share of the time in case 1 that is within `within_s` after a drop at the downlink; None without case 1.

    The first `within_s` do not count, since drops before the first sample are not recorded.
    """
    case_1 = (o.down <= _PACKET) & (o.up > _PACKET) & (o.times > o.times[0] + within_s)
    at, drops = o.times[case_1], np.concatenate([[-np.inf], o.down_drops])
    if not len(at):
        return None
    return float(np.mean(at - drops[np.searchsorted(drops, at, side="right") - 1] <= within_s))


def overflows(drops: Numbers, gap_s: float) -> list[float]:
    """Start times of overflows: drops within `gap_s` of one another are one overflow."""
    if not len(drops):
        return []
    return [float(drops[0]), *(float(b) for a, b in pairwise(drops) if b - a > gap_s)]


def halvings(o: Occupancy, window: Numbers) -> list[float]:
    """Times at which a window was halved."""
    halved = window[1:] < _HALVED * window[:-1]
    return [float(t) for t in o.times[1:][halved]]


def lags(o: Occupancy, max_lag_s: float) -> Numbers:
    """Lags from `-max_lag_s` to `max_lag_s`, one interval apart."""
    steps = round(max_lag_s / o.interval_s)
    return np.arange(-steps, steps + 1, dtype=np.float64) * o.interval_s


def correlation_at(o: Occupancy, lag_s: float) -> float:
    """Correlation of the downlink's queue with the uplink's `lag_s` later: Pearson's, over the samples that overlap."""
    shift = round(lag_s / o.interval_s)
    n = len(o.down)
    down, up = o.down[max(0, -shift) : n - max(0, shift)], o.up[max(0, shift) : n - max(0, -shift)]
    return float(np.corrcoef(down, up)[0, 1])
