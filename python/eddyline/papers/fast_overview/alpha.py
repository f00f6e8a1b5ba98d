"""Alpha across the length of the NIC queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview.length import seconds
from eddyline.papers.fast_overview.record import LOCALS, PAYLOAD_BPS
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["sweep"]

_ALPHAS = (80, 95, 105, 200)
_STARTS = {"doubles": "0.75 ms", "does not double": "0 s"}
"""FAST's window doubles while less than this is queued."""


def _run(alpha: int, local: str, threshold: str) -> Run:
    length = 2.0 * seconds()
    keys = {"kind": "fast", "alpha": f"{alpha} packets", "gamma": "0.25", "mi_threshold": threshold}
    return Run(
        "one-flow",
        set=(
            *((f"flow.*.controller.{key}", value) for key, value in keys.items()),
            ("flow.*.tcp.local", local),
            ("duration", f"{length:g} s"),
            ("warmup", f"{length / 1.5:g} s"),
        ),
    )


def sweep(context: Context) -> Exhibit:
    """One FAST flow, a queue of 100."""
    cases = [(alpha, local, start) for start in _STARTS for local in LOCALS for alpha in _ALPHAS]
    runs = [_run(alpha, local, _STARTS[start]) for alpha, local, start in cases]
    context.runner.run_all(runs)
    rows: list[Row] = []
    for (alpha, local, start), run in zip(cases, runs, strict=True):
        result = context.runner.run(run).document
        sender, card = result["flows"][0], result["links"][0]
        rows.append(
            {
                "alpha": alpha,
                "side": "above 100" if alpha > 100 else "below 100",
                "local": LOCALS[local],
                "start": start,
                "case": f"{LOCALS[local]}, {start}, alpha {'above' if alpha > 100 else 'below'} 100",
                "utilisation": sender["goodput_bps"] / PAYLOAD_BPS,
                "queue": card["queue_packets"]["mean"],
                "wanted": min(alpha, 100.0),
                "sent_again": sender["retransmits"],
                "refusals": sender.get("card_refusals"),
            }
        )
    return context.definition("alpha").exhibit(rows, values={"seconds": 2.0 * seconds()})
