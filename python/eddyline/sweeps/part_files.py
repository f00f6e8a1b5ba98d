"""The files of a part, one a table, as they were written or damaged.

    points.parquet   its metadata have the SHA-256 of every other table, and the sweep's identity
    points.sha256    the SHA-256 of that file, as `sha256sum` writes it

So a file that is damaged, missing, or of another part or sweep is an error, not other numbers. Earlier parts have no
digests: of those of format 2 the numbers of rows are known, of those of format 1 only what is present can be checked.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import eddyline.parquet as parquet
from eddyline.errors import EddylineError
from eddyline.sweeps.disk import synced
from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.parts import POINTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Damaged", "checked", "is_whole", "kinds", "read", "remove", "write"]

_T = TypeVar("_T")

_DIGESTS = b"eddyline.sha256"
"""Key of the other tables' digests in the metadata of the table of points."""

_ROWS = b"eddyline.rows"
"""Key of their numbers of rows in earlier parts, of format 2."""

_SWEEP = b"eddyline.sweep"
"""Key of the sweep's identity; the earliest parts have none."""

_SEAL = f"{POINTS}.sha256"

_COLUMNS = {POINTS: {"point", "failure", "approximations"}}
_ANY_COLUMNS = {"point"}


class Damaged(EddylineError):  # noqa: N818 - the name of a state
    """A file of a part is not as it was written."""

    def __init__(self, path: Path, how: str) -> None:
        super().__init__(f"{path}: {how}", f"remove the folder {path.parent}: the next sweep runs its points again")


class _Points(NamedTuple):
    """The file of the points.

    Attributes:
        content: Its bytes.
        recorded: What it has of the other tables: their digests, in earlier parts numbers of rows, or None.
    """

    content: bytes
    recorded: dict[str, str | int | None]


def write(part: Path, content: Mapping[str, Any], sweep: str) -> None:
    """Writes the tables of a part of the sweep with this identity into its folder, and flushes all to the disk."""
    others = sorted(content.keys() - {POINTS})
    digests = {kind: _written(content[kind].replace_schema_metadata(), _path(part, kind)) for kind in others}
    record = {_DIGESTS: json.dumps(digests), _SWEEP: sweep}
    digest = _written(content[POINTS].replace_schema_metadata(record), _path(part, POINTS))
    (part / _SEAL).write_text(_sealed(digest), "utf-8")
    synced(part / _SEAL)
    synced(part)


def _written(table: Any, path: Path) -> str:
    """Writes a table, and gives the digest of its file."""
    parquet.write(table, path)
    synced(path)
    return sha256(path.read_bytes()).hexdigest()


def read(part: Path, kind: str, sweep: str | None) -> Any:
    """A table of a part, or None where it has no such rows.

    Args:
        part: Its folder.
        kind: The table.
        sweep: Identity of the sweep that the part must be of; None where that is not known.

    Raises:
        Damaged: The table is not as it was written, or the part is of another sweep.
    """
    points = _points(part, sweep)
    if kind == POINTS:
        return _table(points.content, part, POINTS).replace_schema_metadata()
    if kind not in points.recorded:
        return None
    return _table(_checked(part, kind, points.recorded[kind]), part, kind)


def checked(part: Path, sweep: str) -> Any:
    """The table of points of a part, after all of its tables were checked.

    Raises:
        Damaged: One is not as it was written, or the part is of another sweep than that with this identity.
    """
    points = _points(part, sweep)
    for kind, recorded in points.recorded.items():
        _checked(part, kind, recorded)
    return _table(points.content, part, POINTS).replace_schema_metadata()


def is_whole(part: Path) -> bool:
    """Whether no file is missing that every part has; parts of earlier formats have no digest."""
    try:
        _, metadata = _parsed(parquet.metadata, _loaded(Path.read_bytes, _path(part, POINTS)), part)
    except Damaged:
        return _path(part, POINTS).is_file()
    return _DIGESTS not in metadata or (part / _SEAL).is_file()


def remove(part: Path) -> None:
    """Removes a part, that of the points first. What else somebody has put into its folder is kept, in `A-B.left`."""
    if part.is_symlink():
        part.unlink()
        return
    for name in (f"{POINTS}.parquet", *(f"{kind}.parquet" for kind in ENTITIES), _SEAL):
        (part / name).unlink(missing_ok=True)
    if not any(part.iterdir()):
        part.rmdir()
        return
    free = (part.with_name(f"{part.name}.left{number or ''}") for number in count())
    part.rename(next(place for place in free if not os.path.lexists(place)))


def kinds(part: Path, sweep: str) -> list[str]:
    """The tables of a part, but for that of the points.

    Raises:
        Damaged: That one is not as it was written, or the part is of another sweep than that with this identity.
    """
    return list(_points(part, sweep).recorded)


def _points(part: Path, sweep: str | None) -> _Points:
    path, seal = _path(part, POINTS), part / _SEAL
    content = _loaded(Path.read_bytes, path)
    sealed = seal.is_file()
    if sealed and _loaded(Path.read_bytes, seal) != _sealed(sha256(content).hexdigest()).encode():
        raise Damaged(path, f"damaged: its SHA-256 is not that in {_SEAL}")
    _, metadata = _parsed(parquet.metadata, content, path)
    if _DIGESTS in metadata and not sealed:
        raise Damaged(seal, "missing")
    if sweep is not None and metadata.get(_SWEEP) not in (None, sweep.encode()):
        raise Damaged(path, "of another sweep than the folder")
    record = metadata.get(_DIGESTS, metadata.get(_ROWS))
    if record is None:
        return _Points(content, {each.stem: None for each in sorted(part.glob("*.parquet")) if each.stem != POINTS})
    return _Points(content, _parsed(lambda text: dict(json.loads(text)), record, path))


def _checked(part: Path, kind: str, recorded: str | int | None) -> bytes:
    """The content of the file of another table, which is that of the record."""
    path = _path(part, kind)
    content = _loaded(Path.read_bytes, path)
    if isinstance(recorded, str):
        if sha256(content).hexdigest() != recorded:
            raise Damaged(path, f"damaged, or of another part: its SHA-256 is not that in {POINTS}.parquet")
        return content
    rows, _ = _parsed(parquet.metadata, content, path)
    if recorded not in (None, rows):
        raise Damaged(path, f"damaged: it has {rows:,} rows, {recorded:,} were written")
    return content


def _table(content: bytes, part: Path, kind: str) -> Any:
    path = _path(part, kind)
    table = _parsed(parquet.parsed, content, path)
    for name in sorted(_COLUMNS.get(kind, _ANY_COLUMNS)):
        if name not in table.column_names:
            raise Damaged(path, f"damaged: it has no column {name}")
    return table


def _path(part: Path, kind: str) -> Path:
    return part / f"{kind}.parquet"


def _sealed(digest: str) -> str:
    return f"{digest}  {POINTS}.parquet\n"


def _loaded(load: Callable[[Path], _T], path: Path) -> _T:
    try:
        return load(path)
    except FileNotFoundError:
        raise Damaged(path, "missing") from None


def _parsed(parse: Callable[[bytes], _T], content: bytes, path: Path) -> _T:
    try:
        return parse(content)
    except Exception as e:  # whatever Arrow raises where bytes make no sense
        raise Damaged(path, f"damaged: {e}") from None
