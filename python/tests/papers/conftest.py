from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find, reproduce
from eddyline.papers.reproduction import reproduced as reproduced_by

from .thin_vfast import BUILDERS

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Reproduced

NAMES = ("two-way-fast", "asymmetric-fast", "vfast")


@pytest.fixture(scope="session")
def reproductions() -> dict[str, Reproduced]:
    """The papers, reproduced once for all tests; VFAST's small."""
    whole: dict[str, Reproduced] = {name: reproduce(find(name)) for name in NAMES[:2]}  # type: ignore[misc]
    return {**whole, "vfast": reproduced_by(find("vfast"), BUILDERS, (), None)}


@pytest.fixture(scope="session", params=NAMES)
def reproduced(request: pytest.FixtureRequest, reproductions: dict[str, Reproduced]) -> Reproduced:
    return reproductions[request.param]


@pytest.fixture(scope="session")
def two_way(reproductions: dict[str, Reproduced]) -> dict[str, Any]:
    """Exhibits of the two-way paper, by id."""
    return {e.id: e for e in reproductions["two-way-fast"].exhibits}


@pytest.fixture(scope="session")
def asymmetric(reproductions: dict[str, Reproduced]) -> dict[str, Any]:
    """Exhibits of the letter, by id."""
    return {e.id: e for e in reproductions["asymmetric-fast"].exhibits}


@pytest.fixture(scope="session")
def vfast(reproductions: dict[str, Reproduced]) -> dict[str, Any]:
    """Exhibits of VFAST's paper, by id."""
    return {e.id: e for e in reproductions["vfast"].exhibits}


@pytest.fixture(scope="session")
def theory() -> dict[str, Any]:
    """Equilibria computed apart from this program, by paper."""
    files = {name: find(name).folder / "reference" / "theory.json" for name in NAMES[:2]}
    return {name: json.loads(file.read_text("utf-8")) for name, file in files.items()}
