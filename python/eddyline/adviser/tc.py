"""Commands of `tc` and `ip` that come nearest to the links of a scenario.

A link has two ends: a queue with a rate where packets leave, and a delay behind it. On Linux both cannot be on one
device without counting packets in propagation as waiting ones, so netem goes to the device that packets arrive by, on
an `ifb` device in front of its stack.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import eddyline._core as _core
from eddyline.adviser.disciplines import MIN_RATE, NO_LIMIT, cake_options, discipline
from eddyline.adviser.shaping import emptied, link_header
from eddyline.capacity import link_tables
from eddyline.framing import BARE, Framing, framing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eddyline.scenario import Scenario

__all__ = ["LinkCommands", "commands"]

_FULL_FRAME_B = 1514
"""A full packet with Ethernet's header."""
_NORMAL_MEAN_SD = 4
"""Mean of normal jitter without `mean`, in standard deviations."""
_LONGEST_US = 2**32 * 64 // 1000  # tc counts 64 ns
_DEVICE_NAME = 15  # characters of a device's name


class LinkCommands(NamedTuple):
    """What sets up one link.

    Attributes:
        link: Its name.
        queue: Lines for the device that packets leave by.
        path: Lines for the device that they arrive by; none without delay, loss and jitter.
        notes: What the lines cannot express.
    """

    link: str
    queue: list[str]
    path: list[str]
    notes: list[str]


def commands(scenario: Scenario, devices: Mapping[str, tuple[str, str]]) -> list[LinkCommands]:
    """The commands for all links.

    Args:
        scenario: Whose links.
        devices: For a link by name, the devices that packets leave by and arrive by.
    """
    links = link_tables(scenario.to_dict())
    tables = [links[name] for name in scenario.links]
    ifbs = _ifbs(scenario.links)
    return [_link(_complete(table), *devices[table["name"]], ifbs[table["name"]]) for table in tables]


def _ifbs(links: Iterable[str]) -> dict[str, str]:
    """A name for the `ifb` device of each link: the link's as far as it fits, with a number where that is another's."""
    names: dict[str, str] = {}
    for link in links:
        whole = "ifb-" + re.sub(r"[^A-Za-z0-9]", "-", link)
        name, number = whole[:_DEVICE_NAME], 1
        while name in names.values():
            number += 1
            name = f"{whole[: _DEVICE_NAME - len(f'-{number}')]}-{number}"
        names[link] = name
    return names


def _complete(table: Mapping[str, Any]) -> dict[str, Any]:
    """A link with all defaults; a medium's other links and the file of a recording are not there."""
    from eddyline.scenario import Scenario

    # few and small, so that every limit and delay allows them
    load = {"name": "load", "path": [table["name"]], "packet": "1 B", "model": {"kind": "cbr", "rate": "1 bit/s"}}
    apart = {key: value for key, value in table.items() if key in ("medium", "trace")}
    alone = {key: value for key, value in table.items() if key not in apart}
    whole = Scenario({"duration": "1 s", "link": [alone], "traffic": [load]})
    return {**json.loads(whole.canonical)["link"][0], **apart}


def _link(link: Mapping[str, Any], leave: str, arrive: str, ifb: str) -> LinkCommands:
    notes: list[str] = []
    name, rate_bps = link["name"], _core.quantity("rate", link["rate"])
    if rate_bps < MIN_RATE:
        notes.append(f"rate: tc takes {MIN_RATE} bit/s at least")
        rate_bps = MIN_RATE
    framing, queue = framing_of(link.get("framing")), link["queue"]
    if queue["kind"] == "cake":
        lines = [f"tc qdisc replace dev {leave} root cake {cake_options(queue, rate_bps, framing, notes)}"]
    else:
        if framing.linklayer == "ptm":
            notes.append("framing: a size table has no packet transfer mode; take 1/65 off the rate")
        burst = max(2 * _FULL_FRAME_B, round(rate_bps / 8 / 1000))
        htb = f"rate {rate_bps:.0f}bit burst {burst} cburst {burst} quantum {_FULL_FRAME_B}"
        if queue["kind"] == "tbf" and (own := framing_of(queue.get("framing"))) != framing:
            # only the root has a size table
            notes.append("queue tbf: the link's rate counts packets with the framing of the bucket, too")
            framing = own
        leaf = discipline(queue, rate_bps, framing, notes)
        lines = [
            f"tc qdisc replace dev {leave} root handle 1: {_size_table(framing, leave)}htb default 1",
            f"tc class replace dev {leave} parent 1: classid 1:1 htb {htb}",
            f"tc qdisc replace dev {leave} parent 1:1 handle 10: {leaf}",
        ]
    netem = _netem(link, notes)
    path = []
    if netem:
        path = [
            f"ip link add {ifb} type ifb",
            f"ip link set {ifb} up",
            f"tc qdisc replace dev {arrive} handle ffff: ingress",
            f"tc filter replace dev {arrive} parent ffff: prio 1 matchall action mirred egress redirect dev {ifb}",
            emptied(ifb),
            f"tc qdisc replace dev {ifb} root netem limit {NO_LIMIT} {netem}",
        ]
    notes += [
        f"{key}: tc has nothing like it"
        for key in ("reconstruct", "medium", "changes", "outages", "trace")
        if link.get(key)
    ]
    if link.get("policer"):
        notes.append("policer: these lines have none; tc-police(8) polices by a token bucket")
    return LinkCommands(name, [emptied(leave), *lines], path, notes)


