"""A new look at bidirectional TCP connections over asymmetric links (Heusse, Brown, Schwengler, Duda)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp import cures
from eddyline.papers.reproduction import reproduced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.answers import Listener
    from eddyline.papers import Paper
    from eddyline.papers.reproduction import Builders, Reproduced

__all__ = ["EXHIBITS", "reproduce"]

EXHIBITS: Builders = {
    "cures": cures.build,
}
"""What makes each exhibit, in the order of the report."""


def reproduce(paper: Paper, exhibits: Sequence[str] = (), listener: Listener | None = None) -> Reproduced:
    """Reproduces the paper, or the exhibits named."""
    return reproduced(paper, EXHIBITS, exhibits, listener)
