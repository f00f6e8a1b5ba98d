"""Scenarios and their results. Each makes the other: a scenario is run, and a stored result names its scenario."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import eddyline._core as _core
import eddyline.worlds as worlds
from eddyline.arguments import file, number_of_seeds, whole
from eddyline.controllers.endless import interruptible
from eddyline.errors import ControllerError, Displaced, InputError, ScenarioError, UntrustedRun
from eddyline.live import LiveRun
from eddyline.recording import Recording, StoredSeries
from eddyline.results import Results
from eddyline.source import Source
from eddyline.worlds import LAWS, LINK_MODELS, RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.encoding import Overrides
    from eddyline.live import Run
    from eddyline.plots import Legend
    from eddyline.progress import RunCallback
    from eddyline.questions import Question

__all__ = ["SEEDS", "Result", "Scenario", "load_results", "stored"]

SEEDS = 2**63
"""A seed is below this."""

_SEED = re.compile(r'^  "seed": \d+', re.MULTILINE)  # of the canonical scenario, which is indented by two spaces
_AT_RANDOM = " (set={'flow.*.start_jitter': '100 ms'} starts flows at random)"
_MAX_CAPACITIES = 3  # lines of a figure
_MAX_SERIES = 200  # flows and links whose series are recorded unless refused


class Scenario:
    """Links, flows and controllers, as a scenario file describes them.

    Args:
        table: The scenario as a dict of the same structure as the file. Relative paths in it are relative to `folder`.
        set: Keys to override, by dotted name: `{"link.down.rate": "20 Mbit/s"}`.
        name: What messages call it.
        folder: Where relative paths start; the working directory by default.

    Raises:
        ScenarioError: Something in it is wrong; the message lists every error.
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        *,
        set: Overrides = (),
        name: str = "scenario",
        folder: str | Path | None = None,
    ) -> None:
        # the working directory may change
        source = Source.of_table(table, name, Path("" if folder is None else folder).absolute())
        self._given = _pairs(set)
        self._core = source.load(self._given)
        self._source = _keeping(source, self._core)

    @classmethod
    def load(cls, path: str | Path, *, set: Overrides = ()) -> Scenario:
        """Reads a scenario file: TOML, or JSON where its name ends in `.json`.

        Args:
            path: The file. Relative paths in it are relative to its folder; of the scenario in the folder of a result
                or a sweep, the files that were stored with it are read. They are read once: later changes have no
                effect.
            set: Keys to override, by dotted name.

        Raises:
            ScenarioError: The file cannot be read, or something in it is wrong.
        """
        path, given = file("path", path, "Scenario(...) takes the tables themselves"), _pairs(set)
        if path.suffix in (".json", ".toml"):
            from eddyline.result_folder import kept

            source = kept(path)
            if source is not None:
                return cls._loaded(source, given)
        core = _core.load_file(path, given)
        return cls._of(core, replace(Source.of_file(path), folder=path.parent.absolute()), given)

    @classmethod
    def _of(cls, core: _core.Scenario, source: Source, given: Sequence[tuple[str, str]] = ()) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._core = core
        scenario._source = _keeping(source, core)
        scenario._given = list(given)
        return scenario

    @classmethod
    def _loaded(cls, source: Source, given: Sequence[tuple[str, str]] = ()) -> Scenario:
        return cls._of(source.load(given), source, given)

    @property
    def title(self) -> str:
        """Title, or the file's name."""
        return self._core.title

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical JSON, in hexadecimal."""
        return self._core.sha256

    @property
    def canonical(self) -> str:
        """Canonical JSON: defaults filled in, overrides applied, no comments."""
        return self._core.canonical

    @property
    def seed(self) -> int:
        """Seed of all random streams."""
        return self._core.seed

    @property
    def loads(self) -> bool:
        """Whether it can be loaded: a stored or pickled one cannot without its controllers of one's own."""
        return True

    def with_seed(self, seed: int) -> Scenario:
        """The same scenario with another seed.

        Raises:
            InputError: The seed is not from 0 to 2^63 - 1.
        """
        _require_seed(seed)
        return Scenario._loaded(self._source, [*self._given, ("seed", str(seed))])

    def with_overrides(self, set: Overrides) -> Scenario:
        """The same scenario with keys set by dotted name: `{"link.up.rate": "5 Mbit/s", "flow.*.count": 2}`.

        Texts as `--set` takes them, `"link.up.rate=5 Mbit/s"`, are overrides too, one or a list. They are set in the
        scenario as it was written, after earlier ones: what follows from them, such as a limit of `"200 ms"` or the
        defaults of another kind, follows anew. Of a stored result only the canonical scenario is known, in which all
        of that is written out.

        Raises:
            ScenarioError: Something is wrong then.
        """
        return Scenario._loaded(self._source, [*self._given, *_pairs(set)])

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""
        return self._core.duration_s

    @property
    def flows(self) -> list[str]:
        """Names of the flows; those of a table with `count` one by one."""
        return self._core.names.flows

    @property
    def links(self) -> list[str]:
        """Names of the links."""
        return self._core.names.links

    @property
    def folder(self) -> Path:
        """Where relative paths in it start."""
        return self._source.folder

    @property
    def source(self) -> Source:
        """The scenario as it was written, without overrides."""
        return self._source

    @property
    def given(self) -> list[tuple[str, str]]:
        """All overrides, in order."""
        return list(self._given)

    @property
    def expected_worlds(self) -> list[str]:
        """Worlds that its `[[expect]]` tables name."""
        return self._core.expected_worlds

    def check(self, result: Result) -> list[dict[str, Any]]:
        """Evaluates its `[[expect]]` tables on a result.

        Returns:
            One dict per expectation of that world and entity: `file`, `line`, `of`, `what`, `value` (SI units, None
            where unknown), `bound` (as written), `held`, `why`.

        Raises:
            UntrustedRun: The result is one of a run in real time that the machine disturbed.
        """
        if not isinstance(result, Result):
            raise InputError(f"one result is expected, not {result!r}", "[s.check(each) for each in results]")
        if result.untrusted:
            raise UntrustedRun(result.world, result.untrusted)
        run = result.run
        text = self._core.check_document(run.json) if isinstance(run, LiveRun) else self._core.check(run)
        outcomes: list[dict[str, Any]] = json.loads(text)
        return outcomes

    def to_dict(self) -> dict[str, Any]:
        """The canonical scenario as a dict."""
        table: dict[str, Any] = json.loads(self.canonical)
        return table

    @overload
    def run(
        self,
        world: str = ...,
        *,
        set: Overrides | None = ...,
        seeds: None = ...,
        series: bool | None = ...,
        log: bool | str = ...,
        base_rtt_s: Sequence[float] | None = ...,
        dynamics: str | bool | None = ...,
        law: str = ...,
        qlog: str | Path | None = ...,
        threads: int = ...,
        progress: Callable[..., object] | None = ...,
    ) -> Result: ...

    @overload
    def run(
        self,
        world: str = ...,
        *,
        set: Overrides | None = ...,
        seeds: int,
        series: bool | None = ...,
        log: bool | str = ...,
        base_rtt_s: Sequence[float] | None = ...,
        dynamics: str | bool | None = ...,
        law: str = ...,
        qlog: None = ...,
        threads: int = ...,
        progress: Callable[..., object] | None = ...,
    ) -> Results[Result]: ...

    def run(
        self,
        world: str = worlds.DEFAULT,
        *,
        set: Overrides | None = None,
        seeds: int | None = None,
        series: bool | None = None,
        log: bool | str = False,
        base_rtt_s: Sequence[float] | None = None,
        dynamics: str | bool | None = None,
        law: str = LAWS[0],
        qlog: str | Path | None = None,
        threads: int = 1,
        progress: Callable[..., object] | None = None,
    ) -> Result | Results[Result]:
        """Runs the scenario in a world.

        Warns of what a scenario says, though it is rarely intended, as `eddyline run` notes: what starts after the end
        or crosses a link twice, a controller without the feedback that it needs, a CAKE queue's limit that is too
        short, acknowledgements after the timeout, flows that can keep in phase.

        Args:
            world: A name of `WORLDS`: `"sim"`, `"theory"`, `"kernel"` (Linux only) or `"quic"`.
            set: Keys to override in this run, by dotted name; an empty table loads the scenario anew too.
            seeds: Run it that many times, with the scenario's seed, the next, ...; the result is `Results`. Warns where
                nothing is random: `eddyline run --seeds` then sets `flow.*.start_jitter` by itself.
            series: Record series over time (`Result.series`); by default where there are at most 200 flows and links.
            log: True records every packet's events (`Result.log`), a name those of one flow, link or traffic.
            base_rtt_s: World `theory` only: each flow's base round-trip time in seconds, as its sender estimates it and
                world `sim` reports it; propagation alone by default.
            dynamics: World `theory` only: follow the flows over time by this link model (`"ack_clocked"`, also
                by True, or `"integrator"`) and give series of it.
            law: The window law of FAST senders there: `"equation"` (eq. 2 of the two-way paper) or `"algorithm"`.
            qlog: Write a qlog trace of each flow: a folder, or a file ending in `.sqlog` where there is one flow.
                Earlier traces there are replaced when the run is over. Of one run, not with `seeds`.
            threads: World `sim` only: simulate parts of a large network at the same time on so many threads, where that
                pays (`Result.execution` says). The result is the same.
            progress: Called at the start, then some ten times a second, with (virtual seconds, duration in seconds,
                events, wall seconds); with `seeds` after each run, with (runs done, their number).

        Returns:
            The result, or `Results` of several seeds. The same scenario and seed give the same result, `cost` apart.

        Raises:
            InputError: There is no such world, nothing has the name given in `log`, the world has no such option, or
                nothing can be written to `qlog`.
            WorldUnavailable: This machine or version cannot run it.
            KeyboardInterrupt: Ctrl-C, within a second.
        """
        from eddyline.remarks import remarks  # not at the top: many processes run scenarios without asking for them

        worlds.require(world)
        scenario = self if set is None else self.with_overrides(set)
        tables = scenario.to_dict()
        for remark in remarks(tables, world):
            warnings.warn(remark, stacklevel=2)
        traces = None if qlog is None else file("qlog", qlog)
        model = worlds.DYNAMICS if dynamics is True else None if dynamics is False else dynamics
        threads = whole("threads", threads, 1)
        options = RunOptions(series, log, base_rtt_s, model, law, qlog=traces, threads=threads)
        if seeds is None:
            result = scenario.run_with(options, world, progress)
            if (sentence := _phase_remark(tables, world, [result])) is not None:
                warnings.warn(sentence, stacklevel=2)
            return result
        seeds = number_of_seeds(seeds)
        if qlog is not None:
            raise InputError("qlog: traces of one run, not of several seeds")
        if threads > 1:
            raise InputError("threads: of one run; several seeds run in a process each")
        from eddyline.parallel import run_all

        tasks = [partial(_repetition, scenario.with_seed(scenario.seed + n), options, world) for n in range(seeds)]
        results = Results(run_all(tasks, done=progress))
        if results.identical:
            warnings.warn(
                f"all {seeds} results are the same: {worlds.WORLDS[world].not_random(_AT_RANDOM)}", stacklevel=2
            )
        if (sentence := _phase_remark(tables, world, results)) is not None:
            warnings.warn(sentence, stacklevel=2)
        return results

    def run_with(self, options: RunOptions, world: str = worlds.DEFAULT, progress: RunCallback | None = None) -> Result:
        """Runs the scenario in a world, with the options as one object; see `run`.

        Raises:
            ControllerError: A user's own controller failed. One from a file stops its own flow only, and the error
                has the result.
            Displaced: Files that the run wrote are beside their places; the error has the result. Its cause is the
                ControllerError of a controller that failed too.
        """
        entry = worlds.require(world, options.clock)
        entry.check(options)
        if entry.clocks:  # it reads files itself
            self._source.require_unchanged()
        if options.series is None:
            options = options.with_series(len(self.flows) + len(self.links) <= _MAX_SERIES)
        displaced = None
        try:
            run = interruptible(partial(entry.run, self._core, options.with_folder(self.folder)), progress)
        except Displaced as e:
            displaced, run = e, e.run
        result = Result(None, self, run, asked=options.recorded())
        failure = _failure(result, run.failures) if run.failures else None
        if displaced is not None:
            displaced.result = result
            raise displaced from failure
        if failure is not None:
            raise failure
        return result

    def theory(
        self,
        question: str,
        *,
        link_model: str = LINK_MODELS[0],
        law: str = LAWS[0],
        exponent: float = 1.0,
        flow_level: bool = False,
        arrivals: int | None = None,
        distribution: bool = False,
    ) -> tuple[str, dict[str, Any]]:
        """Answers a question that only theory answers; `eddyline.theory` has the same with frames and figures.

        Args:
            question: `"equilibrium"` (every one), `"fairness"` (beside the fair ideal), `"stability"`
                (of the first equilibrium), `"nyquist"` (its Nyquist curves) or `"population"` (of the flows that
                arrive and leave).
            link_model: How queues respond, for stability: `"integrator"` (eq. 3 of the two-way paper),
                `"ack_clocked"` or `"joint"`.
            law: The window law of FAST senders, for stability: `"equation"` (eq. 2 of the two-way paper) or
                `"algorithm"`.
            exponent: Of the ideal, for fairness: 1 is proportional.
            flow_level: Simulate flows, for a population, where a Markov chain would do.
            arrivals: How many arrivals that simulation has.
            distribution: Give the distributions of the numbers of flows, for a population by the chain.

        Returns:
            The document as text, to the byte as the command prints it, and as a dict. SI units, as the names say.

        Raises:
            InputError: There is no such question, link model or law.
            EddylineError: There is no result, and why.
        """
        from eddyline.questions import question as made

        options = {"link_model": link_model, "law": law, "exponent": exponent}
        options |= {"flow_level": flow_level, "arrivals": arrivals, "distribution": distribution}
        return self.ask(made(question, **options))

    def ask(self, question: Question) -> tuple[str, dict[str, Any]]:
        """Answers a question that only theory answers, with its options as one object; see `theory`."""
        text = self._core.theory(question)
        return text, json.loads(text)

    def _repr_html_(self) -> str:
        """Title, links and flows as tables, for notebooks."""
        from eddyline.display import scenario_html

        return scenario_html(self.to_dict(), self.title, self.seed)

    def __repr__(self) -> str:
        return f"<Scenario {self.title!r}: {len(self.flows)} flows, {len(self.links)} links, {self.sha256[:12]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self._source, self._given, self.canonical))


