"""The file of a packet log, written while a run goes on and put in its place at the end."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import eddyline.output as output
from eddyline.errors import EddylineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    import eddyline._core as _core

    Columns: TypeAlias = dict[str, bytes]

__all__ = ["staged"]


@contextmanager
def staged(path: Path, names: Callable[[], _core.Names]) -> Iterator[Path | Callable[[Columns], None]]:
    """Where a run is to put its log: a file for text, or who writes its columns where `path` ends in `.parquet`.

    The file replaces `path` at the end, and is removed where anything fails.

    Args:
        path: The file.
        names: Gives the names of the scenario's entities.

    Raises:
        EddylineError: It cannot be written.
    """
    with output.replaced_file(path, "packet log") as file, output.named(file, path):
        if path.suffix == ".parquet":
            with _rows(file, path, names()) as write:
                yield write
        else:
            yield file


@contextmanager
def _rows(file: Path, path: Path, names: _core.Names) -> Iterator[Callable[[Columns], None]]:
    """A function that writes columns as the next rows of a Parquet file, which is complete after the block."""
    from eddyline.columns import LogFile

    try:
        log = LogFile(file, names)
    except OSError as e:
        raise _unwritten(path, e) from None

    def write(columns: Columns) -> None:
        try:
            log.write(columns)
        except OSError as e:
            raise _unwritten(path, e) from None

    try:
        yield write
    except BaseException:
        log.abandon()
        raise
    try:
        log.close()
    except OSError as e:
        raise _unwritten(path, e) from None


def _unwritten(path: Path, error: OSError) -> EddylineError:
    """Arrow's errors have no path, and the system's reason at their end."""
    import os

    reason = os.strerror(error.errno) if error.errno else str(error)
    return EddylineError(f"{path}: {reason}")
