"""Eq. 6 against RFC 6298 where delay jumps: spurious timeouts, with and without F-RTO."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.vfast.runs import VFAST, Case, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["spurious"]

_RULES = {
    "RFC 6298": ("rto", "rfc6298"),
    "eq. 6": ("rto", "eq6"),
    "eq. 6, floor under all": ("rto", "eq6_total"),
}
_FLOORS = ("1 ms", "200 ms", "1 s")
JUMPS = {
    "0.2 s every 2 s": (("traffic.cross.model.on", "200 us"), ("traffic.cross.model.off", "2 s")),
    "20 ms every 0.1 s": (("traffic.cross.model.on", "20 us"), ("traffic.cross.model.off", "100 ms")),
}


def spurious(context: Context, floors: Sequence[str] = _FLOORS, seeds: int = 3, duration: str = "600 s") -> Exhibit:
    """Timeouts with VFAST's window law under each rule; the queue loses nothing, so all are spurious."""
    rows = _timeouts(context, floors, seeds, duration)
    bars = [r | {"timer": f"{r['rule']}, {r['smoothing']}"} for r in rows if not r["frto"]]
    return context.definition("spurious").exhibit(
        rows, values={"seeds": seeds, "duration": duration}, curves={"bars": bars}
    )


def _timeouts(context: Context, floors: Sequence[str], seeds: int, duration: str) -> list[Row]:
    rules = [(name, key, smoothing) for name, key in _RULES.items() for smoothing in ("ack", "update")]
    rules = [r for r in rules if r[0] != "RFC 6298" or r[2] == "ack"]
    keys = [
        (jump, name, key, smoothing, floor, frto, seed)
        for jump in JUMPS
        for name, key, smoothing in rules
        for floor in floors
        for frto in ("false", "true")
        for seed in range(1, seeds + 1)
    ]
    runs = [
        Case(
            "late-acks",
            VFAST,
            reading=Reading(name, (key, ("smoothing", smoothing))),
            seed=seed,
            more=(
                *JUMPS[jump],
                ("flow.*.tcp.min_rto", floor),
                ("flow.*.tcp.frto", frto),
                ("duration", duration),
            ),
        ).summary()
        for jump, name, key, smoothing, floor, frto, seed in keys
    ]
    found: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for (jump, name, _, smoothing, floor, frto, _), result in zip(keys, context.runner.run_all(runs), strict=True):
        flow = result.flow("flow 1")
        found.setdefault((jump, name, smoothing, floor, frto), []).append((flow["timeouts"], flow["goodput_bps"]))
    rows: list[Row] = []
    for (jump, name, smoothing, floor, frto), values in found.items():
        samples = {"ack": "every ACK", "update": "once an update"}[smoothing]
        rows.append(
            {
                "jumps": jump,
                "rule": name,
                "smoothing": "once a round trip" if name == "RFC 6298" else samples,
                "floor": floor,
                "frto": frto == "true",
                "timeouts": fmean(t for t, _ in values),
                "rate": fmean(r for _, r in values),
            }
        )
    for row in rows:
        similar = [r for r in rows if all(r[k] == row[k] for k in ("jumps", "floor", "frto"))]
        standard = next(r for r in similar if r["rule"] == "RFC 6298")
        row["standard"] = standard["timeouts"]
        similar = [r for r in rows if not r["frto"] and all(r[k] == row[k] for k in ("jumps", "rule", "smoothing"))]
        row["without_frto"] = next(r for r in similar if r["floor"] == row["floor"])["rate"]
        # the rate that is possible: of the floor with the fewest timeouts
        row["patient"] = min(similar, key=lambda r: r["timeouts"])["rate"]
    return rows