def _size_table(framing: Framing, device: str) -> str:
    """The size table of all disciplines but CAKE.

    Linux counts the header of Ethernet, which packets of a scenario do not have: the size table takes it off.
    """
    header = link_header(device)
    if framing == BARE:
        return f"stab overhead {-header} linklayer ethernet " if header else ""
    layer = "atm" if framing.linklayer == "atm" else "ethernet"
    return f"stab mpu {framing.minimum_B} overhead {framing.overhead_B - header} linklayer {layer} "


def _netem(link: Mapping[str, Any], notes: list[str]) -> str:
    words, loss = _delay(link, notes), link.get("loss", 0)
    if isinstance(loss, dict):
        words += _loss_pattern(loss, notes)
    elif loss:
        words.append(f"loss random {100 * loss:g}%")
    if corrupt := link.get("corrupt"):
        words.append(f"corrupt {100 * corrupt:g}%")
    return " ".join(words)


def _delay(link: Mapping[str, Any], notes: list[str]) -> list[str]:
    """The whole delay: netem takes its mean and standard deviation (tc-netem(8)), a scenario those of what is added."""
    delay, jitter = _seconds(link["delay"]), link.get("jitter") or {}
    spread = mean = 0.0
    if jitter:
        normal = jitter["kind"] == "normal"
        # an exponential delay has its mean as standard deviation
        spread = _seconds(jitter["sd"] if normal else jitter["mean"])
        mean = _seconds(jitter["mean"]) if "mean" in jitter else _NORMAL_MEAN_SD * spread
    if not spread:
        return [f"delay {_us('delay', delay + mean, notes)}"] if delay + mean > 0 else []
    if not normal:
        notes.append(f"jitter {jitter['kind']}: netem has no such distribution; this one is Pareto's")
    if _seconds(jitter["correlation"]) > 0:
        notes.append("jitter correlation: netem correlates by packets, not by time; these lines have none")
    if not link.get("reorder"):
        notes.append("jitter: netem reorders packets by it; this link does not (reorder = true would)")
    times = f"{_us('delay', delay + mean, notes)} {_us('jitter', spread, notes)}"
    return [f"delay {times} distribution {'normal' if normal else 'pareto'}"]


def _loss_pattern(loss: Mapping[str, Any], notes: list[str]) -> list[str]:
    """The chain of Gilbert and Elliott is netem's `gemodel` (tc-netem(8))."""
    if loss["kind"] == "gilbert-elliott":
        shares = [loss["p"], loss["r"], loss.get("bad", 1), loss.get("good", 0)]
        return ["loss gemodel " + " ".join(f"{100 * share:g}%" for share in shares)]
    notes.append(f"loss {loss['kind']}: netem loses packets at random, as many on average")
    return [f"loss random {100 / loss['every']:g}%"]


def _seconds(time: str) -> float:
    return _core.quantity("time", time)


def _us(key: str, seconds: float, notes: list[str]) -> str:
    # zero would be no jitter, with which netem has no distribution
    written = min(max(round(1e6 * seconds), 1), _LONGEST_US)
    if not math.isclose(written, 1e6 * seconds, rel_tol=1e-9):
        notes.append(f"{key}: netem takes whole microseconds up to {_LONGEST_US / 1e6:.0f} s, not {seconds:g} s")
    return f"{written}us"
