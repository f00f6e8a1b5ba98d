"""What a scenario may say, though it is rarely intended."""

from __future__ import annotations

from collections import defaultdict
from math import ceil
from typing import TYPE_CHECKING, Any

from eddyline.accurate_ecn import without_accurate_ecn
from eddyline.capacity import link_tables
from eddyline.quantities import read, seconds
from eddyline.worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from eddyline.scenario import Scenario
    from eddyline.sweeps.plan import Plan

__all__ = ["in_phase", "keep_time", "remarks", "remarks_of_points", "without_acknowledgements", "without_packets"]

_ENOUGH = 2.0
"""Standard deviation of jitter that takes packets out of phase, in transmission times of a packet. Exponential jitter
leaves 1/sqrt(1 + (2 pi _ENOUGH)^2) = 8 % of what has the period of a packet. Of one packet's time it leaves 16 %, which
can still decide who has the losses."""
_COUNTED = {"packets": 1500.0, "cells": 48.0}
"""Bytes of what a limit counts if not bytes: full packets, and what a cell carries of one (ATM)."""
_LARGEST_DEFAULT = 15_503_360.0
"""Bytes of CAKE's limit where none is given and the rate is high: Linux's 10,240 packets."""
_MAX_POINTS = 50
"""Points of a grid that are looked at, without its seeds: each reads the scenario's files, which may be large."""


def remarks(scenario: Scenario, world: str) -> list[str]:
    """Sentences about what is rarely intended.

    What never starts, crosses a link twice, lacks its feedback, has a limit that is too short, acknowledges too late.
    """
    tables = scenario.to_dict()
    named = [table for kind in ("flow", "traffic", "arrivals") for table in tables.get(kind, [])]
    return [
        *(sentence for table in named for sentence in _of(table, scenario.duration_s)),
        *(sentence for table in tables.get("flow", []) if world == "sim" and (sentence := _late_ack(table))),
        *(sentence for link in link_tables(tables).values() if (sentence := _short_limit(link))),
        *without_accurate_ecn(tables, world),
    ]


def remarks_of_points(plan: Plan) -> tuple[list[str], list[tuple[list[tuple[str, str]], list[str]]]]:
    """Those of a sweep's points, each once, and the points of which `keep_time` finds queues; of a large grid of some.

    The scenario without the grid's values may be none of the points.

    Returns:
        The sentences, and of each such point the values of its keys and the queues.
    """
    from random import Random

    from eddyline.errors import ScenarioError
    from eddyline.scenario import Scenario

    found: dict[str, None] = {}
    shared = []
    all_of_them = range(plan.grid.combinations)
    # evenly spaced ones could all have the same value of a key
    some = sorted(Random(0).sample(all_of_them, min(_MAX_POINTS, len(all_of_them))))
    for each in some:
        try:
            keys = plan.grid.overrides(each)
            scenario = Scenario._loaded(plan.source, [*plan.given, *keys])
        except ScenarioError:  # the sweep is refused, and all that is wrong is said
            return [], []
        found |= dict.fromkeys(remarks(scenario, plan.world))
        if WORLDS[plan.world].packet_log and (queues := keep_time(scenario)):
            shared.append((list(keys), queues))
    return list(found), shared


def in_phase(queues: Iterable[str]) -> str | None:
    """A sentence about queues of `keep_time` that overflow; None where there is none."""
    found = list(dict.fromkeys(queues))
    if not found:
        return None
    return (
        f"the flows over {', '.join(found)} can keep in phase, whenever they start, and then one of them has nearly "
        "all losses; a little random traffic prevents it, or jitter of two packets' times or more "
        "(docs/concepts/traffic.md, Phase effects)"
    )


