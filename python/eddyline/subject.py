"""A controller under test: the parameters it requires, and errors about the parameters it was given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.errors import ScenarioError
from eddyline.kinds import controller
from eddyline.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["parameter_error", "required_parameters"]

_PACKET_BITS = 12_000


def required_parameters(kind: str, rate_bps: float) -> dict[str, str]:
    """Values of the parameters that have no default, for a bottleneck of that rate."""
    alpha = controller(kind).alpha
    if alpha is None:
        return {}
    return {"alpha": f"{max(alpha.min_packets, rate_bps * alpha.delay_s / _PACKET_BITS):.0f} packets"}


def _hint(hint: str | None, kind: str, name: str) -> str | None:
    """A hint where only parameters of a controller can be given: there is no place beside it, as in a scenario."""
    known = _parameters(kind)
    if not known or name.split(".")[0] in known:
        return hint
    meant = nearest(name.removeprefix("controller."), known)
    return f"did you mean {meant}?" if meant is not None else "--set takes parameters of the controller only"


def _parameters(kind: str) -> list[str]:
    """Parameters of a built-in controller; none of others, which say theirs themselves."""
    kinds = json.loads(_core.schema())["$defs"]["ControllerParams"]["oneOf"]
    found = [each["properties"] for each in kinds if each["properties"]["kind"].get("const") == kind]
    return [name for properties in found for name in properties if name != "kind"]


def parameter_error(error: ScenarioError, kind: str, parameters: Sequence[tuple[str, str]]) -> ScenarioError:
    """The same error in terms of the controller and its parameters, not of the flows that have them.

    Args:
        error: About a scenario with the controller in some of its flows.
        kind: The controller.
        parameters: The parameters that it was given.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in error.diagnostics:
        name = str(each["key"]).partition("controller")[2].removeprefix(".")
        written = next((p for p in parameters if name and (p[0] == name or p[0].startswith(f"{name}."))), None)
        place = f"--controller {kind}" if written is None else "--set {}={}".format(*written)
        key = name if written is None and name else ""
        hint = each["hint"] if written is None else _hint(each["hint"], kind, written[0])
        text = ": ".join(filter(None, (place, key, each["message"])))
        text += f"\n  hint: {hint}" if hint else ""
        found.setdefault(text, {**each, "file": place, "key": key})
    return ScenarioError("\n".join(found), list(found.values()), error.unknown_controllers)
