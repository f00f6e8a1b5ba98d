"""Which known differences explain a deviation: each is switched in world `sim`, and what it leaves is measured."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isinf, log
from typing import TYPE_CHECKING, Any, NamedTuple

from eddyline.deviations.known import of_world
from eddyline.deviations.measure import Tolerance, deviations, worst
from eddyline.deviations.unswitched import unswitched
from eddyline.keys import START_JITTER
from eddyline.runs import start_jitter_s
from eddyline.scenario import SEEDS, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.deviations.known import KnownDifference, Overrides
    from eddyline.deviations.measure import Deviation
    from eddyline.deviations.unswitched import UnswitchedDifference
    from eddyline.scenario import Result

__all__ = ["Comparison", "OtherSeeds", "Step", "compare_with", "with_other_seeds"]

_SEEDS = 9  # beside the scenario's own; a value like theirs is outside their range twice in eleven times

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
        seeds: The seeds of `sim` whose values make the ranges; none where one seed says all.
        start_jitter_s: The time below which all but the first started flows later, where nothing else was random.
    """

    world: str
    found: list[Deviation]
    steps: list[Step] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    untried: list[UnswitchedDifference] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)
    start_jitter_s: float | None = None

    @property
    def left(self) -> list[Deviation]:
        """What deviates with all explanations switched."""
        return self.steps[-1].left if self.steps else self.found

    @property
    def explained(self) -> bool:
        """Whether nothing is left beyond the tolerance and chance."""
        return worst(self.left) <= 1.0


class OtherSeeds(NamedTuple):
    """Results of `sim` with other seeds.

    Attributes:
        results: The results; none where no seed changes anything that is compared.
        start_jitter_s: The time below which their flows start later; None where seeds differ without that.
    """

    results: list[Result]
    start_jitter_s: float | None = None

    @property
    def overrides(self) -> Overrides:
        """What they have beside their seeds."""
        return {} if self.start_jitter_s is None else {START_JITTER: f"{self.start_jitter_s!r} s"}


def compare_with(
    scenario: Scenario,
    reference: Result,
    result: Result,
    tolerance: Tolerance,
    simulate: Callable[[list[Scenario]], list[Result]],
    others: Callable[[], OtherSeeds] = lambda: OtherSeeds([]),
) -> Comparison:
    """Compares a world's result with that of `sim` and looks for what explains the deviations.

    What differs from one seed of `sim` to the next differs from world to world too, and needs no explanation.

    Args:
        scenario: What both ran.
        reference: The result of `sim`.
        result: The result of the other world.
        tolerance: What counts as equal.
        simulate: Runs scenarios in `sim`.
        others: Results of `sim` with other seeds, asked for where something deviates.
    """
    found, seeds, chance = deviations(result, reference, tolerance), [], OtherSeeds([])
    if worst(found) > 1.0 and (chance := others()).results:
        found = deviations(result, reference, tolerance, chance.results)
        seeds = [_seed(each) for each in (reference, *chance.results)]
    open_ = of_world(scenario.to_dict(), result.to_dict()) if worst(found) > 1.0 else []
    tried = [difference.name for difference, _ in open_]
    comparison = Comparison(result.world, found, tried=tried, seeds=seeds, start_jitter_s=chance.start_jitter_s)
    switched: dict[str, Any] = {}
    while open_ and not comparison.explained:
        each_seed = [{}, *({**chance.overrides, "seed": seed} for seed in seeds[1:])]
        trials = [_switched(scenario, {**switched, **keys, **seed}) for _, keys in open_ for seed in each_seed]
        results, size = simulate(trials), len(each_seed)
        groups = [results[i : i + size] for i in range(0, len(results), size)]
        trials_left = (_with_chance(deviations(result, first, tolerance, more), found) for first, *more in groups)
        left = [_complete(_nearer(each, comparison.left), comparison.left) for each in trials_left]
        largest = max(comparison.left, key=lambda each: each.excess)
        # what trades one deviation for several, or for a larger one, explains nothing
        better = [
            i
            for i in range(len(open_))
            if _total(left[i]) < _total(comparison.left) and worst(left[i]) <= _KEPT * largest.excess
        ]
        if not better:
            break
        helping = [i for i in better if _same(left[i], largest).excess < (1.0 - _GAIN) * largest.excess]
        best = min(helping or better, key=lambda i: (_total(left[i]), worst(left[i])))
        if not helping:
            # what nothing takes away hides no difference that explains the rest
            best = min(better, key=lambda i: (_beyond(left[i]), worst(left[i])))
            if _beyond(left[best]) >= _beyond(comparison.left):
                break
        difference, overrides = open_.pop(best)
        switched |= overrides
        comparison.steps.append(Step(difference, overrides, left[best]))
    if not comparison.explained:
        comparison.untried.extend(unswitched(scenario.to_dict(), result.to_dict()))
    return comparison


