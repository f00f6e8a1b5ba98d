"""FAST beside the fair ideal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.loading import loaded
from eddyline.questions import question
from eddyline.theory.document import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.loading import Given

__all__ = ["Fairness", "fairness"]

_MEASURES = ("throughput", "weighted_throughput", "efficiency", "utility_gap_packets", "jain")


class Fairness(Document):
    """The weighted fair rates, and each equilibrium of FAST compared with them."""

    @property
    def flows(self) -> pd.DataFrame:
        """A row per FAST flow: its weight `alpha_packets`, its ideal `packets_per_s`."""
        from eddyline.frames import frame

        return frame(self._parsed["flows"])

    @property
    def links(self) -> pd.DataFrame:
        """A row per link: `worth_packets` and `utilisation`.

        The worth is the multiplier times what traffic leaves of the capacity, scaled such that all links together have
        the sum of the flows' alphas, which they have as they are where the exponent is 1.
        """
        from eddyline.frames import frame

        return frame(self._parsed["links"])

    @property
    def equilibria(self) -> pd.DataFrame:
        """A row per equilibrium (from 1) of FAST, compared with the ideal.

        `throughput` and `weighted_throughput` (by alpha) are over the ideal's, `efficiency` is the factor by which all
        of the ideal's rates would have to be multiplied to have the same utility (`exp(-gap / sum alpha)` under
        proportional fairness, with `utility_gap_packets` the gap), `jain` Jain's index of x / alpha.
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


def fairness(scenario: Given, exponent: float = 1.0) -> Fairness:
    """The rates that maximise `sum alpha log x` over what the links carry, and FAST's equilibria compared with them.

    With another exponent e, those that maximise `sum alpha^e x^(1 - e) / (1 - e)`.

    Source: Kelly, Maulloo and Tan, "Rate Control for Communication Networks", 1998, with the alphas as weights;
    Mo and Walrand, "Fair End-to-end Window-based Congestion Control", 2000; `docs/theory/equilibrium.md`.

    Args:
        scenario: With FAST flows.
        exponent: From 0.1 (the sum of rates counts) by 1 (proportional) to 20 (nearly max-min).

    Raises:
        InputError: There is no such exponent.
        EddylineError: There is no FAST flow, or no result, and why.
    """
    scenario = loaded(scenario)
    text, _ = scenario.ask(question("fairness", exponent=exponent))
    return Fairness(text, scenario.title)
