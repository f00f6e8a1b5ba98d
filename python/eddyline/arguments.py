"""Arguments of the Python interface that are checked where they come in, so that errors name them."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from eddyline.errors import InputError

__all__ = [
    "MAX_SEEDS",
    "distinct",
    "file",
    "interface",
    "names",
    "number",
    "number_of_seeds",
    "seconds",
    "table",
    "whole",
]


_LONGEST_INTERFACE = 15
"""Characters: IFNAMSIZ of Linux without the end."""


MAX_SEEDS = 100_000
"""Of one call."""


def number_of_seeds(given: Any) -> int:
    """A number of seeds.

    Raises:
        InputError: It is none, as where a seed is given.
    """
    number = whole("seeds", given, 1)
    if number > MAX_SEEDS:
        raise InputError(f"seeds: {number:,}; 1 to {MAX_SEEDS:,} are possible", "it is their number, not a seed")
    return number


def whole(name: str, given: Any, least: int) -> int:
    """A whole number.

    Raises:
        InputError: It is not, or is below `least`.
    """
    try:
        if isinstance(given, bool):
            raise TypeError  # it counts as 0 or 1
        number = operator.index(given)
    except TypeError:
        raise InputError(f"{name}: a whole number is expected, not {given!r}") from None
    if number < least:
        raise InputError(f"{name}: {number}; at least {least}")
    return number


def number(name: str, given: Any, example: str) -> float:
    """A number, not a text or a list of numbers.

    Raises:
        InputError: It is something else.
    """
    try:
        if not isinstance(given, (str, bytes)):
            return float(given)
    except TypeError:
        pass
    raise InputError(f"{name}: a number is expected, not {given!r}", example)


def file(name: str, given: Any, otherwise: str | None = None) -> Path:
    """The path of a file or folder.

    Raises:
        InputError: It is something else.
    """
    if not isinstance(given, (str, os.PathLike)):
        raise InputError(f"{name}: a path is expected, not {type(given).__name__}", otherwise)
    return Path(given)


def interface(name: str, given: str) -> str:
    """The name of a network interface, as the kernel accepts it: a command cannot contain anything else.

    Raises:
        InputError: It is none.
    """
    if not 0 < len(given) <= _LONGEST_INTERFACE or not all(c.isascii() and (c.isalnum() or c in "._-@") for c in given):
        raise InputError(f"{name} {given!r} is not the name of an interface", "as in eth0 or pppoe-wan")
    return given


def seconds(name: str, given: Any) -> float:
    """A positive time in seconds.

    Raises:
        InputError: It is no such number.
    """
    if isinstance(given, (str, bytes)) or not hasattr(given, "__float__"):
        raise InputError(f"{name}: a number of seconds is expected, not {given!r}", f"{name}=30.0")
    if not isfinite(given) or given <= 0:
        raise InputError(f"{name}: {given} s; above 0")
    return float(given)


def names(name: str, given: Any) -> list[str]:
    """Names, of which one may stand alone as a text.

    Raises:
        InputError: They are something else.
    """
    if isinstance(given, str):
        return [given]
    several = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(each, str) for each in several):
        raise InputError(f"{name}: names are expected, not {given!r}")
    return several


def distinct(name: str, given: Sequence[str]) -> None:
    """Makes sure that no name is given twice.

    Raises:
        InputError: One is.
    """
    twice = next((each for place, each in enumerate(given) if each in given[:place]), None)
    if twice is not None:
        raise InputError(f"{name}: {twice} is given twice")


def table(name: str, given: Any, example: str) -> Mapping[str, Any]:
    """Keys with their values.

    Raises:
        InputError: They are something else.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"{name}: keys with their values are expected, not {given!r}", example)
    return given
