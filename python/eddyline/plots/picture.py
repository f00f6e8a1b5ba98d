"""Figures as callers get them: notebooks show them, and their text fits when they are shown or written."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from eddyline.plots.fitting import resized
from eddyline.plots.style import STYLE, literally

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase

__all__ = ["Picture", "empty"]

_SCREEN_DPI = 100


class Picture(Figure):
    """A figure that notebooks show as it comes, also where `matplotlib.pyplot` was never imported."""

    _is_fitted = False

    def draw(self, renderer: RendererBase) -> None:
        """Draws it, its text as it is."""
        literally(self)
        super().draw(renderer)

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """As matplotlib's, with fonts that publishers take, and at first with room for all text."""
        with rc_context(STYLE):
            if not self._is_fitted:
                self._is_fitted = True
                resized(self)
            super().savefig(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        with BytesIO() as file, rc_context(STYLE):
            self.savefig(file, format="png", dpi=_SCREEN_DPI, metadata={"Software": None})
            return file.getvalue()


def empty(width: float, height: float) -> Picture:
    """An empty figure; sizes in inches."""
    figure = Picture(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure
