"""Running the gauntlet: every test with every seed, as many at a time as there are processors."""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from eddyline.controllers.names import need
from eddyline.errors import EddylineError, InputError
from eddyline.gauntlet.comparison import compare
from eddyline.gauntlet.measures import MEASURES
from eddyline.gauntlet.scorecard import Card, Verdict
from eddyline.gauntlet.suite import suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from eddyline.gauntlet.suite import Test
    from eddyline.scenario import Scenario

__all__ = ["SEEDS", "run"]

SEEDS = 3
"""How often each test runs unless said."""


class _Stopped(Exception):  # noqa: N818 - a message between threads, nobody's error
    pass


def run(
    controller: str,
    *,
    against: Iterable[str] = (),
    parameters: Mapping[str, str] | None = None,
    only: Iterable[str] = (),
    seeds: int = SEEDS,
    base: Card | None = None,
    jobs: int | None = None,
    done: Callable[[int, int], object] | None = None,
    failed: Callable[[EddylineError], object] | None = None,
) -> Card:
    """Runs a controller through the gauntlet.

    Args:
        controller: Its kind, one of `eddyline list controllers` or registered by you.
        against: Kinds that run through it too, for comparison; they have no say in the verdict.
        parameters: Parameters of the controller, as a scenario writes them.
        only: Names of tests or groups; all unless said.
        seeds: How often each test runs; the mean is held against the bound.
        base: An earlier scorecard to compare with.
        jobs: Runs at a time; as many as there are processors unless said.
        done: Told after each run how many are done, of how many.
        failed: Told of each run that came to no end, and why; perhaps from another thread.

    Returns:
        The scorecard. The same arguments give the same one.

    Raises:
        InputError: There is no such controller, parameter or test.
    """
    if seeds < 1:
        raise InputError(f"{seeds} seeds; at least 1")
    against = list(against)
    for kind in (controller, *against):
        need(kind)
    if "kind" in (parameters or {}):
        raise InputError("kind is no parameter: it is the controller itself", "name it with --controller KIND")
    tests = suite().only(only)
    given = dict(parameters or {})
    kinds = [(controller, given), *((kind, dict[str, str]()) for kind in against)]
    # all of them first: wrong input runs nothing
    scenarios = [
        (test, [test.scenario(kind, list(values.items()), seed) for seed in range(seeds)])
        for kind, values in kinds
        for test in tests
    ]
    verdicts = _all(scenarios, jobs or os.cpu_count() or 1, done, failed)
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
    jobs: int,
    done: Callable[[int, int], object] | None,
    failed: Callable[[EddylineError], object] | None,
) -> list[Verdict]:
    stop, lock = threading.Event(), threading.Lock()
    total, finished = sum(len(scenarios) for _, scenarios in tests), 0

    def one(test: Test, scenario: Scenario) -> float | EddylineError | None:
        nonlocal finished

        def watch(*_: object) -> None:
            if stop.is_set():
                raise _Stopped

        watch()
        measure = MEASURES[test.measure]
        value: float | EddylineError | None
        try:
            result = scenario.run("sim", series=measure.series, progress=watch)
            value = measure.take(test, result, result.to_dict())
        except EddylineError as e:  # the controller's own fault: one test failed, the others go on
            value = e
        with lock:
            if failed is not None and isinstance(value, EddylineError):
                failed(value)
            finished += 1
            if done is not None:
                done(finished, total)
        return value

    with ThreadPoolExecutor(jobs) as pool:
        runs: list[tuple[Test, list[Future[float | EddylineError | None]]]] = [
            (test, [pool.submit(one, test, s) for s in scenarios]) for test, scenarios in tests
        ]
        try:
            wait([r for _, each in runs for r in each], return_when=FIRST_EXCEPTION)
            for _, each in runs:
                for r in each:
                    error = r.exception()
                    if error is not None and not isinstance(error, _Stopped):
                        raise error
            return [_verdict(test, [r.result() for r in each]) for test, each in runs]
        finally:
            stop.set()


def _verdict(test: Test, values: Sequence[float | EddylineError | None]) -> Verdict:
    error = next((str(v) for v in values if isinstance(v, EddylineError)), None)
    return Verdict.of(test, tuple(None if isinstance(v, EddylineError) else v for v in values), error)
