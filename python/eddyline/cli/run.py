"""`eddyline run`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

import eddyline.worlds as worlds
from eddyline.arguments import MAX_SEEDS
from eddyline.cli.modelled import model_hint
from eddyline.cli.options import (
    clock_of_kernel,
    controllers,
    overrides,
    path_option,
    require_memory,
    scenario_file,
    start_jitter_named,
)
from eddyline.cli.outputs import (
    draw,
    figure_size,
    require_distinct_outputs,
    require_writable_figure,
    require_writable_named,
    shown,
    write_each,
)
from eddyline.cli.types import MEMORY, OneOf, Seeds, World
from eddyline.cli.unfinished import unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from eddyline.errors import EddylineError
    from eddyline.runs import Request, WorldRuns
    from eddyline.scenario import Result

__all__ = ["command", "report_failures"]

EXAMPLES = """\b
Examples:
  eddyline run two-way.toml
  eddyline run two-way.toml --world all
  eddyline run two-way.toml --set 'flow.upload.start=10 s' --json
  eddyline run two-way.toml --seeds 10
  eddyline run two-way.toml --seeds 10 --plot bands.pdf --width 3.5 --font-size 8
  eddyline run two-way.toml --world theory --dynamics --plot dynamics.png
  eddyline run two-way.toml --out result --log-of upload --log packets.txt
  eddyline run two-way.toml --qlog traces
  eddyline run two-way.toml --pcap captures
  eddyline run two-way.toml --world kernel --clock virtual
  eddyline run two-way.toml --world kernel --watch
  eddyline run two-way.toml --controllers my.py --set 'flow.*.controller.kind=mine'
