"""Controllers of installed packages: declared as entry points, imported when a scenario names one.

[project.entry-points."eddyline.controllers"]
my-cc = "mypkg:MyController"
"""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.errors import InputError
from eddyline.teardown import collect_at_exit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "Declared", "conflicts", "declared", "import_declared", "load"]

GROUP = "eddyline.controllers"
"""The group of entry points; the name of one is what scenarios call the controller, its value `MODULE:CLASS`."""

_lock = threading.RLock()


@dataclass(frozen=True)
class Declared:
    """A controller that an installed package declares.

    Attributes:
        name: What scenarios call it.
        package: Name and version of the distribution.
        about: The summary of the distribution.
        entry: Where the class is.
    """

    name: str
    package: str
    about: str
    entry: EntryPoint


def declared() -> list[Declared]:
    """All declared controllers, by name. Nothing is imported."""
    return list(_declared(tuple(sys.path)))


@cache
def _declared(path: tuple[str, ...]) -> tuple[Declared, ...]:
    if not _any_declared(path):
        return ()
    from importlib.metadata import entry_points

    found = []
    for entry in entry_points(group=GROUP):
        package, about = "an unnamed package", ""
        if entry.dist is not None:
            package = f"{entry.dist.name} {entry.dist.version}"
            about = str(entry.dist.metadata.json.get("summary", ""))
        found.append(Declared(entry.name, package, about, entry))
    return tuple(sorted(found, key=lambda d: (d.name, d.package)))


def _any_declared(path: tuple[str, ...]) -> bool:
    """Whether any package declares one, by its metadata files alone.

    Importing `importlib.metadata` takes as long as a short simulation, and hardly any installation needs it.
    """
    for place in path:
        for file in Path(place).glob("*-info/entry_points.txt"):
            try:
                if GROUP in file.read_text("utf-8", errors="replace"):
                    return True
            except OSError:
                continue
    return False


def import_declared(kinds: Iterable[str]) -> bool:
    """Imports and registers what packages declare under these names; returns whether any was registered now.

    A class that the user has registered under a name takes precedence.

    Raises:
        InputError: The import failed, or the name is ambiguous; the message names the packages.
    """
    if not declared():
        return False
    with _lock:
        new = [_import(kind) for kind in kinds]
    return any(new)


def _import(kind: str) -> bool:
    from eddyline.controllers.registry import names

    claims = [d for d in declared() if d.name == kind]
    if not claims:
        return False
    conflict = _conflict(kind, claims)
    if conflict is not None and (kind not in names() or kind in _built_in()):
        raise conflict
    if kind in names():
        return False
    load(claims[0])
    return True


def load(declared: Declared) -> None:
    """Imports and registers a declared controller.

    Raises:
        InputError: The import failed.
    """
    from eddyline.controllers.registry import register, registered
    from eddyline.controllers.sources import broken

    collect_at_exit()
    try:
        cls = declared.entry.load()
        if registered().get(declared.name) is not cls:
            register(declared.name, cls, source=declared.package)
    except (Exception, SystemExit) as e:
        where = f"controller {declared.name!r} of {declared.package} ({declared.entry.value})"
        raise broken(where, e) from e


def conflicts() -> list[InputError]:
    """Errors about ambiguous names."""
    names = dict.fromkeys(d.name for d in declared())
    found = (_conflict(name, [d for d in declared() if d.name == name]) for name in names)
    return [each for each in found if each is not None]


def _conflict(name: str, claims: list[Declared]) -> InputError | None:
    packages = " and ".join(d.package for d in claims)
    if name in _built_in():
        message = f"controller {name!r} is built in, and {packages} declares another one of that name"
        return InputError(message, f"uninstall {claims[0].package.split()[0]}, or have it declare another name")
    if len(claims) > 1:
        return InputError(f"controller {name!r} is declared by {packages}", "uninstall all of them but one")
    return None


@cache
def _built_in() -> frozenset[str]:
    import json

    import eddyline._core as _core
    from eddyline.controllers.registry import names

    return frozenset(c["name"] for c in json.loads(_core.register())["controllers"]) - names()
