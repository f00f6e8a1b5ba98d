"""An evaluation: measurements that can be written as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.evaluation.document import Measurements
from eddyline.evaluation.report import write

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.progress import Count

__all__ = ["Evaluation"]


class Evaluation(Measurements):
    """Controllers measured side by side; see `Measurements`."""

    def write(self, folder: Path, drawn: Count | None = None) -> Path:
        """Writes document, page, figures and data into an existing folder; returns the page."""
        return write(self, folder, drawn)
