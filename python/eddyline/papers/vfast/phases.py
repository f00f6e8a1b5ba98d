"""What a phase looked like: shares, how long it took to settle, what it swung by and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Swing", "jain", "settling", "swing"]

SETTLED = 0.05
"""A series has settled once its one-second mean stays within this share of what it ends at."""


def jain(rates: Sequence[float]) -> float:
    """Jain's index: (sum x)^2 / (n sum x^2); 1 where all are equal, 1/n where one has everything."""
    squares = sum(r * r for r in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0


def settling(times: Sequence[float], values: Sequence[float], start: float, stop: float) -> float | None:
    """Seconds from `start` until the mean over a second stays within 5 % of the mean of the last quarter.

    None where it does not before that quarter begins.
    """
    t, v = np.asarray(times), np.asarray(values)
    inside = (t > start) & (t <= stop + 1e-9)
    t, v = t[inside], v[inside]
    if len(t) < 8:
        return None
    late = start + 0.75 * (stop - start)
    end = float(v[t > late].mean())
    if end <= 0:
        return None
    width = max(1, round(1.0 / float(t[1] - t[0])))
    smooth = np.convolve(v, np.ones(width) / width, mode="valid")
    first = t[: len(smooth)]
    off = np.flatnonzero(np.abs(smooth / end - 1.0) > SETTLED)
    if not len(off):
        return 0.0
    if off[-1] + 1 >= len(first):
        return None
    settled = float(first[off[-1] + 1])
    return settled - start if settled < late else None


@dataclass(frozen=True)
class Swing:
    """How a series moves: its mean, the distance from the 5th to the 95th percentile, the period of what dominates."""

    mean: float
    width: float
    period_s: float | None


def swing(times: Sequence[float], values: Sequence[float], start: float, stop: float) -> Swing | None:
    """The swing between two times; no period where the width is below 1 % of the mean or nothing comes back."""
    chosen = [(t, v) for t, v in zip(times, values, strict=True) if start < t <= stop + 1e-9 and v == v]
    if len(chosen) < 8:
        return None
    v = np.asarray([value for _, value in chosen])
    mean, width = fmean(v.tolist()), float(np.percentile(v, 95) - np.percentile(v, 5))
    if width <= 0.01 * abs(mean):
        return Swing(mean, width, None)
    return Swing(mean, width, _period(v - v.mean(), chosen[1][0] - chosen[0][0]))


def _period(v: np.ndarray, step: float) -> float | None:
    """Where the autocorrelation has its largest peak after it first crossed zero, if that is above a quarter."""
    n = len(v)
    spectrum = np.fft.rfft(v, 2 * n)
    correlation = np.fft.irfft(spectrum * np.conj(spectrum))[: n // 2]
    # each lag by how many pairs there are
    correlation = correlation / (n - np.arange(n // 2)) / (correlation[0] / n)
    below = np.flatnonzero(correlation < 0)
    if not len(below):
        return None
    rest = correlation[below[0] :]
    top = int(np.argmax(rest))
    return float((below[0] + top) * step) if rest[top] > 0.25 else None
