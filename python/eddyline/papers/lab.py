"""Running the scenarios of a paper: each distinct run once, two at a time."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eddyline.errors import NoEquilibrium
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd

    from eddyline.scenario import Result

__all__ = ["Answer", "Lab", "Run"]

MODULE = "ns2-1.1.3"
"""The profile of `fast` that behaves as the papers' ns-2 module."""


@dataclass(frozen=True)
class Run:
    """A scenario file of the paper, what is changed in it, and the world that is asked.

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
class Answer:
    """What came out of a run."""

    scenario: dict[str, Any]
    result: dict[str, Any]
    series: pd.DataFrame | None

    def flow(self, name: str) -> dict[str, Any]:
        """Summary of a flow."""
        return next(f for f in self.result["flows"] if f["name"] == name)

    def link(self, name: str) -> dict[str, Any]:
        """Summary of a link."""
        return next(k for k in self.result["links"] if k["name"] == name)

    def over_time(self, entity: str, quantity: str) -> tuple[list[float], list[float]]:
        """Times in s and values of one series."""
        if self.series is None:
            raise ValueError("this run recorded no series")
        part = self.series
        part = part[(part["entity"] == entity) & (part["quantity"] == quantity)]
        return part["time_s"].tolist(), part["value"].tolist()


@dataclass
class Lab:
    """Runs scenarios out of `folder/scenarios` and remembers the answers.

    Attributes:
        folder: The paper's folder.
        runs: Simulations run.
        packets: Packets that they delivered.
        told: Is told how many of the runs asked for last are done, and of how many.
    """

    folder: Path
    runs: int = 0
    packets: int = 0
    told: Callable[[int, int], None] | None = None
    _known: dict[Run, Answer] = field(default_factory=dict)

    def ask(self, runs: Sequence[Run]) -> list[Answer]:
        """Answers in the order of `runs`."""
        new = [r for r in dict.fromkeys(runs) if r not in self._known]
        loaded = [self._load(r) for r in new]  # all of them first: what is wrong is wrong before anything runs
        if new:
            with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
                results = pool.map(_answer, new, loaded)
                for done, (run, answer) in enumerate(zip(new, results, strict=True), 1):
                    self._known[run] = answer
                    if self.told is not None:
                        self.told(done, len(new))
            for run in new:
                answer = self._known[run]
                if run.world == "sim":
                    self.runs += 1
                    self.packets += answer.result["counters"]["packets_delivered"]
        return [self._known[r] for r in runs]

    def made(self, scenarios: Sequence[Scenario]) -> list[Answer]:
        """Simulates scenarios that are on no file, two at a time, with series; nothing is remembered."""
        answers: list[Answer] = []
        with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
            for answer in pool.map(_simulated, scenarios):
                answers.append(answer)
                self.runs += 1
                self.packets += answer.result["counters"]["packets_delivered"]
                if self.told is not None:
                    self.told(len(answers), len(scenarios))
        return answers

    def one(self, run: Run) -> Answer:
        """The answer to one run."""
        return self.ask([run])[0]

    def settled(self, run: Run) -> Answer | None:
        """The answer of world theory, or None where it proves that there is no equilibrium."""
        try:
            return self.one(run)
        except NoEquilibrium:
            return None

    def theory(
        self, file: str, question: str, changes: tuple[tuple[str, str], ...] = (), **options: Any
    ) -> dict[str, Any]:
        """What theory answers to `question` about a scenario with `changes`."""
        _, document = Scenario.load(self.folder / "scenarios" / f"{file}.toml", set=changes).theory(question, **options)
        return document

    def _load(self, run: Run) -> Scenario:
        return Scenario.load(self.folder / "scenarios" / f"{run.file}.toml", set=run.overrides())


def _simulated(scenario: Scenario) -> Answer:
    result: Result = scenario.run("sim", series=True)
    return Answer(json.loads(scenario.canonical), json.loads(result.json), result.series)


def _answer(run: Run, scenario: Scenario) -> Answer:
    result: Result = scenario.run(run.world, series=run.interval is not None)
    series = result.series if run.interval is not None else None
    return Answer(json.loads(scenario.canonical), json.loads(result.json), series)
