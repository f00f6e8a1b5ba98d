"""Locks on files that the system takes back when their owner dies, however it dies.

They are `flock`'s: held by an open file and not by a process number, so that they mean the same on every machine that
shares the file system, where that has them (NFS does since Linux 2.6.12).
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eddyline.errors import EddylineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["NoLocks", "locked", "take"]

_PATIENCE_S = 1.0
"""An owner that was killed a moment ago may still be in the middle of dying."""


class NoLocks(EddylineError):  # noqa: N818 - says what is the case
    """This system or file system has no locks."""


def take(handle: int) -> bool:
    """Takes the lock of an open file, unless somebody has it. It is given back when the file is closed.

    Raises:
        NoLocks: There are none here.
    """
    try:
        import fcntl
    except ImportError:
        raise NoLocks("POSIX file locks are needed, which this system does not have") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as e:
        raise NoLocks(f"file locks are needed, which this file system does not have: {e.strerror}") from None
    return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock `path`, a file that is made where there is none and stays: one sweep at a time in a folder.

    Raises:
        InputError: Another process holds it.
        NoLocks: There are none here.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # not inherited by processes that we start
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not take(handle):
            if time.monotonic() > deadline:
                owner = os.pread(handle, 100, 0).decode(errors="replace").strip()
                raise InputError(
                    f"{path.parent}: another process is at work on this sweep ({owner or 'unknown'})",
                    "wait for it, or end it and give the same command again: nothing that it stored is lost",
                )
            time.sleep(0.05)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)
