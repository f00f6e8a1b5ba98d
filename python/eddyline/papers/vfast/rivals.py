"""What the paper wishes for: FAST and VFAST beside Reno and CUBIC, over buffer, alpha and numbers, with theory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.vfast.runs import SENDERS, Case
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["predicted", "rivals"]

BDP = 20e6 * 0.05 / (1040 * 8)
"""Packets that fill the path without a queue."""
BUFFERS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
ALPHAS = (10, 50, 200)
NUMBERS = ((1, 1), (1, 4), (4, 1), (4, 4))
CUT = {"reno": 0.5, "cubic": 0.3}
SHAPE = {"reno": 0.5, "cubic": 0.25}
"""Mean depth of the saw-tooth over its height: a straight line; a cube stays near its top and lacks a quarter."""


def predicted(buffer: float, alpha: float, delay_based: int, rivals: int, kind: str) -> float:
    """Share of the delay-based flows, by a saw-tooth that the rivals draw into the queue.

    The rivals together hold W at the top, where the buffer is full; a loss takes the share `CUT` of one rival's part of
    W away, and the queue on average lacks `SHAPE` of that. The delay-based flows are in balance with the mean queue:
    n alpha = x q. The queue is never below zero, and what that leaves idle is shared alike.
    """

    def mean_queue(share: float) -> float:
        top = (1.0 - share) * (BDP + buffer)
        # one of several rivals loses at a time
        fall = CUT[kind] * top / rivals
        low = buffer - fall
        if low >= 0:
            return buffer - SHAPE[kind] * fall
        # only the part of the saw-tooth above an empty queue counts
        return (1.0 - SHAPE[kind]) * buffer * buffer / fall

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
    """Shares of one link."""
    rows = _shares(context, buffers, alphas, numbers, duration)
    pairs = [r for r in rows if r["numbers"] == "1 and 1" and r["buffer"] * BDP >= 2.0 * r["alpha"]]
    worst = max((abs(r["off"]) for r in pairs), default=0.0)
    apart = _apart(rows)
    return Exhibit(
        id="rivals",
        title="FAST and VFAST beside Reno and CUBIC",
        place="Section VII, last paragraph",
        reading=(
            "The paper leaves open how VFAST fares beside loss-based flows. As FAST does: those fill the buffer, and "
            "alpha packets out of a full buffer are its share. A buffer much larger than alpha starves it, one much "
            "smaller than alpha starves the rivals, whatever filters its samples. Theory is a saw-tooth in the queue "
            "and x = alpha / q of its mean."
        ),
        columns=(
            Column("sender", "sender"),
            Column("rival", "rival"),
            Column("numbers", "how many of each"),
            Column("alpha", "alpha", "packets"),
            Column("buffer", "buffer", "BDP"),
            Column("share", "share", percent=True, digits=3),
            Column("theory", "theory", percent=True, digits=3),
            Column("off", "off", percent=True, digits=3),
            Column("fair", "fair share", percent=True, digits=3),
            Column("utilisation", "utilisation", percent=True, digits=3),
        ),
        rows=rows,
        findings=(
            f"One beside one, in a buffer of at least twice alpha, theory is off by at most {100 * worst:.1f} points.",
            f"FAST's and VFAST's shares differ by at most {100 * apart:.1f} points in a buffer of a BDP and more.",
        ),
        pictures=[
            Picture("rivals", "Share of one delay-based flow beside one rival", drawn(_paint, 9.5, 5.6, rows, alphas))
        ],
        notes=(
            "20 Mbit/s, 50 ms, 120 packets; base round trips known. Theory knows neither losses of the delay-based "
            "flow nor time without a queue: it is for alpha well below the buffer.",
        ),
    )


def _shares(
    context: Context, buffers: Sequence[float], alphas: Sequence[int], numbers: Sequence[tuple[int, int]], duration: str
) -> list[Row]:
    settings = [(b, a, (1, 1)) for a in alphas for b in buffers]
    settings += [(b, 50, n) for n in numbers if n != (1, 1) for b in buffers if b in (1.0, 5.0)]
    keys = [(s, kind, b, a, n) for s in SENDERS for kind in CUT for b, a, n in settings]
    runs = []
    for sender, kind, buffer, alpha, (many, others) in keys:
        more = (
            ("link.forward.queue.limit", f"{max(1, round(buffer * BDP))} packets"),
            ("flow.delay-based.controller.alpha", f"{alpha} packets"),
            ("flow.delay-based.count", str(many)),
            ("flow.rival.count", str(others)),
            ("flow.rival.controller", f'{{ kind = "{kind}" }}'),
            ("duration", duration),
        )
        case = Case("rivals", sender)
        controller = ("flow.delay-based.controller.kind", sender.lower())
        runs.append(case.exactly((controller, *more)))
    rows: list[Row] = []
    for (sender, kind, buffer, alpha, (many, others)), result in zip(keys, context.runner.run_all(runs), strict=True):
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
                "flows": many,
                "rivals": others,
                "numbers": f"{many} and {others}",
                "share": share,
                "theory": predicted(buffer * BDP, alpha, many, others, kind),
                "off": share - predicted(buffer * BDP, alpha, many, others, kind),
                "fair": many / (many + others),
                "utilisation": result.link("forward")["utilisation"],
            }
        )
    return rows


def _apart(rows: list[Row]) -> float:
    """The largest difference between both senders in buffers of a bandwidth-delay product and more."""
    first, second = SENDERS
    key = ("rival", "numbers", "alpha", "buffer")
    of: dict[str, dict[tuple[Any, ...], float]] = {
        s: {tuple(r[k] for k in key): r["share"] for r in rows if r["sender"] == s} for s in SENDERS
    }
    return max(abs(of[first][k] - of[second][k]) for k in of[first] if k[3] >= 1.0)


def _paint(figure: Figure, rows: list[Row], alphas: Sequence[int]) -> None:
    grid = figure.subplots(2, len(alphas), sharex=True, sharey=True, squeeze=False)
    for line, kind in enumerate(CUT):
        for column, alpha in enumerate(alphas):
            axis = grid[line][column]
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
            if line:
                axis.set_xlabel("buffer (BDP)")
        grid[line][0].set_ylabel("share (%)")
    grid[0][0].legend()
