"""`eddyline shell`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from eddyline.cli.options import controllers, overrides, scenario_file

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline shell two-way.toml
  eddyline shell two-way.toml -- ping -c 5 10.64.0.1
  eddyline shell two-way.toml -- sh -c 'nsenter --net=$EDDYLINE_THERE_NET iperf3 -s -1 & iperf3 -c $EDDYLINE_THERE'
"""


@click.command(
    "shell",
    epilog=EXAMPLES,
    short_help="a shell at one end of an emulated path",
    context_settings={"ignore_unknown_options": True},
)
@scenario_file()
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
@controllers()
@overrides()
@click.option("--at-sender", is_flag=True, help="Be at the sender's end of the first flow, not at the receiver's.")
def command(file: Path, program: tuple[str, ...], overrides: list[tuple[str, str]], at_sender: bool) -> int:
    """Run a shell, or PROGRAM, at one end of the path of the first flow in FILE.

    What it sends to the other end crosses the path. Flows do not run; cross traffic does. EDDYLINE_HERE and
    EDDYLINE_THERE are the addresses of the two ends, and nsenter --net=$EDDYLINE_THERE_NET PROGRAM runs one at the
    other end. Needs what world kernel needs.
    """
    from eddyline.live import shell
    from eddyline.scenario import Scenario

    if program and program[0].startswith("-"):
        raise click.UsageError(f"no such option: {program[0]}; a program comes after --")
    scenario = Scenario.load(file, set=overrides)
    default = (os.environ.get("SHELL", "/bin/sh"),)
    return shell(_path(scenario.canonical), file.absolute().parent, program or default, at_sender=at_sender)


def _path(canonical: str) -> str:
    """The scenario with controllers that the program knows: flows do not run, and theirs may be of one's own."""
    tables = json.loads(canonical)
    for table in (*tables.get("flow", ()), *tables.get("arrivals", ())):
        table["controller"] = {"kind": "newreno"}
    return json.dumps(tables)
