"""From a scenario's table to a constructor's arguments."""

from __future__ import annotations

import enum
import json
import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import eddyline as el

from .conftest import Fixed

if TYPE_CHECKING:
    from decimal import Decimal  # a name that is not there when the program runs

GOT: dict[str, Any] = {}


class Many(Fixed):
    def __init__(
        self,
        path: el.PathFacts,
        target: el.Duration,
        share: el.Percent = 0.05,
        ceiling: el.Rate | None = None,
        room: el.Packets = 2.5,
        burst: el.Bytes = 3000.0,
        often: el.Frequency = 0.5,
        gain: float = 1,
        rounds: int = 3,
        careful: bool = True,
        mode: Literal["slow", "fast"] = "slow",
        label: str = "x",
        bare=2,
        strange: Decimal | None = None,
        anything: object = (),
    ) -> None:
        super().__init__(path)
        GOT.clear()
        GOT.update({k: v for k, v in locals().items() if k not in ("self", "path", "__class__")})


def canonical(scenario: el.Scenario) -> dict[str, Any]:
    return scenario.to_dict()["flow"][0]["controller"]


def test_what_is_given_and_what_is_not(one_flow):
    el.register("many", Many)
    scenario = one_flow(
        {"kind": "many", "target": "20 ms", "gain": 2, "ceiling": "3 Mbit/s", "anything": [1, {"a": 2}]}
    )
    scenario.run(series=False)
    assert GOT == {
        "target": 0.02,
        "share": 0.05,
        "ceiling": 3e6,
        "room": 2.5,
        "burst": 3000.0,
        "often": 0.5,
        "gain": 2.0,
        "rounds": 3,
        "careful": True,
        "mode": "slow",
        "label": "x",
        "bare": 2,
        "strange": None,
        "anything": [1, {"a": 2}],
    }
    assert isinstance(GOT["gain"], float)
    assert canonical(scenario) == {
        "kind": "many",
        "target": "20 ms",
        "share": "5 %",
        "ceiling": "3 Mbit/s",
        "room": "2.5 packets",
        "burst": "3 kB",
        "often": "0.5 /s",
        "gain": 2,
        "rounds": 3,
        "careful": True,
        "mode": "slow",
        "label": "x",
        "bare": 2,
        "anything": [1, {"a": 2}],
    }


class Thirds(Fixed):
    """Defaults that no text holds exactly, or as Rust's are spelled."""

    def __init__(
        self,
        path: el.PathFacts,
        every: el.Duration = 1 / 30,
        decrease: el.Percent = 1 / 3,
        burst: el.Bytes = 1000 / 3,
        ceiling: el.Rate = 1e6 / 3,
        target: el.Duration = "20ms",  # type: ignore[assignment]
        never: el.Duration = float("inf"),
    ) -> None:
        super().__init__(path)
        GOT.clear()
        GOT.update({k: v for k, v in locals().items() if k not in ("self", "path", "__class__")})


def test_a_default_is_what_the_stored_scenario_says(one_flow):
    """Else one digest would be of two results: that of the class and that of its file."""
    el.register("thirds", Thirds)
    first = one_flow({"kind": "thirds"})
    first.run(series=False)
    got = dict(GOT)
    assert got["burst"] == 333.0
    assert got["target"] == 0.02
    assert got["never"] == float("inf")
    again = el.Scenario(json.loads(first.canonical))
    again.run(series=False)
    assert got == GOT
    assert again.canonical == first.canonical


class Mode(enum.Enum):
    FAST = "fast"


ROOT = np.float64(0.5)
AROUND: list[Any] = []
AROUND.append(AROUND)


class Plain(Fixed):
    def __init__(
        self,
        path,
        stream=1,
        steps=(1, 2),
        nested=((1,), {"a": 3}),
        gain: float = 1,
        count: int = 3,
        kept=frozenset({4}),
        root=ROOT,
        place: float = ROOT / 2,
        mode=Mode.FAST,
        around=AROUND,
    ) -> None:
        super().__init__(path)
        GOT.clear()
        GOT.update({k: v for k, v in locals().items() if k not in ("self", "path", "__class__")})


