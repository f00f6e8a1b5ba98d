"""The gauntlet and the evaluation in world `quic`, and what theory says of what it leaves out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import eddyline as el
import eddyline.gauntlet as gauntlet
import eddyline.worlds as worlds
from eddyline.cli import main
from eddyline.errors import InputError
from eddyline.evaluation import evaluate
from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from pathlib import Path


def test_a_gauntlet_in_another_world() -> None:
    """A test of 100 kbit/s has other values in QUIC, whose headers are larger, and the card says where it ran."""
    cards = {world: gauntlet.run("newreno", world=world, only=["line-100k"], seeds=1) for world in ("sim", "quic")}
    sim, quic = (cards[world].verdicts[0].value for world in ("sim", "quic"))
    assert sim is not None
    assert quic is not None
    assert quic < sim
    assert json.loads(cards["quic"].json)["world"] == "quic"
    with pytest.raises(InputError, match="world"):
        gauntlet.run("newreno", only=["line-100k"], seeds=1, base=cards["quic"])


def test_an_evaluation_in_another_world() -> None:
    found = evaluate(["noq-newreno"], world="quic", only=["step"], seeds=1, quick=True)
    assert found.failures == ()
    assert found.to_dict()["world"] == "quic"


def test_the_kernel_has_no_controllers_of_one_s_own() -> None:
    """Its executable does not know them, and would call them misspelt."""

    @el.register("own-law")
    class Own(el.Controller):
        """A constant window."""

        def __init__(self, path: el.PathFacts) -> None:
            self.cwnd = path.initial_window

        def on_ack(self, ack: el.Ack) -> None:
            del ack

        def on_loss(self, loss: el.Loss) -> None:
            del loss

        def on_timeout(self, timeout: el.Timeout) -> None:
            del timeout

    try:
        flow = {"name": "x", "controller": {"kind": "own-law"}, "data": ["l"], "ack": ["l"]}
        link = {"name": "l", "rate": "1 Mbit/s", "delay": "1 ms"}
        scenario = Scenario({"duration": "1 s", "link": [link], "flow": [flow]})
        with pytest.raises(InputError, match=r"world kernel has no controller own-law \(flow x\)"):
            worlds.WORLDS["kernel"].run(scenario._core, RunOptions(), None)
    finally:
        el.unregister("own-law")


@pytest.mark.parametrize("command", [["gauntlet", "--controller", "noq-cubic"], ["evaluate", "noq-cubic"]])
def test_a_controller_of_another_world_is_refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    assert "world quic has it" in capsys.readouterr().err
    assert main([*command, "--world", "theory"]) == 2


def test_theory_says_that_it_leaves_probes_out(tmp_path: Path) -> None:
    links = [{"name": name, "rate": "5 Mbit/s", "delay": "10 ms"} for name in ("f", "b")]
    probe = {"name": "p", "data": ["f"], "ack": ["b"]}
    scenario = Scenario({"duration": "3 s", "link": links, "probe": [probe]}, folder=tmp_path)
    assert any("probe p" in note for note in scenario.run("theory").to_dict()["approximations"])
    assert scenario.run("sim").to_dict()["links"][0]["utilisation"] > 0
