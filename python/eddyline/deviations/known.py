"""Known differences between world `sim` and the other worlds, each with the keys that remove it from `sim`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import eddyline.quic_packets as quic_packets
from eddyline.capacity import link_tables
from eddyline.lost_connections import lost_connections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Table: TypeAlias = Mapping[str, Any]
    Overrides: TypeAlias = dict[str, Any]

__all__ = ["KNOWN", "KnownDifference", "acks_apart", "flows", "is_lost", "of_world", "reordered"]


@dataclass(frozen=True, eq=False, repr=False)
class KnownDifference:
    """What a world does otherwise than `sim`.

    Attributes:
        name: Short name.
        statement: What the world does, and the keys that make `sim` do the same.
        worlds: The worlds that differ so.
        overrides: From a canonical scenario and the world's result, the keys to change; none where there is no such
            difference.
    """

    name: str
    statement: str
    worlds: frozenset[str]
    overrides: Callable[[Table, Table], Overrides]


def of_world(scenario: Table, result: Table) -> list[tuple[KnownDifference, Overrides]]:
    """The known differences that the world of a result has on this scenario, with their keys."""
    pairs = ((each, each.overrides(scenario, result)) for each in KNOWN if result["world"] in each.worlds)
    return [(difference, overrides) for difference, overrides in pairs if overrides]


def flows(scenario: Table) -> Iterator[tuple[str, Table]]:
    """Flow tables with their keys' prefixes."""
    for flow in scenario.get("flow", ()):
        yield f"flow.{_quoted(flow['name'])}", flow


def _senders(scenario: Table) -> Iterator[tuple[str, Table]]:
    """Tables of flows and of arrivals with their keys' prefixes."""
    yield from flows(scenario)
    for table in scenario.get("arrivals", ()):
        yield f"arrivals.{_quoted(table['name'])}", table


def reordered(scenario: Table) -> Iterator[tuple[str, Table]]:
    """Tables of senders whose data may overtake each other, with their keys' prefixes."""
    links = {name for name, link in link_tables(scenario).items() if link.get("reorder")}
    return ((prefix, table) for prefix, table in _senders(scenario) if not links.isdisjoint(table["data"]))


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _of_flows(key: str, value: Any, applies: Callable[[Table], bool]) -> Callable[[Table, Table], Overrides]:
    return lambda scenario, _: {f"{prefix}.{key}": value for prefix, table in _senders(scenario) if applies(table)}


def _option(name: str, value: Any) -> Callable[[Table, Table], Overrides]:
    """Sets an option of TCP where it has another value."""
    return _of_flows(f"tcp.{name}", value, lambda flow: flow.get("tcp", {}).get(name) != value)


def _no_ack_filters(scenario: Table, _: Table) -> Overrides:
    """Queues that leave acknowledgements alone."""
    overrides: Overrides = {}
    for name, link in link_tables(scenario).items():
        queue, key = link.get("queue", {}), f"link.{_quoted(name)}.queue"
        if queue.get("kind") in ("ack_filter", "ack_decimation"):
            overrides[key] = {"kind": "droptail", **({"limit": queue["limit"]} if "limit" in queue else {})}
        elif queue.get("ack_filter", "none") != "none":
            overrides[f"{key}.ack_filter"] = "none"
    return overrides


def _known_base_rtt(scenario: Table, _: Table) -> Overrides:
    """Not of one-way delays, which have no known base RTT. What mends an estimate goes with it."""
    overrides: Overrides = {}
    for prefix, table in _senders(scenario):
        controller = table["controller"]
        if controller.get("base_rtt") != "estimated" or controller.get("delay", "round_trip") != "round_trip":
            continue
        kept = {key: value for key, value in controller.items() if key not in _FOR_ESTIMATES}
        if kept == controller:
            overrides[f"{prefix}.controller.base_rtt"] = "known"
        else:
            overrides[f"{prefix}.controller"] = {**kept, "base_rtt": "known"}
    return overrides


def _no_doubling(scenario: Table, result: Table) -> Overrides:
    """Where a queue that swings, by a large gamma or by traffic, may come below the threshold.

    Of `[[flow]]` tables: theory has no delay of arrivals that could tell.
    """
    import eddyline._core as _core

    overrides: Overrides = {}
    for prefix, flow in flows(scenario):
        if "mi_threshold" not in flow["controller"]:
            continue
        threshold = _core.quantity("time", flow["controller"]["mi_threshold"])
        delays = [row["queueing_delay_s"] for row in _rows(flow, result)]
        if any(delay is not None and delay < _SWING * threshold for delay in delays):
            overrides[f"{prefix}.controller.mi_threshold"] = "0 s"
    return overrides


