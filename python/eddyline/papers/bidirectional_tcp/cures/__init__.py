"""The cures, ranked: every queue discipline and every option of TCP on the paper's link and on five of today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.cures.catalogue import catalogue
from eddyline.papers.bidirectional_tcp.cures.drawing import pictures
from eddyline.papers.bidirectional_tcp.cures.lines import LINES
from eddyline.papers.bidirectional_tcp.cures.ranking import findings, ranked
from eddyline.papers.bidirectional_tcp.cures.trials import Trial
from eddyline.reports.exhibit import Column, Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.bidirectional_tcp.cures.lines import Line
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["UPLOADS", "build", "exhibit", "rows_of"]

UPLOADS = (1, 10)

_COLUMNS = (
    Column("line", "line"),
    Column("uploads", "uploads"),
    Column("rank", "rank"),
    Column("cure", "cure"),
    Column("download_alone", "download alone", "Mbit/s", scale=1e6, digits=3),
    Column("upload_alone", "upload alone", "Mbit/s", scale=1e6, digits=3),
    Column("download", "download, both", "Mbit/s", scale=1e6, digits=3),
    Column("upload", "upload, both", "Mbit/s", scale=1e6, digits=3),
    Column("download_lost", "download lost", percent=True, digits=2),
    Column("upload_lost", "upload lost", percent=True, digits=2),
    Column("acks", "ACKs on uplink", percent=True, digits=3),
    Column("fairness", "Jain, uploads", digits=3),
    Column("up_p50_s", "wait up p50", "ms", scale=1e-3, digits=3),
    Column("up_p99_s", "p99", "ms", scale=1e-3, digits=3),
    Column("down_p50_s", "wait down p50", "ms", scale=1e-3, digits=3),
    Column("down_p99_s", "p99", "ms", scale=1e-3, digits=3),
    Column("up_loss", "loss up", percent=True, digits=4),
    Column("down_loss", "loss down", percent=True, digits=4),
    Column("rpm", "round trips", "/min", digits=3),
    Column("page_s", "page", "s", digits=3),
    Column("call_loss", "call loss", percent=True, digits=3),
    Column("call_delay_s", "call delay p99", "ms", scale=1e-3, digits=3),
    Column("call_rating", "call R", digits=3),
)


def rows_of(context: Context, lines: Sequence[Line], uploads: Sequence[int] = UPLOADS) -> list[Row]:
    """Every cure on these lines, ranked."""
    trials = [Trial(line, n, cure) for line in lines for n in uploads for cure in catalogue(line, n)]
    plans = [t.runs() for t in trials]
    results = iter(context.runner.run_all([run for plan in plans for run in plan]))
    return ranked([t.row([next(results) for _ in plan]) for t, plan in zip(trials, plans, strict=True)])


def build(context: Context) -> Exhibit:
    """All lines, one and ten uploads."""
    return exhibit(context, LINES)


def exhibit(context: Context, lines: Sequence[Line]) -> Exhibit:
    """These lines, one and ten uploads."""
    rows = rows_of(context, lines)
    return Exhibit(
        id="cures",
        title="The cures, ranked",
        place="Section 6, and what has come since",
        reading=(
            "Each cure on each line: the download alone, the uploads alone, both at once; what each lost to the "
            "other; and what a person feels meanwhile. Kept is what a direction gets with the other there, over the "
            "best that it gets alone on that line under any cure. The rank is by the mean of four ranks: what the "
            "worse-off direction keeps, round trips a minute, time of a page, rating of a call; values within 2 % "
            "are equal. Queues of both directions are changed; a cure of TCP changes both ends of download and "
            "uploads, never call or pages."
        ),
        columns=_COLUMNS,
        rows=rows,
        pictures=pictures(rows),
        findings=findings(rows),
        notes=(
            "TCP as it comes: NewReno with SACK, initial window 10, an ACK for every second packet within 40 ms, "
            "windows without limit, 64 kB on the paper's link. Line as it comes: the preset's own buffers. Servers "
            "are 10 ms away each way behind the five lines of today. Download and uploads are of two hosts.",
            "Runs are shorter on faster lines: "
            + ", ".join(f"{k.name} {k.duration_s:g} s ({k.warmup_s:g} s of them before anything counts)" for k in lines)
            + ". On the fast ones that is a start with what follows, not a state that lasts: NewReno needs minutes to "
            "fill such a path again after a loss.",
            "Round trips a minute: draft-ietf-ippm-responsiveness-09, 5.3.1.1; foreign probes are small packets of "
            "their own, loaded ones the transfers' own round trips. Page: 2 MB in 60 objects of 33 kB, six "
            "connections, ten objects in turn on each; three loads; one that is not over counts with the time it "
            "had. Call: 50 packets/s of 200 B each way; R of the E-model (G.711) from loss and 99th percentile of "
            "delay, the worse way.",
        ),
    )
