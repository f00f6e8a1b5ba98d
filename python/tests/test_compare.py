"""Worlds beside the simulation: what deviates, and which known difference explains it."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from compared_worlds import LATE, LINUX, SHORT, Kernel, compared

from eddyline.cli import main
from eddyline.cli.compare import _percent
from eddyline.deviations import explain
from eddyline.deviations.explain import compare_with
from eddyline.deviations.known import of_world
from eddyline.deviations.measure import Deviation, Tolerance, deviations, worst
from eddyline.deviations.unswitched import unswitched
from eddyline.errors import WorldUnavailable
from eddyline.papers import find
from eddyline.scenario import Scenario
from eddyline.worlds import WORLDS

if TYPE_CHECKING:
    from pathlib import Path


def test_what_nothing_explains_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Random losses of one seed are no difference between the models, so nothing that is switched removes them."""
    file = tmp_path / "reno.toml"
    file.write_text(
        LATE.replace("LIMIT", "unlimited")
        .replace('alpha = "40 packets", base_rtt = "BASE"', "")
        .replace('alpha = "30 packets", base_rtt = "BASE"', "")
        .replace('"fast", ', '"newreno"')
        .replace('delay = "20 ms", queue', 'delay = "20 ms", loss = 0.001, queue')
    )
    theory = compared(capsys, file, "theory", "--within", "0.1 %", "--packets", "0")
    assert not theory["explained"]
    assert theory["tried"]
    assert main(["compare", str(file), "--within", "0.1 %", "--packets", "0"]) == 0
    assert "not explained by the known differences" in capsys.readouterr().out


def test_a_world_that_cannot_run_a_controller_is_left_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = WORLDS["quic"]

    def refuse(*_: object) -> None:
        raise WorldUnavailable("quic", "controller fast (flow a): built without it")

    monkeypatch.setitem(WORLDS, "quic", replace(entry, run=refuse))
    file = find("two-way-fast").folder / "scenarios" / "example-3-1000B.toml"
    assert main(["compare", str(file)]) == 0
    out = capsys.readouterr().out
    assert "quic: not compared, world quic: controller fast (flow a): built without it" in out
    assert "theory" in out
    assert main(["compare", str(file), "--worlds", "theory"]) == 0
    assert main(["compare", str(file), "--worlds", "theory,quic"]) == 3
    assert "quic: not compared" in capsys.readouterr().out
    assert main(["compare", str(file), "--worlds", "sim,sim"]) == 2
    assert "with which the others are compared" in capsys.readouterr().err


def test_worlds_that_are_not_named_do_not_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    for name in ("quic", "kernel"):
        monkeypatch.setitem(WORLDS, name, replace(WORLDS[name], run=refuse, missing=None))
    file = find("two-way-fast").folder / "scenarios" / "example-3-1000B.toml"
    assert main(["compare", str(file), "--worlds", "theory", "--json"]) == 0
    assert [w["world"] for w in json.loads(capsys.readouterr().out)["worlds"]] == ["theory"]


def test_why_there_is_nothing_to_compare(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "reno.toml").write_text(
        'duration = "2 s"\n'
        'duplex = [{ name = "line", preset = "vdsl2" }]\n'
        'flow = [{ name = "a", controller = { kind = "reno" }, data = ["line/down"], ack = ["line/up"] }]\n'
    )
    assert main(["compare", str(tmp_path / "reno.toml"), "--worlds", "theory"]) == 1
    said = capsys.readouterr()
    assert "theory: nothing to compare" in said.out
    assert "note: world theory: theory has no model of reno" in said.err
    assert "hint: it models fast" in said.err


