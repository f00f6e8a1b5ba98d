"""The path of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import eddyline.kinds as kinds
from eddyline.worlds import DEFAULT

__all__ = ["FULL_PACKET_B", "NARROW", "WIDE", "Path", "Setting", "noise"]

FULL_PACKET_B = 1500
"""A data packet on the wire; of it 40 B are header, the default of scenarios."""


@dataclass(frozen=True)
class Setting:
    """What all runs of an evaluation share.

    Attributes:
        quick: Fewer points, shorter runs.
        queue: The discipline at the bottleneck. One other than drop-tail may mark: flows then are ECN-capable.
        world: The world that runs them, one with packets.
    """

    quick: bool = False
    queue: str = "droptail"
    world: str = DEFAULT

    @property
    def drop_tail(self) -> bool:
        """Whether the discipline is the plain FIFO, so that flows are without ECN."""
        return kinds.queue(self.queue).drop_tail

    def tcp(self, kind: str) -> dict[str, Any]:
        """TCP options of a flow with a controller."""
        if self.drop_tail:
            return {}
        accurate = kinds.controller(kind).ecn == "accurate"
        return {"tcp": {"accurate_ecn" if accurate else "ecn": True}}


@dataclass(frozen=True)
class Path:
    """A bottleneck `there` and a link `back` of the same rate.

    Attributes:
        rate_bps: Rate of both links, bit/s.
        rtt_s: Round-trip propagation delay.
    """

    rate_bps: float
    rtt_s: float

    @property
    def bdp_packets(self) -> float:
        """Bandwidth-delay product in full packets."""
        return self.rate_bps * self.rtt_s / (8 * FULL_PACKET_B)

    def full_packets(self, of_bdp: float) -> int:
        """A buffer of a size in bandwidth-delay products, in full packets; at least one."""
        return max(1, round(of_bdp * self.bdp_packets))

    def limit(self, of_bdp: float) -> str:
        """The same as a limit in bytes; in a limit in packets the short packets of `noise` would count as full ones."""
        return f"{self.full_packets(of_bdp) * FULL_PACKET_B} B"

    def links(self, of_bdp: float, queue: str, **there: Any) -> list[dict[str, Any]]:
        """`there`, with a queue of that many bandwidth-delay products and other keys, and `back`."""
        link = {"rate": f"{self.rate_bps:.0f} bit/s", "delay": f"{self.rtt_s / 2:.9f} s"}
        table = {"kind": queue, "limit": self.limit(of_bdp)}
        return [{"name": "there", "queue": table, **link, **there}, {"name": "back", **link}]


NARROW = Path(20e6, 0.040)
"""For shared bottlenecks and varied buffers: a cycle of the window takes seconds, even with ten times the buffer."""

WIDE = Path(100e6, 0.040)
"""For the window over time."""

_NOISE_BPS = 1e6


def noise() -> list[dict[str, Any]]:
    """Poisson traffic of 1 Mbit/s in packets of another length.

    Two flows at a drop-tail queue synchronise, and one of them has all the losses (Floyd and Jacobson, "On traffic
    phase effects in packet-switched gateways", 1992). Random arrivals prevent that.
    """
    model = {"kind": "poisson", "rate": f"{_NOISE_BPS:.0f} bit/s"}
    return [{"name": "noise", "path": ["there"], "packet": "173 B", "model": model}]
