"""Output files and folders: checked before a run, written beside their place, then put there in one step.

Whatever happens, the old one, the new one or none is there, never a part.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.errors import Displaced, EddylineError, InputError
from eddyline.folder_manifest import MANIFEST, foreign, write
from eddyline.scratch import probe, staged
from eddyline.streams import is_stream, special

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

__all__ = [
    "ENTITIES",
    "FILES",
    "LOG",
    "PLOTS",
    "RESULT",
    "SCENARIO",
    "SERIES",
    "TABLES",
    "named",
    "refused",
    "replaced",
    "replaced_file",
    "require_folder",
    "require_not_inputs",
    "require_writable",
    "require_writable_file",
    "require_writable_parent",
    "room",
]

SCENARIO = "scenario.json"
RESULT = "result.json"
SERIES = "series.parquet"
LOG = "log.parquet"
PLOTS = ("plot.png", "plot.svg")
ENTITIES = ("flows", "links", "groups", "arrivals", "traffic", "probes")
"""Tables of a result, those that a scenario may not have included."""

TABLES = (*(f"{entity}.csv" for entity in ENTITIES), "series.csv")
FILES = "files"

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_OF_RESULTS = frozenset((SCENARIO, RESULT, SERIES, LOG, FILES, MANIFEST, *PLOTS, *TABLES))
"""What a result folder holds, which another result may replace."""

_BEGINNINGS = {
    "JUnit XML": re.compile(rb"<testsuites?[\s/>]"),
    "Markdown report": re.compile(rb"\| file \||## Gauntlet:"),
    "figure": re.compile(rb"\x89PNG|%PDF|%%|<svg[\s>]"),
    "packet log": re.compile(rb"# time_s event packet source link seq bytes\r?\n|PAR1"),
    "qlog trace": re.compile(rb"\x1e"),
    "measured link": re.compile(rb"# Measured by eddyline"),
    "program": re.compile(rb"\x7fELF"),
}
"""What files of a kind begin with, XML after its prolog."""
_PROLOG = re.compile(rb"\s+|\xef\xbb\xbf|<\?xml[^>]*\?>|<!DOCTYPE [^>\[]*>|<!--.*?-->", re.DOTALL)
"""A part of what is before the root element of XML."""
_BEGINNING_B = 4096
_LOG_COLUMNS = ("time_s", "event", "packet", "source", "link", "seq", "bytes")
"""The first columns of a packet log in Parquet."""


def require_writable(folder: Path, own: Collection[str] = _OF_RESULTS) -> None:
    """Makes sure that `folder` can be written: it is absent, empty, or holds earlier output of this kind only.

    Args:
        folder: The folder.
        own: Names of this kind of output, as in `foreign`; those of results by default.

    Raises:
        InputError: It cannot be written.
    """
    with refused(folder):
        require_folder(folder, "choose another place for --out")
        if folder.is_dir():
            if others := foreign(folder, own):
                names = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
                unlisted = MANIFEST in own and not (folder / MANIFEST).exists()
                unlisted = unlisted and any(name.split("/")[0] in own for name in others)
                because = f"; no {MANIFEST} says that they are of an earlier output" if unlisted else ""
                hint = f"choose a new or empty folder for --out{because}"
                raise InputError(f"{folder}: holds other files: {names}", hint)
            if folder.samefile(Path.cwd()):
                raise InputError(
                    f"{folder}: is the working directory, which cannot be replaced", "choose a folder in it for --out"
                )
    require_writable_parent(folder)
    _require_permission(folder)


def _require_permission(path: Path) -> None:
    """Refuses what its owner has write-protected: a rename would replace it all the same.

    Raises:
        InputError: It is, or something in it.
    """
    with refused(path):
        inside = (p for p in path.rglob("*") if not p.is_symlink())
        if path.exists() and not all(os.access(p, os.W_OK) for p in (path, *inside)):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))


def require_folder(path: Path, hint: str) -> None:
    """Makes sure that `path` is absent, a folder, or a symbolic link to one.

    Raises:
        InputError: It is something else, with this hint.
    """
    if path.is_symlink() and not path.exists():
        raise InputError(f"{path}: is a link to {path.readlink()}, which does not exist", "create that folder")
    if path.exists() and not path.is_dir():
        raise InputError(f"{path}: exists and is not a folder", hint)


def require_writable_file(path: Path, kind: str | None = None, *, text: bool = False) -> None:
    """Makes sure that a file can be written.

    Args:
        path: The file.
        kind: A key of `_BEGINNINGS`: a file that is there must be empty or of this kind.
        text: It is for text that is written at once, which may go into a stream.

    Raises:
        InputError: It cannot be written.
    """
    with refused(path):
        if path.is_dir():
            raise InputError(f"{path}: is a folder")
        if text and is_stream(path):
            _require_permission(path)
            return
        if (found := special(path)) is not None:
            raise InputError(f"{path}: is a {found}, not a file", "choose another name")
        if kind is not None and path.is_file() and not _is_of_kind(path, kind):
            raise InputError(f"{path}: exists and is no {kind}", "choose another name")
    require_writable_parent(path)
    _require_permission(path)


def _is_of_kind(path: Path, kind: str) -> bool:
    """Whether a file is empty or begins as those of a kind do; a Parquet file is a packet log by its columns."""
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING_B)
    if not beginning:
        return True
    at = 0
    while (part := _PROLOG.match(beginning, at)) is not None:
        at = part.end()
    if not any(_BEGINNINGS[kind].match(beginning, start) for start in (0, at)):
        return False
    if not beginning.startswith(b"PAR1"):
        return True
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            return tuple(pq.read_schema(file).names[: len(_LOG_COLUMNS)]) == _LOG_COLUMNS
    except (pa.ArrowException, OSError):  # damaged, encrypted, or only like one
        return False


def require_not_inputs(places: Mapping[str, Path | None], inputs: Iterable[Path]) -> None:
    """Refuses outputs that would replace what a command reads, itself or the folder that it is in.

    Args:
        places: Files and folders by their options.
        inputs: Files that the command reads.

    Raises:
        InputError: One would.
    """
    given = [(option, path, _resolved(path)) for option, path in places.items() if path is not None]
    for name in inputs:
        read = _resolved(name)
        for option, path, place in given:
            if place == read or place in read.parents:
                what = "is" if place == read else f"holds {name},"
                raise InputError(f"{option} {path}: {what} an input of this command", "choose another place")


def require_writable_parent(path: Path) -> None:
    """Makes sure that something can be written where `path` is to be, by a trial.

    Raises:
        InputError: It cannot be written.
    """
    with refused(path):
        parent = _target(path).parent
        while not parent.exists():
            if parent.is_symlink():
                raise InputError(f"{path}: cannot be written: {parent} is a link to nothing")
            parent = parent.parent
        if not parent.is_dir():
            raise InputError(f"{path}: cannot be written: {parent} is not a folder")
        probe(parent)


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """Turns errors of the operating system about `path` into wrong input."""
    try:
        yield
    except OSError as e:
        # the place that it is about, unless that is one of our scratch files beside `path`
        where = f" {e.filename}:" if e.filename and Path(e.filename).name[:1] != "." else ""
        raise InputError(f"{path}: cannot be written:{where} {(e.strerror or str(e)).lower()}") from None


@contextmanager
def named(new: Path, path: Path) -> Iterator[None]:
    """Lets errors of writing in the block name `path`, not the scratch file or folder `new` beside it."""
    try:
        yield
    except OSError as e:
        if str(new) not in str(e):
            raise
        raise EddylineError(str(e).replace(str(new), str(path))) from None


@contextmanager
def replaced(folder: Path, own: Collection[str] = _OF_RESULTS) -> Iterator[Path]:
    """A new folder to write into. It replaces `folder` at the end, and is removed where anything fails.

    Whether it may do so is asked before the work, of `require_writable`. Where something else was written there
    meanwhile, the new folder stays beside it. So it does where the block raises `Displaced`: another output of the
    same work found its place taken.

    Args:
        folder: The place.
        own: Names of this kind of output, as in `foreign`. With `MANIFEST` among them the new folder gets one.

    Raises:
        Displaced: Something else was written there.
    """
    target = _target(folder)
    displaced: list[str] = []
    with room(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        with staged(target, folder=True) as new:
            try:
                yield new
            except Displaced as e:
                displaced.append(str(e))
            if MANIFEST in own and not (new / MANIFEST).exists():
                write(new)
            if not os.path.lexists(target):
                new.rename(target)
            elif _is_earlier(target, own):
                _exchange(new, target)
            else:
                displaced.append(_put_aside(new, folder, (target.with_name(f"{target.name}-{n}") for n in count(2))))
    if displaced:
        raise Displaced("\n".join(displaced))


def _put_aside(new: Path, path: Path, names: Iterator[Path]) -> str:
    """Puts an output at the first of some places that is free, and says so of the place that was given."""
    aside = next(p for p in names if not os.path.lexists(p))
    new.rename(aside)
    return f"{path}: something else was written there meanwhile; this output is in {aside}"


def _is_earlier(target: Path, own: Collection[str]) -> bool:
    """Whether there is an earlier output, and nothing else."""
    try:
        return target.is_dir() and not foreign(target, own)
    except OSError:
        return False


@contextmanager
def replaced_file(path: Path, kind: str | None = None) -> Iterator[Path]:
    """A new file to write, with `path`'s suffix. It replaces `path` at the end, and is removed where anything fails.

    Where something else was written there meanwhile, the new file stays beside it, as in `replaced`.

    Args:
        path: The place.
        kind: As in `require_writable_file`, of which it was asked before the work. None: whatever is there is replaced.

    Raises:
        Displaced: Something else was written there.
    """
    if kind is None:
        require_writable_file(path)
    target = _target(path)
    displaced: list[str] = []
    with room(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        # the suffix of the name that was given, which says the format; that of a link's target says nothing
        with staged(target, folder=False, suffix=path.suffix) as new:
            try:
                yield new
            except Displaced as e:
                displaced.append(str(e))
            if kind is None or _may_be_replaced(target, kind):
                new.replace(target)
            else:
                names = (target.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2))
                displaced.append(_put_aside(new, path, names))
    if displaced:
        raise Displaced("\n".join(displaced))


def _may_be_replaced(target: Path, kind: str) -> bool:
    """Whether there is nothing, or an empty file or one of this kind that is not write-protected."""
    if not os.path.lexists(target):
        return True
    try:
        writable = target.is_file() and not target.is_symlink() and os.access(target, os.W_OK)
        return writable and _is_of_kind(target, kind)
    except OSError:
        return False


def _target(path: Path) -> Path:
    """Where the output is: a symbolic link stays, and what it points to is replaced.

    Raises:
        OSError: It is a loop of links.
    """
    if not path.is_symlink():
        return path.absolute()
    target = _resolved(path)
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def _resolved(path: Path) -> Path:
    """The place without links; `Path.resolve` raises a RuntimeError for a loop of them."""
    return Path(os.path.realpath(path))


@contextmanager
def room(path: Path) -> Iterator[None]:
    """Lets an error of a full disk, which has no name of its own, name `path`."""
    try:
        yield
    except OSError as e:
        if e.filename is not None or e.errno not in _FULL:
            raise
        raise EddylineError(f"{path}: cannot be written: {os.strerror(e.errno).lower()}") from None


def _exchange(new: Path, old: Path) -> None:
    """Swaps two folders, in one step where the system can (Linux), else in two."""
    at_cwd, exchange = -100, 2
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        failed = libc.renameat2(at_cwd, os.fsencode(new), at_cwd, os.fsencode(old), exchange)
    except (AttributeError, OSError, TypeError):
        failed = -1
    if failed:
        with tempfile.TemporaryDirectory(prefix=f"{new.name}-", dir=new.parent) as discarded:
            old.rename(Path(discarded) / "old")
            new.rename(old)
