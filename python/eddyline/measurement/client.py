"""The client's end: the tests in order."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from eddyline.errors import EddylineError, InputError
from eddyline.measurement.datagrams import HEADERS_B, Arrival, Phase, SparseFlow, enlarge, receive, send
from eddyline.measurement.echoes import Echo, one_after_the_other, second_half_s, ten_a_second
from eddyline.measurement.link import (
    FIFO,
    FLOWS,
    MANAGED,
    NOTHING_WAITS,
    Direction,
    Measurement,
    behind_s,
    buffer,
    burst_b,
    is_framed,
    is_managed,
    loaded_waits_s,
    rate_bps,
    serves_flows,
    wait_s,
)
from eddyline.measurement.protocol import (
    LONGEST_ANSWER_B,
    ForeignError,
    Lines,
    choose_controller,
    drain,
    fill,
    full_packet_bytes,
    goodput_bps,
    negotiated,
)
from eddyline.measurement.variation import Light, Part, mean_bps, parts, varies

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

__all__ = ["measure"]

_SHORT_B = 128
_ECHOES = 20
_UNCOUNTED = 1_000_000
"""More echoes than any test takes: the server ends once none comes for two seconds."""
_LOWEST_BPS = 16e3
_TRAIN = 40  # packets
_OVERLOAD = 1.3
_CARRIED = 0.95
"""A link that carries this share of an offered rate, or more, is not overloaded."""
_HIGHEST_BPS = 200e6  # what this program sends
_FASTEST_PPS = 12_000.0  # what it sends and counts one by one
_LIGHT, _FILL, _HOLD = 0.2, 2.0, 1.04
"""Shares of the rate: one that leaves the buffer empty, one that fills it, and one that keeps it full."""
_LONGEST_FILL_S = 20.0
_SEARCHES = 3
"""Searches for a rate, where the line carries twice the last one by the time that its buffer is to be filled."""
_SPARSE_PACKETS = 10
"""The sparse flow sends once in the time of so many packets of the first,"""
_SPARSE_S = 0.02
"""and not more often than this."""
_BEHIND = 0.05
"""A sender that is so far behind its schedule, of the duration of a phase and in seconds, was held back."""
_IDLE_S = 0.5
"""Nothing comes for so long once the sender's word has come, which queued behind its packets."""
_ORDERS = {"alone": (0.0, None), "together": (0.0, 0.0), "joined": (0.0, 0.25)}
"""Starts of a direction and of the other, as shares of the test; None: the other does not run."""


class _Filled(NamedTuple):
    """A full buffer: waits under heavy and light overload, how long it was filled, and the rate of these packets.

    The parts are those of both, and `light` is of the load before, which waits for nothing.
    """

    heavy_s: float
    light_s: float
    seconds: float
    rate_bps: float
    parts: list[Part]
    light: Light

    def is_carried(self, rate: float) -> bool:
        """Whether the line carried, of a heavy load, all: it is faster than the rate that was found."""
        return self.rate_bps > _CARRIED * _FILL * rate


class _Buffer(NamedTuple):
    """A direction as its buffer shows it, how long that was filled, parts, light loads, and what there is to say."""

    found: Direction
    seconds: float
    parts: list[Part]
    light: Light
    said: str | None = None


class _Transfers(NamedTuple):
    """Goodput of TCP down and up, and the round-trip time of datagrams beside it, by the test."""

    down_bps: dict[str, float]
    up_bps: dict[str, float]
    rtt_s: dict[str, float]


class _HeldBack(Exception):  # noqa: N818 - a finding
    """The sender fell behind its schedule, so the buffer of the link was not filled."""


