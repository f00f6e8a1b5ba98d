"""The kinds that scenarios may name: controllers, queues, traffic models, presets, and the facts each kind states.

A fact is stated once, by the kind itself in the extension. Code that depends on it reads it here and keeps no list of
names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import eddyline._core as _core
from eddyline.controllers.installed import declared, import_declared
from eddyline.errors import InputError
from eddyline.spelling import unknown

__all__ = [
    "Alpha",
    "ControllerKind",
    "QueueKind",
    "controller",
    "controllers",
    "listing",
    "presets",
    "queue",
    "queues",
    "require_controller",
    "require_in_world",
]

_LISTED = ("name", "summary", "source")


@dataclass(frozen=True)
class Alpha:
    """The parameter `alpha` of kinds that have no default for it.

    Attributes:
        delay_s: Where the bottleneck's rate is known, alpha is the rate times this, in packets,
        min_packets: and at least this many.
        access_packets: On an access link.
    """

    delay_s: float
    min_packets: float
    access_packets: float


@dataclass(frozen=True)
class ControllerKind:
    """A controller and its facts.

    Attributes:
        name: Its name in scenarios.
        summary: What it is.
        ecn: The feedback it needs where queues mark: RFC 3168 (`"classic"`), or a count of every mark (`"accurate"`).
        alpha: How to choose `alpha`, where a scenario has to give it.
        response_function: Source of its closed-form response function, where there is one.
        sawtooth: Its window reduction at a marking threshold, where the saw-tooth has a closed form.
        only_in: The only world that has it, where it is part of one.
    """

    name: str
    summary: str
    ecn: Literal["classic", "accurate"] = "classic"
    alpha: Alpha | None = None
    response_function: str | None = None
    sawtooth: Literal["half", "by_share"] | None = None
    only_in: str | None = None


@dataclass(frozen=True)
class QueueKind:
    """A queue discipline and its facts.

    Attributes:
        name: Its name in scenarios.
        summary: What it is.
        drop_tail: It is the plain FIFO.
        delay_set_by: The parameter that bounds how long data wait under load, where there is one.
    """

    name: str
    summary: str
    drop_tail: bool
    delay_set_by: Literal["limit", "target"] | None


def _register() -> dict[str, list[dict[str, Any]]]:
    """The extension's register. Controllers that installed packages declare are added; nothing is imported for them."""
    register: dict[str, list[dict[str, Any]]] = json.loads(_core.register())
    known = {entry["name"] for entry in register["controllers"]}
    register["controllers"] += [
        {"name": d.name, "summary": d.about or d.entry.value, "source": f"package {d.package}"}
        for d in {d.name: d for d in declared()}.values()
        if d.name not in known
    ]
    return register


def listing() -> dict[str, list[dict[str, Any]]]:
    """Everything that scenarios may name, by part: entries of `name`, `summary` and `source`.

    Presets have their links too, framings their numbers.
    """
    register = _register()
    for part in ("controllers", "queues"):
        register[part] = [{key: entry[key] for key in entry if key in _LISTED} for entry in register[part]]
    return register


def presets() -> list[dict[str, Any]]:
    """Presets of duplex links: `name`, `summary`, `source`, and the tables of the links `down` and `up`."""
    return _register()["presets"]


def controllers() -> list[ControllerKind]:
    """All controllers: built in, registered, declared by installed packages."""
    return [_controller(entry) for entry in _register()["controllers"]]


def _controller(entry: dict[str, Any]) -> ControllerKind:
    alpha = entry.get("alpha")
    return ControllerKind(
        entry["name"],
        entry["summary"],
        entry.get("ecn", "classic"),
        None if alpha is None else Alpha(alpha["delay_s"], alpha["min_packets"], alpha["access_packets"]),
        entry.get("response_function"),
        entry.get("sawtooth"),
        entry.get("only_in"),
    )


def controller(name: str) -> ControllerKind:
    """The facts of a controller.

    Raises:
        InputError: There is no such controller.
    """
    known = {kind.name: kind for kind in controllers()}
    if name not in known:
        raise unknown("controller", name, known)
    return known[name]


def require_in_world(name: str, world: str) -> None:
    """Makes sure that a world has the controller called `name`, which exists.

    Raises:
        InputError: It is part of another world.
    """
    only_in = next((kind.only_in for kind in controllers() if kind.name == name), None)
    if only_in not in (None, world):
        raise InputError(
            f"controller {name} is part of world {only_in}, {world} does not have it", f"world {only_in} has it"
        )


def require_controller(name: str, *, option: str | None = None) -> None:
    """Makes sure that scenarios may name a controller. It is imported where an installed package declares it.

    Args:
        name: Its name.
        option: The command-line option that took it, as in `"--controller"`.

    Raises:
        InputError: There is no such controller, or its import failed.
    """
    import_declared([name])
    names = [kind.name for kind in controllers()]
    if name not in names:
        raise unknown("controller", name, names, option=option)


def queues() -> list[QueueKind]:
    """All queue disciplines."""
    return [
        QueueKind(entry["name"], entry["summary"], entry["drop_tail"], entry["delay_set_by"])
        for entry in _register()["queues"]
    ]


def queue(name: str) -> QueueKind:
    """The facts of a queue discipline.

    Raises:
        InputError: There is no such discipline.
    """
    known = {kind.name: kind for kind in queues()}
    if name not in known:
        raise unknown("queue", name, known)
    return known[name]
