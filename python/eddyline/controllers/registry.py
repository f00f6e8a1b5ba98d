"""Registered controllers of this process: classes, and plugins."""

from __future__ import annotations

import atexit
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, overload

import eddyline._core as _core
from eddyline.controllers.base import handlers
from eddyline.controllers.parameters import Parameters
from eddyline.controllers.plugins import forget, load_plugin, plugins
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["files_of", "names", "register", "register_plugin", "registered", "unregister"]

_Class = TypeVar("_Class", bound=type)

_classes: dict[str, type] = {}
_files: dict[str, tuple[Path, ...]] = {}


@overload
def register(name: str, cls: _Class, *, source: str = "", files: Iterable[str | Path] = ()) -> _Class: ...
@overload
def register(
    name: str, cls: None = None, *, source: str = "", files: Iterable[str | Path] = ()
) -> Callable[[_Class], _Class]: ...
def register(
    name: str, cls: _Class | None = None, *, source: str = "", files: Iterable[str | Path] = ()
) -> _Class | Callable[[_Class], _Class]:
    """Registers a class for scenarios: `el.register("mine", Mine)`, or as decorator `@el.register("mine")`.

    From then on `controller = { kind = "mine", ... }` is a controller in this process, and in the processes of its
    sweeps; the other keys are the keyword arguments of its constructor, and the annotations of these say what they may
    be. Registering a name again replaces its class. A scenario that is already loaded keeps the earlier one for
    `run()`; `run` with `set` or `seeds`, `with_seed`, `with_overrides` and unpickling load it anew, with the class
    that is registered then.

    Args:
        name: Its name in scenarios: letters, digits, `-` and `_`.
        cls: The class; see `Controller`.
        source: Paper, RFC or address, for `eddyline list`.
        files: What the class reads besides its code, a trained model for example: names relative to the file that
            defines the class, or to the working directory where there is none. A sweep does not continue after a change
            of one of them, as after a change of the code.

    Raises:
        InputError: A built-in controller has the name, the class lacks a method, or one of the files does not exist.
    """
    if not isinstance(name, str):
        raise InputError(f"name: text is expected, not {name!r}", 'as in @el.register("mine")')
    if cls is None:
        return lambda given: register(name, given, source=source, files=files)
    if not isinstance(cls, type):
        raise InputError(f"{cls!r} is not a class", f"el.register({name!r}, Class)")
    own = handlers(cls)
    missing = [] if "on_ack" in own or "on_round" in own else ["on_ack or on_round"]
    missing += [method for method in ("on_loss", "on_timeout") if method not in own]
    if missing:
        raise InputError(
            f"{cls.__name__} has no {', no '.join(missing)}",
            "on_ack or on_round grows the window; where a controller does nothing, it has a method with `pass`",
        )
    abstract = [method for method, _ in inspect.getmembers(cls, lambda m: getattr(m, "__isabstractmethod__", False))]
    if abstract:
        raise InputError(
            f"{cls.__name__} has no {', no '.join(abstract)}",
            "the class that it derives from calls it",
        )
    for method in own:
        if _is_deferred(getattr(cls, method)):
            raise InputError(
                f"{cls.__name__}.{method} is a coroutine or a generator: a call would not run it",
                "handlers are plain functions, without async and yield",
            )
    read = _existing(name, cls, files)
    parameters = Parameters(cls)
    first = (inspect.getdoc(cls) or "").partition("\n")[0].strip().rstrip(".")
    _core.add_controller(
        name,
        cls,
        class_name=cls.__qualname__.rpartition("<locals>.")[2],
        summary=first or f"{cls.__module__}.{cls.__qualname__}",
        source=source or f"{cls.__module__}.{cls.__qualname__}",
        schema=parameters.schema(),
        read=parameters.read,
        handlers=own,
    )
    _classes[name], _files[name] = cls, read
    forget(name)
    return cls


def _is_deferred(function: object) -> bool:
    return any(
        is_one(function)
        for is_one in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    )


def _existing(name: str, cls: type, files: Iterable[str | Path]) -> tuple[Path, ...]:
    """The files that a class reads, by absolute path."""
    if isinstance(files, (str, Path)) or not isinstance(files, Iterable):
        raise InputError(f"controller {name!r}: files is a list of names, not {files!r}", "as in files=['policy.zip']")
    own = getattr(sys.modules.get(cls.__module__), "__file__", None)
    folder = Path(own).absolute().parent if own else Path.cwd()
    found = tuple(folder / each for each in files)
    for each in found:
        if not each.is_file():
            raise InputError(f"controller {name!r}: there is no file {each}", f"files are relative to {folder}")
    return found


def register_plugin(path: Path) -> str:
    """Registers the controller in a compiled file, and returns its name.

    Raises:
        InputError: There is no such file, it is of no controller, or for another version of Eddyline.
    """
    name = load_plugin(path).name
    _classes.pop(name, None)
    _files.pop(name, None)
    return name


def unregister(name: str) -> None:
    """Removes a registered controller.

    Raises:
        InputError: None is registered under that name.
    """
    if not _core.remove_controller(name):
        raise InputError(f"no controller called {name!r} was registered")
    _classes.pop(name, None)
    _files.pop(name, None)
    forget(name)


@atexit.register
def _release() -> None:
    """Lets classes go, which the extension holds, and with them what their modules refer to."""
    for name in list(_classes):
        unregister(name)


def files_of(name: str) -> tuple[Path, ...]:
    """The files that the class of this name reads besides its code."""
    return _files[name]


def registered() -> dict[str, type]:
    """The registered classes, by name."""
    return dict(_classes)


def names() -> frozenset[str]:
    """Names of all registered controllers: of classes and of plugins."""
    return frozenset({*_classes, *plugins()})
