"""Misspelt names: the nearest known one, and the error about an unknown one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest", "unknown"]

_MAX_LISTED = 40


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The known name that `given` is probably a misspelling of, or None."""
    from difflib import get_close_matches

    by_lower_case = {name.casefold(): name for name in known}
    near = get_close_matches(given.casefold(), by_lower_case, 1)
    return by_lower_case[near[0]] if near else None


def unknown(what: str, given: str, known: Iterable[str], *, option: str | None = None) -> InputError:
    """The error about an unknown name. Its hint is the nearest known name and the list of all.

    Args:
        what: Kind of thing, in the singular: `"world"`.
        given: The name as given.
        known: All known names.
        option: The command-line option that took it, as in `"--world"`.
    """
    names = list(known)
    near = nearest(str(given), names)  # from Python anything may come
    listed = ", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "")
    message = f"there is no {what} {given!r}" if option is None else f"{option} {given}: there is no such {what}"
    return InputError(message, f"{f'did you mean {near}? ' if near else ''}{what}s are {listed or 'none'}")
