"""`eddyline gauntlet`."""

from __future__ import annotations

import json
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from eddyline.cli.options import (
    controllers,
    given_controllers,
    packet_world,
    parse_override,
    path_option,
    silent,
    timeout,
)
from eddyline.cli.outputs import put_text, require_distinct_outputs, shown, write_each
from eddyline.cli.types import Controller, Controllers, Names
from eddyline.folder_manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from click.shell_completion import CompletionItem

    from eddyline.gauntlet import Card, Test

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline gauntlet --controller cubic
  eddyline gauntlet --controller fast --set alpha='50 packets' --against reno,bbr
  eddyline gauntlet --controller bbr --only two-way,deep-buffer
  eddyline gauntlet --controller bbr --against cubic --why deep-buffer
  eddyline gauntlet --controllers my.py --controller mine
  eddyline gauntlet --world quic --controller noq-cubic
  eddyline gauntlet --controller bbr --out branch --junit report.xml
  eddyline gauntlet --controller bbr --seeds 10 --base main/scorecard.json --accept-known
"""


class _Tests(Names):
    """Names of tests and of their groups."""

    def known(self) -> list[tuple[str, str]]:
        """Names with what they are."""
        from eddyline.gauntlet import suite

        tests = suite()
        return [*((group, "all of this group") for group in tests.groups), *((t.name, t.tests) for t in tests.tests)]


class _Test(click.ParamType[str]):
    """Name of a test."""

    name = "TEST"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with what they test."""
        from click.shell_completion import CompletionItem

        from eddyline.gauntlet import suite

        return [CompletionItem(t.name, help=t.tests) for t in suite().tests if t.name.startswith(incomplete)]


@click.command("gauntlet", epilog=EXAMPLES, short_help="test a controller in some fifty scenarios")
@click.option("--controller", type=Controller(), metavar="KIND", help="The controller that is tested.")
@click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="KEY=VALUE",
    callback=parse_override,
    help="A parameter of the controller; may be repeated.",
)
@packet_world()
@controllers()
@click.option("--against", type=Controllers(), default=(), help="Controllers to run beside it, for comparison.")
@click.option("--only", type=_Tests(), default=(), help="Tests or groups of tests; all by default.")
@click.option(
    "--seeds",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    metavar="N",
    help="Run each test N times; the mean is compared with the bound.",
)
@path_option(
    "--base",
    metavar="RESULT",
    help="Compare with an earlier scorecard; a test that is significantly worse fails.",
)
@click.option(
    "--accept-known", is_flag=True, help="With --base: tests that fail there too do not count here, failed or worse."
)
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
@path_option("--junit", metavar="FILE", help="Write JUnit XML, for CI.")
@path_option("--markdown", metavar="FILE", help="Write a Markdown table.")
@path_option("--out", metavar="DIR", help="Write all of them, and a page with plots.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at a time; one per processor by default.")
@timeout("run")
@click.option(
    "--why",
    type=_Test(),
    metavar="TEST",
    help="Run one test again: say why, and write its scenario and a page with plots to --out, or to why-TEST.",
)
@click.option("--list", "listing", is_flag=True, help="List the tests with their bounds, and run nothing.")
@silent()
def command(
    controller: str | None,
    parameters: list[tuple[str, str]],
    world: str,
    against: tuple[str, ...],
    only: tuple[str, ...],
    seeds: int,
    base: Path | None,
    accept_known: bool,
    as_json: bool,
    junit: Path | None,
    markdown: Path | None,
    out: Path | None,
    jobs: int | None,
    timeout: float | None,
    why: str | None,
    listing: bool,
    silent: bool,
) -> int:
    """Run a controller through a fixed set of scenarios, each with a bound, and print which bounds it misses.

    Links of every speed, shallow and deep buffers, loss, reordering, traffic both ways, sharing, short flows, paths
    that change. The same command gives the same scorecard.

    Exit 0 if all passed (and none is worse than the base), 1 if not.
    """
    from eddyline.cli.progress import Progress
    from eddyline.gauntlet import Card, run, suite
    from eddyline.output import require_not_inputs, require_writable, require_writable_file

    if listing:
        context = click.get_current_context()
        given = {p for p in context.params if context.get_parameter_source(p) is ParameterSource.COMMANDLINE}
        if given - {"listing", "only", "as_json", "silent"}:
            raise click.UsageError("--list runs nothing: --only and --json go with it")
        _list(suite().only(only), as_json)
        return 0
    if controller is None:
        raise click.UsageError("missing option --controller, as in --controller cubic")
    if accept_known and base is None:
        raise click.UsageError("--accept-known needs --base")
    if why is not None:
        if only or base is not None or junit is not None or markdown is not None:
            raise click.UsageError("--why TEST goes with --controller, --set, --against, --seeds and --out")
        return _why(controller, why, world, against, dict(parameters), seeds, jobs, timeout, out, as_json, silent)
    require_distinct_outputs({"--out": out, "--junit": junit, "--markdown": markdown})
    require_not_inputs({"--out": out}, [] if base is None else [base / _FILES[0] if base.is_dir() else base])
    reports = [
        (path, kind, text)
        for path, kind, text in ((junit, "JUnit XML", _junit), (markdown, "Markdown report", _markdown))
        if path is not None
    ]
    for path, kind, _ in reports:
        require_writable_file(path, kind, text=True)
    if out is not None:
        require_writable(out, _FILES)
    earlier = None if base is None else Card.load(base)
    tracebacks: dict[str, None] = {}  # each once, however many runs it ended
    with Progress(silent=silent) as progress:
        progress.expect(1)
        card = run(
            controller,
            world=world,
            against=against,
            parameters=dict(parameters),
            only=only,
            seeds=seeds,
            base=earlier,
            jobs=jobs,
            timeout_s=timeout,
            done=progress.count(),
            failed=lambda error: tracebacks.setdefault(getattr(error, "traceback", "")),
        )
    with shown(lambda: _show(card, tracebacks, as_json, accept_known)):
        folders = [partial(_folder, card, out, accept_known, silent)] if out is not None else []
        files = [partial(put_text, path, text(card, accept_known), kind) for path, kind, text in reports]
        write_each([*folders, *files])
    return 0 if _good(card, accept_known) else 1


