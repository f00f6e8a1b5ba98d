"""How often the bottleneck switches, in the examples and at exact balance, and what that costs over the round trip."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.papers.two_way_fast.tables import switches_per_second
from eddyline.reports.figures import BLUE, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_RTTS_MS = (1, 2, 5, 10, 20, 50, 100, 200)
_PROFILES = {"clean": None, "ns-2 profile": NS2_PROFILE}
_LATE_S = (0.155, 0.16)
"""Starts of flow 2 of Example 4 at which the rates are those that the paper prints."""
_OFTEN = 1.0
"""Switches a second from which on a bottleneck switches often."""
_STARTS_US = (0, 100, 1_000, 2_000, 100_000)
"""Starts of flow 2 of Example 5 after flow 1."""
_EQUAL = 0.01
"""Difference of two shares of time up to which both links are the bottleneck at once."""


def build(context: Context) -> Exhibit:
    """Example 5's link at round trips of 1 to 200 ms, and the five examples, both profiles."""
    cases = [(f"balance, {ms} ms", ms, "balance", _delays(ms), name) for name in _PROFILES for ms in _RTTS_MS]
    for name in _PROFILES:
        for n in (1, 2, 3):
            late = (f"Example {n}, 1 ms late", 20, f"example-{n}-1040B", _late(1_000), name)
            cases += [(f"Example {n}", 20, f"example-{n}-1040B", (), name), late]
        cases.append(("Example 4", 20, "example-4-1040B", (), name))
        cases += [(f"Example 4, {s:g} s late", 20, "example-4-1040B", _late(1e6 * s), name) for s in _LATE_S]
        cases += [(f"Example 5, {us / 1e3:g} ms late", 2, "example-5-1040B", _late(us), name) for us in _STARTS_US]
    results = context.runner.run_all(
        [Run(file, "sim", _PROFILES[name], changes) for _, _, file, changes, name in cases]
    )
    printed = {f"Example {s['example']}": s["bottleneck"] for s in context.values["setting"]}
    rows: list[Row] = []
    for (case, ms, file, _, name), result in zip(cases, results, strict=True):
        theory = context.runner.run(Run(file, "theory"))
        rates = [f["goodput_bps"] for f in result.document["flows"]]
        bits = sum(rates)
        switches = switches_per_second(result)
        forward, backward = result.link("forward"), result.link("backward")
        link = "balanced" if case.startswith("balance") else case.split(",")[0]
        paper = printed.get(link)
        rows.append(
            {
                "case": case,
                "link": link,
                "started": f"{link} ({case.partition(', ')[2] or 'together'})",
                "run": f"{name} {case.partition(', ')[2] or 'together'}",
                "switching": "often" if switches >= _OFTEN else "rarely",
                "rtt_s": ms / 1e3,
                "profile": name,
                "forward_share": forward["bottleneck_share"],
                "backward_share": backward["bottleneck_share"],
                "bottleneck": _bottleneck(switches, forward["bottleneck_share"], backward["bottleneck_share"]),
                "paper_bottleneck": _SWITCHES if paper == "both" else paper,
                "switches_per_s": switches,
                "between_s": 1.0 / switches if switches else None,
                "forward_use": forward["utilisation"],
                "backward_use": backward["utilisation"],
                "unlike": max(rates) / min(rates) - 1.0,
                "of_theory": bits / sum(f["goodput_bps"] for f in theory.document["flows"]),
                "grid_s": result.document["sampling"]["bottleneck_grid_s"],
            }
        )
    return context.definition("switching").exhibit(
        rows,
        values={"grid_ms": 1e3 * rows[0]["grid_s"]},
        findings=_findings([r for r in rows if r["link"] == "balanced"]),
        draw={"switching": partial(_draw, rows=rows)},
    )


_SWITCHES = "switches"


def _bottleneck(switches_per_s: float, forward: float, backward: float) -> str:
    """Which link it is by these switches and shares of time."""
    if switches_per_s >= _OFTEN:
        return _SWITCHES
    if abs(forward - backward) <= _EQUAL:
        return "both at once"
    return "forward" if forward > backward else "backward"


def _findings(rows: Sequence[Row]) -> list[tuple[str, dict[str, Any]]]:
    """How each sender behaves at exact balance."""
    clean = [r for r in rows if r["profile"] == "clean"]
    switching = [r for r in clean if r["switches_per_s"] > 0]
    constant = [r for r in rows if r["profile"] == "ns-2 profile" and r["switches_per_s"] == 0]
    summary = {
        "constant": len(clean) - len(switching),
        "count": len(clean),
        "lowest": min(r["of_theory"] for r in clean),
    }
    return [
        ("clean", summary),
        *(("clean_switches", {"rtt_ms": 1e3 * r["rtt_s"], **r}) for r in switching),
        ("module", {}),
        *(("module_constant", {"rtt_ms": 1e3 * r["rtt_s"]}) for r in constant),
    ]


def _late(us: float) -> tuple[tuple[str, str], ...]:
    return (('flow."flow 2".start', f"{us:.0f} us"),)


def _delays(ms: int) -> tuple[tuple[str, str], ...]:
    return tuple((f"link.{name}.delay", f"{ms * 500} us") for name in ("forward", "backward"))


def _draw(figure: Figure, rows: list[Row]) -> None:
    left, right = figure.subplots(1, 2)
    for name, colour, mark in (("clean", BLUE, "o"), ("ns-2 profile", RED, "s")):
        part = [r for r in rows if r["profile"] == name and r["link"] == "balanced"]
        places = [1e3 * r["rtt_s"] for r in part]
        left.plot(places, [r["switches_per_s"] for r in part], f"{mark}-", color=colour, markersize=4, label=name)
        right.plot(places, [100 * r["of_theory"] for r in part], f"{mark}-", color=colour, markersize=4, label=name)
    for axis in (left, right):
        axis.set_xscale("log")
        axis.set_xticks(_RTTS_MS)
        axis.minorticks_off()
        axis.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        axis.set_xlabel("round-trip propagation time (ms)")
    left.set_ylim(bottom=0)
    left.set_ylabel("switches of the bottleneck (1/s)")
    right.set_ylim(top=101)
    right.set_ylabel("throughput of both flows (% of theory)")
    left.legend()
