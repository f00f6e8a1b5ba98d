"""The server of `measure`."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path

from eddyline.measurement.datagrams import enlarge
from eddyline.measurement.server import serve


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def test_a_client_that_ends_without_a_word_is_served() -> None:
    """The client's process is killed: its connection is reset in the middle of a question."""
    port = _free_port()
    server = threading.Thread(target=serve, args=("127.0.0.1", port, 1), daemon=True)
    server.start()
    while True:
        try:
            client = socket.create_connection(("127.0.0.1", port), timeout=10)
            break
        except ConnectionRefusedError:
            assert server.is_alive()
    with client:
        client.sendall(json.dumps({"for": "control"}).encode() + b"\n")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        client.sendall(b'{"do": ')
    server.join(timeout=30)
    assert not server.is_alive()


def test_sockets_hold_more_packets_than_the_queues_that_are_measured() -> None:
    with _datagrams() as usual, _datagrams() as larger:
        enlarge(larger)
        for option, limit in ((socket.SO_SNDBUF, "wmem_max"), (socket.SO_RCVBUF, "rmem_max")):
            # Linux counts twice what is asked for; without the right for more, the system's limit is all there is
            most = min(4 << 20, int(Path("/proc/sys/net/core", limit).read_text()))
            held = larger.getsockopt(socket.SOL_SOCKET, option)
            assert held in (8 << 20, 2 * most)
            assert held > usual.getsockopt(socket.SOL_SOCKET, option)


def _datagrams() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def test_what_is_no_name_of_a_host_is_refused(eddyline):
    ran = eddyline("measure", "host..example")
    assert (ran.code, ran.out, ran.err) == (2, "", "error: host..example: not the name of a host\n")
