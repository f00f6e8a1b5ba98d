"""Controllers from files and modules: `my.py`, `package.module`, `package.module:Class`, `libmine.so`."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import linecache
import os
import sys
import traceback
import warnings
from contextlib import redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eddyline.arguments import file
from eddyline.controllers.base import handlers
from eddyline.controllers.imports import imported
from eddyline.controllers.plugins import SUFFIXES, Plugin, plugins
from eddyline.controllers.registry import register, register_plugin, registered
from eddyline.errors import InputError
from eddyline.teardown import collect_at_exit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["VARIABLE", "broken", "from_environment", "load", "load_all", "load_controllers", "module_of_text"]

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
                sentences.append(_replacing(name, file, files[name]))
            files[name] = file
    return sentences


def _replacing(name: str, file: str, before: str) -> str:
    return f"controller {name} is that of {file}, which replaces that of {before}"


def _known() -> dict[str, type | Plugin]:
    return {**registered(), **plugins()}


def _file_of(controller: type | Plugin) -> str:
    if isinstance(controller, Plugin):
        return controller.path
    return getattr(sys.modules.get(controller.__module__), "__file__", None) or controller.__module__


def load_controllers(*several: str | Path) -> None:
    """Loads controllers for scenarios as `--controllers` does, for instance a compiled library of your own.

    Args:
        several: `FILE.so` (or what your system has), `FILE.wasm`, `FILE.py`, or the name of a module; the latter two
            with `:CLASS` where the class is not registered.

    Raises:
        InputError: One does not exist, it fails, or it registers nothing.
    """
    for what in several:
        file("several", what)
        before = _known()
        load(os.fspath(what))
        for name, controller in _known().items():
            if name in before and _file_of(before[name]) != _file_of(controller):
                warnings.warn(_replacing(name, _file_of(controller), _file_of(before[name])), stacklevel=2)


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
        module = _file(Path(place), again=not colon) if place.endswith(".py") else _module(place)
    _keep_from_stdout(module, before)
    if place.endswith(".py"):
        new = {name: cls for name, cls in registered().items() if already.get(name) is not cls}
        _REGISTERED[module.__name__] = {**_REGISTERED.get(module.__name__, {}), **new}
        _warn_of_changed_imports(Path(place).absolute())
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


_REGISTERED: dict[str, dict[str, type]] = {}
"""What files have registered, by the names of their modules."""
_IMPORTED: dict[Path, bytes] = {}
"""The modules that they import from their folder, as they were."""


def _is_replaced(module: str) -> bool:
    """Whether another file, or another text of the same, has registered a name since, or it is registered no longer."""
    known = registered()
    return any(known.get(name) is not cls for name, cls in _REGISTERED.get(module, {}).items())


def _warn_of_changed_imports(path: Path) -> None:
    """Python imports a module once in a session: a change in one shows in the processes of a sweep, and not here."""
    with suppress(OSError, SyntaxError, ValueError):  # whoever imports it says so
        loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        now = {each: each.read_bytes() for each in imported(path, "") if each != path and str(each) in loaded}
        if changed := [str(each) for each, text in now.items() if _IMPORTED.setdefault(each, text) != text]:
            warnings.warn(
                f"{path}: {', '.join(changed)} has changed since it was imported; this session goes on with what it "
                "was, start it anew",
                stacklevel=4,
            )


def _keep_from_stdout(module: ModuleType, before: Collection[str]) -> None:
    """Lets a user's module, and what it brought along from its package or its folder, print to standard error.

    Args:
        module: The module.
        before: Names of the modules that were there before it.
    """
    package = module.__name__.partition(".")[0]
    folder = _folder(module if package == FILES else sys.modules.get(package, module))
    new = {name: each for name, each in sys.modules.items() if name not in before and isinstance(each, ModuleType)}
    own = [each for name, each in new.items() if name.partition(".")[0] == package or _is_beside(name, each, folder)]
    for each in (module, *own):
        vars(each).setdefault("print", _print_to_stderr)


def _file_of_module(module: ModuleType) -> Path | None:
    name = getattr(module, "__file__", None)
    return Path(name).resolve() if isinstance(name, str) else None


def _folder(module: ModuleType) -> Path | None:
    """Where the modules beside a module or a package are."""
    file = _file_of_module(module)
    if file is None:
        return None
    return file.parent.parent if hasattr(module, "__path__") else file.parent


def _is_beside(name: str, module: ModuleType, folder: Path | None) -> bool:
    """Whether it is from a folder, and of no library that is installed there."""
    file = _file_of_module(module)
    if file is None or folder is None or name.partition(".")[0] == "eddyline":
        return False
    return folder in file.parents and not {"site-packages", "dist-packages"} & set(file.parts)


def _print_to_stderr(*values: object, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    print(*values, sep=sep, end=end, file=sys.stderr if file is None else file, flush=flush)


def _file(path: Path, *, again: bool) -> ModuleType:
    """The module of a file; `again`: it is run once more if what it registered has been replaced."""
    try:
        text = path.read_bytes()
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {(e.strerror or str(e)).lower()}") from None
    name = _module_name(text, path.absolute())
    if again and _is_replaced(name):
        sys.modules.pop(name, None)
    return module_of_text(text, path.absolute())


def _module_name(text: bytes, path: Path) -> str:
    return f"{FILES}.{path.stem}_{hashlib.sha256(bytes(path) + b'|' + text).hexdigest()[:12]}"


def module_of_text(text: bytes, path: Path) -> ModuleType:
    """The module of a file with this text, whether or not the file exists. The same text is run once.

    Raises:
        InputError: It fails.
    """
    name = _module_name(text, path)
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
        if isinstance(e, ImportError) and (path.parent / _PACKAGE).is_file() and (hint := _as_module(path)):
            raise InputError(str(broken(str(path), e)), hint) from e
        raise broken(str(path), e) from e
    return module


def _module(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        beside = Path(f"{name}.py")
        hint = f"--controllers {beside}" if beside.is_file() else f"--controllers takes {ACCEPTED}"
        if (Path(name) / _PACKAGE).is_file() and (named := _as_module(Path(name) / _PACKAGE)):
            raise InputError(f"{name}: a folder", named)
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


def _as_module(path: Path) -> str | None:
    """How to name a file of a package; None where no module can be called so."""
    place = path.resolve()
    parts = [] if place.name == _PACKAGE else [place.stem]
    folder = place.parent
    while (folder / _PACKAGE).is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    if not all(part.isidentifier() for part in parts):
        return None
    where = "" if folder == Path.cwd().resolve() else f", from the folder {folder}"
    return f"it is of a package: --controllers {'.'.join(parts)}{where}"


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