class _Client:
    def __init__(self, host: str, port: int, report: Callable[[str], None]) -> None:
        self.address, self.report = (host, port), report
        try:
            self.control = Lines(socket.create_connection(self.address, timeout=10), LONGEST_ANSWER_B)
        except OSError as e:
            raise EddylineError(
                f"{host}:{port}: {e.strerror or e}", f"eddyline measure --server 0.0.0.0 on {host}"
            ) from e
        except UnicodeError:  # of the encoding of names as DNS has them
            raise InputError(f"{host}: not the name of a host") from None
        self.control.sock.settimeout(180)
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        enlarge(self.datagrams)
        self.beside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.control.send(**{"for": "control"})
        self.long_b = full_packet_bytes(self.control.sock)

    def close(self) -> None:
        """Ends the connection, and with it the measurement."""
        self.control.close()
        self.datagrams.close()
        self.beside.close()

    def ask(self, **request: object) -> None:
        self.control.send(**request)
        self.told("ready")

    def told(self, key: str) -> Any:
        """What the server says.

        Raises:
            EddylineError: It says no more.
            ForeignError: It says something else.
        """
        document = self.control.receive()
        if not document:
            raise EddylineError("the server ended the measurement")
        if key not in document:
            raise ForeignError
        return document[key]

    def _connected(self) -> socket.socket:
        sock = socket.socket(self.control.sock.family, socket.SOCK_STREAM)
        choose_controller(sock)
        sock.settimeout(60)
        try:
            sock.connect(self.control.sock.getpeername())
        except OSError:
            sock.close()
            raise
        return sock

    def rtt_s(self) -> float:
        """The minimum round-trip time of small datagrams."""
        self.ask(do="echo", packets=_ECHOES)
        times = one_after_the_other(self.datagrams, self.address, _ECHOES)
        self.control.receive()
        if not times:
            raise EddylineError("no datagram came back", f"let UDP port {self.address[1]} of the server through")
        return min(times)

    def _rtt_beside_s(self, tests: list[threading.Thread]) -> float | None:
        """Median round-trip time of datagrams in the second half of tests with TCP; None where it is not known."""
        echoes: list[Echo] = []
        try:
            self.ask(do="echo", packets=_UNCOUNTED)
            with suppress(OSError):  # as with a test, it costs nothing else
                echoes = ten_a_second(self.datagrams, self.address, lambda: any(test.is_alive() for test in tests))
            self.control.receive()
        except (OSError, ValueError, EddylineError):
            return None
        return second_half_s(echoes)

    def packets(
        self, down: bool, phases: list[Phase], size: int, idle_s: float, sparse_s: float | None = None
    ) -> tuple[list[Arrival], int]:
        """Packets in one direction: those that arrived, and how many were sent.

        With `sparse_s` a second flow sends one packet in that time; the number of packets sent is without it.
        """
        if not down:
            self.ask(do="receive", idle_s=idle_s)
            sparse_flow = None if sparse_s is None else SparseFlow(self.beside, self.address, sparse_s)
            sent = send(self.datagrams, self.address, phases, size, sparse_flow)
            self.control.send(finished=True)
            try:
                return [Arrival(*map(int, each)) for each in self.told("arrivals")], sent
            except (TypeError, ValueError, ArithmeticError):
                raise ForeignError from None
        self.ask(do="send", phases=phases, size=size, sparse_s=sparse_s)
        told: list[int | Exception] = []
        sparse: list[Arrival] = []

        def hear() -> None:
            try:
                told.append(int(self.told("sent")))
            except (OSError, EddylineError) as e:
                told.append(e)
            except (TypeError, ValueError, ArithmeticError):
                told.append(ForeignError())

        threads = [threading.Thread(target=hear, daemon=True)]
        if sparse_s is not None:
            self.beside.sendto(b"beside", self.address)
            threads.append(threading.Thread(target=lambda: sparse.extend(self._arrivals(self.beside, told, idle_s))))
        self.datagrams.sendto(b"here", self.address)
        for thread in threads:
            thread.start()
        arrivals = self._arrivals(self.datagrams, told, idle_s)
        for thread in threads:
            thread.join()
        if isinstance(told[0], Exception):
            raise told[0]
        return [*arrivals, *sparse], told[0]

    @staticmethod
    def _arrivals(sock: socket.socket, told: Sized, idle_s: float) -> list[Arrival]:
        """Arrivals until nothing has come for a time after the server has told how many it sent."""
        return receive(sock, lambda: len(told) > 0, idle_s)

    def direction(self, down: bool, rtt_s: float) -> Direction:
        """Rate and buffer of one direction, and whether the buffer is a FIFO."""
        name = "down" if down else "up"
        found, seconds, in_parts, light, said = self._buffer(down, rtt_s)
        if found.full_s is None:
            self.report(f"{name}: {said}")
            return found
        found.sparse_s, waited, arrivals = self._sparse(down, found.rate_bps, seconds, rtt_s)
        in_parts += parts(arrivals, self.long_b, (1, 2), found.rate_bps)
        if (quartiles := varies(in_parts, light.plus(Light.of(arrivals)))) is not None:
            # one load cannot be compared with another
            rate, why = mean_bps(in_parts), "the rate varies"
            limit = max(rate * found.full_s / 8, float(self.long_b))
            found = Direction(rate, None, limit, found.full_s, why, sparse_s=found.sparse_s, rate_range_bps=quartiles)
            low, high = (f"{bps / 1e6:.4g}" for bps in quartiles)
            said = (
                f"{why}, half of the time between {low} and {high} Mbit/s, mean {rate / 1e6:.4g}: what the buffer "
                "counts, framing and whether the queue is managed cannot be told"
            )
        self.report(f"{name}: {said}")
        if found.framed is not None:
            self.report(f"{name}: short packets leave at {found.framed:.2f} of the rate: the line has framing")
        if found.sparse_s is None:
            self.report(f"{name}: too little waits to tell whether the queue is a FIFO")
            return found
        found.filling_s = waited
        waits = f"a second flow that sends little waits {1e3 * found.sparse_s:.3g} ms, the first {1e3 * waited:.3g} ms"
        if serves_flows(found.sparse_s, waited):
            found.queue = FLOWS
            self.report(f"{name}: {waits}: the queue serves flows by themselves, it is no FIFO")
        elif quartiles is not None:
            self.report(f"{name}: {waits}: they wait in one queue")
        elif found.queue != MANAGED:
            found.queue = FIFO
            self.report(f"{name}: {waits}: the queue is a FIFO")
        return found

    def _sparse(
        self, down: bool, rate: float, fill_s: float, rtt_s: float
    ) -> tuple[float | None, float, list[Arrival]]:
        """Waits of a sparse flow, and of the flow that fills the buffer, and their arrivals.

        The first is None where it cannot be told.
        """
        packet_s = 8 * self.long_b / rate
        phases = [
            Phase(_LIGHT * rate, 100 * packet_s),
            Phase(_FILL * rate, max(fill_s, 8 * _SPARSE_PACKETS * packet_s)),
            Phase(_HOLD * rate, max(1.0, 100 * packet_s)),
        ]
        every_s = max(_SPARSE_S, _SPARSE_PACKETS * packet_s)
        arrivals, _ = self.packets(down, phases, self.long_b, 2 * rtt_s + _IDLE_S, every_s)
        sparse, waited = loaded_waits_s(arrivals, packet_s)
        return sparse, waited, arrivals

    def _buffer(self, down: bool, rtt_s: float) -> _Buffer:
        """Rate and buffer of one direction."""
        name = "down" if down else "up"
        in_parts: list[Part] = []
        light = Light(0, 0)
        for _ in range(_SEARCHES):
            rate, burst, more = self._rate(down, rtt_s)
            in_parts += more
            self.report(f"{name}: {rate / 1e6:.4g} Mbit/s")
            try:
                filled = self._full(down, rate, self.long_b, rtt_s, burst)
            except _HeldBack as e:
                found = Direction(rate, None, None, None, str(e))
                return _Buffer(found, 0.0, in_parts, Light(0, 0), f"buffer unknown: {e}")
            in_parts += filled.parts
            light = filled.light.plus(light)
            if not filled.is_carried(rate):
                break
        shorter = [size for size in (_SHORT_B, 256, 512, 1024) if size < self.long_b]
        short = next((size for size in shorter if _FILL * rate / (8 * size) <= _FASTEST_PPS), None)
        why, of_short = "too fast to tell the unit from here", None
        try:
            of_short = None if short is None else self._full(down, rate, short, rtt_s, burst)
        except _HeldBack as e:
            why = str(e)
        short_rate = 0.0 if of_short is None else of_short.rate_bps
        if of_short is not None:
            light = light.plus(of_short.light)
            if short is not None and is_framed(rate, short_rate):  # a busy machine may have delayed them
                again_bps = 0.0
                with suppress(_HeldBack):
                    again = self._full(down, rate, short, rtt_s, burst)
                    light, again_bps = light.plus(again.light), again.rate_bps
                short_rate = max(short_rate, again_bps) if again_bps else 0.0
        waits = filled.heavy_s, filled.light_s
        managed = MANAGED if is_managed(rate, self.long_b, *waits) else None

        def measured(found: Direction, said: str) -> _Buffer:
            return _Buffer(found, filled.seconds, in_parts, light, said)

        # a line with room for one packet only drops at once too
        if max(waits) < 8 * self.long_b / rate / 2 and burst > 2 * self.long_b:
            found = Direction(rate, None, None, None, NOTHING_WAITS, burst_b=burst)
            return measured(found, f"no buffer, a burst of {burst:.0f} bytes: {NOTHING_WAITS}")
        if short is None or of_short is None:
            limit = max(rate * filled.light_s / 8, float(self.long_b))
            found = Direction(rate, None, limit, max(0.0, filled.light_s), why, queue=managed)
            return measured(found, f"unit of the buffer unknown: {why}")
        loads = (short, of_short.light_s, of_short.rate_bps), (self.long_b, *waits)
        unit, limit, full, why = buffer(rate, *loads)
        found = Direction(rate, unit, limit, full, why, queue=managed, short_rate_bps=short_rate or None)
        return measured(found, f"buffer of {limit:.0f} {unit or 'bytes'}: {why}")

    def _rate(self, down: bool, rtt_s: float) -> tuple[float, float, list[Part]]:
        """The rate of arrival under overload, the burst before, and the parts of the time in which packets waited.

        A train of packets tells what an overload is.
        """
        idle_s = 2 * rtt_s + _IDLE_S
        train = Phase(_HIGHEST_BPS, _TRAIN * 8 * self.long_b / _HIGHEST_BPS)
        arrivals, _ = self.packets(down, [train], self.long_b, idle_s)
        offered = max(_OVERLOAD * rate_bps(arrivals, self.long_b, 0), _LOWEST_BPS)
        while offered < _HIGHEST_BPS:
            overload = Phase(offered, max(2.0, 60 * 8 * self.long_b / offered))
            arrivals, _ = self.packets(down, [overload], self.long_b, idle_s)
            found = rate_bps(arrivals, self.long_b, 0)
            if found < _CARRIED * offered:
                in_parts = parts(arrivals, self.long_b, (0,), found)
                return found, burst_b(arrivals, self.long_b, 0, found), in_parts
            offered *= 2
        raise EddylineError(f"the link is faster than {_HIGHEST_BPS / 1e6:g} Mbit/s, which is what this measures")

    def _full(self, down: bool, rate: float, size: int, rtt_s: float, burst: float) -> _Filled:
        """Fills the buffer.

        It is filled longer and longer until packets are lost, or more arrives at once than the burst.

        Raises:
            _HeldBack: The sender did not send as fast as it was to.
        """
        packet_s, seconds = 8 * size / rate, 0.5
        in_parts: list[Part] = []
        while True:
            hold = max(1.0, 40 * packet_s)
            phases = [
                Phase(_LIGHT * rate, 100 * packet_s),
                Phase(_FILL * rate, max(seconds, 20 * packet_s)),
                Phase(_HOLD * rate, hold),
            ]
            arrivals, sent = self.packets(down, phases, size, 2 * rtt_s + _IDLE_S)
            late_s = behind_s(arrivals, 1, packet_s / _FILL)
            if late_s > _BEHIND * (1 + phases[1].seconds):
                raise _HeldBack(
                    f"the sender was {late_s:.2g} s behind its schedule: a queue on its own machine held it back, or "
                    "the machine was too busy; as root it can fill longer queues"
                )
            lost = sent - len(arrivals)
            in_parts += parts(arrivals, size, (1, 2), rate)
            waits = wait_s(arrivals, 1), wait_s(arrivals, 2)
            filled = _Filled(*waits, seconds, rate_bps(arrivals, size, 1), in_parts, Light.of(arrivals))
            too_much = filled.is_carried(rate) and (_FILL - 1) * rate * phases[1].seconds / 8 > 2 * burst
            # full in the second half of the filling
            if too_much or lost > 0.1 * phases[1].seconds / packet_s * _FILL or seconds >= _LONGEST_FILL_S:
                return filled
            seconds *= 2
            self.report(f"{'down' if down else 'up'}: its buffer takes more than {seconds / 2:g} s to fill")

    def transfers(self, seconds: float) -> _Transfers:
        """TCP down and up: alone, together, and where the other joins."""
        found = _Transfers({}, {}, {})
        for order, (_, other) in _ORDERS.items():
            for first_is_down in (True, False):
                if order == "together" and not first_is_down:
                    continue
                later = None if other is None else other * seconds
                starts = (0.0, later) if first_is_down else (later, 0.0)
                label = order if order != "joined" else ("upload joined" if first_is_down else "download joined")
                got, rtt_s = self._transfer(starts, seconds)
                said = []
                for way, goodputs in (("down", found.down_bps), ("up", found.up_bps)):
                    match got.get(way):
                        case float(goodput):
                            goodputs[label] = goodput
                            said.append(f"{goodput / 1e6:.4g} Mbit/s {way}")
                        case str(why):
                            said.append(f"{way} unknown, {why}")
                if rtt_s is not None:
                    test = label if order != "alone" else ("download" if first_is_down else "upload")
                    found.rtt_s[test] = rtt_s
                    said.append(f"datagrams beside take {1e3 * rtt_s:.3g} ms")
                self.report(f"TCP, {label}: {', '.join(said)}")
        return found

    def _transfer(
        self, starts: tuple[float | None, float | None], seconds: float
    ) -> tuple[dict[str, float | str], float | None]:
        """Goodput of TCP by direction, or why there is none, and the round-trip time of datagrams beside."""
        got: dict[str, float | str] = {}

        def test(way: str, work: Callable[[socket.socket, float], float], wait: float) -> None:
            time.sleep(wait)
            try:
                with self._connected() as sock:
                    got[way] = work(sock, seconds - wait)
            except (OSError, ValueError, TypeError) as e:
                got[way] = f"the connection was lost: {getattr(e, 'strerror', None) or e}"

        threads = [
            threading.Thread(target=test, args=(way, work, start))
            for way, work, start in (("down", _download, starts[0]), ("up", _upload, starts[1]))
            if start is not None
        ]
        for thread in threads:
            thread.start()
        rtt_s = self._rtt_beside_s(threads)
        for thread in threads:
            thread.join()
        return got, rtt_s


