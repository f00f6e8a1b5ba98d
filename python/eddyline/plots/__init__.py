"""Figures of plain frames and documents: runs over time, results of theory, maps. Nothing here runs or loads."""

from __future__ import annotations

from eddyline.plots.runs import Legend, bars, compared, overview, repeated
from eddyline.plots.style import ENDINGS, STYLE, render, render_small

__all__ = ["ENDINGS", "STYLE", "Legend", "bars", "compared", "overview", "render", "render_small", "repeated"]
