"""How the value of a test is measured in a run: one number, in SI units or as a share."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.fairness import jain
from eddyline.latency import grade
from eddyline.quantities import count, percent, seconds
from eddyline.retransmissions import resent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from eddyline.scenario import Result

__all__ = ["MEASURES", "Latency", "Measure", "Target", "latency_under_load"]

_HOLD_S = 1.0
"""A recovery ends where the mean over this time reaches the level."""

Document: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Target:
    """What is measured in a run.

    Attributes:
        of: The flows, arrivals, traffic or links.
        capacity_bps: What a share is relative to: one rate for all of them, or one for each.
        since_s: Start of a recovery.
        level: The share that ends a recovery.
    """

    of: tuple[str, ...]
    capacity_bps: tuple[float, ...]
    since_s: float
    level: float


@dataclass(frozen=True)
class Latency:
    """Latency under load.

    Attributes:
        responsiveness_rpm: Round trips a minute on the loaded connection (draft-ietf-ippm-responsiveness).
        increase_s: Mean queueing delay of the round trips.
    """

    responsiveness_rpm: float | None
    increase_s: float | None

    @property
    def grade(self) -> str | None:
        """Its bufferbloat grade."""
        return grade(0.0, self.increase_s)

    @property
    def text(self) -> str:
        """For people."""
        return f"{count(self.responsiveness_rpm)} RPM, {self.grade or '-'}"

    @classmethod
    def mean(cls, several: Sequence[Latency]) -> Latency:
        """Means over runs; None where one of them is unknown."""
        return cls(_mean([e.responsiveness_rpm for e in several]), _mean([e.increase_s for e in several]))

    def to_dict(self) -> Document:
        """As in the document."""
        return {"responsiveness_rpm": self.responsiveness_rpm, "increase_s": self.increase_s, "grade": self.grade}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known and len(known) == len(values) else None


@dataclass(frozen=True)
class Measure:
    """A quantity.

    Attributes:
        what: What the number is.
        take: Computes it; None where the run does not have it.
        text: Formats it with its unit.
        series: Whether it needs the run's series.
        latency: Whether it is about latency: responsiveness and grade are then reported beside it.
    """

    what: str
    take: Callable[[Target, Result, Document], float | None]
    text: Callable[[float | None], str]
    series: bool = False
    latency: bool = False


def _named(target: Target, rows: list[Document]) -> list[Document]:
    """The rows of the target; a table with a count stands for all of its flows."""
    return [r for r in rows if any(r["name"] == n or str(r["name"]).startswith(f"{n}[") for n in target.of)]


def _goodputs(target: Target, document: Document) -> list[float]:
    return [float(f["goodput_bps"] or 0.0) for f in _named(target, document["flows"])]


def _share(target: Target, _result: Result, document: Document) -> float:
    return sum(_goodputs(target, document)) / sum(target.capacity_bps)


def _fairness(target: Target, _result: Result, document: Document) -> float:
    return jain(_goodputs(target, document)) or 0.0  # all rates are 0: the worst case


def _min_share(target: Target, _result: Result, document: Document) -> float:
    rates = _goodputs(target, document)
    own = target.capacity_bps if len(target.capacity_bps) > 1 else [target.capacity_bps[0] / len(rates)] * len(rates)
    return min(rate / fair for rate, fair in zip(rates, own, strict=True))


def _rtt_p99(target: Target, _result: Result, document: Document) -> float | None:
    known = [f["rtt_s"]["p99"] for f in _named(target, document["flows"])]
    return None if None in known else max(known)


def _resent(target: Target, result: Result, document: Document) -> float:
    flows = _named(target, document["flows"])
    return resent(document["world"], result.scenario.to_dict()["flow"], flows) or 0.0


def _lost(target: Target, _result: Result, document: Document) -> float:
    return float(sum(link["lost"] for link in _named(target, document["links"])))


def _filled(target: Target, _result: Result, document: Document) -> float | None:
    shares = [link["utilisation"] for link in _named(target, document["links"])]
    return None if None in shares else min(shares)


def _recovery(target: Target, result: Result, _document: Document) -> float:
    """From `since` to the start of the first second whose mean goodput reaches the level, or to the end of the run."""
    series: pd.DataFrame = result.series
    flows = series[
        (series["kind"] == "flow") & (series["quantity"] == "goodput_bps") & series["entity"].isin(target.of)
    ]
    total = flows.groupby("time_s")["value"].sum()
    times, rates = total.index.to_numpy(), total.to_numpy()
    interval = float(times[1] - times[0])
    hold = max(1, round(_HOLD_S / interval))
    level = target.level * target.capacity_bps[0]
    # a rate is the mean over the interval that ends at its time
    first = int((times <= target.since_s + interval / 2).sum())
    for place in range(first, len(rates) - hold + 1):
        if rates[place : place + hold].mean() >= level:
            return max(0.0, float(times[place]) - interval - target.since_s)
    return result.scenario.duration_s - target.since_s


def _transfer_time(target: Target, result: Result, document: Document) -> float | None:
    """By Little's law: a transfer that never completes counts with the time that it was there."""
    rows = _named(target, document["arrivals"])
    if any(r["mean_present"] is None or not r["arrived"] for r in rows):
        return None
    duration = result.scenario.duration_s
    return max(float(r["mean_present"]) * duration / float(r["arrived"]) for r in rows)


def _traffic_loss(target: Target, _result: Result, document: Document) -> float | None:
    shares = [t["loss_ratio"] for t in _named(target, document["traffic"])]
    return None if None in shares else max(shares)


def _traffic_delay(target: Target, _result: Result, document: Document) -> float | None:
    delays = [t["one_way_delay_s"]["p99"] for t in _named(target, document["traffic"])]
    return None if None in delays else max(delays)


def latency_under_load(document: Document, subject: str) -> Latency:
    """Of the slowest of the flows whose names start so."""
    flows = [f for f in document["flows"] if str(f["name"]).startswith(subject)]
    trips = [f["responsiveness_rpm"] for f in flows if f["responsiveness_rpm"] is not None]
    waits = [f["queueing_delay_s"] for f in flows if f["queueing_delay_s"] is not None]
    return Latency(min(trips, default=None), max(waits, default=None))


MEASURES = {
    "share": Measure("goodput over capacity", _share, percent),
    "fairness": Measure("Jain's index of goodputs", _fairness, percent),
    "least_share": Measure("smallest goodput over the fair share", _min_share, percent),
    "rtt_p99": Measure("99th percentile of the round-trip time", _rtt_p99, seconds, latency=True),
    "resent": Measure("retransmissions over packets delivered in order and retransmissions", _resent, percent),
    "lost": Measure("packets lost on the wire", _lost, count),
    "filled": Measure("bits on the wire over what the link could carry", _filled, percent),
    "recovery": Measure("time until a second's goodput reaches the level", _recovery, seconds, series=True),
    "transfer_time": Measure("mean number of transfers present over their rate of arrival", _transfer_time, seconds),
    "traffic_loss": Measure("share of packets that did not arrive", _traffic_loss, percent),
    "traffic_delay_p99": Measure("99th percentile of the one-way delay", _traffic_delay, seconds, latency=True),
}
"""By name in the suite."""
