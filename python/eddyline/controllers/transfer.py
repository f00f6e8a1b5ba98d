"""Controllers for other processes: by file where there is one, else pickled."""

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
from eddyline.controllers.plugins import Plugin, plugins
from eddyline.controllers.registry import register, register_plugin, registered
from eddyline.controllers.sources import FILES, module_of_text
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["InFile", "Origin", "Pickled", "origins", "restore"]


@dataclass(frozen=True)
class InFile:
    """A class in a file.

    Attributes:
        name: What scenarios call it.
        qualname: What its module calls it.
        module: Its module, where other processes can import it by name.
        root: The folder on `sys.path` that has its module.
        path: Its file.
        text: Content of the file, for machines without it.
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

    def load(self) -> type:
        """The class, in this process.

        Raises:
            InputError: It cannot be found.
        """
        cls = _attribute(_module_of(self), self.qualname)
        if not isinstance(cls, type):
            raise InputError(f"controller {self.name!r}: {self.path} has no class {self.qualname}")
        return cls


@dataclass(frozen=True)
class Pickled:
    """A class in no file: from an interactive session or a notebook, or created by a function.

    Attributes:
        name: What scenarios call it.
        pickled: The class with what it uses, and the resolved annotations of its constructor.
        digest: SHA-256 of its code.
    """

    name: str
    pickled: bytes
    digest: str

    @classmethod
    def of(cls, name: str, own: type) -> Pickled:
        """Pickles a class.

        Raises:
            InputError: It refers to something that cannot be pickled.
        """
        import cloudpickle

        try:
            return cls(name, cloudpickle.dumps((own, hints(own))), digest(own))
        except Exception as e:  # any object may raise anything
            raise InputError(
                f"controller {name!r}: {own.__qualname__} cannot be sent to other processes: {e}",
                "put the class into a file and import it",
            ) from None

    def load(self) -> type:
        """The class, in this process.

        Raises:
            InputError: It cannot be unpickled.
        """
        try:
            own, known = pickle.loads(self.pickled)
        except Exception as e:
            raise InputError(f"controller {self.name!r}: cannot be unpickled here: {type(e).__name__}: {e}") from None
        if known:
            constructor(own).__annotations__ = known  # the names in them are not defined here
        cls: type = own
        return cls


Origin: TypeAlias = InFile | Pickled | Plugin
"""How another process gets a controller."""


def origins(texts: Iterable[str]) -> tuple[Origin, ...]:
    """Origins of the registered controllers that these texts may name.

    Raises:
        InputError: A class is in no readable file and cannot be pickled.
    """
    text = "\n".join(texts)
    classes = [_origin(name, cls) for name, cls in registered().items() if name in text]
    return (*classes, *(plugin for name, plugin in plugins().items() if name in text))


def _origin(name: str, cls: type) -> Origin:
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file() or _attribute(module, cls.__qualname__) is not cls:
        return Pickled.of(name, cls)
    path = Path(file).absolute()
    try:
        text = path.read_bytes()
    except OSError as e:
        raise InputError(f"controller {name!r}: {path} cannot be read: {e.strerror}") from None
    by_file = cls.__module__ == "__main__" or cls.__module__.startswith(f"{FILES}.")
    levels = cls.__module__.count(".") + (path.stem == "__init__")
    root = path.parents[min(levels, len(path.parents) - 1)]
    return InFile(name, cls.__qualname__, None if by_file else cls.__module__, str(root), str(path), text)


def restore(received: Iterable[Origin]) -> None:
    """Registers controllers of another process.

    Raises:
        InputError: One of them cannot be loaded here.
    """
    for origin in received:
        if isinstance(origin, Plugin):
            if plugins().get(origin.name) != origin:
                register_plugin(origin.here())
        else:
            register(origin.name, origin.load())


def _attribute(module: object, qualname: str) -> object:
    """The value of a dotted name in a module, or None."""
    found = module
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _module_of(origin: InFile) -> object:
    if origin.module is not None:
        if Path(origin.root).is_dir() and origin.root not in sys.path:
            sys.path.append(origin.root)
        try:
            return importlib.import_module(origin.module)
        except ImportError:
            pass  # on another machine: only its text is here
    return module_of_text(origin.text, Path(origin.path))
