"""What a loss-based sender does at a given loss, packet by packet: the response functions' other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.theory.response_functions import Response

__all__ = ["lossy_path", "mean_window"]

_LEAST_LOSS = 1e-6
_OFF = 0.01  # how far one packet in so many may be from the loss that is asked
_LOSSES = 200  # in the time that is measured, by the response function
_ROUND_TRIPS = 400


def mean_window(said: Response, rtt_s: float, packet_bytes: int, ack_every: int, losses: str) -> float | None:
    """Mean window in packets of one sender that loses what `said` says, alone on a path that is never full.

    Slow start, until the first losses, is left out. None below a loss of 1e-6, too many packets, and where periodic
    losses, of one packet in so many, would be another loss.
    """
    if said.loss < _LEAST_LOSS or (losses == "periodic" and abs(round(1 / said.loss) * said.loss - 1) > _OFF):
        return None
    between = 1 / (said.loss * said.packets_per_s)
    settled = 20 * max(between, rtt_s)
    measured = max(_LOSSES * between, _ROUND_TRIPS * rtt_s)
    sender = {"controller": {"kind": said.kind}, "packet": f"{packet_bytes} B", "tcp": {"ack_every": ack_every}}
    times = {"duration": f"{settled + measured:.9f} s", "warmup": f"{settled:.9f} s"}
    flow = Scenario(times | lossy_path(said.loss, rtt_s, losses, sender)).run("sim", series=False).to_dict()["flows"][0]
    window: float | None = flow["window_packets"]["mean"]
    return window


def lossy_path(
    loss: float, rtt_s: float, losses: str, sender: Mapping[str, Any], rate: str = "1 Tbit/s", **there: Any
) -> dict[str, Any]:
    """Links and the one flow of a scenario in which a share of the flow's packets is lost.

    Args:
        loss: That share.
        rtt_s: Round-trip time without queueing.
        losses: `"periodic"` or `"random"`.
        sender: The flow's controller and what else it has.
        rate: Of both links; never full unless said.
        there: What else the link of the data has.
    """
    lost: Any = {"kind": "periodic", "every": round(1 / loss)} if losses == "periodic" else loss
    line = {"rate": rate, "delay": f"{rtt_s / 2:.12f} s"}
    return {
        "link": [{"name": "there", "loss": lost, **line, **there}, {"name": "back", **line}],
        "flow": [{"name": "sender", "data": ["there"], "ack": ["back"], **sender}],
    }
