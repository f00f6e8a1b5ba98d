"""To which scenarios known differences of worlds apply."""

from __future__ import annotations

from typing import Any

import pytest

from eddyline.deviations.known import KNOWN
from eddyline.deviations.unswitched import unswitched
from eddyline.scenario import Scenario


def _scenario(tcp: dict[str, Any] | None = None, **flow: Any) -> dict[str, Any]:
    sender = {"name": "one", "controller": {"kind": "newreno"}, "tcp": {"sack": True, **(tcp or {})}, **flow}
    return {"link": [], "flow": [sender]}


def _result(world: str, retransmits: int = 3) -> dict[str, Any]:
    flow = {"name": "one", "retransmits": retransmits, "packets_per_s": 100.0}
    return {"world": world, "flows": [flow], "links": [], "approximations": []}


@pytest.mark.parametrize(
    ("tcp", "overrides"),
    [
        ({"timestamps": True}, {'flow."one".tcp.timestamps': False}),
        ({}, {}),
        # a clock of the receiver needs them
        ({"timestamps": True, "timestamp_clock": {"tick": "10 ms"}}, {}),
    ],
)
def test_samples_of_quic_are_without_the_receivers_delay(tcp: dict[str, Any], overrides: dict[str, Any] | None) -> None:
    (samples,) = (each for each in KNOWN if each.name == "samples" and "quic" in each.worlds)
    assert samples.overrides(_scenario(tcp), _result("quic")) == overrides
    one_way = {"kind": "fast", "delay": "weighted"}
    assert not samples.overrides(_scenario(tcp, controller=one_way), _result("quic"))


@pytest.mark.parametrize(
    ("tcp", "reordering", "overrides", "named"),
    [
        ({"rack": True}, "f", {'flow."one".tcp.rack': False}, True),
        # without RACK the threshold is fixed already, but counts arrivals, not numbers
        ({}, "f", {}, True),
        # acknowledgements that overtake each other make nothing lost, nor does a link of others
        ({"rack": True}, "b", {}, False),
        ({"rack": True}, "other", {}, False),
    ],
)
def test_rack_is_switched_off_where_data_overtake_each_other(
    tcp: dict[str, Any], reordering: str, overrides: dict[str, Any], named: bool
) -> None:
    links = [{"name": name, "reorder": name == reordering} for name in ("f", "b", "other")]
    scenario = _scenario(tcp, data=["f"], ack=["b"]) | {"link": links}
    (window,) = (each for each in KNOWN if each.name == "reordering window")
    assert window.worlds == {"quic"}
    assert window.overrides(scenario, _result("quic")) == overrides
    assert ("reordering" in [each.name for each in unswitched(scenario, _result("quic"))]) is named


@pytest.mark.parametrize(
    ("options", "gone"),
    [
        ({}, set()),
        ({"drain": True}, {"drain"}),
        ({"rate_correction": {"after": 30}}, {"rate_correction"}),
        ({"base_rtt_age": "30 s"}, {"base_rtt_age"}),
        # directions have no known base delays
        ({"delay": "weighted"}, None),
        ({"delay": "forward", "drain": True}, None),
        ({"base_rtt": "known"}, None),
    ],
)
@pytest.mark.parametrize("kind", ["fast", "vfast"])
def test_a_known_base_rtt_goes_without_what_mends_an_estimate(
    kind: str, options: dict[str, Any], gone: set[str] | None
) -> None:
    """Every table that is switched is a valid one."""
    links = [{"name": name, "rate": "20 Mbit/s", "delay": "10 ms"} for name in "fb"]
    controller = {"kind": kind, "alpha": "20 packets", **options}
    flow = {"name": "one", "controller": controller, "data": ["f"], "ack": ["b"], "tcp": {"timestamps": True}}
    scenario = Scenario({"duration": "5 s", "link": links, "flow": [flow]})
    (known,) = (each for each in KNOWN if each.name == "base RTT")
    overrides = known.overrides(scenario.to_dict(), _result("theory"))
    assert bool(overrides) == (gone is not None)
    before = scenario.to_dict()["flow"][0]["controller"]
    after = Scenario(scenario.to_dict(), set=overrides).to_dict()["flow"][0]["controller"]
    assert before.keys() - after.keys() == (gone or set())
    assert after["base_rtt"] == ("known" if gone is not None else before["base_rtt"])


@pytest.mark.parametrize(
    ("flow", "retransmits", "named"),
    [
        ({"size": "2 MB"}, 3, True),
        ({"application": {"kind": "objects", "bytes": "100 kB"}}, 3, True),
        ({"application": {"kind": "bulk"}}, 3, False),
        ({"size": "2 MB"}, 0, False),
    ],
)
def test_reductions_of_linux_are_named_where_data_may_be_lacking(
    flow: dict[str, Any], retransmits: int, named: bool
) -> None:
    names = [each.name for each in unswitched(_scenario(**flow), _result("kernel", retransmits))]
    assert ("reductions" in names) is named


@pytest.mark.parametrize(
    ("loss", "overrides"),
    [
        ({"kind": "gilbert-elliott", "p": 0.01, "r": 0.1}, {'link."f".loss': 0.0}),
        ({"kind": "periodic", "every": 100}, {}),
        (0.01, {}),
    ],
)
def test_theory_has_no_losses_in_bursts(loss: Any, overrides: dict[str, Any]) -> None:
    (bursts,) = (each for each in KNOWN if each.name == "losses in bursts")
    scenario = _scenario() | {"link": [{"name": "f", "loss": loss}, {"name": "b"}]}
    assert bursts.overrides(scenario, _result("theory")) == overrides


@pytest.mark.parametrize(
    ("key", "name"), [("trace", "recordings"), ("reconstruct", "ACK reconstruction"), ("medium", "medium")]
)
def test_links_of_which_theory_leaves_a_part_out_are_named(key: str, name: str) -> None:
    def named(link: dict[str, Any]) -> set[str]:
        return {each.name for each in unswitched({"link": [link], "flow": []}, _result("theory") | {"flows": []})}

    assert named({"name": "f", key: "something"}) - named({"name": "f"}) == {name}
