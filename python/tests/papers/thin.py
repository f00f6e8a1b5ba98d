"""What `make test` makes of the papers: fewer rows, each of them the same as in the whole reproduction.

Whole reproductions take minutes, so exhibits that cost much are made with fewer cases here, or not at all. Nothing is
made shorter or coarser: a row that is there is the row of the whole exhibit, which `make papers` checks. A claim that
names rows which are not there is not judged; its tests are skipped and say so. `EDDYLINE_SLOW=1`, as in `make papers`,
takes whole exhibits.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from eddyline.papers.claims import absent_rows
from eddyline.papers.fast_overview import vegas_delay
from eddyline.papers.two_way_fast import quic
from eddyline.papers.vfast import rivals, scenario_1, scenario_3, scenario_4

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eddyline.papers.claims import Claim
    from eddyline.papers.context import Context
    from eddyline.papers.paper import Paper
    from eddyline.papers.reproduction import Builders
    from eddyline.reports.exhibit import Exhibit

__all__ = ["NAMES", "SLOW", "THINNED", "Thinned", "all_builders", "thin_builders", "without"]

NAMES = ("two-way-fast", "asymmetric-fast", "bidirectional-tcp", "vfast", "fast-overview")
SLOW = bool(os.environ.get("EDDYLINE_SLOW"))


@dataclass(frozen=True)
class Thinned:
    """What is left of an exhibit.

    Attributes:
        left: Which rows are.
        build: What makes them; None if none are left.
    """

    left: str
    build: Callable[[Context], Exhibit] | None


_OUT = Thinned("left out", None)
_ONE = ((40.0, "SACK"),)
_AT_100_MS = partial(Thinned, "round trips of 100 ms only")
_ONE_SETTING = partial(Thinned, "40 ms with SACK only")

THINNED: Mapping[str, Mapping[str, Thinned]] = {
    "two-way-fast": {
        "fast-ack-priority": _OUT,
        "one-way-delay": _OUT,
        "fig-5": _OUT,
        "fig-5-timescale": _OUT,
        # no claim is about it; crates/quic/tests/suite/fast.rs asserts all five examples
        "quic": Thinned("example 5", partial(quic.build, examples=(5,))),
    },
    "asymmetric-fast": {"stability": _OUT, "stability-tally": _OUT},
    "bidirectional-tcp": {
        "fig-10-1": _OUT,
        "fig-10-2": _OUT,
        "half-the-downlink": _OUT,
        "section-5": _OUT,
        "section-5-packets": _OUT,
        "ns2": _OUT,
        "cures": _OUT,
        "steps": _OUT,
    },
    "vfast": {
        "rerouting": _OUT,
        "bias": _OUT,
        "fluctuating": _OUT,
        "jitter-queue": _OUT,
        "jitter-shares": _OUT,
        "jitter-timeouts": _OUT,
        "spurious": _OUT,
        "psi-grid": _OUT,
        "psi-rank": _OUT,
        "fig-4": _AT_100_MS(partial(scenario_1.figure_4, rtts=(100.0,))),
        "fig-5": _AT_100_MS(partial(scenario_1.figure_5, rtts=(100.0,))),
        "fig-6": _AT_100_MS(partial(scenario_1.figure_6, rtts=(100.0,))),
        "table-1": _OUT,
        "fig-9": _OUT,
        "fig-10": _OUT,
        "slip": _OUT,
        "table-2": _ONE_SETTING(partial(scenario_3.table_2, settings=_ONE)),
        "table-3": _ONE_SETTING(partial(scenario_3.table_3, settings=_ONE)),
        "scenario-3-totals": _ONE_SETTING(partial(scenario_3.figure_totals, settings=_ONE)),
        "fig-15": _OUT,
        "fig-16": _OUT,
        "scenario-4-totals": Thinned("SACK only", partial(scenario_4.phases, recoveries=("SACK",))),
        "readings": _OUT,
        "rivals": Thinned(
            "alpha 50, buffers of 2 and 5", partial(rivals.rivals, buffers=(2.0, 5.0), alphas=(50,), numbers=())
        ),
    },
    "fast-overview": {
        "controllers": _OUT,
        "gamma": _OUT,
        "alpha": _OUT,
        "random-loss": _OUT,
        "vegas-scale": _OUT,
        "vegas-delay": Thinned("20 flows on 10 Mbit/s", partial(vegas_delay.delay, paths=vegas_delay.PATHS[:1])),
    },
}
"""By paper and exhibit; exhibits that are not here are whole in `make test` too."""


def all_builders(paper: Paper) -> Builders:
    """What makes each exhibit of a paper."""
    builders: Builders = importlib.import_module(f"eddyline.papers.{paper.folder.name}").EXHIBITS
    return builders


def thin_builders(paper: Paper) -> Builders:
    """The same for what is left of them, in the same order."""
    thinned = THINNED[paper.name]
    chosen = {name: thinned[name].build if name in thinned else build for name, build in all_builders(paper).items()}
    return {name: build for name, build in chosen.items() if build is not None}


def without(paper: str, claims: Sequence[Claim], exhibits: Mapping[str, Exhibit]) -> dict[str, str]:
    """Claims that cannot be judged by what is left, by id, with the reason, which names all that share it."""
    missing: dict[str, list[str]] = {}
    for claim in claims:
        if claim.exhibit not in THINNED[paper]:
            continue
        if claim.exhibit not in exhibits or absent_rows(claim, exhibits[claim.exhibit]):
            missing.setdefault(claim.exhibit, []).append(claim.id)
    return {
        claim: f"{paper}, exhibit {name} ({THINNED[paper][name].left}; `make papers`): {', '.join(ids)}"
        for name, ids in missing.items()
        for claim in ids
    }
