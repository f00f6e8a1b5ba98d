"""The estimate beyond the paper: buffers of packets and cells, several uploads, unequal round trips."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.model import MEASURED_RHO, Estimate, estimate
from eddyline.papers.bidirectional_tcp.setting import PAYLOAD, Link, simulate

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["extensions"]


@dataclass(frozen=True)
class _Case:
    extension: str
    setting: str
    link: Link
    estimate: Estimate
    losses: str = "together"


def _in_packets() -> list[_Case]:
    cases = []
    for acks_every, smallest_uplink in ((2, 24), (1, 46)):
        for up in range(smallest_uplink, 62, 3):
            link = Link("50 packets", f"{up} packets", acks_every=acks_every)
            name = f"packets, an ACK for {'two' if acks_every == 2 else 'each'}"
            cases.append(_Case(name, f"{up} up, 50 down", link, estimate(link)))
    return cases


def _in_cells() -> list[_Case]:
    cases = []
    for cells in (128, 192, 320, 640):
        for window in (65536, 131072):
            link = Link("1600 cells", f"{cells} cells", window=window)
            cases.append(_Case("ATM cells", f"{cells} up, {window // 1024} kB", link, estimate(link)))
    return cases


def _uploads() -> list[_Case]:
    cases = []
    for uploads in (2, 5, 10):
        for up in (6000, 9000, 15000):
            link = Link("75000 B", f"{up} B", window=131072, uploads=uploads)
            for losses, name in (("together", "all lose at once"), ("one_at_a_time", "one loses at a time")):
                predicted = estimate(link, rho=MEASURED_RHO, losses=losses)
                cases.append(_Case(f"several uploads, {name}", f"{uploads} uploads, {up:,} B", link, predicted, losses))
    return cases


def _unequal() -> list[_Case]:
    cases = []
    for way in ("download", "upload"):
        for extra in (50, 100, 200):
            for up in (6000, 9000, 15000):
                delay = f'{{ data = "{extra / 2:g} ms", ack = "{extra / 2:g} ms" }}'
                link = Link("75000 B", f"{up} B", window=65536, overrides=((f"flow.{way}.access_delay", delay),))
                rtts = {way: 2e-3 * link.tp_ms + 1e-3 * extra}
                predicted = estimate(link, base_rtts_s=rtts, rho=MEASURED_RHO)
                cases.append(_Case(f"{way} from further away", f"{extra} ms more, {up:,} B up", link, predicted))
    return cases


def extensions(context: Context) -> Exhibit:
    """Every case with its error, and their means."""
    cases = [*_in_packets(), *_in_cells(), *_uploads(), *_unequal()]
    rows: list[Row] = []
    for case, o in zip(cases, simulate(context, [c.link for c in cases]), strict=True):
        rate = case.estimate.download_bps / case.estimate.upload_bps
        rows.append(
            {
                "extension": case.extension,
                "setting": case.setting,
                "estimate": case.estimate.ratio,
                "rates_ratio": rate,
                "ratio": o.ratio,
                "off": o.ratio / case.estimate.ratio - 1.0,
                "rates_off": o.ratio / rate - 1.0,
                "download": o.download,
                "upload": o.upload,
                "estimated_download": PAYLOAD * case.estimate.download_bps,
                "estimated_upload": PAYLOAD * case.estimate.upload_bps,
            }
        )
    findings = []
    for name in dict.fromkeys(r["extension"] for r in rows):
        part = [r for r in rows if r["extension"] == name]
        deviations = {
            "mean": 100 * fmean(abs(r["off"]) for r in part),
            "rates": 100 * fmean(abs(r["rates_off"]) for r in part),
            "largest": 100 * max((r["rates_off"] for r in part), key=abs),
        }
        findings.append(("deviation", {"extension": name, **deviations}))
    return context.definition("extensions").exhibit(rows, findings=findings)
