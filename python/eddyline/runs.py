"""Runs of one scenario in one world or in all, with one seed or several, and the document of their results."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import eddyline.worlds as worlds
from eddyline.errors import ControllerError, Displaced, InputError, NoEquilibrium, WorldUnavailable
from eddyline.results import Results, legend_of_seeds, write_repetitions
from eddyline.scenario import SEEDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.progress import Observer, RunCallback
    from eddyline.scenario import Result, Scenario
    from eddyline.worlds import RunOptions

__all__ = [
    "Failure",
    "Part",
    "Request",
    "WorldRuns",
    "document",
    "drawn_of",
    "figure",
    "jittered",
    "labelled_series",
    "rows",
    "run",
    "run_parts",
    "save",
    "start_jitter_s",
    "without_cost",
    "write_document",
]


START_JITTER_S = 0.1
"""Random delay of starts where nothing else is random, at most a hundredth of the duration: several round trips of most
paths, so that flows meet in every phase."""


class Request(NamedTuple):
    """What to run.

    Attributes:
        world: Name of a world, or `all`: the document is a list of worlds.
        seeds: Number of runs in a world, by default each with the next seed; None for one run.
        options: Options of each run. A world ignores those it does not have where several are run.
    """

    world: str
    seeds: int | None
    options: RunOptions

    @property
    def all_worlds(self) -> bool:
        """Whether it is for several worlds."""
        return self.world == worlds.ALL

    @property
    def repeated(self) -> bool:
        """Whether it is for several seeds."""
        return self.seeds is not None

    @property
    def labels(self) -> list[str]:
        """The keys of results, `world` and `seed`, in which its runs differ."""
        return [name for name, several in (("world", self.all_worlds), ("seed", self.repeated)) if several]


class Part(NamedTuple):
    """The runs of one world in a document.

    Attributes:
        world: Its name.
        seeds: The seed of each run, in order; one where there are no repetitions.
    """

    world: str
    seeds: Sequence[int]


class Failure(NamedTuple):
    """A run in which a user's own controller failed."""

    seed: int
    error: ControllerError


@dataclass(frozen=True, eq=False, repr=False)
class WorldRuns:
    """The runs of one world.

    Attributes:
        world: Its name.
        results: Results by seed; of failed runs those whose other flows went on.
        unavailable: Why it cannot run here, or not this scenario, if it cannot.
        failures: Failed runs.
        displaced: The error of files that the only run wrote, which are beside their places, if they are.
    """

    world: str
    results: list[Result] = field(default_factory=list)
    unavailable: WorldUnavailable | None = None
    failures: list[Failure] = field(default_factory=list)
    displaced: Displaced | None = None

    @property
    def identical(self) -> bool:
        """Whether several seeds gave the same result."""
        return len(self.results) > 1 and Results(self.results).identical


def start_jitter_s(scenario: Scenario) -> float:
    """The time below which starts are delayed where nothing else is random."""
    return min(START_JITTER_S, scenario.duration_s / 100)


def jittered(scenario: Scenario, request: Request, observer: Observer) -> tuple[Scenario, float | None]:
    """The scenario, with flows that start at random if it has nothing else for several seeds to vary.

    Returns:
        The scenario, and the time in seconds below which starts are delayed; None where they are not.
    """
    packets = (w.name for w in worlds.WORLDS.values() if w.packet_log)
    simulated = next((name for name in packets if request.all_worlds or name == request.world), None)
    if request.seeds is None or request.seeds < 2 or simulated is None or not scenario.flows:
        return scenario, None
    two = Request(simulated, 2, request.options.with_series(False))
    if not _in_world(scenario, Part(simulated, _next_seeds(scenario, 2)), two, observer).identical:
        return scenario, None
    jitter_s = start_jitter_s(scenario)
    return scenario.with_overrides({"flow.*.start_jitter": f"{jitter_s!r} s"}), jitter_s


