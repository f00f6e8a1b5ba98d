"""What a flow loses when its acknowledgements wait behind data, over capacities and alphas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.conditions import rate

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_BACKWARD_MBPS = 10.0
_RATIOS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_ALPHAS = ((100, 30), (100, 100), (30, 100), (20, 200))
"""Of flow 1, whose acknowledgements may wait, and of flow 2."""
_FULL = 1.0 - 1e-9
_NEVER = (('flow."flow 2".start', "19999 ms"),)


def build(context: Context) -> Exhibit:
    """Flow 1 forward, alone and beside flow 2 backward; the algorithm as published."""
    cases = [(c, alphas) for c in _RATIOS for alphas in _ALPHAS]
    runs = [Run("one-each-way", set=(*_changes(*case), *more)) for case in cases for more in (_NEVER, ())]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for (capacities, alphas), alone, both in zip(cases, results, results, strict=True):
        theory = context.runner.run(Run("one-each-way", "theory", None, _changes(capacities, alphas)))
        first, second = alone.flow("flow 1")["packets_per_s"], both.flow("flow 1")["packets_per_s"]
        rows.append(
            {
                "capacity_ratio": capacities,
                "alpha": list(alphas),
                "acks_wait": "yes" if theory.link("backward")["utilisation"] >= _FULL else "no",
                "queue": both.link("backward")["queue_packets"]["mean"],
                "alone": first,
                "both": second,
                "kept": second / first,
                "theory": theory.flow("flow 1")["packets_per_s"],
            }
        )
    return context.definition("reverse-queue").exhibit(rows)


def _changes(capacities: float, alphas: tuple[int, int]) -> tuple[tuple[str, str], ...]:
    return (
        ("link.forward.rate", rate(_BACKWARD_MBPS * capacities)),
        *((f'flow."flow {n}".controller.alpha', f"{alpha} packets") for n, alpha in enumerate(alphas, 1)),
    )