def test_quic_differs_by_its_packet_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    """Packets of 1,200 B with headers in place of 1,000 B of payload; with the sizes of QUIC `sim` agrees."""
    file = find("two-way-fast").folder / "scenarios" / "example-3-1000B.toml"
    quic = compared(capsys, file, "quic")
    assert quic["explained"]
    assert [step["difference"] for step in quic["steps"]] == ["packet sizes"]
    sizes = quic["steps"][0]["set"]
    assert sizes['flow."flow 1".packet'] == "1200 B"
    # headers of 9 to 11 bytes, frames of 3 to 7, a tag of 16
    assert 1160 <= 1200 - int(sizes['flow."flow 1".header'].split()[0]) <= 1180
    assert not all(d["within"] for d in quic["deviations"])


ECN = """
duration = "20 s"
warmup = "5 s"
link = [
    { name = "f", rate = "20 Mbit/s", delay = "25 ms", queue = { kind = "QUEUE" } },
    { name = "b", rate = "5 Mbit/s", delay = "25 ms" },
]
[[flow]]
name = "a"
packet = "1240 B"
controller = { kind = "KIND" }
tcp = { ecn = true }
data = ["f"]
ack = ["b"]
"""


@pytest.mark.parametrize(
    ("kind", "queue", "causes"),
    [("newreno", "codel", ["packet sizes"]), ("prague", "dualpi2", ["packet sizes", "counts of marks"])],
)
def test_quic_counts_marks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str, queue: str, causes: list[str]
) -> None:
    """Three counts on each acknowledgement, which Prague needs."""
    (tmp_path / "x.toml").write_text(ECN.replace("KIND", kind).replace("QUEUE", queue))
    quic = compared(capsys, tmp_path / "x.toml", "quic")
    assert quic["explained"]
    assert [step["difference"] for step in quic["steps"]] == causes


@pytest.mark.parametrize("reorder", [True, False])
def test_quic_does_not_wait_for_packets_that_are_late(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, reorder: bool
) -> None:
    """RACK waits, the stack takes them for lost and has half of its goodput, as `sim` without RACK."""
    file = tmp_path / "late.toml"
    file.write_text(LINUX.replace("CONTROLLER", '{ kind = "newreno" }').replace("TCP", "rack = true"))
    jitter = ("--set", "link.f.jitter={ kind = 'exponential', mean = '1 ms' }")
    quic = compared(capsys, file, "quic", "--worlds", "quic", *jitter, "--set", f"link.f.reorder={reorder}".lower())
    assert quic["explained"]
    causes = [step["difference"] for step in quic["steps"]]
    assert causes == (["reordering window", "packet sizes"] if reorder else ["packet sizes"])
    assert ("reordering window" in quic["tried"]) is reorder
    if reorder:
        assert quic["steps"][0]["set"] == {f"{ONE}.tcp.rack": False}


ONE = 'flow."one"'


