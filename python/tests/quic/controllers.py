"""Controllers for aioquic: FAST, and its own with one rule switched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aioquic.quic.congestion.base import K_MINIMUM_WINDOW, QuicCongestionControl
from aioquic.quic.congestion.cubic import CubicCongestionControl
from aioquic.quic.congestion.reno import RenoCongestionControl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aioquic.quic.packet_builder import QuicSentPacket

__all__ = ["CubicToTheFirstLoss", "Fast", "RenoToTheFirstLoss"]


class RenoToTheFirstLoss(RenoCongestionControl):
    """aioquic's NewReno, whose first slow start ends with a loss, not when the round-trip time grows."""

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        pass


class CubicToTheFirstLoss(CubicCongestionControl):
    """aioquic's CUBIC, whose first slow start ends with a loss, not when the round-trip time grows."""

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        del now
        self.rtt = rtt


class Fast(QuicCongestionControl):
    """FAST by equation 2 of "Performance Effects of Two-way FAST TCP", a step a round trip, at most doubling.

    The window is rounded to whole datagrams, because aioquic fills a fraction with a short one.
    """

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
        self.congestion_window = round(self._window) * self._datagram
