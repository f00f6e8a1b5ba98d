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
from eddyline.adviser.shaping import emptied, link_header
from eddyline.framing import FRAMINGS, Framing
from eddyline.probing import link_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eddyline.scenario import Scenario

__all__ = ["LinkCommands", "commands"]

_FULL_B = 1500
"""A full packet."""
_FULL_FRAME_B = 1514
"""The same with Ethernet's header."""
_CELL_B, _TRAILER_B = 48, 8
_SIZES_B = (40, 52, 100, 576, 1500)
"""Sizes of packets at which a shaper is compared with the link behind it."""
_BARE = Framing("", 0, 0, "none")
_NORMAL_MEAN_SD = 4
"""Mean of normal jitter without `mean`, in standard deviations."""
_NO_LIMIT = 1_000_000  # packets: more than any path of a test holds
_MAX_RED_BURST = 10_000  # packets: weights down to 1e-7
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
    framing, queue = _framing(link.get("framing")), link["queue"]
    if queue["kind"] == "cake":
        lines = [f"tc qdisc replace dev {leave} root cake {_cake(queue, rate_bps, framing, notes)}"]
    else:
        if framing.linklayer == "ptm":
            notes.append("framing: a size table has no packet transfer mode; take 1/65 off the rate")
        burst = max(2 * _FULL_FRAME_B, round(rate_bps / 8 / 1000))
        htb = f"rate {rate_bps:.0f}bit burst {burst} cburst {burst} quantum {_FULL_FRAME_B}"
        if queue["kind"] == "tbf" and (own := _framing(queue.get("framing"))) != framing:
            # only the root has a size table
            notes.append("queue tbf: the link's rate counts packets with the framing of the bucket, too")
            framing = own
        leaf = _leaf(queue, rate_bps, framing, notes)
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
            f"tc qdisc replace dev {ifb} root netem limit {_NO_LIMIT} {netem}",
        ]
    notes += [
        f"{key}: tc has nothing like it"
        for key in ("reconstruct", "medium", "changes", "outages", "trace")
        if link.get(key)
    ]
    if link.get("policer"):
        notes.append("policer: these lines have none; tc-police(8) polices by a token bucket")
    return LinkCommands(name, [emptied(leave), *lines], path, notes)


def _framing(given: Any) -> Framing:
    """The framing of a link or of a shaper, by name or in numbers."""
    if not given:
        return _BARE
    if isinstance(given, str):
        return FRAMINGS[given]
    overhead, minimum = (round(_core.quantity("bytes", given.get(key, "0 B"))) for key in ("overhead", "minimum"))
    return Framing("", overhead, minimum, given.get("linklayer", "none"))


def _size_table(framing: Framing, device: str) -> str:
    """The size table of all disciplines but CAKE.

    Linux counts the header of Ethernet, which packets of a scenario do not have: the size table takes it off.
    """
    header = link_header(device)
    if framing == _BARE:
        return f"stab overhead {-header} linklayer ethernet " if header else ""
    layer = "atm" if framing.linklayer == "atm" else "ethernet"
    return f"stab mpu {framing.minimum_B} overhead {framing.overhead_B - header} linklayer {layer} "


def _counted_B(framing: Framing) -> int:  # noqa: N802 (bytes)
    """What disciplines behind a size table count for a full packet."""
    layer = "atm" if framing.linklayer == "atm" else "none"
    return Framing("", framing.overhead_B, framing.minimum_B, layer).line_bytes(_FULL_B)


def _cake(queue: Mapping[str, Any], rate_bps: float, line: Framing, notes: list[str]) -> str:
    framing = line
    if "bandwidth" in queue:
        link_bps, rate_bps = rate_bps, _core.quantity("rate", queue["bandwidth"])
        framing = _framing(queue.get("framing"))
        slower = [s for s in _SIZES_B if line.line_bytes(s) / link_bps > framing.line_bytes(s) / rate_bps * (1 + 1e-9)]
        if slower:
            sizes = ", ".join(f"{size} B" for size in slower)
            notes.append(f"queue cake: the link is slower than its bandwidth for packets of {sizes}; only CAKE is here")
    # it takes off Ethernet's header where an overhead is given (`raw` counts it)
    keywords = "overhead 0"
    if framing != _BARE:
        layer = "noatm" if framing.linklayer == "none" else framing.linklayer
        keywords = f"overhead {framing.overhead_B} mpu {framing.minimum_B} {layer}"
    if queue["isolation"] == "hosts":
        notes.append(
            "queue cake: this is triple-isolate; dual-dsthost or dual-srchost share among the hosts of one side only"
        )
    filters = {"none": "no-ack-filter", "conservative": "ack-filter", "aggressive": "ack-filter-aggressive"}
    options = [
        f"bandwidth {rate_bps:.0f}bit",
        "besteffort",
        {"hosts": "triple-isolate", "flows": "flows"}.get(queue["isolation"], "triple-isolate"),
        f"rtt {_us(_seconds(queue['rtt']))}",
        filters[queue["ack_filter"]],
        f"memlimit {_core.quantity('bytes', queue['limit']):.0f}",
        keywords,
    ]
    return " ".join(options)


