"""Throughput of FAST TCP in Asymmetric Networks (Ge, Tan, Zukerman, 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast import derivation, frequency, over_k_f, over_time, stability, sweeps, upload

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Builders

__all__ = ["EXHIBITS"]

EXHIBITS: Builders = {
    "k-f-sweep": sweeps.sweep,
    "alphas": sweeps.alphas,
    "three-flows": sweeps.flows,
    "packet-size": sweeps.packets,
    **{f"fig-{n}": over_time.builder(n) for n in (2, 3, 4)},
    "upload-joins": upload.build,
    "derivation": derivation.build,
    "loop": frequency.response,
    "d-over-q0": frequency.remark,
    "stability-over-k-f": over_k_f.stability,
    "stability": stability.case_by_case,
    "stability-tally": stability.tally,
}
"""The function that makes each exhibit, by its id, in the order of the report."""