@pytest.mark.parametrize(
    ("controller", "tcp", "keys", "note", "cause"),
    [
        ('{ kind = "newreno" }', "ack_every = 2", {f"{ONE}.tcp.byte_counting": 1_000_000}, "", "byte counting"),
        ('{ kind = "cubic" }', "", {f"{ONE}.controller.slow_start": "hystart++"}, "", "HyStart"),
        (
            '{ kind = "cubic", slow_start = "hystart++" }',
            "",
            {f"{ONE}.controller.profile": "linux"},
            "",
            "growth of CUBIC",
        ),
        (
            '{ kind = "cubic", beta = 0.3 }',
            "",
            {f"{ONE}.controller": {"kind": "cubic"}},
            "flow one: the kernel's cubic has parameters of its own",
            "parameters",
        ),
        (
            '{ kind = "newreno", slow_start = "hystart++" }',
            "byte_counting = 1000",
            {f"{ONE}.controller": {"kind": "newreno"}},
            "flow one: the kernel's newreno has parameters of its own",
            "parameters",
        ),
        ('{ kind = "fast", alpha = "200 packets" }', "", {f"{ONE}.tcp.pacing": False}, "", "pacing"),
        (
            '{ kind = "newreno" }',
            "pacing = true, pacing_gain = { avoidance = 0.7 }",
            {f"{ONE}.tcp": {"pacing": True}},
            "flow one: left to Linux: tcp.pacing_gain",
            "TCP options",
        ),
        (
            '{ kind = "newreno" }',
            "ack_every = 2, byte_counting = 1000, pacing = true, pacing_gain = { avoidance = 0.7 }",
            {f"{ONE}.tcp": {"ack_every": 2, "byte_counting": 1000, "pacing": True}},
            "flow one: left to Linux: tcp.byte_counting, tcp.pacing_gain",
            "TCP options",
        ),
        (
            '{ kind = "newreno" }',
            "ack_every = 2",
            {f"{ONE}.tcp.{key}": True for key in ("prr", "rack", "frto", "rto_every_ack")},
            "flow one: Linux always has prr, rack, frto, rto_every_ack",
            "loss recovery",
        ),
        (
            '{ kind = "newreno" }',
            'sack = false, min_rto = "1 ms"',
            {f"{ONE}.tcp.rto_every_ack": True},
            "flow one: Linux always has rto_every_ack",
            "loss recovery",
        ),
        (
            '{ kind = "newreno" }',
            "ack_every = 20",
            {f"{ONE}.tcp.ack_every": 2, f"{ONE}.tcp.ack_timer": "40 ms", f"{ONE}.tcp.quick_acks": 16},
            "",
            "delayed acknowledgements",
        ),
    ],
)
def test_what_linux_does_is_found(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    controller: str,
    tcp: str,
    keys: dict[str, Any],
    note: str,
    cause: str,
) -> None:
    """Each difference is put into the played kernel, and alone explains it."""
    tools, options = (capsys, monkeypatch), ("--within", "0.01 %", "--packets", "0.001")
    found = Kernel(keys, (note,)).found(tools, tmp_path / "x.toml", *options, controller=controller, tcp=tcp)
    assert not all(d["within"] for d in found["deviations"])
    assert [step["difference"] for step in found["steps"]] == [cause]
    assert (found["explained"], found["untried"]) == (True, [])


