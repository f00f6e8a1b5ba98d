"""`eddyline theory dynamics`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.outputs import draw, shown
from eddyline.cli.theory.question import law, notes, question
from eddyline.cli.types import OneOf

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.scenario import Result

__all__ = ["command"]


@question(
    "dynamics",
    "how the flows get there",
    "eddyline theory dynamics two-way.toml --plot dynamics.png",
    plot="windows and queues",
)
@click.option(
    "--link-model",
    type=OneOf(["integrator", "ack_clocked"]),
    default="ack_clocked",
    show_default=True,
    help="Queues integrate what arrives (eq. 3), or packets follow acknowledgements.",
)
@law()
@click.option("--with-sim", is_flag=True, help="Simulate too, and compare.")
def command(
    file: Path,
    overrides: list[tuple[str, str]],
    as_json: bool,
    plot: Path | None,
    quiet: bool,
    link_model: str,
    law: str,
    with_sim: bool,
) -> int:
    """Follow the FAST flows of FILE over time by delay differential equations, for as long as the file says.

    --json prints the series: a list of time_s, kind, entity, quantity and value for each world.
    """
    from eddyline.cli.progress import Progress
    from eddyline.scenario import Scenario
    from eddyline.worlds import RunOptions

    scenario = Scenario.load(file, set=overrides)
    with Progress(silent=quiet) as progress:

        def run(world: str, **options: Any) -> Result:
            progress.expect(1)
            chosen = RunOptions(**options)
            return scenario.run_with(chosen, world, lambda now, end, _, wall: progress.update(0, now, end, wall))

        results = [run("theory", dynamics=link_model, law=law)]
        if with_sim:
            results.append(run("sim", series=True))

    def show() -> None:
        if as_json:
            import json

            tables = {r.world: r.series.to_dict(orient="list") for r in results}
            json.dump(tables, sys.stdout)
            sys.stdout.write("\n")
        else:
            _show(scenario.title, link_model, results)
        if not quiet:
            notes(results[0].approximations)

    with shown(show):
        if plot is not None:
            from eddyline.plots import compared

            series = [(a.world, a.series) for a in results]
            draw(compared(series, scenario.title, results[0].legend.ended), plot, quiet=quiet)
    return 0


def _show(title: str, link_model: str, results: list[Result]) -> None:
    """The last value of every window, but for flows that have ended, and queue, beside its equilibrium value."""
    from eddyline.quantities import count
    from eddyline.tables import print_table, table

    made = table(f"{title}: at the end, {link_model}", "of", ["quantity", *(a.world for a in results), "equilibrium"])
    theory = results[0].to_dict()
    equilibrium = {f["name"]: f["window_packets"]["mean"] for f in theory["flows"]}
    equilibrium |= {link["name"]: link["queue_packets"]["mean"] for link in theory["links"]}
    of = ["entity", "quantity"]
    last = [a.series.drop_duplicates(of, keep="last").set_index(of)["value"] for a in results]
    for quantity, kind in (("cwnd_packets", "flows"), ("queue_packets", "links")):
        for entry in theory[kind]:
            key = (entry["name"], quantity)
            there = not (quantity == "cwnd_packets" and entry["name"] in results[0].legend.ended)
            cells = [count(float(values[key])) if there and key in values.index else "-" for values in last]
            made.add_row(*key, *cells, count(equilibrium[entry["name"]]))
    print_table(made)
