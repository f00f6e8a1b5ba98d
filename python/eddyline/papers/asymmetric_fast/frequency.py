"""The letter's loop, eq. 20 and 22, beside the corrected one: frequency response, margins, and d / q0 < 1."""

from __future__ import annotations

from functools import partial
from math import acos, degrees, inf, isinf, sqrt
from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast.equations import FORWARD_BPS, factor
from eddyline.papers.asymmetric_fast.loop import Loop, right_poles, rightmost_pole_with_lag, window_loop
from eddyline.reports.figures import BLACK, BLUE, GREEN, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["remark", "response"]

_ALPHA, _D = 1000.0, 0.040  # Section IV
_GAMMA = 0.5
_MODULE_PERIOD_S = 0.02  # 10 ms in every other round trip
_SETTINGS = (
    ("Fig. 2", 1.0, 1000),
    ("Fig. 3", 0.1, 1000),
    ("Fig. 4", 0.1, 2000),
    ("k_f = 1", 4.0, 1000),
    ("k_f = 0.1", 40.0, 1000),
)
_STABLE, _UNSTABLE = "stable", "unstable"


def _stability_text(stable: bool) -> str:
    return _STABLE if stable else _UNSTABLE


def response(context: Context) -> Exhibit:
    """The letter's settings, with gamma a round trip and a fixed period."""
    rows = [row for setting in _SETTINGS for row in _loops(*setting)]
    return context.definition("loop").exhibit(
        rows, draw={"loop": partial(_draw_loop, row=rows[0])}, curves={"windows": _windows(rows[0])}
    )


def _loops(setting: str, mbps: float, size: int) -> list[Row]:
    """A setting's loops, with gamma once a round trip and once in the module's period."""
    k_f = factor(1e6 * mbps, size)
    q0 = _ALPHA * max(1.0, k_f) * 8.0 * size / FORWARD_BPS
    r0 = _D + q0
    rho = q0 / r0
    printed = (1.0 + k_f) * size  # n = 1, P_f in bytes
    both = 2.0 if k_f == 1.0 else 1.0
    rows: list[Row] = []
    for period, kappa in (("a round trip", _GAMMA / r0), ("20 ms", _GAMMA / _MODULE_PERIOD_S)):
        u = kappa * r0
        loops = {
            "printed": Loop(u, rho, printed),
            "printed_lag": Loop(u, rho, printed, lag=True),
            "counted": Loop(u, rho, 1.0 + k_f),
            "corrected": Loop(u, rho, both),
            "corrected_lag": Loop(u, rho, both, lag=True),
        }
        rows.append(
            {
                "setting": setting,
                "period": period,
                "k_f": k_f,
                "rho": rho,
                "u": u,
                "d_over_q0": _D / q0,
                "factor": printed,
                **{name: _stability_text(loop.stable()) for name, loop in loops.items()},
                **{f"{name}_gain_margin": _finite(loop.gain_margin()) for name, loop in loops.items()},
                "corrected_phase_margin": loops["corrected"].phase_margin(),
                "rightmost_pole_22": rightmost_pole_with_lag(r0, kappa, q0, printed),
                "right_poles_20": right_poles(printed),
                "right_poles_22": right_poles(printed, lag=True),
                "right_poles_corrected": right_poles(both),
            }
        )
    return rows


def _finite(value: float) -> float | None:
    return None if isinf(value) else value


