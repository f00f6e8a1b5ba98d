"""Commands of `tc` and `ip` that come nearest to the links of a scenario.

A link has two ends: a queue with a rate where packets leave, and a delay behind it. On Linux both cannot be on one
device without counting packets in propagation as waiting ones, so netem goes to the device that packets arrive by, on
an `ifb` device in front of its stack.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import eddyline._core as _core
from eddyline.adviser.line import LINES
from eddyline.adviser.shaping import link_header
from eddyline.probing import link_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.scenario import Scenario

__all__ = ["LinkCommands", "commands"]

_FULL_B = 1514
"""A full packet with Ethernet's header."""
_CELL_B = 48
_NORMAL_MEAN_SD = 4
"""Mean of normal jitter without `mean`, in standard deviations."""
_NO_LIMIT = 1_000_000  # packets: more than any path of a test holds
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
    tables = [link_table(scenario.to_dict(), name) for name in scenario.links]
    return [_link(_complete(table), *devices[table["name"]]) for table in tables]


def _complete(table: Mapping[str, Any]) -> dict[str, Any]:
    """A link with all defaults; a medium's other links are not there."""
    from eddyline.scenario import Scenario

    load = {"name": "load", "path": [table["name"]], "model": {"kind": "cbr", "rate": table["rate"]}}
    whole = Scenario({"duration": "1 s", "link": [dict(table)], "traffic": [load]})
    return dict(json.loads(whole.canonical)["link"][0])


def _link(link: Mapping[str, Any], leave: str, arrive: str) -> LinkCommands:
    notes: list[str] = []
    name, rate_bps = link["name"], _core.quantity("rate", link["rate"])
    rate, queue = f"{rate_bps:.0f}bit", link["queue"]
    table, keywords, ptm = _framing(link.get("framing"), leave, notes)
    if queue["kind"] == "cake":
        isolation = {"hosts": "triple-isolate", "flows": "flows"}.get(queue["isolation"], "triple-isolate")
        filters = {"none": "no-ack-filter", "conservative": "ack-filter", "aggressive": "ack-filter-aggressive"}
        options = [
            f"bandwidth {rate}",
            "besteffort",
            isolation,
            f"rtt {_us(_seconds(queue['rtt']))}",
            filters[queue["ack_filter"]],
        ]
        options.append(f"memlimit {_core.quantity('bytes', queue['limit']):.0f}")
        lines = [f"tc qdisc replace dev {leave} root cake {' '.join(options)} {keywords}"]
    else:
        if ptm:
            notes.append("framing: a size table has no packet transfer mode; take 1/65 off the rate")
        burst = max(2 * _FULL_B, round(rate_bps / 8 / 1000))
        bursts = f"burst {burst} cburst {burst}"
        lines = [
            f"tc qdisc replace dev {leave} root handle 1: {table}htb default 1",
            f"tc class replace dev {leave} parent 1: classid 1:1 htb rate {rate} {bursts} quantum {_FULL_B}",
            f"tc qdisc replace dev {leave} parent 1:1 handle 10: {_leaf(queue, notes)}",
        ]
    netem = _netem(link, notes)
    path = []
    if netem:
        ifb = "ifb-" + re.sub(r"[^A-Za-z0-9]", "-", name)[: _DEVICE_NAME - 4]
        path = [
            f"ip link add {ifb} type ifb",
            f"ip link set {ifb} up",
            f"tc qdisc replace dev {arrive} handle ffff: ingress",
            f"tc filter replace dev {arrive} parent ffff: prio 1 matchall action mirred egress redirect dev {ifb}",
            f"tc qdisc replace dev {ifb} root netem limit {_NO_LIMIT} {netem}",
        ]
    notes += [
        f"{key}: tc has nothing like it"
        for key in ("corrupt", "reconstruct", "medium", "changes", "outages", "trace", "policer")
        if link.get(key)
    ]
    return LinkCommands(name, lines, path, notes)


