"""What the filter's bias does to queue and rate: theory beside packets, on a path with jitter."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from eddyline import _core
from eddyline.papers.vfast.runs import FAST, VFAST, Case, Reading
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["RATE", "Seen", "queue", "shares", "together", "window"]

RATE = 100e6 / (8 * 1040)
"""Packets a second of the link."""
BASE = 0.040
ALPHA = 500.0
MEAN, CORRELATION = 0.016, 0.050
"""Of the jitter, in s."""
_UP, _DOWN = 0.75, 0.5
_SPREADS = (1, 2, 4)
_READINGS = {
    "ack": Reading("default", "eq. 4 on every ACK"),
    "update": Reading("update", "eq. 4 once an update", (("smoothing", "update"),)),
}
_HEARD = {"ack": "every ACK", "update": "once a round trip"}


@dataclass(frozen=True)
class Seen:
    """The mean round trip as a window law sees it, in s and s^2.

    Attributes:
        bias: Its mean less the true mean.
        variance: Its variance.
    """

    bias: float
    variance: float

    def reciprocal(self, round_trip: float) -> float:
        """Mean of 1 / D over what is seen of a true mean, to second order."""
        mean = round_trip + self.bias
        return (1.0 + self.variance / mean**2) / mean


def _round_trips(spread: float, round_trip: float) -> tuple[float, float]:
    """Jitter's correlation over a round trip, and the variance of its change meanwhile."""
    alike = exp(-round_trip / CORRELATION)
    return alike, 2.0 * spread**2 * (1.0 - alike)


def seen(heard: str, spread: float, round_trip: float) -> Seen:
    """By eq. 4, once a round trip (`update`) or on every ACK (`ack`), or by FAST's average (`average`).

    A flow whose window keeps the link busy has `D = window / rate + J(now) - J(a round trip ago)`: what is delayed more
    is not in the queue meanwhile.
    """
    alike, variance = _round_trips(spread, round_trip)
    apart = 1.0 / RATE
    if heard == "update":
        bias, spread_seen = _core.smoothed_jitter(_UP, _DOWN, alike, change=True)
        return Seen(bias * spread, spread_seen * spread**2)
    if heard == "ack":
        bias, spread_seen = _core.smoothed_jitter(_UP, _DOWN, exp(-apart / CORRELATION))
        return Seen(bias * variance**0.5, spread_seen * variance)
    # linear, weight 3 / window a sample: psi / (2 - psi) (1 + 2 sum (1 - psi)^n rho(n))
    psi = 3.0 / (RATE * round_trip)
    lags = apart * np.arange(1, int(20 / psi))
    near, before, after = (np.exp(-np.abs(lags + by) / CORRELATION) for by in (0.0, -round_trip, round_trip))
    rho = (2 * near - before - after) / (2 * (1 - alike))
    correlated = 1 + 2 * float(((1 - psi) ** np.arange(1, len(lags) + 1) * rho).sum())
    return Seen(0.0, variance * psi / (2 - psi) * correlated)


def window(view: Seen, alpha: float = ALPHA) -> float:
    """Where `w (1 - d E[1 / D]) = alpha` on a full link, D the true `w / rate` as it is seen; in packets."""
    at = RATE * BASE + alpha
    for _ in range(100):
        # the right side falls about as steeply as the left rises: the middle of both
        at = 0.5 * (at + alpha / (1.0 - BASE * view.reciprocal(at / RATE)))
    return at


def together(views: Sequence[Seen], alpha: float) -> list[float]:
    """Packets a second of flows that share the link: `x D (1 - d E[1 / D]) = alpha`, D common."""
    common = BASE + len(views) * alpha / RATE
    for _ in range(100):
        common = 0.5 * (common + alpha / RATE * sum(1.0 / (1.0 - BASE * v.reciprocal(common)) for v in views))
    return [alpha / (common * (1.0 - BASE * v.reciprocal(common))) for v in views]


def _jitter(spread: int, gamma: float, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("link.radio.jitter.sd", f"{spread} ms"), ("flow.*.controller.gamma", str(gamma)), *more)