def _longer(scenario: Table, _: Table) -> Overrides:
    """Three times as long, and the first two thirds not counted."""
    import eddyline._core as _core

    duration = _core.quantity("time", scenario["duration"])
    return {"duration": f"{3 * duration!r} s", "warmup": f"{2 * duration!r} s"}


def _unlimited(scenario: Table, _: Table) -> Overrides:
    queues = (link.get("queue", {}) for link in scenario.get("link", ()))
    other = any(queue.get("kind") != "droptail" or queue.get("limit") != "unlimited" for queue in queues)
    if not other and not scenario.get("duplex"):
        return {}
    return {"link.*.queue.kind": "droptail", "link.*.queue.limit": "unlimited"}


def _lossless(scenario: Table, _: Table) -> Overrides:
    """Where all flows are modelled without losses: those of Reno are given, and its window follows from them."""
    if not all("base_rtt" in flow["controller"] for _, flow in flows(scenario)):
        return {}
    links = [*scenario.get("link", ()), *(d.get(way, {}) for d in scenario.get("duplex", ()) for way in ("down", "up"))]
    return {f"link.*.{key}": 0.0 for key in ("loss", "corrupt") if any(link.get(key) for link in links)}


def _of_links(key: str, off: Any, applies: Callable[[Any], bool] = bool) -> Callable[[Table, Table], Overrides]:
    """Sets a key of links that have it to a value that is as good as none."""
    return lambda scenario, _: {
        f"link.{_quoted(name)}.{key}": off for name, link in link_tables(scenario).items() if applies(link.get(key))
    }


def _unchanging(scenario: Table, result: Table) -> Overrides:
    """Without changes and outages."""
    return {**_of_links("changes", [])(scenario, result), **_of_links("outages", [])(scenario, result)}


def _in_bursts(loss: Any) -> bool:
    return isinstance(loss, dict) and loss["kind"] == "gilbert-elliott"


def _row(flow: Table, result: Table) -> Table | None:
    """The result's row of a flow table, or of its first flow."""
    names = (flow["name"], f"{flow['name']}[0]")
    return next((row for row in result["flows"] if row["name"] in names), None)


def acks_apart(scenario: Table, result: Table) -> Overrides:
    """More and smaller acknowledgements, whose load stays what theory has, for senders that take waits for queueing.

    Where acknowledgements queue, their number is that of packets in the queue, and has to stay.
    """
    import eddyline._core as _core

    overrides: Overrides = {}
    for prefix, flow in flows(scenario):
        each, row = flow["tcp"].get("ack_every", 1), _row(flow, result)
        varies = "ack_alpha" in flow["controller"] or flow["tcp"].get("ack_congestion_control")
        if each == 1 or varies or "base_rtt" not in flow["controller"]:
            continue
        if row is None or row["reverse_queueing_delay_s"] != 0:  # or unknown
            continue
        size = _core.quantity("bytes", flow["ack_packet"])
        # sizes are whole bytes: the fewest packets an acknowledgement that they allow
        sizes = ((n, max(round(size * n / each), 1)) for n in range(1, each))
        near = ((n, b) for n, b in sizes if abs(b * each - size * n) <= _ACK_LOAD * size * n)
        for n, b in islice(near, 1):
            overrides |= {f"{prefix}.tcp.ack_every": n, f"{prefix}.ack_packet": f"{b} B"}
    return overrides


def _sizes(scenario: Table, result: Table) -> Overrides:
    """The mean sizes of data packets, of what of them is not payload, and of an acknowledgement of one range."""
    import eddyline._core as _core

    overrides: Overrides = {}
    for prefix, table in _senders(scenario):
        if is_lost(table["name"], result):  # most of what arrived was not delivered, which says nothing of packets
            continue
        full, header = (round(_core.quantity("bytes", table[key])) for key in ("packet", "header"))
        payload = quic_packets.payload(full - header)
        packet, payload = _measured(table, result) or (payload + quic_packets.OVERHEAD + header, payload)
        ecn = bool(table["tcp"].get("ecn") or table["tcp"].get("accurate_ecn"))
        ack = round(header + quic_packets.acknowledgement(_packets(table, scenario, result), ecn))
        sizes = {"packet": packet, "header": packet - payload, "ack_packet": ack}
        overrides |= {f"{prefix}.{key}": f"{size} B" for key, size in sizes.items()}
    return overrides