def _framing(framing: Any, device: str, notes: list[str]) -> tuple[str, str, bool]:
    """The size table of other disciplines, CAKE's keywords, and whether the line is in packet transfer mode.

    Linux counts the header of Ethernet, which packets of a scenario do not have: the size table takes it off, and CAKE
    does where an overhead is given (`raw` counts it).
    """
    header = link_header(device)
    bare = (f"stab overhead {-header} linklayer ethernet " if header else "", "overhead 0", False)
    if not framing:
        return bare
    if isinstance(framing, str):
        # the keywords of tc-cake(8) are those of the scenario file
        line = LINES.get(framing)
        if line is None:
            notes.append(f"framing {framing}: give its overhead by hand (tc-stab(8))")
            return bare
        overhead, minimum, layer = line.overhead_B, line.minimum_B, line.linklayer
    else:
        overhead, minimum = (round(_core.quantity("bytes", framing.get(key, "0 B"))) for key in ("overhead", "minimum"))
        layer = framing.get("linklayer", "none")
    table = f"stab mpu {minimum} overhead {overhead - header} linklayer {'atm' if layer == 'atm' else 'ethernet'} "
    return table, f"overhead {overhead} mpu {minimum} {layer if layer != 'none' else 'noatm'}", layer == "ptm"


def _leaf(queue: Mapping[str, Any], notes: list[str]) -> str:
    kind = queue["kind"]
    plain = {
        "droptail": _fifo,
        "headdrop": _fifo,
        "codel": _codel,
        "fq_codel": _codel,
        "pie": _pie,
        "sfq": _sfq,
        "red": _red,
    }
    if kind in plain:
        return plain[kind](queue, notes)
    limit = queue.get("limit", "unlimited")
    notes.append(f"queue {kind}: no discipline of tc is the same; these lines have a plain queue of its size")
    if kind in ("ack_filter", "ack_decimation"):
        notes.append("CAKE has a filter of acknowledgements: cake ack-filter")
    return _fifo({"kind": "droptail", "limit": limit}, notes)


def _fifo(queue: Mapping[str, Any], notes: list[str]) -> str:
    limit, drops_head = queue.get("limit", "unlimited"), queue["kind"] == "headdrop"
    if limit == "unlimited":
        return f"{'pfifo_head_drop' if drops_head else 'pfifo'} limit {_NO_LIMIT}"
    number, _, unit = limit.partition(" ")
    if unit.startswith("packet"):
        return f"{'pfifo_head_drop' if drops_head else 'pfifo'} limit {number}"
    size = float(number) * _CELL_B if unit.startswith("cell") else _core.quantity("bytes", limit)
    if drops_head:
        notes.append("queue headdrop: tc counts its limit in packets; this is the number of full ones")
        return f"pfifo_head_drop limit {max(1, round(size / _FULL_B))}"
    return f"bfifo limit {size:.0f}"


def _packets(limit: str) -> int:
    """A limit in packets, full ones where it is in bytes."""
    number, _, unit = limit.partition(" ")
    if limit == "unlimited":
        return _NO_LIMIT
    return int(number) if unit.startswith("packet") else max(1, round(_core.quantity("bytes", limit) / _FULL_B))


def _ecn(queue: Mapping[str, Any]) -> str:
    return "ecn" if queue.get("ecn") else "noecn"


def _codel(queue: Mapping[str, Any], notes: list[str]) -> str:
    del notes
    times = f"target {_us(_seconds(queue['target']))} interval {_us(_seconds(queue['interval']))}"
    if queue["kind"] == "codel":
        return f"codel limit {_packets(queue['limit'])} {times} {_ecn(queue)}"
    sizes = f"flows {queue['queues']} quantum {_core.quantity('bytes', queue['quantum']):.0f}"
    memory = f"memory_limit {_core.quantity('bytes', queue['memory_limit']):.0f}"
    return f"fq_codel limit {_packets(queue['limit'])} {sizes} {times} {memory} {_ecn(queue)}"


