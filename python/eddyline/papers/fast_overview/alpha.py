"""Alpha across the length of the NIC queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview.record import GAMMAS, LOCALS, PAYLOAD_BPS
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["sweep"]

_ALPHAS = (80, 95, 105, 200)
_STARTS = {"doubles": "0.75 ms", "does not double": "0 s"}
"""FAST's window doubles while less than this is queued."""
_SECONDS = 300.0


def _run(alpha: int, local: str, threshold: str, gamma: str) -> Run:
    keys = {"kind": "fast", "alpha": f"{alpha} packets", "gamma": gamma, "mi_threshold": threshold}
    return Run(
        "one-flow",
        set=(
            *((f"flow.*.controller.{key}", value) for key, value in keys.items()),
            ("flow.*.tcp.local", local),
            ("duration", f"{_SECONDS:g} s"),
            ("warmup", f"{_SECONDS / 1.5:g} s"),
        ),
    )


def sweep(context: Context) -> Exhibit:
    """One FAST flow, a queue of 100, both gammas."""
    cases = [(alpha, local, start) for start in _STARTS for local in LOCALS for alpha in _ALPHAS]
    runs = [_run(alpha, local, _STARTS[start], gamma) for alpha, local, start in cases for gamma in GAMMAS.values()]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for alpha, local, start in cases:
        row: Row = {
            "alpha": alpha,
            "side": "above 100" if alpha > 100 else "below 100",
            "local": LOCALS[local],
            "start": start,
            "case": f"{LOCALS[local]}, {start}, alpha {'above' if alpha > 100 else 'below'} 100",
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