def _keeping(source: Source, core: _core.Scenario) -> Source:
    """The source with the content of the files that the scenario names: they may change before it is run or saved."""
    if '"file"' not in core.canonical:
        return source
    from eddyline.result_folder import files_of

    return source.keeping(files_of(core.canonical))


def _repetition(scenario: Scenario, options: RunOptions, world: str, progress: RunCallback) -> Result:
    return scenario.run_with(options, world, progress)


def _phase_remark(tables: Mapping[str, Any], world: str, results: Sequence[Result]) -> str | None:
    """A sentence about flows that can keep in phase, where packets are simulated."""
    from eddyline.phase_effects import phase_remark_of

    return phase_remark_of(tables, (r.to_dict() for r in results)) if worlds.WORLDS[world].packet_log else None


def _failure(result: Result, failures: Sequence[tuple[str, str, str]]) -> ControllerError:
    """The error of the first controller that failed, with the result of the run."""
    controller, flow, sentence = failures[0]
    place, _, what = sentence.partition(" ")
    more = f", nor did {len(failures) - 1} more" if len(failures) > 1 else ""
    error = ControllerError(controller, place, f"{what}; {flow!r} sent nothing new after that{more}")
    error.result = result
    return error


def _pairs(overrides: Overrides) -> list[tuple[str, str]]:
    if not overrides:
        return []
    from eddyline.encoding import pairs

    return pairs(overrides)


