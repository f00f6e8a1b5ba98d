"""The search: candidates are simulated case by case and dropped at the first case that they fail.

Every candidate runs the first cases. Then each family's favourite runs all others in batches, and more of them if it is
close to the limit; where one fails, the family's next one follows. If all fail, the candidate with the largest share so
far, and the one that the user prefers of those with almost as large a share, run on until they have run every case and
are still the ones: whatever has seen fewer cases already is worse. So either way no row of the table dominates the one
that is shown as the advice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import eddyline.adviser.choice as choice
from eddyline.adviser.access import ACK_B
from eddyline.adviser.candidates import DEFAULT, HAVE, default, families
from eddyline.adviser.cases import cases, more_cases, screening
from eddyline.adviser.choice import CLOSE, KEPT, SPARE, Outcome, Row
from eddyline.adviser.trial import run_trials
from eddyline.quantities import seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from eddyline.adviser.access import Access
    from eddyline.adviser.candidates import Queues
    from eddyline.adviser.cases import Case
    from eddyline.adviser.trial import Measured
    from eddyline.progress import Count

    Requests = Callable[[Sequence[Queues]], Sequence[float]]

__all__ = ["Choice", "search", "worst"]

_BATCH = 12
"""Cases between two looks at a candidate."""

_USABLE = 0.85
"""A queue may leave a single flow less than another queue does, but a share is relative to no less than this part of
the best. Otherwise a queue too short for one flow would have a large share of very little."""


@dataclass(frozen=True)
class Choice:
    """The outcome of the search.

    Attributes:
        best: The advised queues; where none suffice, the nearest.
        possible: Whether they suffice.
        why: Why not, else None.
        by_family: The best of every family.
        default: The default buffers.
        cases: How many cases there are.
        trades: What the other queues that suffice would give instead.
    """

    best: Row
    possible: bool
    why: str | None
    by_family: list[Row]
    default: Row
    cases: int
    trades: list[str]


@dataclass
class _Candidate:
    """A candidate and its measurements so far."""

    family: str
    queues: Queues
    measured: dict[Case, Measured] = field(default_factory=dict)
    row: Row | None = None
    request_s: float | None = None

    @property
    def tried(self) -> list[Case]:
        """Cases of both directions that have run."""
        return [case for case in self.measured if case.downloads and case.uploads]


def search(
    access: Access,
    unit: str,
    prefer: str = "balance",
    have: str = "linux",
    done: Count | None = None,
    requests_s: Requests | None = None,
) -> Choice:
    """Simulates the candidates that the user's router has, and chooses.

    Args:
        access: The access link.
        unit: What FIFO limits count.
        prefer: One of `choice.PREFERENCES`.
        have: A key of `candidates.HAVE`.
        done: Called after each run with the number of runs so far and the expected total.
        requests_s: Mean times of requests under load behind these queues, to choose by where latency is preferred.
    """
    return _Search(access, unit, prefer, have, done, requests_s).choice()


class _Search:
    def __init__(
        self, access: Access, unit: str, prefer: str, have: str, done: Count | None, requests_s: Requests | None
    ) -> None:
        known = families(access, unit)
        self._access = access
        self._prefer = prefer
        self._names = HAVE[have]
        self._candidates = [_Candidate(name, q) for name in self._names for q in known[name]]
        self._default = _Candidate(DEFAULT, default())
        if requests_s is not None and prefer == "latency":
            everybody = [*self._candidates, self._default]
            for candidate, request_s in zip(everybody, requests_s([c.queues for c in everybody]), strict=True):
                candidate.request_s = request_s
        self._cases = cases(access)
        self._more = more_cases(access)
        self._best_alone: dict[Case, float] = {}
        self._rtt_s = (access.rtt_s[0] * access.rtt_s[1]) ** 0.5
        self._done = done
        self._finished = 0
        first = len({c for case in screening(access) for c in _needed(case)})
        self._expected = first * len(self._candidates) + (len(self._names) + 1) * len(self._cases) * 7 // 6

    def choice(self) -> Choice:
        """Runs what is needed and decides."""
        first = screening(self._access)
        everybody = [*self._candidates, self._default]
        self._run([(c, first) for c in everybody])
        for alone in {a for case in first for a in _alone(case)}:
            self._best_alone[alone] = max(_goodput(c.measured[alone], alone) for c in everybody)
        settled: dict[str, _Candidate] = {}
        while open_ := [name for name in self._names if name not in settled]:
            work = [] if self._left(self._default) == [] else [self._default]
            for name in open_:
                favourite = self._favourite(name)
                if favourite is None:
                    settled[name] = self._leader(name)
                elif not self._left(favourite):
                    settled[name] = favourite
                else:
                    work.append(favourite)
            self._run([(c, self._left(c)[:_BATCH]) for c in work])
        while left := self._left(self._default):
            self._run([(self._default, left)])
        return self._decide([self._row(settled[name]) for name in self._names])

    def _decide(self, rows: list[Row]) -> Choice:
        usual = self._row(self._default)
        best = choice.preferred(rows, self._prefer, self._rtt_s, usual)
        if best is not None:
            others = [row for row in rows if row is not best and choice.suffices(row)]
            return Choice(best, True, None, rows, usual, len(self._cases), [_trade(best, row) for row in others])
        while True:
            # the default has run every case; of the others, the nearest and the one it is compared with run on
            nearest = choice.nearest([self._row(c) for c in self._candidates], self._prefer, self._rtt_s, usual)
            leader = max(self._candidates, key=lambda c: self._row(c).outcome.share)
            running = [c for c in self._candidates if c is leader or self._row(c) is nearest]
            work = [(c, left[:_BATCH]) for c in running if (left := self._left(c))]
            if not work:
                rows = [self._nearest_of(name, nearest, usual) for name in self._names]
                return Choice(nearest, False, _why(self._access, nearest), rows, usual, len(self._cases), [])
            self._run(work)

    def _nearest_of(self, name: str, nearest: Row, usual: Row) -> Row:
        """What the table has of a family where none suffices."""
        if nearest.family == name:
            return nearest
        return choice.nearest_among(
            [self._row(c) for c in self._candidates if c.family == name], self._prefer, self._rtt_s, usual
        )

    def _run(self, work: Iterable[tuple[_Candidate, Sequence[Case]]]) -> None:
        """Simulates these cases, and the directions alone that their shares are relative to."""
        tasks = [
            (candidate, case)
            for candidate, several in work
            for case in dict.fromkeys(c for each in several for c in _needed(each))
            if case not in candidate.measured
        ]

        def done(finished: int, _: int) -> None:
            if self._done is not None:
                so_far = self._finished + finished
                self._done(so_far, max(self._expected, so_far + 1))

        results = run_trials(self._access, [(c.queues, case) for c, case in tasks], done)
        self._finished += len(tasks)
        for (candidate, case), measured in zip(tasks, results, strict=True):
            candidate.measured[case] = measured
            candidate.row = None

    def _left(self, candidate: _Candidate) -> list[Case]:
        """Cases still to run: the additional ones only if it suffices, but not by much."""
        left = [case for case in self._cases if case not in candidate.measured]
        row = self._row(candidate)
        if not left and choice.suffices(row) and row.outcome.share < KEPT + CLOSE:
            left = [case for case in self._more if case not in candidate.measured]
        return left

    def _favourite(self, name: str) -> _Candidate | None:
        """The one of a family that has run furthest, or the one to begin with; None where all have failed."""
        left = [c for c in self._candidates if c.family == name and choice.suffices(self._row(c))]
        if not left:
            return None
        furthest = max(len(c.tried) for c in left)
        if furthest > len(screening(self._access)):
            return next(c for c in left if len(c.tried) == furthest)
        rows = [self._row(c) for c in left]
        best = choice.preferred(rows, self._prefer, self._rtt_s)
        return left[rows.index(best)] if best is not None else left[0]

    def _leader(self, name: str) -> _Candidate:
        """The one of a family with the largest share so far."""
        return max((c for c in self._candidates if c.family == name), key=lambda c: self._row(c).outcome.share)

    def _row(self, candidate: _Candidate) -> Row:
        if candidate.row is None:
            outcome = worst(candidate.measured, self._best_alone)
            candidate.row = Row(candidate.family, candidate.queues, outcome, candidate.request_s)
        return candidate.row


def worst(measured: Mapping[Case, Measured], best_alone: Mapping[Case, float]) -> Outcome:
    """The worst of each quantity over the measured cases of both directions.

    Args:
        measured: Those cases, and each direction alone with the same flows.
        best_alone: The largest goodput of the fewest flows of a direction alone, behind any queue.
    """
    both = {case: m for case, m in measured.items() if case.downloads and case.uploads}
    least = {}
    for way, index in (("download", 0), ("upload", 1)):
        shares = []
        for case, m in both.items():
            alone = case.alone(way)
            fewest = [best for c, best in best_alone.items() if c.way == way and c.rtt_s == alone.rtt_s]
            by_itself = max([_goodput(measured[alone], alone), *(_USABLE * best for best in fewest)])
            goodput = (m.download_bps, m.upload_bps)[index]
            shares.append((goodput / by_itself if by_itself > 0 else 0.0, goodput, by_itself, case))
        least[way] = min(shares, key=lambda each: each[0])
    down, up = least["download"], least["upload"]
    known = [m.responsiveness_rpm for m in both.values() if m.responsiveness_rpm is not None]
    return Outcome(
        down[1],
        up[1],
        down[2],
        up[2],
        max(m.delay_s for m in both.values()),
        min(m.fairness for m in both.values()),
        len(both),
        (down if down[0] < up[0] else up)[3].described(),
        min(known, default=None),
    )


def _alone(case: Case) -> tuple[Case, Case]:
    return case.alone("download"), case.alone("upload")


def _needed(case: Case) -> tuple[Case, ...]:
    return (*_alone(case), case)


def _goodput(measured: Measured, alone: Case) -> float:
    return measured.download_bps if alone.way == "download" else measured.upload_bps


def _trade(best: Row, other: Row) -> str:
    """What another queue would give instead."""
    a, b = best.outcome, other.outcome
    return (
        f"{other.family} instead: download {b.download_bps / a.download_bps - 1:+.1%}, "
        f"uploads {b.upload_bps / a.upload_bps - 1:+.1%}, "
        f"delay {seconds(b.worst_delay_s)} for {seconds(a.worst_delay_s)}, "
        f"fairness {b.fairness:.2f} for {a.fairness:.2f}"
    )


def _why(access: Access, nearest: Row) -> str:
    o = nearest.outcome
    worse = "downloads" if o.download_share < o.upload_share else "uploads"
    why = (
        f"no queue lets both directions keep {KEPT + SPARE:.1%} in every case tried: "
        f"with the nearest, {nearest.family}, the {worse} keep {o.share:.1%} in the worst ({o.worst_case})"
    )
    acks = access.down_packets_per_s / 2 * access.line.line_bytes(ACK_B) * 8 / access.up_bps
    if acks > 1 - KEPT - CLOSE:
        why += f"; the acknowledgements of a full download alone take {acks:.0%} of the uplink unless they are filtered"
    return why
