"""Throughput of FAST TCP in Asymmetric Networks (Ge, Tan, Zukerman, 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast import frequency, over_k_f, over_time, stability, sweeps, upload
from eddyline.papers.reproduction import reproduced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers import Paper
    from eddyline.papers.reproduction import Builders, Reproduced
    from eddyline.progress import Observer

__all__ = ["EXHIBITS", "reproduce"]

EXHIBITS: Builders = {
    "k-f-sweep": sweeps.sweep,
    "three-flows": sweeps.flows,
    "packet-size": sweeps.packets,
    **{f"fig-{n}": over_time.builder(n) for n in (2, 3, 4)},
    "upload-joins": upload.build,
    "loop": frequency.response,
    "d-over-q0": frequency.remark,
    "stability-over-k-f": over_k_f.stability,
    "stability": stability.case_by_case,
    "stability-tally": stability.tally,
}
"""What makes each exhibit, in the order of the report."""


def reproduce(paper: Paper, exhibits: Sequence[str] = (), listener: Observer | None = None) -> Reproduced:
    """Reproduces the letter, or the exhibits named."""
    return reproduced(paper, EXHIBITS, exhibits, listener)
