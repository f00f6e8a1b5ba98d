"""`eddyline validate`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

import eddyline.worlds as worlds
from eddyline.cli.options import clock_of_kernel, path_option, silent, worlds_beside_sim
from eddyline.cli.outputs import shown
from eddyline.cli.types import Names

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.cli.types import Known
    from eddyline.validation import Agreement

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline validate --quick
  eddyline validate --worlds theory,quic --json
  eddyline validate --clock virtual --out agreement
  eddyline validate --only two-way-example-2,bidirectional-link
"""


class _Cases(Names):
    """Names of cases."""

    def known(self) -> Known:
        """Names with titles."""
        from eddyline.validation import cases

        return [(case.name, case.title) for case in cases()]


@click.command("validate", epilog=EXAMPLES, short_help="whether the worlds agree on the papers' scenarios")
@worlds_beside_sim()
@click.option("--only", type=_Cases(), default=(), help="Cases; all by default.")
@click.option("--quick", is_flag=True, help="Shorter runs.")
@clock_of_kernel()
@path_option("--out", metavar="DIR", help="Write a report, agreement.json, plots, data.")
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
@silent()
def command(
    chosen: tuple[str, ...],
    only: tuple[str, ...],
    quick: bool,
    clock: str,
    out: Path | None,
    as_json: bool,
    silent: bool,
) -> int:
    """Run scenarios of the papers in all worlds that this machine has, and compare the worlds.

    Rates are scaled to what a kernel emulates in real time; each table says how. Tolerances have reasons. What a world
    or this machine cannot run is said and left out; a run in real time that the machine disturbed is repeated.

    Exit 0 if all comparisons hold; 1 if one does not, if there is none, or if no run of a case can be trusted; 3 if a
    world that --worlds names cannot run here.
    """
    from eddyline.cli.progress import Progress
    from eddyline.output import replaced, require_writable
    from eddyline.validation import validate
    from eddyline.validation.report import FILES, write

    if out is not None:
        require_writable(out, FILES)
    for name in chosen:
        worlds.require(name, clock if worlds.WORLDS[name].clocks else worlds.CLOCKS[0])
    with Progress(silent=silent) as progress:
        agreement = validate(chosen or worlds.NAMES, only, progress, quick=quick, clock=clock)
    page = None
    with shown(lambda: _show(agreement, as_json)):
        if out is not None:
            with replaced(out, FILES) as staged:
                page = out / write(agreement, staged).name
    if page is not None:
        click.echo(f"report: {page}", err=as_json)
    return 0 if agreement.passed else 1


def _show(agreement: Agreement, as_json: bool) -> None:
    if as_json:
        json.dump(agreement.to_dict(), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
        return
    from eddyline.reports.terminal import show_exhibit
    from eddyline.validation.report import exhibits, sentences

    for exhibit in exhibits(agreement):
        show_exhibit(exhibit)
    print("\n".join(sentences(agreement)))
