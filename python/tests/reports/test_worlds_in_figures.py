"""Figures name the world that they are of: where it is not `sim`, and where there were several."""

from __future__ import annotations

import eddyline as el

FAST = {"flow.*.controller": {"kind": "fast", "alpha": "20 packets"}, "duration": "2 s", "warmup": "0 s"}


def test_the_world_is_named(scenario) -> None:
    from eddyline.runs import figure

    loaded = el.Scenario.load(scenario(), set=FAST)
    sim, theory = loaded.run(series=True), loaded.run("theory")
    moving = loaded.run("theory", dynamics="ack_clocked")
    assert sim.plot().get_suptitle() == sim.title
    for found in (theory, moving):
        assert found.plot().get_suptitle() == f"{found.title} (world theory)"
    assert figure([theory, sim]).get_suptitle() == f"{sim.title} (world sim)"
    assert figure([sim]).get_suptitle() == sim.title


def test_a_note_says_which_of_several_worlds(eddyline, scenario) -> None:
    words = ("run", scenario(), "--set", "duration=0.5 s", "--set", "warmup=0 s", "--plot", "p.png", "--world", "all")
    assert "note: the figure is of world sim" in eddyline(*words, figures=False).err
