"""Series and packet logs as Arrow tables, from the simulator's columns without a copy."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import eddyline._core as _core
import eddyline.parquet as parquet
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from eddyline._core import Names
    from eddyline.live import Run

    Table: TypeAlias = Any  # pyarrow.Table
    Codes: TypeAlias = npt.NDArray[np.integer[Any]]

__all__ = ["LogFile", "joined", "labels", "log_table", "read_series", "series_table", "write"]


_COMPRESSION = "zstd"

_LABELS = ("world", "seed")
"""Columns by which series of several runs are told apart."""

_LOG = ("time_s", "event", "packet", "source", "link", "seq", "bytes", "retransmission")
"""Columns of a packet log."""


def series_table(run: Run) -> Table | None:
    """Columns `time_s`, `kind`, `entity`, `quantity`, `value` (SI units), or None where no series were recorded."""
    columns = run.series()
    if columns is None:
        return None
    kind = np.frombuffer(columns["kind"], np.uint8)
    entity = np.frombuffer(columns["entity"], "<u4")
    # Flows and links are numbered separately; in the file they share one dictionary.
    code = np.where(kind == 0, entity, entity + len(run.names.flows)).astype(np.int32)
    return pa.table(
        {
            "time_s": np.frombuffer(columns["time_s"], "<f8"),
            "kind": _dictionary(kind, ["flow", "link"]),
            "entity": _dictionary(code, [*run.names.flows, *run.names.links]),
            "quantity": _dictionary(np.frombuffer(columns["quantity"], np.uint8), run.QUANTITIES),
            "value": np.frombuffer(columns["value"], "<f8"),
        }
    )


def log_table(run: Run) -> Table | None:
    """Columns of the packet log, or None where none was recorded; `link` is null at an endpoint."""
    columns = run.log()
    return None if columns is None else _log_rows(columns, run.names)


def _log_rows(columns: Mapping[str, bytes], names: Names) -> Table:
    link = np.frombuffer(columns["link"], "<u4")
    at_endpoint = link == np.iinfo(np.uint32).max
    return pa.table(
        {
            "time_s": np.frombuffer(columns["time_s"], "<f8"),
            "event": _dictionary(np.frombuffer(columns["event"], np.uint8), _core.Run.EVENTS),
            "packet": _dictionary(np.frombuffer(columns["packet"], np.uint8), _core.Run.PACKETS),
            "source": _dictionary(np.frombuffer(columns["source"], "<u4").astype(np.int32), names.sources),
            "link": _dictionary(np.where(at_endpoint, 0, link).astype(np.int32), names.links, at_endpoint),
            "seq": np.frombuffer(columns["seq"], "<u8"),
            "bytes": np.frombuffer(columns["bytes"], "<u4"),
            "retransmission": np.frombuffer(columns["retransmission"], np.uint8).astype(bool),
        }
    )


def _dictionary(codes: Codes, names: Sequence[str], mask: npt.NDArray[np.bool_] | None = None) -> Any:
    indices = pa.array(codes.astype(np.int32), mask=mask)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))


def joined(tables: Sequence[tuple[dict[str, str | int], Table]]) -> Table:
    """One table of several. The labels of each become leading columns of its rows."""
    parts = []
    for labels, table in tables:
        part = table
        for place, (name, value) in enumerate(labels.items()):
            kind = pa.string() if isinstance(value, str) else pa.int64()
            part = part.add_column(place, name, pa.repeat(pa.scalar(value, kind), len(table)))
        parts.append(part)
    return pa.concat_tables(parts).unify_dictionaries().combine_chunks()


def labels(table: Table, names: Sequence[str]) -> list[dict[str, str | int]] | None:
    """The distinct labels of a table that `joined` made with these names; None where it was made with others."""
    kinds = [pa.string() if name == "world" else pa.int64() for name in names]
    if [field.name for field in table.schema if field.name in _LABELS] != list(names):
        return None
    if [field.type for field in table.schema][: len(names)] != kinds:
        return None
    return table.group_by(list(names)).aggregate([]).to_pylist() if names else [{}]


def write(table: Table, path: Path) -> None:
    """Writes a table as Parquet."""
    parquet.write(table, path, _COMPRESSION)


class LogFile:
    """A packet log as Parquet, written piece by piece: a row group each, which is all that is in memory.

    Args:
        path: The file.
        names: Names of the scenario's entities.

    Raises:
        OSError: It cannot be written; so do the methods.
    """

    def __init__(self, path: Path, names: Names) -> None:
        self._names = names
        nothing = _log_rows(dict.fromkeys(_LOG, b""), names)
        self._file = parquet.created(path)
        self._writer = pq.ParquetWriter(self._file, nothing.schema, compression=_COMPRESSION)

    def write(self, columns: Mapping[str, bytes]) -> None:
        """Writes the next rows, given as columns by name."""
        self._writer.write_table(_log_rows(columns, self._names))

    def close(self) -> None:
        """Completes the file."""
        self._writer.close()
        self._file.close()

    def abandon(self) -> None:
        """Closes the file as it is, which nobody is to read."""
        with suppress(OSError):
            self._writer.close()
        with suppress(OSError):
            self._file.close()


def read_series(path: Path) -> Table:
    """Reads what `write` wrote.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        return parquet.read(path).combine_chunks()
    except (OSError, pa.ArrowException, ValueError) as e:
        raise InputError(f"{path}: cannot be read: {str(e).splitlines()[0]}") from None
