"""Example 4 with flows that start at different times, which gives the paper's simulated rates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.reports.figures import BLUE, GREEN, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_LATE = (0.0, 0.05, 0.1, 0.13, 0.135, 0.14, 0.145, 0.15, 0.155, 0.16, 0.165, 0.17, 0.2, 0.3, 0.5, 1.0, 3.0)
_FLOWS = ("flow 1", "flow 2", "flow 3")


def build(context: Context) -> Exhibit:
    """Flow 2 starts up to 3 s after the others; and all three 1 s apart."""
    base = "example-4-1040B"
    cases: list[tuple[str, float | None, str, tuple[tuple[str, str], ...]]] = [
        (_name(late), late, base, (('flow."flow 2".start', f"{late:g} s"),)) for late in _LATE
    ]
    cases.append(("1 s apart", None, "example-4-late-1s-apart", ()))
    runs = [Run(file, "sim", profile, changes) for _, _, file, changes in cases for profile in (NS2_PROFILE, None)]
    results = iter(context.runner.run_all(runs))
    printed = {p["entity"]: p for p in context.values["printed"] if p["example"] == 4 and p["what"] == "throughput"}
    rows: list[Row] = []
    for name, late, _, _ in cases:
        module, clean = next(results), next(results)
        reference = context.ns2.get({"together": "ex4_header"}.get(name, f"ex4_{name.replace(' ', '_')}"))
        for flow in _FLOWS:
            paper = printed[flow]["simulation"]
            ours = module.flow(flow)["goodput_bps"] / 1e6
            rows.append(
                {
                    "starts": name,
                    "late_s": late,
                    "flow": flow,
                    "paper_simulation": paper,
                    "module": ours,
                    "off": relative_error(ours, paper),
                    "reference": reference["flows"][flow]["payload_mbps"] if reference else None,
                    "clean": clean.flow(flow)["goodput_bps"] / 1e6,
                    "base_rtt": module.flow(flow)["base_rtt_s"],
                }
            )
    nearest, off = _nearest(rows)
    return context.definition("example-4-start").exhibit(
        rows, values={"nearest": nearest, "nearest_off": off}, draw={"example-4-start": partial(_draw, rows=rows)}
    )


def _nearest(rows: Sequence[Row]) -> tuple[str, float]:
    """The start whose rates come nearest to the paper's simulation, and the largest deviation."""
    worst = {name: max(abs(r["off"]) for r in rows if r["starts"] == name) for name in {r["starts"] for r in rows}}
    name = min(worst, key=lambda start: worst[start])
    return name, worst[name]


def _name(late: float) -> str:
    return "together" if late == 0 else f"{late:g} s late"


def _draw(figure: Figure, rows: list[Row]) -> None:
    whole, close = figure.subplots(1, 2, sharey=True)
    for flow, colour in zip(_FLOWS, (BLUE, RED, GREEN), strict=True):
        part = [r for r in rows if r["flow"] == flow and r["late_s"] is not None]
        for axis in (whole, close):
            axis.plot(
                [r["late_s"] for r in part], [r["module"] for r in part], "o-", markersize=4, color=colour, label=flow
            )
            axis.axhline(part[0]["paper_simulation"], color=colour, linestyle="--", linewidth=0.9)
    whole.plot([], [], "--", color="#555555", linewidth=0.9, label="paper's simulation")
    whole.set_xscale("symlog", linthresh=0.1, linscale=0.6)
    whole.set_xticks([0, 0.1, 0.2, 0.5, 1, 3], ["0", "0.1", "0.2", "0.5", "1", "3"])
    whole.minorticks_off()
    whole.set_xlim(-0.005, 3.4)
    close.set_xlim(0.128, 0.172)
    close.set_title("close to 0.15 s")
    whole.set_ylim(0, 56)
    for axis in (whole, close):
        axis.set_xlabel("start of flow 2 after flows 1 and 3 (s)")
    whole.set_ylabel("throughput, payload (Mbit/s)")
    whole.legend(loc="upper right", ncols=2)
