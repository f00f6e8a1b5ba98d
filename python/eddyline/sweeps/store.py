"""The folder of a sweep. Whatever happens to the process or the machine, a point is stored whole and once, or not.

    DIR/sweep.json                 description of the sweep
    DIR/scenario.toml              its scenario, as given (.json where it was that)
    DIR/lock                       locked by the running process, which it names; empty otherwise
    DIR/parts/A-B/points.parquet   points stored in steps A to B, one row each
    DIR/parts/A-B/flows.parquet    their flows; likewise links, groups, ...: `ENTITIES`
    DIR/parts/A-B/points.sha256    digest of points.parquet, which has those of the others: see `part_files`

A part is written to a staging folder, flushed to the disk and renamed into place; it never changes afterwards. From
time to time neighbouring parts are joined into one, named after the steps that it covers, and then removed: a part
within the steps of another one is ignored. What has no such name is nobody's, and left alone.
"""

from __future__ import annotations

import re
import shutil
import time
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

import eddyline.sweeps.part_files as part_files
from eddyline.sweeps.disk import STAGING, synced
from eddyline.sweeps.manifest import EXTENSION, identity, own_points
from eddyline.sweeps.parts import POINTS, joined, tables, without_superseded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from eddyline.sweeps.grid import Grid
    from eddyline.sweeps.worker import Outcome

__all__ = ["EXTENSION_PART", "PARTS", "Store", "misplaced", "name_of", "parts_of", "read_part", "replaced_parts"]

PARTS = "parts"

EXTENSION_PART = "part"
"""The part of an extension that is not yet in place."""

_NAME = re.compile(r"(\d{7,})-(\d{7,})", re.ASCII)
_EXTENSION = (0, 0)
_FINISHED = (1, 1)  # however many steps it took
_PARTS_JOINED = 32
_FLUSH_S = 0.25
_FLUSH_SHARE = 10  # at most one part in this many of the time is spent waiting for the disk
_MAX_PENDING = 20_000


def parts_of(folder: Path, *, settled: bool = False) -> list[tuple[int, int]]:
    """The steps of the valid parts, in order; (0, 0) alone is an extension, unless only `settled` parts are wanted."""
    if not settled and (folder / EXTENSION / EXTENSION_PART).is_dir():
        return [_EXTENSION]
    names = [p.name for p in (folder / PARTS).iterdir()] if (folder / PARTS).is_dir() else []
    spans = sorted((first, -last) for first, last in filter(None, map(_span_of, names)))
    kept: list[tuple[int, int]] = []
    for first, last in ((a, -b) for a, b in spans):
        if not kept or last > kept[-1][1]:
            kept.append((first, last))
    return kept


def replaced_parts(folder: Path) -> list[Path]:
    """The parts that are ignored, within the steps of others."""
    kept = {name_of(span) for span in parts_of(folder, settled=True)}
    found = (each for each in (folder / PARTS).iterdir() if _span_of(each.name) and each.name not in kept)
    return [each for each in found if each.is_dir()]


def read_part(folder: Path, span: tuple[int, int], kind: str, sweep: str | None) -> Any:
    """A table of a part, or None where it has no such rows.

    Args:
        folder: The folder.
        span: The steps of the part.
        kind: The table.
        sweep: Identity of the sweep that the part must be of; None where that is not known.

    Raises:
        Damaged: The table is not as it was written, or the part is of another sweep.
    """
    return part_files.read(_place_of(folder, span), kind, sweep)


def misplaced(folder: Path, several: Sequence[tuple[tuple[int, int], Any]], own: range) -> part_files.Damaged | None:
    """The error about a part that was copied from another folder, or twice; None where there is none.

    Args:
        folder: The folder.
        several: The tables of points, by their parts.
        own: The points of this folder.
    """
    for span, table in several:
        points = table["point"].to_numpy()
        inside = (points >= own.start) & (points < own.stop) & ((points - own.start) % own.step == 0)
        if not inside.all():
            return part_files.Damaged(_place_of(folder, span) / f"{POINTS}.parquet", "of points of another folder")
    if len(several) < 2:
        return None
    seen: set[int] = set()
    for span, table in several:
        done = _finished(table)
        if not seen.isdisjoint(done):
            return part_files.Damaged(_place_of(folder, span) / f"{POINTS}.parquet", "of points that another part has")
        seen |= done
    return None


def _finished(table: Any) -> set[int]:
    return set(table.filter(pc.is_null(table["failure"]))["point"].to_pylist())


def _place_of(folder: Path, span: tuple[int, int]) -> Path:
    return folder / EXTENSION / EXTENSION_PART if span == _EXTENSION else folder / PARTS / name_of(span)


def name_of(span: tuple[int, int]) -> str:
    """Name of the part of these steps."""
    return f"{span[0]:07d}-{span[1]:07d}"


def _span_of(name: str) -> tuple[int, int] | None:
    """The steps of the part of this name; None where it is no part's."""
    found = _NAME.fullmatch(name)
    span = (int(found[1]), int(found[2])) if found else _EXTENSION
    return span if 1 <= span[0] <= span[1] and name == name_of(span) else None


