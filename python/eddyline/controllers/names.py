"""Which controllers there are to choose from: built in, registered, or declared by installed packages."""

from __future__ import annotations

import json
from typing import Any

from eddyline import _core
from eddyline.words import unknown

__all__ = ["known", "need", "register"]


def register() -> dict[str, list[dict[str, Any]]]:
    """All that scenarios may name, by kind of thing: lists of `name`, `summary` and `source`. Nothing is imported."""
    from eddyline.controllers.installed import declared

    everything: dict[str, list[dict[str, Any]]] = json.loads(_core.register())
    controllers = everything["controllers"]
    there = {c["name"] for c in controllers}
    controllers += [
        {"name": d.name, "summary": d.about or d.entry.value, "source": f"package {d.package}"}
        for d in {d.name: d for d in declared()}.values()
        if d.name not in there
    ]
    return everything


def known() -> list[str]:
    """Names of all controllers."""
    return [c["name"] for c in register()["controllers"]]


def need(kind: str, *, option: str | None = None) -> None:
    """Makes sure that scenarios may name a controller; imports it where a package declares it.

    Args:
        kind: Its name.
        option: Where it was written, as in `"--controller"`.

    Raises:
        InputError: There is no such controller, or it cannot be had.
    """
    from eddyline.controllers.installed import meet

    meet([kind])
    if kind not in known():
        raise unknown("controller", kind, known(), option=option)
