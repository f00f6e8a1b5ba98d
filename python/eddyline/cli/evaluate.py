"""`eddyline evaluate`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eddyline.cli.options import controllers, packet_world, parse_override, path_option, silent, timeout
from eddyline.cli.outputs import shown
from eddyline.cli.types import Controller, Names, Queue

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from eddyline.evaluation import Evaluation

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline evaluate cubic --quick
  eddyline evaluate reno bbr --only response,sharing --quick
  eddyline evaluate fast --set alpha='50 packets' --only step --out fast-step
  eddyline evaluate reno mine --controllers my.py --set mine.gain=0.2 --out mine
  eddyline evaluate prague cubic --queue dualpi2 --only sharing,step --quick
  eddyline evaluate all --out family
"""


_MAX_COLUMNS = 8


class _Kind(Controller):
    """A controller, or `all`; the evaluation checks it."""

    def convert(self, value: str, _param: click.Parameter | None, _ctx: click.Context | None) -> str:
        """Unchanged."""
        return value


class _Experiments(Names):
    """Names of experiments."""

    def known(self) -> list[tuple[str, str]]:
        """Names with what they are."""
        from eddyline.evaluation import EXPERIMENTS

        return [(e.name, e.title) for e in EXPERIMENTS.values()]


@click.command("evaluate", epilog=EXAMPLES, short_help="measure controllers side by side")
@click.argument("kinds", nargs=-1, required=True, type=_Kind(), metavar="KIND...")
@controllers()
@click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="KEY=VALUE",
    callback=parse_override,
    help="A parameter of all of them, or of one as KIND.KEY=VALUE; may be repeated.",
)
@click.option("--only", type=_Experiments(), default=(), help="Experiments; all by default.")
@click.option(
    "--seeds",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    metavar="N",
    help="Repeat random experiments N times: means, with 95 % intervals in the document.",
)
@click.option(
    "--queue",
    type=Queue(),
    default="droptail",
    show_default=True,
    metavar="KIND",
    help="The bottleneck's queue. With others than drop-tail flows are ECN-capable.",
)
@packet_world()
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at a time; one per processor by default.")
@timeout("simulation")
@click.option("--quick", is_flag=True, help="Fewer points, shorter runs: a first look.")
@path_option(
    "--out",
    metavar="FOLDER",
    help="Write a report, evaluation.json, a sheet of figures for each controller, plots and data.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
@silent()
def command(
    kinds: tuple[str, ...],
    parameters: list[tuple[str, str]],
    only: tuple[str, ...],
    seeds: int,
    queue: str,
    world: str,
    jobs: int | None,
    timeout: float | None,
    quick: bool,
    out: Path | None,
    as_json: bool,
    silent: bool,
) -> int:
    """Measure controllers side by side, built-in ones and your own; `all` is every built-in one.

    \b
    response      mean window and rate over the share of packets lost, beside the closed form
    rtt-fairness  two flows whose round-trip times differ 1, 2, 4 and 8 times
    convergence   a second flow joins: time to equal shares, Jain's index
    step          the capacity halves and comes back: queueing delay, recovery
    sharing       its share beside Reno and beside CUBIC, over the buffer
    buffers       use of the link and queueing delay alone, over the buffer
    trace         the window for a minute

    Each is simulated on a fixed path, which its table names. The same command gives the same bytes. Exit 0 if
    everything was measured, 1 if a controller of yours raised an error or a connection of world quic was lost; the
    other results are kept.
    """  # noqa: D301 - click takes such paragraphs verbatim
    from eddyline.cli.progress import Progress
    from eddyline.evaluation import evaluate
    from eddyline.output import replaced, require_writable

    if out is not None:
        from eddyline.evaluation.report import FILES

        require_writable(out, FILES)
    tracebacks: dict[str, None] = {}  # each once, however many runs it ended
    with Progress(silent=silent) as progress:
        progress.expect(1)
        evaluation = evaluate(
            kinds,
            parameters=parameters,
            only=only,
            seeds=seeds,
            quick=quick,
            queue=queue,
            world=world,
            jobs=jobs,
            timeout_s=timeout,
            done=progress.count(),
            failed=lambda error: tracebacks.setdefault(getattr(error, "traceback", "") or f"error: {error}\n"),
        )
    page = None
    with shown(lambda: _show(evaluation, tracebacks, as_json)):
        if out is not None:
            with Progress(silent=silent) as progress:
                progress.expect(1)
                with replaced(out, FILES) as staged:
                    page = out / evaluation.write(staged, progress.count()).name
    if page is not None:
        click.echo(f"report: {page}", err=as_json)
    return 1 if evaluation.failures else 0


def _show(evaluation: Evaluation, tracebacks: Iterable[str], as_json: bool) -> None:
    from eddyline.reports.terminal import show_exhibit

    click.echo("".join(tracebacks), nl=False, err=True)
    if as_json:
        sys.stdout.write(evaluation.json + "\n")
        return
    for exhibit in evaluation.exhibits():
        show_exhibit(exhibit)
    if len(evaluation.subjects) > 1:
        _show_figures(evaluation)
    for failure in evaluation.failures:
        click.echo(f"{failure.text}: {failure.error}")


def _show_figures(evaluation: Evaluation) -> None:
    """The figures of all controllers: a column each where these fit, else a row each."""
    from eddyline.evaluation.report import family
    from eddyline.reports.exhibit import cell
    from eddyline.reports.terminal import show_exhibit
    from eddyline.tables import print_table, table

    exhibit = family(evaluation)
    if len(exhibit.rows) > _MAX_COLUMNS:
        show_exhibit(exhibit)
        return
    who, *columns = exhibit.columns
    made = table(f"{exhibit.title} ({exhibit.place})", "", ["", *(cell(row, who) for row in exhibit.rows)])
    for column in columns:
        made.add_row(column.label, column.unit, *(cell(row, column) for row in exhibit.rows))
    print_table(made)