def _list(tests: Sequence[Test], as_json: bool) -> None:
    if as_json:
        keys = ("name", "group", "tests", "measure", "why", "source")
        listed = [{**{key: getattr(t, key) for key in keys}, "bound": t.bound.text} for t in tests]
        click.echo(json.dumps(listed, indent=2, ensure_ascii=False))
        return
    group = ""
    for test in tests:
        if test.group != group:
            click.secho(f"{chr(10) if group else ''}{test.group}", bold=True)
            group = test.group
        click.echo(f"  {test.name}\n      {test.tests}\n      {test.bound.text}, or else: {test.why}")


def _why(
    controller: str,
    test: str,
    world: str,
    against: tuple[str, ...],
    parameters: dict[str, str],
    seeds: int,
    jobs: int | None,
    timeout: float | None,
    out: Path | None,
    as_json: bool,
    silent: bool,
) -> int:
    from eddyline.cli.progress import Progress
    from eddyline.gauntlet import explain
    from eddyline.gauntlet.explanation import FILES
    from eddyline.output import replaced, require_writable
    from eddyline.tables import print_table

    folder = Path(f"why-{test}") if out is None else out
    require_writable(folder, FILES)
    with Progress(silent=silent) as progress:
        progress.expect(1)
        found = explain(
            controller,
            test,
            world=world,
            against=against,
            parameters=parameters,
            seeds=seeds,
            jobs=jobs,
            timeout_s=timeout,
            done=progress.count(),
        )
    show = shown(lambda: click.echo(found.json) if as_json else print_table(found.table()))
    with show, replaced(folder, FILES) as staged:
        found.write(staged, given_controllers(folder))
    if not as_json:
        click.echo(f"{found.sentence}\n")
        again = found.again(shlex.quote(str(folder / FILES[1])), given_controllers())
        click.echo(f"report: {folder / FILES[0]}; again: {again}")
    return 0 if found.passed else 1


_FILES = ("scorecard.json", "scorecard.html", "scorecard.md", "junit.xml", MANIFEST)


def _good(card: Card, accept_known: bool) -> bool:
    from eddyline.gauntlet.reports import failure

    return all(failure(card, place, accept_known) is None for place in range(len(card.verdicts)))


def _show(card: Card, tracebacks: Iterable[str], as_json: bool, accept_known: bool) -> None:
    from eddyline.gauntlet.reports import terminal
    from eddyline.tables import print_table

    click.echo("".join(tracebacks), nl=False, err=True)
    if as_json:
        sys.stdout.write(card.json + "\n")
        return
    made, sentences = terminal(card, accept_known=accept_known)
    print_table(made)
    for sentence in sentences:
        click.echo(sentence)


def _junit(card: Card, accept_known: bool) -> str:
    from eddyline.gauntlet import reports

    return reports.junit(card, accept_known=accept_known)


def _markdown(card: Card, _: bool) -> str:
    from eddyline.gauntlet import reports

    return reports.markdown(card)


def _folder(card: Card, out: Path, accept_known: bool, silent: bool) -> None:
    from eddyline.cli.progress import Progress
    from eddyline.gauntlet import reports
    from eddyline.gauntlet.page import page
    from eddyline.output import replaced

    with Progress(silent=silent) as progress, replaced(out, _FILES) as staged:
        progress.expect(1)
        (staged / "scorecard.json").write_text(card.json + "\n", "utf-8")
        (staged / "scorecard.md").write_text(reports.markdown(card), "utf-8")
        (staged / "junit.xml").write_text(reports.junit(card, accept_known=accept_known), "utf-8")
        text = page(card, progress.count())
        (staged / "scorecard.html").write_text(text, "utf-8")
