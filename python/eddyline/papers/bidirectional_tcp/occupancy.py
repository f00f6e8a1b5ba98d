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
    Flags = NDArray[np.bool_]

__all__ = [
    "Cases",
    "Occupancy",
    "case_1_after_overflow",
    "cases",
    "correlation_at",
    "halvings",
    "in_case",
    "in_proportion",
    "lags",
    "overflows",
    "within_eq_5",
]

_PACKET = 1500
_NO_DATA = _PACKET - 1
"""A queue of no more bytes than this has no data packet waiting: d = 0 in the paper's terms."""
_PAYLOAD = 1460
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


def in_case(o: Occupancy, standing: float = _NO_DATA) -> tuple[Flags, Flags, Flags]:
    """Samples in cases 1, 2 and 3 after eq. 4: data waits at the uplink only, at the downlink only, at both."""
    down, up = o.down > standing, o.up > standing
    return ~down & up, down & ~up, down & up


def cases(o: Occupancy, standing: float = _NO_DATA) -> Cases:
    """Shares of time in the cases after eq. 4; data waits where there are more than `standing` bytes.

    By the paper's definition d is the number of data bytes in the buffer, so one packet that waits is d > 0, and
    acknowledgements have no size. With 1,500 B a single packet on its way does not count as a queue.
    """
    one, two, three = in_case(o, standing)
    return Cases(*(float(np.mean(flags)) for flags in (one, two, three, ~(one | two | three))))


def within_eq_5(o: Occupancy, flags: Flags, window: int, side: int) -> float | None:
    """Share of the samples `flags` in which the download's window is at most (side -1) or at least (1) the upload's.

    The capacities are equal. No window exceeds the receiver's, `window` bytes. None without such samples.
    """
    if not flags.any():
        return None
    most = window // _PAYLOAD
    difference = np.minimum(o.download_window[flags], most) - np.minimum(o.upload_window[flags], most)
    return float(np.mean(side * difference >= 0))


def in_proportion(o: Occupancy, flags: Flags, window: int, within: float) -> float | None:
    """Share of the samples `flags` in which the windows differ by at most `within`; capacities are equal."""
    if not flags.any():
        return None
    most = window // _PAYLOAD
    ratio = np.minimum(o.download_window[flags], most) / np.minimum(o.upload_window[flags], most)
    return float(np.mean(np.abs(ratio - 1.0) <= within))


def case_1_after_overflow(o: Occupancy, within_s: float) -> float | None:
    """Share of the time in case 1 that is within `within_s` after a drop at the downlink; None without case 1.

    The first `within_s` do not count, since drops before the first sample are not recorded.
    """
    case_1 = in_case(o)[0] & (o.times > o.times[0] + within_s)
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
