"""What a scenario may say, though it is rarely intended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.accurate_ecn import without_accurate_ecn
from eddyline.quantities import read, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eddyline.scenario import Scenario
    from eddyline.sweeps.plan import Plan

__all__ = ["in_phase", "remarks", "remarks_of_points", "without_packets"]

_MAX_POINTS = 50
"""Points of a grid that are looked at, without its seeds: each reads the scenario's files, which may be large."""


def remarks(scenario: Scenario, world: str) -> list[str]:
    """Sentences about what never starts, crosses a link more than once, or has a controller without its feedback."""
    tables = scenario.to_dict()
    named = [table for kind in ("flow", "traffic", "arrivals") for table in tables.get(kind, [])]
    return [
        *(sentence for table in named for sentence in _of(table, scenario.duration_s)),
        *without_accurate_ecn(tables, world),
    ]


def remarks_of_points(plan: Plan) -> list[str]:
    """Those of a sweep's points, each once; of a large grid those of some.

    The scenario without the grid's values may be none of the points.
    """
    from random import Random

    from eddyline.errors import ScenarioError
    from eddyline.scenario import Scenario

    found: dict[str, None] = {}
    all_of_them = range(plan.grid.combinations)
    # evenly spaced ones could all have the same value of a key
    some = sorted(Random(0).sample(all_of_them, min(_MAX_POINTS, len(all_of_them))))
    for each in some:
        try:
            scenario = Scenario._loaded(plan.source, [*plan.given, *plan.grid.overrides(each)])
        except ScenarioError:  # the sweep is refused, and all that is wrong is said
            return []
        found |= dict.fromkeys(remarks(scenario, plan.world))
    return list(found)


def in_phase(scenario: Scenario) -> str | None:
    """A sentence about drop-tail queues that only flows of a deterministic scenario share; None where there is none."""
    tables = scenario.to_dict()
    crossed = [
        (link, int(flow.get("count", 1))) for flow in tables.get("flow", []) for link in dict.fromkeys(flow["data"])
    ]
    plain = {link["name"] for link in tables.get("link", []) if link["queue"]["kind"] == "droptail"}
    shared = [name for name in dict.fromkeys(link for link, _ in crossed) if name in plain]
    shared = [name for name in shared if sum(count for link, count in crossed if link == name) > 1]
    if not shared:
        return None
    return (
        f"the flows over {', '.join(shared)} can keep in phase all the same, and then one of them has nearly all "
        "losses; a little random traffic or jitter prevents it (docs/concepts/traffic.md, Phase effects)"
    )


def without_packets(scenario: Scenario, what: str) -> str | None:
    """A sentence about what sends, but is not in the captures or traces of flows; None where all is."""
    tables = scenario.to_dict()
    names = [table["name"] for kind in ("arrivals", "probe", "traffic") for table in tables.get(kind, [])]
    if not names:
        return None
    are = "is" if len(names) == 1 else "are"
    return f"{what} are of [[flow]] tables: {', '.join(names)} {are} not in them (--log has all packets)"


def _of(table: dict[str, Any], duration_s: float) -> Iterator[str]:
    name = table["name"]
    if "start" in table and read(f"{name}: start", "time", table["start"]) >= duration_s:
        yield f"{name} starts at {table['start']}, not before the end of the run, {seconds(duration_s)}"
    for key in ("data", "ack", "path"):
        links = table.get(key, [])
        for link in dict.fromkeys(links):
            times = links.count(link)
            if times > 1:
                yield f"{name}: {key} crosses link {link} {times} times"
