"""The controllers of an evaluation, with their parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError, ScenarioError
from eddyline.kinds import controllers, require_controller, require_in_world
from eddyline.scenario import Scenario
from eddyline.subject import parameter_error, required_parameters
from eddyline.worlds import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eddyline.evaluation.path import Setting

__all__ = ["BUILT_IN", "Subject", "subjects"]

BUILT_IN = "all"
"""Stands for every built-in kind."""


@dataclass(frozen=True)
class Subject:
    """A controller with its parameters.

    Attributes:
        kind: Its name in scenarios.
        parameters: Parameters by key, as a scenario writes them.
    """

    kind: str
    parameters: tuple[tuple[str, str], ...] = ()

    def flow(self, name: str, setting: Setting, **more: Any) -> dict[str, Any]:
        """A flow with it on the path. The names of tested flows begin with `tested`."""
        links = {"data": ["there"], "ack": ["back"]}
        return {"name": name, "controller": {"kind": self.kind}, **links, **setting.tcp(self.kind), **more}

    def scenario(self, table: Mapping[str, Any], rate_bps: float) -> Scenario:
        """A scenario whose tested flows have its parameters.

        Args:
            table: The scenario.
            rate_bps: Of its bottleneck, from which required parameters follow.

        Raises:
            ScenarioError: It has no such parameter.
        """
        given = required_parameters(self.kind, rate_bps) | dict(self.parameters)
        names = [f["name"] for f in table["flow"] if str(f["name"]).startswith("tested")]
        overrides = [(f'flow."{name}".controller.{key}', value) for name in names for key, value in given.items()]
        try:
            return Scenario(table, set=overrides, name=f"evaluation of {self.kind}")
        except ScenarioError as e:
            raise parameter_error(e, self.kind, self.parameters) from None


def subjects(
    kinds: Sequence[str], parameters: Sequence[tuple[str, str]] = (), world: str = DEFAULT
) -> tuple[Subject, ...]:
    """The named controllers, each once.

    Args:
        kinds: Built-in kinds or names of registered classes; `"all"` is every built-in one of the world.
        parameters: Keys with values: `alpha` is given to all, `fast.alpha` to that kind.
        world: The world that is to have them.

    Raises:
        InputError: There is no such kind, or parameters are for a kind that is not among them.
    """
    from eddyline.controllers.installed import declared
    from eddyline.controllers.registry import names

    own = {*names(), *(d.name for d in declared())}
    named: dict[str, None] = {}
    for kind in kinds:
        if kind == BUILT_IN and kind not in own:
            named |= dict.fromkeys(k.name for k in controllers() if k.name not in own and k.only_in in (None, world))
        else:
            require_controller(kind)
            require_in_world(kind, world)
            named[kind] = None
    if not named:
        raise InputError("no controller is named", "eddyline list controllers has the built-in ones")
    own_keys: dict[str, list[tuple[str, str]]] = {kind: [] for kind in named}
    for key, value in parameters:
        kind, dot, name = key.partition(".")
        if dot and kind not in own_keys:
            raise InputError(f"--set {key}: {kind!r} is not evaluated here", f"those are {', '.join(named)}")
        for each in [kind] if dot else list(named):
            own_keys[each].append((name if dot else key, value))
    return tuple(Subject(kind, tuple(dict(own_keys[kind]).items())) for kind in named)
