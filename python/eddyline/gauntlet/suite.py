"""The set of scenarios, and what each asks of a controller: `scenarios/suite.toml` beside the scenario files."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline import _core
from eddyline.errors import InputError, ScenarioError
from eddyline.words import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eddyline.scenario import Scenario

__all__ = ["FOLDER", "SUBJECT", "Bound", "Suite", "Test", "as_given", "suite", "told"]

FOLDER = Path(__file__).parent / "scenarios"
"""Where the scenarios lie."""

SUBJECT = "tested"
"""Flows and arrivals whose names begin so are those that the controller is put into."""

_TOLD = ("fast", "vfast")
_ALPHA_S, _LEAST_ALPHA, _PACKET_BITS = 0.005, 4.0, 12_000

_STAGGER_S = 0.1
"""Starts differ by up to so much from seed to seed: without it most scenarios would give one answer to all seeds."""


def told(controller: str, rate_bps: float) -> dict[str, str]:
    """What a controller must be told that has no default: alpha as 5 ms of the link, at least 4 packets."""
    if controller not in _TOLD:
        return {}
    return {"alpha": f"{max(_LEAST_ALPHA, rate_bps * _ALPHA_S / _PACKET_BITS):.0f} packets"}


@dataclass(frozen=True)
class Bound:
    """What a value must keep: at least or at most so much, in SI units.

    Attributes:
        least: True for at least, False for at most.
        value: How much.
        text: As written.
    """

    least: bool
    value: float
    text: str

    def holds(self, value: float | None) -> bool:
        """Whether a value keeps it; an unknown one does not."""
        if value is None:
            return False
        return value >= self.value if self.least else value <= self.value


@dataclass(frozen=True)
class Test:
    """One scenario with its bound.

    Attributes:
        name: Its name, and that of its file.
        group: What kind of difficulty it is.
        tests: What it tests, a sentence.
        measure: How its value is taken.
        of: The flows, arrivals, traffic or links that are looked at.
        capacity_bps: What a share is of: one rate for all of them, or one for each.
        since_s: When a recovery begins.
        level: The share that makes a recovery.
        bound: What the value must keep.
        why: What a controller does that does not keep it.
        source: Where the case is from, if it is not our own.
    """

    __test__ = False  # not pytest's

    name: str
    group: str
    tests: str
    measure: str
    of: tuple[str, ...]
    capacity_bps: tuple[float, ...]
    since_s: float
    level: float
    bound: Bound
    why: str
    source: str | None

    @property
    def file(self) -> Path:
        """The scenario, ready for `eddyline run`."""
        return FOLDER / f"{self.name}.toml"

    def scenario(self, controller: str, parameters: Sequence[tuple[str, str]] = (), seed: int = 0) -> Scenario:
        """The scenario with a controller in it.

        Args:
            controller: Its kind.
            parameters: Keys of the controller with their values.
            seed: Zero is the file as it is; others also shift the starts of flows by up to 100 ms.

        Raises:
            ScenarioError: It has no such parameter, or one cannot be what it is given; the message names the parameter.
        """
        from eddyline.scenario import Scenario

        overrides: list[tuple[str, str]] = [("seed", str(seed))]
        for kind, table in self._tables():
            key = f'{kind}."{table["name"]}"'
            if str(table["name"]).startswith(SUBJECT):
                overrides.append((f"{key}.controller.kind", controller))
                links = {link["name"]: link for link in _read(self.file)["link"]}
                rate_bps = _core.quantity("rate", links[table["data"][0]]["rate"])
                given = told(controller, rate_bps) | dict(parameters)
                overrides += [(f"{key}.controller.{name}", value) for name, value in given.items()]
            if kind == "flow" and seed > 0:
                shift = _STAGGER_S * random.Random(f"{self.name} {table['name']} {seed}").random()
                start = _core.quantity("time", table.get("start", "0 s")) + shift
                overrides.append((f"{key}.start", f"{start:.6f} s"))
        try:
            return Scenario.load(self.file, set=overrides)
        except ScenarioError as e:
            raise as_given(e, controller, parameters) from None

    def _tables(self) -> list[tuple[str, dict[str, Any]]]:
        table = _read(self.file)
        return [(kind, t) for kind in ("flow", "arrivals") for t in table.get(kind, [])]


@dataclass(frozen=True)
class Suite:
    """All tests.

    Attributes:
        version: Grows with any change that can change a verdict.
        tests: In order.
    """

    version: int
    tests: tuple[Test, ...]

    def only(self, names: Iterable[str]) -> tuple[Test, ...]:
        """Those that are named, in the suite's order; a group's name stands for all of it. No name: all.

        Raises:
            InputError: There is no such test or group.
        """
        wanted = set(names)
        known = {t.name for t in self.tests} | {t.group for t in self.tests}
        for name in sorted(wanted - known):
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else f"groups are {', '.join(self.groups)}"
            raise InputError(f"there is no test {name!r} in the gauntlet", hint)
        return tuple(t for t in self.tests if not wanted or t.name in wanted or t.group in wanted)

    @property
    def groups(self) -> list[str]:
        """Names of groups, in order."""
        return list(dict.fromkeys(t.group for t in self.tests))


@cache
def suite() -> Suite:
    """The set that comes with this version."""
    table = _read(FOLDER / "suite.toml")
    return Suite(int(table["version"]), tuple(_test(t) for t in table["test"]))


def _test(table: dict[str, Any]) -> Test:
    capacity = table.get("capacity", [])
    rates = [capacity] if isinstance(capacity, str) else capacity
    least = "at_least" in table
    given = table["at_least" if least else "at_most"]
    value = _core.quantity("time", given) if isinstance(given, str) else float(given)
    name = str(table["name"])
    return Test(
        name=name,
        group=str(table["group"]),
        tests=str(_read(FOLDER / f"{name}.toml")["title"]),
        measure=str(table["measure"]),
        of=tuple(table["of"]),
        capacity_bps=tuple(_core.quantity("rate", rate) for rate in rates),
        since_s=float(table.get("since", 0.0)),
        level=float(table.get("level", 0.0)),
        bound=Bound(least, value, f"{'at least' if least else 'at most'} {_written(given, str(table['measure']))}"),
        why=str(table["why"]),
        source=table.get("source"),
    )


def as_given(error: ScenarioError, controller: str, parameters: Sequence[tuple[str, str]]) -> ScenarioError:
    """The same mistakes, told of what was asked for and not of the flows that it was put into."""
    found: dict[str, dict[str, Any]] = {}
    for each in error.diagnostics:
        name = str(each["key"]).rpartition("controller")[2].removeprefix(".")
        given = dict(parameters).get(name)
        place = f"--controller {controller}" if given is None else f"--set {name}={given}"
        key = name if given is None and name else ""
        text = ": ".join(filter(None, (place, key, each["message"])))
        text += f"\n  hint: {each['hint']}" if each["hint"] else ""
        found.setdefault(text, {**each, "file": place, "key": key})
    return ScenarioError("\n".join(found), list(found.values()), error.unknown_controllers)


def _written(given: object, measure: str) -> str:
    from eddyline.gauntlet.measures import MEASURES

    return given if isinstance(given, str) else MEASURES[measure].text(float(str(given)))


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))
