"""The gauntlet: a fixed set of scenarios with a bound each, and the scorecard of a controller that runs through it.

`suite` reads the scenarios and bounds, `measures` takes the numbers, `trial` runs, `scorecard` holds what came of it,
`comparison` holds it against an earlier one, `reports` and `page` write it.
"""

from eddyline.gauntlet.comparison import Change, compare
from eddyline.gauntlet.scorecard import Card, Verdict
from eddyline.gauntlet.suite import Suite, Test, suite
from eddyline.gauntlet.trial import gauntlet

__all__ = ["Card", "Change", "Suite", "Test", "Verdict", "compare", "gauntlet", "suite"]
