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
_PAUSE_S = 0.01
_INTERVAL_NS = 100_000_000
_LATEST_NS = 2_000_000_000
"""What is longer on its way is not waited for; the server waits as long for the next one."""


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
    """A datagram that came back."""

    sent_s: float
    """When it was sent, by the monotonic clock."""

    rtt_s: float


def ten_a_second(datagrams: socket.socket, address: tuple[str, int], running: Callable[[], bool]) -> list[Echo]:
    """Sends datagrams ten times a second while something runs, and waits for those that are late."""
    waited_for: set[int] = set()
    echoes = []
    due = ends = time.monotonic_ns()
    while (again := running()) or (waited_for and time.monotonic_ns() < ends):
        now = time.monotonic_ns()
        if again and now >= due:
            datagrams.sendto(now.to_bytes(_ECHO_B), address)
            waited_for.add(now)
            due, ends = now + _INTERVAL_NS, now + _LATEST_NS
        datagrams.settimeout(max(1e-9 * ((due if again else ends) - now), 1e-3))
        with suppress(TimeoutError):
            sent = int.from_bytes(datagrams.recv(2048)[:_ECHO_B])
            if sent in waited_for:  # once, and of no test before
                waited_for.remove(sent)
                echoes.append(Echo(1e-9 * sent, 1e-9 * (time.monotonic_ns() - sent)))
    return echoes


def second_half_s(echoes: Sequence[Echo]) -> float | None:
    """The median time of those sent in the second half of the time; None of none."""
    if not echoes:
        return None
    sent = [echo.sent_s for echo in echoes]
    half = (min(sent) + max(sent)) / 2
    return median(echo.rtt_s for echo in echoes if echo.sent_s >= half)
