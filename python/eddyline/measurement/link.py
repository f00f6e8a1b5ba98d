"""From arrivals to a link: rate, buffer and its unit, and the scenario file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median
from textwrap import fill
from typing import TYPE_CHECKING, Any

import eddyline.probing as probing
from eddyline.measurement.datagrams import SPARSE
from eddyline.measurement.protocol import CONTROLLER, header_bytes

if TYPE_CHECKING:
    from eddyline.measurement.datagrams import Arrival

__all__ = [
    "FIFO",
    "FLOWS",
    "MANAGED",
    "NOTHING_WAITS",
    "Direction",
    "Measurement",
    "behind_s",
    "buffer",
    "burst_b",
    "is_framed",
    "is_managed",
    "loaded_waits_s",
    "rate_bps",
    "serves_flows",
    "wait_s",
]

FIFO, FLOWS, MANAGED = "fifo", "flow queueing", "managed"
"""What a queue is found to be: packets wait in order, flows wait by themselves, or the load decides how long it is."""

_FULL = 0.9
"""The quantile of waits that is taken for a full buffer: the last place is not always the one that a packet gets."""
_SPARSE_SHARE = 0.5
"""A sparse flow that waits less than this share of what the other waits does not wait behind it."""
_BETA = 0.7
"""CUBIC's window after a loss, in those of before (RFC 9438, 4.6)."""
_FILLED_SHARE = 0.5
"""TCP filled less than this share of what CUBIC leaves in a FIFO after a loss."""
_TOLD_PACKETS = 4
"""Below a wait of so many packets it cannot be told behind whom a packet waits."""
_LINUX = {"timestamps": True, "sack": True}
_FULL_PACKET_B = 1500
"""The default of scenario files."""
_FRAMED = 0.03
"""Short packets whose rate is further below that of long ones, in bytes of IP, have framing around them."""
_BEHIND_POLICER = 10
"""A line's rate in those of the policer before it, where a scenario needs one."""
_NOT_BY_LENGTH = "the queue is not bounded by its length alone, or the rate or the delay of the line changes"
NOTHING_WAITS = "nothing waits: what is beyond the rate is dropped at once, as by a policer"
_EQUAL = 0.15
"""Waits under light and heavy overload are equal up to this, where a buffer is bounded by its length."""


