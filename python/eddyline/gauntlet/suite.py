"""The tests: scenarios with bounds, as `scenarios/suite.toml` beside the scenario files lists them."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.errors import InputError, ScenarioError
from eddyline.gauntlet.measures import MEASURES, Target
from eddyline.scenario import Scenario
from eddyline.spelling import nearest
from eddyline.subject import parameter_error, required_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["FOLDER", "SUBJECT", "Bound", "Suite", "Test", "suite"]

FOLDER = Path(__file__).parent / "scenarios"
"""The folder of the scenarios."""

SUBJECT = "tested"
"""Prefix of the names of flows and arrivals that get the tested controller."""

_STAGGER_S = 0.1
"""Maximum shift of a start between seeds, without which most scenarios would give the same result for all seeds."""


@dataclass(frozen=True)
class Bound:
    """The bound on a value, in SI units.

    Attributes:
        least: True for at least, False for at most.
        value: The limit.
        text: As written.
    """

    least: bool
    value: float
    text: str

    def holds(self, value: float | None) -> bool:
        """Whether a value satisfies it; an unknown one does not."""
        if value is None:
            return False
        return value >= self.value if self.least else value <= self.value


@dataclass(frozen=True)
class Test(Target):
    """One scenario with its bound.

    Attributes:
        name: Its name, and that of its file.
        group: The kind of difficulty.
        tests: What it tests, a sentence.
        measure: How its value is measured.
        bound: The bound on the value.
        why: What a controller does that misses the bound.
        source: Where the case is from, if it is not our own.
    """

    __test__ = False  # not pytest's

    name: str
    group: str
    tests: str
    measure: str
    bound: Bound
    why: str
    source: str | None

    @property
    def file(self) -> Path:
        """The scenario, ready for `eddyline run`."""
        return FOLDER / f"{self.name}.toml"

    @property
    def others(self) -> str:
        """Those that are measured where no flow under test is: `cubic`; empty for flows under test and links."""
        names = {str(t["name"]) for kind in ("flow", "arrivals", "traffic") for t in _read(self.file).get(kind, [])}
        return ", ".join(name for name in self.of if name in names and not name.startswith(SUBJECT))

    def scenario(self, controller: str, parameters: Sequence[tuple[str, str]] = (), seed: int = 0) -> Scenario:
        """The scenario with a controller in it.

        Args:
            controller: Its kind.
            parameters: Keys of the controller with their values.
            seed: 0 is the file itself; other seeds also shift the starts of flows by up to 100 ms.

        Raises:
            ScenarioError: It has no such parameter, or a value is invalid; the message names the parameter.
        """
        overrides: list[tuple[str, str]] = [("seed", str(seed))]
        for kind, table in self._tables():
            key = f'{kind}."{table["name"]}"'
            if str(table["name"]).startswith(SUBJECT):
                overrides.append((f"{key}.controller.kind", controller))
                links = {link["name"]: link for link in _read(self.file)["link"]}
                rate_bps = _core.quantity("rate", links[table["data"][0]]["rate"])
                given = required_parameters(controller, rate_bps) | dict(parameters)
                overrides += [(f"{key}.controller.{name}", value) for name, value in given.items()]
            if kind == "flow" and seed > 0:
                shift = _STAGGER_S * random.Random(f"{self.name} {table['name']} {seed}").random()
                start = _core.quantity("time", table.get("start", "0 s")) + shift
                overrides.append((f"{key}.start", f"{start:.6f} s"))
        try:
            return Scenario.load(self.file, set=overrides)
        except ScenarioError as e:
            raise parameter_error(e, controller, parameters) from None

    def _tables(self) -> list[tuple[str, dict[str, Any]]]:
        table = _read(self.file)
        return [(kind, t) for kind in ("flow", "arrivals") for t in table.get(kind, [])]


@dataclass(frozen=True)
class Suite:
    """All tests.

    Attributes:
        version: Incremented by any change that can change a verdict.
        tests: In order.
    """

    version: int
    tests: tuple[Test, ...]

    def only(self, names: Iterable[str]) -> tuple[Test, ...]:
        """The named tests, in the suite's order; a group's name stands for its tests. All, where none is named.

        Raises:
            InputError: There is no such test or group.
        """
        named = set(names)
        known = {t.name for t in self.tests} | {t.group for t in self.tests}
        for name in sorted(named - known):
            near = nearest(name, known)
            hint = (
                f"{f'did you mean {near}? ' if near else ''}groups are {', '.join(self.groups)}; --list has the tests"
            )
            raise InputError(f"there is no test {name!r} in the gauntlet", hint)
        return tuple(t for t in self.tests if not named or t.name in named or t.group in named)

    @property
    def groups(self) -> list[str]:
        """Names of groups, in order."""
        return list(dict.fromkeys(t.group for t in self.tests))


@cache
def suite() -> Suite:
    """The tests of this version."""
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


def _written(given: object, measure: str) -> str:
    return given if isinstance(given, str) else MEASURES[measure].text(float(str(given)))


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))
