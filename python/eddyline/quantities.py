"""Quantities: numbers with units, parsed and formatted."""

from __future__ import annotations

import math
import re
import tomllib
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from eddyline.encoding import value_text
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = [
    "bits_per_second",
    "count",
    "interval",
    "measured",
    "percent",
    "read",
    "seconds",
    "shortened",
    "size",
    "telling",
]

_RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_MAX_DECIMALS = 6
_DIGITS = 4
_ALL_DIGITS = 17  # tell any two floating-point numbers apart
_GIVEN_DIGITS = 6  # more of them are no person's, but a range's
_DECIMAL = re.compile(r"(\d+\.\d+)(\s*[^\d\s].*)?")
_TIMES = ((60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def read(name: str, what: str, text: str) -> float:
    """A quantity in SI units.

    Args:
        name: What the value is of, for the error.
        what: `"time"`, `"rate"`, `"bytes"`, `"packets"`, `"frequency"` or `"percent"`.
        text: The text.

    Raises:
        InputError: It is not such a quantity.
    """
    import eddyline._core as _core

    try:
        return _core.quantity(what, text)
    except InputError as e:
        raise InputError(f"{name} {e}", e.hint) from None


def count(value: float | None) -> str:
    """A plain number, four significant digits; from 1e15 on with an exponent."""
    if value is None:
        return "-"
    if abs(value) >= 1e15:
        return f"{value:.4g}"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def bits_per_second(value: float | None) -> str:
    """A rate, four significant digits."""
    return _scaled(value, _RATES)


def seconds(value: float | None) -> str:
    """A time, four significant digits."""
    return _scaled(value, _TIMES[1:])


def size(value: float | None) -> str:
    """An amount of data in bytes, four significant digits."""
    return _scaled(value, _SIZES)


def percent(value: float | None) -> str:
    """A share."""
    return "-" if value is None else f"{100 * value:.1f} %"


def interval(mean: float, half: float, form: Callable[[float | None], str]) -> str:
    """A mean and half of its interval in one unit with equal decimals, two significant digits of the half.

    Args:
        mean: The mean.
        half: Half of the interval.
        form: How the mean alone is written, one of this module.
    """
    scale, unit = _unit(max(abs(mean), half), form)
    mean, half = mean / scale, half / scale
    digits = 1 - math.floor(math.log10(half)) if half > 0 else 3 - math.floor(math.log10(abs(mean) or 1e3))
    decimals = 0 if half == 0 and mean == int(mean) else min(max(digits, 0), _MAX_DECIMALS)
    return f"{mean:,.{decimals}f} ± {half:,.{decimals}f} {unit}".rstrip()


def measured(text: str) -> tuple[str, float] | None:
    """The kind of a quantity, which its unit says, and its size in SI units; None of other texts."""
    import eddyline._core as _core
    from eddyline.errors import InputError

    for kind in ("rate", "time", "bytes", "packets", "frequency", "percent"):
        try:
            return kind, _core.quantity(kind, text)
        except InputError:
            continue
    return None


def telling(value: float, form: Callable[[float | None], str], holds: Callable[[float], bool]) -> str:
    """A value as `form` writes it, with more digits where a limit holds of only one of the value and what is written.

    Args:
        value: The value.
        form: One of this module.
        holds: Whether a value is within the limit.
    """
    text, held = form(value), holds(value)
    scale, unit = _unit(abs(value), form)
    for digits in range(_DIGITS + 1, _ALL_DIGITS + 1):
        number = Decimal(text.split()[0].replace(",", ""))
        if holds(float(number * Decimal(str(scale)))) == held:
            break
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value / scale))))
        written = f"{value / scale:,.{decimals}f}"
        text = f"{written.rstrip('0').rstrip('.') if decimals else written} {unit}".rstrip()
    return text


def shortened(values: Iterable[object]) -> dict[object, str]:
    """Values of a key as headings and figures have them, each told from the others.

    Of many digits, as the values of ranges, as many as that takes. Of a table with `kind` the kind, and those of the
    other keys by which tables of this kind differ.
    """
    listed = list(dict.fromkeys(values))
    tables = {value: table for value in listed if (table := _table_of_kind(value)) is not None}
    if tables:
        names = [_kind_name(tables[v], list(tables.values())) if v in tables else str(v) for v in listed]
        if len(set(names)) == len(listed):
            return dict(zip(listed, names, strict=True))
    for digits in range(_DIGITS, 12):
        texts = [_rounded(str(value), digits) for value in listed]
        if len(set(texts)) == len(listed):
            return dict(zip(listed, texts, strict=True))
    return {value: str(value) for value in listed}


def _unit(value: float, form: Callable[[float | None], str]) -> tuple[float, str]:
    """The unit in which `form` writes a value, and its size."""
    every: dict[object, tuple[tuple[float, str], ...]]
    every = {bits_per_second: _RATES, seconds: _TIMES[1:], size: _SIZES, percent: ((0.01, "%"),), count: ((1.0, ""),)}
    units = every[form]
    return next((u for u in units if value >= u[0]), units[-1])


def _table_of_kind(value: object) -> dict[str, Any] | None:
    """The table that a text is in TOML, if it has a kind."""
    try:
        table = tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        return None
    return table if isinstance(table, dict) and isinstance(table.get("kind"), str) else None


def _kind_name(table: Mapping[str, Any], tables: Sequence[Mapping[str, Any]]) -> str:
    """The kind of a table, with what tells it from others of this kind."""
    alike = [other for other in tables if other["kind"] == table["kind"]]
    differing = (key for key in table if any(other.get(key) != table[key] for other in alike))
    given = ", ".join(f"{key} {value_text(table[key])}" for key in differing)
    return f"{table['kind']} ({given})" if given else str(table["kind"])


def _rounded(text: str, digits: int) -> str:
    """A number with its unit in so many significant digits; the digits before the point stay."""
    matched = _DECIMAL.fullmatch(text)
    if matched is None or len(Decimal(matched[1]).as_tuple().digits) <= _GIVEN_DIGITS:
        return text
    number = Decimal(matched[1])
    decimals = max(0, digits - 1 - number.adjusted())
    short = f"{number:.{decimals}f}"
    return (short.rstrip("0").rstrip(".") if "." in short else short) + (matched[2] or "")


def _scaled(value: float | None, units: tuple[tuple[float, str], ...]) -> str:
    if value is None:
        return "-"
    if value == 0:
        return f"0 {next(unit for scale, unit in units if scale == 1)}"
    scale, unit = next((u for u in units if abs(value) >= u[0]), units[-1])
    return f"{value / scale:.4g} {unit}"
