"""The cures: every discipline and every option of TCP, as changes to a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import PACKET_B
from eddyline.adviser.candidates import limit
from eddyline.adviser.sizing import proportional

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eddyline.papers.bidirectional_tcp.cures.access_links import AccessLink

__all__ = ["AS_IT_COMES", "SMALL_PACKETS", "Cure", "catalogue"]

AS_IT_COMES = "as it comes"
"""The link with its own buffers and TCP with its usual options: nothing changed."""

SMALL_PACKETS = "drop-tail, advised size in packets"
"""Buffers of the advised size in devices that count packets."""

_QUEUE, _TCP, _BOTH = "queue", "TCP", "queue and TCP"


@dataclass(frozen=True)
class Cure:
    """A change of queues, of TCP, or of both.

    Attributes:
        name: Its name in tables.
        what: What it changes: the queues, TCP, or both.
        changes: Overrides of the scenario.
    """

    name: str
    what: str
    changes: tuple[tuple[str, str], ...]


def catalogue(link: AccessLink, uploads: int) -> list[Cure]:
    """All cures for a link; the first changes nothing."""
    return [
        Cure(AS_IT_COMES, "nothing", ()),
        *_buffers(link, uploads),
        *_schedulers(link),
        *_managed(link),
        *_options(link),
        *_marking(link),
    ]


def _both(name: str, queues: Iterable[str]) -> Cure:
    """A cure by the queues of downlink and uplink."""
    down, up = queues
    return Cure(name, _QUEUE, (("duplex.line.down.queue", down), ("duplex.line.up.queue", up)))


def _queue(kind: str, **parameters: Any) -> str:
    """A queue as a scenario file writes it."""
    keys = "".join(f", {key} = {_toml(value)}" for key, value in parameters.items())
    return f'{{ kind = "{kind}"{keys} }}'


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def _buffers(link: AccessLink, uploads: int) -> Iterator[Cure]:
    small = proportional(link.access(uploads))
    for unit in ("bytes", "packets"):
        down, up = (_queue("droptail", limit=limit(size, unit)) for size in (small.down, small.up))
        yield _both(f"drop-tail, advised size in {unit}", (down, up))
    # The other common mistake: a buffer as small as possible.
    yield _both("drop-tail, 4 packets up", (_own(link, "down"), _queue("droptail", limit="4 packets")))
    for packets in (100, 1000):
        queue = _queue("droptail", limit=f"{packets} packets")
        yield _both(f"drop-tail, {packets:,} packets", (queue, queue))
    yield _both("head drop", (_own(link, way, "headdrop") for way in ("down", "up")))
    down, up = (
        _queue(
            "tbf",
            rate=f"{0.95 * link.rate(way):.0f} bit/s",
            burst=f"{max(2 * PACKET_B, round(link.rate(way) / 8 * 2e-3))} B",
            limit=limit(size, "bytes"),
        )
        for way, size in (("down", small.down), ("up", small.up))
    )
    yield _both("token bucket at 95 %, advised size", (down, up))
    if link.preset.startswith("wimax"):
        # One channel for both directions (time division duplex). Not a cure, but the effect of the medium itself.
        medium = tuple((f"duplex.line.{way}.medium", "air") for way in ("down", "up"))
        yield Cure("half-duplex medium", "the medium", medium)


def _own(link: AccessLink, way: str, kind: str = "droptail", **parameters: Any) -> str:
    """A queue with the limit of the one that comes with the link."""
    return _queue(kind, limit=link.own_limit(way), **parameters)


def _schedulers(link: AccessLink) -> Iterator[Cure]:
    def same(name: str, kind: str, **parameters: Any) -> Cure:
        return _both(name, (_own(link, way, kind, **parameters) for way in ("down", "up")))

    yield same("ACKs first", "ack_priority")
    yield same("ACK filter", "ack_filter", rule="all")
    decimate = '{ kind = "every", keep_one_in = 3 }'
    down, up = (
        f'{{ kind = "ack_decimation", limit = "{link.own_limit(way)}", threshold = "10 packets", drop = {decimate} }}'
        for way in ("down", "up")
    )
    yield _both("ACK decimation", (down, up))
    yield _both("a buffer per connection", (_own(link, w, "per_connection", each="20 packets") for w in ("down", "up")))
    yield _both("SFQ", [_queue("sfq")] * 2)
    yield same("DRR", "drr")


def _target(link: AccessLink, way: str, usual_ms: float) -> dict[str, str]:
    """At least one and a half packets long (RFC 8289, section 4)."""
    return {"target": f"{1e6 * max(usual_ms * 1e-3, 1.5 * link.packet_s(way)):.0f} us"}


def _codel(link: AccessLink, way: str) -> dict[str, str]:
    target = max(5e-3, 1.5 * link.packet_s(way))
    return _target(link, way, 5.0) | {"interval": f"{1e6 * max(0.1, link.rtt_s, 2 * target):.0f} us"}


def _cake(link: AccessLink, way: str, **more: str) -> str:
    """With Linux's limit: four intervals at the link's rate, at least 4 MiB (sch_cake.c, cake_reconfigure)."""
    interval_s = 0.1
    return _queue("cake", limit=f"{max(4 << 20, 4 * interval_s * link.rate(way) / 8):.0f} B", **more)


def _managed(link: AccessLink) -> Iterator[Cure]:
    ways = ("down", "up")
    yield _both("RED", [_queue("red", limit="1000 packets")] * 2)
    yield _both("adaptive RED", [_queue("adaptive_red")] * 2)
    yield _both("REM", [_queue("rem")] * 2)
    yield _both("CoDel", (_queue("codel", **_codel(link, way)) for way in ways))
    yield _both("PIE", (_queue("pie", **_target(link, way, 15.0)) for way in ways))
    yield _both("DualPI2", (_queue("dualpi2", **_target(link, way, 15.0)) for way in ways))
    yield _both("FQ-CoDel", (_queue("fq_codel", **_codel(link, way)) for way in ways))
    yield _both("CAKE", (_cake(link, way) for way in ways))
    yield _both("CAKE, ACK filter", (_cake(link, way, ack_filter="aggressive") for way in ways))


def _tcp(name: str, *options: tuple[str, str], who: str = "*") -> Cure:
    flows = ("download", "upload") if who == "*" else (who,)
    return Cure(name, _TCP, tuple((f"flow.{flow}.{key}", value) for flow in flows for key, value in options))


def _options(link: AccessLink) -> Iterator[Cure]:
    yield _tcp("ACK for every packet", ("tcp.ack_every", "1"))
    yield _tcp("ACK for every 8th packet", ("tcp.ack_every", "8"))
    if link.window_B is not None:
        yield _tcp("no window limit", ("receive_window", "1 GB"))
    windows = {"download": link.rate("down"), "upload": link.rate("up")}
    # One and a half bandwidth-delay products, at least four packets.
    changes = tuple(
        (f"flow.{flow}.receive_window", f"{max(4 * PACKET_B, 1.5 * rate * link.rtt_s / 8):.0f} B")
        for flow, rate in windows.items()
    )
    yield Cure("windows of 1.5 path's worth", _TCP, changes)
    yield Cure("upload windows of 1.5 path's worth", _TCP, changes[1:])
    yield _tcp("pacing", ("tcp.pacing", "true"))
    yield _tcp("initial window 3", ("tcp.initial_window", "3"))
    yield _tcp("initial window 40", ("tcp.initial_window", "40"))
    # It controls the number of packets per ACK itself.
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


def _step(link: AccessLink, way: str) -> str:
    """Marks above the bandwidth-delay product, so that a sender that halves still fills the link."""
    path = round(link.rate(way) * link.rtt_s / 8 / PACKET_B)
    return _queue("step", limit=link.own_limit(way), threshold=f"{max(4, path)} packets")


def _marking(link: AccessLink) -> Iterator[Cure]:
    marks = tuple((f"flow.{flow}.tcp.ecn", "true") for flow in ("download", "upload"))
    for cure in _managed(link):
        if cure.name in ("RED", "adaptive RED", "REM", "CoDel", "PIE", "DualPI2", "FQ-CoDel", "CAKE"):
            yield Cure(f"{cure.name}, ECN", _BOTH, cure.changes + marks)
    step = _both("marks at a step", (_step(link, way) for way in ("down", "up")))
    yield Cure(f"{step.name}, ECN", _BOTH, step.changes + marks)
