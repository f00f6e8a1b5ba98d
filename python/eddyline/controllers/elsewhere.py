"""Classes in other processes: what they need to know to find the same ones."""

from __future__ import annotations

import hashlib
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.controllers.registry import register, registered
from eddyline.controllers.sources import FILES, module_of_text
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Origin", "origins", "restore"]


@dataclass(frozen=True)
class Origin:
    """Where a class comes from.

    Attributes:
        name: What scenarios call it.
        qualname: What its module calls it.
        module: Its module, where it can be imported by name.
        root: The folder that its module is found from.
        path: Its file.
        text: What the file holds, for machines that do not have it.
    """

    name: str
    qualname: str
    module: str | None
    root: str
    path: str
    text: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of its file."""
        return hashlib.sha256(self.text).hexdigest()


def origins(texts: Iterable[str]) -> tuple[Origin, ...]:
    """Those of the registered classes that any of these texts may name.

    Raises:
        InputError: Another process could not find one of them.
    """
    said = "\n".join(texts)
    return tuple(_origin(name, cls) for name, cls in registered().items() if name in said)


def _origin(name: str, cls: type) -> Origin:
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        raise InputError(
            f"controller {name!r}: other processes cannot find {cls.__qualname__}, which is in no file",
            "put the class into a file and import it",
        )
    if "<locals>" in cls.__qualname__:
        raise InputError(
            f"controller {name!r}: other processes cannot find {cls.__qualname__}, which is inside a function",
            "move the class out of it",
        )
    path = Path(file).absolute()
    try:
        text = path.read_bytes()
    except OSError as e:
        raise InputError(f"controller {name!r}: {path} cannot be read: {e.strerror}") from None
    by_file = cls.__module__ == "__main__" or cls.__module__.startswith(f"{FILES}.")
    levels = cls.__module__.count(".") + (path.stem == "__init__")
    root = path.parents[min(levels, len(path.parents) - 1)]
    return Origin(name, cls.__qualname__, None if by_file else cls.__module__, str(root), str(path), text)


def restore(all_of_them: Iterable[Origin]) -> None:
    """Registers classes of another process.

    Raises:
        InputError: One of them is not to be found here.
    """
    for origin in all_of_them:
        cls: object = _module_of(origin)
        for part in origin.qualname.split("."):
            cls = getattr(cls, part, None)
        if not isinstance(cls, type):
            raise InputError(f"controller {origin.name!r}: {origin.path} has no class {origin.qualname}")
        register(origin.name, cls)


def _module_of(origin: Origin) -> object:
    if origin.module is not None:
        if Path(origin.root).is_dir() and origin.root not in sys.path:
            sys.path.append(origin.root)
        try:
            return importlib.import_module(origin.module)
        except ImportError:
            pass  # another machine: its text is here
    return module_of_text(origin.text, Path(origin.path))