def _rows(flow: Table, result: Table) -> Iterator[Table]:
    """The results of a flow, or of those of its table."""
    for row in result["flows"]:
        if row["name"] == flow["name"] or row["name"].startswith(f"{flow['name']}["):
            yield row


def _packets(flow: Table, scenario: Table, result: Table) -> float:
    """About how many data packets a flow has sent."""
    import eddyline._core as _core

    rates = [row["packets_per_s"] for row in _rows(flow, result) if row["packets_per_s"]]
    return _core.quantity("time", scenario["duration"]) * (sum(rates) / len(rates) if rates else 0.0)


def _measured(flow: Table, result: Table) -> tuple[int, int] | None:
    """The mean sizes of a flow's data packets and of their payload; None where its result does not tell."""
    for row in _rows(flow, result):
        rate, carried, delivered = (row[key] for key in ("packets_per_s", "throughput_bps", "goodput_bps"))
        if rate and carried and delivered is not None:
            packet, payload = round(carried / 8 / rate), round(delivered / 8 / rate)
            if 0 < payload < packet:  # else it had arrived before the warm-up's end, or only arrives later
                return packet, payload
    return None


def _pacing(scenario: Table, _: Table) -> Overrides:
    gains = {"slow_start": 1.25, "avoidance": 1.25}
    keys = {"tcp.pacing": True, **{f"tcp.pacing_gain.{phase}": gain for phase, gain in gains.items()}}
    return {f"{prefix}.{key}": value for prefix, _ in _senders(scenario) for key, value in keys.items()}


_FOR_ESTIMATES = ("base_rtt_age", "drain", "rate_correction")
_SWING = 10.0
"""Thresholds. With gamma 1/2, 20 packets over 100 Mbit/s and 25 ms each way, 3.2 thresholds, come below one, and 30
packets over 50 ms, 4.8; from 6.4 on none was seen to."""
_ACK_LOAD = 0.025  # the share by which the load of acknowledgements may change: below the tolerance
_WITH_SACK = ("prr", "rack", "frto")
_WITHOUT_SACK = ("fast_retransmit", "partial_ack_timer")
_ALWAYS = ("rto_every_ack",)
_LINUX_ACKS = {"ack_every": 2, "ack_timer": "40 ms", "quick_acks": 16}
_LEFT_TO_LINUX = frozenset(
    (
        "accurate_ecn",
        "ack_congestion_control",
        "fast_retransmit",
        "limited_transmit",
        "local",
        "pacing_gain",
        "partial_ack_timer",
    )
)
_UNLIMITED_COUNTING = 1_000_000


def _hystart(flow: Table) -> bool:
    controller = flow["controller"]
    return bool(controller["kind"] == "cubic" and controller.get("slow_start") != "hystart++")


def _other_growth(flow: Table) -> bool:
    controller = flow["controller"]
    return bool(controller["kind"] == "cubic" and controller.get("profile") != "linux")


def _marks_uncounted(flow: Table) -> bool:
    tcp = flow.get("tcp", {})
    return bool(tcp.get("ecn")) and not tcp.get("accurate_ecn")


def _linux_parameters(scenario: Table, result: Table) -> Overrides:
    """The defaults of controllers whose parameters the kernel could not honour, as its result says."""
    overrides: Overrides = {}
    for prefix, flow in flows(scenario):
        kind = flow["controller"]["kind"]
        names = (flow["name"], f"{flow['name']}[0]")
        notes = {f"flow {name}: the kernel's {kind} has parameters of its own" for name in names}
        if notes.isdisjoint(result["approximations"]):
            continue
        # how CUBIC ends slow start and grows are differences of their own; Linux's Reno has no HyStart
        own = ("slow_start", "profile") if kind == "cubic" else ()
        kept = {key: value for key, value in flow["controller"].items() if key in own}
        overrides[f"{prefix}.controller"] = {"kind": kind, **kept}
    return overrides


def _can_lack_timestamps(flow: Table) -> bool:
    """Whether it has timestamps, and neither a clock of them nor one-way delays need them."""
    one_way = flow["controller"].get("delay", "round_trip") != "round_trip"
    return bool(flow["tcp"].get("timestamps")) and "timestamp_clock" not in flow["tcp"] and not one_way


