"""Tables of flows whose `count` varies: where it is 1 they are groups too, so that no point lacks its row."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from eddyline.sweeps.parts import joined, label_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eddyline.sweeps.grid import Grid

__all__ = ["single_groups", "with_groups_of_one"]

_SAME = ("throughput_bps", "packets_per_s", "responsiveness_rpm", "delivered_bytes", "retransmits", "timeouts")
_INSTANCE = r"\[\d+\]$"


def single_groups(flows: Sequence[Mapping[str, Any]], keys: Iterable[str]) -> list[Mapping[str, Any]]:
    """The tables of one flow whose `count` is among the varied keys."""
    varied = _counted(keys)
    return [f for f in flows if f.get("count", 1) == 1 and ("*" in varied or f["name"] in varied)]


def with_groups_of_one(groups: Any, flows: Any, grid: Grid) -> Any:
    """The table of groups, with those of one flow whose `count` varies.

    Args:
        groups: All that are in the results, which have tables of more than one flow only.
        flows: All flows.
        grid: The grid of the sweep.
    """
    varied = _counted(grid.columns)
    if not varied or not flows.num_rows:
        return groups
    names = flows["flow"]
    if "*" in varied:
        single = pc.invert(pc.match_substring_regex(names, _INSTANCE))
    else:
        single = pc.is_in(names, pa.array(sorted(varied)))
    return joined([groups, _groups(flows.filter(single), grid)])


def _counted(keys: Iterable[str]) -> set[str]:
    """The flows, or `*`, whose `count` is among these keys."""
    found = set()
    for key in keys:
        try:
            table = tomllib.loads(key.replace(".*.", '."*".', 1) + " = 0")
        except tomllib.TOMLDecodeError:
            continue
        found |= {name for name, inner in table.get("flow", {}).items() if inner == {"count": 0}}
    return found


def _groups(flows: Any, grid: Grid) -> Any:
    """What results say of groups, of one flow each."""
    empty = pa.nulls(flows.num_rows)

    def given(name: str) -> Any:
        return flows[name] if name in flows.column_names else empty

    goodput = given("goodput_bps")
    above = pc.greater(pc.cast(goodput, pa.float64()), 0.0)
    completed = pc.cast(pc.is_valid(given("completed_at_s")), pa.int64())
    columns = {name: flows[name] for name in ("point", *label_types(grid))}
    columns |= {"group": flows["flow"], "count": pa.array([1] * flows.num_rows, pa.int64())}
    columns |= {name: given(name) for name in _SAME}
    columns |= {f"goodput_bps.{part}": goodput for part in ("sum", "mean", "min", "max")}
    columns |= {name: flows[name] for name in flows.column_names if name.startswith("rtt_s.")}
    columns["jain_index"] = pc.if_else(above, 1.0, pa.scalar(None, pa.float64()))
    # where a world counts nothing, it does not know that either
    columns["completed"] = pc.if_else(pc.is_valid(given("delivered_bytes")), completed, pa.scalar(None, pa.int64()))
    return pa.table(columns)
