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

    def _repr_html_(self) -> str:
        """The key figures of all controllers, for notebooks."""
        from html import escape

        import pandas as pd

        from eddyline.reports.exhibit import cell

        columns = self.figure_columns
        rows = [{f"{c.label} ({c.unit})" if c.unit else c.label: cell(row, c) for c in columns} for row in self.figures]
        return f"<b>{escape(repr(self)[1:-1])}</b>{pd.DataFrame(rows).to_html(index=False)}"

    def __repr__(self) -> str:
        names = ", ".join(subject.kind for subject in self.subjects)
        return f"<Evaluation of {names}: {', '.join(e.name for e in self.experiments)}>"

    def write(self, folder: Path, drawn: Count | None = None) -> Path:
        """Writes document, page, figures and data into an existing folder; returns the page."""
        return write(self, folder, drawn)
