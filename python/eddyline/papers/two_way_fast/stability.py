"""Section 3: stability with flows both ways, beside the one-way flows it maps to, and without reverse traffic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import NS2_PROFILE
from eddyline.papers.two_way_fast.networks import Times, networks
from eddyline.reports.figures import BLACK, BLUE, GREEN, RED
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.papers.two_way_fast.networks import Controller, Network
    from eddyline.reports.exhibit import Exhibit, Row
    from eddyline.scenario import Scenario

__all__ = ["GROWTH", "SPREAD", "build"]

GROWTH = 0.02
"""Powers of e by which a disturbance grows in a round trip from which on a model says that it oscillates."""

SPREAD = 0.03
"""Standard deviation over mean of a window from which on packets oscillate; whole packets alone make less."""

_MODELS = {"integrator": "eq. 1 to 3", "ack_clocked": "ack-clocked", "joint": "joint"}
_PACKETS: dict[str, Controller] = {
    "packets, clean": {},
    "packets, no start-up": {"mi_threshold": "1 us"},
    "packets, ns-2 profile": {"profile": NS2_PROFILE},
}
_SCATTER = 1.5
"""Factor between two spreads up to which they are alike: oscillations scatter by a third with the flows' start."""
_SETTLES, _OSCILLATES = "settles", "oscillates"


@dataclass(frozen=True)
class _Point:
    """Round trips and queueing of the equilibrium."""

    longest_s: float
    shortest_s: float
    rho: float


def build(context: Context) -> Exhibit:
    """Every network by three models of its links and by packets."""
    known = networks()
    points = [_point(n.both_ways()) for n in known]
    asked = [(n, _times(n, p), keys) for n, p in zip(known, points, strict=True) for keys in _PACKETS.values()]
    both = context.runner.simulate([n.both_ways(keys, times) for n, times, keys in asked])
    mapped = context.runner.simulate([n.mapped(keys, times) for n, times, keys in asked])
    packets = iter(zip(asked, both, mapped, strict=True))
    rows: list[Row] = []
    for network, point in zip(known, points, strict=True):
        shared = {
            "network": network.name,
            "bottlenecks": "both" if network.bottleneck == "both" else "one",
            "full": network.bottleneck,
            "flows": f"{sum(s.data == network.fuller for s in network.senders)} + "
            f"{sum(s.data != network.fuller for s in network.senders)}",
            "gamma": network.gamma,
            "rtt_s": point.longest_s,
            "rho": point.rho,
        }
        rows += [shared | _by_roots(network, point, model) for model in _MODELS]
        for name in _PACKETS:
            (_, times, _), result, one_way = next(packets)
            rows.append(shared | {"by": name} | _by_packets(result, one_way, times))
    return context.definition("stability-both-ways").exhibit(
        rows,
        values={"growth": GROWTH, "spread": 100 * SPREAD},
        draw={"stability-both-ways": partial(_draw, rows=rows)},
        findings=[("tally", _tally(rows))],
    )


def _point(scenario: Scenario) -> _Point:
    flows = scenario.run_with(RunOptions(), "theory").to_dict()["flows"]
    rtts = [f["rtt_s"]["mean"] for f in flows]
    rho = min(f["queueing_delay_s"] / f["rtt_s"]["mean"] for f in flows)
    return _Point(max(rtts), min(rtts), rho)


def _times(network: Network, point: _Point) -> Times:
    """Start-up, ten time constants of the slowest window, sixty round trips."""
    warmup = 40.0 * point.longest_s + 10.0 * point.longest_s / (network.gamma * point.rho)
    return Times(warmup + 60.0 * point.longest_s, warmup, point.shortest_s / 8.0)


def _by_roots(network: Network, point: _Point, model: str) -> dict[str, Any]:
    """Growth of a disturbance in the longest round trip, as a power of e, from the rightmost root."""
    alone = network.without_reverse_traffic()
    growth, mapped = (_growth(s, model) * point.longest_s for s in (network.both_ways(), network.mapped()))
    without = _growth(alone, model) * _point(alone).longest_s if alone else None
    return {
        "by": _MODELS[model],
        "growth": growth,
        "growth_mapped": mapped,
        "difference": growth - mapped,
        "growth_without": without,
        "verdict": _stated(growth > GROWTH),
        "verdict_mapped": _stated(mapped > GROWTH),
        "alike": "yes" if (growth > GROWTH) == (mapped > GROWTH) else "no",
        "verdict_without": None if without is None else _stated(without > GROWTH),
    }


