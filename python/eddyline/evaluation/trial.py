"""Running it: every experiment for every controller, as many simulations at a time as there are processors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.controllers.names import register
from eddyline.errors import EddylineError, InputError
from eddyline.evaluation.buffers import BUFFERS
from eddyline.evaluation.convergence import CONVERGENCE
from eddyline.evaluation.document import Evaluation, Failure, Measured
from eddyline.evaluation.path import Setting
from eddyline.evaluation.response import RESPONSE
from eddyline.evaluation.rtt_fairness import RTT_FAIRNESS
from eddyline.evaluation.sharing import SHARING
from eddyline.evaluation.step import STEP
from eddyline.evaluation.subject import subjects
from eddyline.evaluation.trace import TRACE
from eddyline.parallel import side_by_side
from eddyline.summary import spread
from eddyline.words import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eddyline.evaluation.experiment import Experiment, Point, Row, Taken
    from eddyline.evaluation.subject import Subject
    from eddyline.parallel import Watch
    from eddyline.scenario import Scenario

__all__ = ["EXPERIMENTS", "SEEDS", "evaluate"]

EXPERIMENTS = {e.name: e for e in (RESPONSE, RTT_FAIRNESS, CONVERGENCE, STEP, SHARING, BUFFERS, TRACE)}
"""All of them, in the order of the report."""

SEEDS = 3
"""How often what depends on chance is repeated unless said."""


@dataclass(frozen=True)
class _Run:
    experiment: Experiment
    subject: Subject
    point: Point
    scenario: Scenario

    def __call__(self, watch: Watch) -> Taken:
        result = self.scenario.run("sim", series=self.experiment.series, progress=watch)
        return self.experiment.take(self.subject, self.point, result)


def evaluate(
    kinds: str | Iterable[str],
    *,
    parameters: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    only: Iterable[str] = (),
    seeds: int = SEEDS,
    quick: bool = False,
    queue: str = "droptail",
    jobs: int | None = None,
    done: Callable[[int, int], object] | None = None,
    failed: Callable[[EddylineError], object] | None = None,
) -> Evaluation:
    """Measures controllers side by side.

    Args:
        kinds: Built-in kinds or names of registered classes; `"all"` is every built-in one.
        parameters: Parameters as a scenario writes them: `alpha` is given to all kinds, `fast.alpha` to that one.
        only: Names of experiments, of `EXPERIMENTS`; all unless said.
        seeds: How often to repeat what depends on chance: rows are means, with half of the 95 % interval beside.
        quick: Fewer points and shorter runs, for a first look.
        queue: The discipline at the bottleneck, one that needs no more than a `limit`. With others than drop-tail flows
            are ECN-capable (`dctcp` and `prague` accurately). The response function has drop-tail always.
        jobs: Simulations at a time; as many as there are processors unless said.
        done: Told after each simulation how many are done, of how many.
        failed: Told of each that came to no end, and why; perhaps from another thread.

    Returns:
        What was measured. The same arguments give the same, however many jobs there are. A controller that raises an
        error is listed under `failures`, the rest of it and all others are kept.

    Raises:
        InputError: There is no such controller, parameter or experiment.
    """
    if seeds < 1:
        raise InputError(f"{seeds} seeds; at least 1")
    queues = [q["name"] for q in register()["queues"]]
    if queue not in queues:
        raise unknown("queue", queue, queues)
    items = parameters.items() if isinstance(parameters, Mapping) else parameters
    who = subjects([kinds] if isinstance(kinds, str) else list(kinds), list(items))
    experiments, setting = _wanted(only), Setting(quick, queue)
    # all of them first: wrong input runs nothing
    plan = [
        (
            experiment,
            subject,
            point,
            [experiment.scenario(subject, point, setting, seed) for seed in _seeds(experiment, seeds)],
        )
        for experiment in experiments
        for subject in who
        for point in experiment.points(quick)
    ]
    runs = [_Run(e, s, point, scenario) for e, s, point, scenarios in plan for scenario in scenarios]
    answers = iter(side_by_side(runs, jobs, done, failed))
    measured: dict[tuple[str, Subject], Measured] = {(e.name, s): Measured() for e in experiments for s in who}
    failures = []
    for experiment, subject, point, scenarios in plan:
        each = [next(answers) for _ in scenarios]
        errors = [e for e in each if isinstance(e, EddylineError)]
        if errors:
            failures.append(Failure(subject.kind, experiment.name, dict(point), str(errors[0])))
            continue
        taken = [t for t in each if not isinstance(t, EddylineError)]
        into = measured[experiment.name, subject]
        into.rows.append({"controller": subject.kind, **point, **_mean(taken)})
        into.curves = into.curves or taken[0].curves
    return Evaluation(who, experiments, seeds, setting, measured, tuple(failures))


def _seeds(experiment: Experiment, seeds: int) -> range:
    return range(seeds if experiment.chance else 1)


def _mean(taken: Sequence[Taken]) -> Row:
    """Means over the seeds, of several also half of the 95 % interval; None where one of them does not know."""
    if len(taken) == 1:
        return dict(taken[0].numbers)
    row: Row = {}
    for key in taken[0].numbers:
        values = [t.numbers[key] for t in taken]
        known = [float(v) for v in values if v is not None]
        over = spread(known) if len(known) == len(values) else None
        row[key] = None if over is None else over["mean"]
        row[f"{key}_ci95"] = None if over is None else (over["ci95"][1] - over["ci95"][0]) / 2
    return row


def _wanted(only: Iterable[str]) -> tuple[Experiment, ...]:
    wanted = list(only)
    for name in wanted:
        if name not in EXPERIMENTS:
            raise unknown("experiment", name, EXPERIMENTS)
    return tuple(e for e in EXPERIMENTS.values() if not wanted or e.name in wanted)
