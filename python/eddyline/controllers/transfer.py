"""Controllers for other processes: by file where there is one, else pickled."""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import pickle
import re
import sys
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from eddyline.controllers.digest import digest
from eddyline.controllers.imports import imported
from eddyline.controllers.parameters import constructor, hints
from eddyline.controllers.plugins import Plugin, plugins
from eddyline.controllers.registry import files_of, register, register_plugin, registered
from eddyline.controllers.sources import FILES, module_of_text
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["InFile", "Origin", "Parts", "Pickled", "origins", "refuse_processes", "require_unchanged", "restore"]


@dataclass(frozen=True)
class Parts:
    """SHA-256 of all that a controller is made of, by name, to say what of it has changed.

    Attributes:
        code: Its file and the modules that this imports, relative to its folder; empty where it is in no file.
        read: What it reads besides, relative to the same folder, or to the working directory.
    """

    code: tuple[tuple[str, str], ...]
    read: tuple[tuple[str, str], ...]


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
        files: What it reads besides.
        digest: SHA-256 of its file, and of the modules that this imports from its folder and of `files`, if any.
        parts: What the digest is of.
    """

    name: str
    qualname: str
    module: str | None
    root: str
    path: str
    text: bytes
    files: tuple[str, ...]
    digest: str
    parts: Parts

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
    """A class that no file has: from a session or notebook, created by a function, or only where a script is run.

    Attributes:
        name: What scenarios call it.
        pickled: The class with what it uses, and the resolved annotations of its constructor.
        files: What it reads besides.
        digest: SHA-256 of its code, and of `files`, if any.
        parts: What the digest is of.
    """

    name: str
    pickled: bytes
    files: tuple[str, ...]
    digest: str
    parts: Parts

    @classmethod
    def of(cls, name: str, own: type) -> Pickled:
        """Pickles a class.

        Raises:
            InputError: It refers to something that cannot be pickled.
        """
        import cloudpickle

        try:
            pickled, code = cloudpickle.dumps((own, hints(own))), digest(own)
        except Exception as e:  # any object may raise anything
            raise InputError(
                f"controller {name!r}: {own.__qualname__} cannot be sent to other processes: {e}",
                "put the class into a file and import it",
            ) from None
        files = files_of(name)
        parts = Parts((), _digests(files, Path.cwd()))
        return cls(name, pickled, tuple(map(str, files)), _together(code, parts), parts)

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
    classes = [_origin(name, cls) for name, cls in registered().items() if _named(name, text)]
    return (*classes, *(plugin for name, plugin in plugins().items() if _named(name, text)))


def _named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text) is not None


def _origin(name: str, cls: type) -> Origin:
    try:
        return _in_file(name, cls) or Pickled.of(name, cls)
    except OSError as e:
        raise InputError(f"controller {name!r}: {e.filename} cannot be read: {e.strerror}") from None


def _in_file(name: str, cls: type) -> InFile | None:
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file() or _attribute(module, cls.__qualname__) is not cls:
        return None
    path = Path(file).absolute()
    text = path.read_bytes()
    if cls.__module__ == "__main__" and _only_where_run(cls.__qualname__.split(".")[0], text):
        return None
    made_of_file = cls.__module__.startswith(f"{FILES}.")
    package = "" if made_of_file else getattr(module, "__package__", None) or ""
    levels = cls.__module__.count(".") + (path.stem == "__init__")
    root = path.parents[min(levels, len(path.parents) - 1)]
    files, own = files_of(name), hashlib.sha256(text).hexdigest()
    code = ((path.name, own), *_digests(imported(path, package), path.parent))
    parts = Parts(code, _digests(files, path.parent))
    return InFile(
        name,
        cls.__qualname__,
        None if made_of_file or cls.__module__ == "__main__" else cls.__module__,
        str(root),
        str(path),
        text,
        tuple(map(str, files)),
        _together(own, parts),
        parts,
    )


def _only_where_run(name: str, script: bytes) -> bool:
    """Whether a script binds a name below `if __name__ == "__main__":`, which other processes do not run."""
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError):
        return False  # it has changed since it was run
    guards = (n for n in tree.body if isinstance(n, ast.If) and "__name__" in _names(n.test, ast.Load))
    return any(name in _names(guard, ast.Store) for guard in guards)


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """Names that a syntax tree loads or stores; classes that it defines are stored."""
    nodes = list(ast.walk(tree))
    names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, context)}
    return names | {n.name for n in nodes if isinstance(n, ast.ClassDef) and context is ast.Store}


def _digests(files: Iterable[Path], folder: Path) -> tuple[tuple[str, str], ...]:
    return tuple((os.path.relpath(file, folder), hashlib.sha256(file.read_bytes()).hexdigest()) for file in files)


def _together(own: str, parts: Parts) -> str:
    """The SHA-256 of a class, whose own code has this one, and of what belongs to it: its own where nothing does."""
    contents = [digest for _, digest in (*parts.code[1:], *parts.read)]
    return hashlib.sha256("".join([own, *contents]).encode()).hexdigest() if contents else own


_restoring = ContextVar("_restoring", default=False)


def restore(received: Iterable[Origin]) -> None:
    """Registers controllers of another process.

    Raises:
        InputError: One of them cannot be loaded here.
    """
    token = _restoring.set(True)
    try:
        for origin in received:
            if isinstance(origin, Plugin):
                known = plugins().get(origin.name)
                if known is None or known.content != origin.content:
                    with origin.file() as file:  # what is loaded stays loaded without it
                        register_plugin(file)
            else:
                register(origin.name, origin.load(), files=origin.files)
    finally:
        _restoring.reset(token)


def require_unchanged(received: Iterable[Origin], part: Literal["code", "read"]) -> None:
    """Makes sure that what `restore` loads from files, or what controllers read from them, is what the sender had.

    Args:
        received: Controllers of another process.
        part: What of them, as in `Parts`.

    Raises:
        InputError: A file that is here has changed.
    """
    for origin in received:
        if isinstance(origin, Plugin):
            continue  # its content came with it
        parts: Iterable[tuple[Path, str]] = ()
        if part == "read":
            parts = zip(map(Path, origin.files), (digest for _, digest in origin.parts.read), strict=True)
        elif isinstance(origin, InFile):
            # its own text came with it, unless its module is imported
            loaded = origin.parts.code[1 if origin.module is None else 0 :]
            parts = ((Path(origin.path).parent / name, digest) for name, digest in loaded)
        for path, sent in parts:
            if path.is_file() and _digest_of(path, path.stat()) != sent:
                raise InputError(f"controller {origin.name!r}: {path} has changed since its sweep started")


_known: dict[tuple[Path, int, int], str] = {}


def _digest_of(path: Path, about: os.stat_result) -> str:
    """SHA-256 of a file, which is read again only where it may have changed."""
    key = path, about.st_mtime_ns, about.st_size
    if key not in _known:
        _known[key] = hashlib.sha256(path.read_bytes()).hexdigest()
    return _known[key]


def refuse_processes(call: str) -> None:
    """Refuses a call that starts processes in a file that one of them imports: without end, each would start others.

    Raises:
        InputError: Such a file is being imported.
    """
    if _restoring.get():
        raise InputError(
            f"{call} starts processes that import this file for its controllers, and is called where it is imported: "
            'put the call under `if __name__ == "__main__":`'
        )


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
