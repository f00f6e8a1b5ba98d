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


def unknown(
    what: str, given: str, known: Iterable[str], *, also: Iterable[str] = (), option: str | None = None
) -> InputError:
    """The error about an unknown name, with the nearest known name and the list of all.

    Args:
        what: Kind of thing, in the singular: `"world"`.
        given: The name as given.
        known: All known names.
        also: Other names that are understood, which are not listed.
        option: The command-line option that took it, as in `"--world"`: its message is short, and the rest its hint.
    """
    names = list(known)
    near = nearest(str(given), [*names, *also])  # from Python anything may come
    listed = ", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "")
    asked = f"did you mean {near}? " if near else ""
    names_are = f"{what[:-1]}ies are" if what.endswith("ty") else f"{what}s are"
    if option is not None:
        return InputError(f"{option} {given}: there is no such {what}", f"{asked}{names_are} {listed or 'none'}")
    # programs print the message alone
    return InputError(f"there is no {what} {given!r}; {asked}{names_are} {listed or 'none'}")
