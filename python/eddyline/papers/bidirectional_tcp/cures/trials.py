"""One line, one cure: download alone, uploads alone, both at once, and what a person feels meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import HEADER_B, PACKET_B
from eddyline.fairness import jain
from eddyline.papers.bidirectional_tcp.cures.felt import PAGES, call, page, working_latency
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.bidirectional_tcp.cures.catalogue import Cure
    from eddyline.papers.bidirectional_tcp.cures.lines import Line
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Row

__all__ = ["Trial"]


@dataclass(frozen=True)
class Trial:
    """What is run for one row."""

    line: Line
    uploads: int
    cure: Cure

    def runs(self) -> list[Run]:
        """Download alone, uploads alone, both, both with call and pages."""
        return [self._plain("download"), self._plain("upload"), self._plain("both"), self._felt()]

    def _common(self) -> list[tuple[str, str]]:
        line = self.line
        access = f'{{ data = "{line.server_ms:g} ms", ack = "{line.server_ms:g} ms" }}'
        changes = [
            ("duration", f"{line.duration_s:g} s"),
            ("warmup", f"{line.warmup_s:g} s"),
            ("duplex.line.preset", line.preset),
            ("flow.*.access_delay", access),
        ]
        if line.window_B is not None:
            changes += [(f"flow.{f}.receive_window", f"{line.window_B} B") for f in ("download", "upload")]
        return changes

    def _plain(self, who: str) -> Run:
        line = self.line
        never = f"{line.duration_s:g} s"
        # Alone, the number of uploads does not matter to the download.
        count = 1 if who == "download" else self.uploads
        probe = ("flow.probe.application.every", f"{line.probe_ms:g} ms")
        changes = [*self._common(), ("flow.upload.count", str(count)), probe, *self.cure.changes]
        if who == "download":
            changes.append(("flow.upload.start", never))
        if who == "upload":
            changes.append(("flow.download.start", never))
        return Run("cures", "sim", None, tuple(changes))

    def _felt(self) -> Run:
        changes = [
            *self._common(),
            ("flow.upload.count", str(self.uploads)),
            *((f'flow."page {n}".start', f"{s * 1e3:.0f} ms") for n, s in enumerate(self._page_starts(), 1)),
            *self.cure.changes,
        ]
        return Run("cures-felt", "sim", None, tuple(changes))

    def _page_starts(self) -> list[float]:
        line = self.line
        span = (line.duration_s - line.warmup_s) / PAGES
        return [line.warmup_s + n * span for n in range(PAGES)]

    def row(self, results: Sequence[RunResult]) -> Row:
        """The table's row from the answers to `runs`; kept shares and ranks come later."""
        alone_down, alone_up, both, felt = results
        line = self.line
        down, up = _links(both)
        talk = call(felt, 1e-3 * line.server_ms)
        load = page(felt, self._page_starts(), line.duration_s)
        uploads = _goodputs(both, "upload")
        return {
            "line": line.name,
            "uploads": self.uploads,
            "cure": self.cure.name,
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
            "page_s": load.seconds,
            "pages_unfinished": load.unfinished,
            "call_loss": talk.loss,
            "call_delay_s": talk.delay_s,
            "call_jitter_s": talk.jitter_s,
            "call_rating": talk.rating,
        }


def _goodputs(result: RunResult, way: str) -> list[float]:
    return [f["goodput_bps"] or 0.0 for f in result.document["flows"] if f["name"].startswith(way)]


def _links(result: RunResult) -> tuple[dict[str, Any], dict[str, Any]]:
    return result.link("line/down"), result.link("line/up")


def _loss(result: RunResult, link: str, way: str) -> float:
    """Share of data packets that the queue drops, of all that came to it."""
    dropped = result.link(link)["drops"]["data"]
    flows = [f for f in result.document["flows"] if f["name"].startswith(way)]
    arrived = sum(f["delivered_bytes"] for f in flows) / (PACKET_B - HEADER_B)
    return dropped / (dropped + arrived) if dropped + arrived > 0 else 0.0
