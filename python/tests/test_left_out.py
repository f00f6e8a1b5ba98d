"""Worlds that cannot run a scenario, among all worlds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import eddyline as el
import eddyline.worlds as worlds
from eddyline.cli.progress import Progress
from eddyline.runs import Request, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRAFFIC = """
[[traffic]]
name = "video"
path = ["down"]
model = { kind = "cbr", rate = "50 Mbit/s" }
"""


@pytest.mark.parametrize(
    ("more", "set_", "world", "why"),
    [
        ("", "flow.upload.transport=quic", "sim", "world sim has TCP only"),
        (TRAFFIC, "seed=1", "theory", "there is no equilibrium"),
    ],
)
def test_a_world_that_cannot_run_the_scenario_is_left_out(
    eddyline: Callable[..., Any], scenario: Callable[..., Path], more: str, set_: str, world: str, why: str
) -> None:
    path = scenario(more=more)
    alone = eddyline("run", path, "--world", world, "--set", set_)
    assert alone.code == (2 if world == "sim" else 1)
    assert why in alone.err
    ran = eddyline("run", path, "--world", "all", "--set", set_, "--json")
    assert ran.code == 0
    given = {each["world"]: each.get("unavailable") for each in json.loads(ran.out)}
    assert why in given[world]
    assert given["quic"] is None
    (said,) = (line for line in ran.err.splitlines() if f"world {world} is left out" in line)
    assert said.startswith("note: ")
    assert why in said
    assert eddyline("run", path, "--world", "all", "--set", set_, "--strict").code == 3


def test_the_comparison_leaves_it_out_too(eddyline: Callable[..., Any], scenario: Callable[..., Path]) -> None:
    ran = eddyline("compare", scenario(more=TRAFFIC))
    assert ran.code == 0
    assert "theory: not compared, world theory: unresponsive traffic" in ran.out


def test_where_no_world_can_run_it_the_error_is_that_of_the_first(
    scenario: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "NAMES", ("sim", "kernel"))
    monkeypatch.setenv("EDDYLINE_LIVE", str(scenario().parent))  # a folder is no executable
    quic = el.Scenario.load(scenario(), set={"flow.upload.transport": "quic"})
    with pytest.raises(el.InputError, match="world sim has TCP only"), Progress(silent=True) as progress:
        run(quic, Request(worlds.ALL, None, worlds.RunOptions()), progress)
