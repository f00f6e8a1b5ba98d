"""Section 5's test of a buffer's unit, on buffers whose unit is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.probing import probe
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_LIMITS = {
    "bytes": ("6000 B", "9000 B", "75000 B"),
    "packets": ("6 packets", "50 packets", "100 packets"),
    "cells": ("192 cells", "1600 cells", "3200 cells"),
}


def build(context: Context) -> Exhibit:
    """Buffers of each unit and three sizes, loaded with packets of 100 and 1,500 B."""
    file = context.folder / "scenarios" / "link.toml"
    rows: list[Row] = []
    for unit, limits in _LIMITS.items():
        for limit in limits:
            result = probe(Scenario.load(file, set={"link.up.queue.limit": limit}), "up")
            rows.append(
                {
                    "unit": unit,
                    "limit": limit,
                    "size": float(limit.split()[0]),
                    "short_s": result.short.wait_s,
                    "long_s": result.long.wait_s,
                    "longer": result.long.wait_s / result.short.wait_s,
                    "found": result.unit or "none",
                    "found_limit": result.limit,
                    **{f"off_{name}": off for name, off in result.off.items()},
                }
            )
    return context.definition("buffer-unit").exhibit(rows)
