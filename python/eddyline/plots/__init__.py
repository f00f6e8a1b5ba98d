"""Figures of plain frames and documents: runs over time, results of theory, maps. Nothing here runs or loads."""

from __future__ import annotations

import logging

from eddyline.ctrl_c import AfterImports
from eddyline.errors import InputError

# without a home it says, in two long lines, that its cache is elsewhere
_LOG = logging.getLogger("matplotlib")
_LEVEL = _LOG.level
_LOG.setLevel(logging.ERROR)
try:
    with AfterImports():
        try:
            import matplotlib  # noqa: F401 - before all that is imported of it
        except Exception as e:
            said = f"{type(e).__name__}: {e}"
            raise InputError(
                f"matplotlib cannot be imported (its configuration is MPLBACKEND and matplotlibrc): {said}",
                "MPLBACKEND=agg is right for all figures here; a file matplotlibrc in the working folder is read first",
            ) from None
        from eddyline.plots.runs import Legend, bars, compared, overview, repeated  # while it is quiet
        from eddyline.plots.style import ENDINGS, STYLE, render, render_small
finally:
    _LOG.setLevel(_LEVEL)

__all__ = ["ENDINGS", "STYLE", "Legend", "bars", "compared", "overview", "render", "render_small", "repeated"]
