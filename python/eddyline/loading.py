"""Scenarios as functions take them: loaded, as a file, or as a dict of their structure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from eddyline.errors import InputError
from eddyline.scenario import Scenario

__all__ = ["Given", "loaded"]

Given: TypeAlias = Scenario | Mapping[str, Any] | str | Path


def loaded(scenario: Given) -> Scenario:
    """The scenario.

    Raises:
        InputError: It is something else, or cannot be loaded.
    """
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, Mapping):
        return Scenario(scenario)
    if isinstance(scenario, (str, Path)):
        return Scenario.load(scenario)
    raise InputError(f"scenario: a scenario, its file or a dict of its structure is expected, not {scenario!r}")
