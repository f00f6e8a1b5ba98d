"""`eddyline theory vegas`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eddyline.cli.theory.question import question, shown_document

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.theory import VegasBand

__all__ = ["command"]

_MAX_ROWS = 20


@question(
    "vegas",
    "equilibria of Vegas flows",
    "eddyline theory vegas two-way.toml --alpha '2 packets' --beta '4 packets'",
    plot="the bands of the rates",
)
@click.option(
    "--alpha", default="2 packets", show_default=True, metavar="PACKETS", help="Packets queued below which it grows."
)
@click.option(
    "--beta", default="4 packets", show_default=True, metavar="PACKETS", help="Packets queued above which it shrinks."
)
def command(
    file: Path, overrides: list[tuple[str, str]], as_json: bool, plot: Path | None, quiet: bool, alpha: str, beta: str
) -> int:
    """Compute the range of equilibrium rates of every flow of FILE as a Vegas flow, whatever its controller there.

    Between alpha and beta queued packets Vegas keeps its window, so it has a range of equilibria.
    """
    from eddyline.cli.theory.quantities import one
    from eddyline.scenario import Scenario
    from eddyline.theory import vegas

    thresholds = [one(name, text, "packets", "2 packets") for name, text in (("--alpha", alpha), ("--beta", beta))]
    found = vegas(Scenario.load(file, set=overrides), *thresholds)
    return shown_document(found, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(document: VegasBand) -> None:
    from eddyline.quantities import count, seconds
    from eddyline.tables import print_table, table

    d = document.to_dict()
    exact = "" if d["exact"] else " (corners only: other equilibria may lie outside)"
    flows = table(f"{document.title}: packets/s{exact}", "flow", ["min", "all at alpha", "all at beta", "max"])
    keys = ("least_packets_per_s", "at_alpha_packets_per_s", "at_beta_packets_per_s", "most_packets_per_s")
    for flow in d["flows"][:_MAX_ROWS]:
        flows.add_row(flow["name"], *(count(flow[key]) for key in keys))
    print_table(flows)
    links = table("queueing delay", "link", ["all at alpha", "all at beta"])
    for link in d["links"][:_MAX_ROWS]:
        links.add_row(
            link["name"], seconds(link["at_alpha_queueing_delay_s"]), seconds(link["at_beta_queueing_delay_s"])
        )
    print_table(links)
    if max(len(d["flows"]), len(d["links"])) > _MAX_ROWS:
        print("and more: --json has them all\n")
