"""Duplex links with flows both ways, and the networks of one-way flows that Section 3 maps them to.

The examples of the paper, random links with one bottleneck, and symmetric links, on which both directions are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from random import Random
from typing import Any

from eddyline.papers.two_way_fast.conditions import B
from eddyline.scenario import Scenario

__all__ = ["Controller", "Network", "Sender", "Times", "networks"]

_PACKET, _ACK = 1000, 40
_DRAWN, _SYMMETRIC = 30, 5
Controller = dict[str, Any]
"""Further keys of the flows' controllers."""

_OTHER = {"forward": "backward", "backward": "forward"}


@dataclass(frozen=True)
class Sender:
    """A flow: the link of its data, alpha in packets, and the delay of its access in microseconds."""

    data: str
    alpha: int
    access_us: int


@dataclass(frozen=True)
class Times:
    """Duration, warm-up and spacing of series of a simulation, in seconds."""

    duration: float
    warmup: float
    interval: float


@dataclass(frozen=True)
class Network:
    """A duplex link and its flows.

    Attributes:
        name: Its name in tables.
        kbps: Rate of each direction.
        delay_us: Propagation delay of each direction.
        gamma: Step size of all flows, per round trip.
    """

    name: str
    kbps: dict[str, int]
    delay_us: dict[str, int]
    gamma: float
    senders: tuple[Sender, ...]

    def delay_of(self, link: str) -> float:
        """Left or right side of (4): the queueing delay in seconds if `link` alone were the bottleneck."""
        sizes = [s.alpha * (_PACKET if s.data == link else _ACK) for s in self.senders]
        return 8.0 * sum(sizes) / (1e3 * self.kbps[link])

    @property
    def bottleneck(self) -> str:
        """`forward`, `backward` or `both`, by (4)."""
        margin = log(self.delay_of("forward") / self.delay_of("backward"))
        return "both" if abs(margin) < 1e-9 else "forward" if margin > 0 else "backward"

    @property
    def fuller(self) -> str:
        """The bottleneck; of two, the forward link."""
        return "backward" if self.bottleneck == "backward" else "forward"

    def both_ways(self, controller: Controller | None = None, times: Times | None = None) -> Scenario:
        """The network itself."""
        flows = [
            _flow(n, self.gamma, s.alpha, s.data, _OTHER[s.data], _PACKET, _ACK, (s.access_us * 1000, 0), controller)
            for n, s in enumerate(self.senders, 1)
        ]
        links = [(name, self.kbps[name], self.delay_us[name]) for name in ("forward", "backward")]
        return _scenario(self.name, links, flows, times)

    def mapped(self, controller: Controller | None = None, times: Times | None = None) -> Scenario:
        """Section 3: one-way flows over the bottleneck alone, in which ACKs on it are data packets of their size.

        The other link becomes delay: propagation, and the time that it takes to send a packet.
        """
        full = self.fuller
        other = _OTHER[full]
        flows = []
        for n, s in enumerate(self.senders, 1):
            own = s.data == full
            crossing = _ACK if own else _PACKET
            away_ns = self.delay_us[other] * 1000 + round(8e6 * crossing / self.kbps[other])
            access = (s.access_us * 1000, away_ns) if own else (away_ns + s.access_us * 1000, 0)
            flows.append(_flow(n, self.gamma, s.alpha, full, "away", _PACKET if own else _ACK, 1, access, controller))
        links = [(full, self.kbps[full], self.delay_us[full]), ("away", 100_000_000, 0)]
        return _scenario(f"{self.name}, one way", links, flows, times)

    def without_reverse_traffic(self) -> Scenario | None:
        """The network with only the flows whose data is on the bottleneck; None where there are no others."""
        kept = tuple(s for s in self.senders if s.data == self.fuller)
        if len(kept) == len(self.senders) or not kept:
            return None
        return Network(self.name, self.kbps, self.delay_us, self.gamma, kept).both_ways()


def _flow(
    number: int,
    gamma: float,
    alpha: int,
    data: str,
    ack: str,
    packet: int,
    ack_packet: int,
    access_ns: tuple[int, int],
    controller: Controller | None,
) -> dict[str, Any]:
    return {
        "name": f"flow {number}",
        "controller": {
            "kind": "fast",
            "alpha": f"{alpha} packets",
            "gamma": gamma,
            "base_rtt": "known",
            **(controller or {}),
        },
        "data": [data],
        "ack": [ack],
        "packet": f"{packet} B",
        "header": "0 B",
        "ack_packet": f"{ack_packet} B",
        "access_delay": {"data": f"{access_ns[0]} ns", "ack": f"{access_ns[1]} ns"},
    }


