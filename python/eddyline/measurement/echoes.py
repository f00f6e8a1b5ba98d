"""Round-trip times of small datagrams that the server returns."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

__all__ = ["one_after_the_other", "ten_a_second"]

_ECHO_B = 16
_LONGEST_S = 2.0
_PAUSE_S = 0.01
_INTERVAL_S = 0.1


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


def ten_a_second(datagrams: socket.socket, address: tuple[str, int], running: Callable[[], bool]) -> list[float]:
    """Times of datagrams that are sent ten times a second while something runs, in the order of their return."""
    sent: dict[int, float] = {}
    times = []
    due = time.monotonic()
    while running():
        now = time.monotonic()
        if now >= due:
            datagrams.sendto(len(sent).to_bytes(_ECHO_B), address)
            sent[len(sent)] = now
            due = now + _INTERVAL_S
        datagrams.settimeout(max(due - now, 1e-3))
        with suppress(TimeoutError):
            number = int.from_bytes(datagrams.recv(2048)[:_ECHO_B])
            if number in sent:
                times.append(time.monotonic() - sent[number])
    return times