def test_what_nothing_explains_does_not_hide_a_cause(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Larger acknowledgements fill the way back by half as much again; the queue is that of byte counting."""
    kernel = Kernel({f"{ONE}.tcp.byte_counting": 1_000_000, f"{ONE}.ack_packet": "60 B"})
    found = kernel.found((capsys, monkeypatch), tmp_path / "x.toml", "--packets", "0.5")
    assert [step["difference"] for step in found["steps"]] == ["byte counting"]
    left = [(d["name"], d["quantity"]) for d in found["steps"][0]["deviations"] if not d["within"]]
    assert left == [("b", "utilisation")]
    assert not found["explained"]


@pytest.mark.parametrize(
    "tcp", ["sack = false", "sack = false, fast_retransmit = false", 'sack = false, partial_ack_timer = "impatient"']
)
def test_senders_without_sack_are_compared_with_quic(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, tcp: str
) -> None:
    """QUIC always has ranges: with them go the options that they exclude."""
    file = tmp_path / "x.toml"
    file.write_text(LINUX.replace("CONTROLLER", '{ kind = "newreno" }').replace("TCP", tcp))
    assert compared(capsys, file, "quic", "--worlds", "quic")["deviations"]


def test_a_trial_that_does_not_know_a_quantity_explains_nothing_of_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A transfer has ended before the window of the trial that looks for the time after the transient."""
    file = tmp_path / "x.toml"
    file.write_text("""
duration = "10 s"
link = [
    { name = "there", rate = "10 Mbit/s", delay = "20 ms", loss = { kind = "periodic", every = 20 } },
    { name = "back", rate = "10 Mbit/s", delay = "20 ms" },
]
flow = [{ name = "f", controller = { kind = "newreno" }, data = ["there"], ack = ["back"], size = "29200 B" }]
""")
    theory = compared(capsys, file, "theory")
    found = {(d["kind"], d["name"], d["quantity"]) for d in theory["deviations"]}
    assert ("flow", "f", "goodput_bps") in found
    for step in theory["steps"]:
        assert {(d["kind"], d["name"], d["quantity"]) for d in step["deviations"]} == found
    assert main(["compare", str(file)]) == 0
    assert "theory" in capsys.readouterr().out


def test_what_trades_one_deviation_for_several_explains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def result(*goodputs: float) -> Any:
        flows = [{"name": f"{i}", "goodput_bps": each} for i, each in enumerate(goodputs)]
        return SimpleNamespace(world="kernel", to_dict=lambda: {"flows": flows, "links": []})

    monkeypatch.setattr(explain, "of_world", lambda *_: [(SimpleNamespace(name="pacing"), {})])
    monkeypatch.setattr(explain, "unswitched", lambda *_: [])
    monkeypatch.setattr(explain, "_switched", lambda *_: None)
    scenario: Any = SimpleNamespace(to_dict=dict)
    for trial, steps in ((result(1e6, 1e6, 1e6, 0.95e6), 1), (result(1e6, 1.12e6, 1.12e6, 1.12e6), 0)):
        reference, other = result(0, 1e6, 1e6, 1e6), result(1e6, 1e6, 1e6, 1e6)
        found = compare_with(scenario, reference, other, Tolerance(), lambda _, t=trial: [t])  # type: ignore[misc]
        assert (len(found.steps), found.tried) == (steps, ["pacing"])
    # the largest deviation goes, of half the goodput; that of another flow, as large as that, has another cause
    reference, other, trial = result(0.5e6, 0.58e6), result(1e6, 1e6), result(0.95e6, 0.56e6)
    assert len(compare_with(scenario, reference, other, Tolerance(), lambda _: [trial]).steps) == 1
    # what explains all goes before what takes the largest away to the last bit and makes another as large
    monkeypatch.setattr(explain, "of_world", lambda *_: [(SimpleNamespace(name=name), {}) for name in ("a", "b")])
    reference, trials = result(0.70e6, 0.94e6), [result(1e6, 0.71e6), result(0.985e6, 0.99e6)]
    (step,) = compare_with(scenario, reference, other, Tolerance(), lambda _: trials).steps
    assert step.difference.name == "b"
    # and what takes all of it away before what takes a quarter, whatever nothing explains, and nudges that
    reference, trials = result(0.70e6, 0.71e6), [result(0.78e6, 0.7102e6), result(1e6, 0.71e6)]
    assert compare_with(scenario, reference, other, Tolerance(), lambda _: trials).steps[0].difference.name == "b"


def test_without_a_tolerance_every_difference_deviates(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(SHORT)
    quic = compared(capsys, file, "quic", "--within", "0 %", "--packets", "0")
    assert [d["within"] for d in quic["deviations"]] == [d["value"] == d["sim"] for d in quic["deviations"]]
    assert not quic["explained"]
    assert main(["compare", str(file), "--within", "0 %", "--packets", "0"]) == 0
    # the largest of those of which none is allowed
    most = max(quic["deviations"], key=lambda d: abs(d["value"] / d["sim"] - 1) if d["sim"] else 0)
    assert f"most {most['quantity']} of {most['name']}: " in capsys.readouterr().out


def test_deviations_of_which_none_is_allowed_hide_no_explanation(monkeypatch: pytest.MonkeyPatch) -> None:
    def result(goodput: float, window: float) -> Any:
        flow = {"name": "f", "goodput_bps": goodput, "window_packets": {"mean": window}}
        return SimpleNamespace(world="kernel", to_dict=lambda: {"flows": [flow], "links": []})

    monkeypatch.setattr(explain, "of_world", lambda *_: [(SimpleNamespace(name="pacing"), {})])
    monkeypatch.setattr(explain, "unswitched", lambda *_: [])
    monkeypatch.setattr(explain, "_switched", lambda *_: None)
    scenario: Any = SimpleNamespace(to_dict=dict)
    sim, other = result(1e6, 10.0), result(1.1e6, 20.0)
    # a trial takes the window's deviation away, or only makes it smaller
    for window, steps in ((19.0, 1), (15.0, 0)):
        trial = result(1.01e6, window)
        found = compare_with(scenario, sim, other, Tolerance(0.0), lambda _, t=trial: [t])  # type: ignore[misc]
        assert (len(found.steps), found.explained) == (steps, False)


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ({"tcp.receive_buffer": "64 KiB"}, "socket buffers"),
        ({"tcp.send_buffer": "64 KiB"}, "socket buffers"),
        ({"receive_window": "64 KiB"}, "window not used"),
        ({"receive_window": "1 MiB"}, None),
        ({}, None),
    ],
)
def test_what_bounds_a_sender_is_named(keys: dict[str, str], name: str | None) -> None:
    text = LINUX.replace("CONTROLLER", '{ kind = "cubic" }').replace("TCP", "")
    scenario = Scenario(tomllib.loads(text), set={f"{ONE}.{key}": value for key, value in keys.items()})
    result = {**scenario.run(series=False).to_dict(), "world": "kernel"}
    bounds = {each.name for each in unswitched(scenario.to_dict(), result)} & {"socket buffers", "window not used"}
    assert bounds == ({name} if name else set())