def _leaf(queue: Mapping[str, Any], rate_bps: float, framing: Framing, notes: list[str]) -> str:
    kind = queue["kind"]
    plain = {
        "codel": _codel,
        "fq_codel": _codel,
        "pie": _pie,
        "dualpi2": _dualpi2,
        "sfq": _sfq,
    }
    if kind in plain:
        return plain[kind](queue, notes)
    if kind == "red":
        return _red(queue, rate_bps, notes)
    if kind == "tbf":
        return _tbf(queue, framing, notes)
    if kind not in ("droptail", "headdrop"):
        notes.append(f"queue {kind}: no discipline of tc is the same; these lines have a plain queue of its size")
        if kind in ("ack_filter", "ack_decimation"):
            notes.append("CAKE has a filter of acknowledgements: cake ack-filter")
    return _fifo(queue, framing, notes)


def _fifo(queue: Mapping[str, Any], framing: Framing, notes: list[str]) -> str:
    limit, drops_head = queue.get("limit", "unlimited"), queue["kind"] == "headdrop"
    if limit == "unlimited" or limit.endswith("packets"):
        return f"{'pfifo_head_drop' if drops_head else 'pfifo'} limit {_packets(limit)}"
    if drops_head:
        _in_packets(queue, notes)
        return f"pfifo_head_drop limit {_packets(limit)}"
    if framing != _BARE or "cell" in limit:
        notes.append("queue: bfifo counts its limit in bytes, framing included; this is that of as many full packets")
    return f"bfifo limit {_full_packets(limit) * _counted_B(framing):.0f}"


def _tbf(queue: Mapping[str, Any], framing: Framing, notes: list[str]) -> str:
    if queue["limit"] != "unlimited" and (queue["limit"].endswith("packets") or framing != _BARE):
        notes.append("queue tbf: tc counts its limit in bytes, framing included; this is that of full packets")
    limit = _full_packets(queue["limit"]) * _counted_B(framing)
    rate, burst = _core.quantity("rate", queue["rate"]), _core.quantity("bytes", queue["burst"])
    return f"tbf rate {rate:.0f}bit burst {burst:.0f} limit {limit:.0f}"


