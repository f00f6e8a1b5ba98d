"""What runs record over time: series and a packet log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from eddyline.arguments import file
from eddyline.errors import EddylineError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pandas as pd

    from eddyline.live import Run

__all__ = ["Execution", "Recording", "StoredSeries"]


class Execution(NamedTuple):
    """How a run was simulated.

    Attributes:
        threads: Threads that simulated it.
        domains: Parts of the network that were simulated apart.
        one_because: Why it was one thread where more were asked for.
    """

    threads: int
    domains: int
    one_because: str | None


class StoredSeries:
    """The series of a result folder, of one run or of several, read when they are wanted: the file that is there now.

    Args:
        path: The file, which need not be there; None for series that are in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        # the working directory may be another one by then
        self._file = None if path is None else path.absolute()
        self._identity = None if self._file is None else _identity(self._file)
        self._whole: Any = None  # pyarrow has no types

    @classmethod
    def holding(cls, table: Any) -> StoredSeries:
        """Series that are in memory, of one run."""
        stored = cls(None)
        stored._whole = table
        return stored

    def of(self, labels: Mapping[str, str | int]) -> Any:
        """The rows of one run, without the columns that tell runs apart; None if there are none.

        Args:
            labels: World and seed of the run.

        Raises:
            InputError: The file cannot be read, or is no longer the same.
        """
        if self._whole is None:
            from eddyline.columns import read_series

            if self._file is None or self._identity is None:
                return None
            self._require_unchanged(self._file)
            whole = read_series(self._file)
            self._require_unchanged(self._file)
            # kept: the runs of a folder share it
            self._whole = whole
        there = [name for name in labels if name in self._whole.column_names]
        if not there:
            return self._whole
        import pyarrow.compute as pc

        rows = self._whole
        for name in there:
            rows = rows.filter(pc.equal(rows[name], labels[name]))
        return rows.drop_columns(there).combine_chunks() if len(rows) else None

    def _require_unchanged(self, file: Path) -> None:
        if _identity(file) != self._identity:
            what = "has been written again" if file.exists() else "has gone"
            raise InputError(
                f"{self._path}: {what} since the result was loaded",
                "load the result again, or use its series before that: they are read then, and kept",
            )


def _identity(file: Path) -> tuple[int, ...] | None:
    """What another file in the same place does not have; None where there is none."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


class Recording:
    """Series and packet log of a run, or the series of a result folder.

    Args:
        run: The run, where the result is fresh.
        folder: The folder, where the result was read from one.
        series: The folder's series.
    """

    def __init__(self, run: Run | None, folder: Path | None, series: StoredSeries | None = None) -> None:
        self._run = run
        self._folder = folder
        self._series = series

    def _labels(self) -> dict[str, str | int]:
        """What tells this run from others in its folder."""
        return {}

    @property
    def execution(self) -> Execution | None:
        """How it was simulated, which has no effect on the result; None where it was read from a folder."""
        return None if self._run is None else Execution(*self._run.execution)

    @property
    def series(self) -> pd.DataFrame:
        """Tidy series: `time_s`, `kind` (flow or link), `entity`, `quantity`, `value`; SI units.

        Raises:
            EddylineError: None were recorded.
        """
        frame: pd.DataFrame = self.series_table().to_pandas()
        return frame

    def has_series(self) -> bool:
        """Whether series were recorded."""
        if self._run is not None:
            return self._run.series() is not None
        return self._stored() is not None

    def series_table(self) -> Any:  # pyarrow has no types
        """The series as an Arrow table with dictionary-encoded texts.

        Raises:
            EddylineError: None were recorded.
        """
        from eddyline.columns import series_table

        table = self._stored() if self._run is None else series_table(self._run)
        if table is None:
            raise EddylineError(
                "no series were recorded", "run(..., series=True) records them, where the world has any"
            )
        return table

    def _stored(self) -> Any:
        return None if self._series is None else self._series.of(self._labels())

    @property
    def log(self) -> pd.DataFrame:
        """Packet events: `time_s`, `event`, `packet`, `source`, `link`, `seq`, `bytes`, `retransmission`.

        Only a fresh result has them: `save`, copies and pickling keep the rest.

        Raises:
            EddylineError: None were recorded.
        """
        frame: pd.DataFrame = self._log_table().to_pandas()
        return frame

    def write_log(self, path: str | Path) -> None:
        """Writes the packet log: readable text, or Parquet where the name ends in `.parquet`.

        An earlier log of that name is replaced.

        Raises:
            EddylineError: None was recorded, or the file cannot be written: then nothing is.
            InputError: The name is that of a folder, or of a file that is no packet log.
        """
        from eddyline.output import replaced_file, require_writable_file

        path = file("path", path)
        require_writable_file(path, "packet log")
        with replaced_file(path, "packet log") as new:
            if path.suffix == ".parquet":
                from eddyline.columns import write

                write(self._log_table(), new)
            elif self._run is None or not self._run.write_log(str(new)):
                raise self._no_log()

    def _log_table(self) -> Any:
        from eddyline.columns import log_table

        table = None if self._run is None else log_table(self._run)
        if table is None:
            raise self._no_log()
        return table

    def _no_log(self) -> EddylineError:
        if self._run is None:
            return EddylineError(
                "results that were saved, copied or sent to another process have no packet log",
                "run(..., log=True) records one: read `log`, or write_log(FILE), where it ran",
            )
        return EddylineError("no packet log was recorded", "run(..., log=True) or run(..., log=NAME) records one")
