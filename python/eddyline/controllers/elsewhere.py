"""Classes in other processes: what these need to find the same ones, or the classes themselves."""

from __future__ import annotations

import hashlib
import importlib
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from eddyline.controllers.digest import digest
from eddyline.controllers.parameters import constructor, hints
from eddyline.controllers.registry import register, registered
from eddyline.controllers.sources import FILES, module_of_text
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Carried", "Found", "Origin", "origins", "restore"]


@dataclass(frozen=True)
class Found:
    """A class that is found by its file.

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

    def bring(self) -> type:
        """The class, here.

        Raises:
            InputError: It is not to be found.
        """
        cls = _inside(_module_of(self), self.qualname)
        if not isinstance(cls, type):
            raise InputError(f"controller {self.name!r}: {self.path} has no class {self.qualname}")
        return cls


@dataclass(frozen=True)
class Carried:
    """A class that is in no file, typed into a prompt or a notebook, or made by a function: it goes itself.

    Attributes:
        name: What scenarios call it.
        pickled: The class with what it uses, and the annotations of its constructor as they are understood here.
        digest: SHA-256 of what it does.
    """

    name: str
    pickled: bytes
    digest: str

    @classmethod
    def of(cls, name: str, own: type) -> Carried:
        """Packs a class.

        Raises:
            InputError: It holds what cannot be taken along.
        """
        import cloudpickle

        try:
            return cls(name, cloudpickle.dumps((own, hints(own))), digest(own))
        except Exception as e:  # whatever it holds may refuse in its own way
            raise InputError(
                f"controller {name!r}: {own.__qualname__} cannot be taken to other processes: {e}",
                "put the class into a file and import it",
            ) from None

    def bring(self) -> type:
        """The class, here.

        Raises:
            InputError: It cannot be unpacked.
        """
        try:
            own, known = pickle.loads(self.pickled)
        except Exception as e:
            raise InputError(f"controller {self.name!r}: cannot be unpacked here: {type(e).__name__}: {e}") from None
        if known:
            constructor(own).__annotations__ = known  # what they name is not here
        cls: type = own
        return cls


Origin: TypeAlias = Found | Carried
"""Where a class comes from."""


def origins(texts: Iterable[str]) -> tuple[Origin, ...]:
    """Those of the registered classes that any of these texts may name.

    Raises:
        InputError: One of them can neither be found by another process nor taken there.
    """
    said = "\n".join(texts)
    return tuple(_origin(name, cls) for name, cls in registered().items() if name in said)


def _origin(name: str, cls: type) -> Origin:
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file() or _inside(module, cls.__qualname__) is not cls:
        return Carried.of(name, cls)
    path = Path(file).absolute()
    try:
        text = path.read_bytes()
    except OSError as e:
        raise InputError(f"controller {name!r}: {path} cannot be read: {e.strerror}") from None
    by_file = cls.__module__ == "__main__" or cls.__module__.startswith(f"{FILES}.")
    levels = cls.__module__.count(".") + (path.stem == "__init__")
    root = path.parents[min(levels, len(path.parents) - 1)]
    return Found(name, cls.__qualname__, None if by_file else cls.__module__, str(root), str(path), text)


def restore(all_of_them: Iterable[Origin]) -> None:
    """Registers classes of another process.

    Raises:
        InputError: One of them is not to be had here.
    """
    for origin in all_of_them:
        register(origin.name, origin.bring())


def _inside(module: object, qualname: str) -> object:
    """What a module has under a dotted name, or None."""
    found = module
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _module_of(origin: Found) -> object:
    if origin.module is not None:
        if Path(origin.root).is_dir() and origin.root not in sys.path:
            sys.path.append(origin.root)
        try:
            return importlib.import_module(origin.module)
        except ImportError:
            pass  # another machine: its text is here
    return module_of_text(origin.text, Path(origin.path))
