"""Section 6's Markov chain, simulated as the paper prints it, without `eddyline.theory`.

Each state counts with its mean sojourn time, so only the order of events is random.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from random import Random

from eddyline.papers.two_way_fast.conditions import B, threshold

__all__ = ["Load", "Path", "service_rate", "simulate"]

_FORWARD, _BACKWARD = "forward", "backward"


@dataclass(frozen=True)
class Load:
    """Arrivals in 1/s and capacities in Mbit/s; the mean size is 1 Mbit, so that mu is 1 per Mbit."""

    forward: float
    backward: float
    c_f: float = 1.0
    c_b: float = 2.0

    @property
    def offered(self) -> tuple[float, float]:
        """Offered load of each link: (lambda_F + b lambda_B) / (mu c_F), and the same for B."""
        return (self.forward + B * self.backward) / self.c_f, (self.backward + B * self.forward) / self.c_b


def service_rate(n: int, m: int, c_f: float, c_b: float) -> float:
    """C(n, m) of Section 6, in Mbit/s a flow."""
    theta = threshold(c_f / c_b)
    if n >= theta * m and n > 0:
        return c_f / (n + B * m)
    return c_b / (B * n + m) if n < theta * m else 0.0


@dataclass
class Path:
    """What a simulation of the chain saw after its warm-up.

    Attributes:
        time: Its length in s.
        full: Seconds in which each link was the bottleneck.
        loads: Mean load of each link while the system was not empty.
        shifts: How often the bottleneck moved from one link to the other, idle periods in between or not.
        share: Mean of n / (n + m) while the system was not empty.
        spread: Its standard deviation.
        start: (n, m) at the end of the warm-up.
        end: (n, m) at the end.
    """

    time: float = 0.0
    full: dict[str, float] = field(default_factory=lambda: {_FORWARD: 0.0, _BACKWARD: 0.0})
    loads: tuple[float, float] = (0.0, 0.0)
    shifts: int = 0
    share: float = 0.0
    spread: float = 0.0
    start: tuple[int, int] = (0, 0)
    end: tuple[int, int] = (0, 0)

    @property
    def busy(self) -> float:
        """Seconds in which the system was not empty."""
        return self.full[_FORWARD] + self.full[_BACKWARD]


def simulate(load: Load, events: int, seed: int) -> Path:
    """The chain from an empty system; the first fifth of the events is the warm-up."""
    rng = Random(seed)
    theta = threshold(load.c_f / load.c_b)
    path = Path()
    n = m = 0
    first = second = load_f = load_b = 0.0
    last = ""
    for event in range(events):
        if event == events // 5:
            path.start = (n, m)
        rate = service_rate(n, m, load.c_f, load.c_b)
        total = load.forward + load.backward + (n + m) * rate
        full = "" if n + m == 0 else _FORWARD if n >= theta * m else _BACKWARD
        if event >= events // 5:
            stay = 1.0 / total
            path.time += stay
            if full:
                path.full[full] += stay
                share = n / (n + m)
                first += stay * share
                second += stay * share * share
                load_f += stay * rate * (n + B * m) / load.c_f
                load_b += stay * rate * (m + B * n) / load.c_b
                path.shifts += last not in ("", full)
        last = full or last
        chance = rng.random() * total
        if chance < load.forward:
            n += 1
        elif chance < load.forward + load.backward:
            m += 1
        elif chance < load.forward + load.backward + n * rate:
            n -= 1
        else:
            m -= 1
    path.end = (n, m)
    path.share = first / path.busy
    path.spread = sqrt(max(0.0, second / path.busy - path.share**2))
    path.loads = (load_f / path.busy, load_b / path.busy)
    return path
