"""One sweep at a time in a folder: a lock that the system takes back when its owner dies, however it dies."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from eddyline.errors import EddylineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["locked"]

_PATIENCE_S = 1.0
"""An owner that was killed a moment ago may still be in the middle of dying."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock `path`, a file that is made where there is none and stays.

    Raises:
        InputError: Another process holds it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # not inherited by processes that we start
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not _try(handle):
            if time.monotonic() > deadline:
                owner = os.pread(handle, 100, 0).decode(errors="replace").strip()
                raise InputError(
                    f"{path.parent}: another process is at work on this sweep ({owner or 'unknown'})",
                    "wait for it, or end it and give the same command again: nothing that it stored is lost",
                )
            time.sleep(0.05)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _try(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:
        raise EddylineError("sweeps need POSIX file locks, which this system does not have") from None
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