def test_what_cannot_be_switched_in_sim_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    late = Kernel({"link.f.delay": "60 ms"}, because=("a packet was late",))
    found = late.found((capsys, monkeypatch), tmp_path / "x.toml", "--clock", "virtual")
    assert not found["explained"]
    assert late.clock == "virtual"
    names = [each["difference"] for each in found["untried"]]
    # 833 packets a second are less than one in a millisecond
    assert names == ["samples", "acknowledgements of every packet", "reductions undone", "send buffer", "emulation"]
    assert main(["compare", str(tmp_path / "x.toml")]) == 0
    out = capsys.readouterr().out
    assert late.clock == "real"
    assert "  known differences that sim has no key for:\n    samples: window and mean RTT are samples of" in out


@pytest.mark.parametrize(
    ("queue", "switched"),
    [
        ({"kind": "ack_filter", "limit": "20 packets"}, {"kind": "droptail", "limit": "20 packets"}),
        ({"kind": "cake", "ack_filter": "aggressive"}, {"ack_filter": "none"}),
        ({"kind": "cake"}, None),
    ],
)
@pytest.mark.filterwarnings("ignore:the flows over")
def test_quic_s_acknowledgements_are_not_filtered(queue: dict[str, Any], switched: dict[str, Any] | None) -> None:
    document = tomllib.loads(SHORT)
    back = document["flow"][0]["ack"][0]
    scenario = Scenario(document, set={f"link.{back}.queue": queue})
    found = {each.name: keys for each, keys in of_world(scenario.to_dict(), scenario.run("quic").to_dict())}
    assert ("ACK filters" in found) == (switched is not None)
    if switched is not None:
        without = Scenario(scenario.to_dict(), set=found["ACK filters"]).to_dict()
        link = next(link for link in without["link"] if link["name"] == back)
        assert switched.items() <= link["queue"].items()
    again = {f"link.{back}.reconstruct": {"every": "3000 B", "hold": "100 ms"}}
    reconstructed = Scenario(document, set=again)
    names = [each.name for each in unswitched(reconstructed.to_dict(), {"world": "quic", "flows": []})]
    assert "ACK reconstruction" in names


