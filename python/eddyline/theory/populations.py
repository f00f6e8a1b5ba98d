"""Populations of flows that arrive and leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.loading import loaded
from eddyline.questions import question
from eddyline.theory.document import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.loading import Given

__all__ = ["Population", "population"]


class Population(Document):
    """The stationary number of flows, and the share of time in which each link is full."""

    @property
    def stable(self) -> bool:
        """Whether the number of flows stays finite."""
        return bool(self._parsed["stable"])

    @property
    def method(self) -> str:
        """`chain`, `asymptotic`, `flow-level` or, where unstable, `fluid`."""
        return str(self._parsed["method"])

    @property
    def arrivals(self) -> pd.DataFrame:
        """A row per `[[arrivals]]` table: `mean_flows`, `mean_transfer_time_s`, `growth_per_s` (where unstable)."""
        from eddyline.frames import frame

        d = self._parsed
        columns = ("mean_flows", "mean_transfer_time_s", "growth_per_s")
        return frame([{"name": name, **{c: d[c].get(name) for c in columns}} for name in d["mean_flows"]])

    @property
    def shares(self) -> pd.DataFrame:
        """A row per link that flows cross: share of time full alone, offered load; and of `no link` and `several`."""
        from eddyline.frames import frame

        d = self._parsed
        rows: list[dict[str, Any]] = [{"full": "no link", "share": d["idle"], "load": None}]
        rows += [{"full": n, "share": d["bottleneck"].get(n), "load": load} for n, load in d["load"].items()]
        rows.append({"full": "several", "share": d["several"], "load": None})
        return frame(rows)

    @property
    def distribution(self) -> pd.DataFrame:
        """Columns `arrivals`, `flows` and `probability`; empty where it was not requested or is unknown."""
        import pandas as pd

        known = self._parsed.get("distribution", {})
        rows = [(name, n, p) for name, each in known.items() for n, p in enumerate(each)]
        return pd.DataFrame(rows, columns=["arrivals", "flows", "probability"])

    def plot(self) -> Figure:
        """Mean numbers, transfer times, shares of time, and distributions where they are known."""
        from eddyline.plots.populations import population

        return population(self._parsed, self._title)


def population(
    scenario: Given, *, flow_level: bool = False, arrivals: int | None = None, distribution: bool = True
) -> Population:
    """The stationary number of the flows of `[[arrivals]]`.

    Source: Section 6 of Ge et al., "Performance Effects of Two-way FAST TCP"; `docs/theory/population.md`.

    Args:
        scenario: With at least one `[[arrivals]]` table.
        flow_level: Simulate flows even where the Markov chain applies.
        arrivals: Number of arrivals in a simulation of flows.
        distribution: Include the distributions of the numbers of flows where the chain gives them.

    Raises:
        EddylineError: There is no result, and why. A population that grows without bound is a result.
    """
    scenario = loaded(scenario)
    shown = distribution and not flow_level
    text, _ = scenario.ask(question("population", flow_level=flow_level, arrivals=arrivals, distribution=shown))
    return Population(text, scenario.title)
