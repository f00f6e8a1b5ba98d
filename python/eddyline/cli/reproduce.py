"""`eddyline reproduce`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from eddyline.cli.options import path_option, silent
from eddyline.cli.outputs import shown

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline reproduce two-way-fast --out reports/two-way-fast
  eddyline reproduce two-way-fast --exhibit table-1 --json
"""


class _PaperName(click.ParamType[str]):
    name = "PAPER"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        from click.shell_completion import CompletionItem

        from eddyline.papers import papers

        return [CompletionItem(p.name, help=p.title) for p in papers() if p.name.startswith(incomplete)]


@click.command("reproduce", epilog=EXAMPLES, short_help="reproduce a paper")
@click.argument("paper", type=_PaperName())
@click.option("--exhibit", "exhibits", multiple=True, metavar="ID", help="Only this exhibit; may be repeated.")
@path_option("--out", metavar="DIR", help="Write a report, one HTML page, and its data.")
@click.option("--json", "as_json", is_flag=True, help="Print exhibits and claims as one JSON document.")
@click.option(
    "--long",
    is_flag=True,
    help="Simulate what takes hours and is not recorded, or not of this version. Says beforehand how long it takes.",
)
@silent()
def command(paper: str, exhibits: tuple[str, ...], out: Path | None, as_json: bool, long: bool, silent: bool) -> int:
    """Reproduce PAPER: its exhibits beside theory and simulation, and a computed verdict on every claim."""
    from eddyline.cli.progress import Progress
    from eddyline.output import replaced, require_writable
    from eddyline.papers import find, long_notice, reproduce
    from eddyline.papers.report import FILES, write
    from eddyline.papers.terminal import show as show_reproduction

    found = find(paper)
    if long:
        click.echo(long_notice(found), err=True)
    if out is not None:
        require_writable(out, FILES)
    with Progress(silent=silent) as progress:
        reproduction = reproduce(found, exhibits, progress, long)

    def show() -> None:
        if as_json:
            json.dump(reproduction.to_dict(), sys.stdout, indent=2, ensure_ascii=False)
            sys.stdout.write("\n")
        else:
            show_reproduction(reproduction)

    page = None
    with shown(show):
        if out is not None:
            with replaced(out, FILES) as staged:
                page = out / write(reproduction, staged).relative_to(staged)
    if page is not None:
        click.echo(f"report: {page}", err=as_json)
    return 0