def test_a_default_is_the_value_that_the_scenario_may_give(one_flow):
    el.register("plain", Plain)
    first = one_flow({"kind": "plain"})
    first.run(series=False)
    expected = {
        "stream": 1,
        "steps": [1, 2],
        "nested": [[1], {"a": 3}],
        "gain": 1.0,
        "count": 3,
        "kept": frozenset({4}),
        "root": 0.5,
        "place": 0.25,
        "mode": Mode.FAST,
        "around": AROUND,
    }
    got = dict(GOT)
    assert repr(got) == repr(expected)
    for written in ({}, {"stream": 1}, {"stream": 1.0}, {"steps": [1, 2], "gain": 1}, json.loads(first.canonical)):
        again = one_flow({"kind": "plain", **written}) if "flow" not in written else el.Scenario(written)
        again.run(series=False)
        assert repr(GOT) == repr(got)
        assert again.canonical == first.canonical
    one_flow({"kind": "plain", "stream": 1.5, "gain": 2}).run(series=False)
    assert repr((GOT["stream"], GOT["gain"])) == "(1.5, 2.0)"


@pytest.mark.parametrize(
    ("hint", "default", "needed"),
    [
        (int, 0.5, "a whole number is needed"),
        (int, True, "a whole number is needed"),
        (bool, 1, "True or False is needed"),
        (str, 5, "a text is needed"),
        (float, "fast", "a number is needed"),
        (Literal["x", "y"], "z", "one of x, y is needed"),
        (el.Duration, "banana", "banana"),
        (el.Duration, "20 kB", "20 kB"),
        (el.Rate, True, "a number is needed"),
        (int | None, "3", "a whole number is needed"),
    ],
)
def test_a_default_of_another_type_is_refused(hint: Any, default: Any, needed: str) -> None:
    class Wrong(Fixed):
        def __init__(self, path, step=default) -> None:
            super().__init__(path)

    Wrong.__init__.__annotations__ = {"step": hint}
    with pytest.raises(el.InputError, match=rf"Wrong.__init__: step = {default!r}: .*{needed}"):
        el.register("wrong", Wrong)


def test_defaults_written_out_are_the_same_scenario(one_flow):
    el.register("many", Many)
    first = one_flow({"kind": "many", "target": "20 ms"})
    again = el.Scenario(json.loads(first.canonical))
    assert again.canonical == first.canonical
    again.run(series=False)
    assert (GOT["share"], GOT["burst"], GOT["anything"]) == (0.05, 3000.0, [])


@pytest.mark.parametrize(
    "given",
    [
        {"target": "20ms"},
        {"target": "0.02 s"},
        {"target": "20 ms", "share": "5%"},
        {"target": "20 ms", "burst": "3000 B"},
    ],
)
def test_another_spelling_is_the_same_scenario(one_flow, given):
    el.register("many", Many)
    assert one_flow({"kind": "many", **given}).canonical == one_flow({"kind": "many", "target": "20 ms"}).canonical


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "the key target is missing: a time with its unit"),
        ({"target": 20}, "target: 20 is a bare number; a time needs a unit"),
        ({"target": "20 m"}, "did you mean"),
        ({"target": "1 s", "rounds": 2.5}, "rounds: 2.5; a whole number is needed"),
        ({"target": "1 s", "gain": "2"}, 'gain: "2"; a number is needed'),
        ({"target": "1 s", "careful": 1}, "careful: 1; true or false is needed"),
        ({"target": "1 s", "mode": "fsat"}, "did you mean fast?"),
        ({"target": "1 s", "taregt": "2 s"}, "did you mean target?"),
        ({"target": "1 s", "path": 1}, "path: unknown key"),
    ],
)
def test_invalid_parameters(one_flow, given, told):
    el.register("many", Many)
    with pytest.raises(el.ScenarioError) as raised:
        one_flow({"kind": "many", **given})
    assert told in str(raised.value)


def test_a_number_where_a_text_is_allowed_is_written_in_quotes(one_flow):
    class Named(Fixed):
        def __init__(self, path: el.PathFacts, tau: Literal["0.1", "0.5"] = "0.5") -> None:
            super().__init__(path)
            GOT["tau"] = tau

    el.register("named", Named)
    with pytest.raises(el.ScenarioError, match=re.escape("tau: 0.1; one of 0.1, 0.5 is needed")) as raised:
        one_flow({"kind": "named", "tau": 0.1})
    assert 'write it in quotes: "0.1"' in str(raised.value)
    one_flow({"kind": "named", "tau": "0.1"}).run(series=False)
    assert GOT["tau"] == "0.1"


def test_any_key_where_the_constructor_takes_any(one_flow):
    class Open(Fixed):
        def __init__(self, path: el.PathFacts, **rest: object) -> None:
            super().__init__(path)
            GOT.clear()
            GOT.update(rest)

    el.register("open", Open)
    one_flow({"kind": "open", "a": 1, "b": "2"}).run(series=False)
    assert GOT == {"a": 1, "b": "2"}


