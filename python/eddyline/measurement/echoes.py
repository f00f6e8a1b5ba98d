"""Round-trip times of small datagrams that the server returns."""

from __future__ import annotations

import time
from contextlib import suppress
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

__all__ = ["Echo", "one_after_the_other", "second_half_s", "ten_a_second"]

_ECHO_B = 16
_LONGEST_S = 2.0
"""After the last one nothing is waited for so long; the server waits as long for the next one."""
_PAUSE_S = 0.01
_INTERVAL_NS = 100_000_000


def one_after_the_other(datagrams: socket.socket, address: tuple[str, int], number: int) -> list[float]:
    """Times of so many datagrams, each sent once the one before is back; without those that were lost."""
    times = []
    datagrams.settimeout(_LONGEST_S)
    for _ in range(number):
        began = time.monotonic()
        datagrams.sendto(bytes(_ECHO_B), address)
        try:
            datagrams.recv(2048)
        except TimeoutError:
            continue
        times.append(time.monotonic() - began)
        time.sleep(_PAUSE_S)
    return times


class Echo(NamedTuple):
    """A datagram that was sent."""

    sent_s: float
    """When, by the monotonic clock."""

    rtt_s: float | None
    """None where it did not come back in time."""


def ten_a_second(datagrams: socket.socket, address: tuple[str, int], running: Callable[[], bool]) -> list[Echo]:
    """Sends datagrams ten times a second while something runs, and waits for those that are late."""
    times: dict[int, float | None] = {}
    due = ends = time.monotonic_ns()
    while (again := running()) or (None in times.values() and time.monotonic_ns() < ends):
        now = time.monotonic_ns()
        if again and now >= due:
            datagrams.sendto(now.to_bytes(_ECHO_B), address)
            times[now] = None
            due, ends = now + _INTERVAL_NS, now + round(1e9 * _LONGEST_S)
        datagrams.settimeout(max(1e-9 * ((due if again else ends) - now), 1e-3))
        with suppress(TimeoutError):
            sent = int.from_bytes(datagrams.recv(2048)[:_ECHO_B])
            if sent in times and times[sent] is None:  # once, and of no test before
                times[sent] = 1e-9 * (time.monotonic_ns() - sent)
    return [Echo(1e-9 * sent, rtt_s) for sent, rtt_s in times.items()]


def second_half_s(echoes: Sequence[Echo]) -> float | None:
    """The median time of those sent in the second half of the time; None where none of the last quarter came back.

    So it is where the server has ended, because none reached it for two seconds, or where the test is too short.
    """
    back = [(echo.sent_s, echo.rtt_s) for echo in echoes if echo.rtt_s is not None]
    if not back:
        return None
    begun, ended = echoes[0].sent_s, echoes[-1].sent_s
    if back[-1][0] < begun + 0.75 * (ended - begun):
        return None
    return median(rtt_s for sent_s, rtt_s in back if sent_s >= (begun + ended) / 2)