def _download(sock: socket.socket, seconds: float) -> float:
    Lines(sock, LONGEST_ANSWER_B).send(**{"for": "download", "seconds": seconds})
    return goodput_bps(drain(sock, seconds))


def _upload(sock: socket.socket, seconds: float) -> float:
    lines = Lines(sock, LONGEST_ANSWER_B)
    lines.send(**{"for": "upload", "seconds": seconds})
    fill(sock, seconds)
    sock.settimeout(60)
    answer = lines.receive()
    # what is unsent is given up at the end: it would be in the way of the next test
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if "goodput_bps" not in answer:
        raise ConnectionError("the server ended the test")
    return float(answer["goodput_bps"])


def measure(host: str, port: int, seconds: float, report: Callable[[str], None]) -> Measurement:
    """Measures the link to a server.

    Args:
        host: The server.
        port: Its port.
        seconds: Duration of each test with TCP; 0 leaves them out.
        report: Called with a line on each finding.

    Raises:
        EddylineError: There is no server, or nothing arrives.
    """
    own: list[OSError] = []

    def reported(line: str) -> None:
        try:
            report(line)
        except OSError as e:  # of where it is printed, not of the network
            own.append(e)
            raise

    client = _Client(host, port, reported)
    try:
        return _measured(client, seconds, reported)
    except ForeignError:
        raise EddylineError(
            f"{host}:{port}: what answers there is no server of eddyline measure",
            "name its port with --port; a proxy on the way may answer in its place",
        ) from None
    except OSError as e:
        if e in own:
            raise
        raise EddylineError(f"{host}:{port}: {(e.strerror or str(e)).lower()}") from e
    finally:
        client.close()


def _measured(client: _Client, seconds: float, report: Callable[[str], None]) -> Measurement:
    echo_s = client.rtt_s()
    report(f"round-trip time: {1e3 * echo_s:.4g} ms")
    down, up = client.direction(True, echo_s), client.direction(False, echo_s)
    # the echoes' own transmission
    own_s = sum(8 * (16 + HEADERS_B) / way.rate_bps for way in (down, up))
    rtt_s: dict[str, float] = {}
    if seconds > 0:
        down.goodput_bps, up.goodput_bps, rtt_s = client.transfers(seconds)
    options = negotiated(client.control.sock)
    found = Measurement(max(0.0, echo_s - own_s), down, up, options, client.long_b, rtt_s)
    for name in ("down", "up"):
        if (unfilled := found.unfilled(name)) is not None:
            report(f"{name}: {unfilled}")
    return found
