"""Running the scenarios of a paper: in parallel, each distinct run once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from eddyline.errors import NoEquilibrium
from eddyline.parallel import run_all
from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd

    from eddyline.progress import RunCallback
    from eddyline.scenario import Result

__all__ = ["NS2_PROFILE", "Run", "RunResult", "Runner"]

NS2_PROFILE = "ns2-1.1.3"
"""The profile of `fast` that behaves as the papers' module for ns-2 does."""


@dataclass(frozen=True)
class Run:
    """A run: a scenario file of the paper, the keys to override, and the world.

    Attributes:
        file: Its name in `scenarios/`, without ending.
        world: `sim` or `theory`.
        profile: Profile of all FAST flows, or None for what the file says.
        set: Keys to override.
        interval: Spacing of series, or None where none are wanted.
    """

    file: str
    world: str = "sim"
    profile: str | None = None
    set: tuple[tuple[str, str], ...] = ()
    interval: str | None = None

    def overrides(self) -> list[tuple[str, str]]:
        """All changes to the file."""
        pairs = list(self.set)
        if self.profile is not None:
            pairs.append(("flow.*.controller.profile", self.profile))
        if self.interval is not None:
            pairs.append(("record.interval", self.interval))
        return pairs


@dataclass(frozen=True)
class RunResult:
    """The result of a run.

    Attributes:
        scenario: The canonical scenario, changes included.
        document: The result document, as `eddyline run --json` prints it.
        series: The series, or None where the run recorded none.
    """

    scenario: dict[str, Any]
    document: dict[str, Any]
    series: pd.DataFrame | None

    def flow(self, name: str) -> dict[str, Any]:
        """Summary of a flow."""
        return next(f for f in self.document["flows"] if f["name"] == name)

    def link(self, name: str) -> dict[str, Any]:
        """Summary of a link."""
        return next(k for k in self.document["links"] if k["name"] == name)

    def over_time(self, entity: str, quantity: str) -> tuple[list[float], list[float]]:
        """Times in s and values of one series."""
        if self.series is None:
            raise ValueError("this run recorded no series")
        part = self.series
        part = part[(part["entity"] == entity) & (part["quantity"] == quantity)]
        return part["time_s"].tolist(), part["value"].tolist()


@dataclass
class Runner:
    """Runs scenarios of `folder/scenarios` in parallel and keeps their results, so that each distinct run is made once.

    Attributes:
        folder: The paper's folder.
        runs: Number of simulations run.
        packets: Number of packets that they delivered.
        progress: Called after each run of a batch with the number of finished runs and the size of the batch.
    """

    folder: Path
    runs: int = 0
    packets: int = 0
    progress: Callable[[int, int], None] | None = None
    _results: dict[Run, RunResult] = field(default_factory=dict)

    def run(self, run: Run) -> RunResult:
        """The result of one run."""
        return self.run_all([run])[0]

    def run_all(self, runs: Sequence[Run]) -> list[RunResult]:
        """The results, in the order of `runs`."""
        new = [r for r in dict.fromkeys(runs) if r not in self._results]
        scenarios = [self._load(r) for r in new]  # all of them first: an invalid one is reported before anything runs
        tasks = [partial(_run, run, scenario) for run, scenario in zip(new, scenarios, strict=True)]
        for run, result in zip(new, run_all(tasks, done=self.progress), strict=True):
            self._results[run] = result
            if run.world == "sim":
                self._count(result)
        return [self._results[r] for r in runs]

    def simulate(self, scenarios: Sequence[Scenario]) -> list[RunResult]:
        """Simulates scenarios that have no file, with series; the results are not kept."""
        results = run_all([partial(_simulate, s) for s in scenarios], done=self.progress)
        for result in results:
            self._count(result)
        return results

    def equilibrium(self, run: Run) -> RunResult | None:
        """The result of a run in world `theory`, or None where theory proves that there is no equilibrium."""
        try:
            return self.run(run)
        except NoEquilibrium:
            return None

    def theory(
        self, file: str, question: str, changes: tuple[tuple[str, str], ...] = (), **options: Any
    ) -> dict[str, Any]:
        """The document of `eddyline theory QUESTION` for a scenario with `changes`."""
        _, document = Scenario.load(self._path(file), set=changes).theory(question, **options)
        return document

    def sha256(self, run: Run) -> str:
        """The hash of a run's scenario, as `scenario_sha256` of its result."""
        return self._load(run).sha256

    def _count(self, result: RunResult) -> None:
        self.runs += 1
        self.packets += result.document["counters"]["packets_delivered"]

    def _load(self, run: Run) -> Scenario:
        return Scenario.load(self._path(run.file), set=run.overrides())

    def _path(self, file: str) -> Path:
        return self.folder / "scenarios" / f"{file}.toml"


def _simulate(scenario: Scenario, progress: RunCallback) -> RunResult:
    result: Result = scenario.run_with(RunOptions(series=True), progress=progress)
    return RunResult(json.loads(scenario.canonical), json.loads(result.json), result.series)


def _run(run: Run, scenario: Scenario, progress: RunCallback) -> RunResult:
    result: Result = scenario.run_with(RunOptions(series=run.interval is not None), run.world, progress)
    series = result.series if run.interval is not None else None
    return RunResult(json.loads(scenario.canonical), json.loads(result.json), series)
