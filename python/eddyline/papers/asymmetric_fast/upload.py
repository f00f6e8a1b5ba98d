"""A download on an asymmetric access, before and after an upload joins: what FAST counts decides what is left of it."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Row

__all__ = ["build"]

_FILE = "upload-joins"
_OF = "flow.*.controller"
_ALPHA = "10 packets"
_UPLINK = 192e3 * 1448.0 / 1500.0
"""Payload in bit/s that the uplink alone carries."""
_LONG = (("duration", "300 s"), ("warmup", "100 s"))
_APART = tuple(
    (f"flow.{name}.tcp.timestamp_clock", f'{{ ahead = "3 s", drift_ppm = {ppm}, tick = "1 ms" }}')
    for name, ppm in (("download", 100), ("upload", -100))
)
_FAST: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("fast, the round trip", "published", ()),
    ("fast, forward", "one way", ((f"{_OF}.delay", "forward"),)),
    ("fast, weighted", "one way", ((f"{_OF}.delay", "weighted"),)),
    ("fast, forward, clocks apart", "one way", ((f"{_OF}.delay", "forward"), *_APART)),
    ("fast, weighted, clocks apart", "one way", ((f"{_OF}.delay", "weighted"), *_APART)),
    ("fast, forward, 5 ACKs queued", "few ACKs", ((f"{_OF}.delay", "forward"), (f"{_OF}.ack_alpha", "5 packets"))),
    ("fast, weighted, 5 ACKs queued", "few ACKs", ((f"{_OF}.delay", "weighted"), (f"{_OF}.ack_alpha", "5 packets"))),
)
_VEGAS = ("vegas", "published", ((_OF, '{ kind = "vegas" }'),))


def build(context: Context) -> Exhibit:
    """Both flows in all variants."""
    rows: list[Row] = []
    series: list[Row] = []
    for variant, kind, changes in (*_FAST, _VEGAS):
        alpha = () if kind == "published" and variant == "vegas" else ((f"{_OF}.alpha", _ALPHA),)
        sim = context.runner.run(Run(_FILE, "sim", None, _LONG + changes + alpha, "500 ms"))
        theory = context.runner.run(Run(_FILE, "theory", None, _LONG + changes + alpha))
        times, values = sim.over_time("download", "goodput_bps")
        alone = fmean(v for t, v in zip(times, values, strict=True) if 5.0 < t <= 30.0)
        down, up = sim.flow("download"), sim.flow("upload")
        wanted = [_of(theory, name) for name in ("download", "upload")]
        rows.append(
            {
                "variant": variant,
                "kind": kind,
                "cured": kind != "published",
                "modelled": wanted[0] is not None,
                "alone": alone,
                "download": down["goodput_bps"],
                "kept": down["goodput_bps"] / alone,
                "upload": up["goodput_bps"],
                "upload_share": up["goodput_bps"] / _UPLINK,
                "theory": wanted[0],
                "theory_up": wanted[1],
                "off": down["goodput_bps"] / wanted[0] - 1.0 if wanted[0] else None,
                "ack_wait_s": down["reverse_queueing_delay_s"],
            }
        )
        if variant in (_FAST[0][0], _FAST[5][0]):
            series += [
                {"variant": variant, "flow": name, "time_s": t, "goodput_bps": v}
                for name in ("download", "upload")
                for t, v in zip(*sim.over_time(name, "goodput_bps"), strict=True)
            ]
    return Exhibit(
        id="upload-joins",
        title="An upload joins a download",
        place="Section I; reference [12] of the letter",
        reading=(
            "2 Mbit/s down, 192 kbit/s up, 40 ms, buffers of 75,000 B, alpha 10. After 30 s an upload begins. FAST as "
            "published counts the wait of the download's acknowledgements behind the upload's data, Vegas as well, and "
            "the download falls to what the upload has. A flow that counts the way out, or the way back by its load, "
            "keeps its link. Means are of 100 s to 300 s; clocks apart: 3 s and 100 ppm, ticks of 1 ms."
        ),
        columns=(
            Column("variant", "both flows"),
            Column("alone", "download alone", "kbit/s", scale=1e3),
            Column("download", "beside the upload", "kbit/s", scale=1e3),
            Column("kept", "kept", percent=True),
            Column("theory", "theory", "kbit/s", scale=1e3),
            Column("off", "off", percent=True),
            Column("upload", "upload", "kbit/s", scale=1e3),
            Column("theory_up", "theory", "kbit/s", scale=1e3),
            Column("upload_share", "of the uplink", percent=True),
            Column("ack_wait_s", "ACKs wait", "ms", scale=1e-3, digits=3),
        ),
        rows=rows,
        findings=_findings(rows),
        notes=(
            "One acknowledgement for each packet makes 69 kbit/s of a full download, which the upload has to leave. "
            "ack_alpha gives that back: the download keeps five acknowledgements queued and asks for no more. Flows "
            "pause every 100 round trips, here every minute and more, which theory knows nothing of.",
        ),
        pictures=[Picture("upload-joins", "The download, as published and cured", drawn(_paint, 8.0, 3.2, series))],
        series={"upload-joins-series": series},
    )


def _of(theory: RunResult, name: str) -> float | None:
    value = theory.flow(name)["goodput_bps"]
    return None if value is None else float(value)


def _findings(rows: Sequence[Row]) -> list[str]:
    published = rows[0]
    cured = [r for r in rows if r["cured"]]
    worst, best = min(cured, key=lambda r: r["kept"]), max(cured, key=lambda r: r["kept"] + r["upload_share"])
    return [
        f"As published the download falls from {published['alone'] / 1e3:.0f} kbit/s to "
        f"{published['download'] / 1e3:.0f} kbit/s.",
        f"The least of the others keeps {worst['kept']:.1%} ({worst['variant']}).",
        f"Best of both: {best['variant']}, {best['kept']:.1%} of the download and {best['upload_share']:.1%} of the "
        "uplink.",
    ]


def _paint(figure: Figure, series: Sequence[Row]) -> None:
    axes = figure.subplots(1, 2, sharey=True)
    for axis, variant in zip(axes, dict.fromkeys(r["variant"] for r in series), strict=True):
        for flow, colour in (("download", BLUE), ("upload", RED)):
            part = [r for r in series if r["variant"] == variant and r["flow"] == flow and r["time_s"] <= 120.0]
            axis.plot([r["time_s"] for r in part], [r["goodput_bps"] / 1e3 for r in part], color=colour, label=flow)
        axis.set_title(variant)
        axis.set_xlabel("time (s)")
        axis.set_xlim(0, 120)
    axes[0].set_ylabel("goodput (kbit/s)")
    axes[0].legend()
