"""Reno written in Python is Reno: every packet at the same picosecond."""

from __future__ import annotations

from typing import Any

import pytest

import eddyline as el

pytestmark = pytest.mark.usefixtures("reno")

LINKS = [
    {"name": "down", "rate": "10 Mbit/s", "delay": "20 ms", "queue": {"kind": "droptail", "limit": "20 packets"}},
    {"name": "up", "rate": "1 Mbit/s", "delay": "20 ms", "queue": {"kind": "droptail", "limit": "10 packets"}},
]
DOWN = {"data": ["down"], "ack": ["up"]}
CASES: dict[str, dict[str, Any]] = {
    "overflow": {},
    "loss": {"loss": 0.03},
    "delayed ACKs": {"delayed_ack": True},
    "paced": {"tcp": {"pacing": True}},
    "whole packets": {"controller": {"whole_packets": True}, "loss": 0.01},
    "F-RTO": {"tcp": {"frto": True}, "loss": 0.05, "outage": True},
    "bursts": {"application": {"kind": "bursts", "bytes": "300 kB", "every": "1 s"}},
    "upload": {"upload": True},
}


def scenario(kind: str, sack: bool, case: dict[str, Any]) -> el.Scenario:
    links = [{**link, "loss": case.get("loss", 0.0)} for link in LINKS]
    tcp = {"sack": sack, **case.get("tcp", {})}
    rest = {k: v for k, v in case.items() if k in ("delayed_ack", "application")}
    controller = {"kind": kind, **case.get("controller", {})}
    flows = [{"name": "f", "controller": controller, **DOWN, "tcp": tcp, **rest}]
    if case.get("upload"):
        flows.append({"name": "u", "controller": {"kind": kind}, "data": ["up"], "ack": ["down"], "tcp": tcp})
    return el.Scenario({"title": "reno", "duration": "10 s", "seed": 11, "link": links, "flow": flows})


def told(result: el.Result) -> dict[str, Any]:
    document = result.to_dict()
    for field in ("cost", "scenario_sha256"):
        document.pop(field)
    for flow in document["flows"]:
        flow.pop("controller")
    return document


@pytest.mark.parametrize("sack", [True, False], ids=["sack", "no sack"])
@pytest.mark.parametrize("kind", ["reno", "newreno"])
@pytest.mark.parametrize("name", CASES)
def test_the_python_one_sends_the_same_packets(name, kind, sack):
    ours = scenario(f"my-{kind}", sack, CASES[name]).run(log=True)
    theirs = scenario(kind, sack, CASES[name]).run(log=True)
    assert ours.flows["controller"].tolist()[0] == f"my-{kind}"
    assert ours.flows["retransmits"].iloc[0] > 0, "nothing happened"
    assert told(ours) == told(theirs)
    assert ours.run.log() == theirs.run.log()
    assert ours.run.series() == theirs.run.series()


@pytest.mark.parametrize("kind", ["reno", "newreno"])
def test_there_were_timeouts(kind):
    assert scenario(f"my-{kind}", False, CASES["loss"]).run().flows["timeouts"].iloc[0] >= 2


def test_the_two_differ_without_sack():
    first, second = (scenario(k, False, CASES["overflow"]).run(log=True) for k in ("my-reno", "my-newreno"))
    assert first.run.log() != second.run.log()


def test_dynamic_flows_have_one_controller_each():
    def arrivals(kind: str) -> dict[str, Any]:
        table = {"name": "a", "rate": "3 /s", "size": {"kind": "exponential", "mean": "100 kB"}, **DOWN}
        return told(
            el.Scenario(
                {
                    "title": "arrivals",
                    "duration": "20 s",
                    "link": LINKS,
                    "arrivals": [{**table, "controller": {"kind": kind}}],
                }
            ).run(series=False)
        )

    ours, theirs = arrivals("my-newreno"), arrivals("newreno")
    assert ours["arrivals"][0].pop("controller") == "my-newreno"
    theirs["arrivals"][0].pop("controller")
    assert ours == theirs
    assert ours["arrivals"][0]["completed"] > 30
