"""`eddyline sweep`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import eddyline.worlds as worlds
from eddyline.cli.options import Key, controllers, overrides, parse_override, scenario_file
from eddyline.cli.types import OneOf

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from rich.progress import Progress, TaskID

    from eddyline.sweeps.sweep import Swept

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline sweep two-way.toml --out grid \\
    --vary 'link.up.queue.limit=20 packets,50 packets,100 packets' --vary 'flow.upload.start=0 s,5 s'
  eddyline sweep two-way.toml --vary 'link.up.rate=192 kbit/s,1 Mbit/s' --seeds 10 --out grid
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


@click.command("sweep", epilog=EXAMPLES, short_help="run a grid of scenarios")
@scenario_file()
@controllers()
@click.option(
    "--vary",
    type=Key(),
    multiple=True,
    required=True,
    metavar="KEY=V1,V2,...",
    callback=parse_override,
    help=r"Values of a key by its dotted name; the grid is the product of all lists. A comma in a value is written \,",
)
@click.option("--seeds", type=click.IntRange(1, 1_000_000), default=1, metavar="N", help="Run each point with N seeds.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", required=True, help="Keep the results here.")
@overrides("Override a key of the file in all points; may be repeated.")
@click.option(
    "--world",
    type=OneOf(worlds.NAMES),
    default=worlds.DEFAULT,
    show_default=True,
    help="The world that runs the points.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Number of processes; one per processor by default."
)
@click.option("--engine", metavar="dask://HOST:PORT", help="Run on the workers of a Dask cluster.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, no notes.")
@click.option("--no-progress", is_flag=True, help="No progress bar.")
def command(
    file: Path,
    vary: list[tuple[str, str]],
    seeds: int,
    out: Path,
    overrides: list[tuple[str, str]],
    world: str,
    workers: int | None,
    engine: str | None,
    as_json: bool,
    quiet: bool,
    no_progress: bool,
) -> int:
    """Run the scenario in FILE at every point of a grid, on all processors.

    Results are stored in DIR as they arrive. However it ends, the same command continues, without running a finished
    point again; points that failed are run again. Exit 0 if all points are done, 1 if some failed.
    """
    from eddyline.sweeps.grid import Vary, split
    from eddyline.sweeps.plan import Plan, Source
    from eddyline.sweeps.sweep import run

    lists = [Vary(key, split(values)) for key, values in vary]
    plan = Plan(Source.of_file(file), lists, overrides, seeds, world)
    with Bar(silent=quiet or no_progress) as bar:
        try:
            swept = run(plan, out, workers, engine, bar)
        except KeyboardInterrupt:
            bar.close()
            if bar.points and not quiet:
                click.echo(f"{bar.done:,} of {bar.points:,} points are stored; the same command continues", err=True)
            raise
    if as_json:
        json.dump(document(swept), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    elif not quiet:
        already = swept.done - swept.ran
        earlier = f", {already:,} of them earlier" if already else ""
        click.echo(f"{swept.done:,} of {swept.points:,} points done{earlier}: {swept.folder}")
    if not quiet:
        _notes(swept)
    return 1 if swept.failures else 0


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
    for text in swept.approximations:
        click.echo(f"note: {text}", err=True)
    for failure in swept.failures[:_MAX_SHOWN]:
        where = " ".join(f"{key}={value}" for key, value in failure.set.items())
        click.echo(f"failed: {where}: {failure.why}", err=True)
    if len(swept.failures) > _MAX_SHOWN:
        click.echo(f"and {len(swept.failures) - _MAX_SHOWN:,} more: --json has them all", err=True)
    if swept.failures:
        click.echo(f"{len(swept.failures):,} points failed; the same command runs them again", err=True)


class Bar:
    """Points done, rate and time left, on standard error where that is a terminal."""

    def __init__(self, *, silent: bool) -> None:
        self._wanted = not silent and sys.stderr.isatty()
        self._started = time.monotonic()
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
        self._started = time.monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.reset(self._task, description="sweep", total=points, completed=stored, rate="")

    def update(self, done: int, failed: int) -> None:
        """See `SweepListener`."""
        self.done = done
        self._show(f"sweep, {failed:,} failed" if failed else "sweep", done + failed, self.points, self._stored)

    def _show(self, what: str, done: int, total: int, stored: int) -> None:
        seconds = time.monotonic() - self._started
        if not self._wanted or (self._bar is None and seconds < _BAR_AFTER_S):
            return
        if self._bar is None or self._task is None:
            self._bar, self._task = _bar(total)
        rate = f"{(done - stored) / seconds:,.3g}/s" if seconds > 0 else ""
        self._bar.update(self._task, description=what, completed=done, rate=rate)


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
