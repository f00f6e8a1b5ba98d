"""Tables of a sweep as CSV, beside its Parquet files: which files are there, and whose they are.

`csv.sha256` has a line for each table that was written, as `sha256sum` writes it. A file that is not as it was written
is the user's, whatever its name is, and so is a symbolic link.
"""

from __future__ import annotations

import csv
import io
import os
import re
from typing import TYPE_CHECKING

from eddyline.errors import InputError
from eddyline.folder_manifest import digest_of
from eddyline.output import refused, replaced_file
from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.schema import columns

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from eddyline.sweeps.grid import Grid

__all__ = ["RECORD", "is_as_written", "line_of", "names", "others", "record", "require_permission", "require_tables"]

RECORD = "csv.sha256"

_HEADER_BYTES = 1 << 20
_LINE = re.compile(r"[0-9a-f]{64}  \w+\.csv")


def others(paths: Iterable[Path]) -> list[Path]:
    """Those of these places where something is that is not as it was written."""
    return [path for path in paths if os.path.lexists(path) and not is_as_written(path)]


def is_as_written(path: Path) -> bool:
    """Whether the table is there, as it was written."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        lines = [line for line in _recorded(path.parent) if _name(line) == path.name]
        return bool(lines) and line_of(path, path.name) in lines
    except OSError:  # that of somebody who lets nobody read it
        return False


def line_of(content: Path, name: str) -> str:
    """The line for a table with the content of a file."""
    return f"{digest_of(content)}  {name}"


def names(folder: Path) -> set[str]:
    """The files of a folder that were written."""
    return {_name(line) for line in _recorded(folder)}


def _recorded(folder: Path) -> list[str]:
    """The lines in a folder."""
    path = folder / RECORD
    if path.is_symlink() or not path.is_file():
        return []
    return path.read_text("utf-8", errors="replace").splitlines()


def record(folder: Path, line: str, *, alone: bool) -> None:
    """Adds a line in a folder, in place of others for the same file if `alone`.

    The lines are in order of names, so that it does not depend on what was written when.
    """
    others = (other for other in _recorded(folder) if not alone or _name(other) != _name(line))
    lines = sorted({*others, line}, key=lambda line: (_name(line), line))
    with replaced_file(folder / RECORD) as staged:
        staged.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _name(line: str) -> str:
    return line.partition("  ")[2]


def require_permission(folder: Path) -> None:
    """Makes sure that the tables which were written, and are to be renewed, can be.

    Raises:
        InputError: Their owner has write-protected one.
    """
    with refused(folder / RECORD):
        written = [path for name in sorted(names(folder)) if is_as_written(path := folder / name)]
    for path in (*written, folder / RECORD) if written else ():
        _require_permission(path)


def _require_permission(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise InputError(f"{path}: is write-protected, and is to be written anew", f"chmod u+w {path}")


def require_tables(folder: Path, kinds: Iterable[str], grid: Grid) -> None:
    """Makes sure that tables can be written: what has the name of one is such a table of this sweep, or empty.

    Raises:
        InputError: It is something else, which stays.
    """
    hint = "move it to another place"
    for kind in (*kinds, None):
        path = folder / (RECORD if kind is None else f"{kind}.csv")
        if path.is_symlink():
            raise InputError(f"{path}: is a symbolic link, which --csv does not follow", hint)
        with refused(path):
            if not path.exists():
                continue
            if kind is None:
                ours = path.is_file() and all(_LINE.fullmatch(line) for line in _recorded(folder))
            else:
                ours = path.is_file() and (_is_table(path, kind, grid) or is_as_written(path))
            if not ours:
                raise InputError(
                    f"{path}: exists and is no {'list' if kind is None else 'table'} that --csv writes", hint
                )
            _require_permission(path)


def _is_table(path: Path, kind: str, grid: Grid) -> bool:
    """Whether a file has the columns of a table, by its first line, or is empty."""
    with path.open("rb") as file:
        text = file.read(_HEADER_BYTES).decode("utf-8", "replace")
    try:
        header = next(csv.reader(io.StringIO(text, newline="")), [])
    except csv.Error:
        return False
    first, fields = (ENTITIES[kind], columns(kind).keys()) if kind in ENTITIES else ("failure", {"approximations"})
    if first not in header:
        return not text
    place = header.index(first)
    labels = header[:place]  # those of an earlier, smaller grid too
    return bool(labels) and {*labels} <= {*grid.columns, "seed"} and {*header[place + 1 :]} <= fields
