"""Controllers from compiled files: shared libraries, and WebAssembly modules."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import eddyline._core as _core
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SUFFIXES", "Plugin", "forget", "load_plugin", "plugins"]

SUFFIXES = (".so", ".dylib", ".dll", ".wasm")
"""Endings of the names of such files."""

_plugins: dict[str, Plugin] = {}


@dataclass(frozen=True)
class Plugin:
    """A controller in a compiled file.

    Attributes:
        name: What scenarios call it.
        path: Its file.
        content: Content of the file, for machines without it.
    """

    name: str
    path: str
    content: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of its file."""
        return hashlib.sha256(self.content).hexdigest()

    @contextmanager
    def file(self) -> Iterator[Path]:
        """Its file, or a copy for this time where this machine has another one by that name, or none."""
        path = Path(self.path)
        try:
            unchanged = path.read_bytes() == self.content
        except OSError:
            unchanged = False
        if unchanged:
            yield path
            return
        with tempfile.TemporaryDirectory(prefix="eddyline-controller-") as folder:
            copy = Path(folder) / path.name
            copy.write_bytes(self.content)
            yield copy


def load_plugin(path: Path) -> Plugin:
    """Registers the controller in a file.

    Raises:
        InputError: There is no such file, it is of no controller, or for another version of Eddyline.
    """
    try:
        content = path.read_bytes()
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {(e.strerror or str(e)).lower()}") from None
    name = _core.load_plugin(os.path.abspath(path))  # noqa: PTH100 - links are not followed: messages name the file as given
    _plugins[name] = Plugin(name, str(path.absolute()), content)
    return _plugins[name]


def plugins() -> dict[str, Plugin]:
    """The loaded ones, by name."""
    return dict(_plugins)


def forget(name: str) -> None:
    """Drops the entry of a name that now has another controller, or none."""
    _plugins.pop(name, None)
