"""Every run of ns-2 that there is, beside ours at the same setting."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from eddyline.papers.bidirectional_tcp.packets import crossing
from eddyline.papers.bidirectional_tcp.setting import ORDERS, Link, Outcome
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["against_ns2", "compared", "scattered", "summary"]

HALVES = {"whole packets": "true", "bytes": "false"}
"""How half a window is counted: whole packets as in ns-2 and Linux, or bytes."""


def _link(case: dict[str, Any], order: str, halves: str) -> Link:
    return Link(
        f"{case['down_buffer']} {case['unit']}",
        f"{case['up_buffer']} {case['unit']}",
        window=case["window"],
        tp_ms=1e3 * case["tp_s"],
        uploads=case["uploads"],
        order=order,
        duration_s=case["duration_s"],
        warmup_s=0.0,
        more=(("flow.*.controller.whole_packets", HALVES[halves]),),
    )


def compared(
    context: Context,
    orders: Sequence[str] = ("together",),
    halves: Sequence[str] = ("whole packets",),
    figures: Sequence[str] = ("figures-1-2", "figure-6", "figure-10"),
) -> list[Row]:
    """A row for every run of ns-2, order of starts and way to halve; goodputs over the whole run."""
    cases = [
        (figure, case, order, half)
        for figure in figures
        for case in context.ns2[figure]
        for order in orders
        for half in halves
    ]
    results = context.runner.run_all([_link(case, order, half).run() for _, case, order, half in cases])
    rows: list[Row] = []
    for (figure, case, order, half), result in zip(cases, results, strict=True):
        o = Outcome(result)
        down, up = o.over_whole_run("download"), o.over_whole_run("upload")
        rows.append(
            {
                "figure": figure,
                "group": "fig-10" if figure == "figure-10" else "bytes",
                "order": order,
                "halves": half,
                "tp_s": case["tp_s"],
                "window": case["window"],
                "down_buffer": case["down_buffer"],
                "up_buffer": case["up_buffer"],
                "unit": case["unit"],
                "uploads": case["uploads"],
                "seed": case["seed"],
                "ns2_download": case["download_bps"],
                "ns2_upload": case["upload_bps"],
                "ns2_ratio": case["download_bps"] / case["upload_bps"],
                "download": down,
                "upload": up,
                "ratio": down / up,
                "download_off": down / case["download_bps"] - 1.0,
                "upload_off": up / case["upload_bps"] - 1.0,
                "ratio_off": down / up / (case["download_bps"] / case["upload_bps"]) - 1.0,
            }
        )
    return rows


def summary(rows: Sequence[Row]) -> list[Row]:
    """Medians and extremes of the deviations, by figure, tp, order and way to halve."""
    keys = dict.fromkeys((r["figure"], r["tp_s"], r["order"], r["halves"]) for r in rows)
    found: list[Row] = []
    for figure, tp, order, half in keys:
        part = [r for r in rows if (r["figure"], r["tp_s"], r["order"], r["halves"]) == (figure, tp, order, half)]
        row: Row = {"figure": figure, "tp_s": tp, "order": order, "halves": half, "runs": len(part)}
        for what in ("download", "upload", "ratio"):
            offs = [abs(r[f"{what}_off"]) for r in part]
            row[f"{what}_median"], row[f"{what}_worst"] = median(offs), max(offs)
        packets = figure == "figure-10"
        row["crossing"] = crossing([{"up": r["up_buffer"], "ratio": r["ratio"]} for r in part]) if packets else None
        row["ns2_crossing"] = (
            crossing([{"up": r["up_buffer"], "ratio": r["ns2_ratio"]} for r in part]) if packets else None
        )
        found.append(row)
    return found


_OTHERS = tuple(order for order in ORDERS if order != "together")
_BYTES = ("figures-1-2", "figure-6")
_STARTS = 12
_APART_S = 0.17


def scattered(context: Context) -> list[Row]:
    """Figures 1 and 2 once more: medians over ns-2's seeds beside medians over starts within its first seconds."""
    known = context.ns2["figures-1-2"]
    settings = dict.fromkeys((c["up_buffer"], c["window"], c["uploads"]) for c in known)
    rows: list[Row] = []
    for up, window, uploads in settings:
        seeds = [c for c in known if (c["up_buffer"], c["window"], c["uploads"]) == (up, window, uploads)]
        base = _link(seeds[0], "together", "whole packets")
        links = [replace(base, more=(*base.more, *_apart(n, uploads))) for n in range(_STARTS)]
        ours = [Outcome(a) for a in context.runner.run_all([link.run() for link in links])]
        row: Row = {"up_buffer": up, "window": window, "uploads": uploads}
        for way in ("download", "upload"):
            row[way] = median(o.over_whole_run(way) for o in ours)
            row[f"ns2_{way}"] = median(c[f"{way}_bps"] for c in seeds)
            row[f"{way}_off"] = row[way] / row[f"ns2_{way}"] - 1.0
        row["ratio_off"] = (1.0 + row["download_off"]) / (1.0 + row["upload_off"]) - 1.0
        rows.append(row | {"figure": "figures-1-2", "tp_s": 0.02, "order": "12 starts", "halves": "whole packets"})
    return rows