def _quic_detection(scenario: Table, _: Table) -> Overrides:
    """RACK needs SACK, which some options exclude."""
    overrides: Overrides = {}
    for prefix, flow in _senders(scenario):
        tcp = flow["tcp"]
        if not tcp.get("sack"):
            kept = {key: value for key, value in tcp.items() if key not in _WITHOUT_SACK}
            overrides[f"{prefix}.tcp"] = {**kept, "sack": True, "rack": True}
        elif not tcp.get("rack"):
            overrides[f"{prefix}.tcp.rack"] = True
    return overrides


def _fixed_threshold(scenario: Table, _: Table) -> Overrides:
    """Nearest to QUIC: without RACK three segments beyond a hole always make it lost (RFC 6675)."""
    return {f"{prefix}.tcp.rack": False for prefix, flow in reordered(scenario) if flow["tcp"].get("rack")}


def _linux_recovery(scenario: Table, _: Table) -> Overrides:
    """Together: the recovery from slow start can end in a timeout without the one, in new losses without the others."""
    keys = [
        (f"{prefix}.tcp.{name}", flow["tcp"].get(name))
        for prefix, flow in _senders(scenario)
        for name in (_WITH_SACK if flow["tcp"].get("sack") else ()) + _ALWAYS
    ]
    return {key: True for key, value in keys if not value}


def _linux_acks(scenario: Table, _: Table) -> Overrides:
    delayed = [(prefix, flow["tcp"]) for prefix, flow in _senders(scenario) if flow["tcp"].get("ack_every", 1) > 1]
    return {
        f"{prefix}.tcp.{key}": value
        for prefix, tcp in delayed
        for key, value in _LINUX_ACKS.items()
        if tcp.get(key) != value
    }


def _linux_options(scenario: Table, _: Table) -> Overrides:
    overrides: Overrides = {}
    for prefix, flow in _senders(scenario):
        kept = {key: value for key, value in flow["tcp"].items() if key not in _LEFT_TO_LINUX}
        if kept != flow["tcp"]:
            overrides[f"{prefix}.tcp"] = kept
    return overrides


def _paced_by_itself(flow: Table) -> bool:
    """FAST that sim paces and the kernel does not: with a one-way delay or pauses it does."""
    controller = flow["controller"]
    plain = controller.get("delay", "round_trip") == "round_trip" and "drain" not in controller
    return bool("pacing_slack" in controller and plain and flow["tcp"].get("pacing") == "controller")


def is_lost(flow: str, result: Table) -> bool:
    """Whether the QUIC stack gave up the flow's connection."""
    return bool(lost_connections(result, flow))


_THEORY, _QUIC, _KERNEL = frozenset({"theory"}), frozenset({"quic"}), frozenset({"kernel"})

