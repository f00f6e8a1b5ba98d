from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find
from eddyline.papers.claims import judged, read
from eddyline.papers.context import Context
from eddyline.papers.reproduction import Reproduction, make_exhibits
from eddyline.parallel import processors

from .thin import NAMES, SLOW, THINNED, all_builders, thin_builders, without

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eddyline.reports.exhibit import Exhibit


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `EDDYLINE_SLOW` only tests of reproductions are run: the others are the same without it."""
    here = Path(__file__).parent
    same = [i for i in items if SLOW and i.path.is_relative_to(here) and "reproductions" not in i.fixturenames]  # type: ignore[attr-defined]
    config.hook.pytest_deselected(items=same)
    items[:] = [i for i in items if i not in same]


@pytest.fixture(scope="session")
def contexts() -> dict[str, Context]:
    """The runs of each paper, shared by whole and thinned exhibits."""
    return {name: Context(find(name).folder) for name in NAMES}


@pytest.fixture(scope="session")
def reproductions(contexts: dict[str, Context]) -> dict[str, Reproduction]:
    """Every paper, reproduced once for all tests: thinned (`thin.py`), with `EDDYLINE_SLOW` as it is."""
    with ThreadPoolExecutor(processors()) as pool:
        return dict(zip(NAMES, pool.map(lambda name: _reproduced(contexts[name], name), NAMES), strict=True))


def _reproduced(context: Context, name: str) -> Reproduction:
    paper, started = find(name), time.monotonic()
    exhibits = make_exhibits(context, all_builders(paper) if SLOW else thin_builders(paper))
    by_id = {e.id: e for e in exhibits}
    claims = read(paper.folder / "claims.toml")
    missing = {} if SLOW else without(name, claims, by_id)
    verdicts = judged([c for c in claims if c.id not in missing], by_id)
    return Reproduction(
        paper, exhibits, verdicts, time.monotonic() - started, context.runner.runs, context.runner.packets
    )


@pytest.fixture(scope="session")
def thinned(reproductions: dict[str, Reproduction], contexts: dict[str, Context]) -> Mapping[str, Sequence[Exhibit]]:
    """What `make test` has of the exhibits that are thinned, made beside the whole ones."""
    assert reproductions
    return {
        name: make_exhibits(
            contexts[name], {e: build for e, build in thin_builders(find(name)).items() if e in THINNED[name]}
        )
        for name in NAMES
    }


class Exhibits(dict[str, Any]):
    """Exhibits of a paper, by id; a test that looks at one that is left out is skipped."""

    def __init__(self, reproduction: Reproduction) -> None:
        super().__init__({e.id: e for e in reproduction.exhibits})
        self.left_out = [e for e in all_builders(reproduction.paper) if e not in self]

    def __missing__(self, name: str) -> Any:
        if name in self.left_out:
            pytest.skip(f"exhibit {name} is left out (`make papers`)")
        raise KeyError(name)


@pytest.fixture(scope="session", params=NAMES)
def reproduced(request: pytest.FixtureRequest, reproductions: dict[str, Reproduction]) -> Reproduction:
    return reproductions[request.param]


@pytest.fixture(scope="session")
def two_way(reproductions: dict[str, Reproduction]) -> Exhibits:
    """Exhibits of the two-way paper, by id."""
    return Exhibits(reproductions["two-way-fast"])


@pytest.fixture(scope="session")
def asymmetric(reproductions: dict[str, Reproduction]) -> Exhibits:
    """Exhibits of the letter, by id."""
    return Exhibits(reproductions["asymmetric-fast"])


@pytest.fixture(scope="session")
def vfast(reproductions: dict[str, Reproduction]) -> Exhibits:
    """Exhibits of VFAST's paper, by id."""
    return Exhibits(reproductions["vfast"])


@pytest.fixture(scope="session")
def bidirectional(reproductions: dict[str, Reproduction]) -> Exhibits:
    """Exhibits of the bidirectional paper, by id."""
    return Exhibits(reproductions["bidirectional-tcp"])


@pytest.fixture(scope="session")
def overview(reproductions: dict[str, Reproduction]) -> Exhibits:
    """Exhibits of the overview, by id."""
    return Exhibits(reproductions["fast-overview"])


@pytest.fixture(scope="session")
def theory() -> dict[str, Any]:
    """Equilibria computed apart from this program, by paper."""
    files = {name: find(name).folder / "reference" / "theory.json" for name in ("two-way-fast", "asymmetric-fast")}
    return {name: json.loads(file.read_text("utf-8")) for name, file in files.items()}
