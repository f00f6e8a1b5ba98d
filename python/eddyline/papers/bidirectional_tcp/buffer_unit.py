"""Section 5's test of a buffer's unit, on buffers whose unit is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.probing import probe
from eddyline.reports.exhibit import Column, Exhibit
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

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
            found = probe(Scenario.load(file, set={"link.up.queue.limit": limit}), "up")
            rows.append(
                {
                    "unit": unit,
                    "limit": limit,
                    "size": float(limit.split()[0]),
                    "short_s": found.short.wait_s,
                    "long_s": found.long.wait_s,
                    "longer": found.long.wait_s / found.short.wait_s,
                    "found": found.unit or "none",
                    "found_limit": found.limit,
                    **{f"off_{name}": off for name, off in found.off.items()},
                }
            )
    return Exhibit(
        id="buffer-unit",
        title="Short against long packets: what a buffer counts",
        place="Section 5",
        reading=(
            "The uplink (192 kbit/s) loaded a little beyond its rate, by packets of 100 B and by packets of 1,500 B: "
            "how long they wait in the full buffer. A buffer of bytes makes both wait as long, to within a long "
            "packet. `eddyline probe` asks the same of any link."
        ),
        columns=(
            Column("limit", "buffer"),
            Column("short_s", "wait, 100 B", "ms", scale=1e-3),
            Column("long_s", "wait, 1,500 B", "ms", scale=1e-3),
            Column("longer", "ratio", digits=3),
            Column("found", "found"),
            Column("found_limit", "limit found", "of its unit"),
            Column("off_bytes", "apart as bytes", percent=True, digits=3),
            Column("off_packets", "as packets", percent=True, digits=3),
            Column("off_cells", "as cells", percent=True, digits=3),
        ),
        rows=rows,
    )
