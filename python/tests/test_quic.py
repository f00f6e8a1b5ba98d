"""World `quic`: from the command line, with the stack's own controllers, and beside the other worlds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import eddyline as el
import eddyline.quic_packets as quic_packets
from eddyline import _core
from eddyline.deviations.known import of_world
from eddyline.evaluation.buffers import BUFFERS
from eddyline.evaluation.subject import Subject
from eddyline.gauntlet.measures import MEASURES, Target
from eddyline.lost_connections import lost_connections
from eddyline.remarks import remarks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def one_flow(**controller: Any) -> dict[str, Any]:
    """One flow over 10 Mbit/s and 40 ms, with the packet sizes of QUIC."""
    return {
        "duration": "20 s",
        "warmup": "10 s",
        "link": [{"name": n, "rate": "10 Mbit/s", "delay": "20 ms"} for n in ("there", "back")],
        "flow": [
            {
                "name": "one",
                "controller": controller,
                "data": ["there"],
                "ack": ["back"],
                "packet": "1240 B",
                "ack_packet": "75 B",
            }
        ],
    }


def test_fast_keeps_alpha_packets_queued() -> None:
    fast = el.Scenario(one_flow(kind="fast", alpha="50 packets", base_rtt="known"))
    queues = [fast.run(world, series=False).to_dict()["links"][0]["queue_packets"]["mean"] for world in ("quic", "sim")]
    assert queues[0] == pytest.approx(queues[1], abs=2.0)


def test_a_packet_far_behind_others_does_not_end_the_connection() -> None:
    """It has the end of its number only: one 128 behind the newest is taken for a later one and cannot be decrypted."""
    table = one_flow(kind="newreno")
    table["link"][1] |= {"jitter": {"kind": "exponential", "mean": "60 ms"}, "reorder": True}
    document = el.Scenario(table).run("quic", series=False).to_dict()
    assert lost_connections(document) == []
    assert document["flows"][0]["goodput_bps"] > 8e6


def test_a_flow_that_asks_for_a_transport_runs_where_that_is() -> None:
    table = one_flow(kind="fast", alpha="10 packets") | {"duration": "1 s", "warmup": "0 s"}
    documents = []
    for transport in (None, "quic", "tcp"):
        asked = {} if transport is None else {"transport": transport}
        scenario = el.Scenario(table | {"flow": [table["flow"][0] | asked]})
        assert scenario.run("theory").flows["packets_per_s"].iloc[0] > 0, "an equation has no transport"
        lacks = {"quic": "sim", "tcp": "quic"}.get(transport or "")
        if lacks is not None:
            with pytest.raises(el.InputError, match="asks for"):
                scenario.run(lacks)
        if transport != "tcp":
            documents.append(scenario.run("quic", series=False).to_dict())
    for document in documents:
        del document["cost"], document["scenario_sha256"]
    assert documents[0] == documents[1]


def test_a_run_repeats_in_another_process(installed: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "cubic.json"
    path.write_text(json.dumps(one_flow(kind="noq-cubic")))
    documents = [json.loads(installed("run", path, "--world", "quic", "--json").out) for _ in range(2)]
    for document in documents:
        del document["cost"]
    assert documents[0] == documents[1]
    assert documents[0]["world"] == "quic"
    assert documents[0]["approximations"] == []


# each with what it needs beside it
TCP_ONLY = {
    "ack_congestion_control": {"ack_congestion_control": True},
    "fast_retransmit": {"fast_retransmit": False, "sack": False},
    "frto": {"frto": True},
    "rto_every_ack": {"rto_every_ack": True},
    "limited_transmit": {"limited_transmit": False},
    "local": {"local": "cwr"},
    "min_rto": {"min_rto": "1 s"},
    "pacing": {"pacing": False},
    "pacing_gain": {"pacing_gain": {"avoidance": 1.5}, "pacing": True},
    "partial_ack_timer": {"partial_ack_timer": "slow-but-steady", "sack": False},
    "prr": {"prr": True},
    "quick_acks": {"quick_acks": 16, "ack_every": 2},
    "rack": {"rack": True},
    "receive_buffer": {"receive_buffer": "1 MB"},
    "sack": {"sack": False},
    "send_buffer": {"send_buffer": "1 MB"},
    "timestamp_clock": {"timestamp_clock": {"tick": "10 ms"}, "timestamps": True},
}


BYTE_COUNTING = "`byte_counting` is ignored: the stack's own controllers do not take it"


def test_options_of_tcp_are_honoured_or_listed() -> None:
    keys = json.loads(_core.schema())["$defs"]["Tcp"]["properties"]
    honoured = {"accurate_ecn", "ack_every", "ack_timer", "byte_counting", "ecn", "initial_window", "timestamps"}
    assert set(keys) - set(TCP_ONLY) == honoured
    table = one_flow(kind="newreno") | {"duration": "0.1 s", "warmup": "0 s"}
    for key, tcp in TCP_ONLY.items():
        notes = el.Scenario(table | {"flow": [table["flow"][0] | {"tcp": tcp}]}).run("quic").approximations
        said = "always paces" if key == "pacing" else f"`{key}"
        assert any(said in note for note in notes), (key, notes)


def test_accurate_feedback_is_what_quic_has() -> None:
    """One scenario serves DCTCP in worlds `sim` and `quic`: nothing is said of it, and marks are no losses."""
    table = one_flow(kind="dctcp") | {"duration": "5 s", "warmup": "1 s"}
    link, *others = table["link"]
    marking = link | {"queue": {"kind": "step", "limit": "200 packets", "threshold": "20 packets"}}
    flow = table["flow"][0] | {"packet": "1500 B", "header": "60 B", "tcp": {"accurate_ecn": True, "timestamps": True}}
    scenario = el.Scenario(table | {"link": [marking, *others], "flow": [flow]})
    notes = scenario.run("quic").approximations
    assert [note for note in notes if "accurate_ecn" in note or "timestamps" in note] == []
    assert remarks(scenario.to_dict(), "quic") == remarks(scenario.to_dict(), "sim") == []


def test_byte_counting_is_of_eddylines_controllers() -> None:
    def run(kind: str, **tcp: int) -> el.Result:
        table = one_flow(kind=kind) | {"duration": "2 s", "warmup": "0 s"}
        return el.Scenario(table | {"flow": [table["flow"][0] | {"tcp": {"ack_every": 8} | tcp}]}).run("quic")

    for kind in ("newreno", "noq-newreno", "noq-cubic"):
        plain, given = run(kind), run(kind, byte_counting=1)
        honoured = not plain.flows.equals(given.flows)
        noted = set(given.approximations) - set(plain.approximations)
        assert honoured == (kind == "newreno"), kind
        assert noted == (set() if honoured else {f"flow one: {BYTE_COUNTING}"}), kind


def test_strict_asks_for_what_the_file_says(eddyline: Callable[..., Any], tmp_path: Path) -> None:
    honoured, asked, refused = (tmp_path / f"{name}.json" for name in ("honoured", "asked", "refused"))
    plain = one_flow(kind="newreno") | {"duration": "1 s", "warmup": "0 s"}
    asked.write_text(json.dumps(plain))
    flow = {key: value for key, value in plain["flow"][0].items() if key not in ("packet", "ack_packet")}
    honoured.write_text(json.dumps(plain | {"flow": [flow]}))
    refused.write_text(json.dumps(plain | {"flow": [flow | {"ack_packet": "64 B"}]}))
    for file, code in ((honoured, 0), (asked, 0), (refused, 3)):
        assert eddyline("run", file, "--world", "quic", "--strict").code == code, file.name


def test_packets_have_the_sizes_that_are_known() -> None:
    lossless = one_flow(kind="fast", alpha="20 packets") | {"duration": "5 s", "warmup": "1 s"}
    run = el.Scenario(lossless).run("quic", log="one")
    received = run.log[run.log["event"] == "receive"]
    acks = received[received["packet"] == "ack"]["bytes"] - 40
    sent = run.log[run.log["event"] == "send"]
    for end in (("syn", "data", "fin"), ("syn-ack", "ack")):
        numbers = sent[sent["packet"].isin(end)]["seq"]
        assert list(numbers) == list(range(len(numbers)))
    assert not run.log["retransmission"].any()
    assert acks.median() in range(31, quic_packets.ACK + 1)
    data = int((sent["packet"] == "data").sum())
    assert data < 2**14
    assert acks.mean() == pytest.approx(quic_packets.acknowledgement(data), abs=0.5)
    flow = run.flows.iloc[0]
    overhead = (flow["throughput_bps"] - flow["goodput_bps"]) / 8 / flow["packets_per_s"] - 40
    assert quic_packets.OVERHEAD - 2 < overhead <= quic_packets.OVERHEAD


def test_acknowledgements_grow_with_the_numbers_of_packets() -> None:
    """From packet 2^14 on a number takes four bytes (RFC 9000, section 16)."""
    rates = {"link.*.rate": "20 Mbit/s", "flow.*.controller": {"kind": "fast", "alpha": "20 packets"}}
    run = el.Scenario(one_flow(kind="newreno") | {"duration": "16 s", "warmup": "1 s"}, set=rates).run(
        "quic", log="one"
    )
    sent = run.log[run.log["event"] == "send"]
    data, acks = (sent[sent["packet"] == kind] for kind in ("data", "ack"))
    assert len(data) > 1.5 * 2**14
    assert acks["bytes"].mean() - 40 == pytest.approx(quic_packets.acknowledgement(len(data)), abs=0.5)


@pytest.mark.parametrize("world", ["quic", "sim"])
@pytest.mark.parametrize("packet", ["1000 B", "1240 B", "1500 B"])  # a datagram has 1,200 B at least
def test_the_share_that_is_sent_again_is_that_of_the_packet_log(packet: str, world: str) -> None:
    """But for what is in flight at the end, 0.4 % of all."""
    table = one_flow(kind="newreno") | {"duration": "10 s", "warmup": "2 s"}
    table["flow"][0]["packet"] = packet
    table["link"][0]["queue"] = {"kind": "droptail", "limit": "6 packets"}
    run = el.Scenario(table).run(world, series=False, log="one")
    sent = run.log[(run.log["event"] == "send") & (run.log["packet"] == "data")]
    document = run.to_dict()
    share = document["flows"][0]["retransmits"] / len(sent)
    target = Target(("one",), (10e6,), 0.0, 1.0)
    assert MEASURES["resent"].take(target, run, document) == pytest.approx(share, rel=0.005)
    subject = Subject("newreno")
    assert BUFFERS.take(subject, {}, run).numbers["resent"] == pytest.approx(share, rel=0.005)


def test_the_stacks_controllers_are_of_this_world_alone(eddyline: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "newreno.json"
    path.write_text(json.dumps(one_flow(kind="noq-newreno")))
    assert eddyline("run", path, "--world", "quic").code == 0
    refused = eddyline("run", path, "--world", "sim", "--json")
    assert (refused.code, refused.out) == (2, "")
    assert "part of world quic" in refused.err
    assert "world quic has it" in refused.err


def test_series_and_packet_log() -> None:
    run = el.Scenario(one_flow(kind="copa")).run("quic", series=True, log="one")
    assert {"cwnd_packets", "rtt_s", "pacing_bps"} <= set(run.series.quantity)
    assert {"syn", "syn-ack", "data", "ack"} <= set(run.log.packet)


def test_what_the_stack_cannot_do_is_an_input_error() -> None:
    scenario = one_flow(kind="fast", alpha="20 packets", ack_alpha="5 packets")
    with pytest.raises(el.InputError, match="ack_alpha"):
        el.Scenario(scenario).run("quic")


def test_lost_connections_fail_what_they_were_to_show(eddyline: Callable[..., Any], tmp_path: Path) -> None:
    """The first loss of a window of thousands of packets is more than the stack's receiver keeps apart."""
    links = [{"name": n, "rate": "500 Mbit/s", "delay": "40 ms"} for n in ("there", "back")]
    links[0] |= {"queue": {"kind": "droptail", "limit": "5 MB"}, "loss": {"kind": "periodic", "every": 10_000}}
    flow = {"name": "p", "controller": {"kind": "newreno"}, "data": ["there"], "ack": ["back"]}
    expected = {"of": "flow.p", "what": "window_packets.mean", "at_least": 100, "world": "quic"}
    table = {"duration": "3 s", "link": links, "flow": [flow], "expect": [expected]}
    (tmp_path / "lost.json").write_text(json.dumps(table))
    ran = eddyline("check", "lost.json", "--junit", "report.xml")
    assert ran.code == 1
    for text in (ran.err, (tmp_path / "report.xml").read_text()):
        assert "flow p: the connection was lost" in text
    judged = el.evaluate("newreno", world="quic", only=["response"], quick=True)
    (failure,) = judged.failures
    assert (failure.point["loss"], "the connection was lost" in failure.error) == (1e-4, True)


