"""The letter's open loop, printed and corrected, as numbers: u = gain times round trip, rho = q0 / R0, z = s R0.

With links that integrate every form has the characteristic equation 1 + a e^-z (z + u) / (z (z + u rho)) = 0. What
differs is the factor a: (1 + k_f) n P_f as eq. 20 prints it, 1 + k_f where packets are counted in packets on both
sides, 1 where one link has a queue, 2 where k_f = 1 exactly and both have. Eq. 21 puts 1 / (1 + z) for e^-z.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from math import atan, degrees, inf, pi
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Loop", "right_poles", "rightmost_pole_with_lag", "window_loop"]


@dataclass(frozen=True)
class Loop:
    """L(z) = a e^-z (z + u) / (z (z + u rho)), or with the lag for the delay."""

    u: float
    rho: float
    a: float = 1.0
    lag: bool = False

    def at(self, w: float) -> complex:
        """L at z = i w, w in radians a round trip."""
        z = complex(0.0, w)
        late = 1.0 / (1.0 + z) if self.lag else cmath.exp(-z)
        return self.a * late * (z + self.u) / (z * (z + self.u * self.rho))

    def phase(self, w: float) -> float:
        """The phase there, unwrapped, in radians: it starts at -pi / 2."""
        late = atan(w) if self.lag else w
        return -0.5 * pi - late + atan(w / self.u) - atan(w / (self.u * self.rho))

    def gain_margin(self) -> float:
        """The factor on a that ends stability: below 1 where the loop is unstable, infinite where no factor does."""
        u, pole = self.u, self.u * self.rho
        if self.lag:
            # Routh: (1 + pole) (pole + a) > a u
            return (1.0 + pole) * pole / (self.a * (u - 1.0 - pole)) if u > 1.0 + pole else inf
        # the phase falls below -pi for good, the magnitude falls all the way: the first crossing decides
        return 1.0 / abs(self.at(_root(lambda w: self.phase(w) + pi, 1e-9, pi)))

    def crossover(self) -> float:
        """The frequency at which |L| = 1, in radians a round trip."""
        return _root(lambda w: abs(self.at(w)) - 1.0, 1e-9, 2.0 * (self.a + self.u + 1.0))

    def phase_margin(self) -> float:
        """Phase left at the crossover, in degrees."""
        return degrees(pi + self.phase(self.crossover()))

    def stable(self) -> bool:
        """Whether the closed loop is."""
        return self.gain_margin() > 1.0


def window_loop(w: float, u: float, rho: float, a: float, lag: bool = False) -> complex:
    """The loop from W to W at z = i w, as in eq. 20 (eq. 22 with the lag): |L(0)| is d / q0 whatever a is."""
    z = complex(0.0, w)
    late = a / (1.0 + z) if lag else a * cmath.exp(-z)
    return -(u * (1.0 - rho)) * late / ((z + late) * (z + u * rho))


def right_poles(a: float, lag: bool = False) -> int:
    """Poles of the loop from W to W, open, in the right half plane: zeros of z + a e^-z, or of z^2 + z + a."""
    if lag or a <= 0.5 * pi:
        return 0
    # a pair crosses the axis at each a = pi / 2 + 2 pi k
    return 2 * (int((a - 0.5 * pi) / (2.0 * pi)) + 1)


def rightmost_pole_with_lag(r0: float, kappa: float, q0: float, factor: float) -> float:
    """Largest real part, in 1/s, of the poles of eq. 22: zeros of (s + R0 s^2 + factor / R0) (s + kappa q0 / R0)."""
    poles = np.roots(np.polymul([r0, 1.0, factor / r0], [1.0, kappa * q0 / r0]))
    return float(poles.real.max())


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f, falling from above zero to below, is zero."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if f(middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
