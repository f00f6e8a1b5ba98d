"""FAST beside the proportionally fair ideal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.theory.document import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.scenario import Scenario

__all__ = ["Fairness", "fairness"]

_MEASURES = ("throughput", "weighted_throughput", "efficiency", "utility_gap_packets", "jain")


class Fairness(Document):
    """The weighted proportionally fair rates, and how far each equilibrium of FAST is from them."""

    @property
    def flows(self) -> pd.DataFrame:
        """A row per FAST flow: its weight `alpha_packets`, its ideal `packets_per_s`."""
        from eddyline.frames import frame

        return frame(self._parsed["flows"])

    @property
    def links(self) -> pd.DataFrame:
        """A row per link: `worth_packets` (multiplier times capacity), `utilisation` in the ideal."""
        from eddyline.frames import frame

        return frame(self._parsed["links"])

    @property
    def equilibria(self) -> pd.DataFrame:
        """A row per equilibrium (from 1) of FAST, against the ideal.

        `throughput` and `weighted_throughput` (by alpha) are over the ideal's, `efficiency` is the mean ratio of rates
        `exp(-gap / sum alpha)`, at most 1, `utility_gap_packets` the gap, `jain` Jain's index of x / alpha.
        """
        from eddyline.frames import frame

        found = enumerate(self._parsed["equilibria"], 1)
        return frame([{"equilibrium": n, **{m: at[m] for m in _MEASURES}} for n, at in found])

    @property
    def rates(self) -> pd.DataFrame:
        """A row per equilibrium (from 1) and flow: `packets_per_s`, and `of_ideal`, the same over its ideal."""
        from eddyline.frames import frame

        found = enumerate(self._parsed["equilibria"], 1)
        return frame([{"equilibrium": n, **row} for n, at in found for row in at["flows"]])

    @property
    def jain_ideal(self) -> float:
        """Jain's index of x / alpha in the ideal."""
        return float(self._parsed["jain_ideal"])

    def plot(self) -> Figure:
        """Rates of the flows, FAST's beside the ideal's."""
        from eddyline.plots.settled import beside

        return beside(self._parsed, self._title)


def fairness(scenario: Scenario) -> Fairness:
    """The rates that maximise `sum alpha log x` over what the links carry, and FAST's equilibria against them.

    Source: Kelly, Maulloo and Tan, "Rate Control for Communication Networks", 1998, with the alphas as weights;
    `docs/theory/equilibrium.md`.

    Raises:
        EddylineError: There is no FAST flow, or no answer, and why.
    """
    text, _ = scenario.theory("fairness")
    return Fairness(text, scenario.title)