def queue(context: Context, spreads: Sequence[int] = _SPREADS, seeds: int = 2, stop: float = 220.0) -> Exhibit:
    """One flow alone."""
    rows = _queues(context, spreads, seeds, stop)
    return Exhibit(
        id="jitter-queue",
        title="What the bias does to the queue",
        place="Section V, eq. 3 and 4",
        reading=(
            "SRTT stands above the mean round trip, and the law w (1 - d / SRTT) = alpha keeps fewer packets for it: "
            "d / D of what the bias times the rate would be, since a window that is smaller shortens the round trip "
            "that it is compared with. On every ACK there is hardly a bias, but SRTT follows each swing, and the mean "
            "of 1 / SRTT is above 1 over the mean: a larger queue. The link stays full, so the rate is the same. "
            "Large steps (gamma 1/2) put into the next sample what the last one did to the window."
        ),
        columns=(
            Column("gamma", "gamma"),
            Column("spread", "jitter, standard deviation"),
            Column("sender", "sender"),
            Column("heard", "samples"),
            Column("bias", "bias by theory", "ms", scale=1e-3, digits=3),
            Column("predicted", "queue by theory", "packets"),
            Column("queue", "queue", "packets"),
            Column("predicted_less", "below FAST's by theory", "packets", digits=3),
            Column("less", "below FAST's", "packets", digits=3),
            Column("rate", "rate", "packets/s"),
            Column("full", "the link's", "packets/s"),
        ),
        rows=rows,
        pictures=[Picture("jitter-queue", "Below FAST's queue, gamma 0.1", drawn(_paint, 6.0, 3.4, rows))],
        notes=(
            f"Means over {seeds} seeds of {stop - 20:g} s. Jitter is normal with a correlation time of 50 ms; a round "
            "trip is 82 ms. Theory: docs/theory/vfast.md. Packets that would overtake wait for those "
            "before them: sd^2 / 50 ms more on average, and as much less in every sender's queue.",
        ),
    )


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
    for (gamma, spread, sender, heard, _), result in zip(keys, context.runner.run_all(runs), strict=True):
        figures = (result.link("forward")["queue_packets"]["mean"], result.flow("flow 1")["packets_per_s"])
        found.setdefault((gamma, spread, sender, heard), []).append(figures)
    rows: list[Row] = []
    for (gamma, spread, sender, heard), values in found.items():
        view = seen(heard, spread * 1e-3, BASE + ALPHA / RATE)
        # all but what waits: on the way, delayed, behind what would be overtaken, in transmission
        predicted = window(view) - RATE * (BASE + MEAN + (spread * 1e-3) ** 2 / CORRELATION) - 1.0
        row: Row = {
            "gamma": gamma,
            "spread": f"{spread} ms",
            "spread_s": spread * 1e-3,
            "sender": sender,
            "heard": _HEARD.get(heard, "FAST's average"),
            "bias": view.bias,
            "variance": view.variance,
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


def _paint(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    part = [r for r in rows if r["gamma"] == 0.1]
    for heard, colour in (("once a round trip", RED), ("every ACK", BLUE)):
        chosen = [r for r in part if r["heard"] == heard]
        at = [r["spread_s"] * 1e3 for r in chosen]
        axis.plot(at, [r["predicted_less"] for r in chosen], color=colour, label=f"{heard}, theory")
        axis.plot(at, [r["less"] for r in chosen], "o", color=colour, label=f"{heard}, packets")
    axis.axhline(0, color=BLACK, linewidth=0.8)
    axis.set_xlabel("jitter, standard deviation (ms)")
    axis.set_ylabel("packets below FAST's queue")
    axis.legend(fontsize=8)


def shares(context: Context, spreads: Sequence[int] = _SPREADS, seeds: int = 2, stop: float = 220.0) -> Exhibit:
    """VFAST, once a round trip, beside FAST."""
    keys = [(sd, n) for sd in spreads for n in range(1, seeds + 1)]
    second = 'flow."flow 2".controller'
    asked = ((f"{second}.kind", "vfast"), (f"{second}.smoothing", "update"), ("duration", f"{stop:g} s"))
    runs = [Case("jitter-shared", FAST, seed=n, more=_jitter(sd, 0.1, *asked)).summary() for sd, n in keys]
    found: dict[int, list[tuple[float, float]]] = {}
    for (spread, _), result in zip(keys, context.runner.run_all(runs), strict=True):
        fast, vfast = (result.flow(name)["packets_per_s"] for name in ("flow 1", "flow 2"))
        found.setdefault(spread, []).append((fast, vfast))
    rows: list[Row] = []
    for spread, values in found.items():
        views = [seen(heard, spread * 1e-3, BASE + ALPHA / RATE) for heard in ("average", "update")]
        fast, vfast = together(views, ALPHA / 2)
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
    return Exhibit(
        id="jitter-shares",
        title="What the bias does to shares",
        place="Section V, eq. 3 and 4",
        reading=(
            "VFAST that hears one sample a round trip, beside a FAST flow of the same alpha: who takes the queue for "
            "longer than it is gets less of the link."
        ),
        columns=(
            Column("spread", "jitter, standard deviation"),
            Column("predicted_fast", "FAST by theory", "packets/s"),
            Column("fast", "FAST", "packets/s"),
            Column("predicted_vfast", "VFAST by theory", "packets/s"),
            Column("vfast", "VFAST", "packets/s"),
            Column("predicted_behind", "VFAST less than FAST by theory", percent=True, digits=3),
            Column("behind", "VFAST less than FAST", percent=True, digits=3),
        ),
        rows=rows,
        pictures=[Picture("jitter-shares", "VFAST less than FAST", drawn(_shared, 6.0, 3.2, rows))],
        notes=(f"Means over {seeds} seeds of {stop - 20:g} s, gamma 0.1, alpha 250 packets each.",),
    )


def _shared(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    at = [r["spread_s"] * 1e3 for r in rows]
    axis.plot(at, [100 * r["predicted_behind"] for r in rows], color=GREEN, label="theory")
    axis.plot(at, [100 * r["behind"] for r in rows], "o", color=GREEN, label="packets")
    axis.set_xlabel("jitter, standard deviation (ms)")
    axis.set_ylabel("VFAST behind FAST (%)")
    axis.legend()