def _require_seed(seed: int) -> None:
    if whole("seed", seed, 0) >= SEEDS:
        raise InputError(f"seed {seed}: allowed are 0 to 2^63 - 1")


def _restore(source: Source, given: Sequence[tuple[str, str]], canonical: str = "") -> Scenario:
    """A scenario that was loaded before; where it cannot be loaded now, what its canonical text says of it."""
    try:
        return Scenario._loaded(source, given)
    except ScenarioError as e:
        about = [each.get("key") or "" for each in e.diagnostics]
        if not about or not all(".controller" in key for key in about):
            raise
        try:
            return _UnloadedScenario(source, given, canonical)
        except (ValueError, TypeError, RecursionError):
            pass
        raise


class _UnloadedScenario(Scenario):
    """A scenario of a stored or pickled result that could not be loaded, as without the controllers that it names.

    Its canonical text is there all the same. What needs more loads it, with the controllers that are loaded then.
    """

    def __init__(self, source: Source, given: Sequence[tuple[str, str]], canonical: str) -> None:
        self._source = source
        self._given = list(given)
        self._text = canonical
        self._table: dict[str, Any] = json.loads(canonical)
        table = self._table
        if not isinstance(table, dict) or not isinstance(table.get("title"), str) or len(_SEED.findall(canonical)) != 1:
            raise ValueError("not a canonical scenario")
        if type(table.get("seed")) is not int or not 0 <= table["seed"] < SEEDS:
            raise ValueError("not a seed")

    @cached_property
    def _core(self) -> _core.Scenario:  # type: ignore[override]
        return self._source.load(self._given)

    @property
    def loads(self) -> bool:
        try:
            return self._core is not None
        except InputError:
            return False

    @property
    def title(self) -> str:
        return str(self._table["title"])

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self._text.encode()).hexdigest()

    @property
    def canonical(self) -> str:
        return self._text

    @property
    def seed(self) -> int:
        return int(self._table["seed"])

    def with_seed(self, seed: int) -> Scenario:
        _require_seed(seed)
        text = _SEED.sub(f'  "seed": {seed}', self._text, count=1)
        return _UnloadedScenario(self._source, [*self._given, ("seed", str(seed))], text)

    def __repr__(self) -> str:
        return super().__repr__() if self.loads else f"<Scenario {self.title!r}: {self.sha256[:12]}, not loaded>"


