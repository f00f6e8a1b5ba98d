"""Which known differences explain a deviation: each is switched in world `sim`, and what it leaves is measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any

from eddyline.deviations.known import of_world, unswitched
from eddyline.deviations.measure import Tolerance, deviations, worst
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.deviations.known import KnownDifference, Overrides, UnswitchedDifference
    from eddyline.deviations.measure import Deviation
    from eddyline.scenario import Result

__all__ = ["Comparison", "Step", "compare_with"]

_GAIN = 0.2  # a difference counts as an explanation where it takes away at least this share of the deviation,
_KEPT = 1.05  # or brings quantities within the tolerance and leaves the largest deviation as it was, up to this factor


@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """A known difference that was switched in `sim` and stays switched.

    Attributes:
        difference: Which one.
        overrides: The keys that switch it.
        left: What deviates then.
    """

    difference: KnownDifference
    overrides: Overrides
    left: list[Deviation]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """A world's result beside that of `sim`.

    Attributes:
        world: The world.
        found: The deviations from the scenario as it is.
        steps: The differences that explain them, in order of what they take away.
        tried: Names of the differences that were tried.
        untried: Differences that the world has here and that cannot be tried; none where all is explained.
    """

    world: str
    found: list[Deviation]
    steps: list[Step] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    untried: list[UnswitchedDifference] = field(default_factory=list)

    @property
    def left(self) -> list[Deviation]:
        """What deviates with all explanations switched."""
        return self.steps[-1].left if self.steps else self.found

    @property
    def explained(self) -> bool:
        """Whether nothing is left beyond the tolerance."""
        return worst(self.left) <= 1.0


def compare_with(
    scenario: Scenario,
    reference: Result,
    result: Result,
    tolerance: Tolerance,
    simulate: Callable[[list[Scenario]], list[Result]],
) -> Comparison:
    """Compares a world's result with that of `sim` and looks for what explains the deviations.

    Args:
        scenario: What both ran.
        reference: The result of `sim`.
        result: The result of the other world.
        tolerance: What counts as equal.
        simulate: Runs scenarios in `sim`.
    """
    found = deviations(result, reference, tolerance)
    open_ = of_world(scenario.to_dict(), result.to_dict()) if worst(found) > 1.0 else []
    comparison = Comparison(result.world, found, tried=[difference.name for difference, _ in open_])
    switched: dict[str, Any] = {}
    while open_ and not comparison.explained:
        trials = [_switched(scenario, {**switched, **overrides}) for _, overrides in open_]
        left = [deviations(result, each, tolerance) for each in simulate(trials)]
        # what trades one deviation for several explains nothing
        better = [i for i in range(len(open_)) if _total(left[i]) < _total(comparison.left)]
        if not better:
            break
        best = min(better, key=lambda i: worst(left[i]))
        largest = worst(comparison.left)
        if worst(left[best]) > (1.0 - _GAIN) * largest:
            # what nothing takes away hides no difference that explains the rest
            best = min(better, key=lambda i: (_beyond(left[i]), worst(left[i])))
            if _beyond(left[best]) >= _beyond(comparison.left) or worst(left[best]) > _KEPT * largest:
                break
        difference, overrides = open_.pop(best)
        switched |= overrides
        comparison.steps.append(Step(difference, overrides, left[best]))
    if not comparison.explained:
        comparison.untried.extend(unswitched(scenario.to_dict(), result.to_dict()))
    return comparison


def _beyond(found: list[Deviation]) -> int:
    """How many quantities deviate."""
    return sum(each.excess > 1.0 for each in found)


def _total(found: list[Deviation]) -> float:
    """All that deviates, by logarithms, so that a large deviation does not outweigh several others."""
    return sum(log(each.excess) for each in found if each.excess > 1.0)


def _switched(scenario: Scenario, overrides: Overrides) -> Scenario:
    # a table that is replaced goes before its keys
    overrides = dict(sorted(overrides.items(), key=lambda pair: len(pair[0])))
    return Scenario(scenario.to_dict(), set=overrides, name=scenario.title, folder=scenario.folder)
