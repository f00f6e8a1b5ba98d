"""Results side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from eddyline.arguments import names
from eddyline.errors import InputError
from eddyline.frames import flatten
from eddyline.spelling import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.scenario import Result

__all__ = ["compare"]


def compare(*results: Result, quantities: str | Sequence[str] | None = None) -> pd.DataFrame:
    """One table of several results: a row per flow or link and quantity, a column per result.

    Args:
        results: At least one, of any worlds.
        quantities: Dotted names, `["goodput_bps", "rtt_s.mean"]`; by default all that any of the results has.

    Raises:
        InputError: There is no result, or no such quantity.

    Returns:
        A frame indexed by `kind` (flow or link), `name` and `quantity`, in SI units. Columns are named after the
        worlds; those of one world also by their titles, or by numbers where the titles are equal.
    """
    if not results:
        raise InputError("nothing to compare", "compare(result, ...) takes at least one result")
    for each in results:
        if not (hasattr(each, "world") and hasattr(each, "to_dict")):
            several = isinstance(each, Iterable) and not isinstance(each, str | bytes)
            hint = "of several seeds: compare(*these, *those)" if several else "compare(result, other, ...)"
            raise InputError(f"compare: results are expected, not {each!r}", hint)
    asked = None if quantities is None else names("quantities", quantities)
    columns = {}
    found: set[str] = set()
    for label, result in zip(_labels(results), results, strict=True):
        document = result.to_dict()
        values: dict[tuple[str, str, str], float | None] = {}
        for kind in ("flow", "link"):
            for row in document[f"{kind}s"]:
                for quantity, value in flatten(row):
                    if isinstance(value, str):
                        continue
                    found.add(quantity)
                    if asked is None or quantity in asked:
                        values[kind, row["name"], quantity] = None if value is None else float(value)
        columns[label] = values
    for quantity in asked or ():
        if quantity not in found:
            raise unknown("quantity", quantity, sorted(found))
    keys = list(dict.fromkeys(key for values in columns.values() for key in values))
    known = [key for key in keys if any(values.get(key) is not None for values in columns.values())]
    index = pd.MultiIndex.from_tuples(known, names=["kind", "name", "quantity"])
    data = {label: [values.get(key) for key in known] for label, values in columns.items()}
    return pd.DataFrame(data, index=index, dtype="float64")


def _labels(results: Sequence[Result]) -> list[str]:
    worlds = Counter(r.world for r in results)
    titles = Counter((r.world, r.title) for r in results)
    labels = []
    for number, r in enumerate(results, 1):
        if worlds[r.world] == 1:
            labels.append(r.world)
        elif titles[r.world, r.title] == 1:
            labels.append(f"{r.world}: {r.title}")
        else:
            labels.append(f"{r.world} {number}")
    return labels
