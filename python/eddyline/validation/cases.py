"""What is validated: scenarios of the papers, and how far worlds may be apart, as `cases.toml` has it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.quantities import read as read_quantity
from eddyline.reports.parsing import parse
from eddyline.worlds import DEFAULT, WORLDS

if TYPE_CHECKING:
    from eddyline.scenario import Scenario

__all__ = ["SHARE", "Case", "Tolerance", "cases", "read"]

SHARE = "goodput_share"
"""A flow's share of the goodput of all flows, beside the quantities of results."""


@dataclass(frozen=True)
class Tolerance:
    """How far a quantity may be from that of another world.

    Attributes:
        of: `flows`, `links`, or one of them: `flow.NAME`, `link.NAME`.
        quantity: Dotted name of a result's field, or `goodput_share`.
        worlds: The worlds that are compared.
        why: Where the number comes from.
        within: The largest difference as a share of the larger value, as in `3 %`.
        slack: The largest difference in the unit of the quantity, if that is more.
        against: The world that they are compared with.
    """

    of: str
    quantity: str
    worlds: list[str]
    why: str
    within: str = "0 %"
    slack: float = 0.0
    against: str = DEFAULT

    @cached_property
    def share(self) -> float:
        """The largest difference as a share of the larger value."""
        return read_quantity("within", "percent", self.within)

    def allowed(self, value: float, reference: float) -> float:
        """The largest difference of two values."""
        return max(self.share * max(abs(value), abs(reference)), self.slack)


@dataclass(frozen=True)
class Case:
    """A scenario that all worlds run.

    Attributes:
        name: Its name.
        title: What it shows.
        paper: The paper that it is of.
        scenario: The file, in the paper's folder of scenarios.
        scaled: What is other than in the paper, in words.
        set: The same as overrides.
        quick: Overrides of a quick validation.
        tolerance: What is compared.
    """

    name: str
    title: str
    paper: str
    scenario: str
    scaled: str
    tolerance: list[Tolerance]
    set: dict[str, Any] = field(default_factory=dict)
    quick: dict[str, Any] = field(default_factory=dict)

    def load(self, *, quick: bool) -> Scenario:
        """The scenario."""
        from eddyline.papers import find
        from eddyline.scenario import Scenario

        overrides = self.set | (self.quick if quick else {})
        return Scenario.load(find(self.paper).folder / "scenarios" / self.scenario, set=overrides)


def cases() -> list[Case]:
    """The cases of this version."""
    return read(Path(__file__).with_name("cases.toml"))


def read(file: Path) -> list[Case]:
    """The cases of a file.

    Raises:
        InputError: Something in it is wrong.
    """
    found = []
    for place, table in enumerate(tomllib.loads(file.read_text("utf-8"))["case"]):
        case = parse(Case, table, f"{file.name}, case {place + 1}")
        for tolerance in case.tolerance:
            for world in (*tolerance.worlds, tolerance.against):
                if world not in WORLDS:
                    raise InputError(f"{file.name}, case {case.name}: there is no world {world}")
            if tolerance.share <= 0 and tolerance.slack <= 0:
                raise InputError(f"{file.name}, case {case.name}: {tolerance.quantity} has no tolerance")
        found.append(case)
    return found
