"""A scenario as it was written: what overrides are applied to, before defaults are filled in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.errors import ScenarioError
from eddyline.utf8 import displayed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """A scenario as it was written.

    Attributes:
        text: The text.
        format: Its format: `toml`, `json` or `dict`.
        name: The file's name, for messages.
        folder: Where relative paths in it start.
        copies: Copies of files, by their paths, which are read instead.
    """

    text: str
    format: str
    name: str
    folder: Path
    copies: Mapping[str, Path] = field(default_factory=dict, hash=False)

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
        """The scenario with overrides.

        Raises:
            ScenarioError: Something in it is wrong.
        """
        return _core.load(self.text, self.format, self.name, self.folder, overrides, self.copies)

    def file(self, name: str) -> Path:
        """The file that it names so."""
        return self.copies.get(name, self.folder / name)

    def path(self, name: str) -> str:
        """The path by which `copies` knows the file that it names so: `./` is kept."""
        return os.path.join(self.folder, name)  # noqa: PTH118