@dataclass
class Direction:
    """One direction of the link.

    Attributes:
        rate_bps: Rate of IP packets of full size.
        unit: What the buffer counts, or None if that could not be told.
        limit: Its limit in that unit; in bytes where there is none. None where the sender could not fill it.
        full_s: Waiting time in the full buffer; None likewise.
        why: The reason for the unit, or why there is none.
        goodput_bps: Of TCP by the test: alone, and with the other direction; without those whose connection was lost.
        queue: `FIFO`, `FLOWS`, `MANAGED`, or None where it could not be told.
        sparse_s: Waiting time of a second flow that sends little, beside one that keeps the buffer full; None likewise.
        filling_s: Waiting time of the one that keeps it full, in that test; None likewise.
        burst_b: What passes at once before the rate limits, in bytes, where nothing waits, as at a policer; None else.
        short_rate_bps: Rate of short packets, less than the other where each has framing; None where not measured.
        rate_range_bps: Quartiles of a rate that varies, over time in parts of 0.4 s and more; `rate_bps` is its mean.
    """

    rate_bps: float
    unit: str | None
    limit: float | None
    full_s: float | None
    why: str
    goodput_bps: dict[str, float] = field(default_factory=dict)
    queue: str | None = None
    sparse_s: float | None = None
    filling_s: float | None = None
    burst_b: float | None = None
    short_rate_bps: float | None = None
    rate_range_bps: tuple[float, float] | None = None

    @property
    def framed(self) -> float | None:
        """The rate of short packets as a share of that of full ones, where framing makes it less; None else."""
        short = self.short_rate_bps
        return short / self.rate_bps if short is not None and is_framed(self.rate_bps, short) else None

    def written(self) -> tuple[list[str], float, str]:
        """What is to be said of it in the scenario file, the link's rate, and its queue or policer."""
        said, queue = self._written_queue()
        if self.burst_b is None:
            return said, self.rate_bps, queue
        told = (
            f"{NOTHING_WAITS.capitalize()}. Its burst is at least what passed before. The rate of the line behind it "
            f"was not measured: {_BEHIND_POLICER} times as much stands for it."
        )
        policer = f'policer = {{ rate = "{self.rate_bps:.0f} bit/s", burst = "{self.burst_b:.0f} B" }}'
        return [*said, told], _BEHIND_POLICER * self.rate_bps, policer

    def _written_queue(self) -> tuple[list[str], str]:
        said = []
        if self.rate_range_bps is not None:
            low, high = (f"{1e-6 * rate:.3g}" for rate in self.rate_range_bps)
            said.append(
                f"The rate varied while it was measured, half of the time between {low} and {high} Mbit/s; this is its "
                "mean. Nothing is known of framing, and the buffer is what waited, at this rate. A recording (a key "
                "trace of the link) has what varies."
            )
        if self.framed is not None:
            said.append(
                f"Short packets leave at {self.framed:.2f} of the rate of full ones: the line has framing, which was "
                "not measured. Acknowledgements take more of the line than here; a key framing of the link, with the "
                "line's rate, has that."
            )
        if self.burst_b is not None:
            return said, ""
        if self.limit is None or self.full_s is None:
            return [*said, f"The buffer could not be measured: {self.why}."], _droptail("unlimited")
        if self.queue == FLOWS and self.sparse_s is not None and self.filling_s is not None:
            sparse, full = (f"{1e3 * wait:.3g} ms" for wait in (self.sparse_s, self.filling_s))
            told = (
                f"The queue is no FIFO: a second flow that sends little waits {sparse}, the one that fills it {full}. "
                "Which flow queueing it is was not measured: fq_codel stands for it."
            )
            return [*said, told], 'queue = { kind = "fq_codel" }'
        if self.queue == MANAGED:
            said.append(
                "The queue was not found to be a FIFO: how long packets wait depends on the load, as with CoDel or PIE."
                " A FIFO stands for it, as long as the mean of the waits."
            )
            if self.sparse_s is None:
                said.append("Whether it serves flows by themselves, as FQ-CoDel does, could not be told.")
        elif self.queue is None and self.rate_range_bps is not None and self.sparse_s is not None:
            said.append("All flows wait in one queue; whether it is managed, as by CoDel or PIE, could not be told.")
        elif self.queue is None:
            said.append("Whether the queue is a FIFO, or serves flows by themselves, could not be told.")
        if self.unit is None and self.rate_range_bps is None:
            said.append(f"The unit of the buffer is unknown: {self.why}. This is its size for full packets.")
        return said, _droptail(f"{self.limit:.0f} {'B' if self.unit in (None, 'bytes') else self.unit}")


