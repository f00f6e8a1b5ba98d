"""A scenario as it was written: what overrides are applied to, before defaults are filled in."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import tomllib
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.errors import InputError, ScenarioError
from eddyline.utf8 import displayed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Source"]

_MAX_KEPT = 64 << 20
"""Bytes of a file whose content is kept."""


@dataclass(frozen=True)
class Source:
    """A scenario as it was written.

    Attributes:
        text: The text.
        format: Its format: `toml`, `json` or `dict`.
        name: The file's name, for messages.
        folder: Where relative paths in it start.
        copies: Copies of files, by their paths, which are read instead.
        title: Of a scenario that has none of its own; that of its name by default.
        contents: What its files held when they were read, by their names; the SHA-256 of those that are large.
    """

    text: str
    format: str
    name: str
    folder: Path
    copies: Mapping[str, Path] = field(default_factory=dict, hash=False)
    title: str | None = None
    contents: Mapping[str, bytes | str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", displayed(self.name))  # it may be a file's

    @classmethod
    def of_file(cls, path: Path) -> Source:
        """A scenario file.

        Raises:
            ScenarioError: It cannot be read.
        """
        try:
            if path.is_file():
                text = path.read_bytes().decode("utf-8")
                return cls(text, "json" if path.suffix.lower() == ".json" else "toml", str(path), path.parent)
        except (OSError, UnicodeDecodeError):
            pass
        _core.load_file(path)  # raises what is wrong
        raise ScenarioError(f"{path}: cannot be read")

    @classmethod
    def of_table(cls, table: Mapping[str, Any], name: str = "scenario", folder: Path = Path()) -> Source:
        """A scenario as a dict. Relative paths in it are relative to `folder`, the working directory by default.

        Raises:
            ScenarioError: No scenario can hold one of its values.
        """
        from eddyline.encoding import table_text

        return cls(table_text(table, name), "dict", name, folder)

    def load(self, overrides: Sequence[tuple[str, str]]) -> _core.Scenario:
        """The scenario with overrides. Files that have changed since they were kept are read as they were.

        Raises:
            ScenarioError: Something in it is wrong.
            InputError: A large file has changed.
        """
        if self.title is not None:
            # quoted: a title may look like a number
            overrides = [("title", json.dumps(self.title, ensure_ascii=False).replace("\x7f", "\\u007f")), *overrides]
        with self.as_read() as copies:
            return _core.load(self.text, self.format, self.name, self.folder, overrides, copies)

    @contextmanager
    def as_read(self) -> Iterator[Mapping[str, Path]]:
        """Copies of files, by their paths, with those that have changed since they were kept.

        Raises:
            InputError: A large file has changed.
        """
        changed = self._changed()
        if not changed:
            yield self.copies
            return
        with tempfile.TemporaryDirectory(prefix="eddyline-read-") as folder:
            copies = dict(self.copies)
            for number, name in enumerate(changed):
                copies[self.path(name)] = Path(folder, str(number))
                self.copy(name, copies[self.path(name)])
            yield copies

    def keeping(self, names: Sequence[str]) -> Source:
        """The same with what these files hold now, but for those that it has kept before."""
        new = {}
        for name in names:
            if name not in self.contents:
                with suppress(OSError):  # it has gone since it was read
                    new[name] = _content(self.file(name))
        return replace(self, contents={**self.contents, **new}) if new else self

    def copy(self, name: str, place: Path) -> None:
        """Writes the file that it names so to another place, as it was when it was read.

        Raises:
            InputError: It is large, and has changed.
        """
        content = self.contents.get(name)
        if content is None:
            shutil.copyfile(self.file(name), place)
        elif isinstance(content, bytes):
            place.write_bytes(content)
        else:
            with suppress(FileNotFoundError):
                shutil.copyfile(self.file(name), place)
            if not _holds(place, content):
                raise self._has_changed(name)

    def require_unchanged(self) -> None:
        """Makes sure that its files are what they were when they were read, where others read them anew.

        Raises:
            InputError: One has changed.
        """
        for name in self._changed():
            raise self._has_changed(name)

    def _changed(self) -> list[str]:
        return [name for name, content in self.contents.items() if not _holds(self.file(name), content)]

    def _has_changed(self, name: str) -> InputError:
        return InputError(f"{self.file(name)}: has changed since the scenario was loaded", "load the scenario again")

    def has_no_title(self) -> bool:
        """Whether the scenario takes its title from the name of its file."""
        try:
            table = tomllib.loads(self.text) if self.format == "toml" else json.loads(self.text)
            return "title" not in table
        except (ValueError, TypeError, RecursionError):
            return False

    def file(self, name: str) -> Path:
        """The file that it names so."""
        return self.copies.get(name) or self.copies.get(self.path(name), self.folder / name)

    def path(self, name: str) -> str:
        """The path by which `copies` knows the file that it names so: `./` is kept."""
        return os.path.join(self.folder, name)  # noqa: PTH118


def _content(path: Path) -> bytes | str:
    return path.read_bytes() if path.stat().st_size <= _MAX_KEPT else _digest(path)


def _holds(path: Path, content: bytes | str) -> bool:
    try:
        return (path.read_bytes() if isinstance(content, bytes) else _digest(path)) == content
    except OSError:
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