def run(scenario: Scenario, request: Request, observer: Observer) -> list[WorldRuns]:
    """Runs a scenario as requested.

    Raises:
        InputError: There are not so many seeds, or the world cannot run this scenario.
        NoEquilibrium: World theory proves that there is none.
        WorldUnavailable: The world cannot run here.

    Among all worlds, one that cannot run it is part of the reply, unless none can.
    """
    seeds = request.seeds
    if seeds is not None and scenario.seed + seeds > SEEDS:
        raise InputError(
            f"--seeds {seeds}: seeds from {scenario.seed} on go beyond 2^63 - 1", "a smaller seed leaves room for more"
        )
    seeds_of_each = _next_seeds(scenario, 1 if seeds is None else seeds)
    names = worlds.NAMES if request.all_worlds else (request.world,)
    return run_parts(scenario, [Part(world, seeds_of_each) for world in names], request, observer)


def run_parts(scenario: Scenario, parts: Sequence[Part], request: Request, observer: Observer) -> list[WorldRuns]:
    """Runs a scenario in the worlds of these parts with their seeds. A request for all worlds may be for some of them.

    Raises:
        InputError: The only world, or every one, cannot run this scenario.
        NoEquilibrium: So it is with world theory, which proves that there is none.
        WorldUnavailable: The only world, or every one, cannot run here.
    """
    if not request.all_worlds:
        return [_in_world(scenario, part, request, observer) for part in parts]
    replies, refusals = [], []
    for part in parts:
        try:
            replies.append(_in_world(scenario, part, request, observer))
        except (WorldUnavailable, InputError, NoEquilibrium) as e:
            replies.append(WorldRuns(part.world, unavailable=WorldUnavailable.of(part.world, e)))
            refusals.append(e)
    if len(refusals) == len(replies):
        raise refusals[0]
    return replies


def _next_seeds(scenario: Scenario, number: int) -> range:
    return range(scenario.seed, scenario.seed + number)


def _in_world(scenario: Scenario, part: Part, request: Request, observer: Observer) -> WorldRuns:
    world, seeds = part
    entry = worlds.require(world, request.options.clock)
    options = entry.supported(request.options) if request.all_worlds else request.options
    observer.expect(len(seeds))

    def one(number: int, checkpoint: RunCallback | None) -> Result:
        def progress(now_s: float, duration_s: float, events: int, wall_s: float) -> None:
            if checkpoint is not None:
                checkpoint(now_s, duration_s, events, wall_s)
            observer.update(number, now_s, duration_s, wall_s)

        # of a single run the scenario itself is kept
        own = not request.repeated and seeds[number] == scenario.seed
        seeded = scenario if own else scenario.with_seed(seeds[number])
        return seeded.run_with(options, world, progress)

    if not request.repeated:
        (seed,) = seeds
        try:
            return WorldRuns(world, [one(0, None)])
        except Displaced as e:
            failure = e.__cause__
            failures = [Failure(seed, failure)] if isinstance(failure, ControllerError) else []
            return WorldRuns(world, [e.result], failures=failures, displaced=e)
        except ControllerError as e:
            # one from a file stops its own flow only
            kept = [e.result] if e.result is not None else []
            return WorldRuns(world, kept, failures=[Failure(seed, e)])

    from eddyline.parallel import run_keeping

    values = run_keeping(ControllerError, [partial(one, number) for number in range(len(seeds))])
    failures = [
        Failure(seed, value) for seed, value in zip(seeds, values, strict=True) if isinstance(value, ControllerError)
    ]
    kept = [v.result if isinstance(v, ControllerError) else v for v in values]
    return WorldRuns(world, [result for result in kept if result is not None], failures=failures)


def document(replies: Sequence[WorldRuns], request: Request) -> str:
    """The document that `--json` prints. It holds results as their worlds wrote them, byte for byte."""
    pieces: list[str] = []
    write_document(replies, request, pieces.append)
    return "".join(pieces)


def write_document(replies: Sequence[WorldRuns], request: Request, write: Callable[[str], object]) -> None:
    """Writes the document that `--json` prints by calls of `write`, in pieces: that of many flows is long."""
    if not request.all_worlds:
        _write_part(replies[0], request.repeated, write)
        return
    for number, reply in enumerate(replies):
        write(",\n" if number else "[\n")
        _write_part(reply, request.repeated, write)
    write("\n]")


