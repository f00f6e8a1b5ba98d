"""How fairly FAST flows share a link: with equal and different paths, base round-trip times known and estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview.record import GAMMAS
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["shares"]

_KNOWN = ("flow.*.controller.base_rtt", "known")
_TOGETHER = ("flow.*.stagger", "0 s")
_CASES = {
    "base known, start together": (_KNOWN, _TOGETHER),
    "base known, 20 s apart": (_KNOWN,),
    "base estimated, start together": (_TOGETHER,),
    "base estimated, 20 s apart": (),
}


def shares(context: Context) -> Exhibit:
    """Five flows on one link, both gammas."""
    runs = [
        Run(
            "vegas-joining",
            set=(("flow.*.controller", f'{{ kind = "fast", alpha = "20 packets", gamma = {gamma} }}'), *changes),
        )
        for changes in _CASES.values()
        for gamma in GAMMAS.values()
    ]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for name in _CASES:
        row: Row = {"case": name}
        for ending in GAMMAS:
            document = next(results).document
            group = document["groups"][0]
            row |= {
                f"jain{ending}": group["jain_index"],
                f"least{ending}": group["goodput_bps"]["min"],
                f"most{ending}": group["goodput_bps"]["max"],
                f"utilisation{ending}": document["links"][0]["utilisation"],
            }
        rows.append(row)
    return context.definition("fast-fairness").exhibit(rows)
