"""What a loss-based sender does at a given loss, packet by packet: the response functions' other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from eddyline.theory.response_functions import Response

__all__ = ["mean_window"]

_LEAST_LOSS = 1e-6
_LOSSES = 200  # in the time that is measured, by the response function
_ROUND_TRIPS = 400


def mean_window(said: Response, rtt_s: float, packet_bytes: int, ack_every: int, losses: str) -> float | None:
    """Mean window in packets of one sender that loses what `said` says, alone on a path that is never full.

    Slow start, until the first losses, is left out. None below a loss of 1e-6: too many packets.
    """
    if said.loss < _LEAST_LOSS:
        return None
    between = 1 / (said.loss * said.packets_per_s)
    settled = 20 * max(between, rtt_s)
    measured = max(_LOSSES * between, _ROUND_TRIPS * rtt_s)
    lost: Any = {"kind": "periodic", "every": round(1 / said.loss)} if losses == "periodic" else said.loss
    line = {"rate": "1 Tbit/s", "delay": f"{rtt_s / 2:.12f} s"}
    scenario = {
        "duration": f"{settled + measured:.9f} s",
        "warmup": f"{settled:.9f} s",
        "link": [{"name": "there", "loss": lost, **line}, {"name": "back", **line}],
        "flow": [
            {
                "name": "sender",
                "controller": {"kind": said.kind},
                "data": ["there"],
                "ack": ["back"],
                "packet": f"{packet_bytes} B",
                "tcp": {"ack_every": ack_every},
            }
        ],
    }
    flow = Scenario(scenario).run("sim", series=False).to_dict()["flows"][0]
    window: float | None = flow["window_packets"]["mean"]
    return window