def test_a_receive_window_of_quic_is_named() -> None:
    """The stack announces room by an eighth of it, so a paced sender has seven eighths of a window a round trip."""
    document = tomllib.loads(SHORT) | {"flow": tomllib.loads(SHORT)["flow"][1:]}
    document["flow"][0] |= {"count": 1, "receive_window": "50 kB"}
    scenario = Scenario(document)
    result = scenario.run("quic").to_dict()
    assert [each.name for each in unswitched(scenario.to_dict(), result)] == ["receive window"]
    rate, window = result["flows"][0]["goodput_bps"], 8 * 50_000 / 0.0365
    assert 0.85 < rate / window < 0.96  # seven eighths, and more where a burst takes several announcements
    assert result["flows"][0]["window_packets"]["max"] < 1.5 * 50_000 / 1460
    large = Scenario(scenario.to_dict(), set={"flow.loss.receive_window": "5 MB"})
    assert not unswitched(large.to_dict(), large.run("quic").to_dict())


def test_a_lost_connection_of_quic_is_named() -> None:
    scenario = Scenario(tomllib.loads(LATE.replace("LIMIT", "unlimited").replace("BASE", "estimated")))
    name = "early"
    row = {"name": name, "packets_per_s": 100.0, "throughput_bps": 1.2e6, "goodput_bps": 4e5}
    for notes, names in (([], []), ([f"flow {name}: the connection was lost: too many gaps"], ["lost connections"])):
        result = {"world": "quic", "flows": [row], "approximations": notes}
        assert [each.name for each in unswitched(scenario.to_dict(), result)] == names
        sizes = [overrides for known, overrides in of_world(scenario.to_dict(), result) if known.name == "packet sizes"]
        assert any("early" in key for overrides in sizes for key in overrides) is not bool(notes)


def test_no_packet_size_is_set_that_a_scenario_refuses() -> None:
    scenario = Scenario(tomllib.loads(LATE.replace("LIMIT", "unlimited").replace("BASE", "estimated")))
    # where no payload can be told from what is delivered, that of a full datagram
    for goodput, header in ((1.12e6, 100), (0.0, 73), (1.2e6, 73), (1.3e6, 73)):
        row = {"name": "early", "packets_per_s": 100.0, "throughput_bps": 1.2e6, "goodput_bps": goodput}
        found = of_world(scenario.to_dict(), {"world": "quic", "flows": [row], "approximations": []})
        (sizes,) = [overrides for known, overrides in found if known.name == "packet sizes"]
        assert {key: sizes[f'flow."early".{key}'] for key in ("packet", "header", "ack_packet")} == {
            "packet": "1500 B",
            "header": f"{header} B",
            "ack_packet": "73 B",
        }
        Scenario(scenario.to_dict(), set=sizes)


def test_deviations_by_hand() -> None:
    file = find("two-way-fast").folder / "scenarios" / "example-1-1000B.toml"
    one = Scenario.load(file).run("theory")
    other = Scenario.load(file, set={"flow.*.controller.alpha": "300 packets"}).run("theory")
    found = {(d.name, d.quantity): d for d in deviations(other, one, Tolerance(0.1, 10.0))}
    rate = found["flow 1", "goodput_bps"]
    # alpha of flow 1 and 2 become equal, so flow 1 gets half of what both have, not a third
    assert rate.value / rate.reference == pytest.approx(1.5, rel=1e-6)
    assert rate.relative == pytest.approx(0.5, rel=1e-6)
    assert rate.excess == pytest.approx((0.5 / 1.5) / 0.1, rel=1e-6)
    queue = found["backward", "queue_packets.mean"]
    assert queue.excess == pytest.approx((queue.value - queue.reference) / max(10.0, 0.1 * queue.value))
    assert worst(found.values()) == max(d.excess for d in found.values())


@pytest.mark.parametrize(
    ("value", "reference", "said"), [(1.5, 1.0, "+50.0 %"), (7e-5, 0.0, "> 0"), (0.0, 0.0, "+0.0 %")]
)
def test_a_difference_from_nothing_is_no_percentage(value: float, reference: float, said: str) -> None:
    assert _percent(Deviation("link", "l", "queue_packets.mean", value, reference, 1.0)) == said