class Store:
    """Stored points of a sweep. Only the holder of the folder's lock may use it.

    Attributes:
        done: Finished points.
        failures: Failed points, with the reasons.
        approximations: What the world could not model exactly, of all points.

    Raises:
        Damaged: A table is not as it was written; or a part is of another sweep or shard, has points that another one
            has, or lacks points of one within its steps.
    """

    def __init__(self, folder: Path, grid: Grid, document: Mapping[str, Any]) -> None:
        self._folder = folder
        self._sweep = identity(document)
        self._grid = grid
        self._parts = folder / PARTS
        self._parts.mkdir(exist_ok=True)
        self._spans = parts_of(folder)
        shutil.rmtree(self._folder / STAGING, ignore_errors=True)
        self.done: set[int] = set()
        self.failures: dict[int, str] = {}
        self.approximations: dict[str, None] = {}
        stored = [(span, part_files.checked(_place_of(folder, span), self._sweep)) for span in self._spans]
        if (damaged := misplaced(folder, stored, own_points(document))) is not None:
            raise damaged
        for _, table in stored:
            columns = (table[name].to_pylist() for name in ("point", "failure", "approximations"))
            for point, failure, approximations in zip(*columns, strict=True):
                self._count(point, failure, approximations)
        self._tidy()
        self._pending: list[Outcome] = []
        self._flushed = time.monotonic()
        self._pause = _FLUSH_S

    def _tidy(self) -> None:
        """Removes the parts that killed processes have left within the steps of the part that they were joined into.

        Raises:
            Damaged: One is not as it was written, or has finished points that the others do not have. Then all stay.
        """
        left = replaced_parts(self._folder)
        for each in left:
            if not part_files.is_whole(each):  # it was being removed
                continue
            if not _finished(part_files.read(each, POINTS, self._sweep)) <= self.done:
                raise part_files.Damaged(
                    each / f"{POINTS}.parquet",
                    "of points that the part which covers its steps does not have: one of the two was copied",
                )
        for each in left:
            part_files.remove(each)

    def _count(self, point: int, failure: str | None, approximations: Iterable[str]) -> None:
        if failure is None:
            self.done.add(point)
            self.failures.pop(point, None)
        elif point not in self.done:
            self.failures[point] = failure
        self.approximations.update(dict.fromkeys(approximations))

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Adds outcomes; they are stored from time to time."""
        for outcome in outcomes:
            self._count(outcome.point, outcome.failure, outcome.approximations)
        self._pending += outcomes
        if self._pending and (time.monotonic() - self._flushed > self._pause or len(self._pending) >= _MAX_PENDING):
            self.flush()

    def flush(self) -> None:
        """Stores all outcomes."""
        if not self._pending:
            return
        step = self._spans[-1][1] + 1 if self._spans else 1
        content = tables(sorted(self._pending, key=lambda outcome: outcome.point), self._grid)
        started = time.monotonic()
        self._place((step, step), content)
        self._pending = []
        self._flushed = time.monotonic()
        self._pause = max(_FLUSH_S, _FLUSH_SHARE * (self._flushed - started))
        # parts of one size are joined, like digits of a number: each point is rewritten once per power of 32
        while len(self._spans) >= _PARTS_JOINED:
            last = self._spans[-_PARTS_JOINED:]
            if len({b - a for a, b in last}) > 1:
                break
            self._join(last)

    def finish(self) -> None:
        """Stores all outcomes and joins all parts."""
        self.flush()
        if len(self._spans) > 1:
            self._join(self._spans)
        if self._spans and self._spans != [_FINISHED]:
            (only,) = self._spans
            (self._parts / name_of(only)).rename(self._parts / name_of(_FINISHED))
            synced(self._parts)
            self._spans = [_FINISHED]

    def take(self, content: dict[str, Any], points: Iterable[tuple[int, str | None, Iterable[str]]]) -> None:
        """Stores tables of another folder of this sweep, and counts their points with failures and approximations."""
        step = self._spans[-1][1] + 1 if self._spans else 1
        self._place((step, step), content)
        for point, failure, approximations in points:
            self._count(point, failure, approximations)

    def _join(self, spans: Sequence[tuple[int, int]]) -> None:
        read = [read_part(self._folder, span, POINTS, self._sweep) for span in spans]
        whole = {POINTS: without_superseded(joined(read))}
        kinds = {kind for span in spans for kind in part_files.kinds(self._parts / name_of(span), self._sweep)}
        for kind in sorted(kinds):
            found = (read_part(self._folder, span, kind, self._sweep) for span in spans)
            whole[kind] = joined(t for t in found if t is not None)
        self._place((spans[0][0], spans[-1][1]), whole)
        for span in spans:
            part_files.remove(self._parts / name_of(span))

    def _place(self, span: tuple[int, int], content: dict[str, Any]) -> None:
        """Writes a part and moves it into place."""
        staging = self._folder / STAGING
        staging.mkdir()
        try:
            part_files.write(staging, content, self._sweep)
            staging.rename(self._parts / name_of(span))
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        synced(self._parts)
        first, last = span
        self._spans = [s for s in self._spans if not first <= s[0] <= last] + [span]
