"""Figures as empty files, for tests of other things: a figure takes longer than a short run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import eddyline.plots as plots
import eddyline.plots.fitting as fitting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["leave_figures_empty"]


def leave_figures_empty(replace: Callable[[Any, str, Any], object]) -> None:
    """From now on figures are neither laid out nor drawn; `replace` is `setattr`, or what undoes it later."""
    replace(plots, "render", _empty)
    replace(fitting, "resized", _as_it_is)


def _empty(_figure: object, path: Path, dpi: int = 0) -> bool:  # noqa: ARG001
    path.touch()
    return True


def _as_it_is(figure: Any, *_size: float | None) -> Any:
    return figure