def keep_time(scenario: Scenario) -> list[str]:
    """Drop-tail queues that flows of different kinds fill, and nothing delays their packets at random by enough.

    Which of equal flows has the losses changes nothing for them together.
    """
    tables = scenario.to_dict()
    links = link_tables(tables)
    mixed = {link for kind in ("traffic", "arrivals") for table in tables.get(kind, []) for link in _crossed(table)}
    queues: defaultdict[str, set[str]] = defaultdict(set)
    for flow in tables.get("flow", []):
        if flow.get("count", 1):
            kind = repr([flow.get(key) for key in ("controller", "data", "ack", "access_delay", "packet", "tcp")])
            spread = max((_spread_s(links[link]) for link in _crossed(flow)), default=0.0)
            for link in flow["data"]:
                if _keeps_time(links[link]) and spread < _ENOUGH * _packet_s(flow, links[link]):
                    queues[link].add(kind)
    return [name for name, kinds in queues.items() if len(kinds) > 1 and name not in mixed]


def _spread_s(link: Mapping[str, Any]) -> float:
    """Standard deviation of the jitter; that of exponential jitter is its mean."""
    jitter = link.get("jitter", {})
    return read("jitter", "time", jitter.get("sd", jitter.get("mean", "0 s")))


def _packet_s(flow: Mapping[str, Any], link: Mapping[str, Any]) -> float:
    return 8 * read("packet", "bytes", flow["packet"]) / read("rate", "rate", link["rate"])


def _keeps_time(link: Mapping[str, Any]) -> bool:
    """Whether each packet that leaves makes room for one, and nothing else is lost."""
    lost = link.get("loss") or "trace" in link or "policer" in link
    return link["queue"]["kind"] == "droptail" and not lost


def _crossed(table: dict[str, Any]) -> list[str]:
    return [link for key in ("data", "ack", "path") for link in table.get(key, [])]


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


def _short_limit(link: Mapping[str, Any]) -> str | None:
    """A sentence about a CAKE queue with a limit of less than a round trip: it overflows before COBALT acts."""
    queue = link["queue"]
    varies = "trace" in link or "changes" in link
    rate = queue.get("bandwidth", None if varies else link.get("rate"))
    if queue["kind"] != "cake" or rate is None:
        return None
    limit = queue["limit"]
    if limit == "unlimited":
        return None
    number, unit = limit.split()
    held = _COUNTED[unit] * float(number) if unit in _COUNTED else read("limit", "bytes", limit)
    if held >= min(read("bandwidth", "rate", rate) * read("rtt", "time", queue["rtt"]) / 8, _LARGEST_DEFAULT):
        return None
    return (
        f"{link['name']}: its CAKE queue's limit of {limit} is less than its rtt, {queue['rtt']}, takes at {rate}: it "
        "drops at the limit, and about one packet in a hundred from then on; leave limit out (docs/queues/cake.md)"
    )


def _late_ack(flow: Mapping[str, Any]) -> str | None:
    """A sentence about a flow that often waits for an acknowledgement which comes only after its timeout."""
    tcp = flow["tcp"]
    every = tcp.get("ack_every", 2 if tcp.get("ack_congestion_control") else 1)
    segments = [tcp["initial_window"]] if tcp["initial_window"] < every else []
    if "bytes" in flow.get("application", {}):
        payload = read("packet", "bytes", flow["packet"]) - read("header", "bytes", flow["header"])
        segments.append(ceil(read("bytes", "bytes", flow["application"]["bytes"]) / payload))
    late, least = tcp["ack_timer"], tcp["min_rto"]
    if not any(several % every for several in segments):
        return None
    if read("ack_timer", "time", late) < read("min_rto", "time", least):
        return None
    what = "a segment by itself is" if every == 2 else f"fewer than {every} segments (tcp.ack_every) are"
    return (
        f"{flow['name']}: {what} acknowledged after {late} (tcp.ack_timer), when the sender's timeout may have passed, "
        f"{least} over its round trip (tcp.min_rto): one is sent again, and the window is one; "
        'tcp.min_rto = "1 s" (RFC 6298) or tcp.ack_timer = "40 ms" (Linux) prevents that'
    )


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
