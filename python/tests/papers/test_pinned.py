"""Verdicts are those that are pinned, and thinned exhibits have rows of the whole ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eddyline.papers import find
from eddyline.papers.claims import read

from .pins import read_pins
from .thin import NAMES, SLOW, THINNED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eddyline.papers.claims import Claim
    from eddyline.papers.reproduction import Reproduction
    from eddyline.reports.exhibit import Exhibit

CLAIMS = [(name, claim) for name in NAMES for claim in read(find(name).folder / "claims.toml")]
LEFT = [(name, exhibit) for name in NAMES for exhibit, thinned in THINNED[name].items() if thinned.build is not None]


@pytest.mark.parametrize("paper", NAMES)
def test_every_claim_has_a_pin_and_no_other(paper: str) -> None:
    assert list(read_pins(paper)) == [c.id for c in read(find(paper).folder / "claims.toml")]


@pytest.mark.parametrize(("paper", "claim"), CLAIMS, ids=[f"{n}-{c.id}" for n, c in CLAIMS])
def test_the_verdict_is_the_pinned_one(paper: str, claim: Claim, reproductions: dict[str, Reproduction]) -> None:
    if not SLOW and claim.exhibit in THINNED[paper]:
        names = ", ".join(c.id for n, c in CLAIMS if n == paper and c.exhibit == claim.exhibit)
        pytest.skip(f"{paper}, exhibit {claim.exhibit} ({THINNED[paper][claim.exhibit].left}; `make papers`): {names}")
    pin = read_pins(paper)[claim.id]
    found = next(v for v in reproductions[paper].verdicts if v.claim.id == claim.id)
    assert found.verdict == pin.verdict
    # pins have three digits
    assert found.value == (None if pin.value is None else pytest.approx(pin.value, rel=0.006, abs=1e-9))


@pytest.mark.skipif(not SLOW, reason="whole exhibits: `make papers`")
@pytest.mark.parametrize(("paper", "exhibit"), LEFT)
def test_thinned_rows_are_rows_of_the_whole(
    paper: str,
    exhibit: str,
    reproductions: dict[str, Reproduction],
    thinned: Mapping[str, Sequence[Exhibit]],
) -> None:
    whole = next(e.rows for e in reproductions[paper].exhibits if e.id == exhibit)
    part = next(e.rows for e in thinned[paper] if e.id == exhibit)
    assert 0 < len(part) < len(whole)
    assert [row for row in part if row not in whole] == []
