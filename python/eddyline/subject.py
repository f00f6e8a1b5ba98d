"""A controller under test: the parameters it requires, and errors about the parameters it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.errors import ScenarioError
from eddyline.kinds import controller

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


def parameter_error(error: ScenarioError, kind: str, parameters: Sequence[tuple[str, str]]) -> ScenarioError:
    """The same error in terms of the controller and its parameters, not of the flows that have them.

    Args:
        error: About a scenario with the controller in some of its flows.
        kind: The controller.
        parameters: The parameters that it was given.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in error.diagnostics:
        name = str(each["key"]).rpartition("controller")[2].removeprefix(".")
        given = dict(parameters).get(name)
        place = f"--controller {kind}" if given is None else f"--set {name}={given}"
        key = name if given is None and name else ""
        text = ": ".join(filter(None, (place, key, each["message"])))
        text += f"\n  hint: {each['hint']}" if each["hint"] else ""
        found.setdefault(text, {**each, "file": place, "key": key})
    return ScenarioError("\n".join(found), list(found.values()), error.unknown_controllers)
