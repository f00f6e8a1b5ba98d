"""Controllers from files and modules: `my.py`, `package.module`, `package.module:Class`, `libmine.so`."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import linecache
import os
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.controllers.base import handlers
from eddyline.controllers.plugins import SUFFIXES, Plugin, plugins
from eddyline.controllers.registry import register, register_plugin, registered
from eddyline.errors import InputError
from eddyline.teardown import collect_at_exit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from types import ModuleType

__all__ = ["VARIABLE", "broken", "from_environment", "load", "load_all", "module_of_text"]

VARIABLE = "EDDYLINE_CONTROLLERS"
"""The environment variable that lists what to load, separated by commas."""

ACCEPTED = "FILE.py, a module, either with :Class, or a compiled file (.so, .wasm, ...)"

FILES = "eddyline_controllers"
"""Prefix of the names of modules that are made of files."""


def from_environment() -> list[str]:
    """What the environment variable lists."""
    return [each.strip() for each in os.environ.get(VARIABLE, "").split(",") if each.strip()]


def load_all(several: Iterable[str]) -> list[str]:
    """Loads each; returns sentences about names that are registered by more than one file, of which the last counts.

    Raises:
        InputError: As `load`.
    """
    files: dict[str, str] = {}
    sentences = []
    for what in several:
        before = _known()
        load(what)
        for name, controller in _known().items():
            if before.get(name) is controller:
                continue
            file = _file_of(controller)
            if files.get(name, file) != file:
                sentences.append(f"controller {name} is that of {file}, which replaces that of {files[name]}")
            files[name] = file
    return sentences


def _known() -> dict[str, type | Plugin]:
    return {**registered(), **plugins()}


def _file_of(controller: type | Plugin) -> str:
    if isinstance(controller, Plugin):
        return controller.path
    return getattr(sys.modules.get(controller.__module__), "__file__", None) or controller.__module__


def load(what: str) -> None:
    """Loads controllers: runs a Python file or imports a module, so that it registers them, or loads a compiled file.

    Args:
        what: `FILE.py`, `MODULE` or either with `:CLASS`, or a compiled file. A class that its own module does not
            register is called by its attribute `kind`, or else by its name in small letters.

    Raises:
        InputError: It does not exist, it fails, or it registers nothing.
    """
    if not what.strip():
        raise InputError("--controllers names nothing", f"it takes {ACCEPTED}")
    if what.endswith(SUFFIXES):
        register_plugin(Path(what))
        return
    place, colon, name = what.rpartition(":") if ":" in what else (what, "", "")
    already, before = registered(), set(sys.modules)
    # standard output is for what commands print: one JSON document, or lines to be read by other programs
    with redirect_stdout(sys.stderr):
        module = _file(Path(place)) if place.endswith(".py") else _module(place)
    for each in _with(module, before):
        vars(each).setdefault("print", _print_to_stderr)
    if colon:
        cls = getattr(module, name, None)
        if not isinstance(cls, type):
            classes = [n for n, c in vars(module).items() if isinstance(c, type) and handlers(c) and n != "Controller"]
            raise InputError(f"{what}: {place} has no class {name!r}", f"it has {', '.join(classes) or 'none'}")
        if cls not in registered().values():
            register(str(vars(cls).get("kind", cls.__name__.lower())), cls)
        return
    if registered() == already and not any(c.__module__ == module.__name__ for c in already.values()):
        raise InputError(
            f"{what}: registers no controller",
            'put @el.register("name") above the class, or say which: ' + what + ":Class",
        )


def _with(module: ModuleType, before: Collection[str]) -> list[ModuleType]:
    """A user's module, and what it brought along: of its package, or from the folder of its file."""
    package = module.__name__.partition(".")[0]
    folder = None if package != FILES else Path(str(module.__file__)).parent
    new = [other for name, other in sys.modules.items() if name not in before]
    own = [m for m in new if m.__name__.partition(".")[0] == package or _is_below(m, folder)]
    return [module, *own]


def _is_below(module: ModuleType, folder: Path | None) -> bool:
    file = getattr(module, "__file__", None)
    return folder is not None and isinstance(file, str) and folder in Path(file).parents


def _print_to_stderr(*values: object, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    print(*values, sep=sep, end=end, file=sys.stderr if file is None else file, flush=flush)


def _file(path: Path) -> ModuleType:
    if path.name == _PACKAGE and path.is_file():
        raise InputError(f"{path}: part of a package", _as_module(path.parent))
    try:
        text = path.read_bytes()
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {(e.strerror or str(e)).lower()}") from None
    return module_of_text(text, path.absolute())


def module_of_text(text: bytes, path: Path) -> ModuleType:
    """The module of a file with this text, whether or not the file exists. The same text is run once.

    Raises:
        InputError: It fails.
    """
    name = f"{FILES}.{path.stem}_{hashlib.sha256(bytes(path) + b'|' + text).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_loader(name, loader=None, origin=str(path))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    if str(path.parent) not in sys.path:
        # modules beside it can be imported; last, so that a file called queue.py does not replace Python's own
        sys.path.append(str(path.parent))
    source = text.decode("utf-8", errors="replace")
    linecache.cache[str(path)] = (len(source), None, source.splitlines(keepends=True), str(path))
    sys.modules[name] = module
    collect_at_exit()
    try:
        exec(compile(text, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as e:
        del sys.modules[name]
        raise broken(str(path), e) from e
    return module


def _module(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        beside = Path(f"{name}.py")
        hint = f"--controllers {beside}" if beside.is_file() else f"--controllers takes {ACCEPTED}"
        if (Path(name) / _PACKAGE).is_file():
            raise InputError(f"{name}: a folder", _as_module(Path(name)))
        what = "a folder" if Path(name).is_dir() else "neither a module nor a file in Python or compiled"
        raise InputError(f"{name}: {what}", hint)
    here = str(Path.cwd())
    if "" not in sys.path and here not in sys.path:
        sys.path.append(here)
    collect_at_exit()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name is not None and (name == e.name or name.startswith(f"{e.name}.")):
            raise InputError(f"there is no module {name!r}", f"--controllers takes {ACCEPTED}") from None
        raise broken(name, e) from e
    except InputError:
        raise
    except (Exception, SystemExit) as e:
        raise broken(name, e) from e


_PACKAGE = "__init__.py"


def _as_module(package: Path) -> str:
    """How to name a package."""
    place = package.resolve()
    where = "" if place.parent == Path.cwd().resolve() else f", from the folder {place.parent}"
    return f"it is a package: --controllers {place.name}{where}"


def broken(what: str, error: BaseException) -> InputError:
    """The error about `what`, with the traceback from the user's own code on."""
    if isinstance(error, InputError):
        return InputError(f"{what}: {error}", error.hint)
    frames, ours = error.__traceback__, str(Path(__file__).parent)
    while frames is not None and (
        frames.tb_frame.f_code.co_filename.startswith(ours) or "importlib" in frames.tb_frame.f_code.co_filename
    ):
        frames = frames.tb_next
    text = "".join(traceback.format_exception(type(error), error, frames)).rstrip()
    return InputError(f"{what}: cannot be loaded\n{text}")
