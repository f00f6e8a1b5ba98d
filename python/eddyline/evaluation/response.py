"""The response function: mean window and rate over the share of packets lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from eddyline.evaluation.experiment import Experiment, Taken, exponent, series_of
from eddyline.evaluation.path import FULL_PACKET_B, Path
from eddyline.reports.exhibit import Column
from eddyline.theory.response_functions import response, sources
from eddyline.theory.response_runs import lossy_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.evaluation.experiment import Numbers, Point, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject
    from eddyline.scenario import Result, Scenario

__all__ = ["CAPACITY", "RESPONSE", "SETTLING", "STEP_S", "closed_form"]

CAPACITY = Path(500e6, 0.080)
"""Enough for the known response functions, but finite: some controllers do not respond to losses."""

_LOSSES = tuple(10 ** (-half / 2) for half in range(10, 3, -1))
_QUICK = (1e-4, 1e-3, 1e-2)
_CYCLES = 48
"""Losses in a run."""
SETTLING = 0.6
"""Share of the packets before the measurement: windows decrease from their slow-start value."""
_DRIFT = 0.05
"""Difference of the windows in the two halves of the measurement, beyond which a controller has not settled."""
_STILL = 0.001
"""Difference, as a share of the window, that is no movement."""
_ONE_WAY = 0.5
"""Difference, as a share of the way that the window goes up and down, beyond which it moves in one direction."""
_MIN_ROUNDS = 400
_MIN_S = (12.0, 2.0)  # at full rate: one round of BBR's ProbeRTT
STEP_S = 0.05
"""Between two values of the series."""
_FULL = 0.9
"""Share of the capacity beyond which the capacity limits, not the law."""


def closed_form(kind: str, loss: float) -> float | None:
    """The mean window of a kind by its response function, in packets."""
    return response(kind, loss, CAPACITY.rtt_s).window_packets if kind in sources() else None


def _points(quick: bool) -> Sequence[Point]:
    return [{"loss": p} for p in (_QUICK if quick else _LOSSES)]


def _scenario(subject: Subject, point: Point, setting: Setting, seed: int) -> Scenario:
    loss, packets = float(point["loss"]), _CYCLES / float(point["loss"])
    # twice the time at Reno's rate; faster controllers end by the size
    slow = 2 * packets / response("reno", loss, CAPACITY.rtt_s).packets_per_s
    duration = max(slow, _MIN_ROUNDS * CAPACITY.rtt_s)
    size = max(packets, _MIN_S[setting.quick] * CAPACITY.rate_bps / (8 * FULL_PACKET_B))
    sender = {"name": "tested", "controller": {"kind": subject.kind}, "size": f"{size * (FULL_PACKET_B - 40):.0f} B"}
    queue = {"kind": "droptail", "limit": CAPACITY.limit(1.0)}
    table = lossy_path(loss, CAPACITY.rtt_s, "periodic", sender, f"{CAPACITY.rate_bps:.0f} bit/s", queue=queue)
    times = {"duration": f"{duration:.6f} s", "record": {"interval": f"{STEP_S} s"}, "seed": seed}
    return subject.scenario(times | table, CAPACITY.rate_bps)


def _take(subject: Subject, point: Point, result: Result) -> Taken:
    _, rate = series_of(result, "throughput_bps", "tested")
    _, window = series_of(result, "cwnd_packets", "tested")
    sending = np.flatnonzero(rate > 0)
    last = int(sending[-1]) if len(sending) else 0  # the end of the transfer or of the run
    sent = np.cumsum(rate[:last]) * STEP_S / (8 * FULL_PACKET_B)
    first = int(np.searchsorted(sent, sent[-1] * SETTLING)) if last else 0
    middle = int(np.searchsorted(sent, sent[-1] * (1 + SETTLING) / 2)) if last else 0
    counted = slice(first, last)
    bps = float(rate[counted].mean()) if first < last else None
    theory = None if subject.parameters else closed_form(subject.kind, float(point["loss"]))
    return Taken(
        {
            "window_packets": None if bps is None else float(window[counted].mean()),
            "theory_window_packets": theory,
            "theory_packets_per_s": None if theory is None else theory / CAPACITY.rtt_s,
            "packets_per_s": None if bps is None else bps / (8 * FULL_PACKET_B),
            "full": bps is not None and bps > _FULL * CAPACITY.rate_bps,
            "settled": first < middle < last and _settled(window[first:middle], window[middle:last]),
        }
    )


def _settled(one: Numbers, other: Numbers) -> bool:
    """Whether the windows of both halves agree, and rise as much as they fall.

    They agree in the mean, or in the median, which short probes and a timeout do not move. A law that takes half a
    packet for a loss changes a large window by little, but in one direction only.
    """
    moved = min(abs(float(of(other) - of(one))) for of in (np.mean, np.median))
    window = float(np.median(one))
    # of the half without a timeout, if one has any; as far as from the middle of one half to that of the other
    way = min(float(np.abs(np.diff(half)).sum()) for half in (one, other))
    return moved <= _DRIFT * window and moved <= max(_STILL * window, _ONE_WAY * way)


def _figures(rows: Sequence[Row]) -> dict[str, float | None]:
    """The exponent by least squares, without the points that the capacity limits or that have not settled."""
    settled = [r for r in rows if r["settled"]]
    unconstrained = [(r["loss"], r["packets_per_s"]) for r in settled if r["packets_per_s"] and not r["full"]]
    at = next((r["window_packets"] for r in settled if math.isclose(r["loss"], 1e-3)), None)
    return {"response_window_packets": at, "response_exponent": exponent(unconstrained)}


RESPONSE = Experiment(
    name="response",
    title="Response function",
    place="500 Mbit/s, 80 ms, every 1/p-th packet lost",
    reading=(
        "Mean window and rate of one flow while a share p of its packets is lost, one at a time and evenly, beside"
        " the closed form where theory has one. The exponent says that rates go as p to that power (least "
        "squares). Rates above nine tenths of the link are the link's, not the law's. Where mean and median window "
        "still change by more than 5 % from one half of the measurement to the other, or by less but in one direction "
        "only, the controller has not settled: the point has a ring, and is neither in the exponent nor in the table "
        "of all controllers."
    ),
    points=_points,
    scenario=_scenario,
    take=_take,
    columns=(
        Column("loss", "loss p", digits=3),
        Column("window_packets", "mean window", "packets"),
        Column("theory_window_packets", "closed form", "packets"),
        Column("packets_per_s", "rate", "packets/s"),
        Column("theory_packets_per_s", "closed form", "packets/s"),
        Column("full", "link full"),
        Column("settled", "settled"),
    ),
    figures=_figures,
    figure_columns=(
        Column("response_window_packets", "window at p = 1e-3", "packets", digits=3),
        Column("response_exponent", "response exponent", digits=2),
    ),
    series=True,
    any_queue=False,
)
