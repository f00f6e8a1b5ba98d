"""The buffer model (eq. 6 to 8), as the theory engine computes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import eddyline._core as _core

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.papers.bidirectional_tcp.setting import Link

__all__ = ["MEASURED_RHO", "RHO", "Estimate", "estimate"]

_PACKET = 1500.0
RHO = 1.0 / 30.0
"""Size of an acknowledgement over that of a segment in eq. 7, as printed."""
MEASURED_RHO = 40.0 / _PACKET
"""The same of the packets that the simulations send."""

_UNITS = {"B": "bytes", "packets": "packets", "cells": "cells"}


@dataclass(frozen=True)
class Estimate:
    """What the equations give; windows in bytes.

    Attributes:
        ratio: r of eq. 8.
        window_down: cwnd_d.
        window_up: cwnd_u of all uploads together.
        room_up: B*_u of eq. 7.
        down_limited_by_window: W is below what buffer and path hold: no loss of the download is expected.
        up_limited_by_window: The same of the uploads.
        up_starves: Acknowledgements leave room for less than one packet.
        download_bps: Rate on the wire with both capacities and round-trip times kept.
        upload_bps: The same of all uploads.
        least_uplink: Uplink buffer with room for one packet in addition to the acknowledgements, in its unit.
    """

    ratio: float
    window_down: float
    window_up: float
    room_up: float
    down_limited_by_window: bool
    up_limited_by_window: bool
    up_starves: bool
    download_bps: float
    upload_bps: float
    least_uplink: float


def estimate(link: Link, base_rtts_s: Mapping[str, float] | None = None, rho: float = RHO, **readings: str) -> Estimate:
    """The estimate for a link.

    Args:
        link: The link. Eq. 7 is about bytes: of cells an acknowledgement takes one and of packets one, whatever `rho`.
        rho: Size of an acknowledgement over that of a segment.
        base_rtts_s: Round-trip time without queues of `download` or `upload` where it is not 2 tp.
        readings: `saw_tooth`, `propagation`, `losses` as in `eddyline_theory::buffer::Readings`.
    """
    rtts = {"download": 2e-3 * link.tp_ms, "upload": 2e-3 * link.tp_ms} | dict(base_rtts_s or {})

    def way(rate_bps: float, limit: str) -> dict[str, Any]:
        amount, unit = limit.split()
        return {"rate_bps": rate_bps, "buffer": float(amount), "unit": _UNITS[unit]}

    def flows_of(flows: int, window: int, rtt_s: float) -> dict[str, Any]:
        return {"flows": flows, "window": float(window), "base_rtt_s": rtt_s}

    setting = {
        "link": {"down": way(link.down_bps, link.down), "up": way(link.up_bps, link.up)},
        "downloads": flows_of(1, link.window, rtts["download"]),
        "uploads": flows_of(link.uploads, link.upload_window or link.window, rtts["upload"]),
        "packet": _PACKET,
        "ack": _PACKET * (rho if link.up.endswith(" B") else MEASURED_RHO),
        "acks_every": float(link.acks_every),
    }
    result = json.loads(_core.buffer_estimate(json.dumps({"setting": setting, "readings": readings})))
    shares = result.pop("shares")
    result |= {name: shares[name] for name in ("download_bps", "upload_bps")}
    return Estimate(**{name: result[name] for name in Estimate.__dataclass_fields__})