def _growth(scenario: Scenario, model: str) -> float:
    return float(scenario.theory("stability", link_model=model)[1]["roots"][0][0])


def _by_packets(result: RunResult, mapped: RunResult, times: Times) -> dict[str, Any]:
    spread, other = _spread(result, times.warmup), _spread(mapped, times.warmup)
    loads = sorted(link["utilisation"] for link in result.document["links"])
    return {
        "spread": spread,
        "spread_mapped": other,
        "verdict": _stated(spread > SPREAD),
        "verdict_mapped": _stated(other > SPREAD),
        "alike": _alike(spread, other),
        "least_load": loads[0],
        "largest_load": loads[-1],
    }


def _spread(result: RunResult, warmup: float) -> float:
    """The largest standard deviation of a window after warm-up, as a share of its mean."""
    assert result.series is not None
    part = result.series
    part = part[(part["quantity"] == "cwnd_packets") & (part["time_s"] > warmup)]
    windows = part.groupby("entity", observed=True)["value"].agg(["std", "mean"])
    return float((windows["std"] / windows["mean"]).max())


def _alike(spread: float, mapped: float) -> str:
    """Whether both settle, both oscillate, or one is just above the bound and the other just below."""
    low, high = sorted((spread, mapped))
    return "yes" if (low > SPREAD) == (high > SPREAD) or high < _SCATTER * low else "no"


def _stated(oscillates: bool) -> str:
    return _OSCILLATES if oscillates else _SETTLES


def _tally(rows: list[Row]) -> dict[str, Any]:
    one = [r for r in rows if r["bottlenecks"] == "one"]
    roots = [r for r in one if r["by"] in _MODELS.values()]
    packets = [r for r in one if r["by"] in _PACKETS]
    return {
        "networks": len({r["network"] for r in one}),
        "difference": max(abs(r["difference"]) for r in roots),
        "unstable": sum(r["verdict"] == _OSCILLATES for r in roots if r["by"] == _MODELS["integrator"]),
        "oscillating": sum(r["verdict"] == _OSCILLATES for r in packets),
        "runs": len(packets),
    }


def _draw(figure: Figure, rows: list[Row]) -> None:
    roots, packets = figure.subplots(1, 2)
    # those drawn later are smaller, because on the diagonal they cover others
    for (name, colour), mark, size in zip(
        ((_MODELS["integrator"], RED), (_MODELS["ack_clocked"], BLUE), (_MODELS["joint"], GREEN)),
        "osD",
        (8, 5, 3),
        strict=True,
    ):
        for kind, face in (("one", colour), ("both", "none")):
            part = [r for r in rows if (r["by"], r["bottlenecks"]) == (name, kind)]
            label = name if kind == "one" else f"{name}, both links full"
            roots.plot(
                [r["growth_mapped"] for r in part],
                [r["growth"] for r in part],
                mark,
                color=colour,
                markerfacecolor=face,
                markersize=size,
                linestyle="none",
                label=label,
            )
    for name, colour, mark in zip(_PACKETS, (BLUE, GREEN, RED), "o^x", strict=True):
        part = [r for r in rows if r["by"] == name]
        places = ([100 * max(r[key], 1e-4) for r in part] for key in ("spread_mapped", "spread"))
        packets.plot(*places, mark, color=colour, markersize=5, linestyle="none", label=name)
    roots.axline((0, 0), slope=1, color=BLACK, linewidth=0.8)
    packets.axline((0.01, 0.01), (100, 100), color=BLACK, linewidth=0.8)
    roots.set_xlabel("growth a round trip, one-way flows")
    roots.set_ylabel("growth a round trip, both ways")
    packets.set_xlabel("spread of windows, one-way flows (%)")
    packets.set_ylabel("spread of windows, both ways (%)")
    packets.set_xscale("log")
    packets.set_yscale("log")
    for axis in (packets.axhline, packets.axvline):
        axis(100 * SPREAD, color=BLACK, linewidth=0.8, linestyle="--")
    roots.legend(fontsize="small")
    packets.legend(loc="upper left")
