"""How long the record path is run: 150 s, or what the environment variable `EDDYLINE_RECORD_SECONDS` says.

The experiments took an hour, and six with ten flows; what they reached is an average over that time, and no shorter
run is judged by it. `EDDYLINE_RECORD_SECONDS=3600` runs the first as long, `EDDYLINE_RECORD_SECONDS=21600` all of them.
"""

from __future__ import annotations

import os

from eddyline.errors import InputError

__all__ = ["DEFAULT", "MIN_SECONDS", "VARIABLE", "seconds"]

VARIABLE = "EDDYLINE_RECORD_SECONDS"
DEFAULT = 150.0
MIN_SECONDS, MAX_SECONDS = 5.0, 86_400.0


def seconds() -> float:
    """Simulated seconds of a run.

    Raises:
        InputError: The variable is no number in range.
    """
    text = os.environ.get(VARIABLE)
    if text is None:
        return DEFAULT
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not MIN_SECONDS <= value <= MAX_SECONDS:
        raise InputError(f"{VARIABLE} is {text!r}, not a number of seconds from {MIN_SECONDS:g} to {MAX_SECONDS:g}")
    return value
