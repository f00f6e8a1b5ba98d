"""Domain randomisation of the environment: what an episode draws, and what is refused before the first."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

import eddyline as el


def test_each_episode_draws_a_scenario_and_values(table):
    """Domain randomisation: of several scenarios and of ranges of their keys, by the environment's own generator."""
    short = {**table, "title": "short", "duration": "2 s"}
    rates = "1 Mbit/s..4 Mbit/s:4"
    env = el.env([table, short], randomise={"link.down.rate": rates, "link.down.delay": ["5 ms", "50 ms"]})
    drawn = []
    env.reset(seed=5)
    for _ in range(40):
        _, info = env.reset()
        drawn.append((info["scenario"], *info["set"].values()))
    assert {title for title, _, _ in drawn} == {table["title"], "short"}
    assert {rate for _, rate, _ in drawn} == {f"{n} Mbit/s" for n in (1, 2, 3, 4)}
    assert {delay for _, _, delay in drawn} == {"5 ms", "50 ms"}
    env.reset(seed=5)
    again = [env.reset()[1] for _ in range(40)]
    assert [(info["scenario"], *info["set"].values()) for info in again] == drawn
    for info in again:
        replayed = env.reset(seed=info["seed"])[1]
        assert (replayed["scenario"], replayed["set"]) == (info["scenario"], info["set"])
    # the episode is that of the scenario with the values that it says
    _, info = env.reset(seed=9)
    assert info["seed"] == 9
    terminated = truncated = False
    while not (terminated or truncated):
        *_, terminated, truncated, end = env.step(np.array([0.0], np.float32))
    expected = el.Scenario(short if info["scenario"] == "short" else table, set={**info["set"], "seed": 9})
    assert end["result"]["scenario_sha256"] == expected.sha256
    with pytest.raises(el.ScenarioError, match="rat"):
        el.env(table, randomise={"link.down.rat": ["1 Mbit/s"]})
    with pytest.raises(el.InputError, match=r"randomise: with flow.f.count=2, there is no flow 'f'.* f\[0\] to f\[1\]"):
        el.env(table, "f", randomise={"flow.f.count": [1, 2]})
    with pytest.raises(el.InputError, match="no value to draw"):
        el.env(table, randomise={"link.down.rate": []})
    with pytest.raises(
        el.InputError, match=r"randomise link.down.delay: link.\*.delay comes after it and sets the same anew"
    ):
        el.env(table, randomise={"link.down.delay": ["1 ms"], "link.*.delay": ["5 ms"]})
    with pytest.raises(el.InputError, match="randomise seed: reset\\(\\) gives each episode its seed"):
        el.env(table, randomise={"seed": ["77"]})
    with pytest.raises(el.InputError, match="randomise: keys with their values are expected, not 5"):
        el.env(table, randomise=5)
    with pytest.raises(el.InputError, match=r"randomise link.down.rate: a list"):
        el.env(table, randomise={"link.down.rate": 5})
    with pytest.raises(el.InputError, match=r"randomise link\.down\.loss: nan is not a finite number"):
        el.env(table, randomise={"link.down.loss": [0.0, math.nan]})
    with pytest.raises(el.InputError, match="no scenario"):
        el.env([])


def test_what_is_drawn_together_is_tried_together(table):
    """A value may need another, or not agree with it, whatever the file says."""
    marking = {"link.down.queue.kind": ["codel", "pie"], "link.down.queue.target": ["5 ms", "15 ms"]}
    for keys in (marking, dict(reversed(marking.items()))):
        env = el.env(table, randomise=keys)
        assert {tuple(env.reset(seed=n)[1]["set"].values()) for n in range(40)} == set(product(*keys.values()))
    late = {**table, "duration": "10 s", "warmup": "5 s"}
    el.env(late, randomise={"warmup": ["1 s"], "duration": ["2 s", "3 s"]})
    apart = {"duration": ["10 s", "1 s"], "warmup": ["0 s", "2 s"]}
    with pytest.raises(el.ScenarioError, match="2 s is not below the duration, 1 s"):
        el.env(table, randomise=apart)
    # too many to try all: each value is in one
    many = {"link.down.rate": "1 Mbit/s..4 Mbit/s:100", "link.up.rate": "1 Mbit/s..4 Mbit/s:100"}
    el.env(table, randomise={**many, "link.down.delay": ["1 ms", "2 ms"]})
    with pytest.raises(el.ScenarioError, match=r"link\.down\.delay"):
        el.env(table, randomise={**many, "link.down.delay": ["1 ms", "-2 ms"]})


def test_scenarios_of_one_title_have_names_of_their_own(table):
    other = {**table, "duration": "2 s"}
    env = el.env([table, other, {**table, "title": "third"}])
    title = el.Scenario(table).title
    assert {env.reset(seed=n)[1]["scenario"] for n in range(20)} == {f"{title}[0]", f"{title}[1]", "third"}
    assert el.env(table).reset(seed=1)[1]["scenario"] == title
    renamed = json.loads(json.dumps(other).replace('"f"', '"g"'))
    with pytest.raises(el.InputError, match=r"scenario .*\[1\]': there is no flow 'f'"):
        el.env([table, renamed], flow="f")
    with pytest.raises(el.ScenarioError, match=r"scenario .*\[1\]': .*there is no flow called \"f\""):
        el.env([table, renamed], randomise={"flow.f.start": ["0 s", "1 s"]})
