"""A paper on the desk: its printed values, the reference data beside it, and the laboratory that runs its scenarios."""

from __future__ import annotations

import json
import tomllib
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from eddyline.papers.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

T = TypeVar("T")

__all__ = ["Desk"]


class Desk:
    """What exhibits are made from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lab = Lab(folder)
        self._found: dict[str, Any] = {}

    def once(self, name: str, find: Callable[[], T]) -> T:
        """What `find` gives, found once for all exhibits that need it."""
        if name not in self._found:
            self._found[name] = find()
        found: T = self._found[name]
        return found

    @cached_property
    def values(self) -> dict[str, Any]:
        """The paper's printed values (`values.toml`)."""
        with (self.folder / "values.toml").open("rb") as file:
            return tomllib.load(file)

    @cached_property
    def reference(self) -> dict[str, Any]:
        """All of `reference/ns2.json`."""
        document: dict[str, Any] = json.loads((self.folder / "reference" / "ns2.json").read_text("utf-8"))
        return document

    @property
    def ns2(self) -> dict[str, Any]:
        """Runs of ns-2 with the module that the paper used, by case."""
        cases: dict[str, Any] = self.reference["cases"]
        return cases
