"""Eq. 6 against RFC 6298 where delay jumps: spurious timeouts, with and without F-RTO."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.vfast.runs import VFAST, Case, Reading
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, CYAN, GREEN, ORANGE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

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
    """Timeouts of VFAST's law under each rule; the queue loses nothing, so all are spurious."""
    rows = _timeouts(context, floors, seeds, duration)
    return Exhibit(
        id="spurious",
        title="Spurious timeouts by eq. 6 and by RFC 6298",
        place="Section V, eq. 5 and 6",
        reading=(
            "A flow of 10 Mbit/s whose round trip jumps when a burst fills an unlimited queue: nothing is lost, every"
            " timeout is spurious. Fed with every ACK, V of eq. 5 forgets a jump within a round trip, and without a "
            "floor under its spread eq. 6 expires more often than RFC 6298, which hears one sample a round trip. The "
            "floor matters more than the rule; a second of it ends them all. F-RTO gives the window back."
        ),
        columns=(
            Column("jumps", "jumps of"),
            Column("rule", "timeout by"),
            Column("smoothing", "samples"),
            Column("floor", "least"),
            Column("frto", "F-RTO"),
            Column("timeouts", "timeouts"),
            Column("standard", "by RFC 6298"),
            Column("rate", "rate", "Mbit/s", scale=1e6),
            Column("without_frto", "without F-RTO", "Mbit/s", scale=1e6),
            Column("patient", "at the floor with fewest", "Mbit/s", scale=1e6),
        ),
        rows=rows,
        pictures=[
            Picture("spurious", "Timeouts by rule and floor, without F-RTO", drawn(_bars, 9.0, 3.4, rows, floors))
        ],
        notes=(
            f"Means over {seeds} seeds of {duration}. The law is VFAST's in all rows; jumps are exponential, 10 Gbit/s "
            "bursts on a link of 10 Mbit/s. `least` is min_rto: under the spread (4 V) for RFC 6298 as this simulator "
            "has it and for eq. 6, under the whole timeout for the last rule.",
        ),
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
            reading=Reading(name, name, (key, ("smoothing", smoothing))),
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
        every = {"ack": "every ACK", "update": "once an update"}[smoothing]
        rows.append(
            {
                "jumps": jump,
                "rule": name,
                "smoothing": "once a round trip" if name == "RFC 6298" else every,
                "floor": floor,
                "frto": frto == "true",
                "timeouts": fmean(t for t, _ in values),
                "rate": fmean(r for _, r in values),
            }
        )
    for row in rows:
        alike = [r for r in rows if all(r[k] == row[k] for k in ("jumps", "floor", "frto"))]
        standard = next(r for r in alike if r["rule"] == "RFC 6298")
        row["standard"] = standard["timeouts"]
        alike = [r for r in rows if not r["frto"] and all(r[k] == row[k] for k in ("jumps", "rule", "smoothing"))]
        row["without_frto"] = next(r for r in alike if r["floor"] == row["floor"])["rate"]
        # the flow whose timer expires least: what it has is there to be had
        row["patient"] = min(alike, key=lambda r: r["timeouts"])["rate"]
    return rows


def _bars(figure: Figure, rows: list[Row], floors: Sequence[str]) -> None:
    axes = figure.subplots(1, len(JUMPS))
    for axis, jump in zip(axes, JUMPS, strict=True):
        part = [r for r in rows if r["jumps"] == jump and not r["frto"]]
        names = list(dict.fromkeys((r["rule"], r["smoothing"]) for r in part))
        for place, ((rule, smoothing), colour) in enumerate(zip(names, (BLUE, RED, ORANGE, GREEN, CYAN), strict=True)):
            values = [
                next(r["timeouts"] for r in part if (r["rule"], r["smoothing"], r["floor"]) == (rule, smoothing, floor))
                for floor in floors
            ]
            spots = [i + 0.16 * (place - 2) for i in range(len(floors))]
            axis.bar(spots, values, width=0.15, color=colour, label=f"{rule}, {smoothing}")
        axis.set_xticks(range(len(floors)), floors)
        axis.set_xlabel("least timeout")
        axis.set_title(f"jumps of {jump}")
    axes[0].set_ylabel("spurious timeouts")
    axes[-1].legend(fontsize=7)
