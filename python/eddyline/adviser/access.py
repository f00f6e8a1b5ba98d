"""The access link to advise on, and its flows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import eddyline.kinds as kinds
from eddyline.adviser.line import BARE, Line, line
from eddyline.errors import InputError
from eddyline.quantities import read

__all__ = ["ACK_B", "FLOWS", "HEADER_B", "PACKET_B", "Access", "parse_flows", "parse_rtt"]

PACKET_B = 1500
"""A full data packet."""
HEADER_B = 40
"""Its headers."""
ACK_B = 40
"""An acknowledgement; one for every second packet (RFC 1122, section 4.2.3.2)."""

FLOWS = "1..4"
"""How many flows each way, unless the user says."""

_RTT_RANGE_S = (1e-4, 10.0)
_RATE_RANGE_BPS = (1e3, 1e10)
_MAX_FLOWS = 100


@dataclass(frozen=True)
class Access:
    """The access link of one subscriber with its shaper, some downloads and some uploads.

    Attributes:
        down_bps: Rate at which the shaper sends towards the subscriber, bit/s on the line.
        up_bps: The same away from the subscriber.
        rtt_s: Minimum and maximum round-trip time without queues, s.
        downloads: Minimum and maximum number of downloads at a time.
        uploads: The same of uploads.
        controller: Kind of congestion controller of all flows.
        line: Its framing.
    """

    down_bps: float
    up_bps: float
    rtt_s: tuple[float, float]
    downloads: tuple[int, int] = (1, 1)
    uploads: tuple[int, int] = (1, 1)
    controller: str = "newreno"
    line: Line = BARE

    @classmethod
    def of(
        cls,
        down: str,
        up: str,
        rtt: str,
        *,
        downloads: str = FLOWS,
        uploads: str = FLOWS,
        controller: str = "newreno",
        line_name: str | None = None,
        share: float | None = None,
    ) -> Access:
        """Reads the quantities, for example `"2 Mbit/s"`, `"192 kbit/s"`, `"20 ms..300 ms"`, and shapes the line.

        Raises:
            InputError: One of them is invalid.
        """
        rates = []
        for name, text in (("down", down), ("up", up)):
            rate = read(name, "rate", text)
            if not _RATE_RANGE_BPS[0] <= rate <= _RATE_RANGE_BPS[1]:
                raise InputError(f"{name} {text!r} is outside 1 kbit/s to 10 Gbit/s")
            rates.append(rate)
        flows = [parse_flows(name, text) for name, text in (("downloads", downloads), ("uploads", uploads))]
        kinds.require_controller(controller)
        shaped = line(line_name)
        if share is not None:
            if not 0 < share <= 1:
                raise InputError(f"share {share:g} is outside 0 to 1")
            shaped = replace(shaped, share=share)
        down_bps, up_bps = (shaped.share * rate for rate in rates)
        return cls(down_bps, up_bps, parse_rtt(rtt), flows[0], flows[1], controller, shaped)

    def sender(self) -> dict[str, Any]:
        """The controller of a flow, as a scenario has it."""
        alpha = kinds.controller(self.controller).alpha
        return {"kind": self.controller} | ({} if alpha is None else {"alpha": f"{alpha.access_packets:.0f} packets"})

    @property
    def down_packets_per_s(self) -> float:
        """Full packets that the downlink carries."""
        return self.down_bps / (8 * self.line.line_bytes(PACKET_B))

    @property
    def up_packets_per_s(self) -> float:
        """Full packets that the uplink carries."""
        return self.up_bps / (8 * self.line.line_bytes(PACKET_B))


def parse_flows(name: str, text: str) -> tuple[int, int]:
    """A number of flows or a range of numbers: `"2"`, `"1..4"`."""
    parts = str(text).split("..")
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise InputError(f"{name} {text!r} is not a number or a range of numbers", 'as in "2" or "1..4"')
    low, high = numbers[0], numbers[-1]
    if low > high:
        raise InputError(f"{name} {text!r} has its maximum first", f'did you mean "{high}..{low}"?')
    if low < 1 or high > _MAX_FLOWS:
        raise InputError(f"{name} {text} is outside 1 to {_MAX_FLOWS}")
    return low, high


def parse_rtt(text: str) -> tuple[float, float]:
    """A time or a range of times: `"40 ms"`, `"20 ms..300 ms"`, in s."""
    times = [read("rtt", "time", part.strip()) for part in text.split("..")]
    if len(times) > 2:
        raise InputError(f"rtt {text!r} is not a time or a range of times", 'as in "40 ms" or "20 ms..300 ms"')
    low, high = times[0], times[-1]
    if low > high:
        raise InputError(
            f"rtt {text!r} has its maximum first", f'did you mean "{text.split("..")[1]}..{text.split("..")[0]}"?'
        )
    if low < _RTT_RANGE_S[0] or high > _RTT_RANGE_S[1]:
        raise InputError(f"rtt {text!r} is outside 100 us to 10 s")
    return low, high
