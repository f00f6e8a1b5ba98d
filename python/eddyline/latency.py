"""How good a latency is under load, as people know it."""

from __future__ import annotations

__all__ = ["GRADES", "grade"]

GRADES = ((0.005, "A+"), (0.030, "A"), (0.060, "B"), (0.200, "C"), (0.400, "D"))
"""A grade for an increase of latency below each bound in seconds, an F above them all: the scale of DSLReports and
Waveform."""


def grade(idle_s: float | None, loaded_s: float | None) -> str | None:
    """The bufferbloat grade of a mean latency under load, None where one of the two is unknown.

    The latency is that of one request, or of packets: handshakes before a request are in no grade.
    """
    if idle_s is None or loaded_s is None:
        return None
    increase = max(loaded_s - idle_s, 0.0)
    return next((name for bound, name in GRADES if increase < bound), "F")
