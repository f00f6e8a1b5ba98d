"""Papers as files: what there is, and where its data is."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from eddyline.errors import InputError
from eddyline.spelling import unknown

__all__ = ["Paper", "find", "papers", "unreadable"]


@dataclass(frozen=True)
class Paper:
    """A paper, as its `paper.toml` describes it.

    Attributes:
        name: Its name on the command line.
        title: Its title.
        source: Its authors, and where it appeared.
        folder: The folder of its files.
        worlds: What the report compares it with: a few sentences.
    """

    name: str
    title: str
    source: str
    folder: Path
    worlds: str


def papers() -> list[Paper]:
    """Every paper that can be read, by name."""
    return [paper for paper in _all().values() if isinstance(paper, Paper)]


def unreadable() -> list[InputError]:
    """The error in each `paper.toml` that cannot be read."""
    return [error for error in _all().values() if isinstance(error, InputError)]


def _all() -> dict[str, Paper | InputError]:
    found: dict[str, Paper | InputError] = {}
    for place in sys.modules[__package__].__path__:
        for file in sorted(Path(place).glob("*/paper.toml")):
            name = file.parent.name.replace("_", "-")
            try:
                found[name] = _read(name, file)
            except InputError as error:
                found[name] = error
    return dict(sorted(found.items()))


def find(name: str) -> Paper:
    """The paper called `name`.

    Raises:
        InputError: There is no such paper (the message lists them), or its `paper.toml` is invalid.
    """
    known = _all()
    found = known.get(name)
    if isinstance(found, Paper):
        return found
    if isinstance(found, InputError):
        raise found
    raise unknown("paper", name, known)


_WORLDS = "Beside the paper stand our theory, our packet simulation and, where they are named, runs that are not ours."

_KEYS = ("title", "source", "worlds")


def _read(name: str, file: Path) -> Paper:
    try:
        table = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as e:
        raise InputError(f"{file}: {e}") from None
    for key in table:
        if key not in _KEYS:
            raise InputError(f"{file}: {unknown('key', key, _KEYS)}")
    texts = {"worlds": _WORLDS} | table
    for key in _KEYS:
        if not isinstance(texts.get(key), str):
            given = f"is {texts[key]!r}" if key in texts else "is missing"
            raise InputError(f"{file}: key {key!r} {given}; it must be a text")
    return Paper(name, texts["title"], texts["source"], file.parent, texts["worlds"])
