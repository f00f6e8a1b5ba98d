"""`eddyline run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eddyline.cli.options import controllers, overrides, scenario_file
from eddyline.cli.outputs import FIGURES, claim_named, draw, shown
from eddyline.cli.words import Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.answers import Answer
    from eddyline.result import Result

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline run two-way.toml
  eddyline run two-way.toml --world all
  eddyline run two-way.toml --set 'flow.upload.start=10 s' --json
  eddyline run two-way.toml --seeds 10
  eddyline run two-way.toml --world theory --dynamics --plot dynamics.png
  eddyline run two-way.toml --out result --log-of upload --log packets.txt
  eddyline run two-way.toml --controllers my.py --set 'flow.*.controller.kind=mine'
"""


@click.command("run", epilog=EXAMPLES, short_help="answer a scenario file")
@scenario_file()
@controllers()
@click.option(
    "--world",
    type=Word(["theory", "sim", "kernel", "quic", "all"]),
    default="sim",
    show_default=True,
    help="Who answers.",
)
@overrides()
@click.option(
    "--seeds",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="Repeat with N seeds (the file's, the next, ...); adds mean, standard deviation and 95 % interval.",
)
@click.option(
    "--dynamics",
    type=Word(["integrator", "ack_clocked"]),
    is_flag=False,
    flag_value="ack_clocked",
    metavar="[MODEL]",
    help="World theory: follow the flows over time (ack_clocked unless said, or integrator).",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Keep scenario, result, series and plots.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw a figure (.png, .svg or .pdf).")
@click.option("--log", type=click.Path(path_type=Path), metavar="FILE", help="Log packets (.txt or .parquet).")
@click.option("--log-of", metavar="NAME", help="Log only one flow's, link's or traffic's packets.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON document.")
@click.option("--strict", is_flag=True, help="Exit 3 if a world could not honour all of the file, or not run at all.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, no notes.")
@click.option("--no-progress", is_flag=True, help="No progress bar.")
def command(
    file: Path,
    world: str,
    overrides: list[tuple[str, str]],
    seeds: int | None,
    dynamics: str | None,
    out: Path | None,
    plot: Path | None,
    log: Path | None,
    log_of: str | None,
    as_json: bool,
    strict: bool,
    quiet: bool,
    no_progress: bool,
) -> int:
    """Answer the scenario in FILE (TOML, or JSON if its name ends in .json)."""
    from eddyline.answers import Wanted, answer, document
    from eddyline.cli.progress import Progress
    from eddyline.scenario import Scenario

    _check_outputs(out, plot, log, log_of, world, seeds)
    scenario = Scenario.load(file, set=overrides)
    if dynamics is not None and world not in ("theory", "all"):
        raise click.UsageError("--dynamics is for --world theory")
    series = out is not None or plot is not None
    wanted = Wanted(
        series=series, log=log_of or log is not None, theory={} if dynamics is None else {"dynamics": dynamics}
    )
    with Progress(silent=quiet or no_progress) as progress:
        answers = answer(scenario, world, seeds, wanted, progress)
    text = document(answers, everything=world == "all", repeated=seeds is not None)

    _failed(answers)
    results = [r for a in answers for r in a.results]
    with shown(lambda: _show(answers, text, as_json, quiet)):
        if log is not None:
            _write_log(results[0], log)
        if plot is not None:
            from eddyline.folder import with_series

            draw(with_series(results).plot(), plot)
        if out is not None:
            from eddyline.folder import save

            save(out, text, results, (world == "all", seeds is not None))
    code = _strictly(answers) if strict else 0
    return 1 if any(a.failures for a in answers) else code


def _show(answers: Sequence[Answer], text: str, as_json: bool, quiet: bool) -> None:
    if as_json:
        sys.stdout.write(text + "\n")
    else:
        from eddyline.tables import show

        show(answers)
    if not quiet:
        _notes(answers, as_json)


def _failed(answers: Sequence[Answer]) -> None:
    """Says what became of runs that a controller of the user's own broke; the others are kept."""
    failures = [(a, f) for a in answers for f in a.failures]
    if failures and not any(a.results for a in answers):
        raise failures[0][1].error
    for answer, failure in failures:
        click.echo(failure.error.traceback, nl=False, err=True)
        click.echo(f"failed: world {answer.world}, seed {failure.seed}: {failure.error}", err=True)


def _check_outputs(
    out: Path | None, plot: Path | None, log: Path | None, log_of: str | None, world: str, seeds: int | None
) -> None:
    """Refuses before anything is run what could not be written after it."""
    if log_of is not None and log is None:
        raise click.UsageError("--log-of needs --log FILE")
    if log is not None and (world != "sim" or seeds is not None):
        raise click.UsageError("--log takes one run of world sim")
    for option, path, endings in (("--plot", plot, FIGURES), ("--log", log, (".txt", ".parquet"))):
        if path is not None:
            claim_named(option, path, endings)
    if out is not None:
        from eddyline.folder import claim

        claim(out)


def _write_log(result: Result, path: Path) -> None:
    from eddyline.folder import replaced_file

    with replaced_file(path) as aside:
        result.write_log(aside)


def _notes(answers: Sequence[Answer], as_json: bool) -> None:
    for answer in answers:
        if answer.unavailable is not None:
            click.echo(f"note: {answer.unavailable}", err=True)
        elif answer.identical:
            click.echo(
                f"warning: world {answer.world}: all {len(answer.results)} repetitions are identical: "
                "nothing in the scenario is random",
                err=True,
            )
        if not as_json and answer.results:
            for text in answer.results[0].approximations:
                click.echo(f"note: world {answer.world}: {text}", err=True)


def _strictly(answers: Sequence[Answer]) -> int:
    reasons = [f"world {a.world}: {text}" for a in answers for r in a.results for text in r.approximations]
    reasons += [str(a.unavailable) for a in answers if a.unavailable is not None]
    for reason in dict.fromkeys(reasons):
        click.echo(f"error: --strict: {reason}", err=True)
    return 3 if reasons else 0
