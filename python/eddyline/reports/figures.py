"""The common style of the figures of papers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, STYLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

__all__ = ["BLACK", "BLUE", "CYAN", "GREEN", "ORANGE", "PINK", "RED", "YELLOW", "drawn"]

BLUE, RED, GREEN, PINK, ORANGE, CYAN, BLACK, YELLOW = COLOURS


def drawn(paint: Callable[..., None], width: float, height: float, *given: Any) -> Callable[[], Figure]:
    """A function that draws a figure on demand: `paint(figure, *given)`."""

    def draw() -> Figure:
        with rc_context(STYLE):
            figure = empty(width, height)
            paint(figure, *given)
        return figure

    return draw
