from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find, reproduce
from eddyline.papers.bidirectional_tcp import EXHIBITS, cures
from eddyline.papers.bidirectional_tcp.cures.access_links import ACCESS_LINKS
from eddyline.papers.claims import check, judged, read
from eddyline.papers.context import Context
from eddyline.papers.fast_overview.length import VARIABLE
from eddyline.papers.reproduction import reproduce_exhibits

from .thin_vfast import BUILDERS, SLOW

if TYPE_CHECKING:
    from eddyline.papers.claims import Claim
    from eddyline.papers.reproduction import Reproduction
    from eddyline.reports.exhibit import Exhibit

NAMES = ("two-way-fast", "asymmetric-fast", "bidirectional-tcp", "vfast", "fast-overview")


@pytest.fixture(scope="session")
def reproductions() -> dict[str, Reproduction]:
    """Every paper, reproduced once for all tests: VFAST's small, the record path's hours as a few seconds.

    With `thin_vfast.SLOW` both as they are.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not SLOW:
            patch.setenv(VARIABLE, "5")
        whole = ("two-way-fast", "asymmetric-fast", "fast-overview")
        made: dict[str, Reproduction] = {n: reproduce(find(n)) for n in whole}  # type: ignore[misc]
    return made | {"bidirectional-tcp": _without_modern_links(), "vfast": _thin_vfast()}


def _thin_vfast() -> Reproduction:
    """VFAST from small exhibits, which lack some of the rows that claims name; whole ones are held to that too."""

    def columns_only(claim: Claim, exhibit: Exhibit) -> None:
        check(dataclasses.replace(claim, rows={}), exhibit)

    with pytest.MonkeyPatch.context() as patch:
        if not SLOW:
            patch.setattr("eddyline.papers.claims.check", columns_only)
        return reproduce_exhibits(find("vfast"), BUILDERS, (), None)


def _without_modern_links() -> Reproduction:
    """Bidirectional TCP with its exhibit cures on the paper's own link only: the others take a minute."""
    paper = find("bidirectional-tcp")
    most = reproduce_exhibits(paper, {n: b for n, b in EXHIBITS.items() if n != "cures"}, (), None)
    exhibits = [*most.exhibits, cures.exhibit(Context(paper.folder), ACCESS_LINKS[:1])]
    verdicts = judged(read(paper.folder / "claims.toml"), {e.id: e for e in exhibits})
    return dataclasses.replace(most, exhibits=exhibits, verdicts=verdicts)


@pytest.fixture(scope="session", params=NAMES)
def reproduced(request: pytest.FixtureRequest, reproductions: dict[str, Reproduction]) -> Reproduction:
    return reproductions[request.param]


@pytest.fixture(scope="session")
def two_way(reproductions: dict[str, Reproduction]) -> dict[str, Any]:
    """Exhibits of the two-way paper, by id."""
    return {e.id: e for e in reproductions["two-way-fast"].exhibits}


@pytest.fixture(scope="session")
def asymmetric(reproductions: dict[str, Reproduction]) -> dict[str, Any]:
    """Exhibits of the letter, by id."""
    return {e.id: e for e in reproductions["asymmetric-fast"].exhibits}


@pytest.fixture(scope="session")
def vfast(reproductions: dict[str, Reproduction]) -> dict[str, Any]:
    """Exhibits of VFAST's paper, by id."""
    return {e.id: e for e in reproductions["vfast"].exhibits}


@pytest.fixture(scope="session")
def bidirectional(reproductions: dict[str, Reproduction]) -> dict[str, Any]:
    """Exhibits of the bidirectional paper, by id."""
    return {e.id: e for e in reproductions["bidirectional-tcp"].exhibits}


@pytest.fixture(scope="session")
def theory() -> dict[str, Any]:
    """Equilibria computed apart from this program, by paper."""
    files = {name: find(name).folder / "reference" / "theory.json" for name in ("two-way-fast", "asymmetric-fast")}
    return {name: json.loads(file.read_text("utf-8")) for name, file in files.items()}
