"""Figures 2, 3 and 4: throughput over time, averages of 0.1 s."""

from __future__ import annotations

from functools import partial
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast.equations import aggregate_of_eq_15, factor, theorem_1
from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.reports.figures import BLACK, BLUE, RED

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["builder"]

_PROFILES = (("clean", None), ("ns-2 profile", NS2_PROFILE))
_SHOWN_S = 20.0  # of the time that figures show
_NS2 = {2: "cb1M_pf1000", 3: "cb0.1M_pf1000"}


def builder(number: int) -> Callable[[Context], Exhibit]:
    """What makes one of the three figures."""

    def build(context: Context) -> Exhibit:
        printed = next(f for f in context.values["figure"] if f["number"] == number)
        size, backward = printed["data_bytes"], 1e6 * printed["backward_mbps"]
        k_f = factor(backward, size)
        rows: list[Row] = []
        series: list[Row] = []
        cases = [(wire, name, profile) for wire in (size, size + 40) for name, profile in _PROFILES]
        runs = [Run(f"fig-{number}", "sim", profile, _sized(wire, size), "100 ms") for wire, _, profile in cases]
        for (wire, name, _), result in zip(cases, context.runner.run_all(runs), strict=True):
            theory = context.runner.run(Run(f"fig-{number}", "theory", None, _sized(wire, size))).flow("flow 1")
            flow = result.flow("flow 1")
            times, values = result.over_time("flow 1", "goodput_bps")
            seconds = _by_second(values)
            end = times[-1]
            _, windows = result.over_time("flow 1", "cwnd_packets")
            header = "header" if wire != size else "no_header"
            case = context.ns2.get(f"{_NS2.get(number)}_{header}")
            rows.append(
                {
                    "wire": wire,
                    "profile": name,
                    "k_f": k_f,
                    "printed": 1e6 * printed["throughput_mbps"] if "throughput_mbps" in printed else None,
                    "theorem": theorem_1(k_f),
                    "theory": theory["goodput_bps"],
                    "simulated": flow["goodput_bps"],
                    "reference": 1e6 * case["flows"]["flow 1"]["payload_mbps"] if case else None,
                    "eq_15": aggregate_of_eq_15(k_f),
                    "spread": _spread(values),
                    "spread_1s": _spread(seconds),
                    "window_spread": _spread(windows),
                    "settled_s": _settled(seconds, theorem_1(k_f)),
                    "d_over_q0": 0.040 / flow["queueing_delay_s"],
                    "d_over_q0_printed": printed.get("d_over_q0"),
                    "window_s": end,
                }
            )
            if wire == size:
                series += [{"profile": name, "time_s": t, "goodput_bps": v} for t, v in zip(times, values, strict=True)]
        name = f"fig-{number}"
        return context.definition(name).exhibit(
            rows,
            values={"number": number, "size": size, "backward": printed["backward_mbps"], "k_f": k_f},
            series={f"{name}-series": series},
            draw={name: partial(_draw, rows=rows, series=series)},
        )

    return build


def _sized(wire: int, payload: int) -> tuple[tuple[str, str], ...]:
    if wire == payload:
        return ()
    return (("flow.*.packet", f"{wire} B"), ("flow.*.header", f"{wire - payload} B"))


def _by_second(values: list[float]) -> list[float]:
    return [fmean(values[i : i + 10]) for i in range(0, len(values) - len(values) % 10, 10)]


def _spread(values: list[float]) -> float:
    """Standard deviation over mean of the second half."""
    late = values[len(values) // 2 :]
    return pstdev(late) / fmean(late)


def _settled(seconds: list[float], goal: float) -> float:
    far = [i + 1 for i, v in enumerate(seconds) if abs(v - goal) > 0.05 * goal]
    return float(max(far, default=0))


def _draw(figure: Figure, rows: list[Row], series: list[Row]) -> None:
    axes = figure.subplots(1, 2, sharey=True)
    goal, other = rows[0]["theorem"] / 1e6, rows[0]["eq_15"] / 1e6
    marks = [m for m in (0.1, 0.3, 1, 3, 10, 30, 100) if m >= goal / 10]
    for axis, (profile, colour) in zip(axes, (("clean", BLUE), ("ns-2 profile", RED)), strict=True):
        part = [r for r in series if r["profile"] == profile and r["time_s"] <= _SHOWN_S]
        axis.plot([r["time_s"] for r in part], [r["goodput_bps"] / 1e6 for r in part], color=colour, linewidth=0.9)
        axis.axhline(goal, color=BLACK, linestyle="--", linewidth=0.9, label=f"Theorem 1: {goal:.4g} Mbit/s")
        axis.axhline(other, color=BLACK, linestyle=":", linewidth=0.9, label=f"eq. 15: {other:.3g} Mbit/s")
        axis.set_title(f"our sim, {profile}")
        axis.set_xlabel("time (s)")
        axis.set_xlim(0, _SHOWN_S)
        axis.set_xticks([0, 5, 10, 15, 20])
        axis.set_yscale("log")
        axis.set_ylim(goal / 10, 150)
        axis.set_yticks(marks, [f"{m:g}" for m in marks])
        axis.minorticks_off()
    axes[0].set_ylabel("throughput, payload (Mbit/s)")
    axes[1].legend(loc="upper right")
