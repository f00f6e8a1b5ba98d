"""Known differences between world `sim` and the other worlds, each with the keys that remove it from `sim`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import eddyline.quic_packets as quic_packets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Table: TypeAlias = Mapping[str, Any]
    Overrides: TypeAlias = dict[str, Any]

__all__ = ["KNOWN", "KnownDifference", "of_world"]


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


def _flows(scenario: Table) -> Iterator[tuple[str, Table]]:
    """Flow tables with their keys' prefixes."""
    for flow in scenario.get("flow", ()):
        yield f"flow.{_quoted(flow['name'])}", flow


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _of_flows(key: str, value: Any, applies: Callable[[Table], bool]) -> Callable[[Table, Table], Overrides]:
    return lambda scenario, _: {f"{prefix}.{key}": value for prefix, flow in _flows(scenario) if applies(flow)}


def _option(name: str, value: Any) -> Callable[[Table, Table], Overrides]:
    """Sets an option of TCP where it has another value."""
    return _of_flows(f"tcp.{name}", value, lambda flow: flow.get("tcp", {}).get(name) != value)


def _known_base_rtt(flow: Table) -> bool:
    return bool(flow["controller"].get("base_rtt") == "estimated")


def _longer(scenario: Table, _: Table) -> Overrides:
    """Three times as long, and the first two thirds not counted."""
    import eddyline._core as _core

    duration = _core.quantity("time", scenario["duration"])
    return {"duration": f"{3 * duration!r} s", "warmup": f"{2 * duration!r} s"}


def _unlimited(scenario: Table, _: Table) -> Overrides:
    limited = any(link.get("queue", {}).get("limit") != "unlimited" for link in scenario.get("link", ()))
    if not limited and not scenario.get("duplex"):
        return {}
    return {"link.*.queue.kind": "droptail", "link.*.queue.limit": "unlimited"}


def _lossless(scenario: Table, _: Table) -> Overrides:
    links = [*scenario.get("link", ()), *(d.get(way, {}) for d in scenario.get("duplex", ()) for way in ("down", "up"))]
    return {f"link.*.{key}": 0.0 for key in ("loss", "corrupt") if any(link.get(key) for link in links)}


def _sizes(scenario: Table, result: Table) -> Overrides:
    """The mean size of data packets, what of them is not payload, and the size of an acknowledgement of one range."""
    rows = {row["name"]: row for row in result["flows"]}
    overrides: Overrides = {}
    for prefix, flow in _flows(scenario):
        row = rows.get(flow["name"]) or rows.get(f"{flow['name']}[0]")
        rate = row and row["packets_per_s"]
        if not row or not rate or not row["throughput_bps"] or row["goodput_bps"] is None:
            continue
        import eddyline._core as _core

        packet, payload = (round(row[key] / 8 / rate) for key in ("throughput_bps", "goodput_bps"))
        header = _core.quantity("bytes", flow["header"])
        sizes = {"packet": packet, "header": packet - payload, "ack_packet": round(header) + quic_packets.ACK}
        overrides |= {f"{prefix}.{key}": f"{size} B" for key, size in sizes.items()}
    return overrides


def _pacing(scenario: Table, _: Table) -> Overrides:
    gains = {"slow_start": 1.25, "avoidance": 1.25}
    keys = {"tcp.pacing": True, **{f"tcp.pacing_gain.{phase}": gain for phase, gain in gains.items()}}
    return {f"{prefix}.{key}": value for prefix, _ in _flows(scenario) for key, value in keys.items()}


_THEORY, _QUIC = frozenset({"theory"}), frozenset({"quic"})

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
        _of_flows("controller.base_rtt", "known", _known_base_rtt),
    ),
    KnownDifference(
        "bursts",
        "theory's flows are fluid, senders send a window's packets together: tcp.pacing = true",
        _THEORY,
        _option("pacing", True),
    ),
    KnownDifference(
        "delayed acknowledgements",
        "theory has an acknowledgement a packet: tcp.ack_every = 1",
        _THEORY,
        _option("ack_every", 1),
    ),
    KnownDifference(
        "queue limits",
        "theory's equilibrium of delay-based flows has no overflow: unlimited drop-tail queues",
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
        "QUIC finds losses by packet numbers and times (RFC 9002, 6.1): tcp.rack = true",
        _QUIC,
        _option("rack", True),
    ),
    KnownDifference(
        "timeouts",
        "QUIC has a probe timeout without a lower bound (RFC 9002, 6.2): tcp.min_rto = 1 ms",
        _QUIC,
        _option("min_rto", "1 ms"),
    ),
)
"""In the order in which they are tried."""
