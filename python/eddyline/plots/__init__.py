"""Figures: of runs over time, of theory's answers, of maps."""

from __future__ import annotations

from eddyline.plots.runs import bars, compared, overview
from eddyline.plots.style import ENDINGS, STYLE, render, render_small

__all__ = ["ENDINGS", "STYLE", "bars", "compared", "overview", "render", "render_small"]
