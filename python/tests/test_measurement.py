"""The server of `measure`."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import threading
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import eddyline as el
import eddyline.measurement.client as client_module
import eddyline.measurement.server as server_module
from eddyline.measurement.client import _Client, measure
from eddyline.measurement.datagrams import SPARSE, Arrival, Phase, SparseFlow, enlarge, receive, send
from eddyline.measurement.echoes import Echo, second_half_s, ten_a_second
from eddyline.measurement.link import FIFO, FLOWS, Direction, Measurement
from eddyline.measurement.protocol import ForeignError, Lines, full_packet_bytes, goodput_bps, negotiated
from eddyline.measurement.server import serve

if TYPE_CHECKING:
    from collections.abc import Callable


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def _served() -> tuple[threading.Thread, socket.socket]:
    """A server for one client, and a connection to it."""
    port = _free_port()
    server = threading.Thread(target=serve, args=("127.0.0.1", port, 1), daemon=True)
    server.start()
    return server, _connected(port, server)


def _connected(port: int, server: threading.Thread) -> socket.socket:
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        except ConnectionRefusedError:
            assert server.is_alive()


def test_a_client_that_ends_without_a_word_is_served() -> None:
    """The client's process is killed: its connection is reset in the middle of a question."""
    server, client = _served()
    with client:
        client.sendall(json.dumps({"for": "control"}).encode() + b"\n")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        client.sendall(b'{"do": ')
    server.join(timeout=30)
    assert not server.is_alive()


def test_the_server_reads_an_upload_to_its_end() -> None:
    """It answers while data is on its way; closing then would reset the connection before the answer has come."""
    server, client = _served()
    with client, socket.create_connection(client.getpeername()) as control:
        client.sendall(json.dumps({"for": "upload", "seconds": 0.1}).encode() + b"\n")
        answer = client.makefile("rb").readline()
        assert json.loads(answer) == {"goodput_bps": 0.0}
        client.settimeout(0.2)
        for _ in range(2):
            client.sendall(bytes(1000))
            with pytest.raises(TimeoutError):
                client.recv(1)
        control.sendall(json.dumps({"for": "control"}).encode() + b"\n")
    server.join(timeout=30)
    assert not server.is_alive()


STEPS = {
    "echo": b'{"ready": true}\n{"done": true}\n',
    "null": b'{"sent": null}\n',
    "text": b'{"sent": "x"}\n',
    "no list": b'{"arrivals": 5}\n',
    "no numbers": b'{"arrivals": [["a"]]}\n',
    "unknown": b'{"error": "unknown method"}\n',
}


@pytest.mark.parametrize("answer", STEPS)
@pytest.mark.parametrize("down", [True, False])
def test_an_answer_that_says_something_else_ends_the_measurement(answer: str, down: bool) -> None:
    """It is told or received in another thread, which must not leave the client waiting."""
    here, there = socket.socketpair()
    client = _Client.__new__(_Client)
    client.control, client.address = Lines(here, 1 << 16), ("127.0.0.1", 9)
    client.datagrams, client.beside = _datagrams(), _datagrams()
    there.sendall(b'{"ready": true}\n' + STEPS[answer])
    with there, pytest.raises(ForeignError):
        client.packets(down, [Phase(1e6, 0.01)], 1000, 0.1)
    client.close()


FOREIGN = [b"SSH-2.0-OpenSSH_9.2\r\n", b"\xff\xfe\x00\n", b"[1, 2]\n", b"5\n", b"[" * 5000 + b"\n", b"x" * 200_000]


@pytest.mark.parametrize("line", FOREIGN, ids=range(len(FOREIGN)))
def test_what_is_no_server_of_it_is_said(line: bytes) -> None:
    """A wrong port, or a proxy that answers for anybody."""

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        other = threading.Thread(target=answer)
        other.start()
        port = listener.getsockname()[1]
        with pytest.raises(el.EddylineError, match=rf"^127\.0\.0\.1:{port}: what answers there is no server of"):
            measure("127.0.0.1", port, 0.0, lambda _: None)
        other.join(timeout=30)
    assert not other.is_alive()


