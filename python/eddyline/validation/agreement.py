"""Runs of the cases in all worlds, and how far the worlds are apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError, UntrustedRun, WorldUnavailable
from eddyline.frames import flatten
from eddyline.parallel import run_all
from eddyline.trusted_runs import trusted_run
from eddyline.validation.cases import SHARE, cases
from eddyline.worlds import CLOCKS, DEFAULT, NAMES, WORLDS, RunOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eddyline.progress import Observer, RunCallback
    from eddyline.validation.cases import Case, Tolerance

__all__ = ["Agreement", "CaseRuns", "Comparison", "Outcome", "validate", "values"]


@dataclass(frozen=True)
class Outcome:
    """A case in one world.

    Attributes:
        result: The result's document; None if there is none.
        why: Why there is none.
        failed: It should have been there: none of the runs in real time can be trusted.
    """

    result: Mapping[str, Any] | None = None
    why: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Comparison:
    """A quantity in one world beside the same in another.

    Attributes:
        of: `flow.NAME` or `link.NAME`.
        world: The world.
        value: Its value; None if the world does not know it.
        reference: The value of the world that it is compared with.
        tolerance: What may be between them.
    """

    of: str
    world: str
    value: float | None
    reference: float | None
    tolerance: Tolerance

    @property
    def relative(self) -> float | None:
        """The difference as a share of the reference."""
        if self.value is None or not self.reference:
            return None
        return self.value / self.reference - 1

    @property
    def excess(self) -> float | None:
        """The difference in units of what is allowed, with its sign: it holds from -1 to 1."""
        if self.value is None or self.reference is None:
            return None
        return (self.value - self.reference) / self.tolerance.allowed(self.value, self.reference)

    @property
    def holds(self) -> bool:
        """The worlds agree. They do not where a value is not known."""
        return self.excess is not None and abs(self.excess) <= 1

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "of": self.of,
            "quantity": self.tolerance.quantity,
            "world": self.world,
            "value": self.value,
            "against": self.tolerance.against,
            "reference": self.reference,
            "relative": self.relative,
            "within": self.tolerance.share,
            "slack": self.tolerance.slack,
            "held": self.holds,
            "why": self.tolerance.why,
        }


@dataclass(frozen=True)
class CaseRuns:
    """A case in all worlds.

    Attributes:
        case: The case.
        outcomes: By world, in the order of tables.
        comparisons: What could be compared.
    """

    case: Case
    outcomes: Mapping[str, Outcome]
    comparisons: Sequence[Comparison]

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "name": self.case.name,
            "title": self.case.title,
            "paper": self.case.paper,
            "scenario": self.case.scenario,
            "scaled": self.case.scaled,
            "worlds": {
                world: {"ran": outcome.result is not None, **({"why": outcome.why} if outcome.why else {})}
                for world, outcome in self.outcomes.items()
            },
            "comparisons": [each.to_dict() for each in self.comparisons],
        }


@dataclass(frozen=True)
class Agreement:
    """What a validation found.

    Attributes:
        runs: The cases.
        quick: The runs were short.
        clock: The clock of world kernel.
        unavailable: Worlds that this machine cannot run, and why.
    """

    runs: Sequence[CaseRuns]
    quick: bool
    clock: str
    unavailable: Mapping[str, WorldUnavailable] = field(default_factory=dict)

    @property
    def comparisons(self) -> list[Comparison]:
        """Those of all cases."""
        return [comparison for each in self.runs for comparison in each.comparisons]

    @property
    def held(self) -> int:
        """How many comparisons hold."""
        return sum(each.holds for each in self.comparisons)

    @property
    def failed(self) -> int:
        """How many do not."""
        return len(self.comparisons) - self.held

    @property
    def skipped(self) -> list[tuple[str, str, Outcome]]:
        """Cases that a world did not run although this machine has the world: case, world, outcome."""
        return [
            (each.case.name, world, outcome)
            for each in self.runs
            for world, outcome in each.outcomes.items()
            if outcome.result is None
        ]

    @property
    def passed(self) -> bool:
        """There are comparisons, all hold, and every run that there should be can be trusted."""
        return 0 < self.held == len(self.comparisons) and not any(outcome.failed for _, _, outcome in self.skipped)

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        import eddyline._core as _core

        return {
            "version": _core.VERSION,
            "quick": self.quick,
            "clock": self.clock,
            "held": self.held,
            "failed": self.failed,
            "passed": self.passed,
            "unavailable": {world: str(why) for world, why in self.unavailable.items()},
            "cases": [each.to_dict() for each in self.runs],
        }


def validate(
    worlds: Sequence[str] = NAMES,
    only: Sequence[str] = (),
    observer: Observer | None = None,
    *,
    quick: bool = False,
    clock: str = CLOCKS[0],
    chosen: Sequence[Case] | None = None,
) -> Agreement:
    """Runs cases in all worlds that this machine has and compares them.

    Args:
        worlds: The worlds; world sim always runs, because the others are compared with it.
        only: Names of cases; all by default.
        observer: Receives progress.
        quick: Short runs.
        clock: Clock of world kernel.
        chosen: Cases in place of this version's.

    Raises:
        InputError: There is no such case.
    """
    known = list(cases() if chosen is None else chosen)
    _require(only, [case.name for case in known])
    selected = [case for case in known if not only or case.name in only]
    present, unavailable = [], {}
    for name in NAMES:
        if name in worlds or name == DEFAULT:
            missing = WORLDS[name].unavailable(_clock(name, clock))
            if missing is None:
                present.append(name)
            else:
                unavailable[name] = missing
    outcomes: dict[tuple[str, str], Outcome] = {}
    for world in sorted(present, key=lambda name: _is_live(name, clock)):
        # a run in real time takes the whole machine
        jobs = 1 if _is_live(world, clock) else None
        if observer is not None:
            observer.expect(len(selected))
        tasks = [partial(_outcome, case, world, clock, quick, observer, n) for n, case in enumerate(selected)]
        outcomes |= {(case.name, world): each for case, each in zip(selected, run_all(tasks, jobs), strict=True)}
    runs = []
    for case in selected:
        mine = {world: outcomes[case.name, world] for world in present}
        runs.append(CaseRuns(case, mine, list(_comparisons(case, mine))))
    return Agreement(runs, quick, clock, unavailable)


def _require(only: Sequence[str], known: Sequence[str]) -> None:
    from eddyline.spelling import unknown

    for name in only:
        if name not in known:
            raise unknown("case", name, known)


def _clock(world: str, clock: str) -> str:
    return clock if WORLDS[world].clocks else CLOCKS[0]


def _is_live(world: str, clock: str) -> bool:
    return WORLDS[world].clocks and clock == CLOCKS[0]


def _outcome(
    case: Case, world: str, clock: str, quick: bool, observer: Observer | None, number: int, checkpoint: RunCallback
) -> Outcome:
    def progress(now_s: float, duration_s: float, events: int, wall_s: float) -> None:
        checkpoint(now_s, duration_s, events, wall_s)
        if observer is not None:
            observer.update(number, now_s, duration_s, wall_s)

    options = RunOptions(series=False, clock=_clock(world, clock))
    scenario = case.load(quick=quick)
    try:
        return Outcome(trusted_run(scenario, world, options, progress).to_dict())
    except UntrustedRun as e:
        return Outcome(why=str(e), failed=True)
    except (WorldUnavailable, InputError) as e:  # what this machine or the world lacks for this scenario
        return Outcome(why=str(e).splitlines()[0])


def _comparisons(case: Case, outcomes: Mapping[str, Outcome]) -> Iterator[Comparison]:
    for tolerance in case.tolerance:
        theirs = outcomes.get(tolerance.against, Outcome()).result
        for world in tolerance.worlds:
            ours = outcomes.get(world, Outcome()).result
            if ours is None or theirs is None:
                continue
            references = dict(values(theirs, tolerance))
            for of, value in values(ours, tolerance):
                yield Comparison(of, world, value, references.get(of), tolerance)


def values(document: Mapping[str, Any], tolerance: Tolerance) -> Iterator[tuple[str, float | None]]:
    """Each flow or link that a tolerance is about, with the value of its quantity."""
    for kind in ("flow", "link"):
        rows = document[f"{kind}s"]
        total = sum(row["goodput_bps"] or 0.0 for row in rows) if kind == "flow" else 0.0
        for row in rows:
            name = f"{kind}.{row['name']}"
            if tolerance.of in (f"{kind}s", name):
                yield name, _share(row, total) if tolerance.quantity == SHARE else _value(flatten(row), tolerance)


def _share(row: Mapping[str, Any], total: float) -> float | None:
    goodput = row["goodput_bps"]
    return None if goodput is None or total == 0 else float(goodput) / total


def _value(row: Iterable[tuple[str, Any]], tolerance: Tolerance) -> float | None:
    value = dict(row).get(tolerance.quantity)
    return float(value) if isinstance(value, int | float) else None
