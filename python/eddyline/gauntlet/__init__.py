"""The gauntlet: a fixed set of scenarios with bounds, and the scorecard of a controller.

`measures` computes values, `suite` reads scenarios and bounds, `trial` runs them into a `scorecard`, `comparison`
compares it with an earlier one, `reports` and `page` render it. `explanation` says why one test fails, with lines
from `drawing`.
"""

import sys
from types import ModuleType
from typing import Any

import eddyline.plots  # noqa: F401 - first: it says what keeps matplotlib from being imported
from eddyline.gauntlet.comparison import compare
from eddyline.gauntlet.explanation import Explanation
from eddyline.gauntlet.scorecard import Card, Change, Verdict
from eddyline.gauntlet.suite import Suite, Test, suite
from eddyline.gauntlet.trial import SEEDS, explain, run

__all__ = ["SEEDS", "Card", "Change", "Explanation", "Suite", "Test", "Verdict", "compare", "explain", "run", "suite"]


class _Gauntlet(ModuleType):
    """This module, which may be called: `el.gauntlet("bbr")` is `el.gauntlet.run("bbr")`."""

    def __call__(self, controller: str, **options: Any) -> Card:
        return run(controller, **options)


sys.modules[__name__].__class__ = _Gauntlet
