"""Papers that can be reproduced.

A paper is two things of one name: a folder `papers/NAME/` in the checkout, with scenarios, printed values, claims and
`paper.toml` (`title`, `source`, perhaps `worlds`), and the module `eddyline.papers.NAME` (dashes made underscores) with
a function

    def reproduce(paper: Paper, exhibits: Sequence[str], listener: Listener | None) -> Reproduction

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
from eddyline.words import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.answers import Listener

__all__ = ["Paper", "Reproduction", "find", "folder", "papers", "reproduce", "written"]


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
        """`{"paper", "exhibits": [{"id", "rows"}], "claims": [{"id", "where", "verdict", "value", "rule"}]}`."""

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
    """Every paper there is, by name."""
    place = folder()
    if place is None:
        return []
    return [_read(file) for file in sorted(place.glob("*/paper.toml"))]


def find(name: str) -> Paper:
    """The paper called `name`.

    Raises:
        InputError: There is none; the message says which there are.
    """
    there = {paper.name: paper for paper in papers()}
    if name in there:
        return there[name]
    if not there:
        raise InputError(
            f"there is no paper {name!r}: no papers were found",
            "papers lie in the folder papers/ of the source; EDDYLINE_PAPERS says where else to look",
        )
    raise unknown("paper", name, there)


def reproduce(paper: Paper, exhibits: Sequence[str] = (), listener: Listener | None = None) -> Reproduction:
    """Reproduces a paper, or some exhibits of it; `listener` is told how far it is.

    Raises:
        InputError: There is no such exhibit.
    """
    module = importlib.import_module(f"eddyline.papers.{paper.name.replace('-', '_')}")
    return cast("Reproduction", module.reproduce(paper, exhibits, listener))


_WORLDS = "Beside the paper stand our theory, our packet simulation and, where they are named, runs that are not ours."
_REPORT = ("report.html", "reproduction.json", "plots", "data")


def written(folder: Path) -> tuple[str, ...]:
    """Names in `folder` that an earlier reproduction wrote, so that a new one may replace them."""
    return _REPORT if (folder / "reproduction.json").is_file() and (folder / "report.html").is_file() else ()


def _read(file: Path) -> Paper:
    with file.open("rb") as handle:
        said = tomllib.load(handle)
    return Paper(file.parent.name, said["title"], said["source"], file.parent, said.get("worlds", _WORLDS))