"""


@click.command("run", epilog=EXAMPLES, short_help="run a scenario file")
@scenario_file()
@controllers()
@click.option(
    "--world",
    type=World(worlds.ALL),
    default=worlds.DEFAULT,
    show_default=True,
    help="The world that runs it, or all.",
)
@overrides()
@click.option(
    "--seeds",
    type=Seeds(MAX_SEEDS),
    metavar="N|LO..HI",
    help="Repeat with N seeds (the file's, the next, ...), or with these; adds mean, deviation and 95 % interval.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Seed of the run, instead of the file's.")
@click.option(
    "--start-jitter",
    metavar="TIME",
    help="Start flows later by a random time below this. Default with --seeds where nothing else is random: a "
    "hundredth of the duration, at most 100 ms.",
)
@click.option(
    "--dynamics",
    type=OneOf(["integrator", "ack_clocked"]),
    is_flag=False,
    flag_value=worlds.DYNAMICS,
    metavar="[MODEL]",
    help="World theory: follow the flows over time, by link model ack_clocked (default) or integrator.",
)
@path_option("--out", metavar="DIR", help="Keep scenario, result, series and plots.")
@path_option("--plot", metavar="FILE", help="Draw a figure (.png, .svg, .pdf, .pgf).")
@figure_size()
@path_option("--log", metavar="FILE", help="Log packets (.txt or .parquet).")
@click.option("--log-of", metavar="NAME", help="Log only the packets of one flow, link, traffic, probe or arrivals.")
@click.option("--memory", type=MEMORY, help="Memory for packets in the network. Default: half of what is free.")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="World sim: simulate parts of a large network at once, where that pays. Same result.",
)
@path_option(
    "--qlog",
    metavar="DIR|FILE",
    help="Write a qlog trace of each flow to DIR, or of the only flow to FILE (.sqlog).",
)
@clock_of_kernel()
@click.option("--watch", is_flag=True, help="World kernel: show flows and links on the terminal during the run.")
@path_option(
    "--pcap",
    metavar="DIR",
    help="Worlds sim and kernel: write a capture of each host's interface to DIR (pcapng, for Wireshark).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON document.")
@click.option(
    "--csv",
    is_flag=True,
    help="Print the result as CSV; with --out write flows.csv, links.csv, ... and series.csv instead.",
)
@click.option("--strict", is_flag=True, help="Exit 3 if a world could not honour all of the file, or not run at all.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, no notes.")
@click.option("--no-progress", is_flag=True, help="No progress bar.")
def command(
    file: Path,
    world: str,
    overrides: list[tuple[str, str]],
    seeds: tuple[int | None, int] | None,
    seed: int | None,
    start_jitter: str | None,
    dynamics: str | None,
    out: Path | None,
    plot: Path | None,
    log: Path | None,
    log_of: str | None,
    memory: int | None,
    threads: int,
    qlog: Path | None,
    clock: str,
    watch: bool,
    pcap: Path | None,
    as_json: bool,
    csv: bool,
    strict: bool,
    quiet: bool,
    no_progress: bool,
) -> int:
    """Run the scenario in FILE (TOML, or JSON if its name ends in .json)."""
    from eddyline.cli.options import read_by
    from eddyline.cli.progress import Progress
    from eddyline.keys import with_start_jitter
    from eddyline.output import require_not_inputs
    from eddyline.runs import Request, drawn_of, figure, jittered, run
    from eddyline.scenario import Scenario
    from eddyline.worlds import RunOptions

    first, number = seeds or (None, None)
    _check_outputs(out, plot, log, log_of, qlog, pcap, world, number)
    if csv and as_json and out is None:
        raise click.UsageError("--csv and --json: one document goes to standard output")
    if start_jitter is not None:
        overrides = with_start_jitter(overrides, start_jitter)
    if first is not None:
        if seed is not None:
            raise click.UsageError("--seed and --seeds LO..HI: both say which seed is the first")
        seed = first
    if seed is not None:
        if any(key == "seed" for key, _ in overrides):
            raise click.UsageError("--set seed and --seed, or --seeds LO..HI: both say which seed is the first")
        overrides = [*overrides, ("seed", str(seed))]
    with start_jitter_named(start_jitter):
        scenario = Scenario.load(file, set=overrides)
    places = {"--out": out, "--plot": plot, "--log": log, "--qlog": qlog, "--pcap": pcap}
    if any(path is not None for path in places.values()):
        require_not_inputs(places, read_by(file, scenario))
    if qlog is not None:
        from eddyline.qlog import require_writable

        require_writable(qlog, scenario.flows)
    if dynamics is not None and world != worlds.ALL and not worlds.WORLDS[world].dynamics:
        raise click.UsageError(f"--dynamics is for --world {worlds.text(worlds.with_dynamics())}")
    if clock != worlds.CLOCKS[0] and world != worlds.ALL and not worlds.WORLDS[world].clocks:
        raise click.UsageError("--clock is for --world kernel")
    series = out is not None or plot is not None
    if dynamics is not None and not series:
        raise click.UsageError("--dynamics is drawn and kept: it needs --plot FILE or --out DIR")
    if memory is not None and world != worlds.ALL:
        require_memory(world)
    if threads > 1 and world != worlds.ALL and not worlds.WORLDS[world].threads:
        raise click.UsageError("--threads is for --world sim")
    if threads > 1 and number is not None:
        raise click.UsageError("--threads is for one run: --seeds uses a process per processor")
    options = RunOptions(
        series,
        log_of or log is not None,
        dynamics=dynamics,
        memory=memory,
        qlog=qlog,
        pcap=pcap,
        clock=clock,
        threads=threads,
        log_file=log,
    )
    if watch:
        if world == worlds.ALL or not worlds.WORLDS[world].clocks or clock != worlds.CLOCKS[0] or number is not None:
            raise click.UsageError("--watch takes one run of world kernel in real time")
        from eddyline.cli.watch import watching
    request = Request(world, number, options)
    jitter_s = None
    with Progress(silent=quiet or no_progress or watch) as progress:
        if start_jitter is None:
            scenario, jitter_s = jittered(scenario, request, progress)
        with watching(scenario.duration_s) if watch else nullcontext() as watcher:
            request = request._replace(options=options.with_watch(watcher)) if watcher is not None else request
            replies = run(scenario, request, progress)
    if jitter_s is not None and not quiet:
        click.echo(
            f"note: nothing in the scenario is random, so flows start up to {1e3 * jitter_s:g} ms later, drawn by the "
            "seed (--start-jitter)",
            err=True,
        )
    if not quiet:
        from eddyline.cli.not_captured import without_acknowledgements, without_packets
        from eddyline.phase_effects import phase_remark_of
        from eddyline.remarks import remarks

        tables = scenario.to_dict()
        for remark in remarks(tables, world):
            click.echo(f"note: {remark}", err=True)
        if (sentence := phase_remark_of(tables, _simulated(replies))) is not None:
            click.echo(f"note: {sentence}", err=True)
        made = [what for what, given in (("captures", pcap), ("traces", qlog)) if given is not None]
        if made and world != "kernel" and (sentence := without_packets(scenario, " and ".join(made))) is not None:
            click.echo(f"note: {sentence}", err=True)
        if pcap is not None and world != "kernel" and (sentence := without_acknowledgements(scenario)) is not None:
            click.echo(f"note: {sentence}", err=True)
        if reason := next((e.one_because for r in replies for x in r.results if (e := x.execution)), None):
            click.echo(f"note: simulated on one thread: {reason}", err=True)
    only_error = (
        replies[0].failures[0].error if len(replies) == 1 and not request.repeated and replies[0].failures else None
    )
    if only_error is None or only_error.result is None:
        report_failures(replies)
    results = [r for reply in replies for r in reply.results]
    if results and not quiet and (plot is not None or out is not None) and len({r.world for r in results}) > 1:
        click.echo(f"note: the figure is of world {drawn_of(results).world}", err=True)
    with shown(lambda: _show(replies, request, as_json, csv and out is None, quiet)):
        writers: list[Callable[[], None]] = []
        if out is not None:
            writers.append(lambda: _save(out, replies, results, request, csv, quiet=quiet))
        if plot is not None:
            writers.append(lambda: draw(figure(results), plot, quiet=quiet))
        errors: list[EddylineError] = [reply.displaced for reply in replies if reply.displaced is not None]
        if only_error is not None:
            errors.append(only_error)
        write_each(writers, errors)
    code = _strict_code(replies) if strict else 0
    return 1 if any(reply.failures for reply in replies) else code


def _save(
    out: Path,
    replies: Sequence[WorldRuns],
    results: Sequence[Result],
    request: Request,
    csv: bool,
    *,
    quiet: bool,
) -> None:
    from eddyline.result_folder import WITHOUT_PLOTS
    from eddyline.runs import save

    for remark in save(out, replies, results, request, csv):
        if not quiet or remark.startswith(WITHOUT_PLOTS):
            click.echo(f"note: {out}: {remark}", err=True)


def _simulated(replies: Sequence[WorldRuns]) -> Iterator[dict[str, Any]]:
    """The results of worlds that simulate packets."""
    return (r.to_dict() for reply in replies if worlds.WORLDS[reply.world].packet_log for r in reply.results)


def _show(replies: Sequence[WorldRuns], request: Request, as_json: bool, as_csv: bool, quiet: bool) -> None:
    if as_json:
        from eddyline.runs import write_document

        write_document(replies, request, sys.stdout.write)
        sys.stdout.write("\n")
    elif as_csv:
        from eddyline.runs import rows

        sys.stdout.write(rows([r for reply in replies for r in reply.results]).to_csv(index=False))
    else:
        from eddyline.tables import show

        show(replies)
    if not quiet:
        _notes(replies, as_json)


def report_failures(replies: Sequence[WorldRuns]) -> None:
    """Reports runs that a user's own controller broke. Where none is left, its error is raised."""
    failures = [(reply, f) for reply in replies for f in reply.failures]
    if failures and not any(reply.results for reply in replies):
        raise failures[0][1].error
    for reply, failure in failures:
        click.echo(failure.error.traceback, nl=False, err=True)
        click.echo(f"failed: world {reply.world}, seed {failure.seed}: {failure.error}", err=True)


