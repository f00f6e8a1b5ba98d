"""What a scenario may say, though it is rarely intended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.quantities import read, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eddyline.scenario import Scenario

__all__ = ["remarks"]


def remarks(scenario: Scenario) -> list[str]:
    """Sentences about flows and traffic that never start, and about paths that cross a link more than once."""
    tables = scenario.to_dict()
    named = [table for kind in ("flow", "traffic", "arrivals") for table in tables.get(kind, [])]
    return [sentence for table in named for sentence in _of(table, scenario.duration_s)]


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
