"""Outputs that nothing can replace: pipes, devices, and where standard output goes; text is written into them."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

from eddyline.errors import EddylineError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

__all__ = ["is_stream", "special", "write"]

_SPECIAL = (
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "block device"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
)


def special(path: Path) -> str | None:
    """What is there, in a word, if that is neither a file nor a folder; links are followed."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    return next((word for is_one, word in _SPECIAL if is_one(mode)), None)


def is_stream(path: Path) -> bool:
    """Whether text is written into what is there: a pipe, a character device, or where standard output goes."""
    return special(path) in ("pipe", "device") or _standard(path) is not None


def write(path: Path, text: str) -> None:
    """Writes text into a stream.

    Raises:
        EddylineError: It cannot be written.
    """
    content = text.encode()
    standard = _standard(path)
    try:
        if standard is None:
            with path.open("wb") as file:
                file.write(content)
        else:  # opened again, a file would be written from its beginning, over what is shown before and after
            standard.flush()
            standard.buffer.write(content)
            standard.buffer.flush()
    except OSError as e:
        raise EddylineError(f"{path}: cannot be written: {(e.strerror or str(e)).lower()}") from None


def _standard(path: Path) -> TextIO | None:
    """Standard output or standard error, whichever goes there, also by another name."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if os.path.samestat(path.stat(), os.fstat(stream.fileno())):
                return stream
        except (OSError, ValueError):  # nothing is there, or the stream is none of the system's
            continue
    return None
