"""Repetitions summarised in one document: mean, standard deviation and 95 % interval of every number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["spread", "student_t", "summarise"]

_IDENTITIES = ("name", "from_bytes", "below_bytes")
"""What tells an entry of a list from the others; not all runs have all entries, but those that do agree on these."""


def summarise(documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A document of the same nesting; each number is `{"mean", "sd", "ci95": [low, high], "n"}`.

    Nulls are left out of the mean: `n` says how many were numbers, and a number that was null in every run stays null.
    Truth values count as 0 and 1. Texts are those of the first run where all agree, else null. Entries of lists are
    those of one name or size class, which stays as it is, in the runs that have them; lists of texts have each once.
    """
    return {
        "n": len(documents),
        "seeds": [d.get("seed") for d in documents],
        **{key: _merge([d[key] for d in documents]) for key in documents[0] if key not in ("seed", "scenario_sha256")},
    }


def _merge(values: Sequence[Any]) -> Any:
    first = next((v for v in values if v is not None), None)
    if isinstance(first, dict):
        tables = [v if isinstance(v, dict) else {} for v in values]
        return {key: first[key] if key in _IDENTITIES else _merge([t.get(key) for t in tables]) for key in first}
    if isinstance(first, list):
        return _merge_lists([v for v in values if isinstance(v, list)])
    if isinstance(first, (bool, int, float)):
        return spread([float(v) for v in values if v is not None])
    return first if all(v == first for v in values) else None


def _merge_lists(lists: Sequence[list[Any]]) -> list[Any]:
    entries: dict[Any, list[Any]] = {}
    for each in lists:
        for place, entry in enumerate(each):
            entries.setdefault(_identity(entry, place), []).append(entry)
    # size classes by their limits; names are in the order of the file
    identities = sorted(entries, key=lambda identity: 0 if isinstance(identity, str) else identity)
    return [_merge(entries[identity]) for identity in identities]


def _identity(entry: Any, place: int) -> Any:
    if isinstance(entry, dict):
        return next((entry[key] for key in _IDENTITIES if key in entry), place)
    return entry if isinstance(entry, str) else place


def spread(numbers: Sequence[float]) -> dict[str, Any]:
    """Mean, standard deviation and 95 % interval of numbers; of one number only the mean."""
    n = len(numbers)
    # the mean of equal numbers is that number, to the last bit
    mean = numbers[0] if all(x == numbers[0] for x in numbers) else math.fsum(numbers) / n
    if n == 1:
        return {"mean": mean, "sd": None, "ci95": None, "n": 1}
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in numbers) / (n - 1))
    half = student_t(n - 1) * sd / math.sqrt(n)
    return {"mean": mean, "sd": sd, "ci95": [mean - half, mean + half], "n": n}


def student_t(freedom: float, level: float = 0.05) -> float:
    """The t that is exceeded in either direction with probability `level`, by degrees of freedom."""
    from scipy.special import stdtrit  # without scipy.stats, whose import takes ten times as long

    return float(stdtrit(freedom, 1 - level / 2))
