"""`eddyline sweep`."""

from __future__ import annotations

import json
import sys
import time
import warnings
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import eddyline.worlds as worlds
from eddyline.cli.options import (
    Key,
    controllers,
    overrides,
    parse_override,
    path_option,
    require_memory,
    scenario_file,
    start_jitter_named,
    timeout,
)
from eddyline.cli.outputs import after_runs, draw, figure_size, printed, require_writable_figure, shown, write_each
from eddyline.cli.types import MEMORY, OneOf, Seeds, Shard, Workers, World
from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.listener import SweepListener

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from rich.progress import Progress, TaskID

    from eddyline.sweeps.swept import Swept

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline sweep two-way.toml --out grid \\
    --vary 'link.up.queue.limit=20 packets,50 packets,100 packets' --vary 'flow.upload.start=0 s,5 s'
  eddyline sweep two-way.toml --vary 'link.up.rate=192 kbit/s,1 Mbit/s' --seeds 10 --out grid
  eddyline sweep two-way.toml --vary 'link.up.rate=192 kbit/s..10 Mbit/s:5:log' --vary seed=1..4 --out grid
  eddyline sweep two-way.toml --vary seed=1..30 --shard 3/3 --out shard-3
  eddyline sweep two-way.toml --vary 'flow.upload.count=1..5' --seeds 10 --out grid --table --plot grid.pdf --width 3.5
  eddyline sweep merge shard-1 shard-2 shard-3 --out grid
  eddyline sweep two-way.toml --vary 'link.up.delay=10 ms,100 ms' --world theory --out grid --json
  eddyline sweep two-way.toml --vary 'seed=1,2,3' --engine dask://10.0.0.1:8786 --out grid

\b
Then, in Python:
  import eddyline as el
  el.read_sweep("grid")              a row per point, seed and flow
  el.read_sweep("grid", of="links")
"""

_MAX_SHOWN = 20
_BAR_AFTER_S = 1.0
_LINE_EVERY_S = 60.0


MERGE_EXAMPLES = """\b
Examples:
  eddyline sweep merge shard-1 shard-2 shard-3 --out grid
  eddyline sweep merge shard-* --out grid --json