def load_results(folder: str | Path) -> Results[Result]:
    """Reads a result folder of one run or of several, by seed and world. Worlds that were not available are left out.

    Raises:
        InputError: It is not such a folder.
    """
    from eddyline.output import RESULT, SERIES
    from eddyline.result_folder import manifest, read, require_result

    folder = file("folder", folder)
    # first: if the folder is replaced meanwhile, its series are not those of another run
    series = StoredSeries(folder / SERIES)
    text, stored_source = read(folder)
    scenario = _restore(stored_source, (), stored_source.text)
    asked = manifest(folder).asked
    try:
        parsed = json.loads(text)
        parts = parsed if isinstance(parsed, list) else [parsed]
        runs = [run for part in parts for run in part.get("runs", [part] if "flows" in part else [])]
        seeds = [run["seed"] for run in runs]
        for run in runs:
            require_result(run)
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError) as e:
        raise InputError(f"{folder / RESULT}: not a result: {e}") from None
    found: list[Result] = []
    for document, seed in zip(runs, seeds, strict=True):
        seeded = scenario if seed == scenario.seed else scenario.with_seed(seed)
        single = parsed is document
        source = text.rstrip("\n") if single else json.dumps(document, indent=2, ensure_ascii=False)
        options = asked.get(document["world"])
        found.append(Result(source, seeded, folder=folder if single else None, asked=options, series=series))
    if not found:
        raise InputError(f"{folder}: holds no finished run")
    return Results(found)


