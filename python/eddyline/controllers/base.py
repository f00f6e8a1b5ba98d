"""What a controller hears and gives. Any class with these methods will do; deriving from `Controller` is a help."""

from __future__ import annotations

from typing import Literal

from eddyline._core import Ack, Loss, PathFacts, Round, Sent, Timeout

__all__ = ["HANDLERS", "Ack", "Controller", "Loss", "PathFacts", "Round", "Sent", "Timeout", "handlers"]

HANDLERS = (
    "on_handshake",
    "on_sent",
    "on_ack",
    "on_round",
    "on_loss",
    "on_recovered",
    "on_timeout",
    "on_ecn",
    "on_spurious_timeout",
    "on_idle",
)
"""Every method that a controller may have."""


class Controller:
    """A congestion controller: it hears events, and says how many packets may be in flight and how fast they may leave.

    A class must have `on_ack` or `on_round` (or both), `on_loss` and `on_timeout`; of the other methods only those that
    it has are called, and a controller without `on_ack` and `on_sent` costs next to nothing per packet. Its constructor
    takes a `PathFacts` and then, by keyword, the parameters that a scenario may give it.

    Attributes:
        cwnd: The congestion window in packets: finite, at least 1, fractions allowed. Set it in `__init__`.
        pacing_rate: Packets a second that may leave; None: as the window lets them out.
        ssthresh: Where slow start ends, in packets; None where there is no slow start. Only `tcp.pacing = true` asks.
        base_rtt: Your belief about the round-trip time without queues, in seconds, for the record; None: none.
        partial_ack: What a sender without SACK does in recovery when a part of what was outstanding is acknowledged:
            `"stay"` (NewReno, RFC 6582) or `"leave"` (Reno, RFC 5681). Read once, after `__init__`.
    """

    cwnd: float
    pacing_rate: float | None = None
    ssthresh: float | None = None
    base_rtt: float | None = None
    partial_ack: Literal["stay", "leave"] = "stay"

    def on_handshake(self, now: float, rtt: float) -> None:
        """The handshake gave a first round-trip sample, in seconds."""

    def on_sent(self, sent: Sent) -> float | None:  # noqa: ARG002 - for those who derive
        """A data packet is about to leave; the number returned comes back as `stamp` of its acknowledgement.

        None, or no such method: the packets in flight, this one included.
        """
        return None

    def on_ack(self, ack: Ack) -> None:
        """New data was acknowledged, cumulatively or selectively."""

    def on_round(self, round: Round) -> None:
        """A round trip is over: a packet that was sent since the last one ended is acknowledged."""

    def on_loss(self, loss: Loss) -> None:
        """Loss was detected by duplicate acknowledgements, SACK or time: once an episode."""

    def on_recovered(self, now: float) -> None:
        """The loss episode is over."""

    def on_timeout(self, timeout: Timeout) -> None:
        """The retransmission timer expired."""

    def on_ecn(self, mark: Loss) -> None:
        """A congestion mark was echoed, at most once a round trip; `on_loss` hears it without this (RFC 3168)."""

    def on_spurious_timeout(self, window: float) -> None:
        """The last timeout was spurious (RFC 5682); what is in flight allows `window` packets (RFC 4015)."""

    def on_idle(self, restart_window: float) -> None:
        """Nothing was sent for longer than the timeout. Without this method `cwnd` becomes at most `restart_window`."""


def handlers(cls: type) -> list[str]:
    """The methods that a class has of its own."""
    own = ((name, getattr(cls, name, None)) for name in HANDLERS)
    return [name for name, method in own if method is not None and method is not getattr(Controller, name)]
