"""The same queues as settings of OpenWrt's SQM (`/etc/config/sqm`, package sqm-scripts)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eddyline.adviser.line import LINES
from eddyline.adviser.shaping import ack_filter, fifo_limit, fq_quantum, htb_rate, microseconds, stab_overhead

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.adviser.access import Access
    from eddyline.adviser.candidates import Queues
    from eddyline.adviser.line import Line

__all__ = ["sqm_pages", "sqm_settings"]

_SCRIPTS = {"cake": "piece_of_cake.qos"}
_SIMPLEST = "simplest.qos"
_PER_HOST = {"i": "nat dual-dsthost", "e": "nat dual-srchost"}
"""CAKE's keywords to share between the hosts behind a router that may translate addresses; SQM shapes at its WAN."""

_ADVANCED = {
    "ilimit": "hard queue limit ingress:",
    "elimit": "egress:",
    "itarget": "latency target ingress:",
    "etarget": "egress:",
    "ingress_ecn": "ECN ingress:",
    "egress_ecn": "egress:",
    "iqdisc_opts": "advanced option string ingress:",
    "eqdisc_opts": "egress:",
}
"""Advanced options, those of ingress before those of egress, and what the page calls them."""

_KINDS = ("droptail", "codel", "pie", "fq_codel", "cake")


def _options(access: Access, queues: Queues, wan: str) -> dict[str, str] | None:
    """Options of the section, or None where SQM has no such queue."""
    down, up, line = queues.down, queues.up, access.line
    kind = up["kind"]
    if down["kind"] != kind or kind not in _KINDS:
        return None
    rates = [rate if kind == "cake" else htb_rate(rate, line) for rate in (access.down_bps, access.up_bps)]
    option = {
        "enabled": "1",
        "interface": wan,
        # 0 would mean no shaper
        "download": f"{max(rates[0] / 1e3, 1.0):.0f}",
        "upload": f"{max(rates[1] / 1e3, 1.0):.0f}",
        "qdisc": kind,
        "script": _SCRIPTS.get(kind, _SIMPLEST),
        "qdisc_advanced": "1",
        "qdisc_really_really_advanced": "1",
        **_link_layer(kind, line, wan),
    }
    if kind == "droptail":
        packets = up["limit"].endswith("packets")
        option["qdisc"] = "pfifo" if packets else "bfifo"
        limits = {"ilimit": fifo_limit(down["limit"], line), "elimit": fifo_limit(up["limit"], line)}
        return option | {key: str(value) for key, value in limits.items()}
    if kind == "cake":
        ways = (("i", down), ("e", up))
        return option | {f"{way}qdisc_opts": f"{_PER_HOST[way]} {_cake(queue, line)}" for way, queue in ways}
    for way, queue in (("i", down), ("e", up)):
        option[f"{way}limit"] = queue["limit"].split()[0]
        option[f"{way}target"] = microseconds(queue["target"])
        option["ingress_ecn" if way == "i" else "egress_ecn"] = "NOECN"
        if "interval" in queue:
            quantum = f" quantum {fq_quantum(line)}" if kind == "fq_codel" else ""
            option[f"{way}qdisc_opts"] = f"interval {microseconds(queue['interval'])}{quantum}"
    return option


def _link_layer(kind: str, line: Line, wan: str) -> dict[str, str]:
    """Link layer adaptation: CAKE counts from the IP packet, a size table from what Linux counts."""
    overhead = line.overhead_B if kind == "cake" else stab_overhead(wan, line)
    return {
        "linklayer": "atm" if line.linklayer == "atm" else "ethernet",
        "linklayer_advanced": "1",
        "linklayer_adaptation_mechanism": "default",
        "overhead": str(overhead),
        "tcMTU": "2047",
        "tcTSIZE": "512",
        "tcMPU": str(line.minimum_B),
    }


def _cake(queue: Mapping[str, Any], line: Line) -> str:
    options = [f"rtt {microseconds(queue['rtt'])}", *ack_filter(queue)]
    return " ".join([*options, "ptm"] if line.linklayer == "ptm" else options)


def sqm_settings(access: Access, queues: Queues, wan: str) -> list[str] | None:
    """`uci` commands, or None where SQM has no such queue. Their section is the interface's: a router may have two."""
    option = _options(access, queues, wan)
    if option is None:
        return None
    section = re.sub(r"\W", "_", wan, flags=re.ASCII)  # the characters that a name of uci may have
    settings = [f"uci set sqm.{section}.{key}='{value}'" for key, value in option.items()]
    return [f"uci set sqm.{section}='queue'", *settings, "uci commit sqm && /etc/init.d/sqm restart"]


def sqm_pages(access: Access, queues: Queues, wan: str) -> dict[str, str] | None:
    """What to enter on the pages of Network, SQM QoS in the web interface, or None where SQM has no such queue."""
    option = _options(access, queues, wan)
    if option is None:
        return None
    names = {"ethernet": "Ethernet with overhead", "atm": "ATM"}
    pages = {
        "Basic Settings": f"interface {wan}, download {option['download']} kbit/s, upload {option['upload']} kbit/s",
        "Queue Discipline": f"{option['qdisc']}, queue setup script {option['script']}",
        "Link Layer Adaptation": f"{names[option['linklayer']]}, per packet overhead {option['overhead']}, "
        f"minimum packet size (MPU) {option['tcMPU']}",
    }
    advanced = [f"{label} {option[key]}" for key, label in _ADVANCED.items() if key in option]
    pages["Queue Discipline"] += "".join(f", {entry}" for entry in advanced)
    if access.line.name not in LINES:
        pages["Link Layer Adaptation"] += " (the line is not known)"
    return pages
