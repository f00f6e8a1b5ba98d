"""Queues of scenarios as the nearest disciplines of `tc`, in values that `tc` and Linux take.

Every parameter of a queue is in its line, or a note says what is there in its place.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.framing import BARE, Framing, framing_of
from eddyline.quantities import measured

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MIN_RATE", "NO_LIMIT", "cake_options", "discipline", "holds"]

_FULL_B = 1500
"""A full packet."""
_CELL_B, _TRAILER_B = 48, 8
_SIZES_B = (40, 52, 100, 576, 1500)
"""Sizes of packets at which a shaper is compared with the link behind it."""
NO_LIMIT = 1_000_000  # packets: more than any path of a test holds
_MAX = 2**32 - 1
"""The maximum of most numbers of tc."""
MIN_RATE = 8  # bit/s: tc counts whole bytes per second
_MAX_US = _MAX // 1000
"""Of what DualPI2 has in nanoseconds."""
_DEPTH = 127  # packets of a queue of sfq
_SFQ_FLOWS = 2**16 - 1 - _DEPTH
_RED_RATE = 8 * _MAX  # bit/s
_RED_BITS = 31
"""Of the upper threshold and the weight of RED together (Linux, `red_check_params`)."""
_RED_MOST = 2 ** (_RED_BITS - 2) - 1
"""Of each, in bytes."""
_NOT_GENTLE = "tc's is not gentle; it drops or marks every packet above the upper threshold"
_ADAPTIVE_LOW, _ADAPTIVE_MAX_P = 5, 0.1
"""The smallest lower threshold of adaptive RED in packets, and its first probability (Floyd and others, 2001)."""


class _Queue:
    """A queue while its line is written, with notes of what that leaves out or changes."""

    def __init__(self, given: Mapping[str, Any], rate_bps: float, line: Framing, notes: list[str]) -> None:
        self.given, self.kind, self.rate_bps, self.line, self._notes = given, given["kind"], rate_bps, line, notes

    def note(self, text: str) -> None:
        self._notes.append(f"queue {self.kind}: {text}")

    def whole(self, key: str, number: float, least: int, most: int, unit: str) -> int:
        """The nearest number that is taken."""
        written = min(max(round(number), least), most)
        if not math.isclose(written, number, rel_tol=1e-9):
            what = f"tc takes {key} in whole {unit} from {least} to {most}"
            self.note(f"{what}: {written} for the scenario's {self.given[key]}")
        return written

    def seconds(self, key: str) -> float:
        return _core.quantity("time", self.given[key])

    def time(self, key: str) -> str:
        # zero would leave a default
        return f"{self.whole(key, 1e6 * self.seconds(key), 1, _MAX, 'microseconds')}us"

    def size(self, key: str, least: int = 1, most: int = _MAX) -> int:
        return self.whole(key, _core.quantity("bytes", self.given[key]), least, most, "bytes")

    def quantum(self, least: int = 1, most: int = _MAX) -> int:
        """What a queue sends in a turn, in bytes as Linux counts them."""
        if self.line == BARE:
            return self.size("quantum", least, most)
        self.note("tc counts its quantum, and so the shares of flows, in bytes with framing: short packets get less")
        return self.whole(
            "quantum", self.counted(round(_core.quantity("bytes", self.given["quantum"]))), least, most, "bytes"
        )

    def rate(self, key: str) -> str:
        return f"{self.whole(key, _core.quantity('rate', self.given[key]), MIN_RATE, 10**13, 'bit/s')}bit"

    def ecn(self) -> str:
        return "ecn" if self.given["ecn"] else "noecn"

    def fixed(self, key: str, own: float, whose: str) -> None:
        """A parameter that only Linux sets."""
        given = self.given[key]
        _, value = (measured(given) if isinstance(given, str) else None) or ("", given)
        if not math.isclose(value, own):
            self.note(f"tc has no {key}: Linux takes {whose} for the scenario's {given}")

    def in_packets(self, key: str = "limit", least: int = 1) -> int:
        """A limit in packets, full ones where it is in bytes or cells."""
        packets = round(holds(self.given[key], _FULL_B))
        if _unit(self.given[key]) in ("bytes", "cells"):
            self.note(f"tc counts its {key} in packets; this is the number of full ones")
        return self.whole(key, max(packets, 1), least, _MAX, "packets")

    def in_bytes(self, *keys: str, packet: int = _FULL_B, least: int = 1, most: int = _MAX) -> list[int]:
        """Limits in bytes as Linux counts them, those of packets of a size where they are in another unit."""
        counted, framed = self.counted(packet), self.line != BARE
        as_they_are = ("unlimited",) if framed else ("unlimited", "bytes")
        converted = [key for key in keys if _unit(self.given[key]) not in as_they_are]
        if converted:
            how = "in bytes, framing included" if framed else "in bytes"
            self.note(f"tc counts its {', '.join(converted)} {how}: here those of packets of {packet} B")
        sizes = []
        for key in keys:
            size = round(holds(self.given[key], packet) * counted)
            unlimited = self.given[key] == "unlimited"
            sizes.append(min(size, most) if unlimited else self.whole(key, size, least, most, "bytes"))
        return sizes

    def memory(self, key: str, size: int, own: int) -> int:
        """A limit that Linux counts by the memory of packets (`truesize`); `own` is its least default."""
        if size < own:
            memory = "about twice the bytes of a full one, far more of a short one"
            self.note(f"tc counts its {key} by the memory that packets occupy, {memory}")
        return size

    def counted(self, size: int) -> int:
        """What disciplines behind a size table count for a packet."""
        layer = "atm" if self.line.linklayer == "atm" else "none"
        return Framing("", self.line.overhead_B, self.line.minimum_B, layer).line_bytes(size)


def _unit(limit: str) -> str:
    """`packets`, `cells`, `bytes` or `unlimited`."""
    word = limit.split()[-1]
    return word if word in ("packets", "cells", "unlimited") else "bytes"


def holds(limit: str, packet: int) -> float:
    """How many packets of a size a limit holds, in parts of one too."""
    unit, number = _unit(limit), limit.split()[0]
    if unit == "unlimited":
        return NO_LIMIT
    if unit == "packets":
        return float(number)
    if unit == "cells":  # AAL5: its trailer is in the last cell
        return float(number) / -(-(packet + _TRAILER_B) // _CELL_B)
    return _core.quantity("bytes", limit) / packet


def cake_options(given: Mapping[str, Any], rate_bps: float, line: Framing, notes: list[str]) -> str:
    """The options of CAKE, which shapes by itself."""
    # its limit is one of memory, without framing
    queue = _Queue(given, rate_bps, BARE, notes)
    shaped, own = line, framing_of(given.get("framing"))
    bandwidth = f"{rate_bps:.0f}bit"
    if "bandwidth" in given:
        link_bps, rate_bps, shaped = rate_bps, _core.quantity("rate", given["bandwidth"]), own
        bandwidth = queue.rate("bandwidth")
        slower = [s for s in _SIZES_B if line.line_bytes(s) / link_bps > own.line_bytes(s) / rate_bps * (1 + 1e-9)]
        if slower:
            sizes = ", ".join(f"{size} B" for size in slower)
            queue.note(f"the link is slower than its bandwidth for packets of {sizes}; only CAKE is here")
    elif "framing" in given and own != line:
        queue.note("without bandwidth its framing counts in the shares of flows alone; this is the link's")
    # it takes off Ethernet's header where an overhead is given (`raw` counts it)
    keywords = "overhead 0"
    if shaped != BARE:
        layer = "noatm" if shaped.linklayer == "none" else shaped.linklayer
        keywords = f"overhead {min(shaped.overhead_B, 256)} mpu {min(shaped.minimum_B, 256)} {layer}"
        if max(shaped.overhead_B, shaped.minimum_B) > 256:
            queue.note("tc takes 256 bytes of overhead and of minimum at most")
    if given["isolation"] == "hosts":
        queue.note("this is triple-isolate; dual-dsthost or dual-srchost share among the hosts of one side only")
    filters = {"none": "no-ack-filter", "conservative": "ack-filter", "aggressive": "ack-filter-aggressive"}
    options = [
        f"bandwidth {bandwidth}",
        "besteffort",
        {"hosts": "triple-isolate", "flows": "flows"}.get(given["isolation"], "triple-isolate"),
        f"rtt {queue.time('rtt')}",
        filters[given["ack_filter"]],
        f"memlimit {queue.memory('limit', queue.in_bytes('limit')[0], 4 * 2**20)}",
        keywords,
    ]
    return " ".join(options)


def discipline(given: Mapping[str, Any], rate_bps: float, line: Framing, notes: list[str]) -> str:
    """A discipline behind a shaper, with its options."""
    queue = _Queue(given, rate_bps, line, notes)
    written = {
        "droptail": _fifo,
        "headdrop": _fifo,
        "codel": _codel,
        "fq_codel": _fq_codel,
        "pie": _pie,
        "dualpi2": _dualpi2,
        "sfq": _sfq,
        "red": _red,
        "adaptive_red": _adaptive_red,
        "step": _step,
        "tbf": _tbf,
    }
    return written.get(queue.kind, _plain)(queue)


def _plain(queue: _Queue) -> str:
    given = queue.given
    key = next((k for k in ("limit", "data_limit", "each") if given.get(k, "unlimited") != "unlimited"), "limit")
    values = {k: v if isinstance(v, str) else json.dumps(v) for k, v in given.items() if k != "kind"}
    size = f"{key} {values.pop(key)}"
    others = ", ".join(f"{k} {value}" for k, value in values.items() if value != "unlimited")
    without = f", without {others}" if others else ""
    queue.note(f"no discipline of tc is the same; these lines have a plain queue ({size}){without}")
    if queue.kind in ("ack_filter", "ack_decimation"):
        queue.note("CAKE has a filter of acknowledgements: cake ack-filter")
    return _fifo(queue, key)


def _fifo(queue: _Queue, key: str = "limit") -> str:
    if queue.kind == "headdrop":
        return f"pfifo_head_drop limit {queue.in_packets()}"
    if _unit(queue.given[key]) in ("packets", "unlimited"):
        return f"pfifo limit {queue.in_packets(key)}"
    return f"bfifo limit {queue.in_bytes(key)[0]}"


def _tbf(queue: _Queue) -> str:
    return f"tbf rate {queue.rate('rate')} burst {queue.size('burst')} limit {queue.in_bytes('limit')[0]}"


def _codel(queue: _Queue) -> str:
    queue.fixed("mtu", _FULL_B, "the device's")
    times = f"target {queue.time('target')} interval {queue.time('interval')}"
    return f"codel limit {queue.in_packets()} {times} {queue.ecn()}"


def _fq_codel(queue: _Queue) -> str:
    queue.fixed("mtu", _FULL_B, "the device's")
    sizes = f"flows {queue.given['queues']} quantum {queue.quantum(256, 2**20)}"
    times = f"target {queue.time('target')} interval {queue.time('interval')}"
    memory = queue.memory("memory_limit", queue.size("memory_limit", most=2**31), 32 * 2**20)
    return f"fq_codel limit {queue.in_packets()} {sizes} {times} memory_limit {memory} {queue.ecn()}"


def _pie(queue: _Queue) -> str:
    queue.fixed("max_burst", 0.15, "150 ms")
    queue.fixed("max_ecn", 0.1, "0.1")
    queue.fixed("mean_packet", _FULL_B, "the device's MTU")
    ticks = 1000 * queue.seconds("update")
    if not math.isclose(ticks, round(ticks), rel_tol=1e-9):
        queue.note("Linux updates at ticks of its clock, which are at least 1 ms apart")
    # zero would leave the default (tc-pie(8))
    alpha, beta = (
        queue.whole(key, 16 * _core.quantity("frequency", queue.given[key]), 1, 32, "sixteenths per second")
        for key in ("alpha", "beta")
    )
    times = f"target {queue.time('target')} tupdate {queue.time('update')}"
    return f"pie limit {queue.in_packets()} {times} alpha {alpha} beta {beta} {queue.ecn()}"


def _dualpi2(queue: _Queue) -> str:
    given, target, longest = queue.given, queue.seconds("target"), queue.seconds("max_rtt")
    update = min(target, longest / 3)
    gains = ""
    for gain, value in (("alpha", 0.1 * update / longest**2), ("beta", 0.3 / longest)):  # RFC 9332, Appendix A
        parts = max(1, round(256 * value))
        if abs(parts / 256 / value - 1) > 0.05:
            queue.note(f"tc takes {gain} in parts of 1/256: {parts} for the {value:.2g} of max_rtt {given['max_rtt']}")
        gains += f" {gain} {parts / 256:.8g}"
    queue.fixed("mtu", _FULL_B, "the device's")
    start, width = queue.seconds("ramp_from"), queue.seconds("ramp_range")
    if width > 0:
        queue.note("Linux has a step in place of the ramp; this is in its middle")
    queue.note("needs Linux 6.17 and a tc that has tc-dualpi2(8)")
    if max(update, start + width / 2) > _MAX_US / 1e6:
        queue.note(f"Linux takes tupdate and step_thresh up to {_MAX_US / 1e6:.3g} s")
    # zero would leave a default
    period, step = (min(max(round(1e6 * time), 1), _MAX_US) for time in (update, start + width / 2))
    behind = queue.whole("ramp_packets", int(_core.quantity("packets", given["ramp_packets"])), 0, _MAX, "packets")
    coupling = queue.whole("coupling", given["coupling"], 1, 255, "numbers")
    share = queue.whole("classic_weight", 100 * given["classic_weight"], 0, 99, "percent")
    # max_rtt would set the target too
    times = f"target {queue.time('target')} tupdate {period}us{gains}"
    weights = f"coupling_factor {coupling} step_thresh {step}us min_qlen_step {behind} classic_protection {share}%"
    return f"dualpi2 limit {queue.in_packets()} {times} {weights}"


def _sfq(queue: _Queue) -> str:
    given, limit = queue.given, queue.in_packets(least=2)
    divisor = 2 ** round(math.log2(given["queues"]))
    if divisor != given["queues"]:
        queue.note(f"tc takes powers of two of queues: {divisor} for the scenario's {given['queues']}")
    # zero is never; Linux counts ticks of its clock, of which there are 1,000 in a second at most
    period = queue.seconds("perturb")
    perturb = queue.whole("perturb", period, int(period > 0), (2**31 - 1) // 1000, "seconds")
    words = [f"sfq limit {limit} divisor {divisor} perturb {perturb}"]
    if limit > _DEPTH:
        queue.note(f"tc holds {_DEPTH} packets of each queue at most")
        words.append(f"flows {min(divisor, _SFQ_FLOWS)}")
    if "quantum" in given:
        words.append(f"quantum {queue.quantum()}")
    else:
        queue.note("a turn of tc's is the bytes of a full packet, not one packet")
    if given["drop"] == "head":
        words.append("headdrop")
    return " ".join(words)


def _red(queue: _Queue) -> str:
    given, packet = queue.given, queue.size("typical_packet")
    keys = ("min_threshold", "max_threshold", "limit")
    low, high, limit = queue.in_bytes(*keys, packet=packet, least=2, most=_RED_MOST)
    words = _red_words(queue, (low, high, limit), queue.counted(packet), given["weight"], given["max_p"])
    if given["gentle"]:
        queue.note(_NOT_GENTLE)
    ecn = (" ecn harddrop" if given.get("hard_drop", True) else " ecn") if given["ecn"] else ""
    return f"{words}{ecn}"


def _adaptive_red(queue: _Queue) -> str:
    """RED with what follows from the link's rate, adapted by Linux as by the scenario, every half second."""
    given, packet = queue.given, queue.size("typical_packet")
    queue.fixed("interval", 0.5, "500 ms")
    (limit,), counted = queue.in_bytes("limit", packet=packet, most=_RED_MOST), queue.counted(packet)
    packets_per_s = queue.rate_bps / 8 / queue.line.line_bytes(packet)
    low = max(_ADAPTIVE_LOW, queue.seconds("target_delay") * packets_per_s / 2)
    thresholds = [min(round(packets * counted), _RED_MOST) for packets in (low, 3 * low)]
    sizes = " and ".join(f"{packets:.4g}" for packets in (low, 3 * low))
    queue.note(f"its thresholds, of {sizes} packets by target_delay and the link's rate, are in bytes: {thresholds}")
    if thresholds[0] >= limit:
        queue.note(f"nothing is marked or dropped early, since limit {given['limit']} is not above the lower threshold")
    words = _red_words(
        queue, (*thresholds, limit), counted, -math.expm1(-1 / packets_per_s), _ADAPTIVE_MAX_P, "a time constant of 1 s"
    )
    queue.note(_NOT_GENTLE)
    ecn = " ecn harddrop" if given["ecn"] else ""
    return f"{words}{ecn} adaptive"


