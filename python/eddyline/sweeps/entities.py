"""The tables of a sweep beside that of its points: a row per point and entity."""

from __future__ import annotations

__all__ = ["ENTITIES", "stored"]

ENTITIES = {
    "flows": "flow",
    "links": "link",
    "groups": "group",
    "arrivals": "arrivals",
    "probes": "probe",
    "traffic": "traffic",
}
"""The part of a result that each table has, and the column that names its entity."""

_SINCE_FORMAT_2 = ("probes", "traffic")


def stored(format: int) -> list[str]:
    """The tables that sweeps of a format of `sweep.json` have."""
    return [kind for kind in ENTITIES if format >= 2 or kind not in _SINCE_FORMAT_2]
