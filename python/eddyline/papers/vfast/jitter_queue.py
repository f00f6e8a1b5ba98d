"""What the filter's bias does to queue and rate on a path with jitter: theory and packets."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

import eddyline._core as _core
from eddyline.papers.vfast.runs import DEFAULT, FAST, VFAST, Case, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["RATE", "RttEstimate", "equilibrium_window", "queue", "shared_rates", "shares"]

RATE = 100e6 / (8 * 1040)
"""Packets a second of the link."""
BASE = 0.040
ALPHA = 500.0
MEAN, CORRELATION = 0.016, 0.050
"""Of the jitter, in s."""
_UP, _DOWN = 0.75, 0.5
_SPREADS = (1, 2, 4)
_READINGS = {
    "ack": DEFAULT,
    "update": Reading("update", (("smoothing", "update"),)),
}
_SAMPLES = {"ack": "every ACK", "update": "once a round trip"}


@dataclass(frozen=True)
class RttEstimate:
    """The error of the mean round trip that a window law uses, in s and s^2.

    Attributes:
        bias: Mean of the estimate less the true mean.
        variance: Variance of the estimate.
    """

    bias: float
    variance: float

    def mean_reciprocal(self, round_trip: float) -> float:
        """Mean of 1 / D where `round_trip` is the true mean, to second order."""
        mean = round_trip + self.bias
        return (1.0 + self.variance / mean**2) / mean


def _over_round_trip(spread: float, round_trip: float) -> tuple[float, float]:
    """Jitter's correlation over a round trip, and the variance of its change meanwhile."""
    correlation = exp(-round_trip / CORRELATION)
    return correlation, 2.0 * spread**2 * (1.0 - correlation)


def rtt_estimate(sampling: str, spread: float, round_trip: float) -> RttEstimate:
    """The estimate by eq. 4, once a round trip (`update`) or on every ACK (`ack`), or by FAST's average (`average`).

    A flow whose window keeps the link busy has `D = window / rate + J(now) - J(a round trip ago)`: a packet that
    jitter delays longer is not in the queue meanwhile.
    """
    correlation, variance = _over_round_trip(spread, round_trip)
    interval = 1.0 / RATE
    if sampling == "update":
        bias, relative = _core.smoothed_jitter(_UP, _DOWN, correlation, change=True)
        return RttEstimate(bias * spread, relative * spread**2)
    if sampling == "ack":
        bias, relative = _core.smoothed_jitter(_UP, _DOWN, exp(-interval / CORRELATION))
        return RttEstimate(bias * variance**0.5, relative * variance)
    # linear, weight 3 / window a sample: psi / (2 - psi) (1 + 2 sum (1 - psi)^n rho(n))
    psi = 3.0 / (RATE * round_trip)
    lags = interval * np.arange(1, int(20 / psi))
    at_lag, earlier, later = (np.exp(-np.abs(lags + by) / CORRELATION) for by in (0.0, -round_trip, round_trip))
    rho = (2 * at_lag - earlier - later) / (2 * (1 - correlation))
    sum_factor = 1 + 2 * float(((1 - psi) ** np.arange(1, len(lags) + 1) * rho).sum())
    return RttEstimate(0.0, variance * psi / (2 - psi) * sum_factor)


def equilibrium_window(estimate: RttEstimate, alpha: float = ALPHA) -> float:
    """The window in packets with `w (1 - d E[1 / D]) = alpha` on a full link, D the estimate of `w / rate`."""
    packets = RATE * BASE + alpha
    for _ in range(100):
        # the right side falls about as steeply as the left rises: take the mean of both
        packets = 0.5 * (packets + alpha / (1.0 - BASE * estimate.mean_reciprocal(packets / RATE)))
    return packets


def shared_rates(estimates: Sequence[RttEstimate], alpha: float) -> list[float]:
    """Packets a second of flows that share the link: `x D (1 - d E[1 / D]) = alpha`, D common."""
    common = BASE + len(estimates) * alpha / RATE
    for _ in range(100):
        common = 0.5 * (common + alpha / RATE * sum(1.0 / (1.0 - BASE * e.mean_reciprocal(common)) for e in estimates))
    return [alpha / (common * (1.0 - BASE * e.mean_reciprocal(common))) for e in estimates]


def _jitter(spread: int, gamma: float, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("link.radio.jitter.sd", f"{spread} ms"), ("flow.*.controller.gamma", str(gamma)), *more)


