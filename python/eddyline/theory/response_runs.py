"""Simulations of a loss-based sender at a given loss ratio, beside the response functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError, ScenarioError
from eddyline.quantities import seconds
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["lossy_path", "mean_window", "simulation"]

_MIN_LOSS = 1e-6
_TOLERANCE = 0.01  # of the ratio of periodic losses
_LOSSES = 200  # in the measured time, by the response function
_ROUND_TRIPS = 400


def mean_window(
    kind: str, loss: float, packets_per_s: float, rtt_s: float, *, packet_bytes: int, ack_every: int, losses: str
) -> float | None:
    """Mean window in packets of one sender, simulated; see `simulation`."""
    options: Any = {"packet_bytes": packet_bytes, "ack_every": ack_every, "losses": losses}
    scenario = simulation(kind, loss, packets_per_s, rtt_s, **options)
    if scenario is None:
        return None
    window: float | None = scenario.run("sim", series=False).to_dict()["flows"][0]["window_packets"]["mean"]
    return window


def simulation(
    kind: str, loss: float, packets_per_s: float, rtt_s: float, *, packet_bytes: int, ack_every: int, losses: str
) -> Scenario | None:
    """One sender, alone on a path with a loss ratio and without a bottleneck.

    Slow start, until the first losses, is left out. None below a loss ratio of 1e-6, which needs too many packets, and
    where no periodic loss of every n-th packet has that ratio.

    Raises:
        InputError: World sim has no such path or packet.

    Args:
        kind: The controller.
        loss: Loss ratio.
        packets_per_s: Its rate by the response function, from which the duration follows.
        rtt_s: Round-trip time.
        packet_bytes: A data packet on the wire.
        ack_every: Data packets per acknowledgement.
        losses: `"periodic"` or `"random"`.
    """
    if loss < _MIN_LOSS or (losses == "periodic" and abs(round(1 / loss) * loss - 1) > _TOLERANCE):
        return None
    between = 1 / (loss * packets_per_s)
    settled = 20 * max(between, rtt_s)
    measured = max(_LOSSES * between, _ROUND_TRIPS * rtt_s)
    sender = {"controller": {"kind": kind}, "packet": f"{packet_bytes} B", "tcp": {"ack_every": ack_every}}
    times = {"duration": f"{settled + measured:.9f} s", "warmup": f"{settled:.9f} s"}
    try:
        return Scenario(times | lossy_path(loss, rtt_s, losses, sender))
    except ScenarioError as e:
        why = "; ".join(f"{each['key'].rpartition('.')[2]}: {each['message']}" for each in e.diagnostics)
        raise InputError(
            f"{kind} with packets of {packet_bytes} B, a round trip of {seconds(rtt_s)} and a loss of {loss:g} cannot "
            f"be simulated: {why}",
            "the response function alone needs no simulation",
        ) from None


def lossy_path(
    loss: float, rtt_s: float, losses: str, sender: Mapping[str, Any], rate: str = "1 Tbit/s", **there: Any
) -> dict[str, Any]:
    """Links and the one flow of a scenario with a loss ratio.

    Args:
        loss: The loss ratio.
        rtt_s: Round-trip time without queueing.
        losses: `"periodic"` or `"random"`.
        sender: Controller and other keys of the flow.
        rate: Of both links; the default is never a bottleneck.
        there: Other keys of the data link.
    """
    lost: Any = {"kind": "periodic", "every": round(1 / loss)} if losses == "periodic" else loss
    link = {"rate": rate, "delay": f"{rtt_s / 2:.12f} s"}
    return {
        "link": [{"name": "there", "loss": lost, **link, **there}, {"name": "back", **link}],
        "flow": [{"name": "sender", "data": ["there"], "ack": ["back"], **sender}],
    }
