"""Output to a pipe that its reader closes (`| head -1`): the rest is not shown, the command goes on to its verdict."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer

__all__ = ["tolerate"]


class _Pipe(io.FileIO):
    """The writing end of a pipe; once nobody reads it, what is written is discarded."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())  # also for programs that we start
            os.close(nowhere)
            return super().write(data)


def tolerate() -> None:
    """Lets standard output and standard error be closed by their readers."""
    sys.stdout, sys.stderr = _tolerant(sys.stdout), _tolerant(sys.stderr)


def _tolerant(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or not _is_pipe(stream):
        return stream
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if isinstance(raw, _Pipe):
        return stream
    stream.flush()
    pipe = _Pipe(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        pipe if raw is stream.buffer else io.BufferedWriter(pipe),  # python -u has no buffer
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _is_pipe(stream: TextIO) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