def test_known_differences_are_of_transfers_that_arrive_too() -> None:
    scenario = el.Scenario(
        {
            "duration": "5 s",
            "warmup": "1 s",
            "link": [{"name": n, "rate": "24 Mbit/s", "delay": "20 ms"} for n in "fb"],
            "arrivals": [
                {
                    "name": "many",
                    "rate": "5 /s",
                    "size": {"kind": "fixed", "size": "200 kB"},
                    "controller": {"kind": "cubic"},
                    "data": ["f"],
                    "ack": ["b"],
                    "packet": "1000 B",
                }
            ],
        }
    )
    result = scenario.run("quic")
    found = {known.name: overrides for known, overrides in of_world(scenario.to_dict(), result.to_dict())}
    # a datagram has 1,200 bytes at least
    sizes = {"packet": "1240 B", "header": "73 B", "ack_packet": "73 B"}
    assert found["packet sizes"] == {f'arrivals."many".{key}': size for key, size in sizes.items()}
    assert {"pacing", "byte counting", "loss detection", "timeouts"} <= set(found)
    (back,) = (link["utilisation"] for link in result.to_dict()["links"] if link["name"] == "b")
    plain, sized = (
        el.Scenario(scenario.to_dict(), set=each).run(series=False).to_dict()["links"][1]["utilisation"]
        for each in ({}, found["packet sizes"])
    )
    assert plain < 0.7 * back
    assert sized == pytest.approx(back, rel=0.1)