KNOWN: tuple[KnownDifference, ...] = (
    KnownDifference(
        "transient",
        "theory gives the equilibrium, sim a mean from the warm-up on: three times as long, its last third",
        _THEORY,
        _longer,
    ),
    KnownDifference(
        "base RTT",
        "theory takes propagation for the base RTT, senders their smallest sample: controller.base_rtt = known",
        _THEORY,
        _known_base_rtt,
    ),
    KnownDifference(
        "doubling",
        "theory's FAST has its law alone, senders double their windows at short delays: controller.mi_threshold = 0 s",
        _THEORY,
        _no_doubling,
    ),
    KnownDifference(
        "bursts",
        "theory's flows are fluid, senders send a window's packets together: tcp.pacing = true",
        _THEORY,
        _option("pacing", True),
    ),
    KnownDifference(
        "delayed acknowledgements",
        "in theory no packet waits for a common acknowledgement: smaller tcp.ack_every, and ack_packet by as much",
        _THEORY,
        acks_apart,
    ),
    KnownDifference(
        "queues",
        "theory's equilibrium has FIFO queues that never overflow: unlimited drop-tail queues",
        _THEORY,
        _unlimited,
    ),
    KnownDifference(
        "losses",
        "theory's equilibrium of delay-based flows has no loss: link.loss = 0, link.corrupt = 0",
        _THEORY,
        _lossless,
    ),
    KnownDifference(
        "losses in bursts",
        "theory has no loss on links that lose in bursts: link.loss = 0",
        _THEORY,
        _of_links("loss", 0.0, _in_bursts),
    ),
    KnownDifference(
        "jitter",
        "theory has no jitter, neither its mean delay nor its bunches and pauses: link.jitter of 0 s",
        _THEORY,
        _of_links("jitter", {"kind": "normal", "sd": "0 s"}),
    ),
    KnownDifference(
        "framing",
        "in theory packets take their own bytes alone: link.framing without overhead",
        _THEORY,
        _of_links("framing", {"overhead": "0 B"}),
    ),
    KnownDifference(
        "changes",
        "theory has the rate, delay and loss given for the link all the time: link.changes, link.outages = []",
        _THEORY,
        _unchanging,
    ),
    KnownDifference(
        "policer",
        "in theory the link's rate alone limits: link.policer of 10 Tbit/s",
        _THEORY,
        _of_links("policer", {"rate": "10 Tbit/s", "burst": "1 GB"}),
    ),
    KnownDifference(
        "packet sizes",
        "QUIC packets have other sizes on the wire and more headers: packet, header, ack_packet as in its result",
        _QUIC,
        _sizes,
    ),
    KnownDifference(
        "pacing",
        "the QUIC stack paces at 1.25 windows a round trip (RFC 9002, 7.7): tcp.pacing = true, tcp.pacing_gain = 1.25",
        _QUIC,
        _pacing,
    ),
    KnownDifference(
        "byte counting",
        "QUIC's windows grow by the bytes acknowledged (RFC 9002, 7.3.1): tcp.byte_counting",
        _QUIC,
        _option("byte_counting", 1_000_000),
    ),
    KnownDifference(
        "loss detection",
        "QUIC finds losses by packet numbers and times (RFC 9002, 6.1), from ranges of them: tcp.sack, tcp.rack = true",
        _QUIC,
        _quic_detection,
    ),
    KnownDifference(
        "reordering window",
        "where packets overtake each other RACK waits longer (RFC 8985, 6.2), the QUIC stack's threshold stays three "
        "packets (RFC 9002, 6.1.1): tcp.rack = false",
        _QUIC,
        _fixed_threshold,
    ),
    KnownDifference(
        "samples",
        "QUIC's round-trip samples are without the receiver's delay (RFC 9002, 5.3): tcp.timestamps = false",
        _QUIC,
        _of_flows("tcp.timestamps", False, _can_lack_timestamps),
    ),
    KnownDifference(
        "counts of marks",
        "QUIC's acknowledgements count marks (RFC 9000, 19.3.2): tcp.accurate_ecn = true",
        _QUIC,
        _of_flows("tcp.accurate_ecn", True, _marks_uncounted),
    ),
    KnownDifference(
        "timeouts",
        "QUIC has a probe timeout without a lower bound (RFC 9002, 6.2): tcp.min_rto = 1 ms",
        _QUIC,
        _option("min_rto", "1 ms"),
    ),
    KnownDifference(
        "ACK filters",
        "QUIC's acknowledgements are encrypted, no queue filters them: drop-tail queues, ack_filter = none of cake",
        _QUIC,
        _no_ack_filters,
    ),
    KnownDifference(
        "HyStart",
        "Linux's CUBIC ends slow start by HyStart, nearest to it is HyStart++: controller.slow_start = hystart++",
        _KERNEL,
        _of_flows("controller.slow_start", "hystart++", _hystart),
    ),
    KnownDifference(
        "growth of CUBIC",
        "Linux's CUBIC keeps the slope of its Reno-friendly window, and grows by a twentieth a round trip until "
        "the first loss and after timeouts: controller.profile = linux",
        _KERNEL,
        _of_flows("controller.profile", "linux", _other_growth),
    ),
    KnownDifference(
        "parameters",
        "controllers of the kernel have parameters of its own: controller without any",
        _KERNEL,
        _linux_parameters,
    ),
    KnownDifference(
        "TCP options",
        "keys of tcp that are left to Linux: tcp without them",
        _KERNEL,
        _linux_options,
    ),
    KnownDifference(
        "byte counting",
        "Linux's windows grow by all that an acknowledgement covers: tcp.byte_counting",
        _KERNEL,
        _option("byte_counting", _UNLIMITED_COUNTING),
    ),
    KnownDifference(
        "loss recovery",
        "Linux always has PRR, RACK-TLP and F-RTO, and a timer that takes every round-trip sample: tcp.prr, tcp.rack, "
        "tcp.frto, tcp.rto_every_ack = true",
        _KERNEL,
        _linux_recovery,
    ),
    KnownDifference(
        "delayed acknowledgements",
        "Linux acknowledges every two segments or after 40 ms, the first 16 at once: tcp.ack_timer, tcp.quick_acks",
        _KERNEL,
        _linux_acks,
    ),
    KnownDifference(
        "pacing",
        "FAST in the kernel sends on acknowledgements, in sim it paces: tcp.pacing = false",
        _KERNEL,
        _of_flows("tcp.pacing", False, _paced_by_itself),
    ),
)
"""In the order in which they are tried."""
