"""Queues as Linux and OpenWrt take them: `tc` lines and SQM settings.

A queue can only be managed where it forms. The lines therefore shape each direction at the rate that was advised on:
HTB holds the rate, the queue hangs below it. The uplink is shaped where packets leave towards the provider, the
downlink where they leave towards the subscriber.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import eddyline._core as _core

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.adviser.access import Access
    from eddyline.adviser.trial import Queues

__all__ = ["sqm_settings", "tc_lines"]

_FRAME_B = 1514
"""A full packet with its Ethernet header, as Linux counts it."""
_CELL_B = 48
"""Payload of an ATM cell (ITU-T I.361)."""


def tc_lines(access: Access, queues: Queues, wan: str, lan: str) -> list[str]:
    """Commands that set up both queues.

    Args:
        access: The access link.
        queues: The advised queues.
        wan: Interface towards the provider; the uplink's queue is there.
        lan: Interface towards the subscriber's hosts; the downlink's queue is there.
    """
    return [*_direction(wan, access.up_bps, queues.up), *_direction(lan, access.down_bps, queues.down)]


def _direction(device: str, rate_bps: float, queue: Mapping[str, Any]) -> list[str]:
    rate = f"{rate_bps:.0f}bit"
    if queue["kind"] == "cake":
        options = [f"bandwidth {rate}", "besteffort", "triple-isolate", f"rtt {_us(queue['rtt'])}"]
        options += _ack_filter(queue)
        return [f"tc qdisc replace dev {device} root cake {' '.join(options)}"]
    lines = [
        f"tc qdisc replace dev {device} root handle 1: htb default 1",
        f"tc class replace dev {device} parent 1: classid 1:1 htb rate {rate} quantum {_FRAME_B}",
    ]
    if queue["kind"] == "ack_priority":
        return lines[:1] + _acks_first(device, rate_bps, queue)
    return [*lines, f"tc qdisc replace dev {device} parent 1:1 handle 10: {_leaf(queue)}"]


def _ack_filter(queue: Mapping[str, Any]) -> list[str]:
    options = {"none": [], "conservative": ["ack-filter"], "aggressive": ["ack-filter-aggressive"]}
    return options[queue["ack_filter"]]


def _leaf(queue: Mapping[str, Any]) -> str:
    if queue["kind"] == "fq_codel":
        limit = queue["limit"].split()[0]
        times = f"target {_us(queue['target'])} interval {_us(queue['interval'])}"
        return f"fq_codel limit {limit} {times} quantum {_FRAME_B} noecn"
    return _fifo(queue["limit"])


def _fifo(limit: str) -> str:
    if limit.endswith("packets"):
        return f"pfifo limit {limit.split()[0]}"
    return f"bfifo limit {_bytes(limit)}"


def _bytes(limit: str) -> int:
    if limit.endswith("cells"):
        return int(limit.split()[0]) * _CELL_B
    return round(_core.quantity("bytes", limit))


def _acks_first(device: str, rate_bps: float, queue: Mapping[str, Any]) -> list[str]:
    """Strict priority by HTB's own classes: acknowledgements first, data in a class that may borrow all the rest."""
    rate, nearly, rest = f"{rate_bps:.0f}bit", f"{0.9 * rate_bps:.0f}bit", f"{0.1 * rate_bps:.0f}bit"
    # TCP over IPv4 with a header of 20 bytes, shorter than 64 bytes in all.
    small = "match ip protocol 6 0xff match u8 0x05 0x0f at 0 match u16 0x0000 0xffc0 at 2"
    return [
        f"tc class replace dev {device} parent 1: classid 1:2 htb rate {rate} quantum {_FRAME_B}",
        f"tc class replace dev {device} parent 1:2 classid 1:3 htb rate {nearly} ceil {rate} prio 0 quantum {_FRAME_B}",
        f"tc class replace dev {device} parent 1:2 classid 1:1 htb rate {rest} ceil {rate} prio 1 quantum {_FRAME_B}",
        f"tc qdisc replace dev {device} parent 1:1 handle 10: {_fifo(queue['limit'])}",
        f"tc filter replace dev {device} parent 1: protocol ip prio 1 u32 {small} flowid 1:3",
    ]


def sqm_settings(access: Access, queues: Queues, wan: str) -> list[str] | None:
    """The same for OpenWrt's SQM (`/etc/config/sqm`), or None where it has no such queue."""
    kinds = {queues.down["kind"], queues.up["kind"]}
    if len(kinds) != 1 or not kinds <= {"droptail", "fq_codel", "cake"}:
        return None
    kind = kinds.pop()
    option = {
        "enabled": "1",
        "interface": wan,
        "download": f"{access.down_bps / 1e3:.0f}",
        "upload": f"{access.up_bps / 1e3:.0f}",
        "qdisc": kind,
        "script": "piece_of_cake.qos" if kind == "cake" else "simplest.qos",
        "qdisc_advanced": "1",
        "qdisc_really_really_advanced": "1",
    }
    if kind == "cake":
        rtt = f"rtt {_us(queues.up['rtt'])}"
        option |= {"iqdisc_opts": rtt, "eqdisc_opts": " ".join([rtt, *_ack_filter(queues.up)])}
    elif kind == "fq_codel":
        option |= {"itarget": _us(queues.down["target"]), "etarget": _us(queues.up["target"])}
    else:
        option["qdisc"] = "pfifo" if queues.up["limit"].endswith("packets") else "bfifo"
        option |= {"ilimit": _fifo(queues.down["limit"]).split()[-1], "elimit": _fifo(queues.up["limit"]).split()[-1]}
    return [f"uci set sqm.access.{key}='{value}'" for key, value in option.items()]


def _us(time: str) -> str:
    return f"{_core.quantity('time', time) * 1e6:.0f}us"