def _apart(n: int, uploads: int) -> tuple[tuple[str, str], ...]:
    first = ("flow.upload.start", f"{1e3 * n * _APART_S:.0f} ms")
    return (first, ("flow.upload.stagger", f"{100 * n} ms")) if uploads > 1 else (first,)


def against_ns2(context: Context) -> Exhibit:
    """How far we are from ns-2, figure by figure."""
    runs = [
        *compared(context),
        *compared(context, _OTHERS, figures=_BYTES),
        *compared(context, halves=("bytes",)),
    ]
    rows = summary([*runs, *scattered(context)])
    return Exhibit(
        id="ns2",
        title="How far our simulation is from ns-2",
        place="Section 3.1, Fig. 1, 2, 6, 10.1",
        reading=(
            ""
            f"{sum(len(known) for known in context.ns2.values())} "
            "runs of ns-2.35 (TCP Sack1, delayed acknowledgements) beside ours of the same length, goodputs from the "
            "first second on. Started together is nearest to ns-2, whose flows start within seconds of each other. "
            "Half a window is counted in whole packets there, and in Linux."
        ),
        columns=(
            Column("figure", "runs of"),
            Column("tp_s", "tp", "ms", scale=1e-3),
            Column("order", "order of starts"),
            Column("halves", "half a window in"),
            Column("runs", "runs"),
            Column("download_median", "download: median deviation", percent=True, digits=3),
            Column("download_worst", "largest", percent=True, digits=3),
            Column("upload_median", "uploads: median", percent=True, digits=3),
            Column("upload_worst", "largest", percent=True, digits=3),
            Column("ratio_median", "ratio: median", percent=True, digits=3),
            Column("ratio_worst", "largest", percent=True, digits=3),
            Column("crossing", "crossing of capacity ratio", "packets", digits=3),
            Column("ns2_crossing", "ns-2's", "packets", digits=3),
        ),
        rows=rows,
        series={"ns2-runs": runs},
        pictures=[
            Picture("ns2", "Ratio, ours over ns-2's, started together", drawn(_paint, 5.6, 4.2, runs)),
        ],
        notes=(
            "Where single runs differ by 20 % and more, ns-2 differs from itself by as much with another seed. '12 "
            "starts' has medians over its three seeds beside medians over twelve starts of ours, the upload up to "
            "1.9 s later.",
        ),
    )


def _paint(figure: Figure, runs: list[Row]) -> None:
    axis = figure.subplots()
    shown = [r for r in runs if r["order"] == "together" and r["halves"] == "whole packets"]
    groups = {
        "Fig. 6, tp = 20 ms": (BLUE, "o", [r for r in shown if r["figure"] == "figure-6"]),
        "Fig. 1 and 2": (BLACK, "x", [r for r in shown if r["figure"] == "figures-1-2"]),
        "Fig. 10.1, tp = 20 ms": (GREEN, "s", [r for r in shown if r["figure"] == "figure-10" and r["tp_s"] == 0.02]),
        "Fig. 10.1, tp = 100 ms": (RED, "^", [r for r in shown if r["figure"] == "figure-10" and r["tp_s"] == 0.1]),
    }
    for label, (colour, marker, part) in groups.items():
        axis.plot(
            [r["ns2_ratio"] for r in part],
            [r["ratio"] for r in part],
            marker,
            color=colour,
            markersize=4,
            alpha=0.8,
            label=label,
        )
    axis.plot([0.7, 30], [0.7, 30], ":", color="#777777")
    axis.set_xscale("log")
    axis.set_yscale("log")
    for put in (axis.set_xticks, axis.set_yticks):
        put([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    axis.minorticks_off()
    axis.set_xlabel("download over upload, ns-2")
    axis.set_ylabel("ours")
    axis.legend(loc="upper left", fontsize="small")
