"""Quantities on the command line."""

from __future__ import annotations

import click

__all__ = ["many", "one"]


def many(option: str, text: str, unit: str, example: str) -> list[float]:
    """One value, a list or a range, in SI units.

    Args:
        option: The option.
        text: As given.
        unit: SI unit that the value must have; empty for shares and plain numbers.
        example: A valid value, for the error.
    """
    import eddyline._core as _core
    import eddyline.ranges as ranges

    values, given = _core.values(option, ranges.integers(option, text))
    if given != unit:
        raise click.UsageError(f"{option} {text}: write it as in {example!r}")
    return values


def one(option: str, text: str, unit: str, example: str) -> float:
    """One value in SI units."""
    values = many(option, text, unit, example)
    if len(values) != 1:
        raise click.UsageError(f"{option} {text}: it takes one value, as in {example!r}")
    return values[0]