def _step(queue: _Queue) -> str:
    """RED with equal thresholds, as of a switch: it marks from them on, a step marks above its own."""
    given = queue.given
    (limit,), counted = queue.in_bytes("limit", most=_RED_MOST), queue.counted(_FULL_B)
    waiting = holds(given["threshold"], _FULL_B)
    threshold = round(waiting * counted) + 1
    if _unit(given["threshold"]) != "bytes":
        threshold = round((waiting + 1) * counted)
    if threshold > limit - counted:
        because = f"threshold {given['threshold']} leaves no room for it below limit {given['limit']}"
        if threshold > _RED_MOST:
            because = f"RED has thresholds of {_RED_MOST} bytes at most"
        queue.note(f"nothing is marked, {because}: a plain queue")
        return _fifo(queue)
    # of this size a whole number of packets is at the threshold, else tc would not find its largest weight
    average = math.ceil(threshold / (threshold // counted or 1))
    words = _red_words(queue, (threshold, threshold, limit), average, 1.0, _ADAPTIVE_MAX_P, "the queue as it is")
    queue.note(f"it is RED with equal thresholds, {threshold} bytes for threshold {given['threshold']}")
    ecn = " ecn nodrop" if given["not_capable"] == "admit" else " ecn"
    return f"{words}{ecn}"


def _red_words(
    queue: _Queue, sizes: tuple[int, ...], average: int, weight: float, max_p: float, whose: str | None = None
) -> str:
    """RED's lower and upper threshold and limit, for packets of an average size, with all that tc takes beside.

    `whose` says what the weight is, where the scenario has no such key.
    """
    low, high, limit = sizes
    # tc derives the weight from the burst, and finds few or none where `min` is hardly above `avpkt`. Apart from that,
    # `avpkt` and the bandwidth set only how fast the average decays while the link is idle, by their ratio
    share = min(1, _RED_RATE / queue.rate_bps, 1 if low >= 2 * average else low / (8 * average))
    smaller = max(1, int(average * share))
    bandwidth = min(max(queue.rate_bps * smaller / average, MIN_RATE), _RED_RATE)
    wanted, most = max(1, round(-math.log2(weight))), _RED_BITS - high.bit_length()
    burst = _red_burst(min(wanted, most), low / smaller)
    if (parts := 2 ** _red_weight_log(burst, low / smaller)) * weight != 1:
        bound = f", from 1/{2**most} on with these thresholds" if wanted > most else ""
        given = f"the scenario's {weight:g}" if whose is None else f"{weight:.3g} ({whose})"
        queue.note(f"tc's weights are powers of two{bound}: 1/{parts} for {given}")
    # one would be too large for 32 bits; tc finds no exponent for less than the least
    least = 1.001 * (high - low) / 2**31
    probability = min(max(max_p, least), 0.999999)
    if not math.isclose(probability, max_p, rel_tol=1e-5):
        queue.note(f"tc takes max_p from {least:.3g} on with these thresholds, for the scenario's {max_p:g}")
    bounds = f"limit {limit} min {low} max {high} avpkt {smaller} bandwidth {bandwidth:.0f}bit"
    return f"red {bounds} probability {probability:g} burst {burst}"


def _red_weight_log(burst: int, low: float) -> int:
    """The weight that tc gives RED for a burst, as the exponent of a half (iproute2, `tc_red_eval_ewma`).

    It is the largest whose average stays below the lower threshold, here in packets, while `burst` packets arrive at
    an empty queue. 0 where the burst is too small, 32 where it is too large.
    """
    least = burst + 1 - low
    if least < 1:
        return 0
    return next((log for log in range(1, 32) if least <= (1 - (1 - 0.5**log) ** burst) * 2**log), 32)


def _red_burst(log: int, low: float) -> int:
    """The smallest burst for which tc gives RED a weight; weights fall with bursts."""
    return bisect_left(range(2**31), log, key=lambda burst: _red_weight_log(burst, low))
