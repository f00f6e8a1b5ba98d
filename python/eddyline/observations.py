"""What a learned policy sees and does: the same in the environment that trains it and in a controller that runs it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.errors import InputError

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from eddyline._core import Round

    Vector: TypeAlias = NDArray[np.float32]

__all__ = ["OBSERVATION", "Interval", "Observer", "loss_share", "number", "window_after"]

OBSERVATION: dict[str, tuple[float, float]] = {
    "log2_window": (0.0, 40.0),
    "rtt_excess": (0.0, 100.0),
    "rtt_gradient": (-1.0, 1.0),
    "forward_excess": (0.0, 100.0),
    "reverse_excess": (0.0, 100.0),
    "delivered": (0.0, 100.0),
    "loss": (0.0, 1.0),
    "marked": (0.0, 1.0),
    "timed_out": (0.0, 1.0),
}
"""Names of an observation's values, in order, with their bounds; values beyond are clipped."""

_LOW, _HIGH = (np.array(side, np.float32) for side in zip(*OBSERVATION.values(), strict=True))


@dataclass(frozen=True)
class Interval:
    """What happened from one decision to the next; the attributes of an `el.Round`."""

    began: float
    now: float
    acks: int
    acked: float
    lost: float
    in_flight: float
    first_rtt: float | None
    last_rtt: float | None
    min_rtt: float | None
    mean_rtt: float | None
    forward_delay: float | None
    reverse_delay: float | None
    losses: int
    marks: int
    timeouts: int
    cwnd_limited: bool
    in_recovery: bool


class Observer:
    """Observations of one flow as `el.env` gives them, for a controller that asks a learned policy.

    It remembers the smallest delays and the last values, so each controller has its own: made in `__init__`, and given
    every round in `on_round`, or every interval in `on_interval`. It needs no gymnasium.
    """

    def __init__(self) -> None:
        self._min_rtt = self._min_forward = self._min_reverse = math.inf
        self._last = np.zeros(len(OBSERVATION), np.float32)

    @property
    def last(self) -> Vector:
        """The last observation; zeros before the first."""
        return self._last.copy()

    def observe(self, round: Round | Interval, window: float) -> Vector:
        """The nine numbers of docs/guides/learning.md after a round.

        Args:
            round: As `on_round` or `on_interval` gets it.
            window: The window in packets at its end, before the policy changes it: `self.cwnd`.
        """
        seen = self._last.astype(np.float64)
        seen[0] = math.log2(max(window, 1.0))
        if round.mean_rtt is not None and round.min_rtt is not None:
            self._min_rtt = min(self._min_rtt, round.min_rtt)
            seen[1] = round.mean_rtt / self._min_rtt - 1.0
            assert round.last_rtt is not None
            assert round.first_rtt is not None
            seen[2] = (round.last_rtt - round.first_rtt) / max(round.now - round.began, 1e-9)
        if round.forward_delay is not None and round.reverse_delay is not None:
            self._min_forward = min(self._min_forward, round.forward_delay)
            self._min_reverse = min(self._min_reverse, round.reverse_delay)
            scale = self._min_rtt if self._min_rtt < math.inf else round.forward_delay + round.reverse_delay
            seen[3] = (round.forward_delay - self._min_forward) / max(scale, 1e-9)
            seen[4] = (round.reverse_delay - self._min_reverse) / max(scale, 1e-9)
        seen[5] = round.acked / max(window, 1.0)
        seen[6:] = loss_share(round), min(round.marks, 1), min(round.timeouts, 1)
        self._last = np.clip(seen, _LOW, _HIGH).astype(np.float32)
        return self.last


def loss_share(round: Round | Interval) -> float:
    """The share of packets lost, of those lost and acknowledged."""
    total = round.acked + round.lost
    return round.lost / total if total > 0 else 0.0


def window_after(window: float, action: Any, max_window: float = 1e6) -> float:
    """The window in packets after an action: multiplied by 2 to its power, and kept from 1 to `max_window`.

    An action below -1 counts as -1, one above 1 as 1. It is rounded to 32 bits, as the environment's space of actions
    has them, so that a policy gets the same window whatever its numbers are.

    Raises:
        InputError: The action or the window is not one finite number, or `max_window` is below 1 or not a number.
    """
    if not max_window >= 1.0:
        raise InputError(f"max_window: a number of packets of at least 1 is expected, not {max_window!r}")
    given = np.asarray(action).reshape(-1)
    if len(given) != 1:
        raise InputError(
            f"the action has {len(given)} numbers", "it is one, from -1 to 1: the window's change as a power of 2"
        )
    exponent = float(np.float32(min(max(number(given[0], "the action"), -1.0), 1.0)))
    changed: float = number(window, "the window") * 2.0**exponent
    return max(1.0, min(changed, max_window))


def number(given: Any, what: str) -> float:
    """What an agent or a reward function gave, as a finite number."""
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{what} is not a finite number, but {given}")
    return value
