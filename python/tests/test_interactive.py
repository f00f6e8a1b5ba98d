"""Sliders in notebooks."""

from __future__ import annotations

import importlib.util
import math
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
    rate, seed, _, image = box.children
    assert (rate.options, seed.options) == (("1 Mbit/s", "2 Mbit/s", "3 Mbit/s", "4 Mbit/s", "5 Mbit/s"), ("1", "2"))
    before = bytes(image.value)
    assert before.startswith(b"\x89PNG")
    rate.value = "4 Mbit/s"
    assert seen == ["1 Mbit/s", "4 Mbit/s"]
    assert bytes(image.value) != before
    with pytest.raises(el.ScenarioError, match="rat"):
        el.interact(tomllib.loads(TWO_WAY), {"link.up.rat": ["1 Mbit/s"]})


@pytest.mark.skipif(not WIDGETS, reason="ipywidgets is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_that_fails_is_said_above_the_figure():
    video = {"name": "video", "path": ["down"], "model": {"kind": "cbr", "rate": "1 kbit/s"}}
    table = {**tomllib.loads(TWO_WAY), "traffic": [video]}
    keys = {"traffic.video.model.rate": ["1 kbit/s", "1 Gbit/s"]}
    rate, reason, image = el.interact(table, keys, world="theory").children
    before = bytes(image.value)
    rate.value = "1 Gbit/s"
    assert reason.value.startswith("not run: unresponsive traffic offers")
    assert bytes(image.value) == before
    rate.value = "1 kbit/s"
    assert "not run" not in reason.value


@pytest.mark.skipif(not WIDGETS, reason="ipywidgets is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_the_world_does_not_honour_is_said_above_the_figure():
    keys = {"flow.download.controller.kind": ["fast", "cubic"]}
    kind, reason, _ = el.interact(tomllib.loads(TWO_WAY), keys, world="theory").children
    assert "no model" not in reason.value
    kind.value = "cubic"
    assert reason.value.startswith("theory has no model of cubic")
    kind.value = "fast"
    assert "no model" not in reason.value


@pytest.mark.skipif(not WIDGETS, reason="ipywidgets is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seen", [lambda figure: figure, lambda figure: figure.axes[0]])
def test_a_function_that_draws_returns_a_figure_or_axes(seen):
    box = el.interact(tomllib.loads(TWO_WAY), {"seed": [1, 2]}, draw=lambda result: seen(result.plot()))
    assert bytes(box.children[-1].value).startswith(b"\x89PNG")


@pytest.mark.skipif(not WIDGETS, reason="ipywidgets is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_figures_of_pyplot_are_closed_and_errors_of_drawing_are_said():
    from matplotlib import pyplot

    def draw(result):
        if result.scenario.seed == 3:
            raise KeyError("a slip")
        return pyplot.subplots()[0]

    open_ = pyplot.get_fignums()
    seed, reason, _ = el.interact(tomllib.loads(TWO_WAY), {"seed": [1, 2, 3]}, draw=draw).children
    seed.value = "2"
    assert pyplot.get_fignums() == open_
    with pytest.raises(KeyError):
        seed.value = "3"
    assert reason.value == "not drawn: KeyError: 'a slip'"


@pytest.mark.skipif(not WIDGETS, reason="ipywidgets is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("drawn", [None, 5, []])
def test_a_function_that_draws_nothing_is_refused(drawn):
    with pytest.raises(el.InputError, match="draw must return a Figure, or Axes, not") as e:
        el.interact(tomllib.loads(TWO_WAY), {"seed": [1, 2]}, draw=lambda _: drawn)
    assert repr(drawn) in str(e.value)


@pytest.mark.skipif(not WIDGETS, reason="ipywidgets is not installed")
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("link.up.rate", "keys with their values are expected, not 'link.up.rate'"),
        ({"link.up.rate": 5}, "link.up.rate: a list, or a range as text, is expected, not 5"),
        ({"link.up.rate": []}, "link.up.rate: an empty list"),
        ({"link.up.rate": [math.nan]}, "link.up.rate: nan is not a finite number"),
        ({}, "no keys"),
    ],
)
def test_keys_of_another_type_are_answered_with_what_is_expected(keys, said):
    with pytest.raises(el.InputError, match=said):
        el.interact(tomllib.loads(TWO_WAY), keys)
