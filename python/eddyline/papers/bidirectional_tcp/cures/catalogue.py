"""The cures: every discipline and every option of TCP, as changes to a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import PACKET_B
from eddyline.adviser.choice import limit
from eddyline.adviser.sizing import proportional

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eddyline.papers.bidirectional_tcp.cures.lines import Line

__all__ = ["AS_IT_COMES", "SMALL_PACKETS", "Cure", "catalogue"]

AS_IT_COMES = "as it comes"
"""The line with its own buffers and TCP as senders have it: nothing done."""

SMALL_PACKETS = "drop-tail, advised size in packets"
"""What a household gets that sizes its buffers but whose boxes count packets."""

_QUEUE, _TCP, _BOTH = "queue", "TCP", "queue and TCP"


@dataclass(frozen=True)
class Cure:
    """Something to do about it.

    Attributes:
        name: What it is.
        what: Whether it changes the queues, TCP, or both.
        changes: Overrides of the scenario.
    """

    name: str
    what: str
    changes: tuple[tuple[str, str], ...]


def catalogue(line: Line, uploads: int) -> list[Cure]:
    """Everything on offer for a line, nothing done first."""
    return [
        Cure(AS_IT_COMES, "nothing", ()),
        *_buffers(line, uploads),
        *_schedulers(line),
        *_managed(line),
        *_options(line),
        *_marking(line),
    ]


def _both(name: str, queues: Iterable[str]) -> Cure:
    """A cure by the queues of downlink and uplink."""
    down, up = queues
    return Cure(name, _QUEUE, (("duplex.line.down.queue", down), ("duplex.line.up.queue", up)))


def _queue(kind: str, **parameters: Any) -> str:
    """A queue as a scenario file writes it."""
    words = "".join(f", {key} = {_word(value)}" for key, value in parameters.items())
    return f'{{ kind = "{kind}"{words} }}'


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def _buffers(line: Line, uploads: int) -> Iterator[Cure]:
    small = proportional(line.access(uploads))
    for unit in ("bytes", "packets"):
        down, up = (_queue("droptail", limit=limit(size, unit)) for size in (small.down, small.up))
        yield _both(f"drop-tail, advised size in {unit}", (down, up))
    # The other common mistake: as small as possible.
    yield _both("drop-tail, 4 packets up", (_own(line, "down"), _queue("droptail", limit="4 packets")))
    for packets in (100, 1000):
        queue = _queue("droptail", limit=f"{packets} packets")
        yield _both(f"drop-tail, {packets:,} packets", (queue, queue))
    yield _both("head drop", (_own(line, way, "headdrop") for way in ("down", "up")))
    down, up = (
        _queue(
            "tbf",
            rate=f"{0.95 * line.rate(way):.0f} bit/s",
            burst=f"{max(2 * PACKET_B, round(line.rate(way) / 8 * 2e-3))} B",
            limit=limit(size, "bytes"),
        )
        for way, size in (("down", small.down), ("up", small.up))
    )
    yield _both("token bucket at 95 %, advised size", (down, up))
    if line.preset.startswith("wimax"):
        # One channel for both directions, as time division duplex has it. Not a cure: what the medium itself does.
        medium = tuple((f"duplex.line.{way}.medium", "air") for way in ("down", "up"))
        yield Cure("half-duplex medium", "the medium", medium)


def _own(line: Line, way: str, kind: str = "droptail", **parameters: Any) -> str:
    """A queue with the limit of the one that comes with the line."""
    return _queue(kind, limit=line.own_limit(way), **parameters)


def _schedulers(line: Line) -> Iterator[Cure]:
    def same(name: str, kind: str, **parameters: Any) -> Cure:
        return _both(name, (_own(line, way, kind, **parameters) for way in ("down", "up")))

    yield same("ACKs first", "ack_priority")
    yield same("ACK filter", "ack_filter", rule="all")
    decimate = '{ kind = "every", keep_one_in = 3 }'
    down, up = (
        f'{{ kind = "ack_decimation", limit = "{line.own_limit(way)}", threshold = "10 packets", drop = {decimate} }}'
        for way in ("down", "up")
    )
    yield _both("ACK decimation", (down, up))
    yield _both("a buffer per connection", (_own(line, w, "per_connection", each="20 packets") for w in ("down", "up")))
    yield _both("SFQ", [_queue("sfq")] * 2)
    yield same("DRR", "drr")


def _target(line: Line, way: str, usual_ms: float) -> dict[str, str]:
    """At least one and a half packets long (RFC 8289, section 4)."""
    return {"target": f"{1e6 * max(usual_ms * 1e-3, 1.5 * line.packet_s(way)):.0f} us"}


def _codel(line: Line, way: str) -> dict[str, str]:
    target = max(5e-3, 1.5 * line.packet_s(way))
    return _target(line, way, 5.0) | {"interval": f"{1e6 * max(0.1, line.rtt_s, 2 * target):.0f} us"}


def _cake(line: Line, way: str, **more: str) -> str:
    """With Linux's limit: four intervals at the line's rate, at least 4 MiB (sch_cake.c, cake_reconfigure)."""
    interval_s = 0.1
    return _queue("cake", limit=f"{max(4 << 20, 4 * interval_s * line.rate(way) / 8):.0f} B", **more)


def _managed(line: Line) -> Iterator[Cure]:
    ways = ("down", "up")
    yield _both("RED", [_queue("red", limit="1000 packets")] * 2)
    yield _both("adaptive RED", [_queue("adaptive_red")] * 2)
    yield _both("REM", [_queue("rem")] * 2)
    yield _both("CoDel", (_queue("codel", **_codel(line, way)) for way in ways))
    yield _both("PIE", (_queue("pie", **_target(line, way, 15.0)) for way in ways))
    yield _both("DualPI2", (_queue("dualpi2", **_target(line, way, 15.0)) for way in ways))
    yield _both("FQ-CoDel", (_queue("fq_codel", **_codel(line, way)) for way in ways))
    yield _both("CAKE", (_cake(line, way) for way in ways))
    yield _both("CAKE, ACK filter", (_cake(line, way, ack_filter="aggressive") for way in ways))


def _tcp(name: str, *options: tuple[str, str], who: str = "*") -> Cure:
    flows = ("download", "upload") if who == "*" else (who,)
    return Cure(name, _TCP, tuple((f"flow.{flow}.{key}", value) for flow in flows for key, value in options))


def _options(line: Line) -> Iterator[Cure]:
    yield _tcp("ACK for every packet", ("tcp.ack_every", "1"))
    yield _tcp("ACK for every 8th packet", ("tcp.ack_every", "8"))
    if line.window_B is not None:
        yield _tcp("no window limit", ("receive_window", "1 GB"))
    windows = {"download": line.rate("down"), "upload": line.rate("up")}
    # What the path holds and half as much again, never below four packets.
    changes = tuple(
        (f"flow.{flow}.receive_window", f"{max(4 * PACKET_B, 1.5 * rate * line.rtt_s / 8):.0f} B")
        for flow, rate in windows.items()
    )
    yield Cure("windows of 1.5 path's worth", _TCP, changes)
    yield Cure("upload windows of 1.5 path's worth", _TCP, changes[1:])
    yield _tcp("pacing", ("tcp.pacing", "true"))
    yield _tcp("initial window 3", ("tcp.initial_window", "3"))
    yield _tcp("initial window 40", ("tcp.initial_window", "40"))
    # It sets the number of packets an ACK by itself.
    whole = '{ ack_timer = "40 ms", ack_congestion_control = true }'
    yield _tcp("congestion control of ACKs", ("tcp", whole))
    yield _tcp("quick ACKs at the start", ("tcp.quick_acks", "16"))
    yield _tcp("byte counting", ("tcp.byte_counting", "2"))
    yield _tcp("no limited transmit", ("tcp.limited_transmit", "false"))
    yield _tcp("timestamps", ("tcp.timestamps", "true"), ("ack_packet", "52 B"), ("header", "52 B"))
    yield _tcp("PRR", ("tcp.prr", "true"))
    yield _tcp("RACK-TLP", ("tcp.rack", "true"))
    yield _tcp("F-RTO", ("tcp.frto", "true"))
    yield _tcp("HyStart++", ("controller.slow_start", "hystart++"))
    yield _tcp("without SACK", ("tcp.sack", "false"))


def _step(line: Line, way: str) -> str:
    """Marks beyond what the path holds, which leaves a sender that halves the whole link; never below four packets."""
    path = round(line.rate(way) * line.rtt_s / 8 / PACKET_B)
    return _queue("step", limit=line.own_limit(way), threshold=f"{max(4, path)} packets")


def _marking(line: Line) -> Iterator[Cure]:
    marks = tuple((f"flow.{flow}.tcp.ecn", "true") for flow in ("download", "upload"))
    for cure in _managed(line):
        if cure.name in ("RED", "adaptive RED", "REM", "CoDel", "PIE", "DualPI2", "FQ-CoDel", "CAKE"):
            yield Cure(f"{cure.name}, ECN", _BOTH, cure.changes + marks)
    step = _both("marks at a step", (_step(line, way) for way in ("down", "up")))
    yield Cure(f"{step.name}, ECN", _BOTH, step.changes + marks)
