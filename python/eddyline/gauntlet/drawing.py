"""Series of a test as lines: goodput that never exceeds what the link carries, with the capacity beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eddyline.capacity import bottleneck_of_flows, capacities

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    import numpy.typing as npt
    import pandas as pd

    from eddyline.scenario import Result

    Numbers: TypeAlias = npt.NDArray[np.float64]
    Line: TypeAlias = tuple[Numbers, Numbers]

__all__ = ["BINS", "binned", "by_bottleneck", "capacity", "capacity_lines", "goodput", "mean_capacity"]

_UNDER_WAY_S = 0.5

BINS = 200
"""Points of a line."""


def binned(rows: pd.DataFrame, end: float, *, bins: int = BINS) -> Line:
    """Means of one quantity over intervals of equal length: their ends, and the means."""
    times = rows["time_s"].to_numpy(dtype=np.float64)
    values = rows["value"].to_numpy(dtype=np.float64)
    steps = np.diff(np.unique(times))
    count = max(1, min(bins, round(end / float(np.median(steps))) if len(steps) else bins))
    edges = np.linspace(0.0, end, count + 1)
    # a value is of the interval that ends at its time
    place = np.clip(np.searchsorted(edges, times - 1e-9 * end, side="right") - 1, 0, count - 1)
    sums, numbers = np.bincount(place, values, count), np.bincount(place, minlength=count)
    there = numbers > 0
    return edges[1:][there], sums[there] / numbers[there]


def goodput(result: Result, names: list[str], limit: Line | None) -> Line:
    """The sum of the goodputs of flows, in the intervals in which the payload can have arrived.

    Payload counts when it is delivered in order, so that a filled hole shows more than the link carries. What exceeds
    the limit arrived before, and is drawn there; the total is the same.

    Args:
        result: With series.
        names: The flows.
        limit: What their bottleneck carries over time, of `capacity`; None where that is not known.
    """
    series = result.series
    rows = series[(series["quantity"] == "goodput_bps") & series["entity"].isin(names)]
    total = rows.groupby("time_s")["value"].sum().reset_index()
    times, rates = binned(total, result.scenario.duration_s)
    return times, rates if limit is None else _within(rates, _limits(times, limit))


def _limits(ends: Numbers, capacity: Line) -> Numbers:
    """The largest capacity in each interval, and shortly before: what was sent then arrives in it."""
    starts = np.concatenate(([0.0], ends[:-1])) - _UNDER_WAY_S
    times, rates = capacity
    found = [rates[(times >= a) & (times <= b)].max(initial=0.0) for a, b in zip(starts, ends, strict=True)]
    before = [rates[max(0, int(np.searchsorted(times, a, side="right")) - 1)] for a in starts]
    limits: Numbers = np.maximum(np.array(found), np.array(before))
    return limits


def _within(rates: Numbers, limits: Numbers) -> Numbers:
    """Rates with what exceeds the limits moved to earlier intervals that have room."""
    moved, excess = rates.copy(), 0.0
    for place in range(len(moved) - 1, -1, -1):
        wanted = moved[place] + excess
        moved[place] = min(wanted, limits[place])
        excess = wanted - moved[place]
    return moved


def by_bottleneck(result: Result, names: list[str]) -> dict[str, list[str]]:
    """Flows by the slowest link of their data path, or its first link where rates are recorded.

    Args:
        result: The run.
        names: The flows; without any, the link of the first arrivals is the only key.
    """
    scenario = result.scenario.to_dict()
    slowest = bottleneck_of_flows(scenario)
    tables = {table["name"]: table for table in scenario.get("flow", [])}
    found: dict[str, list[str]] = {}
    for name in names:
        own = name if name in tables else name.split("[")[0]  # a table with a count stands for its flows
        found.setdefault(slowest.get(own) or str(tables[own]["data"][0]), []).append(name)
    if not found:
        arrivals = scenario.get("arrivals", [])
        found[str(arrivals[0]["data"][0] if arrivals else scenario["link"][0]["name"])] = []
    return found


def capacity(result: Result, link: str) -> Line | None:
    """What a link carries over time; None where its rate is a recording."""
    known = capacities(result.scenario.to_dict())
    if link not in known:
        return None
    steps = np.array(known[link], dtype=np.float64)
    return steps[:, 0], steps[:, 1]


def capacity_lines(carried: Mapping[str, Line], means: Container[str] = ()) -> list[tuple[str, Line]]:
    """Labels and lines of what links carry: equal ones once, with the names of their links where others differ.

    Args:
        carried: Lines by link.
        means: Links of which the mean is drawn.
    """
    alike: dict[tuple[bytes, bytes, bool], list[str]] = {}
    for link, (times, rates) in carried.items():
        alike.setdefault((times.tobytes(), rates.tobytes(), link in means), []).append(link)
    found = []
    for (*_, mean), links in alike.items():
        of = f" of {', '.join(links)}" if len(alike) > 1 else ""
        found.append((f"capacity{of}{', mean' if mean else ''}", carried[links[0]]))
    return found


def mean_capacity(result: Result, link: str) -> float | None:
    """What a link with a recorded rate carried on average, from its departures and its utilisation."""
    row = next(each for each in result.to_dict()["links"] if each["name"] == link)
    series = result.series
    rows = series[(series["quantity"] == "departure_bps") & (series["entity"] == link)]
    used = row["utilisation"]
    return float(rows["value"].mean()) / float(used) if used else None
