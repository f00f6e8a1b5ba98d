"""Which queues to try, and which of them to advise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import ACK_B, PACKET_B
from eddyline.adviser.sizing import both_busy, proportional
from eddyline.adviser.trial import Queues, run_trials

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eddyline.adviser.access import Access
    from eddyline.adviser.trial import Outcome

__all__ = ["DEFAULT_PACKETS", "KEPT", "UNITS", "Choice", "Tried", "choose", "families", "limit"]

UNITS = ("bytes", "packets", "cells")
"""What a FIFO's limit may count."""

KEPT = 0.85
"""What each direction must keep of what it gets alone."""

DEFAULT_PACKETS = 1000
"""What Linux gives an Ethernet interface (txqueuelen), and with it most boxes at the end of an access line."""

_USABLE = 0.8
"""Of what a direction gets alone behind the default buffers: a queue too short for one flow is no cure. CoDel lets a
lone New Reno flow have 80 to 90 % at long round-trip times."""

_CELL_B, _TRAILER_B = 48, 8
"""Payload of an ATM cell, and AAL5's trailer (ITU-T I.361, I.363.5)."""

_DOWN_FACTORS = (0.5, 1.0, 2.0)
_UP_FACTORS = (0.5, 0.71, 1.0, 1.41, 2.0, 3.0)


@dataclass(frozen=True)
class Tried:
    """A pair of queues with what they did."""

    family: str
    queues: Queues
    outcome: Outcome


@dataclass(frozen=True)
class Choice:
    """What came of the search.

    Attributes:
        best: What is advised; where nothing suffices, what comes nearest.
        possible: Whether it suffices.
        why: Why not, else None.
        by_family: The best of every family.
        default: What the usual buffers do.
    """

    best: Tried
    possible: bool
    why: str | None
    by_family: list[Tried]
    default: Tried


def limit(size: float, unit: str) -> str:
    """`size` bytes of full packets as a queue's limit in that unit."""
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


def _fifo(how_much: str) -> dict[str, Any]:
    return {"kind": "droptail", "limit": how_much}


def _codel(access: Access, rate_bps: float) -> dict[str, Any]:
    """RFC 8289, section 4: the target at least 1.5 packets long, the interval no less than the longest round trip."""
    target = max(5e-3, 1.5 * 8 * PACKET_B / rate_bps)
    interval = max(100e-3, access.rtt_s[1], 2 * target)
    return {"target": f"{target * 1e6:.0f} us", "interval": f"{interval * 1e6:.0f} us"}


def _fq_codel(access: Access, rate_bps: float) -> dict[str, Any]:
    return {"kind": "fq_codel", "limit": "1000 packets", **_codel(access, rate_bps)}


def _cake(access: Access, ack_filter: str) -> dict[str, Any]:
    # cake takes its target from the round-trip time and the rate itself
    rtt = max(100e-3, access.rtt_s[1])
    return {"kind": "cake", "rtt": f"{rtt * 1e6:.0f} us", "ack_filter": ack_filter}


def choose(access: Access, unit: str, done: Callable[[int, int], None] | None = None) -> Choice:
    """Tries every family and takes the first in which some candidate suffices."""
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
    """Of those that suffice, the one with the shortest delay; else the one that keeps most."""
    enough = [t for t in tried if _suffices(t, usual)]
    if enough:
        return min(enough, key=lambda t: (t.outcome.worst_delay_s, -t.outcome.share))
    return max(tried, key=lambda t: (_works_alone(t, usual), t.outcome.share))


def _suffices(tried: Tried, usual: Tried) -> bool:
    shorter = tried.outcome.worst_delay_s < usual.outcome.worst_delay_s
    return tried.outcome.share >= KEPT and shorter and _works_alone(tried, usual)


def _works_alone(tried: Tried, usual: Tried) -> bool:
    o, u = tried.outcome, usual.outcome
    return o.download_alone_bps >= _USABLE * u.download_alone_bps and o.upload_alone_bps >= _USABLE * u.upload_alone_bps


def _why(access: Access, nearest: Tried) -> str:
    _, upload = both_busy(access)
    share = access.down_packets_per_s / 2 * ACK_B * 8 / access.up_bps
    if upload <= 0 or share > 1 - KEPT:
        return (
            f"the acknowledgements of a full download take {share:.0%} of the uplink: "
            f"the uploads cannot keep {KEPT:.0%} beside it"
        )
    worse = "download" if nearest.outcome.download_share < nearest.outcome.upload_share else "uploads"
    return (
        f"no queue on offer lets both directions keep {KEPT:.0%}: the nearest, {nearest.family}, "
        f"leaves the {worse} {nearest.outcome.share:.0%}"
    )
