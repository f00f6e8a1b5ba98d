"""Figures of plain frames and documents: runs over time, results of theory, maps. Nothing here runs or loads."""

from __future__ import annotations

from eddyline.errors import InputError

try:
    import matplotlib  # noqa: F401 - before all that is imported of it
except Exception as e:
    raise InputError(
        f"matplotlib cannot be imported (its configuration is MPLBACKEND and matplotlibrc): {type(e).__name__}: {e}",
        "MPLBACKEND=agg is right for all figures here; a file matplotlibrc in the working folder is read first",
    ) from None

from eddyline.plots.runs import Legend, bars, compared, overview, repeated
from eddyline.plots.style import ENDINGS, STYLE, render, render_small

__all__ = ["ENDINGS", "STYLE", "Legend", "bars", "compared", "overview", "render", "render_small", "repeated"]
