"""Whatever Eddyline has written, opened by its path."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import eddyline.sweeps.manifest as manifest
from eddyline.arguments import file
from eddyline.errors import InputError
from eddyline.output import RESULT, SCENARIO
from eddyline.scenario import Result, Scenario, load_results

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.gauntlet.scorecard import Card
    from eddyline.results import Results
    from eddyline.sweeps.swept import Swept

    Opened: TypeAlias = Scenario | Result | Results[Result] | Swept | Card | dict[str, Any] | list[dict[str, Any]]

__all__ = ["open"]

_DOCUMENTS = ("report.json", "evaluation.json", "reproduction.json")


def open(path: str | Path) -> Opened:
    """Opens a scenario file, a result, a sweep, a scorecard or another document of Eddyline, by what is there.

    Args:
        path: A file or folder.

    Returns:
        A `Scenario` of a scenario file; a `Result`, or `Results` of several seeds or worlds, of what `run --out` or
        `save` wrote; a `Swept` of a sweep; a `gauntlet.Card` of a scorecard; a dict of any other JSON document, as
        `run --json` prints, or of several worlds a list.

    Raises:
        InputError: It is none of these.
    """
    from eddyline.gauntlet.scorecard import DOCUMENT, Card

    path = file("path", path)
    if path.is_dir():
        if manifest.read(path) is not None:
            from eddyline.sweeps.swept import Swept

            return Swept.load(path)
        if (path / RESULT).exists():
            results = load_results(path)
            return results[0] if len(results) == 1 else results
        if (path / DOCUMENT).exists():
            return Card.load(path)
        for name in _DOCUMENTS:
            if (path / name).exists():
                return _table(path / name, _read(path / name))
        raise InputError(
            f"{path}: holds nothing that can be opened",
            "a scenario file, or the folder of a result, a sweep, a scorecard or an evaluation",
        )
    if path.suffix == ".json" and path.exists():
        if path.name == RESULT and (path.parent / SCENARIO).exists():
            return open(path.parent)
        document = _read(path)
        if isinstance(document, list) and any(map(_is_result, document)):
            return document
        document = _table(path, document)
        if "suite_version" in document:
            return Card.load(path)
        if _is_result(document) or not {"flow", "link", "duplex", "arrivals", "traffic"} & document.keys():
            return document
    return Scenario.load(path)


def _is_result(document: Any) -> bool:
    """Whether it is what `run --json` prints of a run: it has keys of a scenario too."""
    return isinstance(document, dict) and "scenario_sha256" in document


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise InputError(f"{path}: cannot be read: {e}") from None


def _table(path: Path, document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise InputError(f"{path}: not a document of Eddyline")
    return document