def test_overrides_and_seeds_reach_it(one_flow):
    el.register("many", Many)
    table = one_flow({"kind": "many", "target": "20 ms"}).to_dict()
    scenario = el.Scenario(table, set={"flow.f.controller.target": "30 ms"}).with_seed(3)
    scenario.run(series=False)
    assert GOT["target"] == 0.03
    changed = el.Scenario(table, set={"flow.f.controller.kind": "newreno"})
    assert canonical(changed)["kind"] == "newreno", "the parameters of the old kind go with it"


def test_the_facts_of_the_path(one_flow):
    seen = []

    class Curious(Fixed):
        def __init__(self, path: el.PathFacts) -> None:
            super().__init__(path)
            seen.append(path)

    el.register("curious", Curious)
    one_flow({"kind": "curious"}, delayed_ack=True, tcp={"initial_window": 4, "pacing": True}).run(series=False)
    (path,) = seen
    assert (path.mss, path.ack_ratio, path.initial_window, path.paced) == (1460, 2, 4.0, True)
    assert path.known_base_rtt == 0.04
    assert path.byte_counting is None


def test_each_object_has_parameters_of_its_own(one_flow):
    """Lists and tables that an object changes are those of no other flow and no later run."""
    given: list[Any] = []

    class Uses(Fixed):
        def __init__(self, path: el.PathFacts, steps: object = ()) -> None:
            super().__init__(path)
            given.append(json.loads(json.dumps(steps)))
            assert isinstance(steps, list)
            steps.pop()["at"] = 0

    el.register("uses", Uses)
    scenario = one_flow({"kind": "uses", "steps": [1, {"at": 2}]}, count=2)
    for _ in range(2):
        scenario.run(series=False)
    assert given == [[1, {"at": 2}]] * 4


def test_a_later_registration_replaces_a_name(one_flow):
    el.register("law", Fixed)
    before = one_flow({"kind": "law", "window": 5})

    class Other(Fixed):
        def __init__(self, path: el.PathFacts, window: float = 0) -> None:
            self.cwnd = 6.0

    el.register("law", Other)
    assert before.run().flows["window_packets.min"].iloc[0] == 5, "loaded with the first"
    anew = [
        before.run(set={"title": "new"}),
        before.run(set={}),
        *before.run(seeds=1),
        before.with_seed(before.seed).run(),
    ]
    assert [r.flows["window_packets.min"].iloc[0] for r in anew] == [6, 6, 6, 6], "loaded with the second"
    assert one_flow({"kind": "law"}).run().flows["window_packets.min"].iloc[0] == 6
    el.unregister("law")
    with pytest.raises(el.ScenarioError, match="unknown kind"):
        one_flow({"kind": "law"})
    with pytest.raises(el.InputError, match="no controller called 'law'"):
        el.unregister("law")


@pytest.mark.usefixtures("without_figures")
def test_finished_results_are_saved_whatever_is_registered_since(one_flow, tmp_path):
    el.register("law", Fixed)
    scenario = one_flow({"kind": "law", "window": 5})
    results = el.Results([scenario.run(), scenario.with_seed(6).run()])

    class Other(Fixed):
        def __init__(self, path: el.PathFacts) -> None:
            super().__init__(path)

    el.register("law", Other)
    results.save(tmp_path / "replaced")
    el.unregister("law")
    results.save(tmp_path / "gone")
    assert (tmp_path / "gone" / "result.json").read_text() == (tmp_path / "replaced" / "result.json").read_text()


def test_another_class_has_its_own_default_of_a_parameter(one_flow: Any) -> None:
    """The file's value is of the class that it names; without a default of its own the other takes it."""

    class One(Fixed):
        def __init__(self, path: el.PathFacts, gain: float = 1.0, needed: float = 2.0) -> None:
            super().__init__(path)

    class Other(Fixed):
        def __init__(self, path: el.PathFacts, needed: float, gain: float = 7.0) -> None:
            super().__init__(path)

    el.register("one", One)
    el.register("other", Other)
    scenario = one_flow({"kind": "one", "gain": 3.0, "needed": 4.0})
    other = scenario.with_overrides({"flow.*.controller.kind": "other"}).to_dict()["flow"][0]["controller"]
    assert other == {"kind": "other", "gain": 7.0, "needed": 4.0}


def test_world_quic_makes_each_controller_once_with_its_own_facts(one_flow):
    """Also where it asks how packets are marked; QUIC counts bytes without a limit."""
    made: list[el.PathFacts] = []

    class Counted(Fixed):
        def __init__(self, path) -> None:
            super().__init__(path)
            made.append(path)

    el.register("counted", Counted)
    for ecn in (False, True):
        made.clear()
        one_flow({"kind": "counted"}).run("quic", set={"flow.*.tcp.ecn": ecn}, series=False)
        assert [(path.byte_counting, path.paced) for path in made] == [(float("inf"), True)]
