"""The files of a part, one a table. That of the points records the rows of each other one, and the sweep of all.

So a file that is missing, cut short or of another part is damage, not a table without rows. Parts of format 1 have no
record: there, only files that are present can be found damaged.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

import eddyline.parquet as parquet
from eddyline.errors import EddylineError
from eddyline.sweeps.disk import synced
from eddyline.sweeps.parts import POINTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["Damaged", "check", "kinds", "read", "require_sweep", "write"]

_T = TypeVar("_T")

_ROWS = b"eddyline.rows"
"""Key of the record in the metadata of the table of points."""

_SWEEP = b"eddyline.sweep"
"""Key of the sweep's identity there; earlier parts have none."""


class Damaged(EddylineError):  # noqa: N818 - the name of a state
    """A file of a part is not as it was written."""

    def __init__(self, path: Path, how: str) -> None:
        super().__init__(f"{path}: {how}", f"remove the folder {path.parent}: the next sweep runs its points again")


def write(part: Path, content: Mapping[str, Any], sweep: str) -> None:
    """Writes the tables of a part of the sweep with this identity into its folder, and flushes all to the disk."""
    rows = {kind: table.num_rows for kind, table in sorted(content.items()) if kind != POINTS}
    for kind, table in content.items():
        record = {_ROWS: json.dumps(rows), _SWEEP: sweep} if kind == POINTS else None
        parquet.write(table.replace_schema_metadata(record), _path(part, kind))
        synced(_path(part, kind))
    synced(part)


def read(part: Path, kind: str) -> Any:
    """A table of a part, or None where it has no such rows.

    Raises:
        Damaged: The table cannot be read.
    """
    if kind == POINTS:
        return _loaded(parquet.read, _path(part, POINTS)).replace_schema_metadata()
    recorded = _recorded(part)
    if kind not in recorded:
        return None
    table = _loaded(parquet.read, _path(part, kind))
    _require(table.num_rows, recorded[kind], _path(part, kind))
    return table


def check(part: Path, sweep: str) -> None:
    """Makes sure that a part has all of its tables, by their footers, and is of the sweep with this identity.

    Raises:
        Damaged: One is missing or cut short, or the part is of another sweep.
    """
    require_sweep(part, sweep)
    for kind, rows in _recorded(part).items():
        path = _path(part, kind)
        _require(_loaded(parquet.footer, path).num_rows, rows, path)


def require_sweep(part: Path, sweep: str) -> None:
    """Makes sure that a part is of the sweep with this identity.

    Raises:
        Damaged: It is of another one.
    """
    found = _loaded(parquet.footer, _path(part, POINTS)).metadata.get(_SWEEP)
    if found not in (None, sweep.encode()):
        raise Damaged(_path(part, POINTS), "of another sweep than the folder")


def kinds(part: Path) -> list[str]:
    """The tables of a part, but for that of the points."""
    return list(_recorded(part))


def _recorded(part: Path) -> dict[str, int | None]:
    """Rows by table, but for that of the points; None where they are not recorded."""
    record = _loaded(parquet.footer, _path(part, POINTS)).metadata.get(_ROWS)
    if record is None:
        return {path.stem: None for path in sorted(part.glob("*.parquet")) if path.stem != POINTS}
    try:
        return dict(json.loads(record))
    except (ValueError, TypeError) as e:
        raise Damaged(_path(part, POINTS), f"damaged: its numbers of rows: {e}") from None


def _path(part: Path, kind: str) -> Path:
    return part / f"{kind}.parquet"


def _loaded(load: Callable[[Path], _T], path: Path) -> _T:
    try:
        return load(path)
    except FileNotFoundError:
        raise Damaged(path, "missing") from None
    except (pa.ArrowException, ValueError) as e:  # a name in it that is not UTF-8 is a ValueError
        raise Damaged(path, f"damaged: {e}") from None
    except OSError as e:
        if e.errno is not None:  # of the system, not of the content
            raise
        raise Damaged(path, f"damaged: {e}") from None


def _require(rows: int, recorded: int | None, path: Path) -> None:
    if recorded not in (None, rows):
        raise Damaged(path, f"damaged: it has {rows:,} rows, {recorded:,} were written")
