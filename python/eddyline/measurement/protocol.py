"""What client and server send to each other: one JSON document a line, over TCP connections to the server's port.

The first line of a connection says what it is for: `control`, `upload` (the client sends bytes until it closes) or
`download` (the server sends bytes for so many seconds). Datagrams use the server's port of the same number; the
client's first ones tell its address.
"""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CONTROLLER",
    "LONGEST_ANSWER_B",
    "LONGEST_REQUEST_B",
    "PORT",
    "ForeignError",
    "Lines",
    "choose_controller",
    "drain",
    "fill",
    "full_packet_bytes",
    "goodput_bps",
    "header_bytes",
    "negotiated",
]

PORT = 5710

CONTROLLER = "cubic"
"""Congestion control of the tests with TCP, whatever the system's default is."""

_CHUNK = 1 << 16
LONGEST_ANSWER_B, LONGEST_REQUEST_B = 1 << 28, 1 << 16
"""Above any list of arrivals, some 100 B for each packet of some minutes; and above any other document."""
_ETHERNET_B = 1500
_HEADERS_B, _TIMESTAMPS_B = 40, 12
"""Of IPv4 and TCP; the option with its padding."""
_OPTIONS_AT = 5
"""Place of tcpi_options in tcp_info."""
_OPTIONS = {"timestamps": 1, "sack": 2}
"""TCPI_OPT_TIMESTAMPS, TCPI_OPT_SACK."""


class ForeignError(ValueError):
    """The other end does not speak this language."""

    def __init__(self) -> None:
        super().__init__("another program answers")


class Lines:
    """A connection on which documents are sent and received."""

    def __init__(self, sock: socket.socket, longest_b: int) -> None:
        self.sock, self._longest_b = sock, longest_b
        self._file = sock.makefile("rb")

    def close(self) -> None:
        """Ends the connection."""
        with suppress(OSError):  # who reads from it in another thread stops
            self.sock.shutdown(socket.SHUT_RDWR)
        self._file.close()
        self.sock.close()

    def send(self, **document: Any) -> None:
        """Sends a document."""
        self.sock.sendall(json.dumps(document).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        """The next document; empty at the end of the connection.

        Raises:
            ForeignError: The other end sends something else.
        """
        line = self._file.readline(self._longest_b)
        try:
            document = json.loads(line) if line else {}
        except (ValueError, RecursionError):
            raise ForeignError from None
        if not isinstance(document, dict):
            raise ForeignError
        return document


def choose_controller(sock: socket.socket) -> None:
    """Makes a socket send by CUBIC where the system has it: it is what the written file has.

    To be called before there is a connection. Where the system's default is BBR, a connection that changes later stays
    paced, and CUBIC that is paced does better beside an upload. Connections have what the listening socket has.
    """
    if hasattr(socket, "TCP_CONGESTION"):
        with suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, CONTROLLER.encode())


def negotiated(sock: socket.socket) -> dict[str, bool] | None:
    """Which options of TCP a connection has, by TCP_INFO; None where the system does not tell."""
    if not hasattr(socket, "TCP_INFO"):
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _OPTIONS_AT + 1)
    except OSError:
        return None
    return {name: bool(info[_OPTIONS_AT] & bit) for name, bit in _OPTIONS.items()}


def header_bytes(options: Mapping[str, bool]) -> int:
    """Headers of a segment of a connection with these options."""
    return _HEADERS_B + (_TIMESTAMPS_B if options["timestamps"] else 0)


def full_packet_bytes(sock: socket.socket) -> int:
    """Size of the largest IPv4 packets of a connection, at most those of Ethernet: longer ones would be fragmented."""
    segment = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
    return min(_ETHERNET_B, segment + header_bytes(negotiated(sock) or {"timestamps": False}))


def fill(sock: socket.socket, seconds: float) -> None:
    """Sends bytes for so many seconds."""
    data, end = bytes(_CHUNK), time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            sock.send(data)
        except TimeoutError:
            return


def drain(sock: socket.socket, seconds: float) -> list[tuple[float, int]]:
    """Reads bytes until the end, at most so many seconds: times and bytes so far.

    Raises:
        ConnectionError: The connection was lost.
    """
    read, end, samples = 0, time.monotonic() + seconds, []
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            data = sock.recv(_CHUNK)
        except TimeoutError:
            break
        if not data:
            break
        read += len(data)
        samples.append((time.monotonic(), read))
    return samples


def goodput_bps(samples: list[tuple[float, int]]) -> float:
    """Rate of the bytes read, without the start; 0 where hardly anything came.

    What came after a lost packet is read at once when the packet is sent again. A rate from before such a moment to
    after it would be above that of the line. So both ends are where the count is furthest above its mean slope, where
    nothing waits: the first between a quarter and half of the time, the last in the last fifth.
    """
    if len(samples) < 3:
        return 0.0
    (begin, _), (end, read) = samples[0], samples[-1]
    if end <= begin:
        return 0.0
    mean = read / (end - begin)

    def least_waiting(low: float, high: float) -> tuple[float, int]:
        inside = [s for s in samples if low <= (s[0] - begin) / (end - begin) <= high]
        return max(inside or samples[-1:], key=lambda s: s[1] - mean * (s[0] - begin))

    first, last = least_waiting(0.25, 0.5), least_waiting(0.8, 1.0)
    return 8 * (last[1] - first[1]) / (last[0] - first[0]) if last[0] > first[0] else 0.0
