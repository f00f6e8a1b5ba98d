"""`eddyline theory dynamics`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.outputs import draw, shown
from eddyline.cli.theory.question import asked, law, notes
from eddyline.cli.words import Word

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.result import Result

__all__ = ["command"]


@asked(
    "dynamics",
    "how the flows get there",
    "eddyline theory dynamics two-way.toml --plot dynamics.png",
    plot="windows and queues",
)
@click.option(
    "--link-model",
    type=Word(["integrator", "ack_clocked"]),
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

    scenario = Scenario.load(file, set=overrides)
    with Progress(silent=quiet) as progress:

        def ask(world: str, **options: Any) -> Result:
            progress.expect(1)
            return scenario.run(world, progress=lambda now, end, _, wall: progress.hear(0, now, end, wall), **options)

        answers = [ask("theory", dynamics=link_model, law=law)]
        if with_sim:
            answers.append(ask("sim", series=True))

    def show() -> None:
        if as_json:
            import json

            tables = {a.world: a.series.to_dict(orient="list") for a in answers}
            json.dump(tables, sys.stdout)
            sys.stdout.write("\n")
        else:
            _show(scenario.title, link_model, answers)
        if not quiet:
            notes(answers[0].approximations)

    with shown(show):
        if plot is not None:
            from eddyline.plots import compared

            draw(compared([(a.world, a.series) for a in answers], scenario.title), plot)
    return 0


def _show(title: str, link_model: str, answers: list[Result]) -> None:
    """The last value of every window and queue, beside the equilibrium that they should go to."""
    from eddyline.quantities import count
    from eddyline.tables import print_table, table

    made = table(f"{title}: at the end, {link_model}", "of", ["quantity", *(a.world for a in answers), "equilibrium"])
    settled = answers[0].to_dict()
    wanted = {f["name"]: f["window_packets"]["mean"] for f in settled["flows"]}
    wanted |= {link["name"]: link["queue_packets"]["mean"] for link in settled["links"]}
    for quantity, kind in (("cwnd_packets", "flows"), ("queue_packets", "links")):
        for entry in settled[kind]:
            cells = []
            for a in answers:
                rows = a.series[(a.series["entity"] == entry["name"]) & (a.series["quantity"] == quantity)]
                cells.append(count(float(rows["value"].iloc[-1])) if len(rows) else "-")
            made.add_row(entry["name"], quantity, *cells, count(wanted[entry["name"]]))
    print_table(made)
