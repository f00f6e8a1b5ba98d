"""Sizes of the packets of world `quic`, in bytes."""

__all__ = ["ACK", "DATAGRAM", "IP_AND_UDP", "OVERHEAD", "acknowledgement", "payload"]

DATAGRAM = 1200
"""A full datagram, without UDP and IP: the least that QUIC takes (RFC 9000, section 14)."""

_LARGEST = 65_527
"""Of a UDP datagram, without UDP and IP."""

IP_AND_UDP = 48
"""Headers of IPv6 and UDP."""

OVERHEAD = 33
"""What is not payload of a datagram with stream data: short header, frame header and tag; at most, by its numbers."""

ACK = 36
"""A datagram with an acknowledgement of one range, without ECN; at most, by its numbers."""


def payload(datagram: float) -> float:
    """Stream data in a full datagram, where packets without `header` have so many bytes; at least, by its numbers."""
    return min(max(datagram, DATAGRAM), _LARGEST) - OVERHEAD


def acknowledgement(packets: float, ecn: bool = False) -> float:
    """A datagram with an acknowledgement of one range, on average over so many packets of a connection.

    Their numbers take two bytes, from 2^14 on four (RFC 9000, section 16). A window of hundreds of packets takes
    one byte more. With ECN there are three counts (19.3.2): of the packets, and two that usually take a byte.
    """
    few, many = ACK - 3 + (4 if ecn else 0), ACK - 1 + (6 if ecn else 0)
    return many - (many - few) * min(1.0, 2**14 / max(packets, 1.0))
