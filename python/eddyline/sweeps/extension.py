"""A sweep that grows: the stored points are carried over into a larger grid.

A point of the new grid has its outcome already where the folder holds a point of the same scenario and seed. The
scenario's digest decides, so that values, seeds or keys may be added in any order.

All of the extension is written to a staging folder, flushed and renamed to `.extension`: from then on it counts. Then
it is put in place, in steps of which each may be repeated: `complete` continues where it was interrupted.
"""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import eddyline._core as _core
import eddyline.sweeps.part_files as part_files
from eddyline.errors import InputError, ScenarioError
from eddyline.source import Source
from eddyline.sweeps.disk import STAGING, put, synced
from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.frame import read_table
from eddyline.sweeps.manifest import EXTENSION, MANIFEST, grid_of, identity
from eddyline.sweeps.parts import POINTS, label_types, labelled
from eddyline.sweeps.store import EXTENSION_PART, PARTS, name_of, parts_of, replaced_parts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eddyline.sweeps.grid import Grid
    from eddyline.sweeps.plan import Plan

__all__ = ["SCENARIOS", "carried", "complete", "extend", "require_stored", "stored_source", "stored_texts", "texts_of"]

SCENARIOS = {"toml": "scenario.toml", "json": "scenario.json", "dict": "scenario.json"}
"""Name of the scenario's file in the folder, by its format."""


def carried(stored: Source, known: Mapping[str, Any], plan: Plan) -> dict[int, int] | None:
    """The stored point of each point of the new sweep that has one; None where a stored one is not part of it.

    Args:
        stored: The scenario of the folder's sweep.
        known: The description of the folder's sweep.
        plan: The new sweep.
    """
    try:
        old = _identities(stored, [(key, value) for key, value in known["set"]], grid_of(known))
        new = _identities(plan.source, plan.given, plan.grid)
    except ScenarioError:
        return None
    places = {identity: point for point, identity in reversed(list(enumerate(old)))}
    if not places.keys() <= set(new):
        return None
    return {point: places[identity] for point, identity in enumerate(new) if identity in places}


def _identities(source: Source, given: Any, grid: Grid) -> list[tuple[str, int]]:
    """Digest of the scenario and seed of every point."""
    found = []
    for combination in range(grid.combinations):
        overrides = [*given, *grid.overrides(combination)]
        first = source.load(overrides).seed if grid.varies_seed else grid.first_seed
        digest = source.load([*overrides, ("seed", "0")]).sha256
        found += [(digest, first + repetition) for repetition in range(grid.seeds)]
    return found


def extend(
    folder: Path, known: Mapping[str, Any], grid: Grid, points: Mapping[int, int], texts: Mapping[str, str]
) -> None:
    """Makes the folder hold the larger sweep. Points that failed are left out: they run again.

    Args:
        folder: The folder, locked by the caller.
        known: The description of the sweep in it.
        grid: The larger grid.
        points: The result of `carried`.
        texts: The files of the folder that describe the sweep, by name.
    """
    old = grid_of(known)
    staging = folder / STAGING
    shutil.rmtree(staging, ignore_errors=True)
    part = staging / EXTENSION_PART
    part.mkdir(parents=True)
    stored = read_table(folder, POINTS, old)
    done = set(stored.filter(pc.is_null(stored["failure"]))["point"].to_pylist())
    kept = {new: point for new, point in sorted(points.items()) if point in done}
    content = {}
    for kind in (POINTS, *ENTITIES):
        table = stored if kind == POINTS else read_table(folder, kind, old)
        if kind == POINTS or table.num_rows:
            content[kind] = _renumbered(table, kept, old, grid)
    part_files.write(part, content, identity(json.loads(texts[MANIFEST])))
    for name, text in texts.items():
        put(staging / name, text)
    staging.rename(folder / EXTENSION)
    synced(folder)
    complete(folder)


def _renumbered(table: Any, kept: Mapping[int, int], old: Grid, grid: Grid) -> Any:
    """The rows of the kept points, under their new numbers and labels."""
    owners = table["point"].to_numpy()  # ascending
    new, point = (np.array(list(numbers), dtype=np.int64) for numbers in (kept.keys(), kept.values()))
    first, end = np.searchsorted(owners, point, "left"), np.searchsorted(owners, point, "right")
    rows = np.concatenate([np.arange(a, b) for a, b in zip(first, end, strict=True)] or [np.arange(0)])
    table = table.take(pa.array(rows, pa.int64())).drop_columns(["point", *label_types(old)])
    return labelled(table, np.repeat(new, end - first).tolist(), grid)


