"""Reproducing a paper: its exhibits, its claims judged, as document, tables or report."""

from __future__ import annotations

import time
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.errors import InputError
from eddyline.papers.claims import count, judged, read
from eddyline.papers.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from eddyline.papers import Paper
    from eddyline.papers.claims import Verdict
    from eddyline.papers.exhibit import Exhibit
    from eddyline.progress import Observer

    Builders: TypeAlias = Mapping[str, Callable[[Desk], Exhibit]]

__all__ = ["Reproduced", "reproduced"]


@dataclass(frozen=True)
class Reproduced:
    """What came of it.

    Attributes:
        exhibits: In the paper's order.
        verdicts: Of every claim whose exhibit is among them.
        seconds: How long simulations and theory took.
        runs: Simulations run.
        packets: Packets that they delivered.
    """

    paper: Paper
    exhibits: Sequence[Exhibit]
    verdicts: Sequence[Verdict]
    seconds: float
    runs: int
    packets: int

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
            "exhibits": [e.to_dict() for e in self.exhibits],
            "claims": [v.to_dict() for v in self.claims],
            "ours": [v.to_dict() for v in self.ours],
            "counts": {"claims": count(self.claims), "ours": count(self.ours)},
        }

    def show(self) -> None:
        """Prints exhibits, then claims with their verdicts."""
        from eddyline.papers.terminal import show

        show(self)

    def write(self, folder: Path) -> Path:
        """Writes report, data and figures; returns the page."""
        from eddyline.papers.report import write

        return write(self, folder)


def reproduced(paper: Paper, builders: Builders, wanted: Sequence[str], listener: Observer | None) -> Reproduced:
    """Makes the wanted exhibits (all if none is named) and judges the claims that rest on them.

    Args:
        paper: The paper.
        builders: What makes each exhibit.
        wanted: Names of exhibits.
        listener: Is told how far it is, an exhibit counting as a run.

    Raises:
        InputError: There is no exhibit of a wanted name.
    """
    for name in wanted:
        if name not in builders:
            raise _unknown(paper, name, list(builders))
    claims = read(paper.folder / "claims.toml")
    started, desk = time.monotonic(), Desk(paper.folder)
    chosen = [build for name, build in builders.items() if not wanted or name in wanted]
    exhibits = []
    if listener is not None:
        listener.expect(len(chosen))
    for number, build in enumerate(chosen):
        if listener is not None:
            desk.lab.told = partial(_tell, listener, number)
        exhibits.append(build(desk))
        if listener is not None:
            _tell(listener, number, 1, 1)
    verdicts = judged(claims, {e.id: e for e in exhibits})
    seconds = time.monotonic() - started
    return Reproduced(paper, exhibits, verdicts, seconds, desk.lab.runs, desk.lab.packets)


def _tell(listener: Observer, number: int, done: int, runs: int) -> None:
    listener.update(number, float(done), float(runs), 0.0)


def _unknown(paper: Paper, name: str, known: Sequence[str]) -> InputError:
    near = get_close_matches(name, known, 1, 0.5)
    return InputError(
        f"{paper.name} has no exhibit {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
        f"exhibits are {', '.join(known)}",
    )
