"""Section 6: when the numbers of flows grow without bound, and what holds then; by the chain and by packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.chain import Load, simulate
from eddyline.papers.two_way_fast.conditions import B

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build", "load_of"]

_CHAIN = (
    (1.2, 0.3),
    (1.05, 0.5),
    (0.3, 1.2),
    (0.5, 1.05),
    (1.2, 1.2),
    (1.5, 1.1),
    (0.9, 0.3),
    (0.3, 0.9),
    (0.9, 0.9),
)
_PACKETS = ((1.2, 0.3), (0.3, 1.2), (1.2, 1.2), (0.8, 0.3), (0.3, 0.8), (0.8, 0.8))
_EVENTS = 200_000
_DURATION_S, _WARMUP_S = 3000.0, 600.0
_GROWING = 0.025
"""Share of the arrivals that stays for good from which on numbers grow: half of what a load of 1.05 leaves."""


def load_of(forward: float, backward: float, c_f: float = 1.0, c_b: float = 2.0) -> Load:
    """The arrivals that offer these loads to the links."""
    left, right = forward * c_f, backward * c_b
    return Load((left - B * right) / (1.0 - B * B), (right - B * left) / (1.0 - B * B), c_f, c_b)


def build(context: Context) -> Exhibit:
    """Fig. 5's link with loads below and above 1 on either link and on both."""
    runs = [Run("population", "sim", None, _changes(load_of(*loads))) for loads in _PACKETS]
    rows = [_by_chain(*loads) for loads in _CHAIN]
    rows += [_by_packets(*loads, r) for loads, r in zip(_PACKETS, context.runner.run_all(runs), strict=True)]
    return context.definition("overload").exhibit(rows, values={"growing": 100 * _GROWING})


def _changes(load: Load) -> tuple[tuple[str, str], ...]:
    return (
        ('arrivals."forward files".rate', f"{load.forward:.9f} /s"),
        ('arrivals."backward files".rate', f"{load.backward:.9f} /s"),
        ("duration", f"{_DURATION_S:g} s"),
        ("warmup", f"{_WARMUP_S:g} s"),
    )


def _by_chain(forward: float, backward: float) -> Row:
    path = simulate(load_of(forward, backward), _EVENTS, seed=1)
    growth = [(end - start) / path.time for start, end in zip(path.start, path.end, strict=True)]
    shares = {name: seconds / path.time for name, seconds in path.full.items()}
    return _row(forward, backward, "chain", growth, path.end, shares, path.loads)


def _by_packets(forward: float, backward: float, result: RunResult) -> Row:
    arrivals = result.document["arrivals"]
    present = (arrivals[0]["arrived"] - arrivals[0]["completed"], arrivals[1]["arrived"] - arrivals[1]["completed"])
    growth = [count / (_DURATION_S - _WARMUP_S) for count in present]
    links = {k["name"]: k for k in result.document["links"]}
    shares = {name: float(k["bottleneck_share"]) for name, k in links.items()}
    used = (links["forward"]["utilisation"], links["backward"]["utilisation"])
    return _row(forward, backward, "packets", growth, present, shares, used)


def _row(
    forward: float,
    backward: float,
    method: str,
    growth: list[float],
    present: tuple[int, int],
    shares: dict[str, float],
    used: tuple[float, float],
) -> dict[str, Any]:
    load = load_of(forward, backward)
    grows = [g > _GROWING * rate for g, rate in zip(growth, (load.forward, load.backward), strict=True)]
    overloaded = max(forward, backward) >= 1.0
    above = load.forward / load.backward > 1.001 * _THETA
    below = load.forward / load.backward < 0.999 * _THETA
    expected = "forward" if above else "backward" if below else "both"
    return {
        "method": method,
        "load_forward": forward,
        "load_backward": backward,
        "overloaded": "yes" if overloaded else "no",
        "arrivals_ratio": load.forward / load.backward,
        "theta": _THETA,
        "expected": expected,
        "growth_forward": growth[0],
        "growth_backward": growth[1],
        "growing": "both" if all(grows) else "one" if any(grows) else "neither",
        "ratio": present[0] / present[1] if overloaded and present[1] else None,
        "forward": shares["forward"],
        "backward": shares["backward"],
        "expected_share": shares.get(expected),
        "least_load": min(used),
    }


_THETA = (1.0 - B * 2.0) / (2.0 - B * 1.0)
"""Eq. 17 for Fig. 5's link."""
