"""`eddyline verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import controllers, silent
from eddyline.worlds import ALL, NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eddyline.result_folder import Manifest
    from eddyline.runs import Part, Request, WorldRuns
    from eddyline.scenario import Scenario

__all__ = ["command"]

_MAX_SHOWN = 10


@click.command("verify", short_help="run a stored result again")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@controllers()
@silent()
def command(folder: Path, silent: bool) -> int:
    """Run again what `--out DIR` stored, from its scenario, worlds and seeds, and compare results and series.

    Plots and copies of traces are compared with the digests in `manifest.json`. Of a sweep, all points that are stored
    run again, on all processors, except those that a limit of time or memory, or the end of a process, stopped.

    Exit 0: the same to the last bit, except `cost`. Exit 1: they differ, or a file is missing; standard output says
    where.
    """
    from eddyline.errors import InputError
    from eddyline.output import FILES, RESULT, SCENARIO
    from eddyline.result_folder import manifest
    from eddyline.sweeps.manifest import read as described

    swept = described(folder)
    if swept is not None:
        return _sweep(folder, swept, silent=silent)
    held = manifest(folder)
    altered = sorted([(name, "one file", what) for name, what in held.altered.items()], key=_inputs_first)
    needed = [what for name, what in held.altered.items() if name in (RESULT, SCENARIO) or name.startswith(f"{FILES}/")]
    if "missing" in needed:  # it cannot be run again
        _report(folder, altered)
        return 1
    try:
        return _run_again(folder, held, silent=silent)
    except InputError as e:
        if not needed:
            raise
        # what was changed is the finding, not that it is no input now
        _report(folder, altered)
        click.echo(f"note: {e}", err=True)
        return 1


def _inputs_first(difference: tuple[str, str, str]) -> bool:
    """The order of differences: a changed input may be why all else differs."""
    from eddyline.output import FILES

    return not difference[0].startswith(f"{FILES}/")


def _run_again(folder: Path, held: Manifest, *, silent: bool) -> int:
    """Runs a result again."""
    from eddyline.cli.progress import Progress
    from eddyline.cli.run import report_failures
    from eddyline.errors import InputError
    from eddyline.folder_manifest import MANIFEST
    from eddyline.output import RESULT, SCENARIO, SERIES
    from eddyline.runs import Request, document, run_parts, without_cost
    from eddyline.scenario import stored
    from eddyline.worlds import RunOptions

    text, scenario = stored(folder)
    try:
        kept = json.loads(text)
        told = without_cost(kept)
    except (ValueError, RecursionError) as e:
        raise InputError(f"{folder / RESULT}: not JSON: {e}") from None
    parts, repeated = _what_ran(kept, scenario.seed, folder)
    with_series = (folder / SERIES).is_file()
    asked = {name: value for options in held.asked.values() for name, value in options.items()}
    try:
        options = RunOptions.of_record(asked, series=with_series)
    except InputError as e:
        raise InputError(f"{folder / MANIFEST} is damaged: asked: {e}") from None
    number = len(parts[0].seeds) if repeated else None
    request = Request(ALL if isinstance(kept, list) else parts[0].world, number, options)
    with Progress(silent=silent) as progress:
        replies = run_parts(scenario, parts, request, progress)
    differences = list(_differences(told, without_cost(json.loads(document(replies, request)))))
    # result and series were compared value by value; the result has the scenario's digest, unless with other seeds
    compared = {RESULT, SERIES}
    if not repeated and all(list(part.seeds) == [scenario.seed] for part in parts):
        compared.add(SCENARIO)
    if with_series:
        try:
            unaltered = SERIES not in held.altered and (folder / MANIFEST).exists()
            differences += _series_differ(folder, replies, _labels(parts, request), unaltered=unaltered)
        except InputError as e:
            if SERIES not in held.altered:
                raise
            compared.remove(SERIES)
            click.echo(f"note: {e}", err=True)
    altered = [(n, "one file", what) for n, what in held.altered.items() if what == "missing" or n not in compared]
    differences = sorted([*altered, *differences], key=_inputs_first)
    if not (folder / MANIFEST).exists():
        click.echo(f"note: {folder} has no {MANIFEST}: only the result and the series are compared", err=True)
    if not differences:
        click.echo(f"same: {folder} ({scenario.title}, {_which(parts)})")
        return 0
    # what a controller raised says more than what is missing for it
    report_failures(replies)
    _report(folder, differences)
    _explain(kept, scenario)
    return 1


def _sweep(folder: Path, described: Mapping[str, Any], *, silent: bool) -> int:
    """Runs a sweep again."""
    import eddyline._core as _core
    from eddyline.cli.sweep import Bar
    from eddyline.sweeps.verification import verify

    with Bar(silent=silent) as bar:
        verified = verify(folder, described, bar)
    number = "1 point" if verified.points == 1 else f"{verified.points:,} points"
    if verified.changed:
        click.echo(f"different: {folder}: nothing was run, for the sweep had")
        for each in verified.changed:
            click.echo(f"  {each}")
        return 1
    if verified.limited:
        which = "1 point was" if verified.limited == 1 else f"{verified.limited:,} points were"
        click.echo(f"note: {which} not run again: stopped at a limit of time or memory, or with the process", err=True)
    if not verified.differences:
        click.echo(f"same: {folder} ({number}, world {described['world']})")
        return 0
    _report(folder, [(where, _cut(earlier), _cut(now)) for where, earlier, now in verified.differences])
    if described["version"] != _core.VERSION:
        click.echo(f"note: stored by version {described['version']}, this is {_core.VERSION}", err=True)
    return 1


def _report(folder: Path, differences: Sequence[tuple[str, str, str]]) -> None:
    click.echo(f"different: {folder}")
    for where, earlier, now in differences[:_MAX_SHOWN]:
        click.echo(f"  {where}: stored {earlier}, now {now}")
    if len(differences) > _MAX_SHOWN:
        click.echo(f"  and {len(differences) - _MAX_SHOWN} more")


def _labels(parts: Sequence[Part], request: Request) -> list[str]:
    """The keys of results by which series of these runs are told apart, as `eddyline run` and `Results` have them."""
    several = len({seed for part in parts for seed in part.seeds}) > 1
    names = request.labels
    return [*names, "seed"] if several and "seed" not in names else names


def _series_differ(
    folder: Path, replies: Sequence[WorldRuns], names: list[str], *, unaltered: bool
) -> list[tuple[str, str, str]]:
    """Compares series; where the file is as it was written, of those runs that have any in it."""
    from eddyline.columns import joined, labels, read_series
    from eddyline.output import SERIES
    from eddyline.runs import labelled_series

    kept = read_series(folder / SERIES)
    stored = labels(kept, names)
    again = labelled_series([r for reply in replies for r in reply.results], names)
    if unaltered and stored is not None:
        again = [(label, table) for label, table in again if label in stored]
    if not again:
        return [(SERIES, f"{len(kept)} rows", "none: these runs have no series")]
    now = joined(again)
    if stored is not None and kept.equals(now):
        return []
    return [(SERIES, f"{len(kept)} rows", f"{len(now)} rows, not the same")]


def _what_ran(stored: Any, own_seed: int, folder: Path) -> tuple[list[Part], bool]:
    """The worlds of a stored document with the seeds of their runs, and whether these are repetitions.

    Runs that failed are among them. Worlds that were unavailable have the seeds of the first other.
    """
    from eddyline.errors import InputError
    from eddyline.runs import Part

    documents = stored if isinstance(stored, list) else [stored]
    try:
        ran = [d for d in documents if "unavailable" not in d]
        repeated = "runs" in ran[0]
        if not repeated and documents is not stored:
            return [Part(str(stored["world"]), [own_seed])], False
        seeds = _seeds(ran[0], own_seed, repeated=repeated)
        # repetitions that all failed do not name their world, which is in its place among all
        names = list(NAMES) if repeated and len(documents) == len(NAMES) else [None] * len(documents)
        parts = [
            Part(_world(d, name), seeds if "unavailable" in d else _seeds(d, own_seed, repeated=repeated))
            for d, name in zip(documents, names, strict=True)
        ]
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        raise InputError(f"{folder}: not a result that can be run again") from None
    return parts, repeated


def _world(document: Any, in_its_place: str | None) -> str:
    if document.get("runs"):
        return str(document["runs"][0]["world"])
    world = document.get("world", in_its_place)
    if world is None:
        raise KeyError
    return str(world)


def _seeds(document: Any, own_seed: int, *, repeated: bool) -> list[int]:
    if repeated:
        seeds = [run["seed"] for run in document["runs"]]
        if failed := document.get("failed"):
            # of `run --seeds`, in order; a run in which a controller from a file failed is in both lists
            seeds = sorted({*seeds, *(run["seed"] for run in failed)})
    else:
        seeds = [document.get("seed", own_seed)]  # a single run that failed has none
    if not seeds or not all(type(seed) is int for seed in seeds):
        raise TypeError
    return seeds


def _which(parts: Sequence[Part]) -> str:
    """Worlds and seeds of what ran, in a few words."""
    names = [part.world for part in parts]
    if len(names) == 1:
        worlds = f"world {names[0]}"
    else:
        worlds = f"world {ALL}" if names == list(NAMES) else f"worlds {', '.join(names)}"
    seeds = sorted({seed for part in parts for seed in part.seeds})
    if len(seeds) == 1:
        return f"{worlds}, seed {seeds[0]}"
    if seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"{worlds}, {len(seeds)} seeds from {seeds[0]} on"
    listed = ", ".join(map(str, seeds[:_MAX_SHOWN])) + (", ..." if len(seeds) > _MAX_SHOWN else "")
    return f"{worlds}, seeds {listed}"


def _differences(earlier: Any, now: Any, where: str = "") -> Iterator[tuple[str, str, str]]:
    if isinstance(earlier, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*earlier, *now]):
            yield from _differences(earlier.get(key), now.get(key), f"{where}.{key}" if where else key)
    elif isinstance(earlier, list) and isinstance(now, list) and len(earlier) == len(now):
        for place, (a, b) in enumerate(zip(earlier, now, strict=True)):
            name = a.get("name") if isinstance(a, dict) else None
            yield from _differences(a, b, f"{where}[{json.dumps(name, ensure_ascii=False) if name else place}]")
    elif type(earlier) is not type(now) or earlier != now:
        yield where, _short(earlier), _short(now)


def _short(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _explain(stored: Any, scenario: Scenario) -> None:
    import eddyline._core as _core

    documents = stored if isinstance(stored, list) else [stored]
    runs = (run for document in documents for run in document.get("runs", [document]) if "scenario_sha256" in run)
    first = next(runs, None)
    if first is None:  # all failed
        return
    if first["scenario_sha256"] != scenario.sha256:
        click.echo("note: the result is not of this scenario.json", err=True)
    if first.get("version") != _core.VERSION:
        click.echo(f"note: stored by version {first.get('version')}, this is {_core.VERSION}", err=True)
