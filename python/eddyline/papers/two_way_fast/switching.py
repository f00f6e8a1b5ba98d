"""Exact balance: how often the bottleneck changes sides, and what that costs, over the round-trip time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.papers.two_way_fast.tables import switches_per_second
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["build"]

_RTTS_MS = (1, 2, 5, 10, 20, 50, 100, 200)
_PROFILES = {"clean": None, "ns-2 profile": NS2_PROFILE}


def build(context: Context) -> Exhibit:
    """Example 5's link at round trips of 1 to 200 ms, and Example 4 for comparison, both profiles."""
    cases = [(f"balance, {ms} ms", ms, "balance", _delays(ms), name) for name in _PROFILES for ms in _RTTS_MS]
    cases += [("Example 4", 20, "example-4-1040B", (), name) for name in _PROFILES]
    results = context.runner.run_all(
        [Run(file, "sim", _PROFILES[name], changes) for _, _, file, changes, name in cases]
    )
    rows: list[Row] = []
    for (case, ms, file, _, name), result in zip(cases, results, strict=True):
        theory = context.runner.run(Run(file, "theory"))
        bits = sum(f["goodput_bps"] for f in result.document["flows"])
        switches = switches_per_second(result)
        forward, backward = result.link("forward"), result.link("backward")
        rows.append(
            {
                "case": case,
                "link": "Example 4's" if case == "Example 4" else "balanced",
                "rtt_s": ms / 1e3,
                "profile": name,
                "forward_share": forward["bottleneck_share"],
                "backward_share": backward["bottleneck_share"],
                "switches_per_s": switches,
                "between_s": 1.0 / switches if switches else None,
                "forward_use": forward["utilisation"],
                "backward_use": backward["utilisation"],
                "of_theory": bits / sum(f["goodput_bps"] for f in theory.document["flows"]),
                "grid_s": result.document["sampling"]["bottleneck_grid_s"],
            }
        )
    return Exhibit(
        id="switching",
        title="Bottleneck switching at exact balance",
        place="Section 5.1, Examples 4 and 5; Section 5.3",
        reading=(
            "The paper explains the gap between analysis and simulation in Examples 4 and 5 by a bottleneck that "
            "changes sides, at a cost that grows with the round trip. Shares: how much of the time each link has the "
            f"longest wait. Switches: changes between samples {1e3 * rows[0]['grid_s']:g} ms apart. Of theory: "
            "throughput of both flows over eq. 5 and 6."
        ),
        columns=(
            Column("case", "case"),
            Column("rtt_s", "round trip", "ms", scale=1e-3),
            Column("profile", "sim"),
            Column("forward_share", "share of forward", percent=True, digits=3),
            Column("backward_share", "share of backward", percent=True, digits=3),
            Column("switches_per_s", "switches", "a second", digits=3),
            Column("between_s", "time between switches", "ms", scale=1e-3, digits=3),
            Column("forward_use", "load of forward", percent=True),
            Column("backward_use", "load of backward", percent=True),
            Column("of_theory", "throughput, of theory", percent=True),
        ),
        rows=rows,
        notes=_notes([r for r in rows if r["link"] == "balanced"]),
        pictures=[Picture("switching", "Exact balance over the round trip", drawn(_paint, 8.0, 3.4, rows))],
    )


def _notes(rows: Sequence[Row]) -> tuple[str, str]:
    """What each sender does at exact balance."""
    clean = [r for r in rows if r["profile"] == "clean"]
    module = [r for r in rows if r["profile"] == "ns-2 profile"]
    moving = [r for r in clean if r["switches_per_s"] > 0]
    moves = ", ".join(f"{r['switches_per_s']:.3g} times a second at {1e3 * r['rtt_s']:g} ms" for r in moving)
    lowest = min(r["of_theory"] for r in clean)
    still = [f"{1e3 * r['rtt_s']:g} ms" for r in module if r["switches_per_s"] == 0]
    return (
        "The clean algorithm lets both queues lie still. How they share the delay is arbitrary at balance and decided "
        f"by the start: at {len(clean) - len(moving)} of {len(clean)} round trips one link has the longer wait all of "
        "the time. Where the two waits are nearly equal, single packets make the longer one change between samples: "
        f"{moves or 'nowhere'}. Its throughput is at least {lowest:.1%} of theory's.",
        "The ns-2 profile sends in bursts, which fill the two queues in turn"
        + (f" (not at {', '.join(still)})" if still else "")
        + ". With 30 packets of alpha and a long round trip both run empty in between: that is what costs throughput.",
    )


def _delays(ms: int) -> tuple[tuple[str, str], ...]:
    return tuple((f"link.{name}.delay", f"{ms * 500} us") for name in ("forward", "backward"))


def _paint(figure: Figure, rows: list[Row]) -> None:
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
