"""Known differences between world `sim` and the other worlds for which `sim` has no key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.capacity import link_tables
from eddyline.deviations.known import acks_apart, flows, is_lost, reordered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Table: TypeAlias = Mapping[str, Any]

__all__ = ["UNSWITCHED", "UnswitchedDifference", "unswitched"]


@dataclass(frozen=True, eq=False, repr=False)
class UnswitchedDifference:
    """What a world does otherwise than `sim`, for which `sim` has no key.

    Attributes:
        name: Short name.
        statement: What the world does.
        worlds: The worlds that differ so.
        applies: From a canonical scenario and the world's result, whether there is such a difference.
    """

    name: str
    statement: str
    worlds: frozenset[str]
    applies: Callable[[Table, Table], bool]


def unswitched(scenario: Table, result: Table) -> list[UnswitchedDifference]:
    """The differences that the world of a result has on this scenario and that cannot be tried."""
    return [each for each in UNSWITCHED if result["world"] in each.worlds and each.applies(scenario, result)]


def _is_below_two(packets: float | None) -> bool:
    return packets is not None and packets < 2.0


_COMMON_ACKS = ": an acknowledgement is for several packets, which wait at the receiver"
_PACED = ("bbr", "fast", "vfast")
"""Kinds of world kernel over TCP that have a rate of their own."""
_BURSTS_PPS = 2000.0
"""Linux puts a millisecond of its rate into a burst: from so many packets a second on, more than one."""


def _common_acks(scenario: Table, result: Table) -> bool:
    """Whether theory notes that packets wait for a common acknowledgement, where that cannot all be switched."""
    if not any(_COMMON_ACKS in note for note in result["approximations"]):
        return False
    switched = acks_apart(scenario, result)
    return any(
        switched.get(f"{prefix}.tcp.ack_every") != 1
        for prefix, flow in flows(scenario)
        if flow["tcp"].get("ack_every", 1) > 1 or "ack_alpha" in flow["controller"]
    )


def _own_transmission(scenario: Table, result: Table) -> bool:
    """Whether a delay-based sender would take more than 1 % of its queueing delay from its own transmission times."""
    by_delay = {flow["name"] for _, flow in flows(scenario) if "base_rtt" in flow["controller"]}
    for row in result["flows"]:
        rtt, base, queueing = row["rtt_s"]["mean"], row["base_rtt_s"], row["queueing_delay_s"]
        if row["name"].split("[")[0] not in by_delay or None in (rtt, base, queueing):
            continue
        if rtt - base - queueing > 0.01 * queueing:
            return True
    return False


def _lost_connections(scenario: Table, result: Table) -> bool:
    return any(is_lost(flow["name"], result) for _, flow in flows(scenario))


def _limited_by_receiver(scenario: Table, result: Table) -> bool:
    """Whether a flow has three quarters of its receive window a round trip, or more."""
    import eddyline._core as _core

    windows = {flow["name"]: flow["receive_window"] for _, flow in flows(scenario) if "receive_window" in flow}
    for row in result["flows"]:
        window = windows.get(row["name"].split("[")[0])
        if window is None:
            continue
        rate, rtt = row["goodput_bps"], row["rtt_s"]["mean"]
        if rate and rtt and rate * rtt >= 0.75 * 8 * _core.quantity("bytes", window):
            return True
    return False


def _any_flow(applies: Callable[[Table], bool]) -> Callable[[Table, Table], bool]:
    """Whether a flow of the result is so."""
    return lambda _, result: any(applies(row) for row in result["flows"])


_retransmits = _any_flow(lambda row: bool(row["retransmits"]))


def _may_lack_data(flow: Table) -> bool:
    return "size" in flow or flow.get("application", {}).get("kind", "bulk") != "bulk"


def _untrusted(_: Table, result: Table) -> bool:
    return not result.get("emulation", {}).get("trusted", True)


_THEORY, _QUIC, _KERNEL = frozenset({"theory"}), frozenset({"quic"}), frozenset({"kernel"})

UNSWITCHED: tuple[UnswitchedDifference, ...] = (
    UnswitchedDifference(
        "transmission times",
        "senders see the transmission times of their own packets as queueing, which the equations do not know",
        _THEORY,
        _own_transmission,
    ),
    UnswitchedDifference(
        "waits at the receiver",
        "the receiver waits for the last of the packets that it acknowledges together, which the equations do not have",
        _THEORY,
        _common_acks,
    ),
    UnswitchedDifference(
        "medium",
        "in theory links transmit at their rates whatever the others on their half-duplex medium do (`medium`)",
        _THEORY,
        lambda scenario, _: any("medium" in link for link in link_tables(scenario).values()),
    ),
    UnswitchedDifference(
        "recordings",
        "theory has the rate, delay and loss given for the link, not those of its recording (`trace`)",
        _THEORY,
        lambda scenario, _: any("trace" in link for link in link_tables(scenario).values()),
    ),
    UnswitchedDifference(
        "ACK reconstruction",
        "theory knows nothing of acknowledgements that a link reconstructs (`reconstruct`)",
        _THEORY,
        lambda scenario, _: any("reconstruct" in link for link in link_tables(scenario).values()),
    ),
    UnswitchedDifference(
        "lost connections",
        "the QUIC stack gave up a connection, for the reason in the notes of world quic",
        _QUIC,
        _lost_connections,
    ),
    UnswitchedDifference(
        "smallest window",
        "the stack sends two packets in windows of less than two (RFC 9002, 7.2)",
        _QUIC,
        lambda _, result: any(_is_below_two(flow.get("window_packets", {}).get("min")) for flow in result["flows"]),
    ),
    UnswitchedDifference(
        "reordering",
        "the stack takes a packet for lost when one that is three later or more has arrived, sim without RACK when "
        "three later ones have",
        _QUIC,
        lambda scenario, _: any(reordered(scenario)),
    ),
    UnswitchedDifference(
        "ACK reconstruction",
        "links reconstruct no acknowledgements of QUIC, which are encrypted (`reconstruct`)",
        _QUIC,
        lambda scenario, _: any("reconstruct" in link for link in link_tables(scenario).values()),
    ),
    UnswitchedDifference(
        "receive window",
        "the stack announces room by an eighth of receive_window, so paced senders get down to seven eighths of it a "
        "round trip",
        _QUIC,
        _limited_by_receiver,
    ),
    UnswitchedDifference(
        "acknowledgements with data",
        "the stack sends no acknowledgement while window or pacer hold the sender's own data back (`piggyback`)",
        _QUIC,
        lambda scenario, _: any(flow.get("piggyback") for _, flow in flows(scenario)),
    ),
    UnswitchedDifference(
        "samples",
        "window and mean RTT are samples of TCP_INFO (the RTT smoothed), in sim they are of every packet",
        _KERNEL,
        _any_flow(lambda _: True),
    ),
    UnswitchedDifference(
        "BBR",
        "Linux's bbr adds to its window what aggregated acknowledgements bring and a budget for segmentation offload, "
        "and looks for policers",
        _KERNEL,
        lambda scenario, _: any(
            flow["controller"]["kind"] == "bbr" and flow.get("transport") != "quic" for _, flow in flows(scenario)
        ),
    ),
    UnswitchedDifference(
        "acknowledgements of every packet",
        "Linux's receiver sends one for each packet while its receive window grows, whatever tcp.ack_every is",
        _KERNEL,
        lambda scenario, _: any(flow["tcp"].get("ack_every", 1) > 1 for _, flow in flows(scenario)),
    ),
    UnswitchedDifference(
        "bursts",
        "Linux sends what its rate allows in a millisecond as one burst, for segmentation offload (TSO autosizing)",
        _KERNEL,
        _any_flow(lambda row: (row["packets_per_s"] or 0.0) >= _BURSTS_PPS),
    ),
    UnswitchedDifference(
        "pacing",
        "Linux paces by a smoothed round trip that takes a sample of each acknowledgement, sim by one that takes one a "
        "round trip",
        _KERNEL,
        lambda scenario, _: any(
            flow["tcp"].get("pacing") is True
            and flow.get("transport") != "quic"
            and flow["controller"]["kind"] not in _PACED
            for _, flow in flows(scenario)
        ),
    ),
    UnswitchedDifference(
        "reductions",
        "Linux reduces from its window, sim from what is in flight (RFC 5681, 3.1): less where the application or the "
        "end of the data limits",
        _KERNEL,
        lambda scenario, result: any(map(_may_lack_data, scenario["flow"])) and _retransmits(scenario, result),
    ),
    UnswitchedDifference(
        "reductions undone",
        "Linux restores its window where duplicate SACKs say that all it sent again had arrived",
        _KERNEL,
        _retransmits,
    ),
    UnswitchedDifference(
        "socket buffers",
        "tcp.send_buffer and tcp.receive_buffer bound what is in flight, sim has neither (receive_window is near the "
        "second)",
        _KERNEL,
        lambda scenario, _: any({"send_buffer", "receive_buffer"} & flow["tcp"].keys() for _, flow in flows(scenario)),
    ),
    UnswitchedDifference(
        "window not used",
        "where the receive window limits, Linux's window grows in slow start up to twice what is in flight, sim's does "
        "not grow",
        _KERNEL,
        _limited_by_receiver,
    ),
    UnswitchedDifference(
        "send buffer",
        "a send buffer full of what arrived out of order keeps Linux's sender waiting, in sim there is always data",
        _KERNEL,
        _retransmits,
    ),
    UnswitchedDifference(
        "emulation",
        "this run cannot be trusted, the emulator or the sender was late: `eddyline run --world kernel` says why",
        _KERNEL,
        _untrusted,
    ),
)
"""What is named where the known differences leave a deviation."""
