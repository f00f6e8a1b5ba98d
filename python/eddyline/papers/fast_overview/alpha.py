"""Alpha across the length of the NIC queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview.record import GAMMAS, LOCALS, PAYLOAD_BPS
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["overshoot", "sweep"]

_ALPHAS = (65, 80, 95, 105, 200)
_STARTS = {"doubles": "0.75 ms", "does not double": "0 s"}
"""FAST's window doubles while less than this is queued."""
_SECONDS = 300.0


_GAMMAS = (0.5, 0.375, 0.3, 0.25)
_UPDATES = {
    "once a round trip": (),
    "every other round trip": (("flow.*.controller.update_period", "360 ms"),),
}
_MODELS = ("integrator", "ack_clocked")


def _set(alpha: int, local: str, threshold: str, gamma: str, queue: str, duration: str) -> tuple[tuple[str, str], ...]:
    keys = {"kind": "fast", "alpha": f"{alpha} packets", "gamma": gamma, "mi_threshold": threshold}
    return (
        *((f"flow.*.controller.{key}", value) for key, value in keys.items()),
        ('link."card 1".queue.limit', queue),
        ("flow.*.tcp.local", local),
        ("duration", duration),
    )


def _run(alpha: int, local: str, threshold: str, gamma: str) -> Run:
    pairs = _set(alpha, local, threshold, gamma, "100 packets", f"{_SECONDS:g} s")
    return Run("one-flow", set=(*pairs, ("warmup", f"{_SECONDS / 1.5:g} s")))


def _side(alpha: int) -> str:
    return "65" if alpha <= 65 else "80 or 95" if alpha <= 100 else "above 100"


def overshoot(context: Context) -> Exhibit:
    """How far the queue overshoots alpha when the path has been filled, over gamma, and whether the loop is stable."""
    changes = {
        (gamma, updates): (*_set(80, "cwr", "0 s", str(gamma), "10000 packets", "350 s"), *_UPDATES[updates])
        for updates in _UPDATES
        for gamma in _GAMMAS
    }
    results = context.runner.run_all([Run("one-flow", set=pairs) for pairs in changes.values()])
    rows: list[Row] = []
    for ((gamma, updates), pairs), result in zip(changes.items(), results, strict=True):
        highest = result.document["links"][0]["queue_packets"]["max"]
        stability = {m: context.runner.theory("one-flow", "stability", pairs, link_model=m) for m in _MODELS}
        rows.append(
            {
                "gamma": gamma,
                "updates": updates,
                "alpha": 80,
                "highest": highest,
                "over_alpha": highest / 80.0,
                "fits": 100.0 / (highest / 80.0),
                **{f"margin_{m}": found["gain_margin"] for m, found in stability.items()},
            }
        )
    return context.definition("gamma").exhibit(rows)


def sweep(context: Context) -> Exhibit:
    """One FAST flow, a queue of 100, both gammas."""
    cases = [(alpha, local, start) for start in _STARTS for local in LOCALS for alpha in _ALPHAS]
    runs = [_run(alpha, local, _STARTS[start], gamma) for alpha, local, start in cases for gamma in GAMMAS.values()]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for alpha, local, start in cases:
        row: Row = {
            "alpha": alpha,
            "side": _side(alpha),
            "local": LOCALS[local],
            "start": start,
            "case": f"{LOCALS[local]}, {start}, alpha {_side(alpha)}",
            "wanted": min(alpha, 100.0),
        }
        for ending in GAMMAS:
            document = next(results).document
            sender, card = document["flows"][0], document["links"][0]
            row |= {
                f"utilisation{ending}": sender["goodput_bps"] / PAYLOAD_BPS,
                f"queue{ending}": card["queue_packets"]["mean"],
                f"sent_again{ending}": sender["retransmits"],
                f"refusals{ending}": sender.get("card_refusals"),
            }
        rows.append(row)
    return context.definition("alpha").exhibit(rows, values={"seconds": _SECONDS})
