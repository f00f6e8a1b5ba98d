"""`eddyline theory fairness`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eddyline.cli.theory.question import question, shown_document
from eddyline.cli.types import Number

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.theory import Fairness

__all__ = ["command"]

_MAX_ROWS = 20


@question(
    "fairness",
    "FAST beside the fair ideal",
    "eddyline theory fairness two-way.toml",
    "eddyline theory fairness two-way.toml --exponent 2",
    plot="rates beside the ideal's",
)
@click.option(
    "--exponent",
    type=Number(0.1, 20),
    default=1.0,
    show_default=True,
    metavar="E",
    help="From 0.1 (the sum of rates counts) by 1 (proportional fairness) to 20 (nearly max-min).",
)
def command(
    file: Path, overrides: list[tuple[str, str]], as_json: bool, plot: Path | None, quiet: bool, exponent: float
) -> int:
    """Compare FAST's equilibria in FILE with the fair ideal, weighted by alpha.

    The ideal maximises the sum of alpha log x over what the links carry, or with another exponent E that of
    alpha^E x^(1 - E) / (1 - E). Efficiency is what the ideal's rates would have to be multiplied by to be worth no more
    than FAST's, at most 1; Jain's index is of x / alpha. A link's worth is its multiplier times what traffic leaves of
    its capacity, scaled such that the links together have the sum of alpha.
    """
    from eddyline.scenario import Scenario
    from eddyline.theory import fairness

    found = fairness(Scenario.load(file, set=overrides), exponent)
    return shown_document(found, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(document: Fairness) -> None:
    from eddyline.quantities import count, percent
    from eddyline.tables import print_table, table

    d = document.to_dict()
    found = d["equilibria"]
    heads = ["weight", "ideal", *(f"FAST {n}" if len(found) > 1 else "FAST" for n in range(1, len(found) + 1))]
    flows = table(f"{document.title}: packets/s", "flow", heads)
    for i, flow in enumerate(d["flows"][:_MAX_ROWS]):
        rates = [count(at["flows"][i]["packets_per_s"]) for at in found]
        flows.add_row(flow["name"], count(flow["alpha_packets"]), count(flow["packets_per_s"]), *rates)
    print_table(flows)
    if len(d["flows"]) > _MAX_ROWS:
        print(f"and {len(d['flows']) - _MAX_ROWS} more flows: --json has them all\n")
    measures = table("", "of the ideal", [f"equilibrium {n}" for n in range(1, len(found) + 1)])
    for name, key in (("throughput", "throughput"), ("throughput by alpha", "weighted_throughput")):
        measures.add_row(name, *(percent(at[key]) for at in found))
    measures.add_row("efficiency", *(f"{at['efficiency']:.4g}" for at in found))
    measures.add_row(f"Jain (ideal {d['jain_ideal']:.4g})", *(f"{at['jain']:.4g}" for at in found))
    print_table(measures)
    links = table("", "link", ["worth (packets)", "utilisation in the ideal"])
    for link in d["links"][:_MAX_ROWS]:
        links.add_row(link["name"], count(link["worth_packets"]), percent(link["utilisation"]))
    print_table(links)
