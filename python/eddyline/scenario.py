"""A scenario: read, checked, ready to be answered by a world."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline import _core
from eddyline.errors import InputError, ScenarioError, WorldUnavailable
from eddyline.words import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from eddyline.result import Result

    Overrides: TypeAlias = Mapping[str, object] | Iterable[tuple[str, str]]
    Progress: TypeAlias = Callable[[float, float, int, float], object]

__all__ = ["WORLDS", "Scenario"]

WORLDS = ("theory", "sim", "kernel", "quic")
"""Every world there is a name for."""

SEEDS = 2**63
"""A seed is below this."""

QUESTIONS = ("equilibrium", "fairness", "stability", "nyquist", "population")
"""What only theory answers."""

LAWS = ("equation", "algorithm")
"""What FAST's senders do: eq. 2 as printed, or the window at sending and their own average of round-trip times."""

LINK_MODELS = ("integrator", "ack_clocked", "joint")
"""How queues answer to windows; the last for small disturbances only."""

_HERE = ("theory", "sim")
_SERIES_BY_DEFAULT = 200  # flows and links


class Scenario:
    """Links, flows and controllers, as written in a scenario file.

    Args:
        table: The scenario as a dict of the same structure as the file. Relative paths in it are relative to `folder`.
        set: Keys to override, by dotted name: `{"link.forward.rate": "20 Mbit/s"}`.
        name: What messages call it.
        folder: Where relative paths start; the working directory unless said.

    Raises:
        ScenarioError: Something in it is wrong; the message lists every mistake.
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        *,
        set: Overrides = (),
        name: str = "scenario",
        folder: str | Path | None = None,
    ) -> None:
        try:
            text = json.dumps(table, default=plain, allow_nan=False)
        except (TypeError, ValueError) as e:
            raise ScenarioError(f"{name}: {_unfit(table) or e}") from None
        self._folder = Path("" if folder is None else folder).absolute()  # the working directory may change
        self._core = _core.load(text, "dict", name, self._folder, pairs(set))

    @classmethod
    def load(cls, path: str | Path, *, set: Overrides = ()) -> Scenario:
        """Reads a scenario file: TOML, or JSON where its name ends in `.json`.

        Args:
            path: The file. Relative paths in it are relative to its folder.
            set: Keys to override, by dotted name.

        Raises:
            ScenarioError: The file cannot be read, or something in it is wrong.
        """
        path = Path(path)
        return cls._of(_core.load_file(path, pairs(set)), path.parent.absolute())

    @classmethod
    def _of(cls, core: _core.Scenario, folder: Path) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._core = core
        scenario._folder = folder
        return scenario

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
        """Canonical JSON: defaults filled in, overrides applied, comments gone."""
        return self._core.canonical

    @property
    def seed(self) -> int:
        """Seed of all random streams."""
        return self._core.seed

    def with_seed(self, seed: int) -> Scenario:
        """The same scenario with another seed.

        Raises:
            InputError: The seed is not from 0 to 2^63 - 1.
        """
        if not 0 <= seed < SEEDS:
            raise InputError(f"seed {seed}: allowed are 0 to 2^63 - 1")
        core = _core.load(self.canonical, "json", self.title, self._folder, [("seed", str(seed))])
        return Scenario._of(core, self._folder)

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""
        return self._core.duration_s

    @property
    def flows(self) -> list[str]:
        """Names of the flows, those of `count` one by one."""
        return self._core.names.flows

    @property
    def links(self) -> list[str]:
        """Names of the links."""
        return self._core.names.links

    @property
    def folder(self) -> Path:
        """Where relative paths in it start."""
        return self._folder

    @property
    def expected_worlds(self) -> list[str]:
        """Worlds that its `[[expect]]` tables ask."""
        return self._core.expected_worlds

    def check(self, result: Result) -> list[dict[str, Any]]:
        """Holds its `[[expect]]` tables against a result of theirs.

        Returns:
            One dict per expectation of that world and entity: `file`, `line`, `of`, `what`, `value` (SI units, None
            where unknown), `bound` (as written), `held`, `why`.
        """
        outcomes: list[dict[str, Any]] = json.loads(self._core.check(result.run))
        return outcomes

    def to_dict(self) -> dict[str, Any]:
        """The canonical scenario as a dict."""
        table: dict[str, Any] = json.loads(self._core.canonical)
        return table

    def run(
        self,
        world: str = "sim",
        *,
        series: bool | None = None,
        log: bool | str = False,
        base_rtt_s: Sequence[float] | None = None,
        dynamics: str | None = None,
        law: str = "equation",
        progress: Progress | None = None,
    ) -> Result:
        """Asks a world.

        Args:
            world: `"sim"` or `"theory"`; the other names of `WORLDS` raise `WorldUnavailable`.
            series: Record series over time (`Result.series`); by default where there are at most 200 flows and links.
            log: True records every packet's events (`Result.log`), a name those of one flow, link or traffic.
            base_rtt_s: World `theory` only: each flow's belief about its base round-trip time in seconds, as world
                `sim` reports it; propagation alone unless said.
            dynamics: World `theory` only: follow the flows over time by this link model (`"ack_clocked"` or
                `"integrator"`) and give series of it.
            law: What FAST's senders do there: `"equation"` (eq. 2 of the two-way paper) or `"algorithm"`.
            progress: Called some ten times a second with (virtual seconds, duration in seconds, events, wall seconds).

        Returns:
            The world's answer. The same scenario and seed give the same answer, `cost` apart.

        Raises:
            InputError: There is no such world, nobody has the name given in `log`, or an option is another world's.
            WorldUnavailable: This machine or version cannot run it.
            KeyboardInterrupt: Ctrl-C, within a second.
        """
        from eddyline.result import Result

        need_world(world)
        if dynamics is not None:
            _known(dynamics, "link model", LINK_MODELS)
        _known(law, "window law", LAWS)
        only_theory = {"base_rtt_s": base_rtt_s is not None, "dynamics": dynamics is not None, "law": law != LAWS[0]}
        if world != "theory" and any(only_theory.values()):
            given = ", ".join(name for name, there in only_theory.items() if there)
            raise InputError(f"{given}: for world theory, not for {world}")
        if base_rtt_s is not None and not all(0 < belief < math.inf for belief in base_rtt_s):
            raise InputError("base_rtt_s: times in seconds, above 0 and finite")
        if world == "theory" and log is not False:
            raise InputError("log: world theory has no packets", "world sim has")
        if series is None:
            series = len(self.flows) + len(self.links) <= _SERIES_BY_DEFAULT
        options: _core.SimOptions | _core.TheoryOptions
        if world == "theory":
            followed = _core.Dynamics(dynamics, law) if dynamics else None
            options = _core.TheoryOptions(base_rtt_s=base_rtt_s, dynamics=followed)
        else:
            options = _core.SimOptions(series=series, log=log)
        run = self._core.run(options, progress=progress)
        asked = {"dynamics": dynamics, "law": law if dynamics else None, "base_rtt_s": base_rtt_s and [*base_rtt_s]}
        return Result(run.json, self, run, asked={k: v for k, v in asked.items() if v is not None})

    def theory(
        self,
        question: str,
        *,
        link_model: str = "integrator",
        law: str = "equation",
        exponent: float = 1.0,
        flow_level: bool = False,
        arrivals: int | None = None,
        distribution: bool = False,
    ) -> tuple[str, dict[str, Any]]:
        """Asks what only theory answers; `eddyline.theory` has the same with frames and figures.

        Args:
            question: `"equilibrium"` (every one), `"fairness"` (beside the fair ideal), `"stability"`
                (about the first equilibrium), `"nyquist"` (the curves behind that) or `"population"` (of the flows that
                arrive and leave).
            link_model: How queues answer, for stability: `"integrator"` (eq. 3 of the two-way paper),
                `"ack_clocked"` or `"joint"`.
            law: What FAST's senders do, for stability: `"equation"` (eq. 2 of the two-way paper) or `"algorithm"`.
            exponent: Of the ideal, for fairness: 1 is proportional.
            flow_level: Simulate flows, for a population, where a Markov chain would do.
            arrivals: How many arrivals that simulation sees.
            distribution: Give the distributions of the numbers of flows, for a population by the chain.

        Returns:
            The document as text, to the byte as the command prints it, and as a dict. SI units, as the names say.

        Raises:
            InputError: There is no such question or link model.
            EddylineError: There is no answer, and why.
        """
        _known(link_model, "link model", LINK_MODELS)
        _known(law, "window law", LAWS)
        asked: _core.Equilibrium | _core.Fairness | _core.Stability | _core.Nyquist | _core.Population
        match question:
            case "equilibrium":
                asked = _core.Equilibrium()
            case "fairness":
                asked = _core.Fairness(exponent)
            case "stability":
                asked = _core.Stability(link_model, law)
            case "nyquist":
                asked = _core.Nyquist(link_model, law)
            case "population":
                asked = _core.Population(flow_level=flow_level, arrivals=arrivals, distribution=distribution)
            case _:
                raise unknown("question", question, QUESTIONS)
        text = self._core.theory(asked)
        return text, json.loads(text)

    def __repr__(self) -> str:
        return f"<Scenario {self.title!r}: {len(self.flows)} flows, {len(self.links)} links, {self.sha256[:12]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self.canonical, self.title, self._folder))


def need_world(world: str) -> None:
    """Makes sure that a world can be asked here.

    Raises:
        InputError: There is no such world.
        WorldUnavailable: There is, but not here.
    """
    if world not in WORLDS:
        raise unknown("world", world, WORLDS)
    if world not in _HERE:
        raise unavailable(world)


def unavailable(world: str) -> WorldUnavailable:
    """Why a known world cannot be run here."""
    return WorldUnavailable(
        world,
        f"this version has no world {world} yet",
        f"worlds of this version are {' and '.join(_HERE)}; `eddyline doctor` says what this machine can do",
    )


def _restore(canonical: str, name: str, folder: Path) -> Scenario:
    return Scenario._of(_core.load(canonical, "json", name, folder), folder)


def pairs(overrides: Overrides) -> list[tuple[str, str]]:
    from collections.abc import Mapping

    items = overrides.items() if isinstance(overrides, Mapping) else overrides
    return [(key, value_text(value)) for key, value in items]


def value_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=plain)


def plain(value: object) -> object:
    """Numbers of numpy and paths, as JSON knows them."""
    if isinstance(value, Path):
        return str(value)
    item = getattr(value, "item", None)
    if callable(item):
        return item()
    raise TypeError(f"a {type(value).__name__} has no place in a scenario")


def _known(given: str, what: str, names: tuple[str, ...]) -> None:
    if given not in names:
        raise unknown(what, given, names)


def _unfit(value: object, key: str = "", within: tuple[int, ...] = ()) -> str | None:
    """The first value, by its key, that no scenario can hold, and why."""
    place = f"{key}: " if key else ""
    if isinstance(value, (dict, list, tuple)):
        if id(value) in within:
            return f"{place}a table or list within itself"
        named = isinstance(value, dict)
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        found = (
            _unfit(v, (f"{key}.{k}" if key else str(k)) if named else f"{key}[{k}]", (*within, id(value)))
            for k, v in inner
        )
        return next(filter(None, found), None)
    try:
        json.dumps(value, default=plain, allow_nan=False)
    except TypeError as e:
        return f"{place}{e}"
    except ValueError:
        return f"{place}{value} is not a finite number"
    return None
