"""A sweep's folder. Whatever happens to the process or the machine, a point is there whole, once, or not at all.

    DIR/sweep.json                 what sweep it is
    DIR/scenario.toml              its scenario, as given (.json where it was that)
    DIR/lock                       held by the process at work
    DIR/parts/A-B/points.parquet   points stored in steps A to B, one row each
    DIR/parts/A-B/flows.parquet    their flows; likewise links, groups, arrivals

A part is written aside, brought to the disk and put in place by one renaming; nothing is ever changed in it.
Neighbouring parts are joined into one from time to time, under the name of the steps that it covers, before they are
removed: a part that lies within another's steps counts for nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from eddyline.errors import EddylineError
from eddyline.sweeps.parts import POINTS, joined, tables, without_superseded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from eddyline.sweeps.grid import Grid
    from eddyline.sweeps.worker import Outcome

__all__ = ["Store", "parts_of", "put", "read_part", "synced"]

PARTS = "parts"

_ASIDE = ".aside"
_NAME = re.compile(r"(\d+)-(\d+)")
_JOINED_AT_A_TIME = 32
_FLUSH_S = 0.25
_SHARE = 10  # where the disk is slow, one part of so many is spent on waiting for it
_MANY = 20_000


def parts_of(folder: Path) -> list[tuple[int, int]]:
    """The parts that count, by their steps, in order."""
    names = [p.name for p in (folder / PARTS).iterdir()] if (folder / PARTS).is_dir() else []
    spans = sorted((int(m[1]), -int(m[2])) for m in map(_NAME.fullmatch, names) if m)
    kept: list[tuple[int, int]] = []
    for first, last in ((a, -b) for a, b in spans):
        if not kept or last > kept[-1][1]:
            kept.append((first, last))
    return kept


def read_part(folder: Path, span: tuple[int, int], kind: str) -> Any:
    """A table of a part, or None where it has no such rows."""
    part = folder / PARTS / _name(span)
    path = part / f"{kind}.parquet"
    if kind != POINTS and not path.exists():
        (part / f"{POINTS}.parquet").stat()  # FileNotFoundError where it is the part that is gone
        return None
    try:
        return pq.ParquetFile(path).read()
    except pa.ArrowInvalid as e:
        raise EddylineError(
            f"{path}: damaged: {e}", f"remove the folder {part}: the next sweep runs its points again"
        ) from None


def _name(span: tuple[int, int]) -> str:
    return f"{span[0]:07d}-{span[1]:07d}"


class Store:
    """What is stored of a sweep, and where more goes. One at a time: hold the folder's lock.

    Attributes:
        done: Points that are answered.
        failures: Points that have failed, and why.
        approximations: What the world could not honour, of all points together.
    """

    def __init__(self, folder: Path, grid: Grid) -> None:
        self._folder = folder
        self._grid = grid
        self._parts = folder / PARTS
        self._parts.mkdir(exist_ok=True)
        self._spans = parts_of(folder)
        self._tidy()
        self.done: set[int] = set()
        self.failures: dict[int, str] = {}
        self.approximations: dict[str, None] = {}
        for span in self._spans:
            table = read_part(folder, span, POINTS)
            columns = (table[name].to_pylist() for name in ("point", "failure", "approximations"))
            for point, failure, approximations in zip(*columns, strict=True):
                self._count(point, failure, approximations)
        self._pending: list[Outcome] = []
        self._flushed = time.monotonic()
        self._pause = _FLUSH_S

    def _tidy(self) -> None:
        """Removes what killed processes left."""
        shutil.rmtree(self._folder / _ASIDE, ignore_errors=True)
        kept = {_name(span) for span in self._spans}
        for each in self._parts.iterdir():
            if _NAME.fullmatch(each.name) and each.name not in kept:
                shutil.rmtree(each)

    def _count(self, point: int, failure: str | None, approximations: Iterable[str]) -> None:
        if failure is None:
            self.done.add(point)
            self.failures.pop(point, None)
        elif point not in self.done:
            self.failures[point] = failure
        self.approximations.update(dict.fromkeys(approximations))

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Takes answers in; they are stored when it is time."""
        for outcome in outcomes:
            self._count(outcome.point, outcome.failure, outcome.approximations)
        self._pending += outcomes
        if self._pending and (time.monotonic() - self._flushed > self._pause or len(self._pending) >= _MANY):
            self.flush()

    def flush(self) -> None:
        """Stores what there is."""
        if not self._pending:
            return
        step = self._spans[-1][1] + 1 if self._spans else 1
        content = tables(sorted(self._pending, key=lambda outcome: outcome.point), self._grid)
        started = time.monotonic()
        self._place((step, step), content)
        self._pending = []
        self._flushed = time.monotonic()
        self._pause = max(_FLUSH_S, _SHARE * (self._flushed - started))
        # Parts of one size in a row, as the digits of a number: each row is joined once per power of 32.
        while len(self._spans) >= _JOINED_AT_A_TIME:
            last = self._spans[-_JOINED_AT_A_TIME:]
            if len({b - a for a, b in last}) > 1:
                break
            self._join(last)

    def finish(self) -> None:
        """Stores what there is, all in one part."""
        self.flush()
        if len(self._spans) > 1:
            self._join(self._spans)

    def _join(self, spans: Sequence[tuple[int, int]]) -> None:
        read = [read_part(self._folder, span, POINTS) for span in spans]
        whole = {POINTS: without_superseded(joined(read))}
        kinds = {p.stem for span in spans for p in (self._parts / _name(span)).iterdir()} - {POINTS}
        for kind in sorted(kinds):
            found = (read_part(self._folder, span, kind) for span in spans)
            whole[kind] = joined(t for t in found if t is not None)
        self._place((spans[0][0], spans[-1][1]), whole)
        for span in spans:
            shutil.rmtree(self._parts / _name(span))

    def _place(self, span: tuple[int, int], content: dict[str, Any]) -> None:
        """Puts a part in place."""
        aside = self._folder / _ASIDE
        aside.mkdir()
        try:
            for kind, table in content.items():
                pq.write_table(table, aside / f"{kind}.parquet")
                synced(aside / f"{kind}.parquet")
            synced(aside)
            aside.rename(self._parts / _name(span))
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        synced(self._parts)
        first, last = span
        self._spans = [s for s in self._spans if not first <= s[0] <= last] + [span]


def synced(path: Path) -> None:
    """Brings a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put(path: Path, content: str) -> None:
    """Writes a text file: it is there whole, or not at all."""
    aside = path.with_name(f"{_ASIDE}-{path.name}")
    aside.write_text(content, "utf-8")
    synced(aside)
    aside.replace(path)
    synced(path.parent)
