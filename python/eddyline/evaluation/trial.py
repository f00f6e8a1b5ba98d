"""Running an evaluation: every experiment with every controller, in parallel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.arguments import names, number_of_seeds, seconds, table, whole
from eddyline.errors import EddylineError, LostConnection
from eddyline.evaluation.buffers import BUFFERS
from eddyline.evaluation.convergence import CONVERGENCE
from eddyline.evaluation.document import Failure, Measured
from eddyline.evaluation.evaluation import Evaluation
from eddyline.evaluation.path import Setting
from eddyline.evaluation.response import RESPONSE
from eddyline.evaluation.rtt_fairness import RTT_FAIRNESS
from eddyline.evaluation.sharing import SHARING
from eddyline.evaluation.step import STEP
from eddyline.evaluation.subject import subjects
from eddyline.evaluation.trace import TRACE
from eddyline.kinds import queue as queue_kind
from eddyline.lost_connections import lost_connections
from eddyline.parallel import ended_after, run_keeping
from eddyline.progress import limited
from eddyline.spelling import unknown
from eddyline.summary import spread
from eddyline.worlds import DEFAULT, RunOptions, require_packets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eddyline.evaluation.experiment import Experiment, Point, Row, Taken
    from eddyline.evaluation.subject import Subject
    from eddyline.progress import Count, RunCallback
    from eddyline.scenario import Scenario

__all__ = ["EXPERIMENTS", "SEEDS", "evaluate"]

EXPERIMENTS = {e.name: e for e in (RESPONSE, RTT_FAIRNESS, CONVERGENCE, STEP, SHARING, BUFFERS, TRACE)}
"""All of them, in the order of the report."""

SEEDS = 3
"""Repetitions of random experiments by default."""


@dataclass(frozen=True)
class _Run:
    experiment: Experiment
    subject: Subject
    point: Point
    scenario: Scenario
    world: str
    timeout_s: float | None

    def __call__(self, progress: RunCallback) -> Taken:
        limit = limited(self.timeout_s, progress)
        with ended_after(self.timeout_s):
            result = self.scenario.run_with(RunOptions(series=self.experiment.series), self.world, limit)
        if lost := lost_connections(result.to_dict()):
            raise LostConnection(self.world, lost)
        return self.experiment.take(self.subject, self.point, result)


def evaluate(
    kinds: str | Iterable[str],
    *,
    parameters: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    only: Iterable[str] = (),
    seeds: int = SEEDS,
    quick: bool = False,
    queue: str = "droptail",
    world: str = DEFAULT,
    jobs: int | None = None,
    timeout_s: float | None = None,
    done: Count | None = None,
    failed: Callable[[EddylineError], object] | None = None,
) -> Evaluation:
    """Measures controllers side by side.

    Args:
        kinds: Built-in kinds or names of registered classes; `"all"` is every built-in one.
        parameters: Parameters as a scenario writes them: `alpha` is given to all kinds, `fast.alpha` to that one.
        only: Names of experiments, of `EXPERIMENTS`; all by default.
        seeds: Repetitions of random experiments: rows are means, with half of the 95 % interval beside.
        quick: Fewer points and shorter runs, for a first look.
        queue: The discipline at the bottleneck, one that requires a `limit` only. With others than drop-tail flows
            are ECN-capable (`dctcp` and `prague` accurately). The response function has drop-tail always.
        world: The world that runs all simulations, one with packets; it has to have the controllers.
        jobs: Simulations at a time; one per processor by default.
        timeout_s: Limit on the wall time of a simulation; one that takes longer is listed under `failures`.
        done: Called after each simulation.
        failed: Called with the error of each failed simulation, possibly from another thread.

    Returns:
        The measurements. The same arguments give the same ones, whatever the number of jobs. A controller that raises
        an error is listed under `failures`, all other results are kept.

    Raises:
        InputError: There is no such controller, parameter or experiment.
    """
    seeds, only, kinds = number_of_seeds(seeds), names("only", only), names("kinds", kinds)
    jobs = None if jobs is None else whole("jobs", jobs, 1)
    timeout_s = None if timeout_s is None else seconds("timeout_s", timeout_s)
    queue_kind(queue)  # raises where it is unknown
    require_packets(world)
    example = 'parameters={"alpha": "20 packets"}'
    items = table("parameters", parameters, example).items() if isinstance(parameters, str | Mapping) else parameters
    who = subjects(kinds, list(items), world)
    experiments, setting = _chosen(only), Setting(quick, queue, world)
    # all of them first: with wrong input nothing runs
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
    runs = [_Run(e, s, point, scenario, world, timeout_s) for e, s, point, scenarios in plan for scenario in scenarios]
    values = iter(run_keeping(EddylineError, runs, jobs, done=done, failed=failed))
    measured: dict[tuple[str, Subject], Measured] = {(e.name, s): Measured() for e in experiments for s in who}
    failures = []
    for experiment, subject, point, scenarios in plan:
        each = [next(values) for _ in scenarios]
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
    """Means over the seeds, with several also half of the 95 % interval; None where one run does not have the value."""
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


def _chosen(only: Iterable[str]) -> tuple[Experiment, ...]:
    named = list(only)
    for name in named:
        if name not in EXPERIMENTS:
            raise unknown("experiment", name, EXPERIMENTS)
    return tuple(e for e in EXPERIMENTS.values() if not named or e.name in named)
