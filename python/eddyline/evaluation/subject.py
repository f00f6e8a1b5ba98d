"""A controller under test: its kind and what it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError, ScenarioError
from eddyline.gauntlet.suite import as_given, told
from eddyline.scenario import Scenario

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
        kind: What scenarios call it.
        parameters: What it was given, by key, as a scenario writes it.
    """

    kind: str
    parameters: tuple[tuple[str, str], ...] = ()

    def flow(self, name: str, setting: Setting, **more: Any) -> dict[str, Any]:
        """A flow of it over the path. Names of what is tested begin with `tested`."""
        line = {"data": ["there"], "ack": ["back"]}
        return {"name": name, "controller": {"kind": self.kind}, **line, **setting.tcp(self.kind), **more}

    def scenario(self, table: Mapping[str, Any], rate_bps: float) -> Scenario:
        """A scenario in which its flows get their parameters.

        Args:
            table: The scenario.
            rate_bps: Of its bottleneck, by which alpha is set where a controller needs one.

        Raises:
            ScenarioError: It has no such parameter.
        """
        given = told(self.kind, rate_bps) | dict(self.parameters)
        names = [f["name"] for f in table["flow"] if str(f["name"]).startswith("tested")]
        overrides = [(f'flow."{name}".controller.{key}', value) for name in names for key, value in given.items()]
        try:
            return Scenario(table, set=overrides, name=f"evaluation of {self.kind}")
        except ScenarioError as e:
            raise as_given(e, self.kind, self.parameters) from None


def subjects(kinds: Sequence[str], parameters: Sequence[tuple[str, str]] = ()) -> tuple[Subject, ...]:
    """The controllers that are named, each once.

    Args:
        kinds: Built-in kinds or names of registered classes; `"all"` is every built-in one.
        parameters: Keys with values: `alpha` is given to all, `fast.alpha` to that kind.

    Raises:
        InputError: There is no such kind, or parameters are for a kind that is not among them.
    """
    import json

    from eddyline import _core
    from eddyline.controllers.names import need
    from eddyline.controllers.registry import registered

    known = [str(k["name"]) for k in json.loads(_core.register())["controllers"]]
    own = registered()
    wanted: dict[str, None] = {}
    for kind in kinds:
        if kind == BUILT_IN and kind not in own:
            wanted |= dict.fromkeys(k for k in known if k not in own)
        else:
            need(kind)
            wanted[kind] = None
    if not wanted:
        raise InputError("no controller is named", "eddyline list controllers has the built-in ones")
    own_keys: dict[str, list[tuple[str, str]]] = {kind: [] for kind in wanted}
    for key, value in parameters:
        kind, dot, name = key.partition(".")
        if dot and kind not in own_keys:
            raise InputError(f"--set {key}: {kind!r} is not evaluated here", f"those are {', '.join(wanted)}")
        for each in [kind] if dot else list(wanted):
            own_keys[each].append((name if dot else key, value))
    return tuple(Subject(kind, tuple(dict(own_keys[kind]).items())) for kind in wanted)