def test_where_nothing_can_be_printed_is_no_fault_of_the_network() -> None:
    """The reader of a pipe has gone: the command ends as others do; a lost connection names the server."""

    def closed(_: str) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    server, client = _served()
    address = client.getpeername()
    with pytest.raises(BrokenPipeError):
        measure(*address, 0.0, closed)
    client.close()
    server.join(timeout=30)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def reset() -> None:
            connection, _ = listener.accept()
            connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            connection.close()

        other = threading.Thread(target=reset)
        other.start()
        with pytest.raises(el.EddylineError, match=rf"^127\.0\.0\.1:{port}: connection reset by peer$"):
            measure("127.0.0.1", port, 0.0, closed)
        other.join(timeout=30)


BESIDE = [
    b'{"for": "control"}\n5\n',
    b'{"for": "control"}\n{"do": "receive", "idle_s": 0.2}\n5\n',
    b'{"for": "control"}\n{"do": "echo", "packets": Infinity}\n',
    b'{"for": "download", "seconds": []}\n',
]


@pytest.mark.parametrize("line", [*FOREIGN, *BESIDE])
def test_a_client_of_another_kind_is_let_go(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    server, client = _served()
    with client:
        address = client.getpeername()
        client.sendall(line)
        with contextlib.suppress(OSError):  # of a line that was not read to its end
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                pass
        # it ends after one that began as a client of ours
        with contextlib.suppress(ConnectionError), socket.create_connection(address) as control:
            control.sendall(json.dumps({"for": "control"}).encode() + b"\n")
    server.join(timeout=30)
    assert not server.is_alive()
    assert not raised


@pytest.mark.parametrize("after", [0, 1])
def test_a_connection_that_is_lost_costs_its_test_only(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, or while data flows."""

    def connected() -> socket.socket:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            here = socket.create_connection(listener.getsockname())
            there, _ = listener.accept()
        there.sendall(bytes(after))
        there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        there.close()
        return here

    client, said = _Client.__new__(_Client), list[str]()
    monkeypatch.setattr(client, "report", said.append, raising=False)
    monkeypatch.setattr(client, "_connected", connected, raising=False)
    monkeypatch.setattr(client, "_rtt_beside_s", lambda _: None, raising=False)
    assert client.transfers(0.5) == ({}, {}, {})
    why = "unknown, the connection was lost: Connection reset by peer"
    assert said[0] == f"TCP, alone: down {why}"
    assert said[2] == f"TCP, together: down {why}, up {why}"
    assert len(said) == 5


def test_echoes_beside_a_test_are_told_apart() -> None:
    """Some are lost, some overtake each other, some come twice or late, and something else arrives."""
    with _datagrams() as server, _datagrams() as client:
        server.bind(("127.0.0.1", 0))
        server.settimeout(30)
        received: list[bytes] = []
        done = threading.Event()

        def answer() -> None:
            try:
                for _ in range(4):
                    data, sender = server.recvfrom(2048)
                    received.append(data)
                for data in (received[3], bytes(16 * [255]), received[2], received[3]):  # the second is lost
                    server.sendto(data, sender)
                done.set()
                server.sendto(received[0], sender)
            finally:
                done.set()

        echo = threading.Thread(target=answer)
        echo.start()
        echoes = ten_a_second(client, server.getsockname(), lambda: not done.is_set())
        echo.join()
    times = [echo.rtt_s for echo in echoes[:4]]
    assert [echo.sent_s for echo in echoes[:4]] == [1e-9 * int.from_bytes(data) for data in received]
    first, lost, third, fourth = times
    assert lost is None
    # the others were sent a tenth of a second apart, and answered together
    assert first is not None
    assert third is not None
    assert fourth is not None
    assert first >= third + 0.2 >= fourth + 0.3


def test_echoes_of_the_second_half_are_those_sent_in_it() -> None:
    """Of a queue that grows by a fifth of the time. Where the server has ended midway, nothing is known of it."""
    echoes = [Echo(100 + 0.1 * n, 0.02 * n) for n in range(21)]

    def without(lost: range) -> list[Echo]:
        return [Echo(each.sent_s, None if n in lost else each.rtt_s) for n, each in enumerate(echoes)]

    assert second_half_s(echoes) == second_half_s(without(range(10))) == pytest.approx(0.02 * 15)
    assert second_half_s(without(range(1, 21, 2))) == pytest.approx(0.02 * 15)
    assert second_half_s(without(range(16, 21))) == pytest.approx(0.02 * 12.5)
    assert second_half_s(without(range(15, 21))) is None
    assert second_half_s([]) is None


def test_what_is_beside_the_tests_has_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """And an error in one of them costs that one only: the server's word is read all the same."""
    port = _free_port()
    server = threading.Thread(target=serve, args=("127.0.0.1", port, 1), daemon=True)
    server.start()
    _connected(port, server).close()
    runs = iter(["up to here", 0.01, 0.02, 0.03, 0.04])

    def beside(_sock: socket.socket, _address: object, running: Callable[[], bool]) -> list[Echo]:
        while running():
            time.sleep(0.01)
        match next(runs):
            case float(rtt_s):
                return [Echo(0.0, rtt_s)]
            case _:
                raise OSError(errno.ENOBUFS, os.strerror(errno.ENOBUFS))

    def echo(_datagrams: socket.socket, _packets: int, lines: Lines) -> None:
        lines.send(ready=True)
        lines.send(done=True)

    monkeypatch.setattr(client_module, "ten_a_second", beside)
    monkeypatch.setattr(server_module, "_echo", echo)  # without the time in which no datagram comes
    said: list[str] = []
    client = _Client("127.0.0.1", port, said.append)
    found = client.transfers(0.2)
    client.close()
    server.join(timeout=30)
    rtts = {"upload": 0.01, "together": 0.02, "upload joined": 0.03, "download joined": 0.04}
    assert found.rtt_s == rtts
    assert set(found.down_bps) == set(found.up_bps) == {"alone", "together", "upload joined", "download joined"}
    assert ["datagrams beside take" in line for line in said] == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("queue", "rtt_s", "loaded", "said"),
    [
        (FIFO, 0.022, {"download": 0.024}, True),
        (FIFO, 0.022, {"download": 0.12}, False),
        (FIFO, 0.022, {}, False),
        (FLOWS, 0.022, {"download": 0.024}, False),
        # a buffer of less than 0.43 round trips is empty after each loss
        (FIFO, 0.5, {"download": 0.51}, False),
    ],
)
def test_a_buffer_that_only_the_datagrams_filled_is_said(
    queue: str, rtt_s: float, loaded: dict[str, float], said: bool
) -> None:
    """As behind a line whose router shapes downloads: the file's link alone makes TCP wait as it never does."""
    down = Direction(15.2e6, None, 368082.0, 0.194, "", queue=queue, sparse_s=0.19, filling_s=0.19)
    up = Direction(2.4e6, "packets", 20.0, 0.1, "", queue=FIFO)
    measured = Measurement(rtt_s, down, up, loaded_rtt_s={"upload": rtt_s + 0.08, **loaded})
    assert (measured.unfilled("down") is not None) is said
    assert measured.unfilled("up") is None
    text = measured.scenario()
    assert ("# TCP's download filled 2 ms of the buffer's 194 ms, in which CUBIC leaves 129 ms" in text) is said
    el.Scenario(tomllib.loads(text))


def test_sockets_hold_more_packets_than_the_queues_that_are_measured() -> None:
    with _datagrams() as usual, _datagrams() as larger:
        enlarge(larger)
        for option, limit in ((socket.SO_SNDBUF, "wmem_max"), (socket.SO_RCVBUF, "rmem_max")):
            # Linux counts twice what is asked for; without the right for more, the system's limit is all there is
            most = min(4 << 20, int(Path("/proc/sys/net/core", limit).read_text()))
            held = larger.getsockopt(socket.SOL_SOCKET, option)
            assert held in (8 << 20, 2 * most)
            assert held > usual.getsockopt(socket.SOL_SOCKET, option)


@pytest.mark.parametrize("lost_at", [[], [0.5], [0.7], [0.74, 1.1, 1.9], [2.5], [2.9]])
def test_goodput_is_never_above_the_rate(lost_at: list[float]) -> None:
    """10 Mbit/s for 3 s, read every 10 ms in pieces of 64 KiB; after a loss nothing for 300 ms, then all at once."""
    samples: list[tuple[float, int]] = []
    read = 0
    for step in range(300):
        now = step / 100
        if any(lost <= now < lost + 0.3 for lost in lost_at):
            continue
        while read < (arrived := int(1.25e6 * now)):
            read = min(read + (1 << 16), arrived)
            samples.append((now + 1e-5 * len(samples), read))
    assert goodput_bps(samples) == pytest.approx(10e6, rel=0.01)
    assert goodput_bps(samples) <= 10.03e6
    assert goodput_bps(samples[:2]) == 0.0


@pytest.mark.parametrize(
    ("options", "said", "header"),
    [
        (None, "# Timestamps and SACK were not read from a connection; they are assumed", "52 B"),
        ({"timestamps": True, "sack": True}, "# Timestamps and SACK are those of the connection", "52 B"),
        ({"timestamps": False, "sack": False}, "# Timestamps and SACK are those of the connection", "40 B"),
    ],
)
def test_options_of_tcp_are_those_of_a_connection(options: dict[str, bool] | None, said: str, header: str) -> None:
    way = Direction(1e6, "packets", 20.0, 0.24, "", queue=FIFO, sparse_s=0.24)
    text = Measurement(0.02, way, way, options).scenario()
    assert said in text
    assert "# Not measured: IPv4 headers without options" in text
    flow = el.Scenario(tomllib.loads(text)).to_dict()["flow"][0]
    assert (flow["header"], flow["ack_packet"]) == (header, header)
    assert flow["tcp"].get("timestamps", False) is (header == "52 B")
    assert flow["tcp"]["sack"] is (options is None or options["sack"])


def test_options_are_read_from_the_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as sock:
        asked = {name: Path("/proc/sys/net/ipv4", f"tcp_{name}").read_text().strip() for name in ("timestamps", "sack")}
        assert negotiated(sock) == {name: value != "0" for name, value in asked.items()}


def test_a_second_flow_is_sent_beside_the_first() -> None:
    with _datagrams() as sender, _datagrams() as second, _datagrams() as receiver:
        receiver.bind(("127.0.0.1", 0))
        to = receiver.getsockname()
        sent = send(sender, to, [Phase(1e6, 0.3), Phase(1e6, 0.3)], 1500, SparseFlow(second, to, 0.05))
        arrivals = [Arrival(*each) for each in receive(receiver, lambda: True, 0.05)]
        assert sent == 50 == sum(a.phase < SPARSE for a in arrivals)
        assert {a.phase for a in arrivals} == {0, 1, SPARSE, SPARSE + 1}
        assert 4 <= sum(a.phase >= SPARSE for a in arrivals) <= 13


def test_a_full_socket_is_waited_for() -> None:
    """A time limit that was set for answers is not one for sending."""
    with _datagrams() as sender, _datagrams() as receiver:
        receiver.bind(("127.0.0.1", 0))
        sender.settimeout(1e-9)
        assert send(sender, receiver.getsockname(), [Phase(100e6, 0.02)], 1500) == 167
        assert sender.gettimeout() is None


def _datagrams() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def test_what_is_no_name_of_a_host_is_refused(eddyline):
    ran = eddyline("measure", "host..example")
    assert (ran.code, ran.out, ran.err) == (2, "", "error: host..example: not the name of a host\n")


@pytest.mark.parametrize(("segment", "size"), [(None, 1500), (1000, 1040)])
def test_the_size_of_full_packets_is_that_of_a_connection(segment: int | None, size: int) -> None:
    """Its segments with their headers; those of the loopback device are longer than Ethernet's."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        if segment is not None:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        client.connect(server.getsockname())
        assert full_packet_bytes(client) == size
