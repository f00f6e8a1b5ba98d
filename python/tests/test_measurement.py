"""The server of `measure`."""

from __future__ import annotations

import json
import socket
import threading

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
