"""Measures of a phase: time until it settles, width and period of its swing."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Swing", "settling", "swing"]

SETTLED = 0.05
"""A series has settled once its mean over three seconds stays within this share of its final value."""
OVER_S = 3.0
"""Long compared with a round trip: the ns-2 module sends in bursts, and a second has one more or one less of them."""


def settling(times: Sequence[float], values: Sequence[float], start: float, stop: float) -> float | None:
    """Seconds from `start` until the mean over three seconds stays within 5 % of the mean of the last quarter.

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
    width = max(1, round(OVER_S / float(t[1] - t[0])))
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
    """Mean of a series, distance from the 5th to the 95th percentile, period of the dominant oscillation."""

    mean: float
    width: float
    period_s: float | None


def swing(times: Sequence[float], values: Sequence[float], start: float, stop: float) -> Swing | None:
    """The swing between two times; no period where the width is below 1 % of the mean or nothing repeats."""
    chosen = [(t, v) for t, v in zip(times, values, strict=True) if start < t <= stop + 1e-9 and v == v]
    if len(chosen) < 8:
        return None
    v = np.asarray([value for _, value in chosen])
    mean, width = fmean(v.tolist()), float(np.percentile(v, 95) - np.percentile(v, 5))
    if width <= 0.01 * abs(mean):
        return Swing(mean, width, None)
    return Swing(mean, width, _period(v - v.mean(), chosen[1][0] - chosen[0][0]))


def _period(v: np.ndarray, step: float) -> float | None:
    """Lag of the first peak of the autocorrelation after its zero crossing within 90 % of the highest, if above 1/4."""
    n = len(v)
    spectrum = np.fft.rfft(v, 2 * n)
    correlation = np.fft.irfft(spectrum * np.conj(spectrum))[: n // 2]
    # divide each lag by its number of pairs
    correlation = correlation / (n - np.arange(n // 2)) / (correlation[0] / n)
    below = np.flatnonzero(correlation < 0)
    if not len(below):
        return None
    rest = correlation[below[0] :]
    if rest.max() <= 0.25:
        return None
    # multiples of a period peak as high as itself
    high = np.flatnonzero(rest >= 0.9 * rest.max())
    last = next((i for i, k in enumerate(high[:-1]) if high[i + 1] > k + 1), len(high) - 1)
    top = high[: last + 1]
    return float((below[0] + top[np.argmax(rest[top])]) * step)
