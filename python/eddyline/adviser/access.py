"""The access link to advise on, and its flows."""

from __future__ import annotations

from dataclasses import dataclass

from eddyline.errors import InputError
from eddyline.kinds import require_controller
from eddyline.quantities import read

__all__ = ["ACK_B", "HEADER_B", "PACKET_B", "Access", "parse_rtt"]

PACKET_B = 1500
"""A full data packet."""
HEADER_B = 40
"""Its headers."""
ACK_B = 40
"""An acknowledgement; one for every second packet (RFC 1122, section 4.2.3.2)."""

_RTT_RANGE_S = (1e-4, 10.0)
_RATE_RANGE_BPS = (1e3, 1e10)
_MAX_UPLOADS = 100


@dataclass(frozen=True)
class Access:
    """The access link of one subscriber, with a download and some uploads.

    Attributes:
        down_bps: Rate towards the subscriber, bit/s.
        up_bps: Rate away from the subscriber, bit/s.
        rtt_s: Minimum and maximum round-trip time without queues, s.
        uploads: How many uploads run beside the download.
        controller: Kind of congestion controller of all flows.
    """

    down_bps: float
    up_bps: float
    rtt_s: tuple[float, float]
    uploads: int = 1
    controller: str = "newreno"

    @classmethod
    def of(cls, down: str, up: str, rtt: str, uploads: int, controller: str) -> Access:
        """Reads the quantities, for example `"2 Mbit/s"`, `"192 kbit/s"`, `"20 ms..300 ms"`.

        Raises:
            InputError: One of them is invalid.
        """
        rates = []
        for name, text in (("down", down), ("up", up)):
            rate = read(name, "rate", text)
            if not _RATE_RANGE_BPS[0] <= rate <= _RATE_RANGE_BPS[1]:
                raise InputError(f"{name} {text!r} is outside 1 kbit/s to 10 Gbit/s")
            rates.append(rate)
        if not 1 <= uploads <= _MAX_UPLOADS:
            raise InputError(f"uploads {uploads} is outside 1 to {_MAX_UPLOADS}")
        require_controller(controller)
        return cls(rates[0], rates[1], parse_rtt(rtt), uploads, controller)

    @property
    def rtts_s(self) -> list[float]:
        """The round-trip times that are simulated: the minimum and the maximum."""
        return sorted(set(self.rtt_s))

    @property
    def down_packets_per_s(self) -> float:
        """Full packets that the downlink carries."""
        return self.down_bps / (8 * PACKET_B)

    @property
    def up_packets_per_s(self) -> float:
        """Full packets that the uplink carries."""
        return self.up_bps / (8 * PACKET_B)


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
