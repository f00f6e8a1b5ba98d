"""Alpha-weighted proportional fairness on one duplex link: the rates of FAST without queueing of ACKs."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from eddyline import _core

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["proportional"]

_STEPS = 200


def proportional(scenario: dict[str, Any]) -> dict[str, float]:
    """Packets per second of each flow that maximise the sum of alpha log x within both capacities.

    At the optimum `x = alpha / (load of one packet on the links, weighted by their prices)`. With the price of the
    first link given, the other's follows by bisection, and so in turn the first one's.
    """
    rate = {k["name"]: _core.quantity("rate", k["rate"]) for k in scenario["link"]}
    first, second = rate
    flows = [
        (f["name"], _core.quantity("packets", f["controller"]["alpha"]), _loads(f, (first, second)))
        for f in scenario["flow"]
    ]

    def rates(one: float, other: float) -> dict[str, float]:
        return {name: alpha / (one * load[0] + other * load[1]) for name, alpha, load in flows}

    def excess(at: int, x: dict[str, float]) -> float:
        return sum(x[name] * load[at] for name, _, load in flows) - rate[(first, second)[at]]

    def other_price(one: float) -> float:
        if one > 0 and excess(1, rates(one, 0.0)) <= 0:
            return 0.0
        return _root(lambda price: excess(1, rates(one, price)))

    if excess(0, rates(0.0, other_price(0.0))) <= 0:
        return rates(0.0, other_price(0.0))
    one = _root(lambda price: excess(0, rates(price, other_price(price))))
    return rates(one, other_price(one))


def _root(falling: Callable[[float], float]) -> float:
    """Where a falling function of a price crosses zero, between 1e-15 and 1e3 s a bit, by halving its logarithm."""
    low, high = 1e-15, 1e3
    for _ in range(_STEPS):
        middle = sqrt(low * high)
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return sqrt(low * high)


def _loads(flow: dict[str, Any], links: tuple[str, str]) -> tuple[float, float]:
    data, ack = (8.0 * _core.quantity("bytes", flow[key]) for key in ("packet", "ack_packet"))
    loads = [data * flow["data"].count(name) + ack * flow["ack"].count(name) for name in links]
    return loads[0], loads[1]
