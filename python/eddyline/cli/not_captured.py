"""What sends, but is not in captures and traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eddyline.scenario import Scenario

__all__ = ["without_acknowledgements", "without_packets"]


def without_packets(scenario: Scenario, what: str) -> str | None:
    """A sentence about what sends, but is not in the captures or traces of flows; None where all is."""
    tables = scenario.to_dict()
    names = [table["name"] for kind in ("arrivals", "probe", "traffic") for table in tables.get(kind, [])]
    if not names:
        return None
    are = "is" if len(names) == 1 else "are"
    return f"{what} are of [[flow]] tables: {', '.join(names)} {are} not in them (--log has all packets)"


def without_acknowledgements(scenario: Scenario) -> str | None:
    """A sentence about acknowledgements that are not in captures; None where all are."""
    names = [flow["name"] for flow in scenario.to_dict().get("flow", []) if "piggyback" in flow]
    if not names:
        return None
    return (
        f"captures have no acknowledgements that data packets of another flow carry (piggyback of {', '.join(names)}): "
        "what is in flight and round trips are to be seen in traces (--qlog)"
    )
