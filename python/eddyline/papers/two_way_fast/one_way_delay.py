"""Examples 1 to 5 with FAST that measures one-way delay, or weights the delay of ACKs by their load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.papers.two_way_fast.fairness import proportional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["DELAYS", "build", "delay_settings"]

DELAYS = ("round_trip", "forward", "weighted")

Changes = tuple[tuple[str, str], ...]

_SHORT: Changes = (("duration", "60 s"), ("warmup", "30 s"))

_CLOCKED: dict[int, tuple[tuple[str, int], ...]] = {
    2: (("flow 1", 100), ("flow 2", 100), ("flow 3", -100)),
    3: (("flow 1", 100), ("flow 2", -100)),
    5: (("flow 1", 100), ("flow 2", -100)),
}
"""Drift of the receivers' clocks in ppm, by example. Between two hosts one direction gains what the other loses."""


def delay_settings(delay: str, pauses: bool = True) -> Changes:
    """Settings with which all flows measure that delay."""
    changes: Changes = (("flow.*.tcp.timestamps", "true"), ("flow.*.controller.delay", delay))
    return changes if pauses else (*changes, ("flow.*.controller.drain", "false"))


def build(context: Context) -> Exhibit:
    """Theory and simulation for each kind of delay, with clocks that agree and with clocks that differ."""
    rows: list[Row] = []
    for example in range(1, 6):
        for delay in DELAYS:
            rows += _rows(context, example, delay)
    return context.definition("one-way-delay").exhibit(rows, findings=_findings(rows))


def _rows(context: Context, example: int, delay: str) -> list[Row]:
    file = f"example-{example}-1000B"
    theory = context.runner.equilibrium(Run(file, "theory", None, delay_settings(delay)))
    if theory is None:
        return [{"example": example, "flow": "all", "counts": delay, "settles": False}]
    one_way = delay != "round_trip"
    # where ACKs count by a fraction of their wait, they wait for seconds, and flows settle slowly
    time: Changes = (("duration", "400 s"), ("warmup", "300 s")) if example == 1 else _SHORT
    runs = [Run(file, "sim", None, delay_settings(delay, pauses=not one_way) + time)]
    if one_way and example in _CLOCKED:
        clocks = tuple((f'flow."{name}".tcp.timestamp_clock', _clock(ppm)) for name, ppm in _CLOCKED[example])
        runs.append(Run(file, "sim", None, delay_settings(delay) + clocks + _SHORT))
    plain, *drifting = context.runner.run_all(runs)
    fair = proportional(plain.scenario)
    published = None
    if one_way:
        settings = delay_settings("round_trip") + time
        as_published = context.runner.run(Run(file, "sim", None, settings))
        published = {f["name"]: f["packets_per_s"] for f in as_published.document["flows"]}
    rows: list[Row] = []
    for flow in theory.document["flows"]:
        name, expected = flow["name"], flow["packets_per_s"]
        clocked = drifting[0].flow(name)["packets_per_s"] if drifting else None
        rows.append(
            {
                "example": example,
                "flow": name,
                "counts": delay,
                "settles": True,
                "theory": expected,
                "sim": plain.flow(name)["packets_per_s"],
                "off": relative_error(plain.flow(name)["packets_per_s"], expected),
                "clocked": clocked,
                "clocked_off": relative_error(clocked, expected),
                "clocks": clocked is not None,
                "fair": fair[name],
                "of_fair": relative_error(expected, fair[name]),
                "of_published": None if published is None else plain.flow(name)["packets_per_s"] / published[name],
            }
        )
    return rows


def _clock(ppm: int) -> str:
    return f'{{ ahead = "3 s", drift_ppm = {ppm}, tick = "1 ms" }}'


def _findings(rows: Sequence[Row]) -> list[tuple[str, dict[str, Any]]]:
    settled = [r for r in rows if r["settles"]]
    agree = max(abs(r["off"]) for r in settled)
    differ = max(abs(r["clocked_off"]) for r in settled if r["clocks"])
    weighted = max(abs(r["of_fair"]) for r in settled if r["counts"] == "weighted")
    published = max(abs(r["of_fair"]) for r in settled if r["counts"] == "round_trip")
    return [
        ("simulation", {"agree": agree, "differ": differ}),
        ("fairness", {"weighted": weighted, "published": published}),
        *(("no_equilibrium", r) for r in rows if not r["settles"]),
    ]
