"""What an evaluation is: rows, curves and figures of every controller, as document and as exhibits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eddyline.reports.exhibit import Column, Exhibit, Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

    from eddyline.evaluation.experiment import Curves, Experiment, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject

__all__ = ["DOCUMENT", "VERSION", "Evaluation", "Failure", "Measured"]

DOCUMENT = "evaluation.json"
"""The document's name in the folder that `--out` writes."""

VERSION = 1
"""Grows with any change of what a column means or how it is measured."""

_WHO = Column("controller", "controller")


@dataclass
class Measured:
    """What came of one experiment with one controller.

    Attributes:
        rows: A row a point: the point, and numbers in SI units.
        curves: Over time, of the first point and seed; None where there are none.
    """

    rows: list[Row] = field(default_factory=list)
    curves: Curves | None = None


@dataclass(frozen=True)
class Failure:
    """A point that came to no end, through the controller's own fault."""

    controller: str
    experiment: str
    point: Mapping[str, float | str]
    error: str

    @property
    def text(self) -> str:
        """Where, in words."""
        return ", ".join([self.controller, self.experiment, *(f"{k} {_plain(v)}" for k, v in self.point.items())])


@dataclass(frozen=True)
class Evaluation:
    """Controllers, measured side by side.

    Attributes:
        subjects: The controllers.
        experiments: What was measured.
        seeds: How often what depends on chance was repeated.
        setting: Which queue, and whether it was only a quick look.
        measured: By experiment and controller.
        failures: What came to no end.
    """

    subjects: tuple[Subject, ...]
    experiments: tuple[Experiment, ...]
    seeds: int
    setting: Setting
    measured: Mapping[tuple[str, Subject], Measured]
    failures: tuple[Failure, ...] = ()

    def of(self, experiment: str, subject: Subject) -> Measured:
        """What came of an experiment with a controller; nothing where it was not made."""
        return self.measured.get((experiment, subject)) or Measured()

    @property
    def figures(self) -> list[Row]:
        """A row a controller: what all experiments say, in a few numbers."""
        rows = []
        for subject in self.subjects:
            row: Row = {"controller": subject.kind}
            for e in self.experiments:
                mine = self.of(e.name, subject).rows
                row |= e.figures(mine) if mine else dict.fromkeys(c.key for c in e.figure_columns)
            rows.append(row)
        return rows

    @property
    def figure_columns(self) -> list[Column]:
        """Of `figures`; those that nobody has are left out."""
        rows = self.figures
        columns = [c for e in self.experiments for c in e.figure_columns]
        return [_WHO, *(c for c in columns if any(row[c.key] is not None for row in rows))]

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        from eddyline import _core

        return {
            "version": VERSION,
            "eddyline": _core.VERSION,
            "quick": self.setting.quick,
            "queue": self.setting.queue,
            "seeds": self.seeds,
            "controllers": [{"kind": s.kind, "parameters": dict(s.parameters)} for s in self.subjects],
            "figures": self.figures,
            "experiments": [e.to_dict() for e in self.exhibits()],
            "failures": [
                {"controller": f.controller, "experiment": f.experiment, "point": dict(f.point), "error": f.error}
                for f in self.failures
            ],
        }

    @property
    def json(self) -> str:
        """The document as text; the same evaluation gives the same bytes."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def exhibits(self) -> list[Exhibit]:
        """A table and a figure for each experiment."""
        return [self._exhibit(e) for e in self.experiments]

    def place(self, experiment: Experiment) -> str:
        """The path of an experiment, in a few words."""
        marking = self.setting.queue != "droptail" and experiment.any_queue
        return f"{experiment.place}, {f'{self.setting.queue} with ECN' if marking else 'drop-tail'}"

    def _exhibit(self, experiment: Experiment) -> Exhibit:
        mine = [(s, self.of(experiment.name, s)) for s in self.subjects]

        def draw() -> Figure:
            from eddyline.plots.evaluation import overlaid

            return overlaid(experiment.name, [(s.kind, m.rows, m.curves) for s, m in mine])

        rows = [row for _, m in mine for row in m.rows]
        curves = {f"{experiment.name}-{s.kind}": _table(m.curves) for s, m in mine if m.curves is not None}
        return Exhibit(
            id=experiment.name,
            title=experiment.title,
            place=self.place(experiment),
            reading=experiment.reading,
            columns=(_WHO, *experiment.columns),
            rows=rows,
            pictures=(Picture(experiment.name, f"{experiment.title}: {self.place(experiment)}.", draw),)
            if rows
            else (),
            series=curves,
        )

    def sheet(self, subject: Subject) -> Figure:
        """One controller's figures on a sheet, Reno's behind them where it was evaluated too."""
        from eddyline.plots.evaluation import sheet

        behind = next((s for s in self.subjects if s.kind == "reno" and s != subject), None)
        names = [e.name for e in self.experiments]
        mine = {n: (m.rows, m.curves) for n in names if (m := self.of(n, subject)).rows}
        others = {n: (m.rows, m.curves) for n in names if behind and (m := self.of(n, behind)).rows}
        title = subject.kind if self.setting.queue == "droptail" else f"{subject.kind}, {self.setting.queue} with ECN"
        return sheet(title, mine, others)

    def write(self, folder: Path, drawn: Callable[[int, int], object] | None = None) -> Path:
        """Writes document, page, figures and data into an existing folder; returns the page."""
        from eddyline.evaluation.report import write

        return write(self, folder, drawn)


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def _table(curves: Curves) -> list[Row]:
    columns = {key: [float(v) for v in values] for key, values in curves.items()}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
