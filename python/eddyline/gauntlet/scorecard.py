"""The scorecard of a controller."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from eddyline.arguments import file
from eddyline.errors import InputError
from eddyline.gauntlet.measures import MEASURES, Latency
from eddyline.gauntlet.suite import Bound
from eddyline.quantities import telling
from eddyline.worlds import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.gauntlet.suite import Test

__all__ = ["DOCUMENT", "Card", "Change", "Verdict"]

DOCUMENT = "scorecard.json"
"""The document's name in the folder that `--out` writes."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of one test.

    Attributes:
        name: Of the test.
        group: Its group.
        tests: What it tests.
        measure: How its values were measured.
        values: One for each seed; None where a run does not have it.
        bound: The bound on their mean.
        why: What a controller does that misses the bound.
        error: Why a run failed, where one did: an error in the controller, or a timeout.
        latency: Responsiveness and grade, where the test is about latency; means over the seeds.
        seconds: Wall time of its runs, where it was run here. It is no part of the document.
        lost: Which flow lost its connection in a run, and why, where world `quic` gave up one.
    """

    name: str
    group: str
    tests: str
    measure: str
    values: tuple[float | None, ...]
    bound: Bound
    why: str
    error: str | None = None
    latency: Latency | None = None
    seconds: float | None = field(default=None, compare=False)
    lost: str | None = None

    @classmethod
    def of(
        cls,
        test: Test,
        values: tuple[float | None, ...],
        error: str | None = None,
        latency: Latency | None = None,
        seconds: float | None = None,
        lost: str | None = None,
    ) -> Verdict:
        """The verdict on a test."""
        return cls(
            test.name, test.group, test.tests, test.measure, values, test.bound, test.why, error, latency, seconds, lost
        )

    @property
    def value(self) -> float | None:
        """Mean over the seeds; None where one of them is unknown."""
        known = [v for v in self.values if v is not None]
        return fmean(known) if known and len(known) == len(self.values) else None

    @property
    def complete(self) -> bool:
        """Whether all runs have a value, and none ended with an error or lost its connection."""
        return self.error is None and self.lost is None and self.value is not None

    @property
    def passed(self) -> bool:
        """Whether the mean satisfies the bound, in runs without errors and lost connections."""
        return self.error is None and self.lost is None and self.bound.holds(self.value)

    @property
    def cause(self) -> str:
        """Why it did not pass: what ended a run, else what a controller does that misses the bound."""
        return self.error or self.lost or self.why

    @property
    def text(self) -> str:
        """The value with its unit, with the digits that its bound takes."""
        if self.error:
            return "error"
        form = MEASURES[self.measure].text
        return form(None) if self.value is None else telling(self.value, form, self.bound.holds)

    @property
    def described(self) -> str:
        """The value with its unit, and where the test is about latency responsiveness and grade."""
        return self.text if self.latency is None or self.error else f"{self.text} ({self.latency.text})"

    def to_dict(self) -> dict[str, Any]:
        """As in the document."""
        return {
            "name": self.name,
            "passed": self.passed,
            "value": self.value,
            "bound": self.bound.text,
            "why": self.why,
            "group": self.group,
            "tests": self.tests,
            "measure": self.measure,
            "values": list(self.values),
            "limit": {"at_least" if self.bound.least else "at_most": self.bound.value},
            "error": self.error,
            **({} if self.latency is None else {"latency": self.latency.to_dict()}),
            **({} if self.lost is None else {"lost_connection": self.lost}),
        }


@dataclass(frozen=True)
class Change:
    """One test compared with an earlier scorecard.

    Attributes:
        name: Of the test.
        before: Its value in the base; None where it is unknown or the base has no such test.
        now: Its value.
        tolerance: The largest difference that is not significant; None where there are too few seeds.
        kind: `"same"`, `"better"`, `"worse"` (beyond the tolerance), `"broken"` (it passed, and does not, or a run
            ended with an error, lost its connection or has no value, and none did before), `"fixed"` or `"new"`.
        passed_before: Whether it passed in the base; None where the base has no such test.
    """

    name: str
    before: float | None
    now: float | None
    tolerance: float | None
    kind: str
    passed_before: bool | None = None

    @property
    def bad(self) -> bool:
        """Whether it is a regression."""
        return self.kind in ("worse", "broken")

    def to_dict(self) -> dict[str, Any]:
        """As in the document."""
        return {
            "name": self.name,
            "change": self.kind,
            "before": self.before,
            "value": self.now,
            "tolerance": self.tolerance,
            "passed_before": self.passed_before,
        }


@dataclass(frozen=True, repr=False)
class Card:
    """A controller's scorecard.

    Attributes:
        controller: Its kind.
        parameters: Its parameters by key.
        suite_version: Version of the tests.
        seeds: Runs of each test.
        verdicts: In the suite's order.
        against: Scorecards of other controllers.
        changes: The comparison with an earlier scorecard, where one was requested.
        world: The world that ran the tests.
    """

    controller: str
    parameters: dict[str, str]
    suite_version: int
    seeds: int
    verdicts: tuple[Verdict, ...]
    against: tuple[Card, ...] = ()
    changes: tuple[Change, ...] | None = field(default=None)
    world: str = DEFAULT

    @property
    def passed(self) -> int:
        """Number of tests that passed."""
        return sum(v.passed for v in self.verdicts)

    @property
    def failed(self) -> int:
        """Number of tests that failed."""
        return len(self.verdicts) - self.passed

    def _repr_html_(self) -> str:
        """The verdicts as a table, for notebooks."""
        from html import escape

        import pandas as pd

        cards = [self, *self.against]
        rows = [
            {"group": v.group, "test": v.name, "bound": v.bound.text}
            | {c.name: c.verdicts[place].text + ("" if c.verdicts[place].passed else " ✗") for c in cards}
            for place, v in enumerate(self.verdicts)
        ]
        return f"<b>{escape(repr(self)[1:-1])}</b>{pd.DataFrame(rows).to_html(index=False)}"

    def __repr__(self) -> str:
        return f"<Scorecard of {self.name}: {self.passed} of {len(self.verdicts)} passed>"

    @property
    def name(self) -> str:
        """The controller with its parameters."""
        given = ", ".join(f"{key} {value}" for key, value in self.parameters.items())
        return f"{self.controller} ({given})" if given else self.controller

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        document: dict[str, Any] = {
            "controller": self.controller,
            "world": self.world,
            "suite_version": self.suite_version,
            "passed": self.passed,
            "failed": self.failed,
            "seeds": self.seeds,
            "parameters": self.parameters,
            "tests": [v.to_dict() for v in self.verdicts],
        }
        if self.against:
            document["against"] = [c.to_dict() for c in self.against]
        if self.changes is not None:
            document["base"] = [c.to_dict() for c in self.changes]
        return document

    @property
    def json(self) -> str:
        """The document as text; two runs of the same give the same bytes."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    @classmethod
    def load(cls, path: str | Path) -> Card:
        """Reads a scorecard: the document, or a folder that holds it.

        Raises:
            InputError: It is not a scorecard.
        """
        given = file("path", path)
        document = given / DOCUMENT if given.is_dir() else given
        try:
            return _card(json.loads(document.read_text("utf-8")))
        except OSError as e:
            raise InputError(f"{document}: cannot be read: {(e.strerror or str(e)).lower()}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            hint = "eddyline gauntlet --controller KIND --out DIR writes one, and --json prints one"
            raise InputError(f"{document}: not a scorecard", hint) from None


def _card(document: dict[str, Any]) -> Card:
    return Card(
        controller=str(document["controller"]),
        parameters={str(k): str(v) for k, v in document["parameters"].items()},
        suite_version=int(document["suite_version"]),
        seeds=int(document["seeds"]),
        verdicts=tuple(_verdict(t) for t in document["tests"]),
        against=tuple(_card(c) for c in document.get("against", [])),
        changes=None if "base" not in document else tuple(_change(c) for c in document["base"]),
        world=str(document.get("world", DEFAULT)),
    )


def _change(table: dict[str, Any]) -> Change:
    before, now, tolerance = (None if table[k] is None else float(table[k]) for k in ("before", "value", "tolerance"))
    passed = table.get("passed_before")
    return Change(
        str(table["name"]), before, now, tolerance, str(table["change"]), None if passed is None else bool(passed)
    )


def _verdict(table: dict[str, Any]) -> Verdict:
    least = "at_least" in table["limit"]
    values = tuple(None if v is None else float(v) for v in table["values"])
    bound = Bound(least, float(table["limit"]["at_least" if least else "at_most"]), str(table["bound"]))
    if table["measure"] not in MEASURES or not values:
        raise ValueError(table["measure"])
    error, latency, lost = table["error"], table.get("latency"), table.get("lost_connection")
    return Verdict(
        str(table["name"]),
        str(table["group"]),
        str(table["tests"]),
        str(table["measure"]),
        values,
        bound,
        str(table["why"]),
        None if error is None else str(error),
        None if latency is None else Latency(latency["responsiveness_rpm"], latency["increase_s"]),
        lost=None if lost is None else str(lost),
    )
