"""Eq. 4 alone: how fast it follows a step, and by how much it overestimates the mean of random samples."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

import eddyline._core as _core

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["bias", "simulated_bias", "step"]

_PSI = (0.1, 0.25, 0.5, 0.75, 0.9)
_WITHIN = 0.1


def _smoothed(samples: np.ndarray, up: float, down: float) -> np.ndarray:
    """Eq. 4 along the first axis; every column is a separate filter."""
    out = np.empty_like(samples)
    now = samples[0].copy()
    for place, sample in enumerate(samples):
        now += np.where(sample > now, up, down) * (sample - now)
        out[place] = now
    return out


def step(context: Context) -> Exhibit:
    """Samples until SRTT has covered nine tenths of a step, by psi."""
    rows: list[Row] = []
    for psi in _PSI:
        followed = _smoothed(np.r_[np.zeros(1), np.ones(400)][:, None], psi, psi)[1:, 0]
        rows.append(
            {
                "psi": psi,
                "samples": int(np.flatnonzero(followed >= 1 - _WITHIN)[0]) + 1,
                "formula": log(_WITHIN) / log(1 - psi),
            }
        )
    return context.definition("eq-4-step").exhibit(rows)


_WEIGHTS = ((0.75, 0.5), (0.5, 0.75), (0.5, 0.5), (0.9, 0.1), (0.12, 0.08))
_SCATTER = ("normal", "exponential", "uniform")


def _scattered(scatter: str, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    if scatter == "normal":
        return rng.standard_normal(size)
    if scatter == "exponential":
        return rng.exponential(size=size) - 1.0
    return rng.uniform(-(3**0.5), 3**0.5, size)


def simulated_bias(up: float, down: float, scatter: str, correlation: float = 0.0) -> float:
    """Mean of SRTT less that of its samples, in their standard deviations, from 400,000 samples.

    With `correlation` between neighbours the samples are a normal first-order autoregression.
    """
    rng = np.random.default_rng(20081211)
    samples = _scattered(scatter, (600, 1000), rng)
    if correlation:
        for place in range(1, len(samples)):
            samples[place] = correlation * samples[place - 1] + (1 - correlation**2) ** 0.5 * samples[place]
    return float(_smoothed(samples, up, down)[200:].mean() - samples[200:].mean())


def bias(context: Context) -> Exhibit:
    """The bias by theory and by simulation."""
    rows: list[Row] = [
        {
            "scatter": scatter,
            "correlation": 0.0,
            "up": up,
            "down": down,
            "theory": _core.filter_bias(up, down, scatter),
            "limit": _core.filter_bias(up, down, scatter, limit=True),
            "simulated": simulated_bias(up, down, scatter),
        }
        for scatter in _SCATTER
        for up, down in _WEIGHTS
    ]
    rows += [
        {
            "scatter": "normal",
            "correlation": correlation,
            "up": 0.75,
            "down": 0.5,
            "theory": _core.smoothed_jitter(0.75, 0.5, correlation)[0],
            "limit": None,
            "simulated": simulated_bias(0.75, 0.5, "normal", correlation),
        }
        for correlation in (0.5, 0.9, 0.99)
    ]
    curves = [
        {"scatter": scatter, "up": float(up), "bias": _core.filter_bias(up, 0.5, scatter)}
        for scatter in _SCATTER
        for up in np.linspace(0.1, 1.0, 10)
    ]
    return context.definition("bias").exhibit(rows, curves={"curves": curves})