def stored(folder: Path) -> tuple[str, Scenario]:
    """The document and the scenario of a result folder.

    Raises:
        InputError: It is no result folder, or something in it is wrong.
    """
    from eddyline.result_folder import read

    text, source = read(folder)
    return text, Scenario._loaded(source)


def _unpickled(text: str, scenario: Scenario, table: Any, asked: Mapping[str, Any]) -> Result:
    return Result(text, scenario, asked=asked, series=None if table is None else StoredSeries.holding(table))


class Result(Recording):
    """The result of one run, of the same type from every world.

    SI units, as the names say; what a world cannot know is null (NaN in frames). Rates, means and percentiles are over
    [warmup, duration]; counts are over the whole run.
    """

    def __init__(
        self,
        text: str | None,
        scenario: Scenario,
        run: Run | None = None,
        folder: Path | None = None,
        asked: Mapping[str, Any] | None = None,
        series: StoredSeries | None = None,
    ) -> None:
        super().__init__(run, folder, series)
        self._text = text
        self._asked = dict(asked or {})
        self._scenario = scenario
        self._document: dict[str, Any] | None = None

    @classmethod
    def load(cls, folder: str | Path) -> Result | Results[Result]:
        """Reads a folder that `save` or `eddyline run --out` wrote; of several runs, `Results`.

        Raises:
            InputError: It is not such a folder.
        """
        results = load_results(folder)
        return results[0] if len(results) == 1 else results

    def __reduce__(self) -> tuple[Any, ...]:
        """As `save` stores it: the result, its scenario and its series. A packet log stays where it was recorded."""
        return (
            _unpickled,
            (self.json, self._scenario, self.series_table() if self.has_series() else None, self._asked),
        )

    def _parsed(self) -> dict[str, Any]:
        if self._document is None:
            self._document = json.loads(self.json)
        return self._document

    def _labels(self) -> dict[str, str | int]:
        document = self._parsed()
        return {"world": document["world"], "seed": document["seed"]}

    @property
    def world(self) -> str:
        """The world that it is of."""
        return str(self._parsed()["world"]) if self._run is None else self._run.world

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return str(self._parsed()["title"])

    @property
    def approximations(self) -> list[str]:
        """What of the scenario the world could not model exactly."""
        return list(self._parsed()["approximations"]) if self._run is None else self._run.approximations

    @property
    def untrusted(self) -> list[str]:
        """Why the figures are not those of the scenario: how the machine disturbed a run in real time."""
        return list((self._parsed().get("emulation") or {}).get("because", []))

    @property
    def json(self) -> str:
        """The document, as `--json` prints it and `result.json` holds it."""
        if self._text is None:
            self._text = self.run.json
        return self._text

    def write_json(self, write: Callable[[str], object]) -> None:
        """Writes the document by calls of `write` with pieces of it: of a run with many flows it is long.

        Args:
            write: Takes a text, as the method of an open file does.
        """
        if self._text is not None:
            write(self._text)
        else:
            self.run.write_json(write)

    @property
    def scenario(self) -> Scenario:
        """The scenario that was run."""
        return self._scenario

    @property
    def asked(self) -> dict[str, Any]:
        """Options of `Scenario.run` for world theory that were not the defaults."""
        return self._asked

    @property
    def run(self) -> Run:
        """The run itself.

        Raises:
            InputError: The result was read from a folder.
        """
        if self._run is None:
            raise InputError(
                f"{self._folder or self.title}: a stored result, not a run", "result.scenario.run() runs it again"
            )
        return self._run

    def to_dict(self) -> dict[str, Any]:
        """A new copy of the document as a dict."""
        document: dict[str, Any] = json.loads(self.json)
        return document

    @property
    def flows(self) -> pd.DataFrame:
        """One row per flow in file order; nested fields have dotted columns: `rtt_s.mean`, `window_packets.max`."""
        return self._frame("flows")

    @property
    def links(self) -> pd.DataFrame:
        """One row per link in file order; nested fields have dotted columns: `queue_packets.mean`, `drops.data`."""
        return self._frame("links")

    @property
    def groups(self) -> pd.DataFrame:
        """One row per table with `count` above one."""
        return self._frame("groups")

    @property
    def arrivals(self) -> pd.DataFrame:
        """One row per table of arrivals: `arrived`, `mean_present`, `completion_s.p99`; `by_size` has lists."""
        return self._frame("arrivals")

    @property
    def traffic(self) -> pd.DataFrame:
        """One row per source of unresponsive traffic: packets, losses, `one_way_delay_s.p99`, `jitter_s`."""
        return self._frame("traffic")

    @property
    def probes(self) -> pd.DataFrame:
        """One row per table of latency probes: `tcp_s.mean`, `http_s.p99`, `responsiveness_rpm`."""
        return self._frame("probes")

    def _frame(self, part: str) -> pd.DataFrame:
        from eddyline.frames import frame

        return frame(self._parsed().get(part, []))

    @property
    def legend(self) -> Legend:
        """Flows with their controllers, and what the bottlenecks carry, for figures."""
        from eddyline.capacity import bottlenecks, of_bottlenecks
        from eddyline.plots import Legend

        names = {row["name"]: f"{row['name']} ({row['controller']})" for row in self._parsed()["flows"]}
        given, rows = json.loads(self.scenario.canonical), self._parsed()["flows"]
        chosen = "interval" in given.get("record", {})
        stopped = {flow["name"] for flow in given.get("flow", ()) if "stop" in flow}
        ended = {r["name"] for r in rows if r["completed_at_s"] is not None or r["name"].split("[")[0] in stopped}
        legend = Legend(names, chosen_interval=chosen, ended=frozenset(ended))
        if len(bottlenecks(given, recorded=True)) > _MAX_CAPACITIES or not self.scenario.loads:
            return legend
        return replace(legend, capacities=partial(of_bottlenecks, self.scenario._core))

    def heading(self, *, world: bool | None = None) -> str:
        """What is above a figure of it: the title, and the world. By default worlds other than `sim` are named."""
        named = self.world != worlds.DEFAULT if world is None else world
        return f"{self.title} (world {self.world})" if named else self.title

    def plot(self, *, world: bool | None = None) -> Figure:
        """A figure of throughput, windows, round-trip times and queues over time.

        Without series: goodputs of the flows and utilisations of the links as bars.

        Args:
            world: Whether the heading names the world; by default where that is not `sim`, and above bars.
        """
        from eddyline.plots import bars, overview

        if self.has_series():
            return overview(self.series, self.heading(world=world), self.legend)
        return bars(self.flows, self.links, self.traffic, self.heading(world=True if world is None else world))

    def save(self, folder: str | Path) -> None:
        """Writes `scenario.json`, `result.json`, `series.parquet` and plots; all of it or nothing.

        Raises:
            InputError: The folder exists and holds other files than a result's.
        """
        from eddyline.output import replaced, require_writable
        from eddyline.result_folder import write

        place = file("folder", folder)
        require_writable(place)
        with replaced(place) as staged:
            series: list[tuple[dict[str, str | int], Any]]
            series = [({}, self.series_table())] if self.has_series() else []
            asked = {self.world: self.asked} if self.asked else {}
            source = self.scenario.source
            remarks = write(staged, self.write_json, self.scenario.canonical, source, series, self.plot, asked)
        for remark in remarks:
            warnings.warn(f"{folder}: {remark}", stacklevel=2)

    def _repr_html_(self) -> str:
        from html import escape

        from eddyline.display import approximations_html

        frames = (self.flows, self.links, self.arrivals, self.traffic, self.probes)
        tables = "".join(frame.to_html() for frame in frames if len(frame))
        notes = approximations_html([(self.world, self.approximations)])
        return f"<b>{escape(self.title)}</b> (world {self.world}){tables}{notes}"

    def __repr__(self) -> str:
        document = self._parsed()
        return f"<Result of world {self.world}: {len(document['flows'])} flows, {len(document['links'])} links>"
