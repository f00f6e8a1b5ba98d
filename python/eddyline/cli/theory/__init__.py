"""`eddyline theory`: questions that only theory answers."""

from __future__ import annotations

import click

from eddyline.cli.lazy import LazyGroup

__all__ = ["command"]

QUESTIONS = {
    "equilibrium": "where the flows settle: every equilibrium, its bottlenecks, whether it is the only one",
    "dynamics": "how the flows get there: delay differential equations, over the simulation if asked",
    "stability": "whether small disturbances die out: characteristic roots with exact delays, margins",
    "fairness": "how far FAST is from the fair ideal",
    "vegas": "between which rates the flows would rest as Vegas flows",
    "response": "which window and rate a loss-based sender has at a given loss",
    "sawtooth": "how far the queue of DCTCP swings behind a marking threshold, and Reno's",
    "population": "how many flows that come and go are there, which link is full when, how long transfers take",
    "map": "over any two keys: bottlenecks, stability with its boundary, throughput",
}
"""Questions in the order of the help: name and what it asks. Each lives in a module of its name."""

EPILOG = """\b
Examples:
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
    short_help="ask what only theory answers",
)
def command() -> None:
    """Ask what the equations say of a scenario, beyond what `run --world theory` puts into a result."""
