"""The paper's link (Fig. 4, Section 3.1), what exhibits change in it, and the results they use."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult

__all__ = ["DOWN_BPS", "ORDERS", "PAYLOAD", "UP_BPS", "Link", "Outcome", "bandwidth_delay", "simulate", "single_flow"]

DOWN_BPS, UP_BPS = 2e6, 192e3
PAYLOAD = 1460 / 1500
"""Share of a data packet that is payload."""

ORDERS = {
    "together": (0.0, 0.0),
    "download first": (0.0, 15.0),
    "upload first": (15.0, 0.0),
}
"""When download and upload start, in seconds."""


@dataclass(frozen=True)
class Link:
    """What differs from `scenarios/link.toml`; buffers as a scenario file writes them."""

    down: str = "75000 B"
    up: str = "75000 B"
    window: int = 65536
    upload_window: int | None = None
    tp_ms: float = 20.0
    uploads: int = 1
    acks_every: int = 2
    order: str = "together"
    down_bps: float = DOWN_BPS
    up_bps: float = UP_BPS
    duration_s: float = 600.0
    warmup_s: float = 60.0
    overrides: tuple[tuple[str, str], ...] = ()

    def run(self, interval: str | None = None) -> Run:
        """Its simulation, with series if an interval is given."""
        first, second = ORDERS[self.order]
        changes = [
            ("duration", f"{self.duration_s:g} s"),
            ("warmup", f"{self.warmup_s:g} s"),
            ("link.down.rate", f"{self.down_bps:g} bit/s"),
            ("link.up.rate", f"{self.up_bps:g} bit/s"),
            ("link.*.delay", f"{self.tp_ms:g} ms"),
            ("link.down.queue.limit", self.down),
            ("link.up.queue.limit", self.up),
            ("flow.download.receive_window", f"{self.window} B"),
            ("flow.upload.receive_window", f"{self.upload_window or self.window} B"),
            ("flow.*.tcp.ack_every", str(self.acks_every)),
            ("flow.download.start", f"{first:g} s"),
            ("flow.upload.start", f"{second:g} s"),
        ]
        if self.uploads > 1:
            changes.append(("flow.upload.count", str(self.uploads)))
        return Run("link", "sim", None, (*changes, *self.overrides), interval)


@dataclass(frozen=True)
class Outcome:
    """The result of a run: rates are payload of all flows of a direction together, after the warm-up."""

    result: RunResult

    def _flows(self, way: str) -> list[dict[str, Any]]:
        return [f for f in self.result.document["flows"] if f["name"].startswith(way)]

    @property
    def download(self) -> float:
        """Goodput of the download, bit/s."""
        return sum(float(f["goodput_bps"]) for f in self._flows("download"))

    @property
    def upload(self) -> float:
        """Goodput of the uploads together, bit/s."""
        return sum(float(f["goodput_bps"]) for f in self._flows("upload"))

    @property
    def ratio(self) -> float:
        """Ratio r of eq. 8: download over upload; infinite if the uploads get nothing."""
        return self.download / self.upload if self.upload else inf

    def value(self, way: str, field: str) -> float:
        """A number of the first flow of a direction."""
        return float(self._flows(way)[0][field])

    def total(self, way: str, field: str) -> int:
        """A count over all flows of a direction."""
        return sum(int(f[field]) for f in self._flows(way))

    def window(self, way: str) -> float:
        """Mean congestion window of all flows of a direction together, packets."""
        return sum(float(f["window_packets"]["mean"]) for f in self._flows(way))

    def rtt(self, way: str) -> float:
        """Mean round-trip time of the first flow of a direction, seconds."""
        return float(self._flows(way)[0]["rtt_s"]["mean"])

    def utilisation(self, link: str) -> float:
        """Share of a link in use."""
        return float(self.result.link(link)["utilisation"])

    def queue_bytes(self, link: str) -> float:
        """Mean number of bytes that wait for a link."""
        return float(self.result.link(link)["queue_bytes"]["mean"])

    def drops(self, link: str) -> int:
        """Packets dropped at a link."""
        return sum(int(n) for n in self.result.link(link)["drops"].values())

    def whole_run_goodput(self, way: str) -> float:
        """Goodput from the first second of the run on, bit/s."""
        return 8.0 * self.total(way, "delivered_bytes") / _core.quantity("time", self.result.scenario["duration"])


def simulate(context: Context, links: Iterable[Link]) -> list[Outcome]:
    """Simulates all `links`, in parallel; outcomes are in their order."""
    runs: Sequence[Run] = [link.run() for link in links]
    return [Outcome(result) for result in context.runner.run_all(runs)]


def single_flow(way: str, buffer: float, rtt_s: float) -> Link:
    """A single flow `down` or `up` with an unlimited window; its buffer holds at least one packet."""
    limit = f"{max(1500, round(buffer))} B"
    other = "upload" if way == "down" else "download"
    return Link(
        down=limit if way == "down" else "75000 B",
        up=limit if way == "up" else "75000 B",
        window=4_000_000,
        tp_ms=5e2 * rtt_s,
        duration_s=300.0,
        warmup_s=60.0,
        overrides=((f"flow.{other}.start", "299999 ms"),),
    )


def bandwidth_delay(rate_bps: float, tp_s: float) -> float:
    """Bytes that fill both ways of propagation: 2 tp C / 8."""
    return 2.0 * tp_s * rate_bps / 8.0
