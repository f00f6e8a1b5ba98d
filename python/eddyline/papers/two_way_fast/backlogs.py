"""What the ns-2 module leaves open: it settles with any backlog from two packets below alpha up to alpha."""

from __future__ import annotations

from itertools import product
from typing import Any

import eddyline._core as _core
from eddyline.papers.printed import PrintedNumber

__all__ = ["left_open", "rounding"]

_OPEN_PACKETS = 2.0


def left_open(scenario: dict[str, Any]) -> dict[str, float]:
    """By how much of its lowest rate each flow's equilibrium varies over these backlogs; by link, that of its data.

    Eq. 5 and 6 with every combination of both extremes in the place of alpha.
    """
    flows = scenario["flow"]
    alphas = [_core.quantity("packets", f["controller"]["alpha"]) for f in flows]
    rates: list[list[float]] = [_rates(scenario, b) for b in product(*((a - _OPEN_PACKETS, a) for a in alphas))]
    opened = {f["name"]: _spread([r[i] for r in rates]) for i, f in enumerate(flows)}
    for link in scenario["link"]:
        own = [i for i, f in enumerate(flows) if link["name"] in f["data"]]
        if own:
            opened[link["name"]] = _spread([sum(r[i] for i in own) for r in rates])
    return opened


def _rates(scenario: dict[str, Any], backlogs: tuple[float, ...]) -> list[float]:
    """Packets a second of each flow with these backlogs."""
    queueing_s = max(
        sum(b * _bits(f, link["name"]) for b, f in zip(backlogs, scenario["flow"], strict=True))
        / _core.quantity("rate", link["rate"])
        for link in scenario["link"]
    )
    return [b / queueing_s for b in backlogs]


def _bits(flow: dict[str, Any], link: str) -> float:
    """What a packet of the flow, or its acknowledgement, puts on a link."""
    sizes = (("data", "packet"), ("ack", "ack_packet"))
    return sum(8.0 * _core.quantity("bytes", flow[size]) for path, size in sizes if link in flow[path])


def _spread(rates: list[float]) -> float:
    return max(rates) / min(rates) - 1.0


def rounding(printed: float) -> float:
    """Half a unit of the last digit of a printed value, as a share of it."""
    if not printed:
        return 0.0
    return (printed.half_a_digit if isinstance(printed, PrintedNumber) else 0.5) / abs(printed)
