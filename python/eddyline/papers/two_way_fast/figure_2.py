"""Figure 2: throughput of Example 1 over time."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["build"]

_SETTLED = 0.05


def build(context: Context) -> Exhibit:
    """Both profiles over 100 s, half-second averages."""
    runs = {
        name: Run("example-1-1040B", "sim", p, (), "500 ms")
        for name, p in (("clean", None), ("ns-2 profile", NS2_PROFILE))
    }
    rows: list[Row] = []
    series: list[Row] = []
    theory = context.runner.run(Run("example-1-1040B", "theory"))
    context.runner.run_all(list(runs.values()))
    for name, run in runs.items():
        result = context.runner.run(run)
        for flow in ("flow 1", "flow 2"):
            times, values = result.over_time(flow, "goodput_bps")
            goal = theory.flow(flow)["goodput_bps"]
            calm = _averages(values)
            late = calm[len(calm) // 2 :]
            rows.append(
                {
                    "profile": name,
                    "flow": flow,
                    "theory": goal / 1e6,
                    "mean": fmean(late) / 1e6,
                    "lowest": min(late) / 1e6,
                    "highest": max(late) / 1e6,
                    "settled_s": _settled(calm, goal),
                }
            )
            series += [
                {"profile": name, "flow": flow, "time_s": t, "goodput_bps": v}
                for t, v in zip(times, values, strict=True)
            ]
    return Exhibit(
        id="fig-2",
        title="Figure 2: throughput of flows 1 and 2 of Example 1",
        place="Section 5.1, Fig. 2",
        reading=(
            "Throughput (payload) over time, half-second averages; dashed lines are eq. 10 and 11. Both flows should "
            "come to rest there, flow 2 at twice flow 1. The ripple of the ns-2 profile is no oscillation: it sends a "
            "burst every round trip of 0.12 s, and half a second holds four or five. Mean, lowest and highest are of "
            "five-second averages in the second half; settled is when these came within 5 % of theory for good."
        ),
        columns=(
            Column("profile", "sim"),
            Column("flow", "flow"),
            Column("theory", "eq. 10, 11", "Mbit/s"),
            Column("mean", "mean", "Mbit/s"),
            Column("lowest", "lowest", "Mbit/s"),
            Column("highest", "highest", "Mbit/s"),
            Column("settled_s", "settled after", "s", digits=3),
        ),
        rows=rows,
        series={"fig-2-series": series},
        pictures=[Picture("fig-2", "Throughput of flows 1 and 2 of Example 1", drawn(_paint, 8.0, 3.6, series, rows))],
    )


def _averages(values: list[float]) -> list[float]:
    """Means over 5 s of values that are 0.5 s apart."""
    return [fmean(values[i : i + 10]) for i in range(0, len(values), 10)]


def _settled(calm: list[float], goal: float) -> float:
    far = [5.0 * (place + 1) for place, v in enumerate(calm) if abs(v - goal) > _SETTLED * goal]
    return max(far, default=0.0)


def _paint(figure: Figure, series: list[Row], rows: list[Row]) -> None:
    axes = figure.subplots(1, 2, sharey=True)
    for axis, profile in zip(axes, ("clean", "ns-2 profile"), strict=True):
        for flow, colour in (("flow 1", BLUE), ("flow 2", RED)):
            part = [r for r in series if r["profile"] == profile and r["flow"] == flow]
            axis.plot([r["time_s"] for r in part], [r["goodput_bps"] / 1e6 for r in part], color=colour, label=flow)
            goal = next(r["theory"] for r in rows if r["flow"] == flow)
            axis.axhline(goal, color=colour, linestyle="--", linewidth=0.9, alpha=0.7)
        axis.set_title(f"our sim, {profile}")
        axis.set_xlabel("time (s)")
        axis.set_xlim(0, 100)
        axis.set_ylim(0, 27)
    axes[0].set_ylabel("throughput, payload (Mbit/s)")
    axes[0].plot([], [], color="#555555", linestyle="--", linewidth=0.9, label="eq. 10, 11")
    axes[0].legend(loc="upper right", ncols=3)
