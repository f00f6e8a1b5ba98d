"""Vegas over longer paths: a search for settings in which it does not hold its queue."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.reports.figures import BLUE, GREEN, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["PATHS", "RTTS", "delay"]

RTTS = (0.005, 0.02, 0.1, 0.5, 1.0)
_POINTS, _BANDS = ((1, 1), (2, 2), (4, 4)), ((1, 3), (2, 4))
PATHS = ((10e6, 20), (10e6, 100), (100e6, 20), (100e6, 100))
"""Rate in bit/s, number of flows."""
_LONG, _SHORT = "long beside the queueing", "short beside the queueing"
_DRAWN = (100e6, 100, (4, 4))
_SECONDS = 100.0


def _started(rate: float, flows: int, rtt: float) -> float:
    """Seconds after which nothing of the start is left.

    The flows fill the path by a packet a round trip each, overrun it and take as long again; then 200 round trips.
    """
    return max(100.0, 5.0 * rate / 12_000 * rtt**2 / flows + 200.0 * rtt)


def _run(rate: float, flows: int, alpha: int, beta: int, rtt: float) -> Run:
    started = _started(rate, flows, rtt)
    keys = {f"link.{name}.rate": f"{rate:.0f} bit/s" for name in ("there", "back")}
    keys |= {f"link.{name}.delay": f"{500 * rtt:g} ms" for name in ("there", "back")}
    keys |= {"flow.*.controller.alpha": f"{alpha} packets", "flow.*.controller.beta": f"{beta} packets"}
    keys |= {"flow.*.count": str(flows), "warmup": f"{started:g} s", "duration": f"{started + _SECONDS:g} s"}
    return Run("vegas-delay", set=tuple(keys.items()), interval="100 ms")


def delay(context: Context, paths: Sequence[tuple[float, int]] = PATHS) -> Exhibit:
    """Rates, numbers of flows and alpha to beta, over round-trip times."""
    cases = [(rate, n, a, b, rtt) for rate, n in paths for a, b in (*_POINTS, *_BANDS) for rtt in RTTS]
    results = context.runner.run_all([_run(*case) for case in cases])
    rows: list[Row] = []
    drawn: dict[float, list[tuple[float, float]]] = {}
    for (rate, flows, alpha, beta, rtt), result in zip(cases, results, strict=True):
        times, queue = result.over_time("there", "queue_packets")
        start = _started(rate, flows, rtt)
        kept = [(t - start, q) for t, q in zip(times, queue, strict=True) if t > start]
        if (rate, flows, (alpha, beta)) == _DRAWN:
            drawn[rtt] = kept
        early, late = (_swing([q for _, q in part]) for part in (kept[: len(kept) // 2], kept[len(kept) // 2 :]))
        link, at_rest = result.document["links"][0], flows * alpha * 12_000 / rate
        band = f"{alpha}" if alpha == beta else f"{alpha} to {beta}"
        rows.append(
            {
                "rate": rate,
                "flows": flows,
                "alpha_beta": band,
                "kind": "alpha = beta" if alpha == beta else "alpha < beta",
                "setting": f"{rate / 1e6:g} Mbit/s, {flows} flows, {band}",
                "rtt": rtt,
                "at_rest_s": at_rest,
                "delay": _LONG if rtt >= 2.0 * at_rest else _SHORT if rtt <= 0.5 * at_rest else "between",
                "utilisation": link["utilisation"],
                "queue": link["queue_packets"]["mean"],
                "least": min(q for _, q in kept),
                "swing": _swing([q for _, q in kept]) / flows,
                "growth": late / early if early else None,
            }
        )
    return context.definition("vegas-delay").exhibit(
        rows,
        series={
            f"vegas-delay-{1000 * rtt:g}ms": [{"time_s": t, "queue_packets": q} for t, q in kept if t <= _shown(rtt)]
            for rtt, kept in drawn.items()
        },
        draw={"vegas-delay": partial(_draw, drawn=drawn)},
    )


def _swing(queue: list[float]) -> float:
    ordered = sorted(queue)
    return ordered[int(0.95 * len(ordered))] - ordered[int(0.05 * len(ordered))]


def _shown(rtt: float) -> float:
    return max(4.0, 50.0 * rtt)


def _draw(figure: Figure, drawn: dict[float, list[tuple[float, float]]]) -> None:
    chosen = [rtt for rtt in (0.02, 0.1, 1.0) if rtt in drawn]
    axes = figure.subplots(1, len(chosen), sharey=True, squeeze=False)[0]
    for axis, rtt, colour in zip(axes, chosen, (BLUE, GREEN, RED), strict=False):
        shown = [(t, q) for t, q in drawn[rtt] if t <= _shown(rtt)]
        axis.plot([t for t, _ in shown], [q for _, q in shown], color=colour, linewidth=0.9)
        axis.set_title(f"{1000 * rtt:g} ms")
        axis.set_xlabel("time after the start (s)")
    axes[0].set_ylabel("queue (packets)")
    axes[0].set_ylim(0, 1.05 * max(q for rtt in chosen for _, q in drawn[rtt]))
