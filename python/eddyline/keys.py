"""Dotted keys of a scenario, as overrides and sweeps name them: what one sets of what another does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["START_JITTER", "covers", "require_effect", "with_start_jitter"]

START_JITTER = "flow.*.start_jitter"
"""What `--start-jitter` sets."""

_PART = re.compile(r"""(?:"[^"]*"|'[^']*'|[^."'])+""")
"""A part of a dotted key: a name, in quotes where it has dots."""


def require_effect(keys: Sequence[str], given: str = "--vary") -> None:
    """Makes sure that no varied key is set anew by a later one, which would leave its values without effect.

    Args:
        keys: The keys in order.
        given: What gives them, for the message.

    Raises:
        InputError: One is.
    """
    for place, key in enumerate(keys):
        later = next((each for each in keys[place + 1 :] if each != key and covers(each, key)), None)
        if later is not None:
            raise InputError(
                f"{given} {key}: {later} comes after it and sets the same anew", f"give {key} last, or leave it out"
            )


def with_start_jitter(
    overrides: Sequence[tuple[str, str]], time: str, given: str = "--start-jitter", beside: str = "--set"
) -> list[tuple[str, str]]:
    """Overrides, and after them one that starts all flows at random.

    Args:
        overrides: The others.
        time: The time below which starts are delayed.
        given: What gives it, for the message.
        beside: What gives the others.

    Raises:
        InputError: One of them sets the same, which would have no effect.
    """
    both = next((key for key, _ in overrides if covers(START_JITTER, key)), None)
    if both is not None:
        raise InputError(f"{beside} {both} and {given}: both say how much later flows start", "leave one of them out")
    return [*overrides, (START_JITTER, time)]


def covers(later: str, earlier: str) -> bool:
    """Whether a key sets all that another does: the same with `*`, or a table that has it."""
    ends, within = _parts(later), _parts(earlier)
    return len(ends) <= len(within) and all(
        end in (part, "*") or (end.startswith("*/") and part.endswith(end[1:]))
        for end, part in zip(ends, within, strict=False)
    )


def _parts(key: str) -> list[str]:
    """The names in a dotted key; a direction of a duplex is the link that it makes."""
    parts = [part.strip().strip("\"'") for part in _PART.findall(key)]
    if len(parts) > 2 and parts[0] == "duplex" and parts[2] in ("down", "up"):
        return ["link", f"{parts[1]}/{parts[2]}", *parts[3:]]
    return parts
