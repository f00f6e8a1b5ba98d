"""Places to write aside, and what becomes of them where a process is killed.

    .eddyline-XXXX.aside   a file or folder that is being written
    .eddyline-XXXX.lock    held by whoever writes it
    .eddyline-XXXX.trial   an empty folder, for a moment: can anything be written here?

Whoever writes into the same folder next removes those whose lock nobody holds: their owner is dead, on whichever
machine it was. A process number would say nothing of that where machines or containers share a file system. Where
there are no locks, nothing that somebody left is removed.
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

__all__ = ["aside_of", "probe"]

_MARK = ".eddyline-"


@contextmanager
def aside_of(path: Path, *, folder: bool) -> Iterator[Path]:
    """A new file (with `path`'s ending) or folder beside `path`. What is there at the end vanishes: move it before.

    Raises:
        OSError: Nothing can be written there.
    """
    _sweep(path.parent)
    lock, handle = _own(path.parent)
    aside = lock.with_suffix(".aside" if folder else f".aside{path.suffix}")
    try:
        if folder:
            aside.mkdir()
        else:
            aside.touch(exist_ok=False)
        yield aside
    finally:
        _remove(aside)
        lock.unlink(missing_ok=True)
        os.close(handle)


def probe(folder: Path) -> None:
    """Writes something into a folder and removes it.

    Raises:
        OSError: Nothing can be written there.
    """
    trial = folder / f"{_MARK}{secrets.token_hex(8)}.trial"
    trial.mkdir()
    with suppress(FileNotFoundError):  # somebody who swept was faster
        trial.rmdir()


def _own(parent: Path) -> tuple[Path, int]:
    """A lock that is ours, and the open file that holds it."""
    while True:
        lock = parent / f"{_MARK}{secrets.token_hex(8)}.lock"
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if take(handle) and os.path.samestat(os.fstat(handle), lock.stat()):
                return lock, handle
        except NoLocks:
            return lock, handle
        except FileNotFoundError:
            pass  # somebody who swept was faster
        os.close(handle)


def _sweep(parent: Path) -> None:
    """Removes what killed processes left."""
    for trial in parent.glob(f"{_MARK}*.trial"):
        with suppress(OSError):
            trial.rmdir()
    for lock in parent.glob(f"{_MARK}*.lock"):
        with suppress(OSError):  # gone, or somebody else's who does not let us
            handle = os.open(lock, os.O_RDWR)
            try:
                if take(handle):
                    for left in parent.glob(f"{lock.stem}.aside*"):
                        _remove(left)
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