def _draw_loop(figure: Figure, row: Row) -> None:
    size, phase = figure.subplots(1, 2)
    grid = [10 ** (-2 + 6 * i / 1200) for i in range(1201)]
    forms = (
        ("eq. 20 as printed", row["factor"], RED),
        ("in packets, 1 + k_f", 1.0 + row["k_f"], GREEN),
        ("corrected", 1.0, BLUE),
    )
    for name, a, colour in forms:
        loop = Loop(row["u"], row["rho"], a)
        size.plot(grid, [abs(loop.at(w)) for w in grid], color=colour, label=name)
        crossing = loop.crossover()
        size.plot([crossing], [1.0], "o", color=colour, markersize=4)
        if crossing < 30:
            phase.plot([crossing], [degrees(loop.phase(crossing))], "o", color=colour, markersize=4)
    shared = Loop(row["u"], row["rho"])
    low = [w for w in grid if w <= 30]
    phase.plot(low, [degrees(shared.phase(w)) for w in low], color=BLACK, label="with the delay")
    lagged = Loop(row["u"], row["rho"], lag=True)
    phase.plot(low, [degrees(lagged.phase(w)) for w in low], ":", color=BLACK, label="with eq. 21")
    size.axhline(1.0, color=BLACK, linewidth=0.8, linestyle="--")
    phase.axhline(-180.0, color=BLACK, linewidth=0.8, linestyle="--")
    for axis in (size, phase):
        axis.set_xscale("log")
        axis.set_xlabel("frequency (radians a round trip)")
    size.set_yscale("log")
    size.set_ylim(1e-4, 1e7)
    size.set_ylabel("gain |L|")
    size.legend(loc="upper right")
    phase.set_ylim(-720, -60)
    phase.set_yticks([-720, -540, -360, -180, -90])
    phase.set_ylabel("phase (degrees)")
    phase.legend(loc="lower left")


def _windows(row: Row) -> list[Row]:
    """Gains from window to window."""
    grid = [10 ** (-3 + 7 * i / 4000) for i in range(4001)]
    forms = (
        ("eq. 20 as printed", row["factor"], False),
        ("eq. 22 as printed", row["factor"], True),
        ("corrected", 1.0, False),
    )
    return [
        {"form": name, "frequency": w, "gain": abs(window_loop(w, row["u"], row["rho"], a, lag))}
        for name, a, lag in forms
        for w in grid
    ]


_REMARK_U = (0.1, 0.5, 1.0, 2.0, 5.86, 20.0, 100.0)
_REMARK_RHO = (0.02, 0.1, 0.2, 0.3, 0.4, 0.45, 0.52, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9)


def remark(context: Context) -> Exhibit:
    """The remark that d / q0 is below 1 against the verdicts, over gain and queueing."""
    rows: list[Row] = []
    for u in _REMARK_U:
        for rho in _REMARK_RHO:
            loop = Loop(u, rho)
            rows.append(
                {
                    "u": u,
                    "rho": rho,
                    "d_over_q0": (1.0 - rho) / rho,
                    "remark": _stability_text((1.0 - rho) / rho < 1.0),
                    "integrator": _stability_text(loop.stable()),
                    "ack_clocked": _stability_text(u < _ack_clocked_boundary(rho)),
                    "peak": _peak(u, rho),
                }
            )
    return context.definition("d-over-q0").exhibit(rows, draw={"d-over-q0": _draw_remark})


def _ack_clocked_boundary(rho: float) -> float:
    """The u below which z + u rho + u (1 - rho) e^-z has no zero on the right."""
    return inf if rho >= 0.5 else acos(-rho / (1.0 - rho)) / sqrt(1.0 - 2.0 * rho)


def _peak(u: float, rho: float) -> float:
    grid = [10 ** (-3 + 5 * i / 1000) for i in range(1001)]
    return max(abs(window_loop(w, u, rho, 1.0)) for w in grid)


def _integrator_boundary(u: float) -> float:
    """Least rho at which the loop is stable."""
    low, high = 1e-6, 1.0 - 1e-9
    if Loop(u, low).stable():
        return 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if Loop(u, middle).stable() else (middle, high)
    return high


def _draw_remark(figure: Figure) -> None:
    axis = figure.subplots()
    gains = [10 ** (-1 + 3 * i / 120) for i in range(121)]
    axis.plot(gains, [_integrator_boundary(u) for u in gains], color=RED, label="integrator")
    places = [0.5 * i / 400 for i in range(400)]
    axis.plot([_ack_clocked_boundary(r) for r in places], places, color=BLUE, label="ack-clocked")
    axis.axhline(0.5, color=BLACK, linestyle="--", linewidth=0.9, label="d / q0 = 1")
    axis.axvspan(0.1, 1.0, color=BLACK, alpha=0.06)
    axis.text(0.11, 0.93, "gamma once a round trip", fontsize="small")
    axis.set_xscale("log")
    axis.set_xlim(0.1, 100)
    axis.set_ylim(0, 1)
    axis.set_xlabel("gain a round trip, u")
    axis.set_ylabel("queueing's share of the round trip, q0 / R0")
    axis.legend(loc="upper right")
