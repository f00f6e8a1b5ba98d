"""What a link's buffer counts: how long a full one takes to pass, loaded with short and with long packets.

Both wait as long in a buffer of bytes; in one of packets as much longer as they are; in one of ATM cells in between.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

from eddyline import _core
from eddyline.errors import EddylineError, InputError
from eddyline.quantities import read
from eddyline.words import unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.scenario import Scenario

__all__ = ["Finding", "Load", "judge", "probe"]

_CELL, _TRAILER = 48, 8
"""Payload of an ATM cell and trailer of an AAL5 frame, bytes (ITU-T I.363.5)."""

UNITS: dict[str, Callable[[float], float]] = {
    "bytes": lambda size: size,
    "packets": lambda _: 1.0,
    "cells": lambda size: float(ceil((size + _TRAILER) / _CELL)),
}
"""What a packet of that many bytes takes of a buffer, by what it counts."""

_WITHIN = 0.05
_OVERLOAD = 1.04
"""Little: a queue that drops at its head shortens the wait of what it keeps by as much."""
_MORE = 1.5
"""A second load: a queue that is bounded by its length does not care."""
_PACKETS_AT_FIRST = 2000
_LONGEST_S = 3600.0


@dataclass(frozen=True)
class Load:
    """A full buffer under packets of one size.

    Attributes:
        packet_bytes: Their size.
        wait_s: How long one of them waits, its own transmission not counted.
        packets: How many that is at the rate at which they leave.
    """

    packet_bytes: float
    wait_s: float
    packets: float


@dataclass(frozen=True)
class Finding:
    """What a buffer counts, as far as its delays tell.

    Attributes:
        unit: `bytes`, `packets`, `cells`, or None where no unit explains both waits.
        limit: How much fits, in that unit, to about a packet; None without a unit.
        why: In a sentence.
        off: By unit, how far what short and long packets say of the limit lies apart, as a share.
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


def judge(short: Load, long: Load) -> Finding:
    """The unit under which short and long packets agree best about the limit.

    They must agree within 5 % and a packet of each, as a wait is known no better, and better than under any other unit
    by half of that.

    Raises:
        InputError: Nothing waits, or the sizes cannot tell the units apart.
    """
    if not 0 < short.packet_bytes < long.packet_bytes:
        raise InputError(f"{short.packet_bytes:g} B is not shorter than {long.packet_bytes:g} B")
    if min(short.wait_s, long.wait_s) <= 0:
        raise InputError("nothing waits: the buffer is not full", "load the link with more than its rate")
    held = {
        name: (short.packets * of(short.packet_bytes), long.packets * of(long.packet_bytes))
        for name, of in UNITS.items()
    }
    off = {name: abs(a - b) / max(a, b) for name, (a, b) in held.items()}
    best, second = sorted(off, key=lambda name: off[name])[:2]
    known = _WITHIN + 1.0 / short.packets + 1.0 / long.packets
    each = [f"{load.packets:.3g} packets of {load.packet_bytes:g} B" for load in (short, long)]
    waiting = f"{each[0]} and {each[1]} wait"
    if off[best] > known:
        why = f"{waiting}: no unit explains both, the queue is not bounded by its length alone"
        return Finding(None, None, why, short, long, off)
    if off[second] - off[best] < known / 2.0:
        why = f"{waiting}: too few to tell {best} from {second}"
        return Finding(None, None, why, short, long, off)
    limit = max(held[best])
    waits, sizes = long.wait_s / short.wait_s, long.packet_bytes / short.packet_bytes
    why = f"packets {sizes:.3g} times as long wait {waits:.3g} times as long"
    return Finding(best, limit, why, short, long, off)


def measured(rate_bps: float, sizes: tuple[float, float], waits_s: tuple[float, float]) -> Finding:
    """The same from two waits that somebody measured on a link of `rate_bps`."""
    loads = [Load(size, wait, wait * rate_bps / (8.0 * size)) for size, wait in zip(sizes, waits_s, strict=True)]
    return judge(loads[0], loads[1])


def probe(scenario: Scenario, link: str, *, short: str = "100 B", long: str = "1500 B") -> Finding:
    """Loads a link a little beyond its rate, by short and by long packets, and compares how long they wait.

    A queue whose wait changes with the load (CoDel, PIE, RED) has no unit.

    Args:
        scenario: Its flows and traffic are left out, the link is as it says.
        link: Name of the link.
        short: Size of the short packets on the wire.
        long: Size of the long ones.

    Raises:
        InputError: There is no such link, or a size is wrong.
        EddylineError: The buffer did not fill within an hour.
    """
    if link not in scenario.links:
        raise unknown("link", link, scenario.links)
    table = _table(scenario.to_dict(), link)
    sizes = read("short", "bytes", short), read("long", "bytes", long)
    if not 0 < sizes[0] < sizes[1]:
        raise InputError(f"{short!r} is not shorter than {long!r}")
    found = judge(*(_loaded(table, size, _OVERLOAD) for size in sizes))
    return found if found.unit is None else _held_to_its_length(found, _loaded(table, sizes[1], _MORE))


def _held_to_its_length(found: Finding, more: Load) -> Finding:
    """No unit where the wait changes with the load: drop-tail keeps its length, head drop its length over the load."""
    packet = 1.0 / found.long.packets + _WITHIN
    change = more.wait_s / found.long.wait_s
    if min(abs(change - 1.0), abs(change * _MORE / _OVERLOAD - 1.0)) <= packet:
        return found
    why = (
        f"{found.long.packet_bytes:g} B packets wait {found.long.wait_s:.3g} s at {_OVERLOAD:g} times the rate and "
        f"{more.wait_s:.3g} s at {_MORE:g} times: the queue is not bounded by its length alone"
    )
    return replace(found, unit=None, limit=None, why=why)


def _table(scenario: dict[str, Any], link: str) -> dict[str, Any]:
    """The table of a link; for a direction of a duplex that of its preset with what the scenario says instead."""
    from eddyline.controllers.names import register

    for table in scenario.get("link", []):
        if table["name"] == link:
            return dict(table)
    name, _, way = link.rpartition("/")
    duplex = next(d for d in scenario["duplex"] if d["name"] == name)
    preset = next(p for p in register()["presets"] if p["name"] == duplex["preset"])
    return {**preset[way], **duplex.get(way, {}), "name": link}


def _loaded(table: dict[str, Any], size: float, load: float) -> Load:
    from eddyline.scenario import Scenario

    rate = _core.quantity("rate", table["rate"])
    alone = {key: value for key, value in table.items() if key != "medium"}
    seconds = _PACKETS_AT_FIRST * 8 * size / rate
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
            .run("sim", series=False)
            .to_dict()
        )
        if filled:
            break
        # once more, so that half of the time is after the buffer is full
        filled = result["traffic"][0]["packets_dropped"] > 0
        seconds *= 4.0
        if seconds > 4.0 * _LONGEST_S:
            raise EddylineError(
                f"the buffer of {table['name']!r} did not fill within {_LONGEST_S:g} s of a little more than its rate",
                "a buffer without limit has no unit",
            )
    wait = result["links"][0]["queueing_delay_s"]["mean"]
    leaving = result["traffic"][0]["throughput_bps"] / (8.0 * size)
    return Load(size, wait, wait * leaving)