def _comment(sentences: list[str]) -> str:
    """Lines of comment in the scenario file."""
    return "".join(
        "\n" + fill(each, 110, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
        for each in sentences
    )


def _droptail(limit: str) -> str:
    return f'queue = {{ kind = "droptail", limit = "{limit}" }}'


@dataclass
class Measurement:
    """A link in both directions.

    Attributes:
        rtt_s: Round-trip time of propagation.
        down: Towards the client.
        up: Away from it.
        options: Which options of TCP the connections have, `timestamps` and `sack`; None where that is not known.
        packet_bytes: Size of full packets.
        loaded_rtt_s: Round-trip time of datagrams beside TCP by the test, the median of those sent in its second half:
            `download`, `upload`, `together`, `upload joined`, `download joined`; without tests at whose end none came
            back.
    """

    rtt_s: float
    down: Direction
    up: Direction
    options: dict[str, bool] | None = None
    packet_bytes: int = _FULL_PACKET_B
    loaded_rtt_s: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As `eddyline measure --json` prints it; SI units."""
        return asdict(self)

    def unfilled(self, name: str) -> str | None:
        """A sentence where TCP left more of a direction's FIFO empty than CUBIC does, which the datagrams had filled.

        Args:
            name: The direction, `"down"` or `"up"`.

        Returns:
            The sentence; None where it is not so, or not known.
        """
        way, test = (self.down, "download") if name == "down" else (self.up, "upload")
        loaded_s = self.loaded_rtt_s.get(test)
        if loaded_s is None or way.queue != FIFO or way.full_s is None:
            return None
        waited = max(0.0, loaded_s - self.rtt_s)
        # a FIFO of less than 0.43 round trips is empty after each loss
        left_s = _BETA * (self.rtt_s + way.full_s) - self.rtt_s
        if waited >= _FILLED_SHARE * left_s:
            return None
        return (
            f"TCP's {test} filled {1e3 * waited:.3g} ms of the buffer's {1e3 * way.full_s:.3g} ms, in which CUBIC "
            f"leaves {1e3 * left_s:.3g} ms after a loss. Something else held it back, and is not in the file: a shaper "
            "behind the buffer, as a router has for downloads, losses, or a window; or the test was too short."
        )

    def scenario(self) -> str:
        """The scenario file that reproduces the link, with a download and an upload."""
        text = [
            "# Measured by eddyline measure. Only the sum of the two delays is known; each direction has half of it.",
            'title    = "A measured link"\nduration = "60 s"\nwarmup   = "15 s"',
        ]
        for name, way in (("down", self.down), ("up", self.up)):
            said, rate, queue = way.written()
            if (unfilled := self.unfilled(name)) is not None:
                said = [*said, unfilled]
            text.append(
                f'{_comment(said)}\n[[link]]\nname  = "{name}"\nrate  = "{rate:.0f} bit/s"\n'
                f'delay = "{self.rtt_s / 2 * 1e6:.0f} us"\n{queue}'
            )
        said, header, tcp = self._tcp()
        size = "" if self.packet_bytes == _FULL_PACKET_B else f'packet     = "{self.packet_bytes} B"\n'
        for name, data, ack in (("download", "down", "up"), ("upload", "up", "down")):
            text.append(
                f'{_comment(said)}\n[[flow]]\nname       = "{name}"\ncontroller = {{ kind = "{CONTROLLER}" }}\n'
                f'data       = ["{data}"]\n'
                f'ack        = ["{ack}"]\n{size}header     = "{header} B"\nack_packet = "{header} B"\n'
                f"tcp        = {{ {tcp} }}"
            )
            said = []
        return "\n".join(text) + "\n"

    def _tcp(self) -> tuple[list[str], int, str]:
        """What is to be said of TCP in the scenario file, the bytes of its headers, and its options."""
        options = _LINUX if self.options is None else self.options
        said = [
            "Timestamps and SACK were not read from a connection; they are assumed, as Linux has them."
            if self.options is None
            else "Timestamps and SACK are those of the connection to the server.",
            "Not measured: IPv4 headers without options, an acknowledgement of every second packet, and Linux's loss "
            "recovery (prr, rack, frto, rto_every_ack).",
        ]
        header = header_bytes(options)
        keys = ["timestamps = true"] if options["timestamps"] else []
        recovery = ["prr = true", "rack = true"] if options["sack"] else ["sack = false"]
        return said, header, ", ".join([*keys, "ack_every = 2", *recovery, "frto = true", "rto_every_ack = true"])


def rate_bps(arrivals: list[Arrival], size: int, phase: int) -> float:
    """The rate at which packets of an overload arrive, after its first fifth."""
    times = sorted(a.received_ns for a in arrivals if a.phase == phase)
    times = times[len(times) // 5 :]
    return 8e9 * size * (len(times) - 1) / (times[-1] - times[0]) if len(times) > 2 and times[-1] > times[0] else 0.0


def burst_b(arrivals: list[Arrival], size: int, phase: int, rate: float) -> float:
    """What arrived of an overload beyond its rate: the burst of a policer, one packet at least."""
    times = [a.received_ns for a in arrivals if a.phase == phase]
    passed = size * (len(times) - 1) - rate * (max(times) - min(times)) / 8e9 if times else 0.0
    return max(passed, 0.0) + size


def wait_s(arrivals: list[Arrival], phase: int) -> float:
    """Waiting time in the full buffer: the delay at the end of a phase beyond that of the first, light one."""
    late = sorted(_late(arrivals, phase))
    return late[int(_FULL * (len(late) - 1))] if late else 0.0


def loaded_waits_s(arrivals: list[Arrival], packet_s: float) -> tuple[float | None, float]:
    """Median waits under load of the sparse flow, and of the one that fills the buffer.

    They are of the second half of the phase in which the latter waits longer. Where that is too little to tell, because
    CoDel has shortened the queue by then, they are of the first half of the load. The first is None where neither
    tells. A pause of the receiver, which lengthens some waits, changes a median hardly.
    """
    later = max((_sparse_and_filling_s(arrivals, phase, later=True) for phase in (1, 2)), key=lambda waits: waits[1])
    for sparse, filling in (later, _sparse_and_filling_s(arrivals, 1, later=False)):
        if sparse is not None and filling >= _TOLD_PACKETS * packet_s:
            return sparse, filling
    return None, later[1]


def _sparse_and_filling_s(arrivals: list[Arrival], phase: int, *, later: bool) -> tuple[float | None, float]:
    """Median waits of both flows in half of a phase; None where too little of the sparse one arrived."""
    sparse, filling = (_late(arrivals, phase, base, later=later) for base in (SPARSE, 0))
    return max(0.0, median(sparse)) if len(sparse) >= 3 else None, median(filling) if filling else 0.0


def _late(arrivals: list[Arrival], phase: int, base: int = 0, *, later: bool = True) -> list[float]:
    """Delays in the second half of a phase, or the first, beyond that of the light one.

    `base` is 0 for the flow that fills the buffer, `SPARSE` for the other.
    """
    light = [a.received_ns - a.sent_ns for a in arrivals if a.phase == base]
    loaded = [a.received_ns - a.sent_ns for a in arrivals if a.phase == base + phase]
    half = loaded[len(loaded) // 2 :] if later else loaded[: len(loaded) // 2]
    return [(delay - min(light)) / 1e9 for delay in half] if light else []


def serves_flows(sparse_s: float, waited: float) -> bool:
    """Whether a sparse flow does not wait behind the one that fills the buffer."""
    return sparse_s < _SPARSE_SHARE * waited


def behind_s(arrivals: list[Arrival], phase: int, interval_s: float) -> float:
    """How far the sender was behind its schedule at the end of a phase, the last tenth of it; the median."""
    packets = [a for a in arrivals if a.phase == phase]
    if len(packets) < 2:
        return 0.0
    first = min(packets, key=lambda a: a.number)
    late = [(a.sent_ns - first.sent_ns) / 1e9 - (a.number - first.number) * interval_s for a in packets]
    return median(late[-max(1, len(late) // 10) :])


def is_framed(rate: float, short_rate: float) -> bool:
    """Whether short packets leave so much slower than full ones, in bytes of IP; a rate of 0 is unknown."""
    return 0.0 < short_rate < (1.0 - _FRAMED) * rate


def is_managed(rate: float, size: int, heavy: float, light: float) -> bool:
    """Whether the waits of full packets under two loads are too different for a buffer bounded by its length."""
    return abs(heavy - light) > _EQUAL * max(heavy, light) + 2 * 8 * size / rate


def buffer(
    rate: float, short: tuple[int, float, float], long: tuple[int, float, float]
) -> tuple[str | None, float, float, str]:
    """Unit, limit, waiting time and reason.

    Args:
        rate: Of long packets.
        short: Size of short packets, their waiting time and their rate.
        long: Size of long ones, and their waiting times under two loads.
    """
    (short_b, waited, short_rate), (size, heavy, light) = short, long
    packet_s = 8 * size / rate
    full = max(0.0, median((heavy, light)))
    in_bytes = max(rate * full / 8, float(size))
    if is_managed(rate, size, heavy, light):
        return None, in_bytes, full, f"packets wait {heavy:.3g} s or {light:.3g} s, by the load: the queue is managed"
    if full < packet_s / 2 or waited <= 0 or short_rate <= 0:
        return None, in_bytes, full, NOTHING_WAITS
    loads = (
        probing.Load(short_b, waited, waited * short_rate / (8 * short_b)),
        probing.Load(size, full, full / packet_s),
    )
    found = probing.judge(*loads, otherwise=_NOT_BY_LENGTH)
    if found.unit is None or found.limit is None:
        return None, in_bytes, full, found.why
    return found.unit, found.limit, full, found.why
