"""`compare` of world `theory`: what its equations leave out, which is switched in `sim` or named."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from compared_worlds import LATE, compared

from eddyline.deviations.known import of_world
from eddyline.deviations.unswitched import unswitched
from eddyline.papers import find
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path


def test_the_paper_is_its_simulation(capsys: pytest.CaptureFixture[str]) -> None:
    file = find("two-way-fast").folder / "scenarios" / "example-1-1000B.toml"
    theory = compared(capsys, file, "theory", "--within", "1 %", "--packets", "0.5")
    assert theory["compared"] == len(theory["deviations"]) > 0
    assert all(d["within"] for d in theory["deviations"])
    assert (theory["steps"], theory["tried"]) == ([], [])


@pytest.mark.parametrize(
    ("key", "value", "cause"),
    [
        ("link.f.jitter", '{ kind = "normal", sd = "2 ms", correlation = "50 ms" }', "jitter"),
        ("link.f.framing", "pppoe-ptm", "framing"),
        ("link.f.changes", '[{ at = "20 s", rate = "20 Mbit/s" }]', "changes"),
        ("link.f.outages", '[{ start = "1 s", length = "200 ms", every = "2 s" }]', "changes"),
        ("link.f.policer", '{ rate = "20 Mbit/s", burst = "30 kB" }', "policer"),
    ],
)
def test_what_theory_leaves_out_of_links_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, key: str, value: str, cause: str
) -> None:
    file = tmp_path / "late.toml"
    file.write_text(LATE.replace("LIMIT", "unlimited").replace("BASE", "known"))
    theory = compared(capsys, file, "theory", "--set", f"{key}={value}")
    assert theory["explained"]
    assert [step["difference"] for step in theory["steps"]] == [cause]


@pytest.mark.parametrize(("alpha", "causes"), [("20 packets", ["doubling"]), ("80 packets", [])])
def test_doubling_at_short_delays_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, alpha: str, causes: list[str]
) -> None:
    """With gamma 1/2 the queue swings after the start (docs/controllers/fast.md): 2.4 ms come below 0.75 ms."""
    file = tmp_path / "alone.json"
    links = [{"name": name, "rate": "100 Mbit/s", "delay": "25 ms"} for name in ("d", "a")]
    flow = {"name": "x", "controller": {"kind": "fast", "alpha": alpha}, "data": ["d"], "ack": ["a"]}
    file.write_text(Scenario({"duration": "30 s", "warmup": "10 s", "link": links, "flow": [flow]}).canonical)
    theory = compared(capsys, file, "theory")
    assert [step["difference"] for step in theory["steps"]] == causes
    if causes:
        queue = next(d for d in theory["deviations"] if d["quantity"] == "queueing_delay_s")
        assert queue["sim"] > 4 * queue["value"]
        assert theory["explained"]
    else:
        assert all(d["within"] for d in theory["deviations"])


def test_what_theory_leaves_out_of_links_and_no_key_switches_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "late.toml"
    file.write_text(LATE.replace("LIMIT", "unlimited").replace("BASE", "known"))
    theory = compared(capsys, file, "theory", "--set", "link.*.medium={ name = 'air', turnaround = '5 ms' }")
    assert not theory["explained"]
    assert "medium" in [each["difference"] for each in theory["untried"]]


@pytest.mark.parametrize(
    ("limit", "base_rtt", "causes"),
    [
        ("unlimited", "known", set()),
        ("unlimited", "estimated", {"base RTT"}),
        ("60 packets", "known", {"queues"}),
        ("60 packets", "estimated", {"queues", "base RTT"}),
    ],
)
def test_the_causes_are_those_that_were_put_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, limit: str, base_rtt: str, causes: set[str]
) -> None:
    """A late flow takes the queue for propagation, a short queue overflows: each is found where it is."""
    file = tmp_path / "late.toml"
    file.write_text(LATE.replace("LIMIT", limit).replace("BASE", base_rtt))
    theory = compared(capsys, file, "theory")
    assert theory["explained"]
    assert {step["difference"] for step in theory["steps"]} == causes
    assert all(d["within"] for step in theory["steps"][-1:] for d in step["deviations"])


@pytest.mark.parametrize(
    "queue",
    [
        "kind = 'ack_filter'",
        "kind = 'ack_decimation', threshold = '5 packets', drop = { kind = 'every', keep_one_in = 4 }",
    ],
)
def test_a_discipline_without_a_limit_is_a_cause_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, queue: str
) -> None:
    """Theory takes every queue for a FIFO: one that drops acknowledgements differs without any overflow."""
    file = tmp_path / "fast.toml"
    file.write_text(
        """
        title = "FAST down, few acknowledgements up"
        duration = "30 s"
        warmup = "10 s"
        link = [
          { name = "down", rate = "10 Mbit/s", delay = "20 ms" },
          { name = "up", rate = "100 kbit/s", delay = "20 ms" },
        ]
        flow = [{ name = "f", controller = { kind = "fast", alpha = "20 packets" }, data = ["down"], ack = ["up"] }]
        """
    )
    theory = compared(capsys, file, "theory", "--set", f"link.up.queue={{ {queue} }}")
    assert theory["explained"]
    assert "queues" in [step["difference"] for step in theory["steps"]]


@pytest.mark.parametrize(
    ("key", "value", "names"),
    [
        # a packet of 1500 B takes 12 ms of 1 Mbit/s, 10 packets wait 120 ms
        ("link.f.rate", "1 Mbit/s", ["transmission times"]),
        ("flow.*.controller.alpha", "1000 packets", []),
        ("flow.*.controller.kind", "newreno", []),
    ],
)
def test_theory_names_a_sender_s_own_transmission_times(key: str, value: str, names: list[str]) -> None:
    document = tomllib.loads(LATE.replace("LIMIT", "unlimited").replace("BASE", "estimated"))
    set_ = {key: value} if key != "flow.*.controller.kind" else {"flow.*.controller": {"kind": value}}
    scenario = Scenario(document, set=set_)
    assert [each.name for each in unswitched(scenario.to_dict(), scenario.run("theory").to_dict())] == names


ONE = 'flow."one"'
THINNED = """
duration = "20 s"
warmup = "10 s"
link = [
    { name = "f", rate = "10 Mbit/s", delay = "15 ms" },
    { name = "b", rate = "1 Gbit/s", delay = "15 ms" },
]
[[flow]]
name = "one"
data = ["f"]
ack = ["b"]
controller = { kind = "fast", alpha = "100 packets", base_rtt = "known" }
tcp = { ack_every = EVERY }
"""


@pytest.mark.parametrize(
    ("every", "switched"),
    [
        (1, {}),
        (40, {"tcp.ack_every": 1, "ack_packet": "1 B"}),
        # the load of one acknowledgement each is no whole number of bytes
        (32, {"tcp.ack_every": 4, "ack_packet": "5 B"}),
    ],
)
def test_waits_for_a_common_acknowledgement_explain_shorter_queues(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, every: int, switched: dict[str, Any]
) -> None:
    """A sender takes them for queueing; theory's load of acknowledgements stays."""
    file = tmp_path / "x.toml"
    file.write_text(THINNED.replace("EVERY", str(every)))
    theory = compared(capsys, file, "theory")
    assert theory["explained"]
    causes = {step["difference"]: step["set"] for step in theory["steps"]}
    keys = {f"{ONE}.{key}": value for key, value in switched.items()}
    assert causes == ({"delayed acknowledgements": keys} if keys else {})


