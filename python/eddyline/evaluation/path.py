"""The path that controllers are evaluated on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["FULL_PACKET_B", "NARROW", "WIDE", "Path", "Setting", "noise"]

FULL_PACKET_B = 1500
"""A data packet on the wire; of it 40 B are header, as scenarios have it unless said."""


_ACCURATE = ("dctcp", "prague")
"""What needs every mark counted; all others get ECN by RFC 3168."""


@dataclass(frozen=True)
class Setting:
    """What is the same in all runs of an evaluation.

    Attributes:
        quick: Fewer points, shorter runs.
        queue: The discipline at the bottleneck. One other than drop-tail may mark: flows then are ECN-capable.
    """

    quick: bool = False
    queue: str = "droptail"

    def tcp(self, kind: str) -> dict[str, Any]:
        """The sender's options of a flow of some kind."""
        if self.queue == "droptail":
            return {}
        return {"tcp": {"accurate_ecn" if kind in _ACCURATE else "ecn": True}}


@dataclass(frozen=True)
class Path:
    """A bottleneck there and as fast a link back.

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

    def limit(self, of_bdp: float) -> int:
        """A buffer in packets, for its size in bandwidth-delay products; at least one packet."""
        return max(1, round(of_bdp * self.bdp_packets))

    def links(self, of_bdp: float, queue: str, **there: Any) -> list[dict[str, Any]]:
        """`there`, with a queue of so many bandwidth-delay products and what else is given, and `back`."""
        line = {"rate": f"{self.rate_bps:.0f} bit/s", "delay": f"{self.rtt_s / 2:.9f} s"}
        table = {"kind": queue, "limit": f"{self.limit(of_bdp)} packets"}
        return [{"name": "there", "queue": table, **line, **there}, {"name": "back", **line}]


NARROW = Path(20e6, 0.040)
"""Where flows share and where buffers are varied: windows come round in seconds, even with ten times the buffer."""

WIDE = Path(100e6, 0.040)
"""Where the window's shape over time is to be seen."""

_NOISE_BPS = 1e6


def noise() -> list[dict[str, Any]]:
    """Poisson traffic of 1 Mbit/s in packets of another length.

    Two flows on a drop-tail queue fall into step, and one loses all the packets (Floyd and Jacobson, "On traffic phase
    effects in packet-switched gateways", 1992): random arrivals break that.
    """
    model = {"kind": "poisson", "rate": f"{_NOISE_BPS:.0f} bit/s"}
    return [{"name": "noise", "path": ["there"], "packet": "173 B", "model": model}]
