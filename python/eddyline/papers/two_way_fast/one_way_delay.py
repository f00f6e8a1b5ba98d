"""FAST that counts one way, or acknowledgements by their load: Examples 1 to 5 again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.examples import ratio
from eddyline.papers.two_way_fast.fairness import proportional
from eddyline.reports.exhibit import Column, Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["COUNTED", "build", "counting"]

COUNTED = ("round_trip", "forward", "weighted")

Changes = tuple[tuple[str, str], ...]

_SHORT: Changes = (("duration", "60 s"), ("warmup", "30 s"))

_CLOCKED: dict[int, tuple[tuple[str, int], ...]] = {
    2: (("flow 1", 100), ("flow 2", 100), ("flow 3", -100)),
    3: (("flow 1", 100), ("flow 2", -100)),
    5: (("flow 1", 100), ("flow 2", -100)),
}
"""By example, how receivers' clocks drift, in ppm: between two hosts what one direction gains the other loses."""


def counting(delay: str, pauses: bool = True) -> Changes:
    """What makes all flows count that delay."""
    changes: Changes = (("flow.*.tcp.timestamps", "true"), ("flow.*.controller.delay", delay))
    return changes if pauses else (*changes, ("flow.*.controller.drain", "false"))


def build(context: Context) -> Exhibit:
    """Theory and simulation of each rule, with clocks that agree and with clocks that do not."""
    rows: list[Row] = []
    for example in range(1, 6):
        for delay in COUNTED:
            rows += _rows(context, example, delay)
    return Exhibit(
        id="one-way-delay",
        title="Counting the right delay",
        place="Section 1; Section 4.1",
        reading=(
            "The paper's first sentence on delay-based control: an acknowledgement's delay cannot be told from a data "
            "packet's. With timestamps of both ends it can. round_trip is FAST as published; forward counts the "
            "queueing of data alone; weighted counts acknowledgements by what they load, q = q_data + (P_ack / "
            "P_data) q_ack, so that prices are shared as capacity is. Clocks agree in the first simulation and "
            "there are no pauses; in the second the receivers' clocks are 3 s ahead, gain 100 ppm forward and lose as "
            "much backward, as those of two hosts do, tick in milliseconds, and flows pause every 10 s."
        ),
        columns=(
            Column("example", "example"),
            Column("flow", "flow"),
            Column("counts", "counts"),
            Column("theory", "theory", "packets/s"),
            Column("sim", "sim", "packets/s"),
            Column("off", "off", percent=True),
            Column("clocked", "sim, clocks apart", "packets/s"),
            Column("clocked_off", "off", percent=True),
            Column("fair", "proportional fairness", "packets/s"),
            Column("of_fair", "theory off fairness", percent=True),
        ),
        rows=rows,
        findings=_findings(rows),
        notes=(
            "Where a forward flow's acknowledgements fill their link before its data fill theirs, nothing that it "
            "counts tells it to stop: no equilibrium, and no rows for it (Example 1; the exhibit ack-congestion has "
            "what to do). Pauses cost what the rows with clocks show; without pauses two transfers between the same "
            "two hosts cannot tell clocks from queues.",
        ),
    )


def _rows(context: Context, example: int, delay: str) -> list[Row]:
    file = f"example-{example}-1000B"
    theory = context.runner.equilibrium(Run(file, "theory", None, counting(delay)))
    if theory is None:
        return [{"example": example, "flow": "all", "counts": delay, "settles": False}]
    one_way = delay != "round_trip"
    # acknowledgements that hold flows back by a fraction of their wait wait for seconds, and that takes time
    time: Changes = (("duration", "400 s"), ("warmup", "300 s")) if example == 1 else _SHORT
    runs = [Run(file, "sim", None, counting(delay, pauses=not one_way) + time)]
    if one_way and example in _CLOCKED:
        clocks = tuple((f'flow."{name}".tcp.timestamp_clock', _clock(ppm)) for name, ppm in _CLOCKED[example])
        runs.append(Run(file, "sim", None, counting(delay) + clocks + _SHORT))
    plain, *drifting = context.runner.run_all(runs)
    fair = proportional(plain.scenario)
    rows: list[Row] = []
    for flow in theory.document["flows"]:
        name, wanted = flow["name"], flow["packets_per_s"]
        got = drifting[0].flow(name)["packets_per_s"] if drifting else None
        rows.append(
            {
                "example": example,
                "flow": name,
                "counts": delay,
                "settles": True,
                "theory": wanted,
                "sim": plain.flow(name)["packets_per_s"],
                "off": ratio(plain.flow(name)["packets_per_s"], wanted),
                "clocked": got,
                "clocked_off": ratio(got, wanted),
                "clocks": got is not None,
                "fair": fair[name],
                "of_fair": ratio(wanted, fair[name]),
            }
        )
    return rows


def _clock(ppm: int) -> str:
    return f'{{ ahead = "3 s", drift_ppm = {ppm}, tick = "1 ms" }}'


def _findings(rows: Sequence[Row]) -> list[str]:
    settled = [r for r in rows if r["settles"]]
    worst = max(abs(r["off"]) for r in settled)
    clocks = max(abs(r["clocked_off"]) for r in settled if r["clocks"])
    weighted = max(abs(r["of_fair"]) for r in settled if r["counts"] == "weighted")
    plain = max(abs(r["of_fair"]) for r in settled if r["counts"] == "round_trip")
    none = [f"Example {r['example']} with {r['counts']}" for r in rows if not r["settles"]]
    return [
        f"Simulation is within {worst:.1%} of theory where clocks agree, within {clocks:.1%} where they do not.",
        f"weighted is within {weighted:.1g} of proportional fairness; as published FAST is up to {plain:.0%} away.",
        f"No equilibrium: {', '.join(none) or 'none'}.",
    ]
