"""Papers that can be reproduced.

A paper is two things of one name: a folder `papers/NAME/` in the checkout, with scenarios, printed values, claims and
`paper.toml` (`title`, `source`, perhaps `worlds`), and the module `eddyline.papers.NAME` (dashes made underscores) with
a function

    def reproduce(paper: Paper, exhibits: Sequence[str], listener: Observer | None) -> Reproduction

The folders are read where they lie: next to `pyproject.toml` in the checkout from which this package was installed
(`make build` installs it editable), or where the environment variable `EDDYLINE_PAPERS` says.
"""

from __future__ import annotations

import importlib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from eddyline.errors import InputError
from eddyline.spelling import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.progress import Observer

__all__ = ["Paper", "Reproduction", "find", "folder", "papers", "reproduce", "unreadable", "written"]


@dataclass(frozen=True)
class Paper:
    """A paper's folder.

    Attributes:
        name: What `reproduce` calls it.
        title: Its title.
        source: Its authors, and where it appeared.
        folder: Where it lies.
        worlds: What its exhibits lie beside, for whoever has only the paper: a few sentences.
    """

    name: str
    title: str
    source: str
    folder: Path
    worlds: str


class Reproduction(Protocol):
    """What reproducing a paper gives."""

    def to_dict(self) -> dict[str, Any]:
        """`{"paper", "exhibits": [{"id", "rows"}], "claims": [{"id", "where", "verdict", "value", "rule"}], "ours"}`.

        `ours` is what we say beside the paper, like its claims.
        """

    def show(self) -> None:
        """Prints its tables to standard output."""

    def write(self, folder: Path) -> Path:
        """Writes the report and its data into an existing, empty folder; returns the page to open."""


def folder() -> Path | None:
    """Where the papers lie, or None where there are none."""
    said = os.environ.get("EDDYLINE_PAPERS")
    place = Path(said) if said else Path(__file__).parents[3] / "papers"
    return place if place.is_dir() else None


def papers() -> list[Paper]:
    """Every paper that can be read, by name."""
    return [paper for paper in _all().values() if isinstance(paper, Paper)]


def unreadable() -> list[InputError]:
    """What is wrong with each of the others."""
    return [wrong for wrong in _all().values() if isinstance(wrong, InputError)]


def _all() -> dict[str, Paper | InputError]:
    place = folder()
    found: dict[str, Paper | InputError] = {}
    for file in sorted(place.glob("*/paper.toml")) if place is not None else ():
        try:
            found[file.parent.name] = _read(file)
        except InputError as wrong:
            found[file.parent.name] = wrong
    return found


def find(name: str) -> Paper:
    """The paper called `name`.

    Raises:
        InputError: There is none, and the message says which there are; or its `paper.toml` is wrong.
    """
    there = _all()
    found = there.get(name)
    if isinstance(found, Paper):
        return found
    if isinstance(found, InputError):
        raise found
    if not there:
        raise InputError(
            f"there is no paper {name!r}: no papers were found",
            "papers lie in the folder papers/ of the source; EDDYLINE_PAPERS says where else to look",
        )
    raise unknown("paper", name, there)


def reproduce(paper: Paper, exhibits: Sequence[str] = (), listener: Observer | None = None) -> Reproduction:
    """Reproduces a paper, or some exhibits of it; `listener` is told how far it is.

    Raises:
        InputError: There is no such exhibit, or nothing that reproduces this paper.
    """
    name = f"eddyline.papers.{paper.name.replace('-', '_')}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name != name:
            raise
        raise InputError(
            f"{paper.folder}: nothing reproduces {paper.name!r}, there is no module {name}",
            "it needs a function reproduce(paper, exhibits, listener)",
        ) from None
    return cast("Reproduction", module.reproduce(paper, exhibits, listener))


_WORLDS = "Beside the paper stand our theory, our packet simulation and, where they are named, runs that are not ours."
_REPORT = ("report.html", "reproduction.json", "plots", "data")


def written(folder: Path) -> tuple[str, ...]:
    """Names in `folder` that an earlier reproduction wrote, so that a new one may replace them."""
    return _REPORT if (folder / "reproduction.json").is_file() and (folder / "report.html").is_file() else ()


_KEYS = ("title", "source", "worlds")


def _read(file: Path) -> Paper:
    try:
        said = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as e:
        raise InputError(f"{file}: {e}") from None
    for key in said:
        if key not in _KEYS:
            wrong = unknown("key", key, _KEYS)
            raise InputError(f"{file}: {wrong}", wrong.hint)
    words = {"worlds": _WORLDS} | said
    for key in _KEYS:
        if not isinstance(words.get(key), str):
            given = f"is {words[key]!r}" if key in words else "is missing"
            raise InputError(f"{file}: key {key!r} {given}; it must be a text")
    return Paper(file.parent.name, words["title"], words["source"], file.parent, words["worlds"])
