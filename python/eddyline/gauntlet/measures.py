"""How a test's value is taken from a run: one number, in SI units or as a share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.fairness import jain
from eddyline.quantities import count, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from eddyline.gauntlet.suite import Test
    from eddyline.result import Result

__all__ = ["MEASURES", "Measure"]

_HOLD_S = 1.0
"""A recovery is over when the mean over so much time reaches the level."""

Document: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Measure:
    """A way of taking a value.

    Attributes:
        what: What the number is, in words.
        take: Takes it; None where the run does not know.
        text: Writes it with its unit.
        series: Whether it needs the run's series.
    """

    what: str
    take: Callable[[Test, Result, Document], float | None]
    text: Callable[[float | None], str]
    series: bool = False


def _named(test: Test, rows: list[Document]) -> list[Document]:
    """The rows that a test looks at; a table with a count stands for all of its flows."""
    return [r for r in rows if any(r["name"] == n or str(r["name"]).startswith(f"{n}[") for n in test.of)]


def _goodputs(test: Test, document: Document) -> list[float]:
    return [float(f["goodput_bps"] or 0.0) for f in _named(test, document["flows"])]


def _share(test: Test, _result: Result, document: Document) -> float:
    return sum(_goodputs(test, document)) / sum(test.capacity_bps)


def _fairness(test: Test, _result: Result, document: Document) -> float:
    return jain(_goodputs(test, document)) or 0.0  # nobody has anything: as bad as can be


def _least_share(test: Test, _result: Result, document: Document) -> float:
    rates = _goodputs(test, document)
    own = test.capacity_bps if len(test.capacity_bps) > 1 else [test.capacity_bps[0] / len(rates)] * len(rates)
    return min(rate / fair for rate, fair in zip(rates, own, strict=True))


def _rtt_p99(test: Test, _result: Result, document: Document) -> float | None:
    known = [f["rtt_s"]["p99"] for f in _named(test, document["flows"])]
    return None if None in known else max(known)


def _resent(test: Test, result: Result, document: Document) -> float:
    packet = {f["name"]: f for f in result.scenario.to_dict()["flow"]}
    sent = again = 0.0
    for flow in _named(test, document["flows"]):
        table = packet[str(flow["name"]).split("[")[0]]
        payload = _bytes(table["packet"]) - _bytes(table["header"])
        again += flow["retransmits"]
        sent += flow["delivered_bytes"] / payload + flow["retransmits"]
    return again / sent if sent > 0 else 0.0


def _bytes(text: str) -> float:
    from eddyline import _core

    return _core.quantity("bytes", text)


def _lost(test: Test, _result: Result, document: Document) -> float:
    return float(sum(link["lost"] for link in _named(test, document["links"])))


def _filled(test: Test, _result: Result, document: Document) -> float | None:
    shares = [link["utilisation"] for link in _named(test, document["links"])]
    return None if None in shares else min(shares)


def _recovery(test: Test, result: Result, _document: Document) -> float:
    """From `since` to the start of the first second whose mean goodput reaches the level; else all that was left."""
    series: pd.DataFrame = result.series
    flows = series[(series["kind"] == "flow") & (series["quantity"] == "goodput_bps") & series["entity"].isin(test.of)]
    total = flows.groupby("time_s")["value"].sum()
    times, rates = total.index.to_numpy(), total.to_numpy()
    interval = float(times[1] - times[0])
    hold = max(1, round(_HOLD_S / interval))
    wanted = test.level * test.capacity_bps[0]
    # a rate is that of the interval before its time
    first = int((times <= test.since_s + interval / 2).sum())
    for place in range(first, len(rates) - hold + 1):
        if rates[place : place + hold].mean() >= wanted:
            return max(0.0, float(times[place]) - interval - test.since_s)
    return result.scenario.duration_s - test.since_s


def _arrivals_mean(test: Test, _result: Result, document: Document) -> float | None:
    means = [a["completion_s"]["mean"] for a in _named(test, document["arrivals"])]
    return None if None in means else max(means)


def _traffic_loss(test: Test, _result: Result, document: Document) -> float | None:
    shares = [t["loss_ratio"] for t in _named(test, document["traffic"])]
    return None if None in shares else max(shares)


def _traffic_delay(test: Test, _result: Result, document: Document) -> float | None:
    delays = [t["one_way_delay_s"]["p99"] for t in _named(test, document["traffic"])]
    return None if None in delays else max(delays)


MEASURES = {
    "share": Measure("goodput over capacity", _share, percent),
    "fairness": Measure("Jain's index of goodputs", _fairness, percent),
    "least_share": Measure("goodput of the poorest over its fair part", _least_share, percent),
    "rtt_p99": Measure("99th percentile of the round-trip time", _rtt_p99, seconds),
    "resent": Measure("retransmissions over all data packets sent", _resent, percent),
    "lost": Measure("packets lost on the wire", _lost, count),
    "filled": Measure("bits on the wire over what the link could carry", _filled, percent),
    "recovery": Measure("time until a second's goodput reaches the level", _recovery, seconds, series=True),
    "completion_mean": Measure("mean completion time", _arrivals_mean, seconds),
    "traffic_loss": Measure("share of packets that did not arrive", _traffic_loss, percent),
    "traffic_delay_p99": Measure("99th percentile of the one-way delay", _traffic_delay, seconds),
}
"""By the name that the suite has for them."""
