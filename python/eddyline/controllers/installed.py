"""Controllers of installed packages: what they declare as entry points, imported when a scenario names it.

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

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "Declared", "clashes", "declared", "load", "meet"]

GROUP = "eddyline.controllers"
"""The group of entry points; the name of one is what scenarios call the controller, its value `MODULE:CLASS`."""

_lock = threading.RLock()


@dataclass(frozen=True)
class Declared:
    """A controller that an installed package declares.

    Attributes:
        name: What scenarios call it.
        package: Name and version of the distribution.
        about: What the distribution says of itself.
        entry: Where the class is.
    """

    name: str
    package: str
    about: str
    entry: EntryPoint


def declared() -> list[Declared]:
    """All that is declared, by name. Nothing of it is imported."""
    return list(_declared(tuple(sys.path)))


@cache
def _declared(path: tuple[str, ...]) -> tuple[Declared, ...]:
    if not _anyone(path):
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


def _anyone(path: tuple[str, ...]) -> bool:
    """Whether any package declares one, by a look at the files alone.

    Importing the library that reads metadata takes as long as a short simulation; almost nobody needs it.
    """
    for place in path:
        for file in Path(place).glob("*-info/entry_points.txt"):
            try:
                if GROUP in file.read_text("utf-8", errors="replace"):
                    return True
            except OSError:
                continue
    return False


def meet(kinds: Iterable[str]) -> bool:
    """Imports and registers what packages declare under these names; whether any of them was not known before.

    A class that is registered by hand under a name goes before one that is declared.

    Raises:
        InputError: The class cannot be had, or the name means two things; says whose it is.
    """
    if not declared():
        return False
    with _lock:
        new = [_meet(kind) for kind in kinds]
    return any(new)


def _meet(kind: str) -> bool:
    from eddyline.controllers.registry import registered

    claims = [d for d in declared() if d.name == kind]
    if not claims:
        return False
    fault = _clash(kind, claims)
    if fault is not None and (kind not in registered() or kind in _built_in()):
        raise fault
    if kind in registered():
        return False
    load(claims[0])
    return True


def load(declared: Declared) -> None:
    """Imports and registers one of them.

    Raises:
        InputError: It cannot be had.
    """
    from eddyline.controllers.registry import register, registered
    from eddyline.controllers.sources import broken

    try:
        cls = declared.entry.load()
        if registered().get(declared.name) is not cls:
            register(declared.name, cls, source=declared.package)
    except (Exception, SystemExit) as e:
        where = f"controller {declared.name!r} of {declared.package} ({declared.entry.value})"
        raise broken(where, e) from e


def clashes() -> list[InputError]:
    """Names that mean two things."""
    names = dict.fromkeys(d.name for d in declared())
    found = (_clash(name, [d for d in declared() if d.name == name]) for name in names)
    return [fault for fault in found if fault is not None]


def _clash(name: str, claims: list[Declared]) -> InputError | None:
    whose = " and ".join(d.package for d in claims)
    if name in _built_in():
        said = f"controller {name!r} is built in, and {whose} declares another one of that name"
        return InputError(said, f"uninstall {claims[0].package.split()[0]}, or have it declare another name")
    if len(claims) > 1:
        return InputError(f"controller {name!r} is declared by {whose}", "uninstall all of them but one")
    return None


@cache
def _built_in() -> frozenset[str]:
    import json

    from eddyline import _core
    from eddyline.controllers.registry import registered

    return frozenset(c["name"] for c in json.loads(_core.register())["controllers"]) - registered().keys()
