"""The unit of a buffer's limit, by the waiting times of short and of long packets in the full buffer.

The waits are equal in a buffer of bytes, in the ratio of the sizes in one of packets, in between in one of ATM cells.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.capacity import link_tables
from eddyline.errors import EddylineError, InputError
from eddyline.framing import FRAMINGS, framing_of
from eddyline.loading import loaded
from eddyline.quantities import read, seconds
from eddyline.spelling import unknown
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eddyline.loading import Given
    from eddyline.scenario import Scenario

__all__ = ["Finding", "Load", "judge", "probe"]

_CELL, _TRAILER = 48, 8
"""Payload of an ATM cell and trailer of an AAL5 frame, bytes (ITU-T I.363.5)."""
_CELL_ON_THE_LINE = 53

UNITS: dict[str, Callable[[float], float]] = {
    "bytes": lambda size: size,
    "packets": lambda _: 1.0,
    "cells": lambda size: float(ceil((size + _TRAILER) / _CELL)),
}
"""What a packet of that size occupies of a buffer, by the unit of the limit."""

_TOLERANCE = 0.05
_OVERLOAD = 1.04
"""Slight: a queue that drops at its head shortens the wait of the others by this factor."""
_HIGH_OVERLOAD = 1.5
"""A second load, which changes the wait unless the queue is bounded by its length."""
_FIRST_PACKETS = 2000
_MIN_S, _MAX_S = 1e-3, 200 * 86_400.0  # the longest scenario
_LONG_S, _LONG_PACKETS = 3600.0, 1e6
"""A buffer that is not full after so long, and so many packets, is not filled."""
_NOT_BY_LENGTH = "the queue is not bounded by its length alone"
_BESIDE_THE_QUEUE = ("changes", "corrupt", "jitter", "loss", "medium", "outages", "reconstruct", "reorder", "trace")


@dataclass(frozen=True)
class Load:
    """A full buffer under packets of one size.

    Attributes:
        packet_bytes: Their size.
        wait_s: Waiting time of a packet, without its own transmission.
        packets: The same in packets, at the rate at which they depart.
    """

    packet_bytes: float
    wait_s: float
    packets: float


@dataclass(frozen=True)
class Finding:
    """The unit of a buffer, as far as waiting times tell.

    Attributes:
        unit: `bytes`, `packets`, `cells`, or None where no unit explains both waits.
        limit: The limit in that unit, to about a packet; None without a unit. From two measured waits it is too small
            by the overload where the queue drops at its head.
        why: The reason, in a sentence.
        short: The load of short packets.
        long: The load of long packets.
        off: By unit, the relative difference between the limits by short and by long packets.
    """

    unit: str | None
    limit: float | None
    why: str
    short: Load
    long: Load
    off: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """As `eddyline probe --json` prints it; SI units."""
        return asdict(self)


def judge(
    short: Load, long: Load, units: Mapping[str, Callable[[float], float]] = UNITS, otherwise: str = _NOT_BY_LENGTH
) -> Finding:
    """The unit under which short and long packets give the same limit.

    They must agree within 5 % and a packet of each, the precision of a wait, and better than under any other unit by
    half of that.

    Args:
        short: With short packets.
        long: With long ones.
        units: What a packet occupies.
        otherwise: What may be so where no unit explains both.

    Raises:
        InputError: No packet waits, or the sizes are not in order.
    """
    _require_sizes(short.packet_bytes, long.packet_bytes)
    if min(short.wait_s, long.wait_s) <= 0:
        raise InputError("nothing waits: the buffer is not full", "load the link with more than its rate")
    held = {
        name: (short.packets * of(short.packet_bytes), long.packets * of(long.packet_bytes))
        for name, of in units.items()
    }
    off = {name: abs(a - b) / max(a, b) for name, (a, b) in held.items()}
    best, second = sorted(off, key=lambda name: off[name])[:2]
    known = _TOLERANCE + 1.0 / short.packets + 1.0 / long.packets
    each = [f"{load.packets:.3g} packets of {load.packet_bytes:g} B" for load in (short, long)]
    waiting = f"{each[0]} and {each[1]} wait"
    if off[best] > known:
        why = f"{waiting}: no unit explains both, {otherwise}"
        return Finding(None, None, why, short, long, off)
    if off[second] - off[best] < known / 2.0:
        why = f"{waiting}: too few to tell {best} from {second}"
        return Finding(None, None, why, short, long, off)
    limit = max(held[best])
    waits, sizes = long.wait_s / short.wait_s, long.packet_bytes / short.packet_bytes
    why = f"packets of {sizes:.3g} times the size wait {waits:.3g} times as long"
    return Finding(best, limit, why, short, long, off)


def measured(
    rate_bps: float, sizes: tuple[float, float], waits_s: tuple[float, float], framing: str | None = None
) -> Finding:
    """The finding from two measured waits on a link of `rate_bps`.

    Args:
        rate_bps: The rate of the line, framing included.
        sizes: Sizes of short and of long packets, without framing.
        waits_s: Their waiting times.
        framing: Name of the line's framing, as in scenario files; None for none.
    """
    if framing is not None and framing not in FRAMINGS:
        raise unknown("framing", framing, FRAMINGS)
    _require_sizes(*sizes)
    # packets leave at the rate of their frames, while the queue counts them without
    lines = sizes if framing is None else [FRAMINGS[framing].line_bytes(round(size)) for size in sizes]
    loads = [
        Load(size, wait, wait * rate_bps / (8.0 * line)) for size, wait, line in zip(sizes, waits_s, lines, strict=True)
    ]
    # two waits alone cannot tell which
    line = "a DSL or cable line has framing (--framing)" if framing is None else "the line has another framing"
    otherwise = f"unless the waits are mistaken: {line}, or {_NOT_BY_LENGTH}"
    if framing is None or FRAMINGS[framing].linklayer != "atm":
        return judge(loads[0], loads[1], otherwise=otherwise)
    # cells that wait in a modem have the encapsulation in them
    cells = dict(zip(sizes, (line / _CELL_ON_THE_LINE for line in lines), strict=True))
    return judge(loads[0], loads[1], UNITS | {"cells": lambda size: cells[size]}, otherwise)


def probe(scenario: Given, link: str, *, short: str = "100 B", long: str = "1500 B") -> Finding:
    """Loads a link slightly beyond its rate, with short and with long packets, and compares their waiting times.

    The rate is that of its queue's shaper (tbf, cake), where that is less.
    A queue whose wait changes with the load, or with time under the same load (CoDel, PIE, RED), has no unit.

    Args:
        scenario: Only the link of it is used.
        link: Name of the link.
        short: Size of the short packets on the wire.
        long: Size of the long ones.

    Raises:
        InputError: There is no such link, or a size is wrong.
        EddylineError: The buffer did not fill within an hour.
    """
    scenario = loaded(scenario)
    if link not in scenario.links:
        raise unknown("link", link, scenario.links)
    table = _with_rate(link_tables(scenario.to_dict())[link], scenario)
    sizes = read("short", "bytes", short), read("long", "bytes", long)
    _require_sizes(*sizes)
    if "policer" in table and read("rate", "rate", table["policer"]["rate"]) <= read("rate", "rate", table["rate"]):
        raise InputError(
            f"{link}: nothing waits: its policer drops at once what is beyond the rate",
            "leave the policer out to probe the queue behind it",
        )
    slightly = [_loaded(table, size, _OVERLOAD) for size in sizes]
    found = judge(slightly[0][0], slightly[1][0])
    if found.unit is None:
        return found
    more = [_loaded(table, size, _HIGH_OVERLOAD) for size in sizes]
    if not all(full for _, full in (*slightly, *more)):
        why = "the queue is not always full under more than the link takes: it is not bounded by its length alone"
        return replace(found, unit=None, limit=None, why=why)
    return _bounded_by_length(found, [load for load, _ in more])


def _require_sizes(short: float, long: float) -> None:
    for name, size in (("short", short), ("long", long)):
        if size <= 0:
            raise InputError(f"{name}: packets of {size:g} B; at least 1 B is allowed")
    if short >= long:
        raise InputError(f"short: packets of {short:g} B are not shorter than the long ones, of {long:g} B")


def _bounded_by_length(found: Finding, more: Sequence[Load]) -> Finding:
    """The limit with head drop too, and no unit where the wait of either size changes otherwise with the load.

    The wait is constant with tail drop, inverse with head drop.
    """
    head = False
    for load, higher in zip((found.short, found.long), more, strict=True):
        change = higher.wait_s / load.wait_s
        from_tail, from_head = abs(change - 1.0), abs(change * _HIGH_OVERLOAD / _OVERLOAD - 1.0)
        if min(from_tail, from_head) > 1.0 / load.packets + _TOLERANCE:
            why = (
                f"{load.packet_bytes:g} B packets wait {seconds(load.wait_s)} at {_OVERLOAD:g} times the rate and "
                f"{seconds(higher.wait_s)} at {_HIGH_OVERLOAD:g} times: the queue is not bounded by its length alone"
            )
            return replace(found, unit=None, limit=None, why=why)
        head = from_head < from_tail
    return replace(found, limit=found.limit * _OVERLOAD) if head and found.limit is not None else found


def _with_rate(table: dict[str, Any], scenario: Scenario) -> dict[str, Any]:
    """A link with its rate: the mean of its recording, where it has no other."""
    links = json.loads(scenario.canonical).get("link", [])
    return next(({**table, "rate": each["rate"]} for each in links if each["name"] == table["name"]), table)


def _served_bps(table: dict[str, Any], size: float) -> float:
    """The rate at which packets of this size leave, without framing: that of the link or of its queue's shaper."""
    queue = table["queue"]
    shaper = {"rate": queue.get("rate", queue.get("bandwidth")), "framing": queue.get("framing")}  # tbf, cake
    return min(
        _core.quantity("rate", each["rate"]) * size / framing_of(each.get("framing")).line_bytes(round(size))
        for each in (table, shaper)
        if each["rate"] is not None
    )