def with_other_seeds(
    scenario: Scenario, reference: Result, simulate: Callable[[list[Scenario]], list[Result]]
) -> OtherSeeds:
    """Results of `sim` with the next seeds; none where these change nothing that is compared.

    Where nothing is random but flows compete, they start at random.

    Args:
        scenario: With its own seed.
        reference: Its result.
        simulate: Runs scenarios in `sim`.
    """
    for jitter_s in (None, start_jitter_s(scenario)) if len(reference.flows) > 1 else (None,):
        others = OtherSeeds([], jitter_s)
        started = scenario.with_overrides(others.overrides)
        found = simulate([started.with_seed((scenario.seed + n) % SEEDS) for n in range(1, _SEEDS + 1)])
        pairs = (pair for each in found for pair in deviations(each, reference, Tolerance()))
        if any(pair.value != pair.reference for pair in pairs):
            return others._replace(results=found)
    return OtherSeeds([])


def _with_chance(trial: list[Deviation], found: list[Deviation]) -> list[Deviation]:
    """Those of a trial; what is left to chance without it needs no explanation by it, whatever its few seeds say."""
    before = {(each.kind, each.name, each.quantity): each.range for each in found if each.left_to_chance}
    return [
        replace(each, range=each.range.joined(known))
        if each.range is not None and (known := before.get((each.kind, each.name, each.quantity)))
        else each
        for each in trial
    ]


def _nearer(trial: list[Deviation], before: list[Deviation]) -> list[Deviation]:
    """Those of a trial; where one other seed alone brings a range nearer to the other world, that before counts."""
    ranges = {(each.kind, each.name, each.quantity): each.earlier or each.range for each in before}
    found = []
    for each in trial:
        known = ranges.get((each.kind, each.name, each.quantity))
        if each.range is not None and known is not None and not each.within:
            distance = known.distance(each.value)
            if each.range.distance(each.value) < distance <= each.range.distance_without_one(each.value):
                found.append(replace(each, earlier=known))
                continue
        found.append(each)
    return found


def _complete(trial: list[Deviation], before: list[Deviation]) -> list[Deviation]:
    """Those of a trial; where it does not know a quantity, as of a flow that has ended, the deviation before it."""
    known = {(each.kind, each.name, each.quantity) for each in trial}
    return [*trial, *(each for each in before if (each.kind, each.name, each.quantity) not in known)]


def _seed(result: Result) -> int:
    return int(result.to_dict()["seed"])


def _same(trial: list[Deviation], other: Deviation) -> Deviation:
    """The deviation of the same quantity."""
    return next(
        each for each in trial if (each.kind, each.name, each.quantity) == (other.kind, other.name, other.quantity)
    )


def _beyond(found: list[Deviation]) -> int:
    """How many quantities deviate."""
    return sum(each.excess > 1.0 for each in found)


def _total(found: list[Deviation]) -> tuple[int, float]:
    """All that deviates: the number of infinite deviations, of which nothing is allowed, and the sum of the others.

    That is of logarithms, so that a large deviation does not outweigh several others.
    """
    beyond = [each.excess for each in found if each.excess > 1.0]
    return sum(map(isinf, beyond)), sum(log(excess) for excess in beyond if not isinf(excess))


def _switched(scenario: Scenario, overrides: Overrides) -> Scenario:
    # a table that is replaced goes before its keys
    overrides = dict(sorted(overrides.items(), key=lambda pair: len(pair[0])))
    return Scenario(scenario.to_dict(), set=overrides, name=scenario.title, folder=scenario.folder)
