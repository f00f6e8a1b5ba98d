"""The decision among measured candidates: what suffices, what is dominated, what the user prefers.

Nothing is simulated here; a made-up table is decided as well as a measured one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.adviser.candidates import Queues

__all__ = [
    "CLOSE",
    "KEPT",
    "NEAR",
    "PREFERENCES",
    "SPARE",
    "Outcome",
    "Row",
    "dominates",
    "nearest",
    "preferred",
    "suffices",
]

KEPT = 0.85
"""The share of its goodput alone that each direction must keep."""

SPARE = 0.005
"""What it must keep beyond that in the cases tried, for those that are not."""

CLOSE = 0.02
"""What keeps less than this beyond `KEPT` is tried in more cases: the worst of a few says less than the worst of many.
`docs/guides/adviser.md` has how far untried cases fall below."""

NEAR = 0.05
"""Where nothing suffices, a share that is this much below the largest is as good: delay tells such queues apart."""

PREFERENCES = ("balance", "latency", "throughput")
"""The largest goodput over delay; the shortest delay; the largest goodput."""

_SAME_DELAY, _SAME_GOODPUT, _SAME_POWER = 0.05, 0.01, 0.05
"""Relative differences that a user with a preference does not see: then the balance decides, and where nothing suffices
the share."""


@dataclass(frozen=True)
class Outcome:
    """The worst over all cases, of each quantity by itself; a rate is that of the case with the smallest share.

    Attributes:
        download_bps: Goodput of the downloads beside the uploads, bit/s, in the case with their smallest share.
        upload_bps: The same of the uploads beside the downloads.
        download_alone_bps: What the downloads' share is relative to in that case.
        upload_alone_bps: The same of the uploads.
        worst_delay_s: 99th percentile of the queueing delay at the worse of both queues, the maximum.
        fairness: Jain's index among the flows of one direction, the minimum.
        cases: How many cases it stands for.
        worst_case: The case with the smallest share, in words.
        responsiveness_rpm: Round trips a minute of the slowest flow, the minimum. It does not decide anything.
    """

    download_bps: float
    upload_bps: float
    download_alone_bps: float
    upload_alone_bps: float
    worst_delay_s: float
    fairness: float
    cases: int
    worst_case: str = ""
    responsiveness_rpm: float | None = None

    @property
    def download_share(self) -> float:
        """Goodput of the downloads over that alone."""
        return self.download_bps / self.download_alone_bps if self.download_alone_bps > 0 else 0.0

    @property
    def upload_share(self) -> float:
        """The same of the uploads."""
        return self.upload_bps / self.upload_alone_bps if self.upload_alone_bps > 0 else 0.0

    @property
    def share(self) -> float:
        """The smaller of the two shares."""
        return min(self.download_share, self.upload_share)

    def to_dict(self) -> dict[str, Any]:
        """As `advise --json` has it."""
        return {
            "download_bps": self.download_bps,
            "upload_bps": self.upload_bps,
            "alone": {"download_bps": self.download_alone_bps, "upload_bps": self.upload_alone_bps},
            "worst_delay_s": self.worst_delay_s,
            "responsiveness_rpm": self.responsiveness_rpm,
            "download_share": self.download_share,
            "upload_share": self.upload_share,
            "fairness": self.fairness,
            "cases": self.cases,
            "worst_case": self.worst_case,
        }


@dataclass(frozen=True)
class Row:
    """A candidate and its outcome.

    Attributes:
        request_s: Mean time of a request under load, where that is the latency to choose by.
    """

    family: str
    queues: Queues
    outcome: Outcome
    request_s: float | None = None


_Row = TypeVar("_Row", bound=Row)


def _columns(row: Row) -> tuple[float, ...]:
    """Larger is better; fairness as the table shows it."""
    o = row.outcome
    return o.download_bps, o.download_share, o.upload_bps, o.upload_share, -o.worst_delay_s, round(o.fairness, 2)


def dominates(a: Row, b: Row) -> bool:
    """Whether `a` is nowhere worse than `b` in rates, shares, delay and fairness, and somewhere better."""
    one, other = _columns(a), _columns(b)
    return one != other and all(x >= y for x, y in zip(one, other, strict=True))


def suffices(row: Row) -> bool:
    """Whether both directions keep their share in every case tried, with some to spare."""
    return row.outcome.share >= KEPT + SPARE


def _undominated(rows: Sequence[_Row]) -> list[_Row]:
    return [row for row in rows if not any(dominates(other, row) for other in rows)]


def preferred(rows: Sequence[_Row], prefer: str, rtt_s: float, usual: _Row | None = None) -> _Row | None:
    """The advice: of the rows that suffice and that no row dominates, the one that the user prefers; or None.

    Args:
        rows: Candidates.
        prefer: One of `PREFERENCES`.
        rtt_s: Round-trip time without queues, to which delays are added for the balance.
        usual: The buffers that nobody has set. Their delay is too long for anybody's preference, so they and what
            makes packets wait as long are advised only where nothing else suffices.
    """
    left = [row for row in rows if suffices(row)]
    if usual is not None:
        shorter = [row for row in left if row.outcome.worst_delay_s < usual.outcome.worst_delay_s]
        left = shorter or [row for row in [*left, usual] if suffices(row)]
    left = _undominated(left)
    return max(_as_preferred(left, prefer), key=lambda row: _power(row, rtt_s)) if left else None


def nearest(rows: Sequence[_Row], prefer: str, rtt_s: float, usual: _Row) -> _Row:
    """Where none suffices: of the rows whose share is almost the largest, the one that the user prefers.

    Of rows that are as good by that, the one with the largest share: it is what none has enough of.

    Args:
        rows: Candidates.
        prefer: One of `PREFERENCES`.
        rtt_s: Round-trip time without queues.
        usual: As in `preferred`: the nearest only where no other row is as near.
    """
    return nearest_among([*rows, usual], prefer, rtt_s, usual)


def nearest_among(rows: Sequence[_Row], prefer: str, rtt_s: float, usual: _Row) -> _Row:
    """As `nearest`, with the default as a candidate only if it is among the rows; its delay counts as it does there."""
    max_share = max(row.outcome.share for row in rows)
    near = [row for row in rows if row.outcome.share >= max_share - NEAR]
    shorter = [row for row in near if row.outcome.worst_delay_s < usual.outcome.worst_delay_s]
    left = _as_preferred(_undominated(shorter or near), prefer)
    best = max(_power(row, rtt_s) for row in left)
    return max((row for row in left if _power(row, rtt_s) >= (1 - _SAME_POWER) * best), key=lambda r: r.outcome.share)


def _as_preferred(rows: list[_Row], prefer: str) -> list[_Row]:
    """The rows that are as good as the best by the preference."""
    if prefer == "latency":
        min_latency = min(map(_latency, rows))
        return [row for row in rows if _latency(row) <= (1 + _SAME_DELAY) * min_latency]
    if prefer == "throughput":
        max_goodput = max(map(_goodput, rows))
        return [row for row in rows if _goodput(row) >= (1 - _SAME_GOODPUT) * max_goodput]
    return rows


def _latency(row: Row) -> float:
    return row.outcome.worst_delay_s if row.request_s is None else row.request_s


def _goodput(row: Row) -> float:
    """Geometric mean of both directions."""
    return sqrt(row.outcome.download_bps * row.outcome.upload_bps)


def _power(row: Row, rtt_s: float) -> float:
    """Goodput over round-trip time (Kleinrock's power), times fairness."""
    return row.outcome.fairness * _goodput(row) / (rtt_s + row.outcome.worst_delay_s)
