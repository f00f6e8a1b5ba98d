"""Tables 1, 2 and 3 in the paper's form, with our values beside."""

from __future__ import annotations

from math import inf
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.papers.two_way_fast.conditions import threshold
from eddyline.papers.two_way_fast.examples import example_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["switches_per_second", "table_1", "table_2", "table_3"]


def table_1(context: Context) -> Exhibit:
    """Settings, and the two columns with results: stability, and which link is the bottleneck."""
    runs = [Run(f"example-{n}-1040B", "sim", NS2_PROFILE, (), "1 s") for n in range(1, 6)]
    rows = []
    for setting, run, simulated in zip(context.values["setting"], runs, context.runner.run_all(runs), strict=True):
        theory = context.runner.run(Run(run.file, "theory"))
        sums = _alphas(simulated)
        shares = {k["name"]: k["bottleneck_share"] for k in simulated.document["links"]}
        rows.append(
            {
                "example": setting["example"],
                "forward": setting["forward_mbps"],
                "backward": setting["backward_mbps"],
                "rtt": setting["rtt_ms"],
                "alpha": setting["alpha"],
                "alpha_ratio": sums["forward"] / sums["backward"] if sums["backward"] else None,
                "theta": theta
                if 0 < (theta := threshold(setting["forward_mbps"] / setting["backward_mbps"])) < inf
                else None,
                "paper_bottleneck": setting["bottleneck"],
                "theory_bottleneck": _bottleneck(theory),
                "forward_share": shares["forward"],
                "backward_share": shares["backward"],
                "sum_of_use": sum(k["data_utilisation"] for k in simulated.document["links"]),
                "switches_per_s": switches_per_second(simulated),
                "paper_stable": setting["stable"],
                **_spreads(simulated),
            }
        )
    largest = max(r["sum_of_use"] for r in rows if r["example"] <= 3)
    for row in rows:
        row["largest_of_three"] = largest
    symmetric = next(r for r in rows if r["example"] == 5)
    equal = symmetric["forward_share"] == symmetric["backward_share"]
    return context.definition("table-1").exhibit(
        rows, findings=[("mirrored" if equal else "nearly_mirrored", symmetric)]
    )


def _alphas(result: RunResult) -> dict[str, float]:
    """Sum of alpha by the link that data takes."""
    sums = {"forward": 0.0, "backward": 0.0}
    for flow in result.scenario["flow"]:
        sums[flow["data"][0]] += _core.quantity("packets", flow["controller"]["alpha"])
    return sums


def _bottleneck(theory: RunResult) -> str:
    names = [k["name"] for k in theory.document["links"] if k["utilisation"] > 1.0 - 1e-9]
    return names[0] if len(names) == 1 else "both"


def _spreads(result: RunResult) -> Row:
    """Standard deviation over mean after the warm-up, of the flow that varies most.

    Of throughput in averages of 1 s and of 5 s, and of windows once a second.
    """
    flows = [f["name"] for f in result.document["flows"]]
    rates = {f: _late(result, f, "throughput_bps") for f in flows}
    fives = {f: [fmean(v[i : i + 5]) for i in range(0, len(v), 5)] for f, v in rates.items()}
    return {
        "spread": max(_spread(v) for v in rates.values()),
        "spread_5s": max(_spread(v) for v in fives.values()),
        "window_spread": max(_spread(_late(result, f, "cwnd_packets")) for f in flows),
    }


def _late(result: RunResult, flow: str, quantity: str) -> list[float]:
    warmup = _core.quantity("time", result.scenario["warmup"])
    times, values = result.over_time(flow, quantity)
    return [v for t, v in zip(times, values, strict=True) if t > warmup + 1e-9]


def _spread(values: Sequence[float]) -> float:
    return pstdev(values) / fmean(values)


def switches_per_second(result: RunResult) -> float:
    """Changes of the bottleneck per second of the summary window."""
    stop, start = (_core.quantity("time", result.scenario[key]) for key in ("duration", "warmup"))
    return float(result.document["sampling"]["bottleneck_switches"] / (stop - start))


def _printed(context: Context, example: int, what: str, of: str) -> list[float]:
    rows = [p for p in context.values["printed"] if p["example"] == example and p["what"] == what]
    return [float(p.get(f"{of}_in_table", p[of])) for p in sorted(rows, key=_order)]


def _order(row: Row) -> tuple[int, str]:
    return (0 if row["entity"] == "forward" else 1, row["entity"])


def _ours(rows: Sequence[Row], what: str, wire: int, of: str) -> list[float | None]:
    return [r[of] for r in sorted(rows, key=_order) if r["what"] == what and r["wire"] == wire]


def table_2(context: Context) -> Exhibit:
    """Throughputs and utilisations, simulation and analysis."""
    rows = []
    for example in range(1, 6):
        ours = example_rows(context, example)
        rows.append(
            {
                "example": example,
                "simulation": _printed(context, example, "throughput", "simulation"),
                "our_simulation": _ours(ours, "throughput", 1040, "module"),
                "reference": _ours(ours, "throughput", 1040, "reference"),
                "analysis": _printed(context, example, "throughput", "analysis"),
                "our_theory": _ours(ours, "throughput", 1000, "theory"),
                "utilisation_simulation": _printed(context, example, "utilisation", "simulation"),
                "our_utilisation_simulation": _ours(ours, "utilisation", 1040, "module"),
                "utilisation_analysis": _printed(context, example, "utilisation", "analysis"),
                "our_utilisation_theory": _ours(ours, "utilisation", 1000, "theory"),
            }
        )
    return context.definition("table-2").exhibit(rows)


def table_3(context: Context) -> Exhibit:
    """Difference between analysis and simulation: as printed, recomputed from Table 2, and ours."""
    rows: list[Row] = []
    for example in range(1, 6):
        ours = example_rows(context, example)
        printed = next(d for d in context.values["difference"] if d["example"] == example)
        for what in ("throughput", "utilisation"):
            cells = [p for p in context.values["printed"] if p["example"] == example and p["what"] == what]
            cells = [p for p in sorted(cells, key=_order) if p["simulation"]]
            for cell, percent in zip(cells, printed[what], strict=False):
                rows.append(_difference(example, cell, percent, ours))
    return context.definition("table-3").exhibit(rows)


def _difference(example: int, cell: dict[str, Any], percent: float, ours: Sequence[Row]) -> Row:
    what, entity = cell["what"], cell["entity"]
    at = {r["wire"]: r for r in ours if r["what"] == what and r["entity"] == entity}

    def gap(analysis: float, simulation: float) -> float:
        return abs(analysis - simulation) / simulation

    analysis = cell.get("analysis_in_table", cell["analysis"])
    return {
        "example": example,
        "what": what,
        "entity": entity,
        "printed": percent / 100.0,
        "recomputed": gap(analysis, cell["simulation"]),
        "ours_mixed": gap(at[1000]["theory"], at[1040]["module"]),
        "ours_same": gap(at[1040]["theory"], at[1040]["module"]),
    }
