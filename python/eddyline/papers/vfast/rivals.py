"""FAST and VFAST beside Reno and CUBIC, which the paper leaves to later work: over buffer, alpha and numbers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from eddyline.papers.vfast.runs import SENDERS, Case
from eddyline.reports.figures import BLUE, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["predicted", "rivals"]

BDP = 20e6 * 0.05 / (1040 * 8)
"""Packets that fill the path without a queue."""
BUFFERS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
ALPHAS = (10, 50, 200)
NUMBERS = ((1, 1), (1, 4), (4, 1), (4, 4))
CUT = {"reno": 0.5, "cubic": 0.3}
MEAN_DEPTH = {"reno": 0.5, "cubic": 0.25}
"""Mean distance of the saw-tooth below its top over its height: half for a straight line, a quarter for a cube."""


def predicted(buffer: float, alpha: float, delay_based: int, rivals: int, kind: str) -> float:
    """Share of the delay-based flows in theory: the rivals' windows make the queue a saw-tooth.

    The rivals together have a window W at the top, where the buffer is full. A loss removes the share `CUT` of one
    rival's part of W, and the mean queue is `MEAN_DEPTH` of that below the top. The delay-based flows are in
    equilibrium with the mean queue: n alpha = x q. The queue is never below zero; flows of both kinds lose the same
    share of what that leaves idle.
    """

    def mean_queue(share: float) -> float:
        top = (1.0 - share) * (BDP + buffer)
        # one of several rivals loses at a time
        fall = CUT[kind] * top / rivals
        low = buffer - fall
        if low >= 0:
            return buffer - MEAN_DEPTH[kind] * fall
        # only the part of the saw-tooth above an empty queue counts
        return (1.0 - MEAN_DEPTH[kind]) * buffer * buffer / fall

    def excess(share: float) -> float:
        return share * mean_queue(share) - delay_based * alpha

    if excess(1.0) <= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return high


def rivals(
    context: Context,
    buffers: Sequence[float] = BUFFERS,
    alphas: Sequence[int] = ALPHAS,
    numbers: Sequence[tuple[int, int]] = NUMBERS,
    duration: str = "300 s",
) -> Exhibit:
    """Shares of one link, by packets and by theory."""
    rows = _shares(context, buffers, alphas, numbers, duration)
    pairs = [r for r in rows if r["numbers"] == "1 and 1" and r["buffer"] * BDP >= 2.0 * r["alpha"]]
    worst = max((abs(r["off"]) for r in pairs), default=0.0)
    return context.definition("rivals").exhibit(
        rows,
        findings=[("theory", {"points": 100 * worst}), ("senders", {"points": 100 * _max_difference(rows)})],
        draw={"rivals": partial(_draw, rows=rows, alphas=alphas)},
    )


def _shares(
    context: Context, buffers: Sequence[float], alphas: Sequence[int], numbers: Sequence[tuple[int, int]], duration: str
) -> list[Row]:
    settings = [(b, a, (1, 1)) for a in alphas for b in buffers]
    settings += [(b, 50, n) for n in numbers if n != (1, 1) for b in buffers if b in (1.0, 5.0)]
    keys = [(s, kind, b, a, n) for s in SENDERS for kind in CUT for b, a, n in settings]
    runs = []
    for sender, kind, buffer, alpha, (flows, others) in keys:
        more = (
            ("link.forward.queue.limit", f"{max(1, round(buffer * BDP))} packets"),
            ("flow.delay-based.controller.alpha", f"{alpha} packets"),
            ("flow.delay-based.count", str(flows)),
            ("flow.rival.count", str(others)),
            ("flow.rival.controller", f'{{ kind = "{kind}" }}'),
            ("duration", duration),
        )
        case = Case("rivals", sender)
        controller = ("flow.delay-based.controller.kind", sender.lower())
        runs.append(case.with_only((controller, *more)))
    rows: list[Row] = []
    for (sender, kind, buffer, alpha, (flows, others)), result in zip(keys, context.runner.run_all(runs), strict=True):
        rates = {"delay-based": 0.0, "rival": 0.0}
        for flow in result.document["flows"]:
            rates[flow["name"].split("[")[0]] += flow["packets_per_s"]
        total = sum(rates.values())
        share = rates["delay-based"] / total
        rows.append(
            {
                "sender": sender,
                "rival": kind,
                "buffer": buffer,
                "alpha": alpha,
                "flows": flows,
                "rivals": others,
                "numbers": f"{flows} and {others}",
                "share": share,
                "theory": predicted(buffer * BDP, alpha, flows, others, kind),
                "off": share - predicted(buffer * BDP, alpha, flows, others, kind),
                "fair": flows / (flows + others),
                "utilisation": result.link("forward")["utilisation"],
            }
        )
    return rows


def _max_difference(rows: list[Row]) -> float:
    """The largest difference between both senders in buffers of a bandwidth-delay product and more."""
    first, second = SENDERS
    key = ("rival", "numbers", "alpha", "buffer")
    of: dict[str, dict[tuple[Any, ...], float]] = {
        s: {tuple(r[k] for k in key): r["share"] for r in rows if r["sender"] == s} for s in SENDERS
    }
    return max(abs(of[first][k] - of[second][k]) for k in of[first] if k[3] >= 1.0)


def _draw(figure: Figure, rows: list[Row], alphas: Sequence[int]) -> None:
    grid = figure.subplots(2, len(alphas), sharex=True, sharey=True, squeeze=False)
    for row, kind in enumerate(CUT):
        for column, alpha in enumerate(alphas):
            axis = grid[row][column]
            part = [r for r in rows if (r["rival"], r["alpha"], r["numbers"]) == (kind, alpha, "1 and 1")]
            for sender, colour in zip(SENDERS, (BLUE, RED), strict=True):
                mine = [r for r in part if r["sender"] == sender]
                axis.plot(
                    [r["buffer"] for r in mine], [100 * r["share"] for r in mine], "o-", color=colour, label=sender
                )
            mine = [r for r in part if r["sender"] == SENDERS[0]]
            axis.plot(
                [r["buffer"] for r in mine], [100 * r["theory"] for r in mine], "--", color="#555555", label="theory"
            )
            axis.axhline(50, color="#999999", linewidth=0.6)
            axis.set_xscale("log")
            axis.set_title(f"beside {kind}, alpha {alpha}")
            if row:
                axis.set_xlabel("buffer (BDP)")
        grid[row][0].set_ylabel("share (%)")
    grid[0][0].legend()