def complete(folder: Path) -> None:
    """Puts an extension in place that was interrupted after it began to count. The caller holds the lock.

    Raises:
        InputError: It is none: it would say what is in the folder.
    """
    extension = folder / EXTENSION
    if not extension.is_dir():
        return
    if not (extension / MANIFEST).is_file():
        raise InputError(f"{extension}: lacks {MANIFEST}, so it is no sweep that was growing", "remove it")
    parts = folder / PARTS
    parts.mkdir(exist_ok=True)
    if (extension / EXTENSION_PART).is_dir():
        last = max((end for _, end in parts_of(folder, settled=True)), default=0)
        # a part within the steps of another one is ignored: this one replaces all others at once
        (extension / EXTENSION_PART).rename(parts / name_of((1, last + 1)))
        synced(parts)
    texts = {p.name: _text(p) for p in sorted(extension.iterdir()) if p.is_file()}
    for name, text in texts.items():
        if name != MANIFEST:
            put(folder / name, text)
    put(folder / MANIFEST, texts[MANIFEST])
    if scenarios := set(SCENARIOS.values()) & texts.keys():
        for name in set(SCENARIOS.values()) - scenarios:
            (folder / name).unlink(missing_ok=True)
    for replaced in replaced_parts(folder):
        part_files.remove(replaced)
    shutil.rmtree(folder / STAGING, ignore_errors=True)
    extension.rename(folder / STAGING)
    shutil.rmtree(folder / STAGING)


def stored_source(folder: Path, known: Mapping[str, Any], like: Source) -> Source | None:
    """The scenario in a folder, with the files of another; None where there is none.

    Args:
        folder: The folder.
        known: The description of its sweep.
        like: The other.

    Raises:
        InputError: It is damaged.
    """
    # without a title of its own, the scenario has the name of its file
    name = like.name if known["scenario"] is None else f"{known['scenario'].get('title')}.toml"
    path = _stored(folder)
    return None if path is None else Source(_text(path), path.suffix[1:], name, like.folder, like.copies)


def _stored(folder: Path) -> Path | None:
    """The file of the scenario in a folder: that of an extension, where one counts already."""
    places = [place / name for place in (folder / EXTENSION, folder) for name in SCENARIOS.values()]
    return next((place for place in places if place.is_file()), None)


def require_stored(folder: Path, known: Mapping[str, Any], like: Source) -> None:
    """Makes sure that the scenario in a folder is that of its sweep, as far as this version can load it.

    Args:
        folder: The folder.
        known: The description of its sweep.
        like: A scenario whose files it reads.

    Raises:
        InputError: It is missing, or was changed.
    """
    path = _stored(folder) or folder / SCENARIOS[like.format]
    source = stored_source(folder, known, like)
    if source is None or not _is_of(source, known):
        what = "missing" if source is None else "not the scenario that this sweep was made of"
        hint = f"{_mends(path)}; another one has a folder of its own"
        raise InputError(f"{path}: {what}", hint)


def _is_of(source: Source, known: Mapping[str, Any]) -> bool:
    if known["version"] != _core.VERSION:  # another version has other defaults
        return True
    try:
        text = known["scenario"] is None  # complete only with the varied keys: its text identifies it
        given = [(key, value) for key, value in known["set"]]
        digest = sha256(source.text.encode()).hexdigest() if text else source.load(given).sha256
    except ScenarioError as e:
        return bool(e.unknown_controllers and known.get("controllers"))  # of the user, and not loaded
    return bool(digest == known["scenario_sha256"])


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()  # with its ends of lines: the text may identify the scenario
    except UnicodeDecodeError as e:
        raise InputError(f"{path} is damaged: {e}", _mends(path)) from None


def _mends(path: Path) -> str:
    return f"a copy of that scenario as {path.name} mends the folder"


def stored_texts(folder: Path, document: Mapping[str, Any]) -> dict[str, str]:
    """The files that describe a sweep, by name, with the scenario of a folder."""
    path = _stored(folder)
    texts = {} if path is None else {path.name: _text(path)}
    return {**texts, MANIFEST: json.dumps(document, indent=2, ensure_ascii=False) + "\n"}


def texts_of(plan: Plan, document: Mapping[str, Any]) -> dict[str, str]:
    """The files that describe a sweep, by name."""
    return {
        SCENARIOS[plan.source.format]: plan.source.text,
        MANIFEST: json.dumps(document, indent=2, ensure_ascii=False) + "\n",
    }
