"""What the figures should be, and whether they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.measure import Measured

__all__ = ["Goal", "goals"]

_MILLIONS = {"W1": 10.0, "W2": 10.0, "W4": 10.0 / 3}
_RATIOS = {"ns-2": 15.0, "ns-3": 100.0}
_RATIO_OF = {("W1-newreno", "ns-2"): 9.0}
"""Where a packet's memory is in ns-2's caches."""
_INSTRUCTIONS = {"W1": 1_200.0, "W1-newreno": 1_000.0, "W2-newreno": 1_000.0, "W4-newreno": 1_100.0}
_RING_PER_HOP = 3.0
_BYTES = {"W5": 300e6, "W6": 6e9}


@dataclass(frozen=True)
class Goal:
    """One goal: what, how much there is, how much there should be."""

    what: str
    value: float
    bound: float
    at_least: bool = True

    @property
    def reached(self) -> bool:
        """Whether it is."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def goals(all_measured: list[Measured]) -> list[Goal]:
    """The goals of all that was measured."""
    found = []
    by_name = {m.workload.name: m for m in all_measured}
    for name, bound in _MILLIONS.items():
        if name in by_name:
            found.append(Goal(f"{name}: million data packets per CPU second", by_name[name].per_cpu_s / 1e6, bound))
    for name, bound in _INSTRUCTIONS.items():
        if name in by_name and (instructions := by_name[name].instructions):
            what = f"{name}: instructions a data packet"
            found.append(Goal(what, instructions.per_packet, bound, at_least=False))
    for name, bytes_bound in _BYTES.items():
        if name in by_name:
            megabytes = by_name[name].peak_bytes / 1e6
            found.append(Goal(f"{name}: peak memory, MB", megabytes, bytes_bound / 1e6, at_least=False))
    if (ring := by_name.get("W5")) and (one_link := by_name.get("W1")):
        ratio = ring.ns_per_hop / one_link.ns_per_hop
        found.append(Goal("W5: cost per data packet-hop over W1's", ratio, _RING_PER_HOP, at_least=False))
    for m in all_measured:
        if m.workload.name.endswith("newreno"):
            for peer, bound in _RATIOS.items():
                if peer in m.peers:
                    bound = _RATIO_OF.get((m.workload.name, peer), bound)
                    found.append(Goal(f"{m.workload.name}: times as fast as {peer}", m.peers[peer].ratio, bound))
    return found
