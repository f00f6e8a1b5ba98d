"""Scratch files and folders beside the place of an output, and their removal where a process was killed.

    .eddyline-XXXX.staged   a file or folder that is being written
    .eddyline-XXXX.lock     locked by the process that writes it
    .eddyline-XXXX.trial    an empty folder, for a moment: can anything be written here?

The next process that writes into the same folder removes those that nobody locks: their owner is dead, on whichever
machine it was. A process number would not tell where machines or containers share a file system. Where the file system
has no locks, nothing is removed.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from eddyline.locks import NoLocks, take

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["probe", "staged"]

_MARK = ".eddyline-"


@contextmanager
def staged(path: Path, *, folder: bool, suffix: str | None = None) -> Iterator[Path]:
    """A new file (with this suffix, or else `path`'s) or folder beside `path`.

    It is removed at the end unless it was moved away.

    Raises:
        OSError: Nothing can be written there.
    """
    _remove_orphans(path.parent)
    lock, handle = _new_lock(path.parent)
    ending = path.suffix if suffix is None else suffix
    new = lock.with_suffix(".staged" if folder else f".staged{ending}")
    try:
        if folder:
            new.mkdir()
        else:
            new.touch(exist_ok=False)
        yield new
    finally:
        _remove(new)
        lock.unlink(missing_ok=True)
        os.close(handle)


def probe(folder: Path) -> None:
    """Writes something into a folder and removes it.

    Raises:
        OSError: Nothing can be written there.
    """
    trial = folder / f"{_MARK}{secrets.token_hex(8)}.trial"
    trial.mkdir()
    with suppress(FileNotFoundError):  # another process removed it first
        trial.rmdir()


def _new_lock(parent: Path) -> tuple[Path, int]:
    """A new lock file that this process holds, and its descriptor."""
    while True:
        lock = parent / f"{_MARK}{secrets.token_hex(8)}.lock"
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if take(handle) and os.path.samestat(os.fstat(handle), lock.stat()):
                return lock, handle
        except NoLocks:
            return lock, handle
        except FileNotFoundError:
            pass  # another process removed it first
        os.close(handle)


def _remove_orphans(parent: Path) -> None:
    """Removes what killed processes have left."""
    for trial in parent.glob(f"{_MARK}*.trial"):
        with suppress(OSError):
            trial.rmdir()
    for lock in parent.glob(f"{_MARK}*.lock"):
        with suppress(OSError):  # gone, or another user's
            handle = os.open(lock, os.O_RDWR)
            try:
                if take(handle):
                    for orphan in parent.glob(f"{lock.stem}.staged*"):
                        _remove(orphan)
                    lock.unlink()
            except NoLocks:
                return
            finally:
                os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