def _pie(queue: Mapping[str, Any], notes: list[str]) -> str:
    notes.append("queue pie: alpha and beta are left to the kernel, which counts them in units of its own")
    times = f"target {_us(_seconds(queue['target']))} tupdate {_us(_seconds(queue['update']))}"
    return f"pie limit {_packets(queue['limit'])} {times} {_ecn(queue)}"


def _sfq(queue: Mapping[str, Any], notes: list[str]) -> str:
    del notes
    perturb = round(_seconds(queue["perturb"]))
    head = " headdrop" if queue["drop"] == "head" else ""
    return f"sfq limit {_packets(queue['limit'])} divisor {queue['queues']} perturb {perturb}{head}"


def _red(queue: Mapping[str, Any], notes: list[str]) -> str:
    packet = _core.quantity("bytes", queue["typical_packet"])
    low, high = (_threshold(queue[key], packet) for key in ("min_threshold", "max_threshold"))
    limit = _packets(queue["limit"]) * packet
    # tc derives the weight from burst (tc-red(8)): about (2 min + max) / (3 avpkt) packets are usual
    burst = max(1, round((2 * low + high) / (3 * packet)))
    notes.append(f"queue red: tc derives the weight from burst; the scenario's is {queue['weight']:g}")
    ecn = " ecn" if queue.get("ecn") else ""
    adaptive = f"probability {queue['max_p']:g} burst {burst}{ecn}"
    return f"red limit {limit:.0f} min {low:.0f} max {high:.0f} avpkt {packet:.0f} {adaptive}"


def _threshold(text: str, packet_bytes: float) -> float:
    number, _, unit = text.partition(" ")
    return float(number) * packet_bytes if unit.startswith("packet") else _core.quantity("bytes", text)


def _netem(link: Mapping[str, Any], notes: list[str]) -> str:
    words: list[str] = []
    jitter, loss = link.get("jitter"), link.get("loss", 0)
    delay = _seconds(link["delay"])
    if jitter:
        words += _jitter(jitter, delay, notes)
        if not link.get("reorder"):
            notes.append("jitter: netem reorders packets by it; this link does not (reorder = true would)")
    elif delay > 0:
        words.append(f"delay {_us(delay)}")
    if isinstance(loss, dict):
        words += _loss_pattern(loss, notes)
    elif loss:
        words.append(f"loss random {100 * loss:g}%")
    return " ".join(words)


def _jitter(jitter: Mapping[str, Any], delay: float, notes: list[str]) -> list[str]:
    """The whole delay: netem takes its mean and standard deviation (tc-netem(8)), a scenario those of what is added."""
    normal = jitter["kind"] == "normal"
    # an exponential delay has its mean as standard deviation
    spread = _seconds(jitter["sd"] if normal else jitter["mean"])
    mean = _seconds(jitter["mean"]) if "mean" in jitter else _NORMAL_MEAN_SD * spread
    if not normal:
        notes.append(f"jitter {jitter['kind']}: netem has no such distribution; this one is Pareto's")
    if _seconds(jitter["correlation"]) > 0:
        notes.append("jitter correlation: netem correlates by packets, not by time; these lines have none")
    return [f"delay {_us(delay + mean)} {_us(spread)} distribution {'normal' if normal else 'pareto'}"]


def _loss_pattern(loss: Mapping[str, Any], notes: list[str]) -> list[str]:
    """The chain of Gilbert and Elliott is netem's `gemodel` (tc-netem(8))."""
    if loss["kind"] == "gilbert-elliott":
        shares = [loss["p"], loss["r"], loss.get("bad", 1), loss.get("good", 0)]
        return ["loss gemodel " + " ".join(f"{100 * share:g}%" for share in shares)]
    notes.append(f"loss {loss['kind']}: netem loses packets at random, as many on average")
    return [f"loss random {100 / loss['every']:g}%"]


def _seconds(time: str) -> float:
    return _core.quantity("time", time)


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.0f}us"
