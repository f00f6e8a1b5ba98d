"""A path of links in virtual time: rate, propagation delay, a drop-tail queue and periodic loss.

It shares no code with `crates/path`, whose results it is to check.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Link", "Packet", "VirtualTime"]


class VirtualTime:
    """Events in order of time; those of one moment in the order in which they were added."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order = count()
        self._events: list[tuple[float, int, Callable[[], None]]] = []

    def at(self, time: float, event: Callable[[], None]) -> None:
        assert time >= self.now, (time, self.now)
        heapq.heappush(self._events, (time, next(self._order), event))

    def run(self, until: float) -> None:
        while self._events and self._events[0][0] <= until:
            self.now, _, event = heapq.heappop(self._events)
            event()
        self.now = until


@dataclass(frozen=True)
class Packet:
    """A datagram with the headers below it."""

    payload: bytes
    size: int
    is_data: bool


@dataclass
class Link:
    """One direction of transmission."""

    time: VirtualTime
    rate_bps: float
    delay_s: float
    limit: float
    """Packets that may wait, without the one in transmission."""
    loses_every: int | None = None
    """Every data packet with this period is lost after its transmission."""
    measured_from: float = 0.0
    drops: int = 0
    lost: int = 0
    """Both since `measured_from`."""
    waited_s: float = 0.0
    """Sum over packets of their time in the queue since `measured_from`."""
    _busy_until: float = 0.0
    _departures: deque[float] = field(default_factory=deque)
    """When those that wait leave the queue."""
    _data_packets: int = 0

    def send(self, packet: Packet, receive: Callable[[Packet], None]) -> None:
        now = self.time.now
        while self._departures and self._departures[0] <= now:
            self._departures.popleft()
        start = max(now, self._busy_until)
        if start > now:
            if len(self._departures) >= self.limit:
                self.drops += now >= self.measured_from
                return
            self._departures.append(start)
            self.waited_s += max(0.0, start - max(now, self.measured_from))
        self._busy_until = start + packet.size * 8 / self.rate_bps
        self._data_packets += packet.is_data
        if packet.is_data and self.loses_every is not None and self._data_packets % self.loses_every == 0:
            self.lost += now >= self.measured_from
            return
        self.time.at(self._busy_until + self.delay_s, lambda: receive(packet))

    def mean_queue(self) -> float:
        """Packets that wait, mean since `measured_from`."""
        yet_to_wait = sum(max(0.0, departure - self.time.now) for departure in self._departures)
        return (self.waited_s - yet_to_wait) / (self.time.now - self.measured_from)
