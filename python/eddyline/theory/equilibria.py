"""Every equilibrium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.loading import loaded
from eddyline.questions import question
from eddyline.theory.document import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.loading import Given

__all__ = ["Equilibria", "equilibrium"]


class Equilibria(Document):
    """All equilibria that were found, those not proved unstable first."""

    @property
    def unique(self) -> bool | None:
        """True by proof, False where several were found.

        None where one was found without a proof that it is unique, or where flows without a model affect it.
        """
        unique: bool | None = self._parsed["unique"]
        return unique

    @property
    def method(self) -> str:
        """The method that found them."""
        return str(self._parsed["method"])

    @property
    def flows(self) -> pd.DataFrame:
        """A row per equilibrium (from 1) and flow: `packets_per_s`, `window_packets`, `queueing_delay_s`."""
        return self._rows("flows")

    @property
    def links(self) -> pd.DataFrame:
        """A row per equilibrium (from 1) and link: `queueing_delay_s`, `utilisation`, `bottleneck`.

        A delay is NaN where only a sum over several links is determined.
        """
        return self._rows("links")

    @property
    def equilibria(self) -> pd.DataFrame:
        """A row per equilibrium (from 1): `residual`, `locally_stable` (None where not judged)."""
        import pandas as pd

        rows: list[dict[str, Any]] = [
            {"equilibrium": n, "residual": at["residual"], "locally_stable": at["locally_stable"]}
            for n, at in enumerate(self._parsed["equilibria"], 1)
        ]
        return pd.DataFrame(rows)

    def plot(self) -> Figure:
        """Queueing delay of each link and rate of each flow, the equilibria side by side."""
        from eddyline.plots.settled import equilibria

        return equilibria(self._parsed, self._title)

    def _rows(self, part: str) -> pd.DataFrame:
        from eddyline.frames import frame

        found = enumerate(self._parsed["equilibria"], 1)
        return frame([{"equilibrium": n, **row} for n, at in found for row in at[part]])


def equilibrium(scenario: Given) -> Equilibria:
    """Every equilibrium of the flows that theory has a model of: FAST, and Reno at a given loss ratio.

    Source: eq. 1 to 6 of Ge et al., "Performance Effects of Two-way FAST TCP"; `docs/theory/equilibrium.md`.

    Raises:
        EddylineError: There is none, and why.
    """
    scenario = loaded(scenario)
    text, _ = scenario.ask(question("equilibrium"))
    return Equilibria(text, scenario.title)
