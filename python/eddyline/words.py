"""Words that people choose among: the nearest one to what was written, and the error where there is no such word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest", "unknown"]

_SHOWN = 40


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The word that `given` is a likely misspelling of."""
    from difflib import get_close_matches

    by_small_letters = {word.casefold(): word for word in known}
    near = get_close_matches(given.casefold(), by_small_letters, 1)
    return by_small_letters[near[0]] if near else None


def unknown(what: str, given: str, known: Iterable[str], *, option: str | None = None) -> InputError:
    """The error about a word that is none, with the nearest one, or else all there are.

    Args:
        what: What was asked for, in the singular: `"world"`.
        given: What was written.
        known: The words that there are.
        option: Where it was written, as in `"--world"`.
    """
    words = list(known)
    near = nearest(given, words)
    listed = ", ".join(words[:_SHOWN]) + (", ..." if len(words) > _SHOWN else "")
    said = f"there is no {what} {given!r}" if option is None else f"{option} {given}: there is no such {what}"
    return InputError(said, f"did you mean {near}?" if near else f"{what}s are {listed or 'none'}")
