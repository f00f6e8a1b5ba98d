"""`eddyline theory population`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eddyline.cli.theory.question import question, shown_document

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.theory import Population

__all__ = ["command"]


@question(
    "population",
    "flows that arrive and leave",
    "eddyline theory population files.toml",
    "eddyline theory population files.toml --plot population.png",
    plot="mean numbers, times, shares of time, and the distribution where the chain gives it",
)
@click.option("--flow-level", is_flag=True, help="Simulate flows even where the Markov chain applies.")
@click.option("--arrivals", type=click.IntRange(1000), metavar="N", help="Number of arrivals in a simulation of flows.")
@click.option("--distribution", is_flag=True, help="Add the probability of every number of flows, where it is known.")
def command(
    file: Path,
    overrides: list[tuple[str, str]],
    as_json: bool,
    plot: Path | None,
    quiet: bool,
    flow_level: bool,
    arrivals: int | None,
    distribution: bool,
) -> int:
    """Compute the stationary number of flows of FILE's [[arrivals]], and the share of time in which each link is full.

    By the Markov chain where it applies (one duplex link, exponential sizes), else by a simulation of flows; rates are
    those of the equilibrium at every moment. A population that grows without bound is a result, not an error.
    """
    from eddyline.scenario import Scenario
    from eddyline.theory import population

    with_distribution = distribution or plot is not None
    scenario = Scenario.load(file, set=overrides)
    found = population(scenario, flow_level=flow_level, arrivals=arrivals, distribution=with_distribution)
    return shown_document(found, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(document: Population) -> None:
    from eddyline.quantities import count, percent, seconds
    from eddyline.tables import print_table, table

    d = document.to_dict()
    error = "" if d["error"] is None else f", relative error {d['error']:.1e}"
    verdict = "stable" if d["stable"] else "unstable: the number of flows grows"
    print(f"{document.title}: {verdict} ({d['method']}{error})\n")
    shares = table("", "full", ["share of time", "load"])
    if d["idle"] is not None:
        shares.add_row("no link", percent(d["idle"]), "-")
    for name, load in d["load"].items():
        shares.add_row(name, percent(d["bottleneck"].get(name)), percent(load))
    if d["several"] is not None:
        shares.add_row("several", percent(d["several"]), "-")
    print_table(shares)
    flows = table("", "arrivals", ["mean flows", "mean transfer time", "growth"])
    for name, mean in d["mean_flows"].items():
        growth = d["growth_per_s"].get(name)
        cells = (count(mean), seconds(d["mean_transfer_time_s"][name]), "-" if growth is None else f"{growth:.4g} /s")
        flows.add_row(name, *cells)
    print_table(flows)
    for name, probabilities in d.get("distribution", {}).items():
        _distribution(name, probabilities)


def _distribution(name: str, probabilities: list[float]) -> None:
    """Quantiles of the number of flows."""
    from eddyline.tables import print_table, table

    levels = (0.5, 0.1, 0.01, 0.001)
    made = table(f"{name}: number of flows", "at least", ["share of time"])
    left, pending = 1.0, list(levels)
    for n, p in enumerate(probabilities):
        while pending and left <= pending[0]:
            made.add_row(str(n), f"{100 * left:.4g} %")
            pending.pop(0)
        left -= p
    print_table(made)
