"""What links can carry over time, from a scenario: the line that a plot of rates is read against."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import eddyline._core as _core
from eddyline.kinds import presets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Steps: TypeAlias = list[tuple[float, float]]

__all__ = ["bottleneck_of_flows", "bottlenecks", "capacities", "link_tables", "of_bottlenecks", "policers"]

_MAX_OUTAGES = 2000
"""Outages that are drawn one by one, at most."""


def capacities(scenario: Mapping[str, Any]) -> dict[str, Steps]:
    """Points (time in s, bit/s) of each link, changes and outages included; links that have means only are left out.

    Args:
        scenario: The canonical scenario.
    """
    end = _core.quantity("time", scenario["duration"])
    return {
        name: _steps(link, end)
        for name, link in link_tables(scenario).items()
        if link.get("rate") is not None and not _only_means(link, end)
    }


def _only_means(link: Mapping[str, Any], end: float) -> bool:
    """Whether means are drawn of it: a recorded rate, or more outages than a figure has room for."""
    return "trace" in link or sum(_number(outage, end) for outage in link.get("outages", [])) > _MAX_OUTAGES


def of_bottlenecks(scenario: _core.Scenario, times: Sequence[float] = ()) -> dict[str, Steps]:
    """What the bottlenecks carry over time.

    Args:
        scenario: The scenario.
        times: Of a recording, means are of the intervals that these times in s divide the run into.
    """
    document = json.loads(scenario.canonical)
    known, end = capacities(document), scenario.duration_s
    edges = [0.0, *(time for time in times if 0 < time < end), end]
    return {name: known.get(name) or _recorded(scenario, name, edges) for name in bottlenecks(document, recorded=True)}


def _recorded(scenario: _core.Scenario, link: str, times: list[float]) -> Steps:
    means = scenario.capacity(link, times)
    return [point for (a, b), bps in zip(pairwise(times), means, strict=True) for point in ((a, bps), (b, bps))]


def policers(scenario: Mapping[str, Any]) -> dict[str, float]:
    """Rates of the policers, in bit/s, by link."""
    return {name: _bps(link["policer"]["rate"]) for name, link in link_tables(scenario).items() if "policer" in link}


def bottlenecks(scenario: Mapping[str, Any], *, recorded: bool = False) -> list[str]:
    """The links of `bottleneck_of_flows`, each once."""
    return list(dict.fromkeys(bottleneck_of_flows(scenario, recorded=recorded).values()))


def bottleneck_of_flows(scenario: Mapping[str, Any], *, recorded: bool = False) -> dict[str, str]:
    """Of each flow the link of its data path that is slowest at the start, by the name of its table.

    Args:
        scenario: The canonical scenario.
        recorded: With links that play a recording, by their mean rates; else they are left out.
    """
    rates = {name: steps[0][1] for name, steps in capacities(scenario).items()}
    if recorded:
        rates |= {
            n: _bps(link["rate"]) for n, link in link_tables(scenario).items() if n not in rates and "rate" in link
        }
    paths = {f["name"]: [name for name in f["data"] if name in rates] for f in scenario.get("flow", [])}
    return {flow: min(path, key=lambda name: rates[name]) for flow, path in paths.items() if path}


def link_tables(scenario: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Tables of links by name; of a direction of a duplex that of its preset, with the scenario's own keys.

    Args:
        scenario: The canonical scenario.
    """
    links: dict[str, dict[str, Any]] = {link["name"]: link for link in scenario.get("link", [])}
    known = {preset["name"]: preset for preset in presets()} if scenario.get("duplex") else {}
    for pair in scenario.get("duplex", []):
        preset = known.get(pair.get("preset"), {})
        for way in ("down", "up"):
            name = f"{pair['name']}/{way}"
            links[name] = {**preset.get(way, {}), **pair.get(way, {}), "name": name}
    return links


def _steps(link: Mapping[str, Any], end: float) -> Steps:
    changes = [(_core.quantity("time", c["at"]), c["rate"]) for c in link.get("changes", []) if "rate" in c]
    rates = [(0.0, _bps(link["rate"])), *((at, _bps(rate)) for at, rate in sorted(changes, key=lambda c: c[0]))]
    down = [span for outage in link.get("outages", []) for span in _spans(outage, end)]
    times = sorted({0.0, end, *(at for at, _ in rates), *(t for span in down for t in span)})
    found: Steps = []
    for start, stop in pairwise(times):
        if start >= end:
            break
        rate = [bps for at, bps in rates if at <= start][-1]
        value = 0.0 if any(a <= start < b for a, b in down) else rate
        found += [(start, value), (min(stop, end), value)]
    return found or [(0.0, rates[0][1]), (end, rates[0][1])]


def _spans(outage: Mapping[str, Any], end: float) -> Steps:
    start, length = _core.quantity("time", outage["start"]), _core.quantity("time", outage["length"])
    if "every" not in outage:
        return [(start, start + length)]
    every = _core.quantity("time", outage["every"])
    return [(start + n * every, start + n * every + length) for n in range(_number(outage, end))]


def _number(outage: Mapping[str, Any], end: float) -> int:
    """How many times it occurs until the end."""
    if "every" not in outage:
        return 1
    return int(max(0.0, end - _core.quantity("time", outage["start"])) / _core.quantity("time", outage["every"])) + 1


def _bps(rate: str) -> float:
    return _core.quantity("rate", rate)
