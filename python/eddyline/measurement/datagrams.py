"""Numbered datagrams with their times of sending, in phases of a constant rate each."""

from __future__ import annotations

import socket
import struct
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HEADERS_B", "SPARSE", "Arrival", "Phase", "SparseFlow", "enlarge", "receive", "send"]

HEADERS_B = 28
"""Of IPv4 and UDP; sizes are those of the IP packet."""
_HEAD = struct.Struct("!IIQ")  # phase, number, time of sending in ns
SPARSE = 1000
"""Added to the phase of a packet of the sparse flow."""
_SPARSE_B = 64
_TICK_S = 0.0005
_BUFFER_B = 4 << 20
_FORCE = {socket.SO_SNDBUF: 32, socket.SO_RCVBUF: 33} if sys.platform == "linux" else {}
"""SO_SNDBUFFORCE and SO_RCVBUFFORCE, which exceed the system's limits, with CAP_NET_ADMIN; on Linux alone."""


class Phase(NamedTuple):
    """Packets of a constant rate.

    Attributes:
        rate_bps: Their rate.
        seconds: How long.
    """

    rate_bps: float
    seconds: float


class SparseFlow(NamedTuple):
    """A second flow, which sends little.

    Attributes:
        sock: Its socket.
        to: Where it goes; its source or its destination is another than that of the first flow.
        every_s: Time between two of its packets.
    """

    sock: socket.socket
    to: tuple[str, int]
    every_s: float


class Arrival(NamedTuple):
    """A packet that arrived; times are of the clocks of sender and receiver.

    Attributes:
        phase: Its phase; of a packet of the sparse flow, `SPARSE` more.
        number: Its number, from 0.
        sent_ns: When it was sent.
        received_ns: When it arrived.
    """

    phase: int
    number: int
    sent_ns: int
    received_ns: int


def enlarge(sock: socket.socket) -> None:
    """Makes a socket hold more packets than the buffers that are measured.

    Packets that wait in a queue of the sending machine count for its socket: with the usual buffer the sender would
    wait before that queue is full.
    """
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        try:
            sock.setsockopt(socket.SOL_SOCKET, _FORCE.get(option, option), _BUFFER_B)
        except PermissionError:
            sock.setsockopt(socket.SOL_SOCKET, option, _BUFFER_B)


def send(
    sock: socket.socket, to: tuple[str, int], phases: list[Phase], size: int, sparse_flow: SparseFlow | None = None
) -> int:
    """Sends packets of `size` bytes and returns how many, those of a second flow not counted.

    Where the socket is full it waits, and falls behind.
    """
    sock.settimeout(None)
    sparse, sparse_due = 0, 0.0
    padding = bytes(max(0, size - HEADERS_B - _HEAD.size))
    number = 0
    for i, phase in enumerate(phases):
        interval_s = 8 * size / phase.rate_bps
        began, sent, count = time.monotonic(), 0, max(1, round(phase.seconds / interval_s))
        while sent < count:
            due = min(count, int((time.monotonic() - began) / interval_s) + 1)
            # before the others, which would take the place in a full queue that has just become free
            if sparse_flow is not None and time.monotonic() >= sparse_due:
                head = _HEAD.pack(SPARSE + i, sparse, time.monotonic_ns())
                sparse_flow.sock.sendto(head + bytes(_SPARSE_B - HEADERS_B - _HEAD.size), sparse_flow.to)
                sparse, sparse_due = sparse + 1, time.monotonic() + sparse_flow.every_s
            for _ in range(due - sent):
                sock.sendto(_HEAD.pack(i, number, time.monotonic_ns()) + padding, to)
                number += 1
            sent = due
            if sent < count:
                time.sleep(max(_TICK_S, began + sent * interval_s - time.monotonic()))
    return number


def receive(sock: socket.socket, finished: Callable[[], bool], idle_s: float) -> list[Arrival]:
    """Records arrivals until nothing has come for `idle_s` after the sender has finished."""
    arrivals: list[Arrival] = []
    last = time.monotonic()
    sock.settimeout(0.05)
    while True:
        try:
            data = sock.recv(2048)
            now = time.monotonic_ns()
            if len(data) >= _HEAD.size:
                phase, number, sent_ns = _HEAD.unpack_from(data)
                arrivals.append(Arrival(phase, number, sent_ns, now))
            last = time.monotonic()
        except TimeoutError:
            if finished() and time.monotonic() - last > idle_s:
                return arrivals
