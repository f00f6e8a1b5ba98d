"""The candidate queues, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import ACK_B, PACKET_B
from eddyline.adviser.sizing import proportional
from eddyline.adviser.trial import Queues, run_trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.adviser.access import Access
    from eddyline.adviser.trial import Outcome
    from eddyline.progress import Count

__all__ = ["DEFAULT_PACKETS", "KEPT", "UNITS", "Choice", "Tried", "choose", "families", "limit"]

UNITS = ("bytes", "packets", "cells")
"""What a FIFO's limit may count."""

KEPT = 0.85
"""The share of its goodput alone that each direction must keep."""

DEFAULT_PACKETS = 1000
"""The default of Linux for an Ethernet interface (txqueuelen), and of most access routers with it."""

_USABLE = 0.8
"""Minimum of a direction's goodput alone, relative to that with the default buffers: a queue must not be too short for
one flow. CoDel leaves a single New Reno flow 80 to 90 % at long round-trip times."""

_CELL_B, _TRAILER_B = 48, 8
"""Payload of an ATM cell, and AAL5's trailer (ITU-T I.361, I.363.5)."""

_DOWN_FACTORS = (0.5, 1.0, 2.0)
_UP_FACTORS = (0.5, 0.71, 1.0, 1.41, 2.0, 3.0)


@dataclass(frozen=True)
class Tried:
    """A pair of queues and the simulated outcome."""

    family: str
    queues: Queues
    outcome: Outcome


@dataclass(frozen=True)
class Choice:
    """The outcome of the search.

    Attributes:
        best: The advised queues; where none suffice, the nearest.
        possible: Whether they suffice.
        why: Why not, else None.
        by_family: The best of every family.
        default: The default buffers.
    """

    best: Tried
    possible: bool
    why: str | None
    by_family: list[Tried]
    default: Tried


def limit(size: float, unit: str) -> str:
    """The limit of a queue of `size` bytes of full packets, in that unit."""
    whole = max(1, round(size / PACKET_B))
    if unit == "packets":
        return f"{whole} packets"
    if unit == "cells":
        return f"{whole * -(-(PACKET_B + _TRAILER_B) // _CELL_B)} cells"
    return f"{max(PACKET_B, round(size / 100) * 100)} B"


def families(access: Access, unit: str) -> dict[str, list[Queues]]:
    """Candidates by family, the simplest family first: around the closed form for FIFOs, by rule for the others."""
    size = proportional(access)

    def fifo(down: float, up: float) -> Queues:
        return Queues(_fifo(limit(down, unit)), _fifo(limit(up, unit)))

    grid = [fifo(size.down * d, size.up * u) for d in _DOWN_FACTORS for u in _UP_FACTORS]
    own = [_fifo(limit(size.down * d, unit)) for d in _DOWN_FACTORS]
    first = [limit(max(access.up_bps * access.rtt_s[1] / 8, 4 * PACKET_B) * u, unit) for u in (1.0, 2.0)]
    return {
        "drop-tail": [q for i, q in enumerate(grid) if q not in grid[:i]],
        "ACKs first": [Queues(down, {"kind": "ack_priority", "limit": up}) for down in own for up in first],
        "FQ-CoDel": [Queues(_fq_codel(access, access.down_bps), _fq_codel(access, access.up_bps))],
        "CAKE": [Queues(_cake(access, "none"), _cake(access, filtered)) for filtered in ("conservative", "aggressive")],
    }


def _fifo(limit: str) -> dict[str, Any]:
    return {"kind": "droptail", "limit": limit}


def _codel(access: Access, rate_bps: float) -> dict[str, Any]:
    """RFC 8289, section 4: the target at least 1.5 packets long, the interval no less than the longest round trip."""
    target = max(5e-3, 1.5 * 8 * PACKET_B / rate_bps)
    interval = max(100e-3, access.rtt_s[1], 2 * target)
    return {"target": f"{target * 1e6:.0f} us", "interval": f"{interval * 1e6:.0f} us"}


def _fq_codel(access: Access, rate_bps: float) -> dict[str, Any]:
    return {"kind": "fq_codel", "limit": "1000 packets", **_codel(access, rate_bps)}


def _cake(access: Access, ack_filter: str) -> dict[str, Any]:
    # cake derives its target from the round-trip time and the rate
    rtt = max(100e-3, access.rtt_s[1])
    return {"kind": "cake", "rtt": f"{rtt * 1e6:.0f} us", "ack_filter": ack_filter}


def choose(access: Access, unit: str, done: Count | None = None) -> Choice:
    """Simulates every family and chooses the first in which a candidate suffices."""
    default = Queues(_fifo(f"{DEFAULT_PACKETS} packets"), _fifo(f"{DEFAULT_PACKETS} packets"))
    candidates = [(name, q) for name, several in families(access, unit).items() for q in several]
    outcomes = run_trials(access, [q for _, q in candidates] + [default], done)
    usual = Tried("default", default, outcomes.pop())
    tried = [Tried(name, q, o) for (name, q), o in zip(candidates, outcomes, strict=True)]
    names = list(dict.fromkeys(t.family for t in tried))
    best = [_best([t for t in tried if t.family == name], usual) for name in names]
    for t in best:
        if _suffices(t, usual):
            return Choice(t, True, None, best, usual)
    nearest = max(best, key=lambda t: (_works_alone(t, usual), t.outcome.share))
    return Choice(nearest, False, _why(access, nearest), best, usual)


def _best(tried: Sequence[Tried], usual: Tried) -> Tried:
    """Of those that suffice, the one with the shortest delay; else the one that keeps the largest share."""
    sufficient = [t for t in tried if _suffices(t, usual)]
    if sufficient:
        return min(sufficient, key=lambda t: (t.outcome.worst_delay_s, -t.outcome.share))
    return max(tried, key=lambda t: (_works_alone(t, usual), t.outcome.share))


def _suffices(tried: Tried, usual: Tried) -> bool:
    shorter = tried.outcome.worst_delay_s < usual.outcome.worst_delay_s
    return tried.outcome.share >= KEPT and shorter and _works_alone(tried, usual)


def _works_alone(tried: Tried, usual: Tried) -> bool:
    o, u = tried.outcome, usual.outcome
    return o.download_alone_bps >= _USABLE * u.download_alone_bps and o.upload_alone_bps >= _USABLE * u.upload_alone_bps


def _why(access: Access, nearest: Tried) -> str:
    o = nearest.outcome
    worse = "download" if o.download_share < o.upload_share else "uploads"
    why = (
        f"with no queue both directions keep {KEPT:.0%}: with the nearest, {nearest.family}, "
        f"the {worse} keep{'s' if worse == 'download' else ''} {o.share:.0%}"
    )
    acks = access.down_packets_per_s / 2 * ACK_B * 8 / access.up_bps
    if acks > 1 - KEPT:
        why += f"; the acknowledgements of a full download alone take {acks:.0%} of the uplink unless they are filtered"
    return why
