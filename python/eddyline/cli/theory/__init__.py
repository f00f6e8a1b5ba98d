"""`eddyline theory`: questions that only theory answers."""

from __future__ import annotations

import click

from eddyline.cli.lazy import LazyGroup

__all__ = ["command"]

QUESTIONS = {
    "equilibrium": "every equilibrium, its bottlenecks, and whether it is unique",
    "dynamics": "the way to the equilibrium, by delay differential equations",
    "stability": "whether small disturbances die out: characteristic roots with exact delays, margins",
    "fairness": "how far FAST is from the fair ideal",
    "vegas": "the range of equilibrium rates if all flows were Vegas flows",
    "response": "window and rate of a loss-based sender at a given loss ratio",
    "sawtooth": "queue oscillation of DCTCP and Reno at a marking threshold",
    "population": "flows that arrive and leave: their number, busy links, transfer times",
    "map": "over any two keys: bottlenecks, stability with its boundary, throughput",
}
"""Names and summaries of the questions, in the order of the help. Each question is the module of its name."""

EPILOG = """\b
Examples:
  eddyline init --controller fast two-way.toml
  eddyline theory equilibrium two-way.toml
  eddyline theory equilibrium two-way.toml --set 'flow.upload.controller.alpha=50 packets' --json
  eddyline theory stability two-way.toml --link-model ack_clocked
  eddyline theory map two-way.toml --x 'link.down.rate=1 Mbit/s..20 Mbit/s:41:log' \\
      --y 'link.up.rate=1 Mbit/s..20 Mbit/s:41:log' --show stability --plot map.png
  eddyline theory population files.toml
"""


@click.command(
    "theory",
    cls=LazyGroup,
    members=QUESTIONS,
    package="eddyline.cli.theory",
    noun="question",
    epilog=EPILOG,
    short_help="what only theory computes",
)
def command() -> None:
    """Compute what theory gives for a scenario beyond the result of `run --world theory`."""
