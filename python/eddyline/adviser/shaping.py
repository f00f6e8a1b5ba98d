"""Queues as Linux takes them: `tc` lines.

A queue can only be managed where it forms. The lines therefore shape each direction below the line's rate, framing
included: HTB holds the rate with a size table (tc-stab(8)), CAKE with its own keywords (tc-cake(8)). The uplink is
shaped where packets leave towards the provider, the downlink where they leave towards the subscriber.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.adviser.access import PACKET_B
from eddyline.adviser.disciplines import holds
from eddyline.adviser.line import LINES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.adviser.access import Access
    from eddyline.adviser.candidates import Queues
    from eddyline.adviser.line import Line

__all__ = [
    "ack_filter",
    "counted",
    "emptied",
    "fifo_limit",
    "fq_quantum",
    "htb_rate",
    "link_header",
    "microseconds",
    "stab_overhead",
    "tc_lines",
]

_HEADER_B = 14
"""Of Ethernet, which Linux counts as part of a packet on an Ethernet interface (tc-stab(8))."""
_BARE_DEVICES = ("ppp", "wwan", "3g-", "l2tp-", "pptp-")
"""Prefixes of interfaces that carry IP packets without a header."""
_FRAME_B = PACKET_B + _HEADER_B
_CAKE_KEYWORDS = {"ethernet-vlan": "ethernet ether-vlan"}
"""Where tc-cake(8) has other words for a framing than its name here."""
_ACKS = 1000
"""Packets for which the class of acknowledgements has room. HTB would take the interface's queue length, 3 on PPP."""
_PTM = 64 / 65
"""What 64/65-octet encapsulation leaves of a rate; size tables do not know it (tc-cake(8))."""


def tc_lines(access: Access, queues: Queues, wan: str, lan: str) -> list[str]:
    """Commands that set up both queues.

    Args:
        access: The access link.
        queues: The advised queues.
        wan: Interface towards the provider; the uplink's queue is there.
        lan: Interface towards the subscriber's hosts; the downlink's queue is there.
    """
    line = access.line
    # towards the hosts, addresses are theirs again: a look-up there gives the router's to the packets of all
    return [
        *_direction(wan, access.up_bps, queues.up, line, "nat dual-srchost"),
        *_direction(lan, access.down_bps, queues.down, line, "dual-dsthost"),
    ]


def _direction(device: str, rate_bps: float, queue: Mapping[str, Any], line: Line, per_host: str) -> list[str]:
    if queue["kind"] == "cake":
        options = [f"bandwidth {rate_bps:.0f}bit", "besteffort", per_host, f"rtt {microseconds(queue['rtt'])}"]
        options += [
            *ack_filter(queue),
            _CAKE_KEYWORDS.get(line.name, line.name) if line.name in LINES else "overhead 0",
        ]
        return [emptied(device), f"tc qdisc replace dev {device} root cake {' '.join(options)}"]
    rate_bps = htb_rate(rate_bps, line)
    root = f"tc qdisc replace dev {device} root handle 1: {_stab(device, line)} htb default 1"
    if queue["kind"] == "ack_priority":
        return [emptied(device), root, *_acks_first(device, rate_bps, queue, line)]
    return [
        emptied(device),
        root,
        f"tc class replace dev {device} parent 1: classid 1:1 htb rate {rate_bps:.0f}bit quantum {_FRAME_B}",
        f"tc qdisc replace dev {device} parent 1:1 handle 10: {_leaf(queue, line)}",
    ]


def emptied(device: str) -> str:
    """Removes the discipline that is there, so that lines can be entered again.

    HTB refuses any change of itself, CAKE keeps options that are not named, `tc qdisc del` fails where there is none.
    """
    return f"tc qdisc replace dev {device} root pfifo"


def htb_rate(rate_bps: float, line: Line) -> float:
    """The rate for a shaper that does not know packet transfer mode."""
    return rate_bps * _PTM if line.linklayer == "ptm" else rate_bps


def link_header(device: str) -> int:
    """Bytes of a header that Linux counts as part of a packet: none on PPP and mobile modems, else Ethernet's."""
    return 0 if device.startswith(_BARE_DEVICES) else _HEADER_B


