"""Repetitions in one document: mean, standard deviation and 95 % interval of every number."""

from __future__ import annotations

import math
from statistics import NormalDist
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
    # Of equal numbers the mean is that number, to the last bit.
    mean = numbers[0] if all(x == numbers[0] for x in numbers) else math.fsum(numbers) / n
    if n == 1:
        return {"mean": mean, "sd": None, "ci95": None, "n": 1}
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in numbers) / (n - 1))
    half = student_t(n - 1) * sd / math.sqrt(n)
    return {"mean": mean, "sd": sd, "ci95": [mean - half, mean + half], "n": n}


# Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom.
_T = (
    *(12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139),
    *(2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963),
    *(2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272),
)


def student_t(freedom: int) -> float:
    """The 97.5 % quantile of Student's t; beyond 30 degrees of freedom by Abramowitz and Stegun, 26.7.5 (to 1e-6)."""
    if freedom <= len(_T):
        return _T[freedom - 1]
    z = NormalDist().inv_cdf(0.975)
    v = float(freedom)
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + g1 / v + g2 / v**2 + g3 / v**3
