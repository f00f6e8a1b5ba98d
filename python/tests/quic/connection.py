"""A bulk transfer between two aioquic connections in virtual time: no socket, no event loop, no clock but ours."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.congestion.base import register_congestion_control
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_der_private_key

from .controllers import Forwarding
from .path import Link, Packet, VirtualTime

if TYPE_CHECKING:
    from collections.abc import Callable

    from aioquic.quic.congestion.base import QuicCongestionControl

__all__ = ["Measured", "Transfer"]

TLS = Path(__file__).parents[3] / "crates" / "quic" / "tests" / "suite" / "tls"
UNLIMITED = 1 << 40
TIMER_IS_LATE_BY = 1e-6
"""As in any event loop. aioquic paces an acknowledgement that is due exactly now, but not an overdue one."""
CLIENT, SERVER = ("192.0.2.1", 1), ("192.0.2.2", 443)


@dataclass
class Measured:
    """What one flow did from `since` on."""

    since: float
    delivered_bytes: int = 0
    rtts: list[float] = field(default_factory=list)
    window_seconds: float = 0.0
    """Integral of the window in bytes."""
    sent: list[tuple[float, int]] = field(default_factory=list)
    """Time and size of each of the sender's packets, from the first."""


class Sampled(Forwarding):
    """A controller whose round-trip samples are noted."""

    def __init__(self, law: QuicCongestionControl, measured: Measured) -> None:
        super().__init__(law)
        self._measured = measured

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        if now >= self._measured.since:
            self._measured.rtts.append(rtt)
        super().on_rtt_measurement(now=now, rtt=rtt)


class Host:
    """One end: a connection, its timer and the link that it sends to."""

    def __init__(self, time: VirtualTime, connection: QuicConnection, link: Link, header: int) -> None:
        self.connection = connection
        self.peer: Host | None = None
        self.address = CLIENT
        self.on_sent: Callable[[Packet], None] = lambda _: None
        self.on_event: Callable[[Any], None] = lambda _: None
        self.before_change: Callable[[], None] = lambda: None
        """Called before a datagram or a timer may change a window."""
        self._time = time
        self._link = link
        self._header = header
        self._timer = float("inf")

    def receive(self, packet: Packet) -> None:
        assert self.peer is not None
        self.before_change()
        self.connection.receive_datagram(packet.payload, self.peer.address, now=self._time.now)
        self.act()

    def act(self) -> None:
        """Hands over events, sends what may be sent, sets the timer."""
        while (event := self.connection.next_event()) is not None:
            self.on_event(event)
        assert self.peer is not None
        for payload, _ in self.connection.datagrams_to_send(now=self._time.now):
            # short headers are of packets after the handshake (RFC 9000, 17.3)
            is_data = self.address == CLIENT and payload[0] & 0x80 == 0
            packet = Packet(payload, len(payload) + self._header, is_data)
            self.on_sent(packet)
            self._link.send(packet, self.peer.receive)
        due = self.connection.get_timer()
        if due is not None and max(due, self._time.now) + TIMER_IS_LATE_BY < self._timer:
            self._timer = max(due, self._time.now) + TIMER_IS_LATE_BY
            self._time.at(self._timer, self._on_timer)

    def _on_timer(self) -> None:
        if self._time.now < self._timer:
            return
        self._timer = float("inf")
        self.before_change()
        due = self.connection.get_timer()
        if due is not None and due <= self._time.now:
            self.connection.handle_timer(now=self._time.now)
        self.act()


class Transfer:
    """A client that sends one stream of `size` bytes to a server from `start` on."""

    def __init__(
        self,
        time: VirtualTime,
        name: str,
        controller: Callable[[int], QuicCongestionControl],
        data: Link,
        ack: Link,
        *,
        datagram: int,
        header: int,
        acknowledge_each: bool,
        size: int,
        start: float,
        measured_from: float,
    ) -> None:
        self.measured = Measured(measured_from)
        self._time = time
        self._size = size
        self._since = 0.0
        self._controller = controller(datagram)
        sampled = Sampled(self._controller, self.measured)
        register_congestion_control(name, lambda *, max_datagram_size: sampled)  # noqa: ARG005
        client = _configuration(is_client=True, datagram=datagram)
        client.congestion_control_algorithm = name
        client.verify_mode = ssl.CERT_NONE  # a certificate has dates, and this time has none
        server = _configuration(is_client=False, datagram=datagram)
        server.certificate = x509.load_der_x509_certificate((TLS / "certificate.der").read_bytes())
        server.private_key = load_der_private_key((TLS / "key.der").read_bytes(), None)
        opening = QuicConnection(configuration=client)
        accepting = QuicConnection(
            configuration=server, original_destination_connection_id=opening.original_destination_connection_id
        )
        if acknowledge_each:
            accepting._ack_delay = 0.0  # no setting of it is public
        self._client = Host(time, opening, data, header)
        self._server = Host(time, accepting, ack, header)
        self._server.address = SERVER
        self._client.peer, self._server.peer = self._server, self._client
        self._client.on_sent = lambda packet: self.measured.sent.append((time.now, packet.size))
        self._server.on_event = self._on_event
        self._client.on_event = self._on_event
        self._client.before_change = self._account_window
        time.at(start, self._open)

    def finish(self) -> Measured:
        self._account_window()
        return self.measured

    def _open(self) -> None:
        connection = self._client.connection
        connection.connect(SERVER, now=self._time.now)
        stream = connection.get_next_available_stream_id(is_unidirectional=True)
        connection.send_stream_data(stream, bytes(self._size))
        self._client.act()

    def _on_event(self, event: Any) -> None:
        assert not isinstance(event, ConnectionTerminated), event
        if isinstance(event, StreamDataReceived) and self._time.now >= self.measured.since:
            self.measured.delivered_bytes += len(event.data)

    def _account_window(self) -> None:
        begin = max(self._since, self.measured.since)
        self._since = self._time.now
        self.measured.window_seconds += max(0.0, self._since - begin) * _window(self._controller)


def _window(controller: QuicCongestionControl) -> int:
    """The window of the law itself."""
    return _window(controller.law) if isinstance(controller, Forwarding) else controller.congestion_window


def _configuration(*, is_client: bool, datagram: int) -> QuicConfiguration:
    return QuicConfiguration(
        is_client=is_client,
        alpn_protocols=["bulk"],
        idle_timeout=1e9,
        max_data=UNLIMITED,
        max_stream_data=UNLIMITED,
        max_datagram_size=datagram,
    )
