"""Section 6 lets rates follow the number of flows at once: what that costs, by packets, for small and large files."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.conditions import B
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["build"]

_LOADS = (0.3, 0.7)
_DURATION_S = {12.5: 2_000, 40.0: 5_000, 125.0: 10_000, 400.0: 20_000, 1250.0: 40_000}
"""Mean size of a file in kB, and how long transfers of it are watched."""
_SEEDS = (1, 2, 3)
_BELIEFS = {"known": tuple(_DURATION_S), "estimated": (12.5, 125.0, 1250.0)}
"""What senders take for the round trip without queueing, with the sizes for which it is tried."""


def build(context: Context) -> Exhibit:
    """Mean transfer times over the mean size of files, against the chain, which knows no time but the transfer's."""
    settings = [(load, size, belief) for load in _LOADS for belief, sizes in _BELIEFS.items() for size in sizes]
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
    return Exhibit(
        id="fig-5-timescale",
        title="Rates that follow the number of flows at once: what it costs",
        place="Section 6, before eq. 17",
        reading=(
            "The link of Fig. 5 with files of other mean sizes at the same load; 1 kB is a packet, alpha = 10, 20 "
            "ms without queueing. The chain's transfer times grow with the size and nothing else; packets need a "
            "handshake, a start-up and round trips to find their rate. With the base round-trip time known, what "
            "is off for small files is that; a few percent for large ones come from transmission times, which "
            "senders take for queueing, 8 ms forward and 4 ms backward. A sender that estimates the base takes a "
            "standing queue for propagation when it comes late, and stays ahead of those who were there: no matter "
            "of timescales, so it does not go away with size. Scatter is the standard error of the mean of three "
            "runs."
        ),
        columns=(
            Column("load", "load of forward", percent=True, digits=3),
            Column("size_bytes", "mean size", "kB", scale=1e3),
            Column("belief", "base RTT"),
            Column("direction", "files"),
            Column("flows", "transfers"),
            Column("chain_s", "mean transfer, chain", "s"),
            Column("packets_s", "packets", "s"),
            Column("off", "packets against chain", percent=True, digits=3),
            Column("scatter", "scatter", percent=True, digits=3),
            Column("chain_share", "bottleneck, chain", percent=True, digits=3),
            Column("packets_share", "bottleneck, packets", percent=True, digits=3),
        ),
        rows=rows,
        pictures=[
            Picture("fig-5-timescale", "Mean transfer time, packets against chain", drawn(_paint, 8.0, 3.6, rows))
        ],
    )


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


def _paint(figure: Figure, rows: list[Row]) -> None:
    axes = figure.subplots(1, len(_BELIEFS), sharey=True)
    for axis, belief in zip(axes, _BELIEFS, strict=True):
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
