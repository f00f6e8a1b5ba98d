"""A record: scenarios, how what is drawn follows from their results, and what the command line's runs gave."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.scenario import Scenario

Expression: TypeAlias = Any
"""A number, a list, or a calculation: its name and what it takes; `web/src/reduce.ts` has them all."""

Numbers: TypeAlias = "Sequence[float | None]"

_LARGE = 0.4
"""Changes longer than this share of a scenario make another base."""


@dataclass
class Record:
    """A record, filled by its figure's module and written as JSON.

    Attributes:
        command: The command that draws the figure.
        columns: Panels side by side, where there is room.
    """

    command: str
    columns: int = 2
    bases: list[Any] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    product: dict[str, Any] | None = None
    panels: list[dict[str, Any]] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def run(self, scenario: Scenario, ms: float, **more: Any) -> int:
        """Adds a run in world `sim`, or in the one that `more` names, which took so long; its number."""
        known = self._numbers.setdefault(scenario.canonical, len(self.runs))
        if known < len(self.runs):
            return known
        base, change = self._based(json.loads(scenario.canonical))
        self.runs.append({"world": "sim", "base": base, "change": change, "ms": max(1, round(ms)), **more})
        return len(self.runs) - 1

    def response(self, kind: str, loss: float, rtt_s: float, *, periodic: bool) -> int:
        """Adds a response function at one loss ratio; returns its number."""
        given = {"kind": kind, "loss": loss, "rttS": rtt_s, "periodic": periodic}
        self.runs.append({"world": "response", **given, "ms": 1})
        return len(self.runs) - 1

    def times(self, scenario: Scenario, ms: float, x: Sequence[Scenario], y: Sequence[Scenario], **more: Any) -> None:
        """Adds a run for each change of `x` with each of `y`; `ms` is what one takes."""
        base = json.loads(scenario.canonical)
        self.bases.append(base)
        run = {"base": len(self.bases) - 1, "change": [], "ms": round(ms, 2), **more}
        along = {name: [changes(base, json.loads(s.canonical)) for s in some] for name, some in (("x", x), ("y", y))}
        self.product = {"run": run, **along}

    def panel(self, title: str, x: dict[str, Any], y: dict[str, Any], marks: Sequence[dict[str, Any]]) -> None:
        """Adds a pair of axes; see `axis` and `mark`."""
        self.panels.append({"title": title, "x": x, "y": y, "marks": list(marks)})

    def json(self) -> str:
        """The record; a line for each run, panel and mark."""
        document: dict[str, Any] = {
            "command": self.command,
            "columns": self.columns,
            "bases": self.bases,
            "runs": self.runs,
        }
        if self.product is not None:
            document["product"] = self.product
        document["panels"] = self.panels
        lines = [f"{json.dumps(key)}: {_lines(value)}" for key, value in document.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def _based(self, scenario: Any) -> tuple[int, list[list[Any]]]:
        """The base with the fewest changes to a scenario; a new one where all have many."""
        found = [changes(base, scenario) for base in self.bases]
        sizes = [len(json.dumps(change)) for change in found]
        if not sizes or min(sizes) > _LARGE * len(json.dumps(scenario)):
            self.bases.append(scenario)
            return len(self.bases) - 1, []
        best = sizes.index(min(sizes))
        return best, found[best]


def _lines(value: Any) -> str:
    """JSON with a line for each element of a list."""
    if not isinstance(value, list):
        return json.dumps(value, separators=(",", ":"))
    return "[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in value) + "\n]"


def changes(old: Any, new: Any, where: str = "") -> list[list[Any]]:
    """What makes one document of the other: values by where they are."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        inside = [(key, old[key], new[key]) for key in old]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        inside = [(str(i), a, b) for i, (a, b) in enumerate(zip(old, new, strict=True))]
    elif old == new:
        return []
    else:
        return [[where, new]]
    if not where:
        return [change for key, a, b in inside for change in changes(a, b, key)]
    return [change for key, a, b in inside for change in changes(a, b, f"{where}.{key}")]


def axis(
    label: str, *, log: bool = False, size: float = 1.0, limits: tuple[float, float] | None = None
) -> dict[str, Any]:
    """An axis; values are divided by `size`, limits are not."""
    given: dict[str, Any] = {"label": label}
    if log:
        given["log"] = True
    if size != 1.0:
        given["size"] = size
    if limits is not None:
        given["range"] = list(limits)
    return given


def mark(
    label: str,
    colour: int | str,
    drawn: str,
    x: Expression,
    y: Expression,
    recorded: tuple[Numbers | None, Numbers] | tuple[Numbers, Numbers, Numbers],
    **more: Any,
) -> dict[str, Any]:
    """Something drawn.

    Args:
        label: Its name in the legend.
        colour: Number of its colour, or `grey`.
        drawn: `line`, `dashed`, `dots`, `rings`, `crosses`, `cells`, with spaces between.
        x: How to calculate its x from the runs.
        y: The same of y.
        recorded: Both as the command line's runs gave them, x only where it is no time; of cells also their values.
        more: `z`, how to calculate the values of cells; `fixed`, what it is where it is not calculated; `within`, by
            how much of a number it may differ.
    """
    kept = {name: list(each) for name, each in zip("xyz", recorded, strict=False) if each is not None}
    return {"label": label, "colour": colour, "as": drawn.split(), "x": x, "y": y, **more, "recorded": kept}


def result(run: int, place: str) -> Expression:
    """A place in a run's result, as `flows.0.goodput_bps`."""
    return ["result", run, place]


def series(run: int, of: str, entity: int, quantity: str) -> Expression:
    """A series' values of a `flow` or `link` by its number."""
    return ["series", run, of, entity, quantity]


def times(run: int, of: str, entity: int, quantity: str) -> Expression:
    """The times of that series."""
    return ["times", run, of, entity, quantity]