def _write_part(reply: WorldRuns, repeated: bool, write: Callable[[str], object]) -> None:
    def put(document: object) -> None:
        write(json.dumps(document, ensure_ascii=False))

    failed = [{"seed": f.seed, "error": str(f.error)} for f in reply.failures]
    if reply.unavailable is not None:
        put({"world": reply.world, "unavailable": reply.unavailable.reason})
    elif repeated:
        write_repetitions(reply.results, write, failed)
    elif reply.results:
        reply.results[0].write_json(write)
    else:
        put({"world": reply.world, "failed": failed})


def save(
    folder: Path, replies: Sequence[WorldRuns], results: Sequence[Result], request: Request, csv: bool = False
) -> list[str]:
    """Writes a result folder of several runs.

    Args:
        folder: Where.
        replies: What its document is of.
        results: The runs in it.
        request: What they are runs of.
        csv: Write the tables that there are, `flows.csv`, `links.csv`, ..., and `series.csv` too.

    Returns:
        Remarks on its plots.
    """
    from eddyline.output import replaced
    from eddyline.result_folder import write

    scenario = results[0].scenario
    with replaced(folder) as staged:
        series = labelled_series(results, request.labels)
        asked = {r.world: r.asked for r in results if r.asked}
        tables = _tables(results, request, series) if csv else {}
        put = partial(write_document, replies, request)
        drawing = partial(figure, results)
        return write(staged, put, scenario.canonical, scenario.source, series, drawing, asked, tables)


def figure(results: Sequence[Result]) -> Figure:
    """Several seeds of the first world that has series as means with bands; else the first result that has series.

    Of results of several worlds, the heading names the one that is drawn.
    """
    first = drawn_of(results)
    named = True if any(r.world != first.world for r in results) else None
    repeated = [r for r in results if r.has_series() and r.world == first.world]
    if len(repeated) > 1:
        from eddyline.plots import repeated as bands

        return bands([r.series for r in repeated], first.heading(world=named), legend_of_seeds(first))
    return first.plot(world=named)


def drawn_of(results: Sequence[Result]) -> Result:
    """The result that is drawn, or the first of its world."""
    return next((r for r in results if r.has_series()), results[0])


def rows(results: Sequence[Result]) -> pd.DataFrame:
    """Tidy results: `world`, `seed`, `kind`, `name`, `quantity`, `value`; SI units, truth values as 0 and 1."""
    import pandas as pd

    from eddyline.frames import flatten
    from eddyline.output import ENTITIES

    found = [
        (
            document["world"],
            document["seed"],
            part.removesuffix("s"),
            row["name"],
            quantity,
            None if value is None else float(value),
        )
        for document in (r.to_dict() for r in results)
        for part in ENTITIES
        for row in document.get(part, [])
        for quantity, value in flatten(row)
        if isinstance(value, (int, float)) or value is None
    ]
    return pd.DataFrame(found, columns=["world", "seed", "kind", "name", "quantity", "value"])


def _tables(
    results: Sequence[Result], request: Request, series: Sequence[tuple[dict[str, Any], Any]]
) -> dict[str, Any]:
    """Frames of all runs by the name of their CSV file."""
    import pandas as pd

    from eddyline.output import ENTITIES

    labels = [{"world": r.world} if request.all_worlds else {} for r in results]
    tables: dict[str, Any] = {}
    for part in ENTITIES:
        parts = []
        for result, label in zip(results, labels, strict=True):
            seed = {"seed": result.to_dict()["seed"]} if request.repeated else {}
            frame = getattr(result, part)
            if not frame.empty:
                parts.append(pd.concat([pd.DataFrame({**label, **seed}, index=frame.index), frame], axis=1))
        if parts:
            tables[f"{part}.csv"] = pd.concat(parts, ignore_index=True)
    if series:
        from eddyline.columns import joined

        tables["series.csv"] = joined(series).to_pandas()
    return tables


def labelled_series(results: Sequence[Result], names: Sequence[str]) -> list[tuple[dict[str, str | int], Any]]:
    """Series of the results that have any, with these keys of a result as columns."""
    return [({n: r.to_dict()[n] for n in names}, r.series_table()) for r in results if r.has_series()]


def without_cost(value: Any) -> Any:
    """A document without what differs between two runs of one scenario and seed."""
    if isinstance(value, dict):
        return {k: without_cost(v) for k, v in value.items() if k != "cost"}
    if isinstance(value, list):
        return [without_cost(v) for v in value]
    return value
