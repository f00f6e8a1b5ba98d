"""Runs that can be trusted: one in real time that the machine disturbed is repeated, and never counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.errors import UntrustedRun

if TYPE_CHECKING:
    from eddyline.progress import RunCallback
    from eddyline.scenario import Result, Scenario
    from eddyline.worlds import RunOptions

__all__ = ["TRIES", "trusted_run"]

TRIES = 3
"""How often a run is tried."""


def trusted_run(
    scenario: Scenario, world: str, options: RunOptions, progress: RunCallback | None = None, tries: int = TRIES
) -> Result:
    """Runs a scenario, and again where the run cannot be trusted.

    Raises:
        UntrustedRun: None of the runs can be trusted; the reasons are those of the last.
        WorldUnavailable: This machine cannot run it.
        InputError: The scenario asks for what the world does not have.
        ControllerError: A user's own controller failed.
    """
    for _ in range(tries):
        result = scenario.run_with(options, world, progress)
        if not result.untrusted:
            return result
    raise UntrustedRun(world, result.untrusted)
