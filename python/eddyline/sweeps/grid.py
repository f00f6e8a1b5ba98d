"""The points of a sweep: the product of lists of values and seeds."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.quantities import measured
from eddyline.scenario import SEEDS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Grid", "Task", "Vary", "require_distinct", "typed"]


_MOST = 10_000_000
"""Points of a grid: each is checked before the first one runs."""

_EXACT = 2**53
"""Numbers below are told apart by floats."""


@dataclass(frozen=True)
class Vary:
    """A key of the scenario and the values that it takes, each as `--set` takes it."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A point to run: its number, a value per varied key, and its seed where seeds are repeated."""

    point: int
    values: tuple[str, ...]
    seed: int | None


def typed(values: Sequence[str]) -> list[Any]:
    """Values for a column: numbers or truth values where all are, else texts as written, without TOML's quotes."""
    read = [_toml(value) for value in values]
    if all(type(v) is int and -(2**63) <= v < 2**63 for v in read) or all(type(v) is bool for v in read):
        return read
    if all(type(v) is int or (type(v) is float and math.isfinite(v)) for v in read):
        with suppress(OverflowError):  # the scenario says which key takes no such number
            return [float(v) for v in read]
    return [v if isinstance(v, str) else value for v, value in zip(read, values, strict=True)]


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        return text


class Grid:
    """Points by number: the last key varies fastest, seeds faster still.

    Args:
        vary: Keys and their values.
        first_seed: Seed of the first repetition.
        seeds: How many seeds every combination of values is repeated with.

    Raises:
        InputError: The lists make no grid; the message lists every error.
    """

    def __init__(self, vary: Sequence[Vary], first_seed: int = 0, seeds: int = 1) -> None:
        errors = _errors(vary, first_seed, seeds)
        if errors:
            raise InputError("\n".join(errors))
        self.vary = tuple(vary)
        self.columns = {v.key: typed(v.values) for v in vary}
        self.seeds = seeds
        self.first_seed = first_seed
        self.combinations = math.prod(len(v.values) for v in vary)

    def __len__(self) -> int:
        return self.combinations * self.seeds

    @property
    def keys(self) -> list[str]:
        """The varied keys, `seed` left out."""
        return [v.key for v in self.vary if v.key != "seed"]

    @property
    def varies_seed(self) -> bool:
        """Whether `seed` is one of the keys."""
        return any(_is_seed(v.key) for v in self.vary)

    @property
    def repetitions(self) -> tuple[int, int]:
        """How many seeds every combination of the other keys has, and how many points one is from the next."""
        place = next((i for i, v in enumerate(self.vary) if _is_seed(v.key)), None)
        if place is None:
            return self.seeds, 1
        return len(self.vary[place].values), math.prod(len(v.values) for v in self.vary[place + 1 :])

    def places(self, combination: int) -> tuple[int, ...]:
        """The index of each key's value in a combination."""
        places = []
        for v in reversed(self.vary):
            combination, place = divmod(combination, len(v.values))
            places.append(place)
        return tuple(reversed(places))

    def overrides(self, combination: int) -> list[tuple[str, str]]:
        """The overrides of a combination, without seeds."""
        return [(v.key, v.values[place]) for v, place in zip(self.vary, self.places(combination), strict=True)]

    def task(self, point: int) -> Task:
        """Point number `point`."""
        combination, repetition = divmod(point, self.seeds)
        values = tuple(value for _, value in self.overrides(combination))
        return Task(point, values, None if self.varies_seed else self.first_seed + repetition)

    def labels(self, point: int) -> dict[str, Any]:
        """The columns that identify a point: a value per varied key, and `seed`."""
        combination, repetition = divmod(point, self.seeds)
        places = self.places(combination)
        labels = {v.key: self.columns[v.key][place] for v, place in zip(self.vary, places, strict=True)}
        if not self.varies_seed:
            labels["seed"] = self.first_seed + repetition
        return labels


def require_distinct(vary: Sequence[Vary]) -> None:
    """Makes sure that no two values of a key are the same in other words: their points would be the same.

    Equal texts are errors of the grid. Folders of earlier sweeps may have such values, so that grids take them.

    Raises:
        InputError: Two are.
    """
    for v in vary:
        found: dict[tuple[str, float], str] = {}
        for value in v.values:
            meaning = _meaning(value)
            other = value if meaning is None else found.setdefault(meaning, value)
            if other != value:
                raise InputError(f"--vary {v.key}: {other} and {value} are the same value")


def _meaning(text: str) -> tuple[str, float] | None:
    """The kind of a quantity and its size in SI units; None for other values."""
    value = _toml(text)
    if type(value) in (int, float):
        return ("number", value) if abs(value) < _EXACT else None
    return measured(str(value))


def _is_seed(key: str) -> bool:
    return key.strip().strip("\"'") == "seed"


def _errors(vary: Sequence[Vary], first_seed: int, seeds: int) -> list[str]:
    keys = [v.key for v in vary]
    errors = [
        f"--vary {key}: given {keys.count(key)} times; one list has all values of a key"
        for key in dict.fromkeys(k for k in keys if keys.count(k) > 1)
    ]
    for v in vary:
        if not v.values or not all(v.values):
            errors.append(f"--vary {v.key}: a value is empty")
        times = Counter(v.values)
        errors += [f"--vary {v.key}: {value} is given {n} times" for value, n in times.items() if value and n > 1]
    if seeds > 1 and any(_is_seed(v.key) for v in vary):
        errors.append("--seeds repeats every point with other seeds, --vary seed lists them: one of the two is enough")
    if (points := math.prod(len(v.values) for v in vary) * seeds) > _MOST:
        lengths = " x ".join(f"{n:,}" for n in (*(len(v.values) for v in vary), seeds) if n > 1)
        errors.append(f"{points:,} points ({lengths}): a sweep has at most {_MOST:,}; LO..HI:N takes fewer of a range")
    if first_seed + seeds > SEEDS:
        errors.append(f"--seeds {seeds}: seeds from {first_seed} on go beyond 2^63 - 1")
    return errors
