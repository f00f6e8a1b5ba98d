"""Alpha-weighted proportional fairness on one duplex link: the rates of FAST without queueing of ACKs."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import eddyline._core as _core

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["proportional"]

_STEPS = 200


def proportional(scenario: dict[str, Any]) -> dict[str, float]:
    """Packets per second of each flow that maximise the sum of alpha log x within both capacities.

    At the optimum `x = alpha / (load of one packet on the links, weighted by their prices)`. For a given price of the
    first link, the second link's price is found by bisection; an outer bisection finds the first link's price.
    """
    rate = {k["name"]: _core.quantity("rate", k["rate"]) for k in scenario["link"]}
    first, second = rate
    flows = [
        (f["name"], _core.quantity("packets", f["controller"]["alpha"]), _loads(f, (first, second)))
        for f in scenario["flow"]
    ]

    def rates(first_price: float, second_price: float) -> dict[str, float]:
        return {name: alpha / (first_price * load[0] + second_price * load[1]) for name, alpha, load in flows}

    def excess(link: int, x: dict[str, float]) -> float:
        return sum(x[name] * load[link] for name, _, load in flows) - rate[(first, second)[link]]

    def second_price(first_price: float) -> float:
        if first_price > 0 and excess(1, rates(first_price, 0.0)) <= 0:
            return 0.0
        return _root(lambda price: excess(1, rates(first_price, price)))

    if excess(0, rates(0.0, second_price(0.0))) <= 0:
        return rates(0.0, second_price(0.0))
    first_price = _root(lambda price: excess(0, rates(price, second_price(price))))
    return rates(first_price, second_price(first_price))


def _root(falling: Callable[[float], float]) -> float:
    """The zero of a falling function of a price between 1e-15 and 1e3 s a bit, by bisection of its logarithm."""
    low, high = 1e-15, 1e3
    for _ in range(_STEPS):
        middle = sqrt(low * high)
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return sqrt(low * high)


def _loads(flow: dict[str, Any], links: tuple[str, str]) -> tuple[float, float]:
    data, ack = (8.0 * _core.quantity("bytes", flow[key]) for key in ("packet", "ack_packet"))
    loads = [data * flow["data"].count(name) + ack * flow["ack"].count(name) for name in links]
    return loads[0], loads[1]
