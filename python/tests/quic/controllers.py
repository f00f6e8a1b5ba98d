"""Controllers for aioquic: its own with single rules switched, and FAST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aioquic.quic.congestion.base import K_MINIMUM_WINDOW, QuicCongestionControl
from aioquic.quic.congestion.cubic import K_CUBIC_LOSS_REDUCTION_FACTOR, CubicCongestionControl
from aioquic.quic.congestion.reno import RenoCongestionControl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aioquic.quic.packet_builder import QuicSentPacket

__all__ = ["CubicOfTheRfc", "CubicToTheFirstLoss", "Fast", "Forwarding", "RenoToTheFirstLoss", "WholeDatagrams"]


class Forwarding(QuicCongestionControl):
    """Another controller, unchanged: for those that change one thing of it."""

    def __init__(self, law: QuicCongestionControl) -> None:
        self.law = law

    @property
    def bytes_in_flight(self) -> int:  # type: ignore[override]
        return self.law.bytes_in_flight

    @property
    def congestion_window(self) -> int:  # type: ignore[override]
        return self.law.congestion_window

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        self.law.on_packet_acked(now=now, packet=packet)

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        self.law.on_packet_sent(packet=packet)

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        self.law.on_packets_expired(packets=packets)

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        self.law.on_packets_lost(now=now, packets=packets)

    def on_persistent_congestion(self) -> None:
        self.law.on_persistent_congestion()

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        self.law.on_rtt_measurement(now=now, rtt=rtt)


class WholeDatagrams(Forwarding):
    """Sends nothing while the rest of the window is below a full datagram, as noq-proto does.

    aioquic fills the rest with a short packet, whose acknowledgement makes room for no more than another short one.
    """

    def __init__(self, law: QuicCongestionControl, datagram: int) -> None:
        super().__init__(law)
        self._datagram = datagram

    @property
    def congestion_window(self) -> int:  # type: ignore[override]
        in_flight = self.law.bytes_in_flight
        room = max(0, self.law.congestion_window - in_flight)
        return in_flight + room // self._datagram * self._datagram


class RenoToTheFirstLoss(RenoCongestionControl):
    """aioquic's NewReno, whose first slow start ends with a loss, not when the round-trip time grows."""

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        pass


class CubicToTheFirstLoss(CubicCongestionControl):
    """aioquic's CUBIC, whose first slow start ends with a loss, not when the round-trip time grows."""

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        del now
        self.rtt = rtt


class CubicOfTheRfc(CubicToTheFirstLoss):
    """aioquic's CUBIC with rules of RFC 9438 that it has differently; each can be kept as aioquic has it."""

    def __init__(self, max_datagram_size: int, *, kept: str = "") -> None:
        super().__init__(max_datagram_size=max_datagram_size)
        self._kept = kept
        self._prior = 0

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        # no growth in recovery (RFC 9002, 7.3.2)
        in_recovery = (packet.sent_time or 0.0) <= self._congestion_recovery_start_time
        if in_recovery and self._kept != "growth in recovery":
            self.bytes_in_flight -= packet.sent_bytes
            return
        # the slope of the friendly window until it is where it was before the loss (4.3); aioquic has 1 throughout
        if self._kept != "slope":
            beta = K_CUBIC_LOSS_REDUCTION_FACTOR
            slope = 1.0 if self._W_est >= self._prior else 3 * (1 - beta) / (1 + beta)
            self.additive_increase_factor = round(slope * self._max_datagram_size)
        super().on_packet_acked(now=now, packet=packet)

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        window, last = self.congestion_window, self._congestion_recovery_start_time
        super().on_packets_lost(now=now, packets=packets)
        if self._congestion_recovery_start_time == last:
            return
        self._prior = window
        # reduced from the window (4.6 allows it if the application does not limit it); aioquic: from what is in flight
        if self._kept != "reduced from flight":
            floor = K_MINIMUM_WINDOW * self._max_datagram_size
            self.congestion_window = self.ssthresh = max(int(window * K_CUBIC_LOSS_REDUCTION_FACTOR), floor)


class Fast(QuicCongestionControl):
    """FAST by equation 2 of "Performance Effects of Two-way FAST TCP", a step a round trip, at most doubling."""

    def __init__(self, *, max_datagram_size: int, alpha: float, base_rtt: float, gamma: float = 0.5) -> None:
        super().__init__(max_datagram_size=max_datagram_size)
        self._datagram = max_datagram_size
        self._alpha = alpha
        self._base_rtt = base_rtt
        self._gamma = gamma
        self._window = self.congestion_window / max_datagram_size
        self._samples: list[float] = []
        self._next_step = 0.0
        self._reduced_at = 0.0

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        self._samples.append(rtt)
        if now < self._next_step:
            return
        mean = sum(self._samples) / len(self._samples)
        self._samples.clear()
        self._next_step = now + rtt
        queueing = max(0.0, mean - self._base_rtt)
        step = self._gamma * (self._alpha - queueing / mean * self._window)
        self._set(min(2 * self._window, self._window + step))

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        last = 0.0
        for packet in packets:
            self.bytes_in_flight -= packet.sent_bytes
            last = packet.sent_time or 0.0
        if last > self._reduced_at:
            self._reduced_at = now
            self._set(self._window / 2)

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        del now
        self.bytes_in_flight -= packet.sent_bytes

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        self.bytes_in_flight += packet.sent_bytes

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        self.bytes_in_flight -= sum(packet.sent_bytes for packet in packets)

    def on_persistent_congestion(self) -> None:
        self._set(K_MINIMUM_WINDOW)

    def _set(self, window: float) -> None:
        self._window = max(window, K_MINIMUM_WINDOW)
        self.congestion_window = round(self._window * self._datagram)