def _full_packets(limit: str) -> float:
    """How many full packets a limit holds, in parts of one too."""
    number, _, unit = limit.partition(" ")
    if limit == "unlimited":
        return _NO_LIMIT
    if unit.startswith("packet"):
        return float(number)
    if unit.startswith("cell"):  # AAL5: its trailer is in the last cell
        return float(number) / -(-(_FULL_B + _TRAILER_B) // _CELL_B)
    return _core.quantity("bytes", limit) / _FULL_B


def _packets(limit: str) -> int:
    """A limit in packets, full ones where it is in bytes or cells."""
    return max(1, round(_full_packets(limit)))


def _in_packets(queue: Mapping[str, Any], notes: list[str]) -> None:
    if queue["limit"] != "unlimited" and not queue["limit"].endswith("packets"):
        notes.append(f"queue {queue['kind']}: tc counts its limit in packets; this is the number of full ones")


def _ecn(queue: Mapping[str, Any]) -> str:
    return "ecn" if queue.get("ecn") else "noecn"


def _codel(queue: Mapping[str, Any], notes: list[str]) -> str:
    _in_packets(queue, notes)
    times = f"target {_us(_seconds(queue['target']))} interval {_us(_seconds(queue['interval']))}"
    if queue["kind"] == "codel":
        return f"codel limit {_packets(queue['limit'])} {times} {_ecn(queue)}"
    sizes = f"flows {queue['queues']} quantum {_core.quantity('bytes', queue['quantum']):.0f}"
    memory = f"memory_limit {_core.quantity('bytes', queue['memory_limit']):.0f}"
    return f"fq_codel limit {_packets(queue['limit'])} {sizes} {times} {memory} {_ecn(queue)}"


def _pie(queue: Mapping[str, Any], notes: list[str]) -> str:
    _in_packets(queue, notes)
    notes.append("queue pie: alpha and beta are left to the kernel, which counts them in units of its own")
    times = f"target {_us(_seconds(queue['target']))} tupdate {_us(_seconds(queue['update']))}"
    return f"pie limit {_packets(queue['limit'])} {times} {_ecn(queue)}"


def _dualpi2(queue: Mapping[str, Any], notes: list[str]) -> str:
    _in_packets(queue, notes)
    target, longest = (_seconds(queue[key]) for key in ("target", "max_rtt"))
    update = min(target, longest / 3)
    gains = f"alpha {0.1 * update / longest**2:g} beta {0.3 / longest:g}"  # RFC 9332, Appendix A
    start, width = (_seconds(queue[key]) for key in ("ramp_from", "ramp_range"))
    if width > 0:
        notes.append("queue dualpi2: Linux has a step in place of the ramp; this is in its middle")
    notes.append("queue dualpi2: needs Linux 6.17 and a tc that has tc-dualpi2(8)")
    step = f"step_thresh {_us(start + width / 2)} min_qlen_step {_packets(queue['ramp_packets'])}"
    coupling, share = round(queue["coupling"]), round(100 * queue["classic_weight"])
    if coupling != queue["coupling"] or share != 100 * queue["classic_weight"]:
        notes.append("queue dualpi2: tc takes whole numbers for the coupling factor and the percentage")
    # max_rtt would set the target too
    times = f"target {_us(target)} tupdate {_us(update)} {gains}"
    weights = f"coupling_factor {coupling} {step} classic_protection {share}%"
    return f"dualpi2 limit {_packets(queue['limit'])} {times} {weights}"


def _sfq(queue: Mapping[str, Any], notes: list[str]) -> str:
    _in_packets(queue, notes)
    perturb = round(_seconds(queue["perturb"]))
    head = " headdrop" if queue["drop"] == "head" else ""
    return f"sfq limit {_packets(queue['limit'])} divisor {queue['queues']} perturb {perturb}{head}"


def _red(queue: Mapping[str, Any], rate_bps: float, notes: list[str]) -> str:
    packet = _core.quantity("bytes", queue["typical_packet"])
    low, high = (_threshold(queue[key], packet) for key in ("min_threshold", "max_threshold"))
    limit = _packets(queue["limit"]) * packet
    burst = _red_burst(queue["weight"], low / packet)
    if burst is None:
        burst = max(1, round((2 * low + high) / (3 * packet)))  # the guideline of tc-red(8)
        notes.append(f"queue red: tc derives the weight from burst; no burst gives the scenario's, {queue['weight']:g}")
    elif (parts := 2 ** _red_weight_log(burst, low / packet)) * queue["weight"] != 1:
        notes.append(f"queue red: tc's weights are powers of two: 1/{parts} for the scenario's {queue['weight']:g}")
    if queue["gentle"]:
        notes.append("queue red: tc's is not gentle; it drops or marks every packet above the upper threshold")
    ecn = (" ecn harddrop" if queue.get("hard_drop", True) else " ecn") if queue.get("ecn") else ""
    bounds = f"limit {limit:.0f} min {low:.0f} max {high:.0f} avpkt {packet:.0f}"
    return f"red {bounds} bandwidth {rate_bps:.0f}bit probability {queue['max_p']:g} burst {burst}{ecn}"


def _red_weight_log(burst: int, low: float) -> int:
    """The weight that tc gives RED for a burst, as the exponent of a half; 0 for none (iproute2, `tc_red_eval_ewma`).

    It is the largest whose average stays below the lower threshold, here in packets, while `burst` packets arrive at
    an empty queue.
    """
    least = burst + 1 - low
    if least < 1:
        return 0
    return next((log for log in range(1, 32) if least <= (1 - (1 - 0.5**log) ** burst) * 2**log), 0)


def _red_burst(weight: float, low: float) -> int | None:
    """The smallest burst for which tc gives RED the power of two next to a weight; None if no burst does."""
    log = max(1, round(-math.log2(weight)))
    return next((burst for burst in range(1, _MAX_RED_BURST) if _red_weight_log(burst, low) == log), None)


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
    if corrupt := link.get("corrupt"):
        words.append(f"corrupt {100 * corrupt:g}%")
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
