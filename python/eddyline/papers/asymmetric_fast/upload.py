"""A download on an asymmetric access link, before and after an upload joins, by the delay that FAST measures."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

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
    return context.definition("upload-joins").exhibit(
        rows, findings=_findings(rows), series={"upload-joins-series": series}
    )


def _of(theory: RunResult, name: str) -> float | None:
    value = theory.flow(name)["goodput_bps"]
    return None if value is None else float(value)


def _findings(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    published = rows[0]
    cured = [r for r in rows if r["cured"]]
    return [
        ("published", {key: published[key] / 1e3 for key in ("alone", "download")}),
        ("least", min(cured, key=lambda r: r["kept"])),
        ("best", max(cured, key=lambda r: r["kept"] + r["upload_share"])),
    ]
