"""Known differences between world `sim` and the other worlds, each with the keys that remove it from `sim`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

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
        overrides: From a canonical scenario, the keys to change in it; none where it has no such difference.
    """

    name: str
    statement: str
    worlds: frozenset[str]
    overrides: Callable[[Table], Overrides]


def of_world(world: str, scenario: Table) -> list[tuple[KnownDifference, Overrides]]:
    """The known differences of a world that `scenario` has, with their keys."""
    pairs = ((each, each.overrides(scenario)) for each in KNOWN if world in each.worlds)
    return [(difference, overrides) for difference, overrides in pairs if overrides]


def _flows(scenario: Table) -> Iterator[tuple[str, Table]]:
    """Flow tables with their keys' prefixes."""
    for flow in scenario.get("flow", ()):
        yield f"flow.{_quoted(flow['name'])}", flow


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _of_flows(key: str, value: Any, applies: Callable[[Table], bool]) -> Callable[[Table], Overrides]:
    return lambda scenario: {f"{prefix}.{key}": value for prefix, flow in _flows(scenario) if applies(flow)}


def _option(name: str, value: Any) -> Callable[[Table], Overrides]:
    """Sets an option of TCP where it has another value."""
    return _of_flows(f"tcp.{name}", value, lambda flow: flow.get("tcp", {}).get(name) != value)


def _known_base_rtt(flow: Table) -> bool:
    return bool(flow["controller"].get("base_rtt") == "estimated")


def _longer(scenario: Table) -> Overrides:
    """Three times as long, and the first two thirds not counted."""
    import eddyline._core as _core

    duration = _core.quantity("time", scenario["duration"])
    return {"duration": f"{3 * duration!r} s", "warmup": f"{2 * duration!r} s"}


def _unlimited(scenario: Table) -> Overrides:
    limited = any(link.get("queue", {}).get("limit") != "unlimited" for link in scenario.get("link", ()))
    if not limited and not scenario.get("duplex"):
        return {}
    return {"link.*.queue.kind": "droptail", "link.*.queue.limit": "unlimited"}


def _lossless(scenario: Table) -> Overrides:
    links = [*scenario.get("link", ()), *(d.get(way, {}) for d in scenario.get("duplex", ()) for way in ("down", "up"))]
    return {"link.*.loss": 0.0} if any(link.get("loss") for link in links) else {}


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
        "theory's equilibrium of delay-based flows has no loss: link.loss = 0",
        _THEORY,
        _lossless,
    ),
    KnownDifference(
        "ACK frequency",
        "QUIC acknowledges every other packet (RFC 9000, 13.2.2): tcp.ack_every = 2",
        _QUIC,
        _option("ack_every", 2),
    ),
    KnownDifference(
        "ACK delay",
        "QUIC delays an acknowledgement by at most max_ack_delay, 25 ms (RFC 9000, 18.2): tcp.ack_timer = 25 ms",
        _QUIC,
        _option("ack_timer", "25 ms"),
    ),
    KnownDifference(
        "pacing",
        "QUIC senders pace (RFC 9002, 7.7): tcp.pacing = true",
        _QUIC,
        _option("pacing", True),
    ),
    KnownDifference(
        "loss detection",
        "QUIC finds losses by packet numbers and times (RFC 9002, 6): tcp.rack = true",
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
