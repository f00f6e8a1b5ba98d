"""`eddyline theory equilibrium`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.cli.theory.question import question, shown_document

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.theory import Equilibria

__all__ = ["command"]


@question(
    "equilibrium",
    "every equilibrium of the flows",
    "eddyline theory equilibrium two-way.toml",
    "eddyline theory equilibrium two-way.toml --plot equilibrium.png",
    plot="queueing delays and rates, all equilibria side by side",
)
def command(file: Path, overrides: list[tuple[str, str]], as_json: bool, plot: Path | None, quiet: bool) -> int:
    """Find every equilibrium of the FAST flows in FILE: rates, windows, queueing delays, bottlenecks.

    With ACKs in the queues there may be more than one; each comes with its residual.
    """
    from eddyline.scenario import Scenario
    from eddyline.theory import equilibrium

    found = equilibrium(Scenario.load(file, set=overrides))
    return shown_document(found, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(document: Equilibria) -> None:
    from eddyline.quantities import count, percent, seconds
    from eddyline.tables import print_table, table

    found = document.to_dict()["equilibria"]
    unique = {True: "unique, by proof", False: "not unique", None: "uniqueness not proved"}
    print(f"{document.title}: {len(found)} found by {document.method}; {unique[document.unique]}\n")
    for number, at in enumerate(found, 1):
        stable = {True: "stable (integrator links), ", False: "not stable (integrator links), "}
        verdict = stable.get(at["locally_stable"], "")
        heading = f"equilibrium {number} of {len(found)}, {verdict}residual {at['residual']:.1e}"
        flows = table(heading, "flow", ["packets/s", "window", "queueing delay"])
        for f in at["flows"][:_MAX_ROWS]:
            cells = (count(f["packets_per_s"]), count(f["window_packets"]), seconds(f["queueing_delay_s"]))
            flows.add_row(f["name"], *cells)
        print_table(flows)
        links = table("", "link", ["queueing delay", "utilisation", "bottleneck"])
        for link in at["links"][:_MAX_ROWS]:
            word = {True: "yes", False: "no", None: "-"}[link["bottleneck"]]
            links.add_row(link["name"], seconds(link["queueing_delay_s"]), percent(link["utilisation"]), word)
        print_table(links)
        if at["locally_stable"] is False:
            print(
                "not stable: `eddyline theory stability` says how fast a disturbance grows, and whether it oscillates\n"
            )
        more = max(len(at["flows"]), len(at["links"])) - _MAX_ROWS
        if more > 0:
            print("and more: --json has them all\n")


_MAX_ROWS = 20
