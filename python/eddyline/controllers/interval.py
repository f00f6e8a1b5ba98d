"""Controllers that decide when `el.env` does: once a round trip, or at fixed intervals."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from eddyline.controllers.base import Controller
from eddyline.errors import InputError
from eddyline.observations import Interval
from eddyline.quantities import read

if TYPE_CHECKING:
    from eddyline._core import Ack, Loss, Round, Timeout

__all__ = ["IntervalController"]

_PS = 10**12


class _Meter:
    """Events since the last decision. Sums are of whole picoseconds, so that means are those of the environment."""

    def __init__(self, began: int, in_flight: float, echoed: tuple[int, int] | None = None) -> None:
        self.began, self.in_flight = began, in_flight
        self.echoed = echoed
        self.acked = self.lost = 0.0
        self.losses = self.marks = self.timeouts = 0
        self.cwnd_limited = self.in_recovery = False
        self._rtts: list[int] = []
        self._forward: list[int] = []
        self._reverse: list[int] = []
        self._acks = 0

    def on_ack(self, ack: Ack) -> None:
        self.acked += ack.acked
        self.lost += ack.lost
        self.in_flight, self.cwnd_limited, self.in_recovery = ack.in_flight, ack.cwnd_limited, ack.in_recovery
        self._acks += 1
        sent, received = _ps(ack.sent_at), _ps(ack.received_at)
        before, self.echoed = self.echoed, (sent, received)
        if before != self.echoed or ack.rtt is not None:
            self._forward.append(max(received - sent, 0))
            self._reverse.append(max(_ps(ack.now) - received, 0))
        if ack.rtt is not None:
            self._rtts.append(_ps(ack.rtt))

    def until(self, now: int) -> Interval:
        rtts = self._rtts
        return Interval(
            began=self.began / _PS,
            now=now / _PS,
            acks=self._acks,
            acked=self.acked,
            lost=self.lost,
            in_flight=self.in_flight,
            first_rtt=rtts[0] / _PS if rtts else None,
            last_rtt=rtts[-1] / _PS if rtts else None,
            min_rtt=min(rtts) / _PS if rtts else None,
            mean_rtt=_mean(rtts),
            forward_delay=_mean(self._forward),
            reverse_delay=_mean(self._reverse),
            losses=self.losses,
            marks=self.marks,
            timeouts=self.timeouts,
            cwnd_limited=self.cwnd_limited,
            in_recovery=self.in_recovery,
        )


class IntervalController(Controller):
    """A controller that decides when `el.env` does: derive from it and write `on_interval`.

    It decides once a round trip, or, with `every`, at fixed intervals from the flow's start on (after a lost SYN, from
    its first acknowledgement). A window acts from the event after the decision on, as in the environment; one that
    `on_round` of another class sets acts on what the acknowledgement that ends the round trip lets out, too. Losses and
    marks change nothing by themselves; a timeout sets the window to one packet, as in the environment.

    A sender has no clock of its own: a decision of a fixed interval is made at the first acknowledgement, loss, mark,
    timeout or (in world `sim`) new data of the application after it was due, before that event counts. Where several
    were due since the last event, each is made in turn. A class that has one of the other event methods itself calls
    the one of this class first, as in `super().on_ack(ack)`, which makes those decisions. A flow whose class keeps
    acknowledgements to itself fails.

    Attributes:
        every: The interval, `"20 ms"`, or a number of seconds; None for round trips. Of the class, or set in
            `__init__`.
    """

    every: str | float | None = None
    _has_ack = False
    """Whether an acknowledgement was passed on in this round trip; the one that ends it comes first."""
    _pending = False
    _decided: float
    """The window of the last round trip's decision, until the next event if it is pending."""
    _due: int | None = None
    _step: int
    _meter: _Meter

    @abstractmethod
    def on_interval(self, interval: Interval | Round) -> None:
        """An interval, or a round trip, has ended. Set `cwnd`."""

    def on_handshake(self, now: float, rtt: float) -> None:
        """The intervals count from the sending of the SYN; some may have ended before the first packet."""
        if self.every is not None:
            self._begin(_ps(now) - _ps(rtt))
            self._until(now)

    def on_data(self, now: float) -> None:
        """The application pauses no longer: what was due meanwhile is decided before anything is sent."""
        if self.every is None or self._due is not None:
            self._until(now)

    def on_round(self, round: Round) -> None:
        """Decides, unless at fixed intervals."""
        if not self._has_ack:
            raise InputError(
                "on_ack is not passed on to el.IntervalController, which makes the decisions",
                "begin it with super().on_ack(ack)",
            )
        self._has_ack = False
        if self.every is None:
            window = self.cwnd
            self.on_interval(round)
            self._decided, self.cwnd, self._pending = self.cwnd, window, True

    def on_ack(self, ack: Ack) -> None:
        """Counts it, after what was due before."""
        self._has_ack = True
        if meter := self._until(ack.now):
            meter.on_ack(ack)

    def on_duplicate(self, ack: Ack) -> None:
        """Counts the losses that it shows, after what was due before."""
        if meter := self._until(ack.now):
            meter.lost += ack.lost

    def on_loss(self, loss: Loss) -> None:
        """Counts it, after what was due before."""
        if meter := self._until(loss.now):
            meter.losses += 1

    def on_ecn(self, mark: Loss) -> None:
        """Counts it, after what was due before."""
        if meter := self._until(mark.now):
            meter.marks += 1

    def on_timeout(self, timeout: Timeout) -> None:
        """Counts it, after what was due before; the window is one packet then."""
        if meter := self._until(timeout.now):
            meter.timeouts += 1
        self.cwnd = 1.0

    def on_idle(self, restart_window: float) -> None:
        """At most the restart window, as without this method; after what was decided before."""
        self._act()
        self.cwnd = min(self.cwnd, max(restart_window, 1.0))

    def _begin(self, start: int) -> None:
        every = self.every
        seconds = read("every", "time", every) if isinstance(every, str) else every
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 1e-9 <= seconds < float("inf"):
            raise InputError(f"every: a time of at least 1 ns is expected, not {every!r}", "as in every = '20 ms'")
        self._step = _ps(seconds)
        self._due = start + self._step
        self._meter = _Meter(start, 0.0)

    def _act(self) -> None:
        """The window of the last round trip's decision acts now."""
        if self._pending:
            self.cwnd, self._pending = self._decided, False

    def _until(self, now: float) -> _Meter | None:
        """Makes the decisions that were due; returns the meter of what comes now, None where round trips count."""
        if self.every is None:
            self._act()
            return None
        if self._due is None:
            self._begin(_ps(now))
        assert self._due is not None
        reached = _ps(now)
        while self._due < reached:
            interval = self._meter.until(self._due)
            self._meter = _Meter(self._due, interval.in_flight, self._meter.echoed)
            self._due += self._step
            self.on_interval(interval)
        return self._meter


def _ps(seconds: float) -> int:
    return round(seconds * _PS)


def _mean(values: list[int]) -> float | None:
    return sum(values) // len(values) / _PS if values else None
