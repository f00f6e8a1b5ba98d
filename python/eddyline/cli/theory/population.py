"""`eddyline theory population`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.theory.question import asked

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@asked("population", "flows that come and go", "eddyline theory population files.toml")
@click.option("--flow-level", is_flag=True, help="Simulate flows also where the Markov chain would do.")
@click.option(
    "--arrivals", type=click.IntRange(1000), metavar="N", help="How many arrivals a simulation of flows sees."
)
def command(file: Path, overrides: list[tuple[str, str]], as_json: bool, flow_level: bool, arrivals: int | None) -> int:
    """Say how many of the flows that FILE's [[arrivals]] bring are there in the long run, and which link is full when.

    By the Markov chain where it applies (one duplex link, exponential sizes), by a simulation of flows elsewhere; rates
    are those of the equilibrium at every moment. A population that grows without end is an answer.
    """
    from eddyline.scenario import Scenario

    scenario = Scenario.load(file, set=overrides)
    text, document = scenario.theory("population", flow_level=flow_level, arrivals=arrivals)
    if as_json:
        sys.stdout.write(text + "\n")
    else:
        _show(scenario.title, document)
    return 0


def _show(title: str, d: dict[str, Any]) -> None:
    from eddyline.cli.numbers import count, percent, seconds
    from eddyline.cli.tables import print_table, table

    error = "" if d["error"] is None else f", relative error {d['error']:.1e}"
    print(f"{title}: {'stable' if d['stable'] else 'unstable: the number of flows grows'} ({d['method']}{error})\n")
    shares = table("", "full", ["share of time", "load"])
    if d["idle"] is not None:
        shares.add_row("no link", percent(d["idle"]), "-")
    for name in [*d["load"], "both"]:
        share = d["bottleneck"].get(name)
        if share is not None or name in d["load"]:
            shares.add_row(name, percent(share), percent(d["load"].get(name)))
    print_table(shares)
    flows = table("", "arrivals", ["mean flows", "mean transfer time", "growth"])
    for name, mean in d["mean_flows"].items():
        growth = d["growth_per_s"].get(name)
        cells = (count(mean), seconds(d["mean_transfer_time_s"][name]), "-" if growth is None else f"{growth:.4g} /s")
        flows.add_row(name, *cells)
    print_table(flows)
    for note in d["notes"]:
        click.echo(f"note: {note}", err=True)
