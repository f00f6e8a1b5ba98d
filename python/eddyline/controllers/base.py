"""The interface of a controller. Any class with these methods is one; deriving from `Controller` is optional."""

from __future__ import annotations

from typing import Literal

from eddyline._core import Ack, Loss, PathFacts, Round, Sent, Timeout

__all__ = ["HANDLERS", "Ack", "Controller", "Loss", "PathFacts", "Round", "Sent", "Timeout", "handlers"]

HANDLERS = (
    "on_handshake",
    "on_data",
    "on_sent",
    "on_ack",
    "on_duplicate",
    "on_round",
    "on_loss",
    "on_recovered",
    "on_timeout",
    "on_ecn",
    "on_spurious_timeout",
    "on_idle",
)
"""Every event method that a controller may have."""


class Controller:
    """A congestion controller: it receives events, and sets a congestion window and a pacing rate.

    A class must have `on_ack` or `on_round` (or both), `on_loss` and `on_timeout`; the other methods are called only
    where it has them, and a controller without `on_ack` and `on_sent` costs next to nothing per packet. Its constructor
    takes a `PathFacts` and then, by keyword, the parameters that a scenario may give it.

    Attributes:
        cwnd: The congestion window in packets: finite, at least 1, fractions allowed. Set it in `__init__`.
        pacing_rate: Packets per second; None: no pacing, the window alone limits.
        ssthresh: Slow-start threshold in packets; None where there is no slow start. Only `tcp.pacing = true` uses it.
        base_rtt: The estimate of the round-trip time without queues, in seconds, for the result; None: no estimate.
        partial_ack: Response to a partial acknowledgement during recovery without SACK: `"stay"` in recovery (NewReno,
            RFC 6582) or `"leave"` it (Reno, RFC 5681). Read once, after `__init__`.
    """

    cwnd: float
    pacing_rate: float | None = None
    ssthresh: float | None = None
    base_rtt: float | None = None
    partial_ack: Literal["stay", "leave"] = "stay"

    def on_handshake(self, now: float, rtt: float) -> None:
        """The handshake has given the first round-trip sample, in seconds; after a lost SYN only QUIC's does."""

    def on_data(self, now: float) -> None:
        """World `sim`: the application has given data to send, at a time of its own. Before `on_idle`."""

    def on_sent(self, sent: Sent) -> float | None:  # noqa: ARG002 - for derived classes
        """A data packet is about to be sent. The number returned is the `stamp` of its acknowledgement.

        None, or no such method: the packets in flight, including this one.
        """
        return None

    def on_ack(self, ack: Ack) -> None:
        """New data was acknowledged, cumulatively or selectively."""

    def on_duplicate(self, ack: Ack) -> None:
        """Without SACK: a duplicate acknowledgement. Its `acked` counts again where an acknowledgement covers the data.

        It has no round-trip sample and no `stamp`; `lost` are the packets that it shows to be lost.
        """

    def on_round(self, round: Round) -> None:
        """A round trip has ended: a packet that was sent after the previous one ended is acknowledged."""

    def on_loss(self, loss: Loss) -> None:
        """Loss was detected by duplicate acknowledgements, SACK or time; called once per loss episode."""

    def on_recovered(self, now: float) -> None:
        """The loss episode is over."""

    def on_timeout(self, timeout: Timeout) -> None:
        """The retransmission timer expired."""

    def on_ecn(self, mark: Loss) -> None:
        """A congestion mark was echoed, at most once a round trip. The default is to call `on_loss` (RFC 3168)."""

    def on_spurious_timeout(self, window: float) -> None:
        """The last timeout was spurious (RFC 5682); the packets in flight allow a window of `window` (RFC 4015)."""

    def on_idle(self, restart_window: float) -> None:
        """Nothing was sent for longer than the RTO. Without this method `cwnd` is limited to `restart_window`.

        Also called with 1 where lost SYNs reduce the initial window to one segment (RFC 5681, 3.1; RFC 6928, 2).
        """


def handlers(cls: type) -> list[str]:
    """The event methods that a class implements."""
    own = ((name, getattr(cls, name, None)) for name in HANDLERS)
    return [name for name, method in own if method is not None and method is not getattr(Controller, name)]
