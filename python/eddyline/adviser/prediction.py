"""Predictions of the formulas for a pair of queues."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.adviser.access import ACK_B, HEADER_B, PACKET_B
from eddyline.adviser.disciplines import holds
from eddyline.adviser.sizing import both_busy
from eddyline.kinds import queue as queue_kind

if TYPE_CHECKING:
    from eddyline.adviser.access import Access
    from eddyline.adviser.candidates import Queues

__all__ = ["predict"]

_UNLIMITED_B = 1e12
"""A receive window that never limits."""


def predict(access: Access, queues: Queues) -> dict[str, Any]:
    """Goodputs in bit/s and the longest delay in s, of the fewest flows at the longest round-trip time.

    Two FIFOs: the windows that they allow (eq. 7 and 8 of the bidirectional-TCP paper, corrected) and their goodputs;
    the delay is that of a full buffer. Other queues: both links full of data and of the other direction's
    acknowledgements, unfiltered; the delay is that of a full buffer or CoDel's target, null where neither sets it.
    """
    payload = 8 * (PACKET_B - HEADER_B)
    acks = 8 * access.line.line_bytes(ACK_B) / 2
    # a link may be too slow for the acknowledgements of the other one
    alone = {
        "download_bps": payload * min(access.down_packets_per_s, access.up_bps / acks),
        "upload_bps": payload * min(access.up_packets_per_s, access.down_bps / acks),
    }
    if queue_kind(queues.down["kind"]).drop_tail and queue_kind(queues.up["kind"]).drop_tail:
        return {**_fifos(access, queues), "alone": alone}
    download, upload = both_busy(access)
    return {"download_bps": download, "upload_bps": upload, "alone": alone, "worst_delay_s": _delay(access, queues)}


def _fifos(access: Access, queues: Queues) -> dict[str, float]:
    rtt = access.rtt_s[1]

    def direction(packets_per_s: float, limit: str) -> dict[str, Any]:
        size, unit = _limit(limit)
        return {"rate_bps": 8 * PACKET_B * packets_per_s, "buffer": size, "unit": unit}

    def flows(number: int) -> dict[str, Any]:
        return {"flows": number, "window": _UNLIMITED_B, "base_rtt_s": rtt}

    setting = {
        "link": {
            "down": direction(access.down_packets_per_s, queues.down["limit"]),
            "up": direction(access.up_packets_per_s, queues.up["limit"]),
        },
        "downloads": flows(access.downloads[0]),
        "uploads": flows(access.uploads[0]),
        "packet": PACKET_B,
        "ack": ACK_B,
        "acks_every": 2,
    }
    estimate = json.loads(_core.buffer_estimate(json.dumps({"setting": setting})))
    download, upload = _goodputs(access, estimate["window_down"], estimate["window_up"])
    return {"download_bps": download, "upload_bps": upload, "worst_delay_s": max(_waits(access, queues))}


def _goodputs(access: Access, window_down: float, window_up: float) -> tuple[float, float]:
    """Of windows in bytes: as `shares` of the model, with every packet at its size on the line.

    Buffers, and so windows, count packets without framing, of which a line adds far more to an acknowledgement.
    """
    down, up = window_down / PACKET_B, window_up / PACKET_B
    packet, acks = access.line.line_bytes(PACKET_B), access.line.line_bytes(ACK_B) / 2
    # the round trip of all: as long as it takes until neither link is overloaded
    trip = max(
        access.rtt_s[1],
        8 * (down * packet + up * acks) / access.down_bps,
        8 * (up * packet + down * acks) / access.up_bps,
    )
    payload = 8 * (PACKET_B - HEADER_B)
    return payload * down / trip, payload * up / trip


def _limit(limit: str) -> tuple[float, str]:
    number, unit = limit.split(maxsplit=1)
    return (float(number), unit) if unit in ("packets", "cells") else (_core.quantity("bytes", limit), "bytes")


def _waits(access: Access, queues: Queues) -> list[float]:
    """Of packets behind queues full of data."""
    directions = (queues.down, access.down_packets_per_s), (queues.up, access.up_packets_per_s)
    return [holds(queue["limit"], PACKET_B) / rate for queue, rate in directions]


def _delay(access: Access, queues: Queues) -> float | None:
    waits = []
    for queue, full in zip((queues.down, queues.up), _waits(access, queues), strict=True):
        set_by = queue_kind(queue["kind"]).delay_set_by
        if set_by is None:
            return None
        waits.append(_core.quantity("time", queue["target"]) if set_by == "target" else full)
    return max(waits)
