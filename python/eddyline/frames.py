"""Nested tables as pandas frames."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from eddyline.ctrl_c import AfterImports

with AfterImports():  # the first use of them, in a session
    import numpy as np
    import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import BytesIO
    from pathlib import Path

__all__ = ["flatten", "frame", "write_csv"]


def flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and values of a nested table, in its order."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per table, one column per dotted name; a null among numbers is NaN."""
    flat = [dict(flatten(row)) for row in rows]
    result = pd.DataFrame(flat)
    for name in result.columns:
        values = [row.get(name) for row in flat]
        if any(v is None for v in values) and all(v is None or type(v) in (int, float) for v in values):
            result[name] = pd.Series(values, dtype="float64")
    return result


def write_csv(frame: pd.DataFrame, path: Path | BytesIO) -> None:
    """Writes a frame without its index; lists in it are JSON."""
    columns = {name: frame[name].map(_cell) for name in frame.columns if frame[name].dtype == object}
    frame.assign(**columns).to_csv(path, index=False)


def _cell(value: Any) -> Any:
    if isinstance(value, np.ndarray):  # as Parquet has lists
        value = value.tolist()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
