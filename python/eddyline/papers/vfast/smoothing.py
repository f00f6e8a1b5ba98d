"""Eq. 4 by itself: how fast it follows, and by how much it overestimates samples that scatter."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

from eddyline import _core
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["bias", "simulated_bias", "step"]

_PSI = (0.1, 0.25, 0.5, 0.75, 0.9)
_WITHIN = 0.1


def _smoothed(samples: np.ndarray, up: float, down: float) -> np.ndarray:
    """Eq. 4 along the first axis; every column is a filter of its own."""
    out = np.empty_like(samples)
    now = samples[0].copy()
    for place, sample in enumerate(samples):
        now += np.where(sample > now, up, down) * (sample - now)
        out[place] = now
    return out


def step(context: Context) -> Exhibit:
    """Samples until SRTT has gone nine tenths of a step, by psi."""
    del context
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
    return Exhibit(
        id="eq-4-step",
        title="How many samples eq. 4 needs to follow a step",
        place="Section V, after eq. 4",
        reading=(
            "The error shrinks by 1 - psi with every sample: larger psi is faster. 1/2 and 3/4 need four and two "
            "samples; on every ACK, at hundreds of packets a round trip, that is no smoothing to speak of, while "
            "FAST's own average in the ns-2 module takes a third of a window and more."
        ),
        columns=(
            Column("psi", "psi"),
            Column("samples", "samples to nine tenths"),
            Column("formula", "log 0.1 / log (1 - psi)"),
        ),
        rows=rows,
    )


_WEIGHTS = ((0.75, 0.5), (0.5, 0.75), (0.5, 0.5), (0.9, 0.1), (0.12, 0.08))
_SCATTER = ("normal", "exponential", "uniform")


def _drawn(scatter: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    if scatter == "normal":
        return rng.standard_normal(shape)
    if scatter == "exponential":
        return rng.exponential(size=shape) - 1.0
    return rng.uniform(-(3**0.5), 3**0.5, shape)


def simulated_bias(up: float, down: float, scatter: str, correlation: float = 0.0) -> float:
    """Mean of SRTT less that of its samples, in their standard deviations, from 400,000 samples.

    With `correlation` between neighbours samples are a normal first-order autoregression.
    """
    rng = np.random.default_rng(20081211)
    samples = _drawn(scatter, (600, 1000), rng)
    if correlation:
        for place in range(1, len(samples)):
            samples[place] = correlation * samples[place - 1] + (1 - correlation**2) ** 0.5 * samples[place]
    return float(_smoothed(samples, up, down)[200:].mean() - samples[200:].mean())


def bias(context: Context) -> Exhibit:
    """Theory beside chance."""
    del context
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
    return Exhibit(
        id="bias",
        title="By how much eq. 4 overestimates",
        place="Section V, eq. 4",
        reading=(
            "A filter that is quicker up than down comes to rest above the mean: by 0.19 standard deviations at the "
            "paper's weights if samples are independent and normal. The window law then sees more queueing delay than"
            " there is and keeps fewer packets queued: a smaller queue at the same throughput on a link that stays "
            "full. Neighbours that are alike, as ACKs of one round trip are, take most of it away."
        ),
        columns=(
            Column("scatter", "samples"),
            Column("correlation", "correlation"),
            Column("up", "psi up"),
            Column("down", "psi down"),
            Column("theory", "bias by theory", "standard deviations"),
            Column("limit", "of small weights"),
            Column("simulated", "simulated", "standard deviations"),
        ),
        rows=rows,
        pictures=[Picture("bias", "Bias of eq. 4 by psi up, psi down 1/2", drawn(_paint, 6.0, 3.4))],
        notes=(
            "Theory: the stationary density of eq. 4 (docs/theory/vfast.md); in the limit of small weights, an "
            "expectile.",
        ),
    )


def _paint(figure: Figure) -> None:
    axis = figure.subplots()
    ups = np.linspace(0.1, 1.0, 10)
    for scatter, colour in zip(_SCATTER, (BLUE, RED, GREEN), strict=True):
        axis.plot(ups, [_core.filter_bias(up, 0.5, scatter) for up in ups], color=colour, label=scatter)
    axis.axvline(0.75, color="#555555", linewidth=0.8, linestyle="--")
    axis.axhline(0, color="#555555", linewidth=0.8)
    axis.set_xlabel("psi up")
    axis.set_ylabel("bias (standard deviations)")
    axis.legend()
