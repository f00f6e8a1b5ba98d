"""The letter's equations: the asymmetry factor and Theorem 1, and what its eq. 15 gives without empty queues."""

from __future__ import annotations

__all__ = ["FORWARD_BPS", "aggregate_of_eq_15", "backward_bps", "factor", "theorem_1"]

FORWARD_BPS = 100e6
ACK_BYTES = 40.0


def factor(backward: float, data_bytes: float) -> float:
    """Eq. 1: k_f, an ACK's transmission time on the backward link over a data packet's on the forward link."""
    return FORWARD_BPS * ACK_BYTES / (backward * data_bytes)


def backward_bps(k_f: float, data_bytes: float) -> float:
    """The rate of the backward link that gives k_f."""
    return FORWARD_BPS * ACK_BYTES / (k_f * data_bytes)


def theorem_1(k_f: float, share: float = 1.0) -> float:
    """Throughput in bit/s of a flow that has this share of all alpha."""
    return share * FORWARD_BPS / max(1.0, k_f)


def aggregate_of_eq_15(k_f: float) -> float:
    """Total throughput at the equilibrium of eq. 15, whose queues may be negative: one grows, the other falls."""
    return 2.0 * FORWARD_BPS / (1.0 + k_f)
