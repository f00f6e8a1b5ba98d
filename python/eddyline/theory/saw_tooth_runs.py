"""What senders make of a marking threshold, packet by packet: the saw-teeth's other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from eddyline.theory.saw_teeth import SawTooth

__all__ = ["simulated"]

_SETTLED = (500, 30)  # round trips and periods before anything is measured
_MEASURED = 30  # periods
_SHOWN = 5  # periods
_POINTS = 8  # of a series in a round trip


def simulated(
    said: SawTooth, *, rate_bps: float, rtt_s: float, threshold_packets: int, packet_bytes: int
) -> dict[str, Any]:
    """The queue of such flows, each beginning a third of a round trip after the one before, with default parameters."""
    settled = _SETTLED[0] * rtt_s + _SETTLED[1] * said.period_s
    line = {"delay": f"{rtt_s / 2:.12f} s"}
    queue = {"kind": "step", "threshold": f"{threshold_packets} packets", "limit": "unlimited"}
    scenario = {
        "duration": f"{max(settled + _MEASURED * said.period_s, 1e-3):.12f} s",
        "warmup": f"{settled:.12f} s",
        "record": {"interval": f"{rtt_s / _POINTS:.12f} s"},
        "link": [
            {"name": "there", "rate": f"{rate_bps:.0f} bit/s", "queue": queue, **line},
            # acknowledgements never wait
            {"name": "back", "rate": f"{min(10 * rate_bps, 1e13):.0f} bit/s", **line},
        ],
        "flow": [
            {
                "name": "sender",
                "count": said.flows,
                "stagger": f"{rtt_s / 3:.12f} s",
                "controller": {"kind": said.kind},
                "data": ["there"],
                "ack": ["back"],
                "packet": f"{packet_bytes} B",
                "tcp": {"accurate_ecn": "option"},
            }
        ],
    }
    result = Scenario(scenario).run("sim")
    link = result.to_dict()["links"][0]
    frame = result.series
    frame = frame[(frame["quantity"] == "queue_packets") & (frame["entity"] == "there")]
    frame = frame[frame["time_s"] >= settled]
    lengths = frame["value"]
    shown = frame[frame["time_s"] <= settled + _SHOWN * said.period_s]
    return {
        "sim_amplitude_packets": float(lengths.quantile(0.95) - lengths.quantile(0.05)) / 0.9,
        "sim_queue_max_packets": link["queue_packets"]["max"],
        "sim_queue_min_packets": float(lengths.min()),
        "sim_utilisation": link["utilisation"],
        "sim_series": {"time_s": list(shown["time_s"] - settled), "queue_packets": list(shown["value"])},
    }
