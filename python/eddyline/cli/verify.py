"""`eddyline verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import controllers, silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eddyline.answers import Answer
    from eddyline.scenario import Scenario

__all__ = ["command"]

_MOST = 10


@click.command("verify", short_help="run a stored result again")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@controllers()
@silent()
def command(folder: Path, silent: bool) -> int:
    """Run what `--out DIR` stored again, from its scenario and seed, and compare results and series.

    Plots and copies of traces are held against the digests in `manifest.json`. Exit 0: the same to the last bit, `cost`
    apart. Exit 1: they differ, or a file is missing; standard output says where.
    """
    from eddyline.answers import Wanted, answer, document, without_cost
    from eddyline.cli.progress import Progress
    from eddyline.errors import InputError
    from eddyline.folder import RESULT, SCENARIO, SERIES, manifest, read

    text, scenario = read(folder)
    try:
        stored = json.loads(text)
    except ValueError as e:
        raise InputError(f"{folder / RESULT}: not JSON: {e}") from None
    world, seeds = _how(stored, folder)
    held = manifest(folder)
    with_series = (folder / SERIES).exists()
    with Progress(silent=silent) as progress:
        answers = answer(
            scenario, world, seeds, Wanted(series=with_series, theory=held.asked.get("theory", {})), progress
        )
    again = json.loads(document(answers, everything=world == "all", repeated=seeds is not None))
    differences = list(_differences(without_cost(stored), without_cost(again)))
    if with_series:
        differences += _series_differ(folder, answers, world, seeds)
    # result and series were compared value by value; of the scenario its digest is in the result
    compared = {RESULT, SERIES, SCENARIO}
    differences += [(n, "one file", what) for n, what in held.altered.items() if what == "missing" or n not in compared]
    if not differences:
        click.echo(f"same: {folder} ({scenario.title}, world {world}, seed {scenario.seed})")
        return 0
    click.echo(f"different: {folder}")
    for where, before, now in differences[:_MOST]:
        click.echo(f"  {where}: stored {before}, now {now}")
    if len(differences) > _MOST:
        click.echo(f"  and {len(differences) - _MOST} more")
    _explain(stored, scenario)
    return 1


def _series_differ(
    folder: Path, answers: Sequence[Answer], world: str, seeds: int | None
) -> list[tuple[str, str, str]]:
    from eddyline.columns import joined, read_series
    from eddyline.folder import SERIES, labelled

    stored = read_series(folder / SERIES)
    now = joined(labelled([r for a in answers for r in a.results], world == "all", seeds is not None))
    if stored.equals(now):
        return []
    return [(SERIES, f"{len(stored)} rows", f"{len(now)} rows, not the same")]


def _how(stored: Any, folder: Path) -> tuple[str, int | None]:
    """Which world and how many seeds a stored document is of."""
    from eddyline.errors import InputError

    try:
        if isinstance(stored, list):
            if not stored:
                raise IndexError
            with_runs = [part["runs"] for part in stored if "runs" in part]
            return "all", _some(with_runs[0]) if with_runs else None
        if "runs" in stored:
            return str(stored["runs"][0]["world"]), _some(stored["runs"])
        return str(stored["world"]), None
    except (KeyError, IndexError, TypeError):
        raise InputError(f"{folder}: not a result that can be run again") from None


def _some(runs: list[Any]) -> int:
    if not runs:
        raise IndexError
    return len(runs)


def _differences(before: Any, now: Any, where: str = "") -> Iterator[tuple[str, str, str]]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*before, *now]):
            yield from _differences(before.get(key), now.get(key), f"{where}.{key}" if where else key)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, (a, b) in enumerate(zip(before, now, strict=True)):
            name = a.get("name") if isinstance(a, dict) else None
            yield from _differences(a, b, f"{where}[{json.dumps(name, ensure_ascii=False) if name else place}]")
    elif type(before) is not type(now) or before != now:
        yield where, _short(before), _short(now)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _explain(stored: Any, scenario: Scenario) -> None:
    from eddyline import _core

    first = stored[0] if isinstance(stored, list) else stored
    first = first["runs"][0] if "runs" in first else first
    if first.get("scenario_sha256") != scenario.sha256:
        click.echo("note: scenario.json is not the one that the result is of", err=True)
    if first.get("version") != _core.VERSION:
        click.echo(f"note: stored by version {first.get('version')}, this is {_core.VERSION}", err=True)
