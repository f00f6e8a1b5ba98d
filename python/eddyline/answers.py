"""Asking one world or all, once or with several seeds, and the document that comes of it."""

from __future__ import annotations

import json
import os
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from eddyline.errors import ControllerError, InputError, WorldUnavailable
from eddyline.scenario import SEEDS, WORLDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eddyline.result import Result
    from eddyline.scenario import Scenario

__all__ = ["Answer", "Failure", "Wanted", "answer", "document", "without_cost"]


@dataclass(frozen=True)
class Wanted:
    """What to record besides the summaries."""

    series: bool = False
    log: bool | str = False
    theory: Mapping[str, Any] = field(default_factory=dict)
    """Options of `Scenario.run` for world theory."""

    def of(self, world: str) -> dict[str, Any]:
        """Options of `Scenario.run` for a world."""
        return {"series": self.series, **(self.theory if world == "theory" else {})}


@dataclass(frozen=True)
class Failure:
    """A run that a controller of the user's own broke."""

    seed: int
    error: ControllerError


@dataclass(frozen=True)
class Answer:
    """What one world said."""

    world: str
    scenario: Scenario
    results: list[Result] = field(default_factory=list)
    unavailable: WorldUnavailable | None = None
    failures: list[Failure] = field(default_factory=list)

    @property
    def identical(self) -> bool:
        """Whether several seeds gave one and the same answer."""
        return len(self.results) > 1 and len({_ignoring_seed(r) for r in self.results}) == 1


class Listener(Protocol):
    """Who is told how far the runs are."""

    def expect(self, runs: int) -> None:
        """So many runs will come."""

    def hear(self, run: int, now_s: float, duration_s: float, wall_s: float) -> None:
        """Run number `run` is at `now_s` of `duration_s`."""


def answer(scenario: Scenario, world: str, seeds: int | None, wanted: Wanted, listener: Listener) -> list[Answer]:
    """Asks `world`, or all where it is `"all"`; with `seeds`, that many times, each with the next seed.

    Raises:
        InputError: There are not so many seeds.
        WorldUnavailable: `world` cannot be run here; among all, that is part of the answer.
    """
    if seeds is not None and scenario.seed + seeds > SEEDS:
        raise InputError(
            f"--seeds {seeds}: seeds from {scenario.seed} on go beyond 2^63 - 1", "a smaller seed leaves room for more"
        )
    if world != "all":
        return [_one(scenario, world, seeds, wanted, listener)]
    answers = []
    for each in WORLDS:
        try:
            answers.append(_one(scenario, each, seeds, wanted, listener))
        except WorldUnavailable as e:
            answers.append(Answer(each, scenario, unavailable=e))
    return answers


def _one(scenario: Scenario, world: str, seeds: int | None, wanted: Wanted, listener: Listener) -> Answer:
    if seeds is not None:
        outcomes = _repeat(scenario, seeds, world, wanted, listener)
        failures = [o for o in outcomes if isinstance(o, Failure)]
        return Answer(world, scenario, [o for o in outcomes if not isinstance(o, Failure)], failures=failures)
    listener.expect(1)
    try:
        result = scenario.run(
            world,
            log=wanted.log,
            progress=lambda now, duration, _events, wall: listener.hear(0, now, duration, wall),
            **wanted.of(world),
        )
    except ControllerError as e:
        return Answer(world, scenario, failures=[Failure(scenario.seed, e)])
    return Answer(world, scenario, [result])


class _Stopped(Exception):  # noqa: N818 - a message between threads, nobody's error
    pass


def _repeat(scenario: Scenario, seeds: int, world: str, wanted: Wanted, listener: Listener) -> list[Result | Failure]:
    """One run per seed, as many at a time as there are processors.

    Ctrl-C stops all of them; a controller of the user's own that breaks one does not.
    """
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    stop = threading.Event()
    listener.expect(seeds)

    def run(number: int) -> Result | Failure:
        def progress(now: float, duration: float, _events: int, wall: float) -> None:
            if stop.is_set():
                raise _Stopped
            listener.hear(number, now, duration, wall)

        if stop.is_set():
            raise _Stopped
        seed = scenario.seed + number
        try:
            return scenario.with_seed(seed).run(world, progress=progress, **wanted.of(world))
        except ControllerError as e:
            return Failure(seed, e)

    with ThreadPoolExecutor(min(seeds, os.cpu_count() or 1)) as pool:
        runs = [pool.submit(run, number) for number in range(seeds)]
        try:
            wait(runs, return_when=FIRST_EXCEPTION)
            stop.set()
            for r in runs:
                error = r.exception()
                if error is not None and not isinstance(error, _Stopped):
                    raise error
            return [r.result() for r in runs]
        finally:
            stop.set()


def document(answers: Sequence[Answer], *, everything: bool, repeated: bool) -> str:
    """The document that `--json` prints. Results stand in it as the worlds wrote them, byte for byte."""
    parts = [_part(a, repeated) for a in answers]
    return "[\n" + ",\n".join(parts) + "\n]" if everything else parts[0]


def _part(answer: Answer, repeated: bool) -> str:
    if answer.unavailable is not None:
        return json.dumps({"world": answer.world, "unavailable": answer.unavailable.reason}, ensure_ascii=False)
    failed = [{"seed": f.seed, "error": str(f.error)} for f in answer.failures]
    if not repeated:
        if failed:
            return json.dumps({"world": answer.world, "failed": failed}, ensure_ascii=False)
        return answer.results[0].json
    from eddyline.summary import summarise

    runs = ",\n".join(r.json for r in answer.results)
    documents = [r.to_dict() for r in answer.results]
    summary = json.dumps(summarise(documents) if documents else None, indent=2, ensure_ascii=False)
    also = f',\n"failed": {json.dumps(failed, indent=2, ensure_ascii=False)}' if failed else ""
    return f'{{\n"runs": [\n{runs}\n],\n"summary": {summary}{also}\n}}'


def without_cost(value: Any) -> Any:
    """The same document without what differs between two runs of one file and seed."""
    if isinstance(value, dict):
        return {k: without_cost(v) for k, v in value.items() if k != "cost"}
    if isinstance(value, list):
        return [without_cost(v) for v in value]
    return value


_SEED = re.compile(r'^  "(?:seed|scenario_sha256)": .*$', re.MULTILINE)


def _ignoring_seed(result: Result) -> str:
    text, _, _cost = _SEED.sub("", result.json).rpartition('\n  "cost": ')
    return text
