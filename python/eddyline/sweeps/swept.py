"""The state of a sweep's folder: its tables, statistics over seeds, figures."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import eddyline.sweeps.manifest as manifest
import eddyline.worlds as worlds
from eddyline.arguments import file
from eddyline.errors import InputError
from eddyline.spelling import unknown
from eddyline.sweeps import csv_tables
from eddyline.sweeps.choice import no_table, require_axis
from eddyline.sweeps.entities import ENTITIES, stored
from eddyline.sweeps.parts import POINTS
from eddyline.utf8 import displayed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.sweeps.grid import Grid
    from eddyline.sweeps.pivot import Pivot

__all__ = ["Failure", "Swept"]

_COMBINATION = "combination"
_HEAD = 20  # rows of a frame that notebooks show


@dataclass(frozen=True)
class Failure:
    """A failed point: its number, its values, and the reason."""

    point: int
    set: dict[str, Any]
    why: str


@dataclass(frozen=True, repr=False)
class Swept:
    """The state of a sweep's folder after running it.

    Attributes:
        folder: The folder.
        points: Number of points.
        done: Number of finished points.
        ran: Number of points that this call ran, failed ones included; of a merge, that it took.
        failures: Failed points.
        approximations: What of the scenario the world could not model exactly, in any point.
        wall_s: Wall time of this call.
        earlier: Number of points that were finished before it.
    """

    folder: Path
    points: int
    done: int
    ran: int
    failures: list[Failure] = field(default_factory=list)
    approximations: list[str] = field(default_factory=list)
    wall_s: float = 0.0
    earlier: int = 0

    @classmethod
    def load(cls, folder: str | Path) -> Swept:
        """The state of a folder that `eddyline sweep --out` or `sweep(out=...)` wrote. Nothing is run.

        Raises:
            InputError: The folder holds no sweep.
        """
        from eddyline.sweeps.frame import read_table

        folder = file("folder", folder).absolute()  # it is read later too, from wherever that is
        document = manifest.read(folder)
        if document is None:
            raise InputError(f"{folder}: holds no sweep", "eddyline sweep ... --out DIR makes one")
        grid = manifest.grid_of(document)
        points = read_table(folder, POINTS, grid).to_pylist()
        failures = [Failure(p["point"], grid.labels(p["point"]), p["failure"]) for p in points if p["failure"]]
        notes = list(dict.fromkeys(text for p in points for text in p["approximations"]))
        own = len(manifest.own_points(document))
        done = len(points) - len(failures)
        return cls(folder, own, done, 0, failures, notes, earlier=done)

    def _repr_html_(self) -> str:
        from html import escape

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the line above the table says it
            frames = [self.read(kind) for kind in stored(self._document()["format"]) if kind not in ("links", "groups")]
        heads = "".join(frame.head(_HEAD).to_html(index=False) for frame in frames if len(frame))
        return f"<b>{escape(repr(self)[1:-1])}</b>{heads}"

    def __repr__(self) -> str:
        failed = f", {len(self.failures):,} failed" if self.failures else ""
        return f"<Sweep {str(self.folder)!r}: {self.done:,} of {self.points:,} points{failed}>"

    def read(self, of: str = "flows") -> pd.DataFrame:
        """A table of it, as `read_sweep` gives it."""
        from eddyline.sweeps.frame import read_sweep

        return read_sweep(self.folder, of)

    @property
    def world(self) -> str:
        """The world that runs its points."""
        return str(self._document()["world"])

    @property
    def keys(self) -> list[str]:
        """The varied keys, `seed` left out."""
        return self._grid().keys

    def _grid(self) -> Grid:
        return manifest.grid_of(self._document())

    def _document(self) -> dict[str, Any]:
        document = manifest.read(self.folder)
        if document is None:
            raise InputError(f"{self.folder}: holds no sweep any more")
        return document

    @property
    def identical(self) -> bool:
        """Whether all seeds gave the same results at every point, more than one of them."""
        return self.repeated == self.combinations

    @property
    def combinations(self) -> int:
        """Number of combinations of values: the points without seeds, those of a key `seed` too."""
        grid = self._grid()
        return len(grid) // grid.repetitions[0]

    @property
    def repeated(self) -> int:
        """Number of combinations of values of which all seeds, more than one, gave the same results.

        0 while points are missing.
        """
        import pyarrow.compute as pc

        from eddyline.sweeps.frame import read_table

        grid = self._grid()
        seeds, apart = grid.repetitions
        if seeds < 2 or self.done < len(grid):
            return 0
        repeated = set(range(len(grid) // seeds))
        for kind in ENTITIES:
            table = read_table(self.folder, kind, grid)
            # points are counted with seeds between the keys before them and those after
            points = table["point"]
            after = pc.subtract(points, pc.multiply(pc.divide(points, apart), apart))
            combinations = pc.add(pc.multiply(pc.divide(points, seeds * apart), apart), after)
            rows = table.drop_columns(["point", "seed"]).add_column(0, _COMBINATION, combinations)
            alike = rows.group_by(rows.column_names).aggregate([([], "count_all")])
            differ = alike.filter(pc.less(alike["count_all"], seeds))
            repeated -= set(differ[_COMBINATION].to_pylist())
        return len(repeated)

    def statistics(self, *metrics: str, of: str = "flows", keys: Sequence[str] | None = None) -> pd.DataFrame:
        """Mean, standard deviation and 95 % interval over the seeds, a row per point, flow (link, ...) and metric.

        Args:
            metrics: Columns of the frame; those that `METRICS` has for the table by default.
            of: The table, as in `read`.
            keys: Varied keys to keep apart; all by default. Runs that differ in others count as repetitions.

        Raises:
            InputError: There is no such table, metric or key.
        """
        from eddyline.sweeps.statistics import METRICS, statistics

        frame = self.read(of)
        if of not in ENTITIES:
            raise InputError(f"{of}: no table of numbers", f"tables are {', '.join(ENTITIES)}")
        if frame.empty:
            filled = [kind for kind in stored(self._document()["format"]) if not self.read(kind).empty]
            raise no_table(of, filled)
        for key in keys or ():
            if key not in self.keys:
                raise unknown("varied key", key, self.keys)
        return statistics(frame, self.keys if keys is None else list(keys), ENTITIES[of], metrics or METRICS[of])

    def plot(self, *metrics: str, of: str = "flows", x: str | None = None, by: str | None = None) -> Figure:
        """Means with 95 % bands over one varied key, a panel per metric, a line per flow and value of the other keys.

        Args:
            metrics: As in `statistics`.
            of: As in `statistics`.
            x: The key of the axis; by default the first whose values are quantities or numbers.
            by: The key whose values tell lines apart; by default all other keys.

        Raises:
            InputError: There is no such table, metric or key, or nothing but seeds varies.
        """
        from eddyline.plots.sweeps import panels
        from eddyline.sweeps.statistics import axis

        grid, keys = self._grid(), self.keys
        require_axis(keys, x, by)
        numbers = {key: axis(grid.columns[key]) for key in keys}
        if x is None:
            x = next(
                (k for k in keys if k != by and numbers[k] is not None),
                next(k for k in keys if k != by or keys == [by]),
            )
        others = [by] if by is not None and by != x else [key for key in keys if key != x and by is None]
        made = self.statistics(*metrics, of=of, keys=[x, *others])
        world = self.world
        title = displayed(self.folder.resolve().name) + ("" if world == worlds.DEFAULT else f" (world {world})")
        found = numbers[x]
        if found is not None:  # points may be missing or have failed
            places = dict(zip(grid.columns[x], found[0], strict=True))
            found = [places[value] for value in dict.fromkeys(made[x])], found[1]
        return panels(made, x, found, [*others, ENTITIES[of]], title)

    def table(self, metric: str | None = None, of: str = "flows", *, text: bool = False) -> pd.DataFrame:
        """One metric as a table: a row per flow and value of all keys but the last, whose values are the columns.

        Args:
            metric: A column of the frames, the first usual one by default.
            of: Of what: `"flows"`, `"links"`, ...
            text: Means with half of their 95 % intervals and units, and short values of keys, as `--table` prints them,
                instead of numbers; with the number of values where not all seeds have one, and `failed` where all runs
                failed.
        """
        import pandas as pd

        (_, made), *_ = self.pivots(*([] if metric is None else [metric]), of=of)
        keys, values = made.labels() if text else ([key for key, _ in made.rows], made.values)
        one = len(made.names) == 1
        index = pd.Index([key[0] for key in keys], name=made.names[0]) if one else None
        return pd.DataFrame(
            made.texts() if text else made.numbers(),
            index=pd.MultiIndex.from_tuples(keys, names=made.names) if index is None else index,
            columns=pd.Index(values, name=made.last),
        )

    def pivots(self, *metrics: str, of: str = "flows") -> list[tuple[str, Pivot]]:
        """Metrics and their tables, as `table` gives them.

        Args:
            metrics: As in `statistics`.
            of: As in `statistics`.
        """
        from eddyline.sweeps.pivot import pivot

        made, grid = self.statistics(*metrics, of=of), self._grid()
        columns = {key: grid.columns[key] for key in self.keys}
        runs = len(grid.columns["seed"]) if "seed" in grid.columns else grid.seeds
        failed = [failure.set for failure in self.failures]
        tables = made.groupby("metric", sort=False)
        return [(str(name), pivot(rows, columns, failed, runs)) for name, rows in tables]

    def write_csv(self) -> list[Path]:
        """Writes every table beside its Parquet files, as `flows.csv`, ...; returns the files.

        Raises:
            InputError: A file of such a name is no table of this sweep, or is a symbolic link.
        """
        csv_tables.require_tables(self.folder, self._csv_tables(), self._grid())
        return self._put_csv(())

    def renew_csv(self) -> list[Path]:
        """Writes the tables as CSV again if those of an earlier call are of another grid or lack points.

        Returns:
            Files of their names that are not as an earlier call wrote them: they stay as they are.
        """
        tables = self._csv_tables()
        there = [path for path in tables.values() if os.path.lexists(path)]
        if not there or not (self.ran or not self._is_of_this_grid(tables[POINTS])):
            return []
        others = csv_tables.others(there)
        if len(others) < len(there):
            self._put_csv(others)
        return others

    def _csv_tables(self) -> dict[str, Path]:
        """The place of each table as CSV; that of points last, so that with it all are written."""
        return {kind: self.folder / f"{kind}.csv" for kind in (*stored(self._document()["format"]), POINTS)}

    def _put_csv(self, left: Collection[Path]) -> list[Path]:
        """Writes the tables as CSV, some places left out; returns the files."""
        from eddyline.frames import write_csv
        from eddyline.output import replaced_file
        from eddyline.sweeps.frame import read_silently

        written = []
        for kind, path in self._csv_tables().items():
            frame = read_silently(self.folder, kind)
            if len(frame) and path not in left:
                with replaced_file(path) as staged:
                    write_csv(frame, staged)
                    line = csv_tables.line_of(staged, path.name)
                    # beside that of the file which is there: whenever this ends, the one that is there is known
                    csv_tables.record(self.folder, line, alone=False)
                csv_tables.record(self.folder, line, alone=True)
                written.append(path)
        return written

    def _is_of_this_grid(self, points: Path) -> bool:
        """Whether the table of points as CSV has them as the grid does: in its order, with its labels."""
        from io import BytesIO

        from eddyline.frames import write_csv
        from eddyline.sweeps.frame import read_silently

        expected = BytesIO()
        write_csv(read_silently(self.folder, POINTS), expected)
        return points.is_file() and points.read_bytes() == expected.getvalue()

    @property
    def flows(self) -> pd.DataFrame:
        """A row per point, seed and flow."""
        return self.read("flows")

    @property
    def links(self) -> pd.DataFrame:
        """A row per point, seed and link."""
        return self.read("links")

    @property
    def groups(self) -> pd.DataFrame:
        """A row per point, seed and table with `count` above one, or of one flow where `count` varies."""
        return self.read("groups")

    @property
    def arrivals(self) -> pd.DataFrame:
        """A row per point, seed and table of arrivals."""
        return self.read("arrivals")

    @property
    def traffic(self) -> pd.DataFrame:
        """A row per point, seed and source of unresponsive traffic."""
        return self.read("traffic")

    @property
    def probes(self) -> pd.DataFrame:
        """A row per point, seed and table of latency probes."""
        return self.read("probes")
