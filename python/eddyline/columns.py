"""Series and packet logs as Arrow tables, from the simulator's columns without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from eddyline.live import Run

    Table: TypeAlias = Any  # pyarrow.Table
    Codes: TypeAlias = npt.NDArray[np.integer[Any]]

__all__ = ["joined", "log_table", "read_series", "series_table", "write"]


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
    if columns is None:
        return None
    link = np.frombuffer(columns["link"], "<u4")
    at_endpoint = link == np.iinfo(np.uint32).max
    return pa.table(
        {
            "time_s": np.frombuffer(columns["time_s"], "<f8"),
            "event": _dictionary(np.frombuffer(columns["event"], np.uint8), run.EVENTS),
            "packet": _dictionary(np.frombuffer(columns["packet"], np.uint8), run.PACKETS),
            "source": _dictionary(np.frombuffer(columns["source"], "<u4").astype(np.int32), run.names.sources),
            "link": _dictionary(np.where(at_endpoint, 0, link).astype(np.int32), run.names.links, at_endpoint),
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


def write(table: Table, path: Path) -> None:
    """Writes a table as Parquet."""
    pq.write_table(table, path, compression="zstd")


def read_series(path: Path) -> Table:
    """Reads what `write` wrote.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        return pq.read_table(path).combine_chunks()
    except (OSError, pa.ArrowException) as e:
        raise InputError(f"{path}: cannot be read: {str(e).splitlines()[0]}") from None
