"""Which random loss would explain what Linux TCP reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview.record import PAYLOAD_BPS
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["bernoulli", "saw_tooth", "search"]

RTT_S = 0.18
SEGMENT_BITS = 1460 * 8
SCALE = 20
"""The scenario's rates and windows are so much smaller than the record path's."""
BERNOULLI = 1.3098
"""Mean window over time of the ideal Reno times sqrt(p), losses independent (Ott, Kemperman, Mathis, 1996)."""
_SEEDS = 2
_SECONDS = 3000.0
_ROUNDS = 3


def saw_tooth(window: float, packets_per_ack: int) -> float:
    """Loss probability at a mean window, losses evenly spaced: window = sqrt(3 / (2 b p)) (Mathis et al., 1997)."""
    return 1.5 / (packets_per_ack * window**2)


def bernoulli(window: float, packets_per_ack: int) -> float:
    """The same for independent losses."""
    return BERNOULLI**2 / (packets_per_ack * window**2)


def search(context: Context) -> Exhibit:
    """The loss probability for 266 Mbit/s, for 48 % of each of two NICs, and for 185."""
    goals = [
        ("1 flow, txqueuelen 10,000", 266e6),
        ("each of 2 flows, txqueuelen 10,000", 0.48 * PAYLOAD_BPS),
        ("1 flow, txqueuelen 100", 185e6),
    ]
    rows: list[Row] = []
    for packets_per_ack in (1, 2):
        for name, goodput in goals:
            window = goodput / SEGMENT_BITS * RTT_S
            found, reached = _found(context, goodput / SCALE, packets_per_ack)
            probability = found / SCALE**2
            rows.append(
                {
                    "experiment": name,
                    "goodput": goodput,
                    "packets_per_ack": packets_per_ack,
                    "acks": "one by one" if packets_per_ack == 1 else "every second packet",
                    "window": window,
                    "saw_tooth": saw_tooth(window, packets_per_ack),
                    "bernoulli": bernoulli(window, packets_per_ack),
                    "searched": probability,
                    "reached": reached * SCALE,
                    "seconds_between": SEGMENT_BITS / (probability * goodput),
                    "bit_error": probability / (1500 * 8),
                }
            )
    for row in rows:
        first = next(r for r in rows if r["packets_per_ack"] == row["packets_per_ack"])
        row["against_first"] = row["searched"] / first["searched"]
    return context.definition("random-loss").exhibit(rows)


def _found(context: Context, goodput: float, packets_per_ack: int) -> tuple[float, float]:
    """The loss at which the small path carries `goodput`, and what it carries there."""
    probability = bernoulli(goodput / SEGMENT_BITS * RTT_S, packets_per_ack)
    reached = goodput
    for _ in range(_ROUNDS):
        reached = _carried(context, probability, packets_per_ack)
        if abs(reached / goodput - 1.0) < 0.01:
            break
        probability *= (reached / goodput) ** 2
    return probability, reached


def _carried(context: Context, probability: float, packets_per_ack: int) -> float:
    runs = [
        Run(
            "loss",
            set=(
                ("link.there.loss", repr(probability)),
                ("flow.*.tcp.ack_every", str(packets_per_ack)),
                ("duration", f"{_SECONDS:g} s"),
                ("warmup", f"{_SECONDS / 10:g} s"),
                ("seed", str(seed)),
            ),
        )
        for seed in range(1, 1 + _SEEDS)
    ]
    results = context.runner.run_all(runs)
    return sum(float(a.document["flows"][0]["goodput_bps"]) for a in results) / _SEEDS
