"""Figure 2: throughput of Example 1 over time."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.runner import NS2_PROFILE, Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_SETTLED = 0.05
_EQUATIONS = {"flow 1": "eq. 10", "flow 2": "eq. 11"}
_DURATION_S = 100.0


def build(context: Context) -> Exhibit:
    """Both profiles over 100 s, half-second averages."""
    runs = {
        name: Run("example-1-1040B", "sim", p, (), "500 ms")
        for name, p in (("clean", None), ("ns-2 profile", NS2_PROFILE))
    }
    rows: list[Row] = []
    series: list[Row] = []
    closed_forms: list[Row] = []
    theory = context.runner.run(Run("example-1-1040B", "theory"))
    context.runner.run_all(list(runs.values()))
    for name, run in runs.items():
        result = context.runner.run(run)
        for flow, equation in _EQUATIONS.items():
            times, values = result.over_time(flow, "goodput_bps")
            expected = theory.flow(flow)["goodput_bps"]
            means = _averages(values)
            late = means[len(means) // 2 :]
            rows.append(
                {
                    "profile": name,
                    "flow": flow,
                    "theory": expected / 1e6,
                    "mean": fmean(late) / 1e6,
                    "lowest": min(late) / 1e6,
                    "highest": max(late) / 1e6,
                    "settled_s": _settled(means, expected),
                }
            )
            series += [
                {"profile": name, "flow": flow, "time_s": t, "goodput_bps": v}
                for t, v in zip(times, values, strict=True)
            ]
            closed_forms += [
                {"profile": name, "flow": flow, "equation": equation, "time_s": t, "goodput_bps": expected}
                for t in (0.0, _DURATION_S)
            ]
    return context.definition("fig-2").exhibit(
        rows, series={"fig-2-series": series}, curves={"closed forms": closed_forms}
    )


def _averages(values: list[float]) -> list[float]:
    """Means over 5 s of values that are 0.5 s apart."""
    return [fmean(values[i : i + 10]) for i in range(0, len(values), 10)]


def _settled(means: list[float], expected: float) -> float:
    """The time from which means over 5 s stay within 5 % of `expected`."""
    far = [5.0 * (place + 1) for place, v in enumerate(means) if abs(v - expected) > _SETTLED * expected]
    return max(far, default=0.0)
