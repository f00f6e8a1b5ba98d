"""Folders of shards joined into that of the whole sweep."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

import eddyline.sweeps.copies as copies
import eddyline.sweeps.manifest as manifest
from eddyline.arguments import file
from eddyline.errors import InputError
from eddyline.locks import locked
from eddyline.output import room
from eddyline.result_folder import copied
from eddyline.source import Source
from eddyline.sweeps.disk import put, synced
from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.extension import complete, require_stored, stored_texts
from eddyline.sweeps.frame import read_table
from eddyline.sweeps.parts import POINTS
from eddyline.sweeps.store import Store
from eddyline.sweeps.sweep import LOCK, require_writable
from eddyline.sweeps.swept import Failure, Swept

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eddyline.sweeps.grid import Grid

__all__ = ["merge"]


def merge(folders: str | Path | Sequence[str | Path], out: str | Path) -> Swept:
    """Joins folders of one sweep, shards or parts of it, into one folder. Points that are missing may follow later.

    Args:
        folders: Folders that `eddyline sweep --shard` wrote; running or unfinished ones give what they have.
        out: A new folder, or one that holds this sweep already. That of a shard becomes the whole sweep's.

    Returns:
        The state of the folder. The same bytes as of the sweep run at once, where all points are done.

    Raises:
        InputError: A folder holds no sweep, they hold different ones, or a stored scenario or file was changed.
    """
    several = [folders] if isinstance(folders, (str, Path)) else list(folders)
    if not several:
        raise InputError("there is no folder to merge")
    return _merged([file("folders", folder) for folder in several], file("out", out).absolute())


def _merged(folders: Sequence[Path], out: Path) -> Swept:
    started = time.monotonic()
    document = _common([*folders, *([out] if manifest.read(out) is not None else [])])
    grid = manifest.grid_of(document)
    if manifest.read(out) is None:
        require_writable(out)
    out.mkdir(parents=True, exist_ok=True)
    with room(out), locked(out / LOCK):
        complete(out)
        known = manifest.read(out)
        if known is None or "shard" in known:  # a shard's points have the same numbers in the whole sweep
            for name, text in stored_texts(folders[0] if known is None else out, document).items():
                put(out / name, text)
            synced(out.absolute().parent)
        copies.take(out, folders, document["files"])
        store = Store(out, grid, document)
        already = len(store.done)
        for folder in folders:
            if not out.samefile(folder):
                _take(store, folder, grid)
        store.finish()
    failures = [Failure(p, grid.labels(p), why) for p, why in sorted(store.failures.items())]
    done, wall = len(store.done), time.monotonic() - started
    return Swept(out, len(grid), done, done - already, failures, list(store.approximations), wall, already)


def _common(folders: Sequence[Path]) -> dict[str, Any]:
    """The description of the whole sweep that all folders are of."""
    first: dict[str, Any] | None = None
    for folder in folders:
        document = manifest.read(folder)
        if document is None:
            raise InputError(f"{folder}: holds no sweep", "eddyline sweep ... --shard I/N --out DIR makes one")
        whole = manifest.without_shard(document)
        first = whole if first is None else first
        found = manifest.differences(first, whole)
        if found:
            listed = "".join(f"\n  {each}" for each in found)
            hint = "the eddyline sweep of one of them, with the same files and controllers, runs the other's shard anew"
            raise InputError(f"{folder}: not of the same sweep as {folders[0]}, which had{listed}", hint)
        _require_whole(folder, document)
    assert first is not None
    return first


def _require_whole(folder: Path, document: Mapping[str, Any]) -> None:
    """Makes sure that the scenario of a shard and the files that it names are as they were stored."""
    if altered := copies.changed(folder, document):
        raise InputError(f"{folder}: {altered[0]}", "a copy of that file, put there, mends the folder")
    base = folder.absolute()
    there = copied(base, document)
    if document["files"].keys() <= there.keys():  # else of an older version: it cannot be loaded from here
        require_stored(folder, document, Source("", "toml", "scenario.toml", base, there))


def _take(store: Store, folder: Path, grid: Grid) -> None:
    """Stores the points of a folder that are not done."""
    points = read_table(folder, POINTS, grid)  # first: what it lists is in the other tables
    points = points.filter(pc.invert(pc.is_in(points["point"], pa.array(sorted(store.done), pa.int64()))))
    if not points.num_rows:
        return
    content = {POINTS: points}
    for kind in ENTITIES:
        table = read_table(folder, kind, grid)
        table = table.filter(pc.is_in(table["point"], points["point"].combine_chunks()))
        if table.num_rows:
            content[kind] = table
    names = ("point", "failure", "approximations")
    store.take(content, zip(*(points[name].to_pylist() for name in names), strict=True))
