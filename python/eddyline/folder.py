"""Result folders, written aside and put in place in one step: there is always the old one, the new one or none."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.scratch import aside_of, probe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from eddyline.result import Result
    from eddyline.scenario import Scenario

__all__ = [
    "LOG",
    "PLOTS",
    "RESULT",
    "SCENARIO",
    "SERIES",
    "Manifest",
    "claim",
    "claim_file",
    "claim_parent",
    "labelled",
    "manifest",
    "read",
    "refused",
    "replaced",
    "replaced_file",
    "save",
    "with_series",
]

SCENARIO = "scenario.json"
RESULT = "result.json"
SERIES = "series.parquet"
LOG = "log.parquet"
PLOTS = ("plot.png", "plot.svg")
FILES = "files"
MANIFEST = "manifest.json"

_OURS = {SCENARIO, RESULT, SERIES, LOG, FILES, MANIFEST, *PLOTS}


def claim(folder: Path, also: Collection[str] = ()) -> None:
    """Makes sure that `folder` can be written: absent, empty, or holding nothing but what we write.

    Args:
        folder: The folder.
        also: Names that are ours there besides those of a result.

    Raises:
        InputError: It cannot.
    """
    with refused(folder):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise InputError(f"{folder}: exists and is not a folder", "choose another place for --out")
        if folder.is_dir():
            foreign = sorted(p.name for p in folder.iterdir() if p.name not in _OURS and p.name not in also)
            if foreign:
                names = ", ".join(foreign[:3]) + (", ..." if len(foreign) > 3 else "")
                raise InputError(
                    f"{folder}: holds files that are not a result's: {names}", "choose a new or empty folder for --out"
                )
            if folder.samefile(Path.cwd()):
                raise InputError(
                    f"{folder}: is the working directory, which cannot be replaced", "choose a folder in it for --out"
                )
    claim_parent(folder)


def claim_file(path: Path) -> None:
    """Makes sure that a file can be written.

    Raises:
        InputError: It cannot.
    """
    with refused(path):
        if path.is_dir():
            raise InputError(f"{path}: is a folder")
    claim_parent(path)


def claim_parent(path: Path) -> None:
    """Makes sure that something can be put where `path` is to be, by doing so.

    Raises:
        InputError: It cannot.
    """
    with refused(path):
        parent = path.absolute().parent
        while not parent.exists():
            parent = parent.parent
        if not parent.is_dir():
            raise InputError(f"{path}: cannot be written: {parent} is not a folder")
        probe(parent)


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """What the system has against `path`, as wrong input."""
    try:
        yield
    except OSError as e:
        # the place that it is about, unless it is one of our own beside `path`
        where = f" {e.filename}:" if e.filename and Path(e.filename).name[:1] != "." else ""
        raise InputError(f"{path}: cannot be written:{where} {(e.strerror or str(e)).lower()}") from None


@contextmanager
def replaced(folder: Path, also: Collection[str] = ()) -> Iterator[Path]:
    """A new folder to write into, which takes the place of `folder` at the end, or vanishes if anything goes wrong."""
    claim(folder, also)
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with aside_of(folder, folder=True) as aside:
        yield aside
        if folder.exists():
            _exchange(aside, folder)
        else:
            aside.rename(folder)


@contextmanager
def replaced_file(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of `path` at the end, or vanishes if anything goes wrong."""
    claim_file(path)
    path = path.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    with aside_of(path, folder=False) as aside:
        yield aside
        aside.replace(path)


def read(folder: Path) -> tuple[str, Scenario]:
    """The document and the scenario of a result folder.

    Raises:
        InputError: It is none, or something in it is wrong.
    """
    from eddyline import _core
    from eddyline.scenario import Scenario

    try:
        text, canonical = (folder / RESULT).read_text("utf-8"), (folder / SCENARIO).read_text("utf-8")
    except OSError as e:
        raise InputError(f"{folder}: not a result: {e.filename}: {(e.strerror or str(e)).lower()}") from None
    except UnicodeDecodeError:
        raise InputError(f"{folder}: not a result: {RESULT} and {SCENARIO} must be text") from None
    inner = _inner(folder, _files(canonical))
    return text, Scenario._of(_core.load(canonical, "json", str(folder / SCENARIO), inner), inner)