def stab_overhead(device: str, line: Line) -> int:
    """What to add to a packet as Linux counts it."""
    return line.overhead_B - link_header(device)


def _stab(device: str, line: Line) -> str:
    linklayer = "atm" if line.linklayer == "atm" else "ethernet"
    mpu = f" mpu {line.minimum_B}" if line.minimum_B else ""
    return f"stab{mpu} overhead {stab_overhead(device, line)} linklayer {linklayer}"


def counted(size: float, line: Line) -> int:
    """Bytes of full packets as a queue below a size table counts them: those on the line, PTM's blocks excluded."""
    full = line.line_bytes(PACKET_B) if line.linklayer == "atm" else max(PACKET_B + line.overhead_B, line.minimum_B)
    return round(size * full / PACKET_B)


def ack_filter(queue: Mapping[str, Any]) -> list[str]:
    """CAKE's keyword."""
    options = {"none": [], "conservative": ["ack-filter"], "aggressive": ["ack-filter-aggressive"]}
    return options[queue["ack_filter"]]


def fq_quantum(line: Line) -> int:
    """A full packet as counted below a size table, so that each conversation sends one at a time."""
    return max(_FRAME_B, counted(PACKET_B, line))


def _leaf(queue: Mapping[str, Any], line: Line) -> str:
    kind = queue["kind"]
    if kind == "droptail":
        return f"{'pfifo' if queue['limit'].endswith('packets') else 'bfifo'} limit {fifo_limit(queue['limit'], line)}"
    limit, target = queue["limit"].split()[0], microseconds(queue["target"])
    if kind == "pie":
        return f"pie limit {limit} target {target} noecn"
    times = f"target {target} interval {microseconds(queue['interval'])}"
    quantum = f" quantum {fq_quantum(line)}" if kind == "fq_codel" else ""
    return f"{kind} limit {limit} {times}{quantum} noecn"


def fifo_limit(limit: str, line: Line) -> int:
    """Packets for pfifo, bytes as counted there for bfifo."""
    if limit.endswith("packets"):
        return int(limit.split()[0])
    return counted(holds(limit, PACKET_B) * PACKET_B, line)


def _acks_first(device: str, rate_bps: float, queue: Mapping[str, Any], line: Line) -> list[str]:
    """Strict priority by HTB's own classes: acknowledgements first, data in a class that may borrow all the rest.

    An acknowledgement is a short TCP packet: over IPv4, with a header of 20 bytes, below 128 bytes in all; over IPv6,
    without extension headers, with a payload below 64 bytes. Time stamps and three SACK blocks fit.
    """
    rate, nearly, rest = f"{rate_bps:.0f}bit", f"{0.9 * rate_bps:.0f}bit", f"{0.1 * rate_bps:.0f}bit"
    ipv4 = "match ip protocol 6 0xff match u8 0x05 0x0f at 0 match u16 0x0000 0xff80 at 2"
    ipv6 = "match ip6 protocol 6 0xff match u16 0x0000 0xffc0 at 4"
    data = _leaf({"kind": "droptail", "limit": queue["limit"]}, line)
    return [
        f"tc class replace dev {device} parent 1: classid 1:2 htb rate {rate} quantum {_FRAME_B}",
        f"tc class replace dev {device} parent 1:2 classid 1:3 htb rate {nearly} ceil {rate} prio 0 quantum {_FRAME_B}",
        f"tc class replace dev {device} parent 1:2 classid 1:1 htb rate {rest} ceil {rate} prio 1 quantum {_FRAME_B}",
        f"tc qdisc replace dev {device} parent 1:1 handle 10: {data}",
        f"tc qdisc replace dev {device} parent 1:3 handle 20: pfifo limit {_ACKS}",
        f"tc filter replace dev {device} parent 1: protocol ip prio 1 u32 {ipv4} flowid 1:3",
        f"tc filter replace dev {device} parent 1: protocol ipv6 prio 2 u32 {ipv6} flowid 1:3",
    ]


def microseconds(time: str) -> str:
    """A time as `tc` takes it."""
    return f"{_core.quantity('time', time) * 1e6:.0f}us"
