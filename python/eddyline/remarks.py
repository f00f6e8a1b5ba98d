"""What a scenario may say, though it is rarely intended."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from eddyline.accurate_ecn import without_accurate_ecn
from eddyline.capacity import link_tables
from eddyline.quantities import read, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["remarks"]

_COUNTED = {"packets": 1500.0, "cells": 48.0}
"""Bytes of what a limit counts if not bytes: full packets, and what a cell carries of one (ATM)."""
_LARGEST_DEFAULT = 15_503_360.0
"""Bytes of CAKE's limit where none is given and the rate is high: Linux's 10,240 packets."""


def remarks(tables: Mapping[str, Any], world: str) -> list[str]:
    """Sentences about what is rarely intended.

    What never starts, crosses a link twice, lacks its feedback, has a limit that is too short, acknowledges too late.

    Args:
        tables: The scenario, as `Scenario.to_dict` gives it.
        world: The world that it runs in.
    """
    duration_s = read("duration", "time", tables["duration"])
    named = [table for kind in ("flow", "traffic", "arrivals") for table in tables.get(kind, [])]
    return [
        *(sentence for table in named for sentence in _of(table, duration_s)),
        *(sentence for table in tables.get("flow", []) if world == "sim" and (sentence := _late_ack(table))),
        *(sentence for link in link_tables(tables).values() if (sentence := _short_limit(link))),
        *without_accurate_ecn(tables, world),
    ]


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
