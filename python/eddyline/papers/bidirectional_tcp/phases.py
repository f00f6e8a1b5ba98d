"""Uplink buffers in packets, with the upload's far end at many distances: what a few milliseconds decide.

Both flows repeat the same pattern for minutes, so whether an acknowledgement or a packet of the upload finds the last
free place is the same every time. The distance of the upload's far end shifts that pattern, here and in ns-2.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from eddyline.papers.bidirectional_tcp.packets import ALONE, DOWNLINK, FLAT_SHARE, JUMP, POLICIES, ns2_packets
from eddyline.papers.bidirectional_tcp.setting import Link, Outcome, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["six_packets", "steps"]

_SIX = 6
_DISTANCES_MS = tuple(range(1, 21))
_STEP_DISTANCES_MS = (2, 3, 5, 6, 8, 11, 14, 17)
_STEP_DURATION_S = 500.0
_STEP_STARTS = 5
"""Starts for each size, both flows at times of the first second, as in the runs of ns-2 (one start each)."""
_SUBSCRIBER_MS = 0.1
_PAYLOAD_B = 1460
_STEPS = ("jumps", "largest", "ns2_jumps", "ns2_largest")


def _starts() -> list[tuple[tuple[str, str], ...]]:
    draws = Random(1)
    flows = ("download", "upload")
    return [tuple((f"flow.{f}.start", f"{draws.uniform(0.0, 1e3):.0f} ms") for f in flows) for _ in range(_STEP_STARTS)]


def _link(
    up: int, acks_every: int, distance_ms: float, duration_s: float, start: tuple[tuple[str, str], ...] = ()
) -> Link:
    delay = f"{distance_ms + _SUBSCRIBER_MS:g} ms"
    return Link(
        f"{DOWNLINK} packets",
        f"{up} packets",
        acks_every=acks_every,
        duration_s=duration_s,
        warmup_s=0.0,
        overrides=(("flow.upload.access_delay", f'{{ data = "{delay}", ack = "{delay}" }}'), *start),
    )


def _alone(acks_every: int) -> Link:
    """The upload by itself behind six packets."""
    link = _link(_SIX, acks_every, 5, 2000.0)
    return Link(**{**vars(link), "overrides": (*link.overrides, ("flow.download.start", "1999999 ms"))})


def _loss(o: Outcome) -> float:
    """Share of the upload's data packets that are lost, by its retransmissions."""
    sent_again = o.total("upload", "retransmits")
    return sent_again / (sent_again + o.total("upload", "delivered_bytes") / _PAYLOAD_B)


def six_packets(context: Context) -> Exhibit:
    """Six packets for the uplink, with the upload's far end 1 to 20 ms away: ours and ns-2's."""
    reference = ns2_packets(context)["six-packets"]
    rows: list[Row] = []
    distances: list[Row] = []
    for acks_every, acks in POLICIES.items():
        links = [_link(_SIX, acks_every, d, 2000.0) for d in _DISTANCES_MS]
        outcomes = simulate(context, links)
        (alone,) = simulate(context, [_alone(acks_every)])
        theirs = {c["upload_ms"]: c for c in reference if c["acks_every"] == acks_every}
        for d, o in zip(_DISTANCES_MS, outcomes, strict=True):
            ours, other = o.whole_run_goodput("upload") / ALONE, theirs[d]["upload_bps"] / ALONE
            distances.append({"acks": acks, "distance_s": 1e-3 * d, "share": ours, "ns2": other})
        of_policy = [r for r in distances if r["acks"] == acks]
        both: dict[str, tuple[str, list[float]]] = {
            "ours": ("share", [o.total("upload", "timeouts") / 2000.0 * 60.0 for o in outcomes]),
            "ns-2": ("ns2", [c["timeouts"] / c["duration_s"] * 60.0 for c in theirs.values()]),
        }
        for simulator, (key, timeouts) in both.items():
            shares = [r[key] for r in of_policy]
            rows.append(
                {
                    "acks": acks,
                    "simulator": simulator,
                    "case": f"{acks}, {simulator}",
                    "distances": len(shares),
                    "lowest": min(shares),
                    "share": median(shares),
                    "highest": max(shares),
                    "at_5_ms": next(r[key] for r in of_policy if r["distance_s"] == 5e-3),
                    "timeouts": median(timeouts),
                    "loss": median(_loss(o) for o in outcomes) if simulator == "ours" else None,
                    "loss_alone": _loss(alone) if simulator == "ours" else None,
                }
            )
    return context.definition("six-packets").exhibit(rows, series={"six-packets-distances": distances})


def _jumps(ratios: Sequence[tuple[int, float]], acks_every: int) -> tuple[float, float]:
    """Share of the steps of one packet in which the ratio changes by more than a tenth, and the largest change."""
    flat = FLAT_SHARE * DOWNLINK / acks_every
    changes = [abs(b / a - 1.0) for (_, a), (up, b) in pairwise(ratios) if up < flat]
    return sum(c > JUMP for c in changes) / len(changes), max(changes)


def steps(context: Context) -> Exhibit:
    """How the ratio changes from one size of the uplink's buffer to the next, at eight distances: ours and ns-2's."""
    reference = ns2_packets(context)["distances"]
    rows: list[Row] = []
    for acks_every, acks in POLICIES.items():
        for d in _STEP_DISTANCES_MS:
            theirs = sorted(
                (c["up_buffer"], c["download_bps"] / c["upload_bps"])
                for c in reference
                if c["acks_every"] == acks_every and c["upload_ms"] == d
            )
            sizes = [up for up, _ in theirs]
            row: Row = {"acks": acks, "kind": "one distance", "distance_s": 1e-3 * d, "sizes": len(sizes)}
            links = [_link(up, acks_every, d, _STEP_DURATION_S, start) for start in _starts() for up in sizes]
            ratios = iter([o.ratio for o in simulate(context, links)])
            ours = [_jumps([(up, next(ratios)) for up in sizes], acks_every) for _ in _starts()]
            row["jumps"], row["largest"] = (median(found) for found in zip(*ours, strict=True))
            row["ns2_jumps"], row["ns2_largest"] = _jumps(theirs, acks_every)
            rows.append(row)
    for acks in POLICIES.values():
        rows.append(_median([r for r in rows if r["acks"] == acks]))
    for row in rows:
        delayed = next(r for r in rows if r["acks"] == POLICIES[2] and r["distance_s"] == row["distance_s"])
        row.update({f"{name}_when_delayed": delayed[name] for name in _STEPS})
    return context.definition("steps").exhibit(rows)


def _median(rows: Sequence[Row]) -> Row:
    middle: dict[str, Any] = {name: median(r[name] for r in rows) for name in _STEPS}
    return {
        "acks": rows[0]["acks"],
        "kind": "median",
        "distance_s": None,
        "sizes": sum(r["sizes"] for r in rows),
        **middle,
    }
