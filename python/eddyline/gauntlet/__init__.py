"""The gauntlet: a fixed set of scenarios with a bound each, and the scorecard of a controller that runs through it.

`suite` reads the scenarios and bounds, `measures` takes the numbers, `trial` runs, `scorecard` holds what came of it,
`comparison` holds it against an earlier one, `reports` and `page` write it.
"""

import sys
from types import ModuleType
from typing import Any

from eddyline.gauntlet.comparison import Change, compare
from eddyline.gauntlet.scorecard import Card, Verdict
from eddyline.gauntlet.suite import Suite, Test, suite
from eddyline.gauntlet.trial import SEEDS, run

__all__ = ["SEEDS", "Card", "Change", "Suite", "Test", "Verdict", "compare", "run", "suite"]


class _Gauntlet(ModuleType):
    """This module, which may be called: `el.gauntlet("bbr")` is `el.gauntlet.run("bbr")`."""

    def __call__(self, controller: str, **options: Any) -> Card:
        return run(controller, **options)


sys.modules[__name__].__class__ = _Gauntlet