def _check_outputs(
    out: Path | None,
    plot: Path | None,
    log: Path | None,
    log_of: str | None,
    qlog: Path | None,
    pcap: Path | None,
    world: str,
    seeds: int | None,
) -> None:
    """Refuses, before anything runs, what could not be written afterwards."""
    require_distinct_outputs({"--out": out, "--plot": plot, "--log": log, "--qlog": qlog, "--pcap": pcap})
    if log_of is not None and log is None:
        raise click.UsageError("--log-of needs --log FILE")
    for option, path in (("--log", log), ("--qlog", qlog)):
        if path is not None and (world == worlds.ALL or not worlds.WORLDS[world].packet_log or seeds is not None):
            raise click.UsageError(f"{option} takes one run of world {worlds.text(worlds.with_packet_log(), 'or')}")
    if pcap is not None:
        if world == worlds.ALL or not worlds.WORLDS[world].captures or seeds is not None:
            raise click.UsageError(f"--pcap takes one run of world {worlds.text(worlds.with_captures(), 'or')}")
        if log_of is not None:
            raise click.UsageError("--pcap has all packets; leave out --log-of")
        from eddyline.captures import require_writable as require_writable_captures

        require_writable_captures(pcap)
    if plot is not None:
        require_writable_figure(plot)
    if log is not None:
        require_writable_named("--log", log, (".txt", ".parquet"), "packet log")
    if out is not None:
        from eddyline.output import require_writable

        require_writable(out)


def _notes(replies: Sequence[WorldRuns], as_json: bool) -> None:
    for reply in replies:
        if (missing := reply.unavailable) is not None:
            remedy = f" ({missing.hint})" if missing.hint else ""
            click.echo(f"note: world {reply.world} is left out: {missing.reason}{remedy}", err=True)
        if reply.identical:
            click.echo(
                f"warning: world {reply.world}: all {len(reply.results)} repetitions are identical: "
                + worlds.WORLDS[reply.world].not_random(),
                err=True,
            )
        if not as_json and reply.results:
            if (measured := worlds.WORLDS[reply.world].measured) and _has_tcp(reply.results[0]):
                click.echo(f"note: world {reply.world}: {measured}", err=True)
            for text in reply.results[0].approximations:
                click.echo(f"note: world {reply.world}: {text}", err=True)
            if hint := model_hint(reply.results[0].approximations):
                click.echo(f"hint: {hint}", err=True)
            for text in unfinished(reply.results):
                click.echo(f"note: world {reply.world}: {text}", err=True)


def _has_tcp(result: Result) -> bool:
    return any(flow.get("transport") != "quic" for flow in result.scenario.to_dict().get("flow", ()))


def _strict_code(replies: Sequence[WorldRuns]) -> int:
    reasons = [f"world {each.world}: {text}" for each in replies for r in each.results for text in r.approximations]
    reasons += [str(each.unavailable) for each in replies if each.unavailable is not None]
    for reason in dict.fromkeys(reasons):
        click.echo(f"error: --strict: {reason}", err=True)
    return 3 if reasons else 0
