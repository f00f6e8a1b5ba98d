"""File locks that the system releases when their owner dies.

They are those of `flock`: an open file holds them, not a process number, so they work between machines that share a
file system with locks (NFS has them since Linux 2.6.12).
"""

from __future__ import annotations

import errno
import os
import re
import socket
import stat
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eddyline.errors import EddylineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["NoLocks", "locked", "take"]

_TIMEOUT_S = 1.0
"""An owner that was killed a moment ago may not have exited yet."""
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
"""Errors of a folder in which nothing can be written."""
_NO_FILE = (errno.ELOOP, errno.EMLINK, errno.EISDIR, errno.ENXIO)
"""Errors of symbolic links, which are not followed, folders and sockets."""
_OWNER = re.compile(rb"(process \d+ on [^\n]*\n?)?")
"""What a lock file of ours holds."""


class NoLocks(EddylineError):  # noqa: N818 - the name of a state
    """This system or file system has no locks."""


def take(handle: int) -> bool:
    """Locks an open file until it is closed; False where another process has the lock.

    Raises:
        NoLocks: The system or the file system has no locks.
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
    """Holds the lock file `path`: one sweep at a time works in its folder. The file is created and stays, empty.

    Meanwhile it names this process; that of a process that was killed still does.

    Raises:
        InputError: Another process holds it, it is no lock file, or the folder is read-only.
        NoLocks: The system or the file system has no locks.
    """
    try:
        # not inherited by child processes
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as e:
        if e.errno in _NO_FILE:
            raise _not_a_lock(path) from None
        if e.errno not in _REFUSED:
            raise
        why = os.strerror(e.errno).lower()
        raise InputError(f"{path.parent}: cannot be written: {why}", "a copy of the folder can be completed") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _not_a_lock(path)
        deadline = time.monotonic() + _TIMEOUT_S
        while not take(handle):
            if time.monotonic() > deadline:
                owner = os.pread(handle, 100, 0).decode(errors="replace").strip()
                raise InputError(
                    f"{path.parent}: another process is running this sweep ({owner or 'unknown'})",
                    "wait for it, or stop it and give the same command again: nothing that it stored is lost",
                )
            time.sleep(0.05)
        if not _OWNER.fullmatch(os.pread(handle, 1000, 0)):
            raise _not_a_lock(path)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(handle, 0)  # before the lock goes: then the text may be another process's
    finally:
        os.close(handle)


def _not_a_lock(path: Path) -> InputError:
    return InputError(f"{path}: is not the lock of a sweep", "move it away: the lock is made anew")
