"""The range of equilibria of Vegas flows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import eddyline._core as _core
from eddyline.errors import InputError
from eddyline.loading import loaded
from eddyline.theory.document import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.loading import Given

__all__ = ["VegasBand", "vegas"]


class VegasBand(Document):
    """Smallest and largest equilibrium rate of each flow."""

    @property
    def exact(self) -> bool:
        """Whether the ranges are exact; otherwise they are those of corners, and other equilibria may lie outside."""
        return bool(self._parsed["exact"])

    @property
    def flows(self) -> pd.DataFrame:
        """A row per flow: thresholds, smallest and largest rate, rates with all flows at either threshold."""
        from eddyline.frames import frame

        return frame(self._parsed["flows"])

    @property
    def links(self) -> pd.DataFrame:
        """A row per link: queueing delay with all flows at the lower and at the upper threshold."""
        from eddyline.frames import frame

        return frame(self._parsed["links"])

    def plot(self) -> Figure:
        """The ranges of the flows' rates."""
        from eddyline.plots.settled import bands

        return bands(self._parsed, self._title)


def vegas(
    scenario: Given, alpha: float | Mapping[str, float] = 2.0, beta: float | Mapping[str, float] = 4.0
) -> VegasBand:
    """The equilibria if every flow of the scenario were a Vegas flow, whatever its controller in the file.

    Vegas adds a packet a round trip while fewer than `alpha` of its packets are queued and removes one above `beta`;
    between them any window is an equilibrium. The defaults are those of Linux.

    Source: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", 1995, section 3.2.

    Args:
        scenario: Links and paths.
        alpha: Lower threshold in packets queued, above 0; one for all, or by flow name.
        beta: Upper threshold, at least alpha; likewise.

    Raises:
        InputError: A threshold is out of range, or a flow has none.
        EddylineError: There is no result, and why.
    """
    scenario = loaded(scenario)
    pairs = [(_of(alpha, "alpha", name), _of(beta, "beta", name)) for name in scenario.flows]
    return VegasBand(scenario._core.theory(_core.Vegas(pairs)), scenario.title)


def _of(value: float | Mapping[str, float], which: str, flow: str) -> float:
    if not isinstance(value, Mapping):
        return float(value)
    if flow not in value:
        raise InputError(f"{which} has no value for flow {flow!r}", f"it has {', '.join(map(repr, value))}")
    return float(value[flow])
