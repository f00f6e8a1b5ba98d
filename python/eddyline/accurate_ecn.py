"""Controllers that need a count of every mark, and flows where they do not get it."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import eddyline._core as _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["without_accurate_ecn"]


def without_accurate_ecn(tables: Mapping[str, Any], world: str) -> Iterator[str]:
    """A sentence about the flows of each kind of controller that need accurate ECN and do not have it.

    Args:
        tables: The scenario, as `Scenario.to_dict` gives it.
        world: In world `quic` every mark is counted, with ECN of either kind.
    """
    classic: dict[tuple[str, bool], list[str]] = {}
    for table in (t for kind in ("flow", "traffic", "arrivals") for t in tables.get(kind, ())):
        kind, tcp = table.get("controller", {}).get("kind"), table.get("tcp", {})
        ecn = tcp.get("ecn", False)
        if kind in _accurate() and not tcp.get("accurate_ecn", False) and not (world == "quic" and ecn):
            classic.setdefault((kind, ecn), []).append(table["name"])
    for (kind, ecn), names in classic.items():
        without = "a mark counts as a loss" if ecn else "its packets are never marked"
        yield f"{', '.join(names)}: {kind} requires tcp = {{ accurate_ecn = true }}; without it {without}"


@cache
def _accurate() -> frozenset[str]:
    # the register itself: importing eddyline.kinds takes longer than a short run
    register = json.loads(_core.register())["controllers"]
    return frozenset(entry["name"] for entry in register if entry.get("ecn") == "accurate")
