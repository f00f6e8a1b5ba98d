"""How figures of papers are drawn: one look for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from eddyline.plots import STYLE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BLACK", "BLUE", "CYAN", "GREEN", "ORANGE", "PINK", "RED", "YELLOW", "drawn", "sized"]

# Okabe and Ito: told apart by everybody, in print too.
BLUE, RED, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, CYAN, BLACK, YELLOW = "#E69F00", "#56B4E9", "#000000", "#B8A800"


def sized(width: float, height: float) -> Figure:
    """An empty figure, inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def drawn(paint: Callable[..., None], width: float, height: float, *given: Any) -> Callable[[], Figure]:
    """What draws a figure when it is asked: `paint(figure, *given)`."""

    def draw() -> Figure:
        with rc_context(STYLE):
            figure = sized(width, height)
            paint(figure, *given)
        return figure

    return draw
