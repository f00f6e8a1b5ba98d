"""Reproducing a paper: makes its exhibits and judges its claims; the result as document, tables or report."""

from __future__ import annotations

import time
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.errors import InputError
from eddyline.papers.claims import count, judged, read
from eddyline.papers.context import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eddyline.papers.claims import Verdict
    from eddyline.papers.paper import Paper
    from eddyline.progress import Observer
    from eddyline.reports.exhibit import Exhibit

    Builders: TypeAlias = Mapping[str, Callable[[Context], Exhibit]]

__all__ = ["Builders", "Reproduction", "make_exhibits", "reproduce_exhibits"]


@dataclass(frozen=True)
class Reproduction:
    """The exhibits of a paper and the verdicts on its claims.

    Attributes:
        exhibits: In the paper's order.
        verdicts: Of every claim whose exhibit is among them.
        seconds: Time that simulations and theory took.
        runs: Number of simulations run.
        packets: Number of packets that they delivered.
        left_out: Number of the paper's exhibits that are not among them.
    """

    paper: Paper
    exhibits: Sequence[Exhibit]
    verdicts: Sequence[Verdict]
    seconds: float
    runs: int
    packets: int
    left_out: int = 0

    @property
    def whole(self) -> int:
        """Number of exhibits of the paper."""
        return len(self.exhibits) + self.left_out

    @property
    def claims(self) -> list[Verdict]:
        """Verdicts on what the paper says."""
        return [v for v in self.verdicts if not v.claim.ours]

    @property
    def ours(self) -> list[Verdict]:
        """Verdicts on what we say beside it."""
        return [v for v in self.verdicts if v.claim.ours]

    def to_dict(self) -> dict[str, Any]:
        """The document of `--json`."""
        return {
            "paper": self.paper.name,
            "title": self.paper.title,
            "source": self.paper.source,
            "selected": {"exhibits": [e.id for e in self.exhibits], "of": self.whole} if self.left_out else None,
            "exhibits": [e.to_dict() for e in self.exhibits],
            "claims": [v.to_dict() for v in self.claims],
            "ours": [v.to_dict() for v in self.ours],
            "counts": {"claims": count(self.claims), "ours": count(self.ours)},
        }


def reproduce_exhibits(
    paper: Paper, builders: Builders, wanted: Sequence[str], observer: Observer | None, long: bool = False
) -> Reproduction:
    """Makes the wanted exhibits (all if none is named) and judges the claims that rest on them.

    Args:
        paper: The paper.
        builders: What makes each exhibit.
        wanted: Names of exhibits.
        observer: Receives the progress; an exhibit counts as a run.
        long: Whether long runs that are not recorded are simulated.

    Raises:
        InputError: There is no exhibit of a wanted name.
    """
    for name in wanted:
        if name not in builders:
            raise _unknown(paper, name, list(builders))
    claims = read(paper.folder / "claims.toml")
    started, context = time.monotonic(), Context(paper.folder, long)
    chosen = {name: build for name, build in builders.items() if not wanted or name in wanted}
    exhibits = make_exhibits(context, chosen, observer)
    verdicts = judged(claims, {e.id: e for e in exhibits})
    seconds = time.monotonic() - started
    left_out = len(builders) - len(chosen)
    return Reproduction(paper, exhibits, verdicts, seconds, context.runner.runs, context.runner.packets, left_out)


def make_exhibits(context: Context, builders: Builders, observer: Observer | None = None) -> list[Exhibit]:
    """The exhibits that `builders` make, in their order; `observer` receives the progress, an exhibit being a run."""
    exhibits = []
    if observer is not None:
        observer.expect(len(builders))
    for number, build in enumerate(builders.values()):
        if observer is not None:
            context.runner.progress = partial(_report, observer, number)
        exhibits.append(build(context))
        if observer is not None:
            _report(observer, number, 1, 1)
    return exhibits


def _report(observer: Observer, number: int, done: int, runs: int) -> None:
    observer.update(number, float(done), float(runs), 0.0)


def _unknown(paper: Paper, name: str, known: Sequence[str]) -> InputError:
    near = get_close_matches(name, known, 1, 0.5)
    return InputError(
        f"{paper.name} has no exhibit {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
        f"exhibits are {', '.join(known)}",
    )
