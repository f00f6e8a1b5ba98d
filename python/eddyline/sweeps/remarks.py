"""What a sweep's points may say, though it is rarely intended."""

from __future__ import annotations

import warnings
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from eddyline.encoding import value_text
from eddyline.errors import ScenarioError
from eddyline.phase_effects import phase_remark, queues_in_phase
from eddyline.remarks import remarks
from eddyline.scenario import Scenario
from eddyline.worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.sweeps.plan import Plan
    from eddyline.sweeps.swept import Swept

__all__ = ["Remarks", "remarks_of_points"]

_MAX_POINTS = 50
"""Points of a grid that are looked at, without its seeds: each reads the scenario's files, which may be large."""


class Remarks(NamedTuple):
    """Sentences about a sweep's points, and points where flows may keep in phase."""

    sentences: Sequence[str]
    """Each once."""

    points: Sequence[tuple[Sequence[tuple[str, str]], Sequence[str]]]
    """Of each point the values of its keys, and the queues that `queues_in_phase` finds there."""

    def phase_remark(self, swept: Swept) -> str | None:
        """A sentence about those queues that drop data packets at their points; None where none does."""
        if not self.points:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of points that are missing
            table = swept.links
        if not len(table):  # all points failed
            return None
        found = []
        for keys, queues in self.points:
            rows = table
            for key, text in keys:
                rows = rows[rows[key].map(value_text) == text]
            dropping = set(rows["link"][rows["drops.data"] > 0])
            found += [name for name in queues if name in dropping]
        return phase_remark(found)


def remarks_of_points(plan: Plan) -> Remarks:
    """The remarks of a sweep's points; of a large grid of some of them.

    The scenario without the grid's values may be none of the points.
    """
    found: dict[str, None] = {}
    points = []
    all_of_them = range(plan.grid.combinations)
    # evenly spaced ones could all have the same value of a key
    some = sorted(Random(0).sample(all_of_them, min(_MAX_POINTS, len(all_of_them))))
    for each in some:
        try:
            keys = plan.grid.overrides(each)
            tables = Scenario._loaded(plan.source, [*plan.given, *keys]).to_dict()
        except ScenarioError:  # the sweep is refused, and all that is wrong is said
            return Remarks([], [])
        found |= dict.fromkeys(remarks(tables, plan.world))
        if WORLDS[plan.world].packet_log and (queues := queues_in_phase(tables)):
            points.append((list(keys), queues))
    return Remarks(list(found), points)
