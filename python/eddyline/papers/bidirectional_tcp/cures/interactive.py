"""Interactive traffic on a busy link: working latency, a page, a call.

**Working latency** in round trips per minute as in draft-ietf-ippm-responsiveness-09, section 5.3.1.1, with TLS: the
mean of 60 s over a foreign round trip and 60 s over a loaded one. Foreign probes open a connection of their own (TCP,
TLS 1.3, HTTP: a round trip each); here they are small packets of a flow of their own, all three alike. Loaded probes
are requests on a connection that carries the load; here the round trips of the transfers themselves, download and
uploads with equal weight, so that time in the sender's buffer does not count. Not modelled: the restriction to the best
95 % of samples (means are of all samples of packets sent once), the increasing number of parallel connections (the
transfers are those of the table), processing.

**A page** of 2 MB in 60 objects of 33 kB comes over six connections, each with a TCP handshake and ten objects in
sequence. Not modelled: name look-up, TLS, dependencies between objects, priorities.

**A call** is 50 packets/s of 200 B each way. Its rating R is the E-model's for G.711 with random loss and concealment,
R = 94.2 - Id - 30 ln(1 + 15 e), Id = 0.024 d + 0.11 (d - 177.3) for d above 177.3 ms (Cole and Rosenbluth, Voice over
IP performance monitoring, CCR 31(2), 2001), with d the 99th percentile of the one-way delay, which a jitter buffer must
wait for, and 20 ms of packetisation. Above 80 people are satisfied, below 50 nobody is (ITU-T G.109).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.runner import RunResult

__all__ = ["Call", "Page", "call", "page", "rating", "responsiveness", "working_latency"]

PAGES = 3
"""How often the page is loaded in a run."""

_PACKETISATION_S = 20e-3


def responsiveness(foreign_s: float, loaded_s: float) -> float:
    """Round trips per minute of these two round-trip times."""
    return (60.0 / foreign_s + 60.0 / loaded_s) / 2.0


def working_latency(result: RunResult) -> float | None:
    """Round trips per minute in a run with download, uploads and probe."""
    foreign = _rtt(result.flow("probe"))
    by_way = {
        way: [rtt for f in result.document["flows"] if f["name"].startswith(way) and (rtt := _rtt(f)) is not None]
        for way in ("download", "upload")
    }
    if foreign is None or not all(by_way.values()):
        return None
    return responsiveness(foreign, fmean(fmean(rtts) for rtts in by_way.values()))


def _rtt(flow: dict[str, Any]) -> float | None:
    mean: float | None = flow["rtt_s"]["mean"]
    return mean


@dataclass(frozen=True)
class Page:
    """Time to load the page.

    Attributes:
        seconds: Mean over the loads; one that has not completed counts with the time until the end of the run.
        unfinished: How many have not completed.
    """

    seconds: float
    unfinished: int


def page(result: RunResult, starts_s: Sequence[float], end_s: float) -> Page:
    """The page's loads in a run: each is complete when its last connection is."""
    times, unfinished = [], 0
    for number, start in enumerate(starts_s, 1):
        completions = [f["completed_at_s"] for f in result.document["flows"] if f["name"].startswith(f"page {number}[")]
        done = [e for e in completions if e is not None]
        unfinished += len(done) < len(completions)
        times.append((max(done) if len(done) == len(completions) else end_s) - start)
    return Page(fmean(times), unfinished)


@dataclass(frozen=True)
class Call:
    """Quality of the call: each value is that of the worse direction.

    Attributes:
        loss: Share of packets lost.
        delay_s: 99th percentile of one-way delay, delay to the server included.
        jitter_s: Mean difference between consecutive delays.
        rating: R of the E-model, 0 to 94.
    """

    loss: float
    delay_s: float
    jitter_s: float
    rating: float


def call(result: RunResult, server_s: float) -> Call:
    """The call of a run."""
    ways = [t for t in result.document["traffic"] if t["name"].startswith("call")]
    losses = [1.0 if w["loss_ratio"] is None else w["loss_ratio"] for w in ways]
    # Without any arrival there is no delay, and the loss is 1.
    delays = [server_s + (w["one_way_delay_s"]["p99"] or 0.0) for w in ways]
    return Call(
        loss=max(losses),
        delay_s=max(delays),
        jitter_s=max(w["jitter_s"] or 0.0 for w in ways),
        rating=min(rating(d, e) for d, e in zip(delays, losses, strict=True)),
    )


def rating(delay_s: float, loss: float) -> float:
    """R of the E-model for G.711; 0 where it would be negative."""
    ms = 1e3 * (delay_s + _PACKETISATION_S)
    delay = 0.024 * ms + 0.11 * max(0.0, ms - 177.3)
    return max(0.0, 94.2 - delay - 30.0 * log(1.0 + 15.0 * loss))