def _loaded(table: dict[str, Any], size: float, load: float) -> tuple[Load, bool]:
    """The load, and whether the buffer stays full: one that is bounded by its length lacks a packet at most."""
    from eddyline.scenario import Scenario

    rate = _served_bps(table, size)
    # what else happens on the way says nothing of the queue
    alone = {key: value for key, value in table.items() if key not in _BESIDE_THE_QUEUE} | {"delay": "0 s"}
    seconds = max(_FIRST_PACKETS * 8 * size / rate, _MIN_S)
    longest = min(4.0 * max(_LONG_S, _LONG_PACKETS * 8 * size / rate), _MAX_S)
    filled = False
    while True:
        result = (
            Scenario(
                {
                    "duration": f"{seconds * 1e9:.0f} ns",
                    "warmup": f"{seconds * 5e8:.0f} ns",
                    "link": [alone],
                    "traffic": [
                        {
                            "name": "load",
                            "path": [table["name"]],
                            "packet": f"{size:.0f} B",
                            "model": {"kind": "cbr", "rate": f"{load * rate:.0f} bit/s"},
                        }
                    ],
                }
            )
            .run_with(RunOptions(series=False))
            .to_dict()
        )
        if filled:
            break
        # once more, so that the buffer is full during half of the time
        filled = result["traffic"][0]["packets_dropped"] > 0
        seconds *= 4.0
        if seconds > longest:
            unlimited = table["queue"].get("limit") == "unlimited"
            raise EddylineError(
                f"the buffer of {table['name']!r} did not fill within {longest / 4.0:g} s at {load:g} times its rate",
                "a queue without a limit never fills" if unlimited else "a smaller limit of its queue fills sooner",
            )
    link = result["links"][0]
    wait, waiting = link["queueing_delay_s"]["mean"] or 0.0, link["queue_packets"]
    leaving = (result["traffic"][0]["throughput_bps"] or 0.0) / (8.0 * size)
    full = waiting["max"] - waiting["mean"] <= 1.0 + _TOLERANCE * waiting["mean"]
    return Load(size, wait, wait * leaving), full
