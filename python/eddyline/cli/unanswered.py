"""Connections of probes that had no answer: no time of theirs is in a result."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eddyline.scenario import Result

__all__ = ["unanswered"]

_FEW = 0.01
"""Share of the connections that changes no mean by much."""


def unanswered(results: Iterable[Result]) -> list[str]:
    """A sentence about each table of probes of which more than `_FEW` of the connections had none."""
    started: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for result in results:
        for probe in result.to_dict().get("probes", ()):
            started[probe["name"]] += probe["started"] or 0
            without[probe["name"]] += probe.get("unanswered") or 0
    return [
        f"probe {name}: {missing} of {started[name]} connections had no answer: times, RPM and grade are of the others"
        for name, missing in without.items()
        if missing > _FEW * started[name]
    ]
