"""Lists and ranges of values: `V1,V2,...`, `LO..HI:N`, `LO..HI:N:log`, `1..10`."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from itertools import pairwise

import eddyline._core as _core
from eddyline.errors import InputError

__all__ = ["GRAMMAR", "MAX_VALUES", "integers", "split", "values"]

GRAMMAR = "V1,V2,... or LO..HI:N or LO..HI:N:log, or 1..10 for every integer"
"""The grammar in a few words, for help and hints."""

MAX_VALUES = 10_000
"""Limit on the values of one range."""

# an escaped quote or comma is one token, as is an escaped backslash, but not before a comma
_TOKEN = re.compile(r'\\[,"]|\\\\(?!,)|.', re.DOTALL)
_CLOSING = {"{": "}", "[": "]", '"': '"', "'": "'"}
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_END = rf"({_NUMBER})\s*([^\s.:,][^.:,]*)?"
_RANGE = re.compile(rf"\s*{_END}\s*\.\.\s*{_END}\s*(:.*)?", re.DOTALL)
_SOME = "LO..HI:N takes N of them"
_MORE = f"a list may hold several ranges, as in 1..{MAX_VALUES},{MAX_VALUES + 1}..{2 * MAX_VALUES}"
_KINDS = ("rate", "time", "bytes", "packets", "frequency", "percent")


def split(name: str, text: str) -> tuple[str, ...]:
    r"""The members of `V1,V2,...` as they are. Commas within a table, an array or quotes, and `\,`, part none.

    Args:
        name: What the list is of, for errors.
        text: The list.

    Raises:
        InputError: A member begins with a brace, bracket or quote that is never closed.
    """
    members, awaited = [""], list[str]()
    for token in _TOKEN.findall(text):
        innermost = awaited[-1] if awaited else None
        if token == "," and not awaited:
            members.append("")
            continue
        if token == innermost:
            awaited.pop()
        # within a plain text, as in it's, they are characters like others
        elif token in _CLOSING and innermost not in ('"', "'") and (awaited or not members[-1].strip()):
            awaited.append(_CLOSING[token])
        members[-1] += "," if token == "\\," else token
    if awaited:
        raise InputError(f"{name}: {members[-1].strip()}: {awaited[0]} is missing")
    return tuple(member.strip() for member in members)


def values(name: str, text: str) -> tuple[str, ...]:
    r"""The values of a list whose members are values or ranges. Values of ranges have the unit of the upper end.

    Args:
        name: What the list is of, for errors.
        text: `V1,V2,...`, parted as by `split`.

    Raises:
        InputError: A range is wrong, or something is not closed.
    """
    found: list[str] = []
    for member in split(name, text):
        matched = _RANGE.fullmatch(member)
        found += [member] if matched is None else _expanded(name, member, matched)
    return tuple(found)


def integers(name: str, text: str) -> str:
    """A text with `1..10` between plain integers written as a list; any other text as it is."""
    matched = _RANGE.fullmatch(text)
    if matched is None or matched[5] or not _plain_integers(matched):
        return text
    return ",".join(_integers(name, text, int(matched[1]), int(matched[3]), _SOME))


def _plain_integers(matched: re.Match[str]) -> bool:
    return not (matched[2] or matched[4]) and matched[1].isdecimal() and matched[3].isdecimal()


def _integers(name: str, text: str, low: int, high: int, hint: str) -> list[str]:
    if low >= high:
        raise InputError(f"{name}: {text}: the upper end must be above the lower")
    if high - low >= MAX_VALUES:
        raise InputError(f"{name}: {text}: more than {MAX_VALUES:,} values", hint)
    return [str(value) for value in range(low, high + 1)]


def _expanded(name: str, text: str, matched: re.Match[str]) -> list[str]:
    if matched[5] is None:
        if _plain_integers(matched):
            return _integers(name, text, int(matched[1]), int(matched[3]), f"{_SOME}; {_MORE}")
        raise InputError(f"{name}: {text}: how many values?", f"as in {text}:5 or {text}:5:log")
    number, log = _modifiers(name, text, matched[5])
    low_unit, unit = (matched[2] or "").strip(), (matched[4] or "").strip()
    low, high = float(matched[1]), float(matched[3])
    if low_unit != unit:
        low *= _ratio(name, text, low_unit, unit)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"{name}: {text}: the upper end must be above the lower")
    if log and low <= 0:
        raise InputError(f"{name}: {text}: log needs a lower end above 0")
    numbers = [_between(low, high, place, number - 1, log) for place in range(number)]
    if any(a >= b for a, b in pairwise(numbers)):
        raise InputError(f"{name}: {text}: values closer than twelve digits can tell apart")
    return [f"{_written(value)} {unit}".rstrip() for value in numbers]


def _modifiers(name: str, text: str, given: str) -> tuple[int, bool]:
    number, *spacing = (part.strip() for part in given[1:].split(":"))
    if not number.isdecimal() or not 2 <= int(number) <= MAX_VALUES:
        raise InputError(f"{name}: {text}: {number!r} is no number of values; allowed are 2 to {MAX_VALUES:,}")
    if spacing not in ([], ["log"], ["linear"]):
        raise InputError(f"{name}: {text}: {':'.join(spacing)!r} is no spacing; allowed are linear and log")
    return int(number), spacing == ["log"]


def _ratio(name: str, text: str, of: str, to: str) -> float:
    """The size of one unit in another."""
    for kind in _KINDS:
        try:
            return _core.quantity(kind, f"1 {of}") / _core.quantity(kind, f"1 {to}")
        except InputError:
            continue
    raise InputError(f"{name}: {text}: both ends need units of one quantity", "as in 500 kbit/s..10 Mbit/s:5")


def _between(low: float, high: float, place: int, last: int, log: bool) -> float:
    """A value of a range, rounded to twelve significant digits; the ends are as given."""
    if place in (0, last):
        return high if place else low
    share = place / last
    value = low * (high / low) ** share if log else low + (high - low) * share
    return float(f"{value:.11e}")


def _written(value: float) -> str:
    """A number without exponent, in as few digits as tell it from others."""
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
