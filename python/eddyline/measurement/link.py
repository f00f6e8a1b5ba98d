"""From arrivals to a link: rate, buffer and its unit, and the scenario file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

import eddyline.probing as probing
from eddyline.measurement.protocol import CONTROLLER

if TYPE_CHECKING:
    from eddyline.measurement.datagrams import Arrival

__all__ = ["Direction", "Measurement", "behind_s", "buffer", "rate_bps", "wait_s"]

_FULL = 0.9
"""The quantile of waits that is taken for a full buffer: the last place is not always the one that a packet gets."""
_EQUAL = 0.15
"""Waits under light and heavy overload are equal up to this, where a buffer is bounded by its length."""


@dataclass
class Direction:
    """One direction of the link.

    Attributes:
        rate_bps: Rate of IP packets.
        unit: What the buffer counts, or None if that could not be told.
        limit: Its limit in that unit; in bytes where there is none. None where the sender could not fill it.
        full_s: Waiting time in the full buffer; None likewise.
        why: The reason for the unit, or why there is none.
        goodput_bps: Of TCP by the test: alone, and with the other direction.
    """

    rate_bps: float
    unit: str | None
    limit: float | None
    full_s: float | None
    why: str
    goodput_bps: dict[str, float] = field(default_factory=dict)


@dataclass
class Measurement:
    """A link in both directions.

    Attributes:
        rtt_s: Round-trip time of propagation.
        down: Towards the client.
        up: Away from it.
    """

    rtt_s: float
    down: Direction
    up: Direction

    def to_dict(self) -> dict[str, Any]:
        """As `eddyline measure --json` prints it; SI units."""
        return asdict(self)

    def scenario(self) -> str:
        """The scenario file that reproduces the link, with a download and an upload."""
        text = [
            "# Measured by eddyline measure. Only the sum of the two delays is known; each direction has half of it.",
            'title    = "A measured link"\nduration = "60 s"\nwarmup   = "15 s"',
        ]
        for name, way in (("down", self.down), ("up", self.up)):
            told, number = "", "unlimited"
            if way.limit is None:
                told = f"\n# The buffer could not be measured: {way.why}."
            else:
                number = f"{way.limit:.0f} {'B' if way.unit in (None, 'bytes') else way.unit}"
                if way.unit is None:
                    told = "\n# The unit of the buffer could not be told; this is its size for full packets."
            text.append(
                f'{told}\n[[link]]\nname  = "{name}"\nrate  = "{way.rate_bps:.0f} bit/s"\n'
                f'delay = "{self.rtt_s / 2 * 1e6:.0f} us"\n'
                f'queue = {{ kind = "droptail", limit = "{number}" }}'
            )
        for name, data, ack in (("download", "down", "up"), ("upload", "up", "down")):
            text.append(
                f'\n[[flow]]\nname       = "{name}"\ncontroller = {{ kind = "{CONTROLLER}" }}\n'
                f'data       = ["{data}"]\n'
                f'ack        = ["{ack}"]\nheader     = "52 B"\nack_packet = "52 B"\n'
                "tcp        = { timestamps = true, ack_every = 2, prr = true, rack = true, frto = true }"
            )
        return "\n".join(text) + "\n"


def rate_bps(arrivals: list[Arrival], size: int, phase: int) -> float:
    """The rate at which packets of an overload arrive, after its first fifth."""
    times = sorted(a.received_ns for a in arrivals if a.phase == phase)
    times = times[len(times) // 5 :]
    return 8e9 * size * (len(times) - 1) / (times[-1] - times[0]) if len(times) > 2 else 0.0


def wait_s(arrivals: list[Arrival], phase: int) -> float:
    """Waiting time in the full buffer: the delay at the end of a phase beyond that of the first, light one."""
    light = [a.received_ns - a.sent_ns for a in arrivals if a.phase == 0]
    loaded = [a.received_ns - a.sent_ns for a in arrivals if a.phase == phase]
    late = sorted(loaded[len(loaded) // 2 :])
    return (late[int(_FULL * (len(late) - 1))] - min(light)) / 1e9 if light and late else 0.0


def behind_s(arrivals: list[Arrival], phase: int, interval_s: float) -> float:
    """How far the sender was behind its schedule at the end of a phase, the last tenth of it; the median."""
    packets = [a for a in arrivals if a.phase == phase]
    if len(packets) < 2:
        return 0.0
    first = min(packets, key=lambda a: a.number)
    late = [(a.sent_ns - first.sent_ns) / 1e9 - (a.number - first.number) * interval_s for a in packets]
    return median(late[-max(1, len(late) // 10) :])


def buffer(
    rate: float, short: tuple[int, float], long: tuple[int, float, float]
) -> tuple[str | None, float, float, str]:
    """Unit, limit, waiting time and reason, from waits of short packets, and of long ones under two loads."""
    size, heavy, light = long
    full = median((heavy, light))
    in_bytes = rate * full / 8
    if abs(heavy - light) > _EQUAL * max(heavy, light) + 2 * 8 * size / rate:
        return None, in_bytes, full, f"packets wait {heavy:.3g} s or {light:.3g} s, by the load: the queue is managed"
    found = probing.measured(rate, (short[0], size), (short[1], full))
    if found.unit is None or found.limit is None:
        return None, in_bytes, full, found.why
    return found.unit, found.limit, full, found.why
