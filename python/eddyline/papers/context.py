"""What exhibits are made from: printed values, reference data, and the runner of the paper's scenarios."""

from __future__ import annotations

import json
import tomllib
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from eddyline.errors import InputError
from eddyline.papers.printed import PrintedNumber
from eddyline.papers.runner import Runner
from eddyline.reports.definitions import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eddyline.reports.definitions import Definition

T = TypeVar("T")

__all__ = ["Context"]


class Context:
    """A paper's data and runs, shared by all of its exhibits.

    Attributes:
        folder: The paper's folder.
        long: Whether long runs that are not recorded, or stale, are simulated (`eddyline reproduce --long`).
        runner: Runs its scenarios.
    """

    def __init__(self, folder: Path, long: bool = False) -> None:
        self.folder = folder
        self.long = long
        self.runner = Runner(folder)
        self._cache: dict[str, Any] = {}

    def cached(self, name: str, compute: Callable[[], T]) -> T:
        """The value of `compute`, computed once for all exhibits that use this name."""
        if name not in self._cache:
            self._cache[name] = compute()
        value: T = self._cache[name]
        return value

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """What the exhibits say (`exhibits.toml`), by id."""
        return read(self.folder / "exhibits.toml")

    def definition(self, name: str) -> Definition:
        """What the exhibit `name` says; its method `exhibit` adds the rows.

        Raises:
            InputError: `exhibits.toml` is invalid, or has no such exhibit.
        """
        if name not in self.definitions:
            raise InputError(f"{self.folder / 'exhibits.toml'}: there is no exhibit {name!r}")
        return self.definitions[name]

    @cached_property
    def values(self) -> dict[str, Any]:
        """The paper's printed values (`values.toml`); those with a decimal point keep their digits."""
        with (self.folder / "values.toml").open("rb") as file:
            return tomllib.load(file, parse_float=PrintedNumber)

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
