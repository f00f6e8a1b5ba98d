"""Repetitions summarised in one document: mean, standard deviation and 95 % interval of every number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["spread", "student_t", "summarise"]


def summarise(documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A document of the same nesting; each number is `{"mean", "sd", "ci95": [low, high], "n"}`.

    Nulls are left out of the mean: `n` says how many were numbers, and a number that was null in every run stays null.
    Truth values count as 0 and 1. Texts are those of the first run where all agree, else null.
    """
    return {
        "n": len(documents),
        "seeds": [d.get("seed") for d in documents],
        **{key: _merge([d[key] for d in documents]) for key in documents[0] if key not in ("seed", "scenario_sha256")},
    }


def _merge(values: Sequence[Any]) -> Any:
    first = next((v for v in values if v is not None), None)
    if isinstance(first, dict):
        return {key: _merge([v.get(key) if isinstance(v, dict) else None for v in values]) for key in first}
    if isinstance(first, list):
        if any(not isinstance(v, list) or len(v) != len(first) for v in values):
            return None
        return [_merge(column) for column in zip(*values, strict=True)]
    if isinstance(first, (bool, int, float)):
        return spread([float(v) for v in values if v is not None])
    return first if all(v == first for v in values) else None


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


def student_t(freedom: int, level: float = 0.05) -> float:
    """The t that is exceeded in either direction with probability `level`, by degrees of freedom."""
    from scipy.special import stdtrit  # without scipy.stats, whose import takes ten times as long

    return float(stdtrit(freedom, 1 - level / 2))
