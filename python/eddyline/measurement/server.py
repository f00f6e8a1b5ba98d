"""The server's end."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

from eddyline.measurement.datagrams import Phase, SparseFlow, enlarge, receive, send
from eddyline.measurement.protocol import LONGEST_REQUEST_B, Lines, choose_controller, drain, fill, goodput_bps

__all__ = ["serve"]

_LONGEST_S = 120.0
"""No single test takes longer."""


def serve(host: str, port: int, clients: int | None = None) -> None:
    """Serves clients one after the other: so many, or for ever.

    Raises:
        OSError: The address cannot be used.
    """
    with socket.create_server((host, port)) as listener, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        choose_controller(listener)
        datagrams.bind((host, port))
        enlarge(datagrams)
        served = threading.Semaphore(0)
        threading.Thread(target=_accept, args=(listener, datagrams, served), daemon=True).start()
        done = 0
        while clients is None or done < clients:
            served.acquire()
            done += 1


def _accept(listener: socket.socket, datagrams: socket.socket, served: threading.Semaphore) -> None:
    while True:
        try:
            sock, _ = listener.accept()
        except OSError:
            return  # the server has ended
        threading.Thread(target=_connection, args=(sock, datagrams, served), daemon=True).start()


def _connection(sock: socket.socket, datagrams: socket.socket, served: threading.Semaphore) -> None:
    with sock:
        lines = Lines(sock, LONGEST_REQUEST_B)
        try:
            first = lines.receive()
            if first.get("for") == "control":
                try:
                    _control(lines, datagrams)
                finally:  # served also where the client ends without a word
                    served.release()
            elif first.get("for") == "download":
                fill(sock, min(float(first["seconds"]), _LONGEST_S))
            elif first.get("for") == "upload":
                lines.send(goodput_bps=goodput_bps(drain(sock, min(float(first["seconds"]), _LONGEST_S))))
                # to the client's end: closing before all was read would reset the connection, and lose that line
                drain(sock, _LONGEST_S)
        except (OSError, ValueError, KeyError, TypeError, ArithmeticError):
            return  # a client that has gone, or that is not ours


def _control(lines: Lines, datagrams: socket.socket) -> None:
    while request := lines.receive():
        match request["do"]:
            case "echo":
                _echo(datagrams, int(request["packets"]), lines)
            case "send":
                every_s = float(request.get("sparse_s") or 0.0)
                lines.send(ready=True)
                flows = _addresses(datagrams, 2 if every_s else 1)
                sparse_flow = SparseFlow(datagrams, flows[b"beside"], every_s) if b"beside" in flows else None
                phases = [Phase(*phase) for phase in request["phases"]]
                lines.send(sent=send(datagrams, flows[b"here"], phases, int(request["size"]), sparse_flow))
            case "receive":
                lines.send(arrivals=_receive(lines, datagrams, float(request["idle_s"])))


def _addresses(datagrams: socket.socket, number: int) -> dict[bytes, tuple[str, int]]:
    """Where the client's flows are to go: its first datagrams say which is which. The second one may be lost."""
    found: dict[bytes, tuple[str, int]] = {}
    datagrams.settimeout(5.0)
    while len(found) < number:
        try:
            data, client = datagrams.recvfrom(2048)
        except TimeoutError:
            if b"here" in found:
                break
            raise
        if data in (b"here", b"beside"):
            found[data] = client
    return found


def _echo(datagrams: socket.socket, packets: int, lines: Lines) -> None:
    """Returns so many datagrams to where they come from."""
    datagrams.settimeout(2.0)
    lines.send(ready=True)
    for _ in range(packets):
        try:
            data, client = datagrams.recvfrom(2048)
        except TimeoutError:
            break
        datagrams.sendto(data, client)
    lines.send(done=True)


def _receive(lines: Lines, datagrams: socket.socket, idle_s: float) -> list[Any]:
    """Records arrivals until the client says that it has sent all."""
    finished = threading.Event()
    ends = time.monotonic() + _LONGEST_S

    def wait() -> None:
        try:
            lines.receive()
        except (OSError, ValueError):
            pass  # a client that has gone, or that is not ours
        finally:
            finished.set()

    lines.send(ready=True)
    waiter = threading.Thread(target=wait)
    waiter.start()
    arrivals = receive(datagrams, lambda: finished.is_set() or time.monotonic() > ends, idle_s)
    waiter.join()
    return list(arrivals)
