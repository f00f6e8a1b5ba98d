"""Every run of ns-2 that there is, and ours at the same setting."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from eddyline.papers.bidirectional_tcp.packets import DOWNLINK, crossing, ns2_packets
from eddyline.papers.bidirectional_tcp.setting import ORDERS, Link, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["against_ns2", "compare", "compare_over_starts", "summary"]

HALVES = {"whole packets": "true", "bytes": "false"}
"""In what half a window is counted: whole packets as in ns-2 and Linux, or bytes."""


_BYTES = ("figures-1-2", "figure-6")
_EVERY_PACKET = "figure-10-2"
_FIGURES = (*_BYTES, "figure-10", _EVERY_PACKET)


def _link(case: dict[str, Any], order: str, halves: str) -> Link:
    return Link(
        f"{case['down_buffer']} {case['unit']}",
        f"{case['up_buffer']} {case['unit']}",
        window=case["window"],
        tp_ms=1e3 * case["tp_s"],
        uploads=case["uploads"],
        acks_every=case.get("acks_every", 2),
        order=order,
        duration_s=case["duration_s"],
        warmup_s=0.0,
        overrides=(("flow.*.controller.whole_packets", HALVES[halves]),),
    )


def _cases(context: Context, figure: str) -> list[dict[str, Any]]:
    """The runs of ns-2 for a figure; of Fig. 10.2 every second size, as there are of Fig. 10.1."""
    if figure != _EVERY_PACKET:
        cases: list[dict[str, Any]] = context.ns2[figure]
        return cases
    common = {"down_buffer": DOWNLINK, "unit": "packets", "window": 65536, "uploads": 1}
    runs = ns2_packets(context)["figure-10"]
    return [common | c for c in runs if c["acks_every"] == 1 and c["seed"] == 1 and c["up_buffer"] % 2]


def compare(
    context: Context,
    orders: Sequence[str] = ("together",),
    halves: Sequence[str] = ("whole packets",),
    figures: Sequence[str] = _FIGURES,
) -> list[Row]:
    """A row for every run of ns-2, order of starts and way to halve; goodputs over the whole run."""
    cases = [
        (figure, case, order, half)
        for figure in figures
        for case in _cases(context, figure)
        for order in orders
        for half in halves
    ]
    results = context.runner.run_all([_link(case, order, half).run() for _, case, order, half in cases])
    rows: list[Row] = []
    for (figure, case, order, half), result in zip(cases, results, strict=True):
        o = Outcome(result)
        down, up = o.whole_run_goodput("download"), o.whole_run_goodput("upload")
        rows.append(
            {
                "figure": figure,
                "group": "bytes" if figure in _BYTES else "packets",
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
    """Medians and maxima of the deviations, by figure, tp, order and way to halve."""
    keys = dict.fromkeys((r["figure"], r["tp_s"], r["order"], r["halves"]) for r in rows)
    summaries: list[Row] = []
    for figure, tp, order, half in keys:
        part = [r for r in rows if (r["figure"], r["tp_s"], r["order"], r["halves"]) == (figure, tp, order, half)]
        row: Row = {"figure": figure, "tp_s": tp, "order": order, "halves": half, "runs": len(part)}
        for what in ("download", "upload", "ratio"):
            offs = [abs(r[f"{what}_off"]) for r in part]
            row[f"{what}_median"], row[f"{what}_worst"] = median(offs), max(offs)
        packets = figure not in _BYTES
        row["crossing"] = crossing([{"up": r["up_buffer"], "ratio": r["ratio"]} for r in part]) if packets else None
        row["ns2_crossing"] = (
            crossing([{"up": r["up_buffer"], "ratio": r["ns2_ratio"]} for r in part]) if packets else None
        )
        summaries.append(row)
    return summaries


_OTHER_ORDERS = tuple(order for order in ORDERS if order != "together")
_STARTS = 12
_OFFSET_S = 0.17


def compare_over_starts(context: Context) -> list[Row]:
    """Figures 1 and 2: medians over ns-2's seeds, and ours over starts of the upload up to 1.9 s apart."""
    reference = context.ns2["figures-1-2"]
    settings = dict.fromkeys((c["up_buffer"], c["window"], c["uploads"]) for c in reference)
    rows: list[Row] = []
    for up, window, uploads in settings:
        seeds = [c for c in reference if (c["up_buffer"], c["window"], c["uploads"]) == (up, window, uploads)]
        base = _link(seeds[0], "together", "whole packets")
        links = [replace(base, overrides=(*base.overrides, *_offsets(n, uploads))) for n in range(_STARTS)]
        ours = [Outcome(a) for a in context.runner.run_all([link.run() for link in links])]
        row: Row = {"up_buffer": up, "window": window, "uploads": uploads}
        for way in ("download", "upload"):
            row[way] = median(o.whole_run_goodput(way) for o in ours)
            row[f"ns2_{way}"] = median(c[f"{way}_bps"] for c in seeds)
            row[f"{way}_off"] = row[way] / row[f"ns2_{way}"] - 1.0
        row["ratio_off"] = (1.0 + row["download_off"]) / (1.0 + row["upload_off"]) - 1.0
        rows.append(row | {"figure": "figures-1-2", "tp_s": 0.02, "order": "12 starts", "halves": "whole packets"})
    return rows


def _offsets(n: int, uploads: int) -> tuple[tuple[str, str], ...]:
    first = ("flow.upload.start", f"{1e3 * n * _OFFSET_S:.0f} ms")
    return (first, ("flow.upload.stagger", f"{100 * n} ms")) if uploads > 1 else (first,)


def against_ns2(context: Context) -> Exhibit:
    """How far we are from ns-2, figure by figure."""
    runs = [
        *compare(context),
        *compare(context, _OTHER_ORDERS, figures=_BYTES),
        *compare(context, halves=("bytes",), figures=(*_BYTES, "figure-10")),
    ]
    rows = summary([*runs, *compare_over_starts(context)])
    return context.definition("ns2").exhibit(
        rows,
        values={"runs": sum(len(_cases(context, figure)) for figure in _FIGURES)},
        series={"ns2-runs": runs},
        curves={"equal ratios": [{"ns2_ratio": ratio, "ratio": ratio} for ratio in (0.7, 30.0)]},
    )