def save(folder: Path, text: str, results: Sequence[Result], several: tuple[bool, bool] = (False, False)) -> None:
    """Writes a result folder.

    Files that the scenario names by a relative path are copied into it, so that it can be run again anywhere.

    Args:
        folder: Where.
        text: `result.json`, as `--json` prints it.
        results: The runs in `text`; their series go into one file.
        several: Whether these are of several worlds, and of several seeds: columns of their own in the series.
    """
    from eddyline.columns import joined, write
    from eddyline.plots import render

    with replaced(folder) as aside:
        scenario = results[0].scenario
        (aside / SCENARIO).write_text(scenario.canonical, "utf-8")
        names = _files(scenario.canonical)
        for name in names:
            copy = _inner(aside, names) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(scenario.folder / name, copy)
        (aside / RESULT).write_text(text + "\n", "utf-8")
        tables = labelled(results, *several)
        if tables:
            write(joined(tables), aside / SERIES)
        figure = with_series(results).plot()
        for name in PLOTS:
            render(figure, aside / name)
        held = {str(p.relative_to(aside)): _digest(p) for p in sorted(aside.rglob("*")) if p.is_file()}
        asked = {r.world: r.asked for r in results if r.asked}
        manifest = {"format": 1, "asked": asked, "sha256": held}
        (aside / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def with_series(results: Sequence[Result]) -> Result:
    """The first result that has series, or else the first: the one to draw."""
    return next((r for r in results if r.has_series()), results[0])


@dataclass(frozen=True)
class Manifest:
    """What a result folder says of itself; empty in one of a version that wrote none.

    Attributes:
        asked: Options that the answers depend on, by world: `Result.asked`.
        altered: Files that are not what they were when it was written, and what has become of them.
    """

    asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    altered: dict[str, str] = field(default_factory=dict)


def manifest(folder: Path) -> Manifest:
    """What a result folder says of itself, held against its files.

    Raises:
        InputError: The manifest is none.
    """
    path = folder / MANIFEST
    if not path.exists():
        return Manifest()
    try:
        document = json.loads(path.read_text("utf-8"))
        asked = {str(world): dict(options) for world, options in document.get("asked", {}).items()}
        found = {name: _become(folder / name, digest) for name, digest in dict(document["sha256"]).items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise InputError(f"{path}: cannot be read: {e}") from None
    return Manifest(asked, {name: what for name, what in found.items() if what is not None})


def _become(path: Path, digest: str) -> str | None:
    if not path.is_file():
        return "missing"
    return None if _digest(path) == digest else "changed"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def labelled(
    results: Sequence[Result], several_worlds: bool, several_seeds: bool
) -> list[tuple[dict[str, str | int], Any]]:
    """The series of those results that have any, with the columns that tell them apart."""
    names = [name for name, wanted in (("world", several_worlds), ("seed", several_seeds)) if wanted]
    return [({n: r.to_dict()[n] for n in names}, r.series_table()) for r in results if r.has_series()]


def _files(canonical: str) -> list[str]:
    """Relative paths in a scenario, each once."""
    try:
        scenario = json.loads(canonical)
        names = {table["model"].get("file") for table in scenario.get("traffic", [])}
        names |= {table["size"].get("file") for table in scenario.get("arrivals", [])}
        sides = [table.get(way, {}) for table in scenario.get("duplex", []) for way in ("down", "up")]
        names |= {link["trace"].get("file") for link in [*scenario.get("link", []), *sides] if "trace" in link}
    except (ValueError, AttributeError, TypeError, KeyError):
        return []  # whoever loads it will say what is wrong
    return sorted(name for name in names if isinstance(name, str) and not Path(name).is_absolute())


def _inner(folder: Path, names: Sequence[str]) -> Path:
    """Where relative paths start inside a result folder: deep enough that no `..` of theirs leads out of it."""
    depth = max((Path(name).parts.count("..") for name in names), default=0)
    return folder.joinpath(FILES, *["_"] * depth)


def _exchange(new: Path, old: Path) -> None:
    """Swaps two folders, in one step where the system can (Linux), else in two."""
    at_cwd, exchange = -100, 2
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        failed = libc.renameat2(at_cwd, os.fsencode(new), at_cwd, os.fsencode(old), exchange)
    except (AttributeError, OSError, TypeError):
        failed = -1
    if failed:
        with tempfile.TemporaryDirectory(prefix=f"{new.name}-", dir=new.parent) as bin_:
            old.rename(Path(bin_) / "old")
            new.rename(old)
