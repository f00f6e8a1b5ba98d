"""Running the gauntlet: every test with every seed, in parallel."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from eddyline.arguments import distinct, file, names, number_of_seeds, seconds, table, whole
from eddyline.errors import EddylineError, InputError
from eddyline.gauntlet.comparison import compare, require_comparable
from eddyline.gauntlet.explanation import Explanation
from eddyline.gauntlet.measures import MEASURES, Latency, latency_under_load
from eddyline.gauntlet.scorecard import Card, Verdict
from eddyline.gauntlet.suite import SUBJECT, suite
from eddyline.kinds import require_controller, require_in_world
from eddyline.lost_connections import lost_connections
from eddyline.parallel import ended_after, run_keeping
from eddyline.progress import limited
from eddyline.spelling import unknown
from eddyline.worlds import DEFAULT, RunOptions, require_packets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from eddyline.gauntlet.suite import Test
    from eddyline.progress import Count, RunCallback
    from eddyline.scenario import Scenario

__all__ = ["SEEDS", "explain", "run"]

SEEDS = 3
"""Runs of each test by default."""


def run(
    controller: str,
    *,
    world: str = DEFAULT,
    against: Iterable[str] = (),
    parameters: Mapping[str, str] | None = None,
    only: Iterable[str] = (),
    seeds: int = SEEDS,
    base: Card | str | Path | None = None,
    jobs: int | None = None,
    timeout_s: float | None = None,
    done: Count | None = None,
    failed: Callable[[EddylineError], object] | None = None,
) -> Card:
    """Runs a controller through the gauntlet.

    Args:
        controller: Its kind, one of `eddyline list controllers` or registered by you.
        world: The world that runs the tests, one with packets.
        against: Kinds that run through it too, for comparison; they do not affect the verdict.
        parameters: Parameters of the controller, as a scenario writes them.
        only: Names of tests or groups; all by default.
        seeds: Runs of each test; the mean is compared with the bound.
        base: An earlier scorecard to compare with, or where it was written.
        jobs: Runs at a time; one per processor by default.
        timeout_s: Limit on the wall time of a run; a test with a run that takes longer has failed.
        done: Called after each run.
        failed: Called with the error of each failed run, possibly from another thread.

    Returns:
        The scorecard. The same arguments give the same one.

    Raises:
        InputError: There is no such controller, parameter or test, or the base is of other tests.
    """
    require_packets(world)
    if base is not None:
        base = base if isinstance(base, Card) else Card.load(file("base", base))
        require_comparable(base, suite().version, world)
    seeds, against, only = number_of_seeds(seeds), names("against", against), names("only", only)
    jobs = None if jobs is None else whole("jobs", jobs, 1)
    timeout_s = None if timeout_s is None else seconds("timeout_s", timeout_s)
    distinct("against", against)
    for kind in (controller, *against):
        require_controller(kind)
        require_in_world(kind, world)
    if "kind" in (parameters or {}):
        raise InputError("kind is the controller, not a parameter of it", "--controller KIND sets it")
    tests = suite().only(only)
    given = dict(table("parameters", parameters or {}, 'parameters={"beta": "0.7"}'))
    kinds = [(controller, given), *((kind, dict[str, str]()) for kind in against)]
    # all of them first: with wrong input nothing runs
    scenarios = [
        (test, [test.scenario(kind, list(values.items()), seed) for seed in range(seeds)])
        for kind, values in kinds
        for test in tests
    ]
    verdicts = _all(scenarios, world, jobs, timeout_s, done, failed)
    cards = []
    for place, (kind, values) in enumerate(kinds):
        own = tuple(verdicts[place * len(tests) : (place + 1) * len(tests)])
        cards.append(Card(kind, values, suite().version, seeds, own, world=world))
    first = cards[0]
    changes = None if base is None else compare(first, base)
    return replace(first, against=tuple(cards[1:]), changes=changes)


def explain(
    controller: str,
    test: str,
    *,
    world: str = DEFAULT,
    against: Iterable[str] = (),
    parameters: Mapping[str, str] | None = None,
    seeds: int = SEEDS,
    jobs: int | None = None,
    timeout_s: float | None = None,
    done: Count | None = None,
) -> Explanation:
    """Runs one test again, with its series, and says why a controller passes or misses its bound.

    Args:
        controller: Its kind.
        test: Name of the test.
        world: The world that runs it.
        against: Kinds that run it too, for comparison.
        parameters: Parameters of the controller, as a scenario writes them.
        seeds: Runs of each; the one with the worst value of the controller is shown.
        jobs: Runs at a time; one per processor by default.
        timeout_s: Limit on the wall time of a run.
        done: Called after each run.

    Raises:
        InputError: There is no such controller, parameter or test.
        EddylineError: A run failed.
    """
    names = [each.name for each in suite().tests]
    if test in suite().groups:
        group = ", ".join(each.name for each in suite().only([test]))
        raise InputError(f"--why {test}: this is a group of tests, one of them is needed", f"they are {group}")
    if test not in names:
        raise unknown("test", test, names, option="--why")
    errors: dict[str, EddylineError] = {}
    card = run(
        controller,
        world=world,
        against=against,
        parameters=parameters,
        only=[test],
        seeds=seeds,
        jobs=jobs,
        timeout_s=timeout_s,
        done=done,
        failed=lambda error: errors.setdefault(str(error), error),
    )
    (chosen,) = suite().only([test])
    cards = [card, *card.against]
    for each in cards:
        error = each.verdicts[0].error
        if error is not None:
            raise EddylineError(f"{each.name}, {test}: {error}") from errors.get(error)
    values = card.verdicts[0].values
    least = chosen.bound.least
    known = [(v, seed) for seed, v in enumerate(values) if v is not None]
    seed = (min(known) if least else max(known))[1] if known else 0
    results = []
    for each in cards:
        scenario = chosen.scenario(each.controller, list(each.parameters.items()), seed)
        results.append(scenario.run_with(RunOptions(series=True), world, limited(timeout_s)))
    return Explanation(chosen, tuple(cards), tuple(results), seed)


def _all(
    tests: Sequence[tuple[Test, Sequence[Scenario]]],
    world: str,
    jobs: int | None,
    timeout_s: float | None,
    done: Count | None,
    failed: Callable[[EddylineError], object] | None,
) -> list[Verdict]:
    trials = [[_Trial(test, scenario, world, timeout_s) for scenario in scenarios] for test, scenarios in tests]
    runs = iter(run_keeping(EddylineError, list(chain(*trials)), jobs, done=done, failed=failed))
    return [
        _verdict(test, [next(runs) for _ in own], sum(trial.seconds for trial in own))
        for (test, _), own in zip(tests, trials, strict=True)
    ]


@dataclass(frozen=True)
class _Run:
    """The value of a run, its latency where the test is about that, and a connection that was lost."""

    value: float | None
    latency: Latency | None
    lost: str | None


@dataclass
class _Trial:
    """A run of a test, and the wall time that it took, also where it failed."""

    test: Test
    scenario: Scenario
    world: str
    timeout_s: float | None
    seconds: float = 0.0

    def __call__(self, progress: RunCallback) -> _Run:
        started = time.monotonic()
        try:
            return self._run(progress)
        finally:
            self.seconds = time.monotonic() - started

    def _run(self, progress: RunCallback) -> _Run:
        measure = MEASURES[self.test.measure]
        with ended_after(self.timeout_s):
            options = RunOptions(series=measure.series)
            result = self.scenario.run_with(options, self.world, limited(self.timeout_s, progress))
        document = result.to_dict()
        latency = latency_under_load(document, SUBJECT) if measure.latency else None
        lost = next(iter(lost_connections(document)), None)
        return _Run(measure.take(self.test, result, document), latency, lost)


def _verdict(test: Test, runs: Sequence[_Run | EddylineError], seconds: float) -> Verdict:
    error = next((str(r) for r in runs if isinstance(r, EddylineError)), None)
    finished = [r for r in runs if isinstance(r, _Run)]
    values = tuple(r.value if isinstance(r, _Run) else None for r in runs)
    known = [r.latency for r in finished if r.latency is not None]
    latency, lost = Latency.mean(known) if known else None, next((r.lost for r in finished if r.lost), None)
    return Verdict.of(test, values, error, latency, seconds, lost)