"""


class _Sweep(click.Command):
    """The command, with `merge` in the place of FILE for the other one."""

    @property
    def members(self) -> list[click.Command]:
        """The other one, for the reference."""
        return [merge]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that is meant."""
        if args[:1] == [merge.name]:
            return merge.make_context(f"{info_name} {merge.name}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command("sweep", cls=_Sweep, epilog=EXAMPLES, short_help="run a grid of scenarios")
@scenario_file()
@controllers()
@click.option(
    "--vary",
    type=Key(),
    multiple=True,
    required=True,
    metavar="KEY=V1,V2,...",
    callback=parse_override,
    help="Values of a key by its dotted name: a list, LO..HI:N, LO..HI:N:log, or 1..10 for every integer. The grid is "
    r"the product of all lists. A comma in a value, outside tables, arrays and quotes, is written \,",
)
@click.option(
    "--seeds",
    type=Seeds(1_000_000),
    default="1",
    metavar="N|LO..HI",
    help="Run each point with N seeds (the file's, the next, ...), or with these.",
)
@click.option(
    "--start-jitter",
    metavar="TIME",
    help="Start flows later by a random time below this, in all points, so that seeds differ.",
)
@path_option("--out", metavar="DIR", required=True, help="Keep the results here.")
@overrides("Override a key of the file in all points; may be repeated.")
@click.option(
    "--world",
    type=World(),
    default=worlds.DEFAULT,
    show_default=True,
    help="The world that runs the points.",
)
@click.option("--workers", type=Workers(), metavar="N", help="Number of processes; one per processor by default.")
@click.option("--engine", metavar="dask://HOST:PORT", help="Run on the workers of a Dask cluster.")
@click.option(
    "--shard", type=Shard(), metavar="I/N", help="Run the I-th of N shares of the points; `sweep merge` joins them."
)
@timeout("point")
@click.option(
    "--memory",
    type=MEMORY,
    help="Memory for packets in the network of one point. Default: half of what is free, divided among the processors.",
)
@path_option(
    "--plot",
    metavar="FILE",
    help="Draw means with 95 % bands over a varied key, a panel per metric (.png, .svg, .pdf, .pgf).",
)
@click.option("--table", "as_table", is_flag=True, help="Print a table: a column per value of the last key.")
@click.option(
    "--metric", "metrics", multiple=True, metavar="NAME", help="A column for --plot and --table, as in rtt_s.p99."
)
@click.option(
    "--of",
    type=OneOf(list(ENTITIES)),
    default="flows",
    show_default=True,
    help="Of what --plot and --table are.",
)
@click.option("--x", metavar="KEY", help="For --plot: the key of the axis; by default the first of quantities.")
@click.option("--by", metavar="KEY", help="For --plot: lines differ in this key only; others count as repetitions.")
@figure_size()
@click.option("--csv", is_flag=True, help="Write flows.csv, links.csv, ... into DIR, beside Parquet.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, no notes: errors alone.")
@click.option("--no-progress", is_flag=True, help="No progress.")
def command(
    file: Path,
    vary: list[tuple[str, str]],
    seeds: tuple[int | None, int],
    start_jitter: str | None,
    out: Path,
    overrides: list[tuple[str, str]],
    world: str,
    workers: int | None,
    engine: str | None,
    shard: tuple[int, int] | None,
    timeout: float | None,
    memory: int | None,
    plot: Path | None,
    as_table: bool,
    metrics: tuple[str, ...],
    of: str,
    x: str | None,
    by: str | None,
    csv: bool,
    as_json: bool,
    quiet: bool,
    no_progress: bool,
) -> int:
    """Run the scenario in FILE at every point of a grid, on all processors.

    Results are stored in DIR as they arrive. However it ends, the same command continues, without running a finished
    point again; points that failed are run again. With more values, seeds or keys than before, it runs what is missing.

    Where standard error is no terminal, progress is a line a minute. `eddyline sweep merge DIR... --out DIR` joins the
    folders of shards. Exit 0 if all points are done, 1 if some failed.
    """
    import eddyline.ranges as ranges
    from eddyline.encoding import value_text
    from eddyline.keys import START_JITTER, covers, with_start_jitter
    from eddyline.result_folder import source_of
    from eddyline.sweeps import choice, csv_tables
    from eddyline.sweeps.grid import Vary, require_distinct
    from eddyline.sweeps.parts import POINTS
    from eddyline.sweeps.plan import Plan
    from eddyline.sweeps.remarks import Remarks, remarks_of_points
    from eddyline.sweeps.sweep import run

    if as_table and as_json:
        raise click.UsageError("--table and --json: one of them goes to standard output")
    if memory is not None:
        require_memory(world)
    if plot is not None:
        require_writable_figure(plot)
    elif x is not None or by is not None:
        raise click.UsageError(f"{'--x' if by is None else '--by'} is for a figure: it needs --plot FILE")
    lists = [Vary(key, ranges.values(f"--vary {key}", values)) for key, values in vary]
    require_distinct(lists)
    first, number = seeds
    if first is not None:
        if any(key == "seed" for key, _ in overrides):
            raise click.UsageError("--set seed and --seeds LO..HI: both say which seed is the first")
        overrides = [*overrides, ("seed", str(first))]
    if start_jitter is not None:
        if (varied := next((key for key, _ in vary if covers(key, START_JITTER)), None)) is not None:
            raise click.UsageError(f"--vary {varied} and --start-jitter: both say how much later flows start")
        start_jitter = value_text(start_jitter)
        overrides = with_start_jitter(overrides, start_jitter)
    plan = Plan(source_of(file), lists, overrides, number, world, shard)
    if plot is not None or as_table or metrics:
        _refuse_headings(metrics, of)
        choice.require(plan, of, metrics)
    if plot is None and not as_table and (metrics or of != "flows"):
        raise click.UsageError(f"{'--metric' if metrics else '--of'} is for --table and --plot FILE")
    if plot is not None:
        choice.require_axis(plan.grid.keys, x, by)
    if csv:
        csv_tables.require_tables(out, (*ENTITIES, POINTS), plan.grid)
    remarks = Remarks([], []) if quiet else remarks_of_points(plan)
    for sentence in remarks.sentences:
        click.echo(f"note: {sentence}", err=True)
    with Bar(silent=quiet or no_progress) as bar, start_jitter_named(start_jitter):
        try:
            swept = run(plan, out, workers, engine, bar, timeout, memory)
        except KeyboardInterrupt:
            bar.close()
            if bar.points and not quiet:
                click.echo(f"{bar.done:,} of {bar.points:,} points are stored; the same command continues", err=True)
            raise
    printed(lambda: _show(swept, as_json=as_json, quiet=quiet, to_stderr=as_table))
    with after_runs(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is missing is said above
        if (about_phase := remarks.phase_remark(swept)) is not None:
            click.echo(f"note: {about_phase}", err=True)
        writers: list[Callable[[], object]] = [swept.write_csv if csv else partial(_renew_csv, swept, quiet=quiet)]
        if plot is not None:
            writers.append(lambda: _draw(swept, metrics, of, (x, by), plot, quiet=quiet))
        with shown(lambda: _tables(swept, metrics, of) if as_table else None):
            write_each(writers)
    return 1 if swept.failures else 0


def _refuse_headings(metrics: Sequence[str], of: str) -> None:
    """Says the name of a metric that is given as the tables of `eddyline run` head it, and unlike it."""
    from eddyline.spelling import nearest
    from eddyline.sweeps.choice import possible_metrics

    for given in metrics:
        if nearest(given, possible_metrics(of)) is None:
            from eddyline.tables import quantity_headed

            name = quantity_headed(of, given)
            if name is not None and name not in possible_metrics(of):
                raise click.UsageError(f"--metric {given}: tables of eddyline run make it of other quantities")
            if name is not None:
                raise click.UsageError(f"--metric {given}: did you mean {name}, which tables head so?")


def _draw(
    swept: Swept, metrics: Sequence[str], of: str, keys: tuple[str | None, str | None], plot: Path, *, quiet: bool
) -> None:
    """Writes the figure over the first of the keys, with lines by the second, and notes if it has not all lines."""
    from eddyline.plots.sweeps import LinesLeftOut

    x, by = keys
    with warnings.catch_warnings(record=True) as left_out:
        warnings.simplefilter("always", LinesLeftOut)
        figure = swept.plot(*metrics, of=of, x=x, by=by)
    draw(figure, plot, quiet=quiet)
    if left_out and not quiet:
        fewer = ["--x KEY has the values of a key along the axis"] if x is None and len(swept.keys) > 1 else []
        if by is None and len(swept.keys) > 2:
            fewer.append("--by KEY has lines for the values of one key only")
        if of == "flows":
            fewer.append("--of TABLE has the lines of links, groups, ...")
        click.echo(f"note: {plot}: {left_out[0].message}{': ' * bool(fewer)}{', '.join(fewer)}", err=True)


def _tables(swept: Swept, metrics: Sequence[str], of: str) -> None:
    """A table per metric: a row per flow and value of all keys but the last, a column per value of that."""
    from eddyline.plots.sweeps import label_of
    from eddyline.tables import print_table, table

    for metric, made in swept.pivots(*metrics, of=of):
        keys, values = made.labels()
        repeated = ", mean ± half of the 95 % interval" if made.repeated else ""
        headings = [f"{made.last}={value}" for value in values] if swept.keys else values
        shown = table(f"{label_of(metric)}{repeated}", made.names[0], [*made.names[1:], *headings])
        for key, cells in zip(keys, made.texts(), strict=True):
            shown.add_row(*key, *cells)
        print_table(shown)


def _renew_csv(swept: Swept, *, quiet: bool) -> None:
    """Renews the tables that an earlier --csv wrote, and notes files in their places that stay."""
    others = swept.renew_csv()
    if not quiet:
        for path in others:
            click.echo(f"note: {path} is not as --csv wrote it and stays as it is", err=True)


def _show(
    swept: Swept, *, as_json: bool, quiet: bool, to_stderr: bool = False, again: str = "the same command"
) -> None:
    """Prints the state of the folder; with `to_stderr` on standard error, because standard output is for a table.

    `again` says what runs failed points once more.
    """
    if as_json:
        json.dump(document(swept), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    elif not quiet:
        earlier = f", {swept.earlier:,} of them earlier" if swept.earlier else ""
        click.echo(f"{swept.done:,} of {swept.points:,} points done{earlier}: {swept.folder}", err=to_stderr)
    if not quiet:
        _notes(swept)
    _failures(swept, again)


@click.command("merge", epilog=MERGE_EXAMPLES, short_help="join the folders of a sweep's shards")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@path_option("--out", metavar="DIR", required=True, help="Keep the results here.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="No notes.")
def merge(folders: tuple[Path, ...], out: Path, as_json: bool, quiet: bool) -> int:
    """Join the folders that `eddyline sweep --shard I/N` wrote into one, as if the sweep had been run at once.

    DIR of --out is a new folder, or one of this sweep; that of a shard becomes the whole sweep's.
    Shards that are missing or unfinished may be merged later into the same folder, or the same sweep without --shard
    runs what is missing. Exit 0 if all points are done, 1 if not.
    """
    from eddyline.sweeps.merge import merge as join

    swept = replace(join(folders, out), folder=out)
    printed(lambda: _show(swept, as_json=as_json, quiet=quiet, again="the same sweep without --shard"))
    with after_runs():
        _renew_csv(swept, quiet=quiet)
    return 1 if swept.done < swept.points or swept.failures else 0


def document(swept: Swept) -> dict[str, Any]:
    """The summary that `--json` prints."""
    return {
        "dir": str(swept.folder),
        "points": swept.points,
        "done": swept.done,
        "ran": swept.ran,
        "failed": len(swept.failures),
        "failures": [{"point": f.point, "set": f.set, "why": f.why} for f in swept.failures],
        "approximations": swept.approximations,
        "wall_s": swept.wall_s,
    }


def _notes(swept: Swept) -> None:
    repeated, of = swept.repeated, swept.combinations
    if repeated == of:
        why = worlds.WORLDS[swept.world].not_random(
            "\nhint: --start-jitter '100 ms' with another --out DIR starts flows at random times"
        )
        click.echo(
            f"warning: all repetitions of every point are identical: {why}",
            err=True,
        )
    elif repeated:
        number = f"{repeated:,} of {of:,} combinations"
        click.echo(f"note: the repetitions of {number} are identical: nothing is random there", err=True)
    for text in swept.approximations:
        click.echo(f"note: {text}", err=True)


def _failures(swept: Swept, again: str) -> None:
    alike: dict[str, list[str]] = {}
    for failure in swept.failures[:_MAX_SHOWN]:
        where = " ".join(f"{key}={value}" for key, value in failure.set.items())
        alike.setdefault(failure.why, []).append(where)
    for why, (first, *others) in alike.items():
        click.echo(f"failed: {first}: {why}", err=True)
        for where in others:
            click.echo(f"failed likewise: {where}", err=True)
    if len(swept.failures) > _MAX_SHOWN:
        click.echo(f"and {len(swept.failures) - _MAX_SHOWN:,} more: --json has them all", err=True)
    if swept.failures:
        number = "1 point" if len(swept.failures) == 1 else f"{len(swept.failures):,} points"
        raised = any(failure.why.startswith("controller ") for failure in swept.failures)
        changed = "; a controller that is mended needs another folder" if raised else ""
        click.echo(f"{number} failed; {again} runs what failed again{changed}", err=True)


class Bar(SweepListener):
    """Points done, rate and time left, on standard error: a bar where that is a terminal, else a line a minute."""

    def __init__(self, *, silent: bool) -> None:
        self._wanted = not silent and sys.stderr.isatty()
        self._lines = not silent and not sys.stderr.isatty()
        self._started = self._written = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._stored = 0
        self.points = 0
        self.done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Removes it from the terminal."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None
            self._wanted = False

    def checking(self, done: int, total: int) -> None:
        """See `SweepListener`."""
        self._show("checking", done, total, 0)

    def started(self, points: int, stored: int) -> None:
        """See `SweepListener`."""
        self.points, self.done, self._stored = points, stored, stored
        self._started = self._written = time.monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.reset(self._task, description="sweep", total=points, completed=stored, rate="")

    def update(self, done: int, failed: int) -> None:
        """See `SweepListener`."""
        self.done = done
        self._show(f"sweep, {failed:,} failed" if failed else "sweep", done + failed, self.points, self._stored)

    def _show(self, what: str, done: int, total: int, stored: int) -> None:
        seconds = time.monotonic() - self._started
        if self._lines and time.monotonic() - self._written >= _LINE_EVERY_S:
            self._written = time.monotonic()
            click.echo(_line(what, done, total, (done - stored) / seconds), err=True)
        if not self._wanted or (self._bar is None and seconds < _BAR_AFTER_S):
            return
        if self._bar is None or self._task is None:
            self._bar, self._task = _bar(total)
        rate = f"{(done - stored) / seconds:,.3g}/s" if seconds > 0 else ""
        self._bar.update(self._task, description=what, completed=done, rate=rate)


def _line(what: str, done: int, total: int, rate: float) -> str:
    """Progress in one line with the time of day, for a log."""
    left = f", {timedelta(seconds=round((total - done) / rate))} left" if rate > 0 else ""
    return f"{datetime.now().astimezone():%H:%M:%S} {what}: {done:,} of {total:,}, {rate:,.3g}/s{left}"


def _bar(total: int) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("sweep", total=total, rate="")
