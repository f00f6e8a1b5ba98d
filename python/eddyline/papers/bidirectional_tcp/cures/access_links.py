"""The access links on which cures are tried, and for how long."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import eddyline._core as _core
from eddyline.adviser.access import PACKET_B, Access

__all__ = ["ACCESS_LINKS", "AccessLink"]


@dataclass(frozen=True)
class AccessLink:
    """An access link by its preset.

    Attributes:
        name: Its usual name.
        preset: Its name in `eddyline list`.
        server_ms: One-way delay between the far end of the link and the servers.
        duration_s: Length of each run.
        warmup_s: Time from which results are measured.
        probe_ms: Time between two probes.
        window_B: Receive window of the transfers, None for unlimited.
    """

    name: str
    preset: str
    server_ms: float
    duration_s: float
    warmup_s: float
    probe_ms: float
    window_B: int | None = None  # noqa: N815 (bytes)

    @property
    def info(self) -> dict[str, Any]:
        """The preset: rates, delays, queues."""
        return _presets()[self.preset]

    def rate(self, way: str) -> float:
        """Rate of `down` or `up` in bit/s."""
        return float(_core.quantity("rate", self.info[way]["rate"]))

    def packet_s(self, way: str) -> float:
        """Transmission time of a full packet."""
        return 8 * PACKET_B / self.rate(way)

    @property
    def rtt_s(self) -> float:
        """Round-trip time without queues and transmission."""
        ways = sum(_core.quantity("time", self.info[way]["delay"]) for way in ("down", "up"))
        return float(ways + 2e-3 * self.server_ms)

    def own_limit(self, way: str) -> str:
        """The limit of the queue that comes with the link."""
        return str(self.info[way]["queue"]["limit"])

    def access(self, uploads: int) -> Access:
        """The link as the adviser takes it."""
        return Access(self.rate("down"), self.rate("up"), (self.rtt_s, self.rtt_s), uploads=(uploads, uploads))


@cache
def _presets() -> dict[str, dict[str, Any]]:
    return {p["name"]: p for p in json.loads(_core.register())["presets"]}


ACCESS_LINKS = (
    AccessLink("the paper's link", "wimax-2009", 0.0, 900.0, 240.0, 500.0, 65_536),
    AccessLink("ADSL2+", "adsl2+", 10.0, 240.0, 40.0, 100.0),
    AccessLink("VDSL2", "vdsl2", 10.0, 100.0, 20.0, 50.0),
    AccessLink("DOCSIS 3.1", "docsis-3.1", 10.0, 30.0, 8.0, 20.0),
    AccessLink("LTE", "lte", 10.0, 150.0, 30.0, 100.0),
    AccessLink("Starlink", "starlink", 10.0, 60.0, 15.0, 50.0),
)
"""The paper's link and five of today. Faster links have shorter runs of about as many packets."""
