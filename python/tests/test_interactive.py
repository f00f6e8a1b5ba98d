"""Sliders in notebooks."""

from __future__ import annotations

import importlib.util
import tomllib

import pytest
from conftest import TWO_WAY

import eddyline as el

WIDGETS = importlib.util.find_spec("ipywidgets") is not None


@pytest.mark.skipif(WIDGETS, reason="ipywidgets is installed")
def test_without_ipywidgets_it_says_what_to_install():
    with pytest.raises(el.EddylineError, match="ipywidgets is not installed") as e:
        el.interact(tomllib.loads(TWO_WAY), {"link.up.rate": ["1 Mbit/s"]})
    assert "eddyline[notebook]" in e.value.hint


@pytest.mark.skipif(not WIDGETS, reason="ipywidgets is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_slider_runs_the_scenario_again():
    seen = []

    def draw(result):
        seen.append(result.scenario.to_dict()["link"][1]["rate"])
        return result.plot()

    box = el.interact(tomllib.loads(TWO_WAY), {"link.up.rate": "1 Mbit/s..5 Mbit/s:5", "seed": [1, 2]}, draw=draw)
    rate, seed, image = box.children
    assert (rate.options, seed.options) == (("1 Mbit/s", "2 Mbit/s", "3 Mbit/s", "4 Mbit/s", "5 Mbit/s"), ("1", "2"))
    before = bytes(image.value)
    assert before.startswith(b"\x89PNG")
    rate.value = "4 Mbit/s"
    assert seen == ["1 Mbit/s", "4 Mbit/s"]
    assert bytes(image.value) != before
    with pytest.raises(el.ScenarioError, match="rat"):
        el.interact(tomllib.loads(TWO_WAY), {"link.up.rat": ["1 Mbit/s"]})
