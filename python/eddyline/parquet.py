"""Parquet files. Their names may hold any bytes, which Arrow takes as bytes only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

    Table: TypeAlias = Any  # pyarrow.Table

__all__ = ["created", "metadata", "parsed", "read", "write"]


def created(path: Path) -> Any:
    """A new file that Arrow writes into."""
    return pa.OSFile(os.fsencode(path), "wb")


def write(table: Table, path: Path, compression: str = "snappy") -> None:
    """Writes a table."""
    with created(path) as file:
        pq.write_table(table, file, compression=compression)


def read(path: Path) -> Table:
    """Reads a table.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no Parquet, or a text in it is no UTF-8; `pa.ArrowInvalid` is one.
    """
    with pa.OSFile(os.fsencode(path)) as file:
        return _table(file)


def parsed(content: bytes) -> Table:
    """The table that a file with this content holds; errors are those of `read`."""
    return _table(_reader(content))


def _reader(content: bytes) -> Any:
    """A file in memory of Arrow's own.

    Arrow's threads release what they have read. Where that is an object of Python's and the interpreter is about to
    end, the process aborts.
    """
    buffer = pa.allocate_buffer(len(content))
    memoryview(buffer).cast("B")[:] = content
    return pa.BufferReader(buffer)


def _table(file: Any) -> Table:
    table = pq.ParquetFile(file).read()
    table.validate(full=True)
    return table


def metadata(content: bytes) -> tuple[int, dict[bytes, bytes]]:
    """The number of rows of a file with this content, and what was stored with them; errors are those of `read`."""
    footer = pq.ParquetFile(_reader(content)).metadata
    return footer.num_rows, footer.metadata or {}
