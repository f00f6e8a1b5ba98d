"""One access link, one cure: download alone, uploads alone, both at once, and both with a call and page loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import HEADER_B, PACKET_B
from eddyline.fairness import jain
from eddyline.papers.bidirectional_tcp.cures.interactive import PAGES, call, page, working_latency
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.bidirectional_tcp.cures.access_links import AccessLink
    from eddyline.papers.bidirectional_tcp.cures.catalogue import Cure
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Row

__all__ = ["Trial"]


@dataclass(frozen=True)
class Trial:
    """The runs of one row."""

    link: AccessLink
    uploads: int
    cure: Cure

    def runs(self) -> list[Run]:
        """Download alone, uploads alone, both, both with call and pages."""
        return [self._transfers("download"), self._transfers("upload"), self._transfers("both"), self._interactive()]

    def _common(self) -> list[tuple[str, str]]:
        link = self.link
        access = f'{{ data = "{link.server_ms:g} ms", ack = "{link.server_ms:g} ms" }}'
        changes = [
            ("duration", f"{link.duration_s:g} s"),
            ("warmup", f"{link.warmup_s:g} s"),
            ("duplex.line.preset", link.preset),
            ("flow.*.access_delay", access),
        ]
        if link.window_B is not None:
            changes += [(f"flow.{f}.receive_window", f"{link.window_B} B") for f in ("download", "upload")]
        return changes

    def _transfers(self, who: str) -> Run:
        link = self.link
        never = f"{link.duration_s:g} s"
        # The number of uploads does not affect a download alone.
        count = 1 if who == "download" else self.uploads
        probe = ("flow.probe.application.every", f"{link.probe_ms:g} ms")
        changes = [*self._common(), ("flow.upload.count", str(count)), probe, *self.cure.changes]
        if who == "download":
            changes.append(("flow.upload.start", never))
        if who == "upload":
            changes.append(("flow.download.start", never))
        return Run("cures", "sim", None, tuple(changes))

    def _interactive(self) -> Run:
        changes = [
            *self._common(),
            ("flow.upload.count", str(self.uploads)),
            *((f'flow."page {n}".start', f"{s * 1e3:.0f} ms") for n, s in enumerate(self._page_starts(), 1)),
            *self.cure.changes,
        ]
        return Run("cures-interactive", "sim", None, tuple(changes))

    def _page_starts(self) -> list[float]:
        link = self.link
        span = (link.duration_s - link.warmup_s) / PAGES
        return [link.warmup_s + n * span for n in range(PAGES)]

    def row(self, results: Sequence[RunResult]) -> Row:
        """The row of the table from the results of `runs`, without kept shares and ranks."""
        alone_down, alone_up, both, interactive = results
        link = self.link
        down, up = _links(both)
        voice = call(interactive, 1e-3 * link.server_ms)
        loads = page(interactive, self._page_starts(), link.duration_s)
        uploads = _goodputs(both, "upload")
        return {
            "line": link.name,
            "uploads": self.uploads,
            "cure": self.cure.name,
            "case": f"{self.cure.name}, {self.uploads} upload{'s' if self.uploads > 1 else ''}",
            "changes": self.cure.what,
            "download_alone": sum(_goodputs(alone_down, "download")),
            "upload_alone": sum(_goodputs(alone_up, "upload")),
            "download": sum(_goodputs(both, "download")),
            "upload": sum(uploads),
            "acks": up["ack_utilisation"],
            "fairness": jain(uploads),
            "down_p50_s": down["queueing_delay_s"]["p50"],
            "down_p99_s": down["queueing_delay_s"]["p99"],
            "up_p50_s": up["queueing_delay_s"]["p50"],
            "up_p99_s": up["queueing_delay_s"]["p99"],
            "down_loss": _loss(both, "line/down", "download"),
            "up_loss": _loss(both, "line/up", "upload"),
            "acks_dropped": up["drops"]["ack"],
            "rpm": working_latency(both),
            "page_s": loads.seconds,
            "pages_unfinished": loads.unfinished,
            "call_loss": voice.loss,
            "call_delay_s": voice.delay_s,
            "call_jitter_s": voice.jitter_s,
            "call_rating": voice.rating,
        }


def _goodputs(result: RunResult, way: str) -> list[float]:
    return [f["goodput_bps"] or 0.0 for f in result.document["flows"] if f["name"].startswith(way)]


def _links(result: RunResult) -> tuple[dict[str, Any], dict[str, Any]]:
    return result.link("line/down"), result.link("line/up")


def _loss(result: RunResult, link: str, way: str) -> float:
    """Share of arriving data packets that the queue drops."""
    dropped = result.link(link)["drops"]["data"]
    flows = [f for f in result.document["flows"] if f["name"].startswith(way)]
    arrived = sum(f["delivered_bytes"] for f in flows) / (PACKET_B - HEADER_B)
    return dropped / (dropped + arrived) if dropped + arrived > 0 else 0.0