def queue(context: Context, spreads: Sequence[int] = _SPREADS, seeds: int = 2, stop: float = 220.0) -> Exhibit:
    """One flow alone."""
    rows = _queues(context, spreads, seeds, stop)
    return context.definition("jitter-queue").exhibit(rows, values={"seeds": seeds, "seconds": stop - 20})


def _queues(context: Context, spreads: Sequence[int], seeds: int, stop: float) -> list[Row]:
    senders = [(FAST, "average"), (VFAST, "update"), (VFAST, "ack")]
    gammas = (0.1, 0.5)
    keys = [(g, sd, s, h, n) for g in gammas for sd in spreads for s, h in senders for n in range(1, seeds + 1)]
    runs = [
        Case(
            "jitter-queue",
            s,
            reading=_READINGS.get(h, _READINGS["ack"]),
            seed=n,
            more=_jitter(sd, g, ("duration", f"{stop:g} s")),
        ).summary()
        for g, sd, s, h, n in keys
    ]
    found: dict[tuple[float, int, str, str], list[tuple[float, float]]] = {}
    for (gamma, spread, sender, sampling, _), result in zip(keys, context.runner.run_all(runs), strict=True):
        measured = (result.link("forward")["queue_packets"]["mean"], result.flow("flow 1")["packets_per_s"])
        found.setdefault((gamma, spread, sender, sampling), []).append(measured)
    rows: list[Row] = []
    for (gamma, spread, sender, sampling), values in found.items():
        estimate = rtt_estimate(sampling, spread * 1e-3, BASE + ALPHA / RATE)
        # all but the queue: in propagation, in jitter, held to keep the order, in transmission
        predicted = equilibrium_window(estimate) - RATE * (BASE + MEAN + (spread * 1e-3) ** 2 / CORRELATION) - 1.0
        row: Row = {
            "gamma": gamma,
            "spread": f"{spread} ms",
            "spread_s": spread * 1e-3,
            "sender": sender,
            "heard": _SAMPLES.get(sampling, "FAST's average"),
            "bias": estimate.bias,
            "variance": estimate.variance,
            "predicted": predicted,
            "queue": fmean(q for q, _ in values),
            "rate": fmean(r for _, r in values),
            "full": RATE,
        }
        fast = next((r for r in rows if (r["gamma"], r["spread"], r["sender"]) == (gamma, f"{spread} ms", FAST)), row)
        row["predicted_less"] = fast["predicted"] - predicted
        row["less"] = fast["queue"] - row["queue"]
        rows.append(row)
    return rows


def shares(context: Context, spreads: Sequence[int] = _SPREADS, seeds: int = 2, stop: float = 220.0) -> Exhibit:
    """A VFAST flow that samples once a round trip, and a FAST flow on the same link."""
    keys = [(sd, n) for sd in spreads for n in range(1, seeds + 1)]
    second = 'flow."flow 2".controller'
    changes = ((f"{second}.kind", "vfast"), (f"{second}.smoothing", "update"), ("duration", f"{stop:g} s"))
    runs = [Case("jitter-shared", FAST, seed=n, more=_jitter(sd, 0.1, *changes)).summary() for sd, n in keys]
    found: dict[int, list[tuple[float, float]]] = {}
    for (spread, _), result in zip(keys, context.runner.run_all(runs), strict=True):
        fast, vfast = (result.flow(name)["packets_per_s"] for name in ("flow 1", "flow 2"))
        found.setdefault(spread, []).append((fast, vfast))
    rows: list[Row] = []
    for spread, values in found.items():
        estimates = [rtt_estimate(sampling, spread * 1e-3, BASE + ALPHA / RATE) for sampling in ("average", "update")]
        fast, vfast = shared_rates(estimates, ALPHA / 2)
        rows.append(
            {
                "spread": f"{spread} ms",
                "spread_s": spread * 1e-3,
                "predicted_fast": fast,
                "predicted_vfast": vfast,
                "fast": fmean(f for f, _ in values),
                "vfast": fmean(v for _, v in values),
                "predicted_behind": 1.0 - vfast / fast,
            }
        )
        rows[-1]["behind"] = 1.0 - rows[-1]["vfast"] / rows[-1]["fast"]
    return context.definition("jitter-shares").exhibit(rows, values={"seeds": seeds, "seconds": stop - 20})
