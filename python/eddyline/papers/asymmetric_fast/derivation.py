"""Section II step by step: each printed equation against what follows from the ones before it, at Fig. 2's setting."""

from __future__ import annotations

import cmath
from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast.equations import ACK_BYTES, FORWARD_BPS, factor

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_GAMMA, _ALPHA, _D = 0.5, 1000.0, 0.040
_C_F, _C_B = FORWARD_BPS / 8.0, 1e6 / 8.0  # bytes/s, as the letter has them
_P_F, _P_B = 1000.0, ACK_BYTES
_K_F = factor(8.0 * _C_B, _P_F)
_TOTAL = 0.7 * _C_F
"""Some total rate in bytes/s, at which forms of eq. 14 are compared."""
_FREQUENCY = 100.0
"""Some frequency in rad/s, at which forms of eq. 20 are compared."""


def build(context: Context) -> Exhibit:
    """One row per equation and term."""
    x0 = _C_F / _P_F  # packets/s; the letter's equilibrium, one flow
    q0 = _ALPHA / x0
    r0 = _D + q0
    w0 = r0 * x0
    w_of_q = _slope(lambda w: _window(w, q0), w0), _slope(lambda q: _window(w0, q), q0)
    q_of_w = _slope(lambda w: _queue(w, q0), w0), _slope(lambda q: _queue(w0, q), q0)
    both = 1.0 + _K_F
    terms = [
        ("14, third line", "q'", (_TOTAL - _C_F) / _C_F + _K_F * _C_F * (_TOTAL - _C_F / _K_F), _eq_13(_TOTAL)),
        ("14, last line", "q'", both / _C_F * (_TOTAL - 2.0 * _C_F / both), _eq_13(_TOTAL)),
        ("16", "of the window", both * _P_F / _C_F / r0, q_of_w[0]),
        ("16", "of the delay", -both * _P_F / _C_F * w0 / r0**2, q_of_w[1]),
        ("17", "of the window", -_GAMMA * q0 / r0, w_of_q[0]),
        ("17", "of the delay", -w0 * _D / r0**2, w_of_q[1]),
        ("20", "|L|", _eq_20(r0, q0), _loop(q_of_w, w_of_q, r0)),
    ]
    rows: list[Row] = [
        {
            "equation": f"eq. {equation}",
            "term": term,
            "printed": printed,
            "derived": derived,
            "ratio": printed / derived,
            "one": 1.0,
        }
        for equation, term, printed, derived in terms
    ]
    return context.definition("derivation").exhibit(rows)


def _eq_13(total: float) -> float:
    return (total - _C_F) / _C_F + (total * _P_B / _P_F - _C_B) / _C_B


def _window(w: float, q: float) -> float:
    """Eq. 2."""
    return _GAMMA * (_D * w / (_D + q) + _ALPHA - w)


def _queue(w: float, q: float) -> float:
    """Eq. 15, one flow."""
    return (1.0 + _K_F) / _C_F * (w * _P_F / (_D + q) - 2.0 * _C_F / (1.0 + _K_F))


def _slope(of: Callable[[float], float], at: float) -> float:
    step = 1e-5 * at
    return (of(at + step) - of(at - step)) / (2.0 * step)


def _eq_20(r0: float, q0: float) -> float:
    s = complex(0.0, _FREQUENCY)
    loop = (1.0 + _K_F) * _P_F * cmath.exp(-r0 * s) / r0
    return abs(_GAMMA * _D / r0 * loop / ((s + loop) * (s + _GAMMA * q0 / r0)))


def _loop(q_of: tuple[float, float], w_of: tuple[float, float], r0: float) -> float:
    """From W to W by the slopes: s Q = (a W + b Q) e^(-R0 s), s W = c W + g Q."""
    s = complex(0.0, _FREQUENCY)
    late = cmath.exp(-r0 * s)
    return abs(w_of[1] * q_of[0] * late / ((s - q_of[1] * late) * (s - w_of[0])))
