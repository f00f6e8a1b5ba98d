"""`eddyline live`: what world `kernel` needs."""

from __future__ import annotations

import click

from eddyline.cli.lazy import LazyGroup

__all__ = ["command"]

TASKS = {"build-kernel": "build the user-mode Linux of virtual time"}
"""Names and summaries of the tasks. Each task is the module of its name."""


@click.command(
    "live",
    cls=LazyGroup,
    members=TASKS,
    package="eddyline.cli.live",
    noun="task",
    short_help="prepare world kernel",
)
def command() -> None:
    """Prepare world kernel."""
