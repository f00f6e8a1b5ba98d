"""Flows that keep in phase, so that one of them has nearly all losses of a drop-tail queue."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from eddyline.capacity import link_tables
from eddyline.quantities import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["phase_remark", "phase_remark_of", "queues_in_phase"]

_ENOUGH = 2.0
"""Standard deviation of jitter that takes packets out of phase, in transmission times of a packet. Exponential jitter
leaves 1/sqrt(1 + (2 pi _ENOUGH)^2) = 8 % of what has the period of a packet. Of one packet's time it leaves 16 %, which
can still decide who has the losses."""


def phase_remark(queues: Iterable[str]) -> str | None:
    """A sentence about queues of `queues_in_phase` that overflow; None where there is none."""
    found = list(dict.fromkeys(queues))
    if not found:
        return None
    return (
        f"the flows over {', '.join(found)} can keep in phase, whenever they start, and then one of them has nearly "
        "all losses; a little random traffic prevents it, or jitter of two packets' times or more "
        "(docs/concepts/traffic.md, Phase effects)"
    )


def phase_remark_of(tables: Mapping[str, Any], results: Iterable[Mapping[str, Any]]) -> str | None:
    """The sentence about a scenario's queues that dropped data packets in one of these results; None where none did.

    Args:
        tables: The scenario, as `Scenario.to_dict` gives it.
        results: Results of it, each as `Result.to_dict` gives it.
    """
    queues = queues_in_phase(tables)
    if not queues:
        return None
    links = [link for result in results for link in result["links"]]
    dropping = {link["name"] for link in links if link["drops"] and link["drops"]["data"]}
    return phase_remark(name for name in queues if name in dropping)


def queues_in_phase(tables: Mapping[str, Any]) -> list[str]:
    """Drop-tail queues that flows of different kinds fill, and nothing delays their packets at random by enough.

    Which of equal flows has the losses changes nothing for them together.
    """
    links = link_tables(tables)
    mixed = {link for kind in ("traffic", "arrivals") for table in tables.get(kind, []) for link in _crossed(table)}
    queues: defaultdict[str, set[str]] = defaultdict(set)
    for flow in tables.get("flow", []):
        if flow.get("count", 1):
            kind = repr([flow.get(key) for key in ("controller", "data", "ack", "access_delay", "packet", "tcp")])
            spread = max((_spread_s(links[link]) for link in _crossed(flow)), default=0.0)
            for link in flow["data"]:
                if _only_overflows(links[link]) and spread < _ENOUGH * _packet_s(flow, links[link]):
                    queues[link].add(kind)
    return [name for name, kinds in queues.items() if len(kinds) > 1 and name not in mixed]


def _spread_s(link: Mapping[str, Any]) -> float:
    """Standard deviation of the jitter; that of exponential jitter is its mean."""
    jitter = link.get("jitter", {})
    return read("jitter", "time", jitter.get("sd", jitter.get("mean", "0 s")))


def _packet_s(flow: Mapping[str, Any], link: Mapping[str, Any]) -> float:
    return 8 * read("packet", "bytes", flow["packet"]) / read("rate", "rate", link["rate"])


def _only_overflows(link: Mapping[str, Any]) -> bool:
    """Whether each packet that leaves makes room for one, and nothing else is lost."""
    lost = link.get("loss") or "trace" in link or "policer" in link
    return link["queue"]["kind"] == "droptail" and not lost


def _crossed(table: dict[str, Any]) -> list[str]:
    return [link for key in ("data", "ack", "path") for link in table.get(key, [])]
