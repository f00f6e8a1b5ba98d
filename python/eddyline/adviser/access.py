"""The access link that is to be advised on, and what its user does."""

from __future__ import annotations

from dataclasses import dataclass

from eddyline.controllers.names import need
from eddyline.errors import InputError
from eddyline.quantities import read

__all__ = ["ACK_B", "HEADER_B", "PACKET_B", "Access", "parse_rtt"]

PACKET_B = 1500
"""A full data packet."""
HEADER_B = 40
"""Its headers."""
ACK_B = 40
"""An acknowledgement; one for every second packet (RFC 1122, section 4.2.3.2)."""

_SANE_RTT_S = (1e-4, 10.0)
_SANE_RATE_BPS = (1e3, 1e10)
_MOST_UPLOADS = 100


@dataclass(frozen=True)
class Access:
    """One subscriber's line: a download and some uploads cross it together.

    Attributes:
        down_bps: Rate towards the subscriber, bit/s.
        up_bps: Rate away from the subscriber, bit/s.
        rtt_s: Least and greatest round-trip time without queues, s.
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
            InputError: One of them is not what it should be.
        """
        rates = []
        for name, text in (("down", down), ("up", up)):
            rate = read(name, "rate", text)
            if not _SANE_RATE_BPS[0] <= rate <= _SANE_RATE_BPS[1]:
                raise InputError(f"{name} {text!r} is outside 1 kbit/s to 10 Gbit/s")
            rates.append(rate)
        if not 1 <= uploads <= _MOST_UPLOADS:
            raise InputError(f"uploads {uploads} is outside 1 to {_MOST_UPLOADS}")
        need(controller)
        return cls(rates[0], rates[1], parse_rtt(rtt), uploads, controller)

    @property
    def rtts_s(self) -> list[float]:
        """The round-trip times that a trial looks at: both ends of the range."""
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
    ends = [read("rtt", "time", part.strip()) for part in text.split("..")]
    if len(ends) > 2:
        raise InputError(f"rtt {text!r} is not a time or a range of times", 'as in "40 ms" or "20 ms..300 ms"')
    least, greatest = ends[0], ends[-1]
    if least > greatest:
        raise InputError(
            f"rtt {text!r} runs backwards", f'did you mean "{text.split("..")[1]}..{text.split("..")[0]}"?'
        )
    if least < _SANE_RTT_S[0] or greatest > _SANE_RTT_S[1]:
        raise InputError(f"rtt {text!r} is outside 100 us to 10 s")
    return least, greatest
