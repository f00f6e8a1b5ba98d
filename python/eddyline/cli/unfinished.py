"""What had not ended when a run did: no time of it is in the result, so times are too short where it is much."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eddyline.scenario import Result

__all__ = ["FEW", "unfinished"]

FEW = 0.01
"""Share that changes no mean by much, and no percentile up to the 99th."""

_PARTS = (
    ("probes", "started", "unanswered", "probe {}: {} of {} connections had no answer: times, RPM and grade"),
    ("arrivals", "arrived", "overdue", "arrivals {}: {} of {} transfers were unfinished and older than the p99: times"),
)
"""List of a result, its counts of all and of what is missing, and what to say."""


def unfinished(results: Iterable[Result]) -> list[str]:
    """A sentence about each table of probes or arrivals of which more than `FEW` had not ended."""
    documents = [result.to_dict() for result in results]
    sentences = []
    for part, of_all, of_missing, sentence in _PARTS:
        total: Counter[str] = Counter()
        missing: Counter[str] = Counter()
        for row in (row for document in documents for row in document.get(part, ())):
            total[row["name"]] += row[of_all] or 0
            missing[row["name"]] += row.get(of_missing) or 0
        much = (name for name in total if missing[name] > FEW * total[name])
        sentences += [f"{sentence.format(name, missing[name], total[name])} are of the others" for name in much]
    return sentences
