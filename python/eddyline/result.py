"""What a world answered: the same type from every world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.errors import EddylineError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline import _core
    from eddyline.scenario import Scenario

__all__ = ["Result"]


class Result:
    """One run of one world. SI units, as the names say; what a world cannot know is null (NaN in frames).

    Rates, means and percentiles are over [warmup, duration]; counts are over the whole run.
    """

    def __init__(
        self,
        text: str,
        scenario: Scenario,
        run: _core.Run | None = None,
        folder: Path | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> None:
        self._text = text
        self._asked = dict(asked or {})
        self._scenario = scenario
        self._run = run
        self._folder = folder
        self._document: dict[str, Any] | None = None

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Reads a folder that `save` or `eddyline run --out` wrote.

        Raises:
            InputError: It is not such a folder, or it holds several runs.
        """
        from eddyline.folder import read

        folder = Path(folder)
        text, scenario = read(folder)
        result = cls(text.rstrip("\n"), scenario, folder=folder)
        if not isinstance(result._parsed(), dict) or "world" not in result._parsed():
            raise InputError(f"{folder}: holds several runs, not one")
        return result

    def _parsed(self) -> dict[str, Any]:
        if self._document is None:
            self._document = json.loads(self._text)
        return self._document

    @property
    def world(self) -> str:
        """Which world answered."""
        return str(self._parsed()["world"])

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return str(self._parsed()["title"])

    @property
    def approximations(self) -> list[str]:
        """What the world could not honour of the file."""
        return list(self._parsed()["approximations"])

    @property
    def json(self) -> str:
        """The document, as `--json` prints it and `result.json` holds it."""
        return self._text

    @property
    def scenario(self) -> Scenario:
        """The scenario that was answered."""
        return self._scenario

    @property
    def asked(self) -> dict[str, Any]:
        """Options of `Scenario.run` for world theory that were not the defaults."""
        return self._asked

    @property
    def run(self) -> _core.Run:
        """The run itself.

        Raises:
            InputError: The result was read from a folder.
        """
        if self._run is None:
            raise InputError(f"{self._folder}: a stored result, not a run", "result.scenario.run() runs it again")
        return self._run

    def to_dict(self) -> dict[str, Any]:
        """The document as a dict of its own."""
        document: dict[str, Any] = json.loads(self._text)
        return document

    @property
    def flows(self) -> pd.DataFrame:
        """One row per flow in file order; nested fields have dotted columns: `rtt_s.mean`, `window_packets.max`."""
        from eddyline.frames import frame

        return frame(self._parsed()["flows"])

    @property
    def links(self) -> pd.DataFrame:
        """One row per link in file order; nested fields have dotted columns: `queue_packets.mean`, `drops.data`."""
        from eddyline.frames import frame

        return frame(self._parsed()["links"])

    @property
    def groups(self) -> pd.DataFrame:
        """One row per table with `count` above one."""
        from eddyline.frames import frame

        return frame(self._parsed()["groups"])

    @property
    def traffic(self) -> pd.DataFrame:
        """One row per source of unresponsive traffic: packets, losses, `one_way_delay_s.p99`, `jitter_s`."""
        from eddyline.frames import frame

        return frame(self._parsed().get("traffic", []))

    @property
    def series(self) -> pd.DataFrame:
        """Tidy series: `time_s`, `kind` (flow or link), `entity`, `quantity`, `value`; SI units.

        Raises:
            EddylineError: None were recorded.
        """
        frame: pd.DataFrame = self.series_table().to_pandas()
        return frame

    @property
    def log(self) -> pd.DataFrame:
        """Packet events: `time_s`, `event`, `packet`, `source`, `link`, `seq`, `bytes`, `retransmission`.

        Raises:
            EddylineError: None were recorded.
        """
        from eddyline.columns import log_table

        table = log_table(self._run) if self._run else None
        if table is None:
            raise _no_log()
        frame: pd.DataFrame = table.to_pandas()
        return frame

    def write_log(self, path: str | Path) -> None:
        """Writes the packet log: readable text, or Parquet where the name ends in `.parquet`.

        Raises:
            EddylineError: None was recorded.
        """
        from eddyline.columns import log_table, write

        path = Path(path)
        if path.suffix == ".parquet":
            table = log_table(self._run) if self._run else None
            if table is not None:
                write(table, path)
                return
        elif self._run is not None and self._run.write_log(str(path)):
            return
        raise _no_log()

    def has_series(self) -> bool:
        """Whether series were recorded."""
        from eddyline.folder import SERIES

        if self._run is not None:
            return self._run.series() is not None
        return self._folder is not None and (self._folder / SERIES).exists()

    def series_table(self) -> Any:  # pyarrow has no types
        """The series as an Arrow table, its words as dictionaries.

        Raises:
            EddylineError: None were recorded.
        """
        from eddyline.columns import read_series, series_table
        from eddyline.folder import SERIES

        if self._run is not None:
            table = series_table(self._run)
            if table is not None:
                return table
        elif self._folder is not None and (self._folder / SERIES).exists():
            return read_series(self._folder / SERIES)
        hint = "run(..., series=True) records them" if self.world == "sim" else f"world {self.world} has none"
        raise EddylineError("no series were recorded", hint)

    def plot(self) -> Figure:
        """A figure of throughput, windows, round-trip times and queues over time.

        Without series: goodputs of the flows and utilisations of the links as bars.
        """
        from eddyline.plots import bars, overview

        return overview(self.series, self.title) if self.has_series() else bars(self)

    def save(self, folder: str | Path) -> None:
        """Writes `scenario.json`, `result.json`, `series.parquet` and plots; all of it or nothing.

        Raises:
            InputError: The folder exists and is not one that this wrote.
        """
        from eddyline.folder import save

        save(Path(folder), self._text, [self])

    def _repr_html_(self) -> str:
        from html import escape

        return f"<b>{escape(self.title)}</b> (world {self.world}){self.flows.to_html()}{self.links.to_html()}"

    def __repr__(self) -> str:
        document = self._parsed()
        return f"<Result of world {self.world}: {len(document['flows'])} flows, {len(document['links'])} links>"


def _no_log() -> EddylineError:
    return EddylineError("no packet log was recorded", "run(..., log=True) or run(..., log=NAME) records one")
