"""Running the gauntlet: every test with every seed, in parallel."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from eddyline.errors import EddylineError, InputError
from eddyline.gauntlet.comparison import compare
from eddyline.gauntlet.measures import MEASURES
from eddyline.gauntlet.scorecard import Card, Verdict
from eddyline.gauntlet.suite import suite
from eddyline.kinds import require_controller
from eddyline.parallel import run_keeping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from eddyline.gauntlet.suite import Test
    from eddyline.progress import Count, RunCallback
    from eddyline.scenario import Scenario

__all__ = ["SEEDS", "run"]

SEEDS = 3
"""Runs of each test by default."""


def run(
    controller: str,
    *,
    against: Iterable[str] = (),
    parameters: Mapping[str, str] | None = None,
    only: Iterable[str] = (),
    seeds: int = SEEDS,
    base: Card | None = None,
    jobs: int | None = None,
    done: Count | None = None,
    failed: Callable[[EddylineError], object] | None = None,
) -> Card:
    """Runs a controller through the gauntlet.

    Args:
        controller: Its kind, one of `eddyline list controllers` or registered by you.
        against: Kinds that run through it too, for comparison; they do not affect the verdict.
        parameters: Parameters of the controller, as a scenario writes them.
        only: Names of tests or groups; all by default.
        seeds: Runs of each test; the mean is compared with the bound.
        base: An earlier scorecard to compare with.
        jobs: Runs at a time; one per processor by default.
        done: Called after each run.
        failed: Called with the error of each failed run, possibly from another thread.

    Returns:
        The scorecard. The same arguments give the same one.

    Raises:
        InputError: There is no such controller, parameter or test.
    """
    if seeds < 1:
        raise InputError(f"{seeds} seeds; at least 1")
    against = list(against)
    for kind in (controller, *against):
        require_controller(kind)
    if "kind" in (parameters or {}):
        raise InputError("kind is the controller, not a parameter of it", "--controller KIND sets it")
    tests = suite().only(only)
    given = dict(parameters or {})
    kinds = [(controller, given), *((kind, dict[str, str]()) for kind in against)]
    # all of them first: with wrong input nothing runs
    scenarios = [
        (test, [test.scenario(kind, list(values.items()), seed) for seed in range(seeds)])
        for kind, values in kinds
        for test in tests
    ]
    verdicts = _all(scenarios, jobs, done, failed)
    cards = [
        Card(kind, values, suite().version, seeds, tuple(verdicts[place * len(tests) : (place + 1) * len(tests)]))
        for place, (kind, values) in enumerate(kinds)
    ]
    first = cards[0]
    changes = None if base is None else compare(first, base)
    return Card(
        first.controller, first.parameters, first.suite_version, seeds, first.verdicts, tuple(cards[1:]), changes
    )


def _all(
    tests: Sequence[tuple[Test, Sequence[Scenario]]],
    jobs: int | None,
    done: Count | None,
    failed: Callable[[EddylineError], object] | None,
) -> list[Verdict]:
    work = [partial(_value, test, scenario) for test, scenarios in tests for scenario in scenarios]
    values = iter(run_keeping(EddylineError, work, jobs, done=done, failed=failed))
    return [_verdict(test, [next(values) for _ in scenarios]) for test, scenarios in tests]


def _value(test: Test, scenario: Scenario, progress: RunCallback) -> float | None:
    measure = MEASURES[test.measure]
    result = scenario.run("sim", series=measure.series, progress=progress)
    return measure.take(test, result, result.to_dict())


def _verdict(test: Test, values: Sequence[float | EddylineError | None]) -> Verdict:
    error = next((str(v) for v in values if isinstance(v, EddylineError)), None)
    return Verdict.of(test, tuple(None if isinstance(v, EddylineError) else v for v in values), error)
