"""Simulations of senders at a marking threshold, beside the saw-teeth."""

from __future__ import annotations

from typing import Any

from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

__all__ = ["SHOWN", "settled_s", "simulated", "simulation"]

_WARMUP = (500, 30)  # round trips and periods
_MEASURED = 30  # periods
_POINTS = 8  # of a series in a round trip
SHOWN = 5
"""Periods of the queue in figures."""


def simulated(
    kind: str,
    flows: int,
    period_s: float,
    *,
    rate_bps: float,
    rtt_s: float,
    threshold_packets: int,
    packet_bytes: int,
) -> dict[str, Any]:
    """Measurements of `simulation`, and its queue of some periods."""
    settled = settled_s(rtt_s, period_s)
    path: Any = {
        "rate_bps": rate_bps,
        "rtt_s": rtt_s,
        "threshold_packets": threshold_packets,
        "packet_bytes": packet_bytes,
    }
    result = simulation(kind, flows, period_s, **path).run_with(RunOptions())
    bottleneck = result.to_dict()["links"][0]
    frame = result.series
    frame = frame[(frame["quantity"] == "queue_packets") & (frame["entity"] == "there")]
    frame = frame[frame["time_s"] >= settled]
    lengths = frame["value"]
    shown = frame[frame["time_s"] <= settled + SHOWN * period_s]
    longest, shortest = bottleneck["queue_packets"]["max"], float(lengths.min())
    low, high = float(lengths.quantile(0.05)), float(lengths.quantile(0.95))
    # single extremes of flows that are not synchronised do not count; of straight teeth it is the whole. A queue that
    # is empty for a while has teeth in a part of the time only.
    typical = (high - low) / 0.9 if low else longest
    return {
        "sim_amplitude_packets": min(typical, longest - shortest),
        "sim_queue_max_packets": longest,
        "sim_queue_min_packets": shortest,
        "sim_utilisation": bottleneck["utilisation"],
        "sim_series": {"time_s": list(shown["time_s"] - settled), "queue_packets": list(shown["value"])},
    }


def settled_s(rtt_s: float, period_s: float) -> float:
    """When the measurement begins."""
    return _WARMUP[0] * rtt_s + _WARMUP[1] * period_s


def simulation(
    kind: str,
    flows: int,
    period_s: float,
    *,
    rate_bps: float,
    rtt_s: float,
    threshold_packets: int,
    packet_bytes: int,
) -> Scenario:
    """Flows with default parameters at a threshold, each starting a third of a round trip after the previous one.

    `period_s` is the period of the closed form, from which the duration follows.
    """
    settled = settled_s(rtt_s, period_s)
    link = {"delay": f"{rtt_s / 2:.12f} s"}
    queue = {"kind": "step", "threshold": f"{threshold_packets} packets", "limit": "unlimited"}
    scenario = {
        "duration": f"{max(settled + _MEASURED * period_s, 1e-3):.12f} s",
        "warmup": f"{settled:.12f} s",
        "record": {"interval": f"{rtt_s / _POINTS:.12f} s"},
        "link": [
            {"name": "there", "rate": f"{rate_bps:.0f} bit/s", "queue": queue, **link},
            # acknowledgements never queue
            {"name": "back", "rate": f"{min(10 * rate_bps, 1e13):.0f} bit/s", **link},
        ],
        "flow": [
            {
                "name": "sender",
                "count": flows,
                "stagger": f"{rtt_s / 3:.12f} s",
                "controller": {"kind": kind},
                "data": ["there"],
                "ack": ["back"],
                "packet": f"{packet_bytes} B",
                "tcp": {"accurate_ecn": "option"},
            }
        ],
    }
    return Scenario(scenario)
