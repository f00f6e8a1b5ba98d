"""Reno (RFC 5681) and NewReno (RFC 6582) as Python controllers that send the same packets as the built-in ones.

eddyline run examples/upload.toml --controllers examples/controllers/reno.py --set 'flow.*.controller.kind=my-newreno'
"""

from __future__ import annotations

import math

import eddyline as el


class Window:
    """Slow start, congestion avoidance, one halving per loss episode; everything in packets."""

    def __init__(self, path: el.PathFacts, whole_packets: bool = False) -> None:
        """Starts at the initial window; `whole_packets` rounds half a window down, as Linux does."""
        self.cwnd = max(path.initial_window, 1.0)
        self.ssthresh = math.inf
        self.whole_packets = whole_packets
        self.prior_ssthresh: float | None = None

    def on_ack(self, ack: el.Ack) -> None:
        """RFC 5681, equations 2 and 3."""
        if ack.in_recovery or not ack.cwnd_limited:
            return
        if self.cwnd < self.ssthresh:
            self.cwnd += min(ack.acked, 1.0)
        else:
            self.cwnd += 1.0 / self.cwnd

    def on_loss(self, loss: el.Loss) -> None:
        """RFC 5681, equation 4, and fast recovery."""
        self.cwnd = self.ssthresh = self.half(loss.flight_size)
        self.prior_ssthresh = None

    def on_timeout(self, timeout: el.Timeout) -> None:
        """RFC 5681, section 3.1: back to one packet; a repeated timeout keeps the threshold."""
        if not timeout.repeated:
            self.prior_ssthresh = max(self.ssthresh, timeout.flight_size)
            self.ssthresh = self.half(timeout.flight_size)
        self.cwnd = 1.0

    def on_spurious_timeout(self, window: float) -> None:
        """RFC 4015, section 3.2: the data was late, not lost, so the reduction is undone."""
        if self.prior_ssthresh is not None:
            self.cwnd = max(self.cwnd, window)
            self.ssthresh = self.prior_ssthresh
            self.prior_ssthresh = None

    def half(self, packets: float) -> float:
        """Half of the packets in flight, at least two."""
        packets /= 2.0
        return max(float(int(packets)) if self.whole_packets else packets, 2.0)


@el.register("my-newreno", source="RFC 5681, RFC 6582")
class NewReno(Window):
    """NewReno in Python: stays in recovery over partial acknowledgements."""

    partial_ack = "stay"


@el.register("my-reno", source="RFC 5681")
class Reno(Window):
    """Reno in Python: leaves recovery at the first partial acknowledgement."""

    partial_ack = "leave"