@pytest.mark.parametrize(
    ("set_", "switched", "named"),
    [
        ({}, True, False),
        ({"flow.one.tcp.ack_every": 1}, False, False),
        # each size that has the load of theory leaves waits for some
        ({"flow.one.tcp.ack_every": 32}, True, True),
        ({"flow.one.tcp.ack_every": 2, "flow.one.ack_packet": "1 B"}, False, False),  # too short a wait to be noted
        ({"flow.one.tcp.ack_every": 31, "flow.one.ack_packet": "1 B"}, False, True),
        # acknowledgements queue, and count among the packets there
        ({"link.f.rate": "1 Gbit/s", "link.b.rate": "100 kbit/s"}, False, True),
        ({"flow.one.controller": {"kind": "newreno"}, "link.f.loss": 0.01}, False, True),
    ],
)
def test_waits_for_a_common_acknowledgement_are_named_where_they_stay(
    set_: dict[str, Any], switched: bool, named: bool
) -> None:
    scenario = Scenario(tomllib.loads(THINNED.replace("EVERY", "40")), set=set_)
    tables, theory = scenario.to_dict(), scenario.run("theory").to_dict()
    assert ("delayed acknowledgements" in [known.name for known, _ in of_world(tables, theory)]) is switched
    assert ("waits at the receiver" in [each.name for each in unswitched(tables, theory)]) is named


def test_losses_explain_no_deviation_of_flows_whose_theory_has_them() -> None:
    document = tomllib.loads(LATE.replace("LIMIT", "unlimited").replace("BASE", "estimated"))
    document["link"][0]["loss"] = 0.001
    for controller, there in ((document["flow"][0]["controller"], True), ({"kind": "newreno"}, False)):
        scenario = Scenario(document, set={"flow.*.controller": controller})
        found = of_world(scenario.to_dict(), scenario.run("theory").to_dict())
        assert ("losses" in [known.name for known, _ in found]) is there