def _scenario(
    title: str, links: list[tuple[str, int, int]], flows: list[dict[str, Any]], times: Times | None
) -> Scenario:
    document: dict[str, Any] = {
        "title": title,
        "duration": f"{times.duration if times else 1.0:.6f} s",
        "warmup": f"{times.warmup if times else 0.0:.6f} s",
        "link": [{"name": name, "rate": f"{kbps} kbit/s", "delay": f"{us} us"} for name, kbps, us in links],
        "flow": flows,
    }
    if times:
        document["record"] = {"interval": f"{times.interval:.6f} s"}
    return Scenario(document)


def networks() -> list[Network]:
    """Examples 1 to 4, thirty random links with one bottleneck, five symmetric ones."""
    rng = Random(3)
    return [
        _example(1, 1, (("forward", 100), ("forward", 200))),
        _example(2, 100, (("forward", 300), ("forward", 200), ("backward", 100))),
        _example(3, 10, (("forward", 100), ("backward", 30))),
        _example(4, 10, (("forward", 100), ("backward", 30), ("forward", 200))),
        *(_drawn(rng, number) for number in range(1, _DRAWN + 1)),
        *(_symmetric(rng, number) for number in range(1, _SYMMETRIC + 1)),
    ]


def _example(number: int, backward_mbps: int, flows: tuple[tuple[str, int], ...]) -> Network:
    senders = tuple(Sender(data, alpha, 0) for data, alpha in flows)
    kbps = {"forward": 100_000, "backward": 1000 * backward_mbps}
    return Network(f"Example {number}", kbps, {"forward": 10_000, "backward": 10_000}, 0.5, senders)


def _drawn(rng: Random, number: int) -> Network:
    """One to three flows each way, 10 to 50 Mbit/s, 1 to 50 ms a link and up to 40 ms of access in half of the links.

    Queueing at the bottleneck is 0.04 to 2 times propagation. The other link is 15 % to sevenfold short of being one.
    """
    full = "forward" if number % 2 else "backward"
    other = _OTHER[full]
    delay_us = {name: round(1000 * 50 ** rng.random()) for name in (full, other)}
    spread = 40_000 if number % 4 < 2 else 0
    ways = [way for way in (full, other) for _ in range(rng.randint(1, 3))]
    plan = [(way, rng.uniform(0.3, 1.0), round(spread * rng.random())) for way in ways]
    kbps = round(10_000 * 5 ** rng.random())
    queue_s = 1e-6 * sum(delay_us.values()) * 0.04 * 50 ** rng.random()
    weight = sum(size * (_PACKET if way == full else _ACK) for way, size, _ in plan)
    scale = queue_s * 1e3 * kbps / 8.0 / weight
    senders = tuple(Sender(way, max(5, round(scale * size)), access) for way, size, access in plan)
    ours, theirs = (sum(s.alpha for s in senders if s.data == way) for way in (full, other))
    margin = exp(rng.uniform(0.15, 2.0))
    rates = {full: kbps, other: round(kbps * margin * (theirs + B * ours) / (ours + B * theirs))}
    return Network(f"random {number}", rates, delay_us, round(rng.uniform(0.3, 1.0), 2), senders)


def _symmetric(rng: Random, number: int) -> Network:
    """As many flows of the same alphas each way, and equal links."""
    kbps = round(10_000 * 5 ** rng.random())
    delay_us = round(1000 * 50 ** rng.random())
    queue_s = 2e-6 * delay_us * 0.1 * 40 ** rng.random()
    count = rng.randint(1, 2)
    alpha = max(5, round(queue_s * 1e3 * kbps / 8.0 / (count * (_PACKET + _ACK))))
    senders = tuple(Sender(way, alpha, 0) for _ in range(count) for way in ("forward", "backward"))
    both = {"forward": kbps, "backward": kbps}
    return Network(
        f"symmetric {number}",
        both,
        {"forward": delay_us, "backward": delay_us},
        round(rng.uniform(0.2, 1.0), 2),
        senders,
    )
