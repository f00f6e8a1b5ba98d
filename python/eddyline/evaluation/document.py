"""Measurements of an evaluation: rows, curves and figures of every controller, as document and as exhibits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eddyline.reports.exhibit import Column, Exhibit, Picture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from eddyline.evaluation.experiment import Curves, Experiment, Row
    from eddyline.evaluation.path import Setting
    from eddyline.evaluation.subject import Subject

__all__ = ["DOCUMENT", "VERSION", "Failure", "Measured", "Measurements"]

DOCUMENT = "evaluation.json"
"""The document's name in the folder that `--out` writes."""

VERSION = 3
"""Incremented by any change of the meaning or the measurement of a column."""

_WHO = Column("controller", "controller")


@dataclass
class Measured:
    """The outcome of one experiment with one controller.

    Attributes:
        rows: A row per point: the point, and numbers in SI units.
        curves: Over time, of the first point and seed; None where there are none.
    """

    rows: list[Row] = field(default_factory=list)
    curves: Curves | None = None


@dataclass(frozen=True)
class Failure:
    """A point that failed by an error in the controller, or whose connection a stack gave up."""

    controller: str
    experiment: str
    point: Mapping[str, float | str]
    error: str

    @property
    def text(self) -> str:
        """Controller, experiment and point, as text."""
        return ", ".join([self.controller, self.experiment, *(f"{k} {_plain(v)}" for k, v in self.point.items())])


@dataclass(frozen=True)
class Measurements:
    """Measurements of several controllers.

    Attributes:
        subjects: The controllers.
        experiments: What was measured.
        seeds: Repetitions of random experiments.
        setting: The queue, and whether the evaluation is quick.
        measured: Outcomes by experiment and controller.
        failures: Failed points.
    """

    subjects: tuple[Subject, ...]
    experiments: tuple[Experiment, ...]
    seeds: int
    setting: Setting
    measured: Mapping[tuple[str, Subject], Measured]
    failures: tuple[Failure, ...] = ()

    def of(self, experiment: str, subject: Subject) -> Measured:
        """The outcome of an experiment with a controller; empty where it was not run."""
        return self.measured.get((experiment, subject)) or Measured()

    @property
    def figures(self) -> list[Row]:
        """A row per controller: key figures of all experiments."""
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
        """Columns of `figures`, without empty ones."""
        rows = self.figures
        columns = [c for e in self.experiments for c in e.figure_columns]
        return [_WHO, *(c for c in columns if any(row[c.key] is not None for row in rows))]

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        import eddyline._core as _core

        return {
            "version": VERSION,
            "eddyline": _core.VERSION,
            "quick": self.setting.quick,
            "queue": self.setting.queue,
            "world": self.setting.world,
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
        marking = not self.setting.drop_tail and experiment.any_queue
        return f"{experiment.place}, {f'{self.setting.queue} with ECN' if marking else 'drop-tail'}"

    def _exhibit(self, experiment: Experiment) -> Exhibit:
        mine = [(s, self.of(experiment.name, s)) for s in self.subjects]

        def draw() -> Figure:
            from eddyline.evaluation.plots import overlaid

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
        """Figures of one controller on a sheet, with Reno's in the background where it was evaluated too."""
        from eddyline.evaluation.plots import sheet

        reno = next((s for s in self.subjects if s.kind == "reno" and s != subject), None)
        names = [e.name for e in self.experiments]
        mine = {n: (m.rows, m.curves) for n in names if (m := self.of(n, subject)).rows}
        others = {n: (m.rows, m.curves) for n in names if reno and (m := self.of(n, reno)).rows}
        title = subject.kind if self.setting.drop_tail else f"{subject.kind}, {self.setting.queue} with ECN"
        return sheet(title, mine, others)


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def _table(curves: Curves) -> list[Row]:
    columns = {key: [float(v) for v in values] for key, values in curves.items()}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
