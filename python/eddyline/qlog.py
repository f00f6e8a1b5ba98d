"""qlog traces: a file per flow, written while a run goes on and put in its place at the end."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

import eddyline.output as output
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["SUFFIX", "file_names", "require_writable", "staged"]

SUFFIX = ".sqlog"
"""Of a trace in JSON text sequences."""


_LONGEST = 255
"""Bytes of a file name on usual file systems."""


def file_names(flows: Sequence[str]) -> list[str]:
    """File names of the traces of flows: their names, special characters as in a URL; long ones cut, with a hash."""
    return [_stem(flow) + SUFFIX for flow in flows]


def _stem(flow: str) -> str:
    room = _LONGEST - len(SUFFIX)
    if len(_quoted(flow)) <= room:
        return _quoted(flow)
    end, begin = "-" + hashlib.sha256(flow.encode()).hexdigest()[:16], flow
    while len(_quoted(begin) + end) > room:
        begin = begin[:-1]
    return _quoted(begin) + end


def _quoted(text: str) -> str:
    return quote(text, safe=" []()+,=@")


def require_writable(path: Path, flows: Sequence[str]) -> None:
    """Makes sure that the traces can be written to a file, where there is one flow, or to a folder.

    Raises:
        InputError: They cannot.
    """
    if path.suffix == SUFFIX:
        if len(flows) != 1:
            raise InputError(
                f"{path}: one file holds the trace of one flow, and there are {len(flows)}",
                "name a folder, which gets a file per flow",
            )
        output.require_writable_file(path, "qlog trace")
        return
    with output.refused(path):
        output.require_folder(path, f"name a folder, or a file ending in {SUFFIX}")
        if path.is_dir():
            foreign = sorted(file.name for file in path.iterdir() if file.suffix != SUFFIX)
            if foreign:
                raise InputError(f"{path}: holds more than traces: {foreign[0]}", "choose a new or empty folder")
    output.require_writable(path, _earlier(path))


@contextmanager
def staged(path: Path | None, flows: Sequence[str]) -> Iterator[list[Path] | None]:
    """Files to write, one per flow; they replace `path` at the end, and are removed where anything fails.

    Raises:
        InputError: Nothing can be written there.
    """
    if path is None:
        yield None
        return
    require_writable(path, flows)
    if path.suffix == SUFFIX:
        with output.replaced_file(path, "qlog trace") as file, output.named(file, path):
            yield [file]
    else:
        with output.replaced(path, _earlier(path)) as folder, output.named(folder, path):
            yield [folder / name for name in file_names(flows)]


def _earlier(folder: Path) -> list[str]:
    """Traces in a folder, which others may replace."""
    return [file.name for file in folder.glob("*" + SUFFIX)] if folder.is_dir() else []
