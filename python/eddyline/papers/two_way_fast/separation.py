"""Section 6 assumes that rates follow the number of flows at once: the error, by packets, over the size of files."""

from __future__ import annotations

from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.conditions import B
from eddyline.reports.figures import BLACK, BLUE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_LOADS = (0.3, 0.7)
_DURATION_S = {12.5: 2_000, 40.0: 5_000, 125.0: 10_000, 400.0: 20_000, 1250.0: 40_000}
"""Mean size of a file in kB, and the simulated time for it."""
_SEEDS = (1, 2, 3)
_BASE_RTTS = {"known": tuple(_DURATION_S), "estimated": (12.5, 125.0, 1250.0)}
"""How senders get their base RTT, with the file sizes for which it is simulated."""


def build(context: Context) -> Exhibit:
    """Mean transfer times over the mean size of files, against the chain, which has no other time scale."""
    settings = [(load, size, belief) for load in _LOADS for belief, sizes in _BASE_RTTS.items() for size in sizes]
    runs = {
        (setting, seed): Run("population", "sim", None, _changes(*setting, seed))
        for setting in settings
        for seed in _SEEDS
    }
    results = dict(zip(runs, context.runner.run_all(list(runs.values())), strict=True))
    rows: list[Row] = []
    for setting in settings:
        load, kilobytes, belief = setting
        chain = context.runner.theory("population", "population", _changes(*setting, _SEEDS[0]))
        documents = [results[setting, seed].document for seed in _SEEDS]
        for place, direction in enumerate(("forward", "backward")):
            expected = chain["mean_transfer_time_s"][f"{direction} files"]
            times = [r["arrivals"][place]["completion_s"]["mean"] for r in documents]
            shares = [r["links"][place]["bottleneck_share"] for r in documents]
            rows.append(
                {
                    "load": load,
                    "size_bytes": 1e3 * kilobytes,
                    "packets": kilobytes,
                    "belief": belief,
                    "setting": f"{kilobytes:g} kB, base RTT {belief}",
                    "direction": direction,
                    "flows": sum(r["arrivals"][place]["completed"] for r in documents),
                    "chain_s": expected,
                    "packets_s": fmean(times),
                    "off": fmean(times) / expected - 1.0,
                    "scatter": stdev(times) / sqrt(len(times)) / expected,
                    "chain_share": chain["bottleneck"][direction],
                    "packets_share": fmean(shares),
                }
            )
    return context.definition("fig-5-timescale").exhibit(rows, draw={"fig-5-timescale": partial(_draw, rows=rows)})


def _changes(load: float, kilobytes: float, belief: str, seed: int) -> tuple[tuple[str, str], ...]:
    rate = f"{load / (1 + B) * 125.0 / kilobytes:.9f} /s"
    duration = _DURATION_S[kilobytes]
    return (
        ("arrivals.*.rate", rate),
        ("arrivals.*.size", f'{{ kind = "exponential", mean = "{kilobytes:g} kB" }}'),
        ("arrivals.*.controller.base_rtt", belief),
        ("duration", f"{duration} s"),
        ("warmup", f"{duration // 20} s"),
        ("seed", str(seed)),
    )


def _draw(figure: Figure, rows: list[Row]) -> None:
    axes = figure.subplots(1, len(_BASE_RTTS), sharey=True)
    for axis, belief in zip(axes, _BASE_RTTS, strict=True):
        for direction, colour in (("forward", BLUE), ("backward", RED)):
            for load, style in zip(_LOADS, ("o--", "s-"), strict=True):
                part = [r for r in rows if (r["belief"], r["direction"], r["load"]) == (belief, direction, load)]
                axis.errorbar(
                    [r["packets"] for r in part],
                    [100 * r["off"] for r in part],
                    [100 * r["scatter"] for r in part],
                    fmt=style,
                    color=colour,
                    markersize=4,
                    linewidth=1,
                    capsize=2,
                    label=f"{direction}, load {load:g}",
                )
        axis.axhline(0.0, color=BLACK, linewidth=0.8)
        axis.set_xscale("log")
        axis.set_xticks(list(_DURATION_S), [f"{k:g}" for k in _DURATION_S])
        axis.minorticks_off()
        axis.set_xlabel("mean file (packets of 1 kB)")
        axis.set_title(f"base RTT {belief}")
    axes[0].set_ylabel("transfer time against the chain (%)")
    axes[0].legend(loc="upper right")
