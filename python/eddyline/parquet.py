"""Parquet files. Their names may hold any bytes, which Arrow takes as bytes only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

    Table: TypeAlias = Any  # pyarrow.Table

__all__ = ["created", "footer", "read", "write"]


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
        table = pq.ParquetFile(file).read()
    table.validate(full=True)
    return table


def footer(path: Path) -> Any:
    """The metadata of a file, without its rows: `num_rows`, `metadata`.

    Raises:
        OSError: The file cannot be read.
        pa.ArrowInvalid: It is no Parquet.
    """
    with pa.OSFile(os.fsencode(path)) as file:
        return pq.ParquetFile(file).metadata
