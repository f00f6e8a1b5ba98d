"""The events that a controller receives, and that its window and rate take effect."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eddyline as el

from .conftest import ROOT, Fixed

# Payload of one packet in bits: 1500 bytes less 40 of header.
PACKET_BITS = 1460 * 8


def test_a_window_is_kept(one_flow):
    el.register("fixed", Fixed)
    flow = one_flow({"kind": "fixed", "window": 7}, tcp={"initial_window": 7}).run().flows.iloc[0]
    assert (flow["window_packets.min"], flow["window_packets.max"]) == (7, 7)
    # 40 ms and two transmission times, the ACK's too; in the first round trip seven at once wait for each other
    rtt = 0.04 + 1500 * 8 / 10e6 + 40 * 8 / 10e6
    assert flow["rtt_s.mean"] == pytest.approx(rtt, rel=1e-3)
    # the handshake and the first round trip take their part of the 5 s
    assert flow["goodput_bps"] == pytest.approx(7 * PACKET_BITS / rtt, rel=0.03)


def test_a_pacing_rate_is_kept(one_flow):
    class Paced(Fixed):
        pacing_rate = 100.0

    el.register("paced", Paced)
    result = one_flow({"kind": "paced", "window": 1000}).run(log=True)
    sent = result.log.query("event == 'send' and packet == 'data'")["time_s"].to_numpy()
    # the first two leave together: a sender makes up for up to one interval
    assert np.diff(sent)[1:] == pytest.approx(np.full(len(sent) - 2, 0.01), abs=1e-9)


def test_a_rate_below_the_window_is_what_limits(one_flow):
    """Though all of the data left would fit into the window."""

    class Raised(Fixed):
        pacing_rate = 100.0

        def on_round(self, round_: el.Round) -> None:
            if round_.cwnd_limited and self.pacing_rate < 500.0:
                self.pacing_rate *= 1.25

    el.register("raised", Raised)
    flow = one_flow({"kind": "raised", "window": 1000}, size="500 kB").run().flows.iloc[0]
    # 343 packets take 3.4 s at the first rate; within eight round trips it is five times as much
    assert flow["completed_at_s"] < 2.0


def test_events_say_what_happened(one_flow):
    received: list[Any] = []

    class Ear(Fixed):
        def on_handshake(self, now: float, rtt: float) -> None:
            received.append(("handshake", now, rtt))

        def on_sent(self, sent: el.Sent) -> float:
            received.append(sent)
            return sent.now

        def on_ack(self, ack: el.Ack) -> None:
            received.append(ack)

        def on_round(self, round: el.Round) -> None:
            received.append(round)

        def on_loss(self, loss: el.Loss) -> None:
            received.append(loss)

    el.register("ear", Ear)
    result = one_flow({"kind": "ear", "window": 12}, loss=0.002, seconds=10).run(log=True)
    what, now, rtt = received[0]
    # a SYN and a SYN-ACK of 40 bytes each
    assert (what, rtt) == ("handshake", pytest.approx(0.04 + 2 * 40 * 8 / 10e6, rel=1e-9))
    assert now == rtt
    acks = [e for e in received if isinstance(e, el.Ack)]
    sent = [e for e in received if isinstance(e, el.Sent)]
    losses = [e for e in received if isinstance(e, el.Loss)]
    rounds = [e for e in received if isinstance(e, el.Round)]
    log = result.log
    assert len(sent) == len(log.query("event == 'send' and packet == 'data'"))
    assert max(s.in_flight for s in sent) == 12
    assert 5 < len(losses) <= result.flows["retransmits"].iloc[0]
    assert sum(a.lost for a in acks) == pytest.approx(result.flows["retransmits"].iloc[0])
    delivered = log.query("event == 'receive' and packet == 'data' and not retransmission")
    assert sum(a.acked for a in acks) == pytest.approx(len(delivered), abs=25)
    for ack in acks:
        assert ack.sent_at < ack.received_at < ack.now
        assert ack.rtt is None or ack.rtt == pytest.approx(ack.now - ack.sent_at, abs=1e-12)
        # a stamp is kept in single precision
        assert ack.stamp == pytest.approx(ack.sent_at, rel=1e-6)
        assert ack.received_at - ack.sent_at >= 0.02 + 1500 * 8 / 10e6 - 1e-12
    assert any(a.in_recovery for a in acks)
    # the rounds are the acknowledgements, put together
    whole = [a for a in acks if a.now <= rounds[-1].now]
    assert sum(r.acks for r in rounds) == len(whole)
    assert sum(r.acked for r in rounds) == pytest.approx(sum(a.acked for a in whole))
    assert sum(r.losses for r in rounds) in (len(losses), len(losses) - 1)
    first = [a for a in acks if a.now <= rounds[1].now][rounds[0].acks :]
    samples = [a.rtt for a in first if a.rtt is not None]
    assert rounds[1].mean_rtt == pytest.approx(sum(samples) / len(samples), abs=1e-11)
    assert (rounds[1].min_rtt, rounds[1].first_rtt, rounds[1].last_rtt) == (min(samples), samples[0], samples[-1])
    assert rounds[1].forward_delay == pytest.approx(
        sum(a.received_at - a.sent_at for a in first) / len(first), abs=1e-11
    )
    assert rounds[1].reverse_delay == pytest.approx(sum(a.now - a.received_at for a in first) / len(first), abs=1e-11)
    # one a round trip of 41 ms, a few longer where a loss took time
    assert 10 / 0.0412 * 0.8 < len(rounds) <= 10 / 0.0412


def test_a_window_law_may_run_once_a_round_trip(one_flow):
    """FAST's law in six lines: the queue is alpha packets."""

    class Six:
        def __init__(self, path: el.PathFacts, alpha: el.Packets = 8.0) -> None:
            self.cwnd, self.alpha, self.base_rtt = path.initial_window, alpha, math.inf

        def on_handshake(self, now: float, rtt: float) -> None:
            self.base_rtt = rtt

        def on_round(self, round: el.Round) -> None:
            if round.mean_rtt is not None:
                self.base_rtt = min(self.base_rtt, round.min_rtt)
                self.cwnd = 0.5 * self.cwnd + 0.5 * (self.cwnd * self.base_rtt / round.mean_rtt + self.alpha)

        def on_loss(self, loss: el.Loss) -> None:
            self.cwnd = max(self.cwnd / 2, 1.0)

        on_timeout = on_loss

    el.register("six", Six)
    with pytest.raises(el.ControllerError, match="base_rtt = inf"):
        one_flow({"kind": "six"}).run()

    class Seven(Six):
        def __init__(self, path: el.PathFacts, alpha: el.Packets = 8.0) -> None:
            super().__init__(path, alpha)
            self.base_rtt = 1e3

    el.register("seven", Seven)
    result = one_flow({"kind": "seven", "alpha": "10 packets"}, seconds=20).run()
    flow, link = result.flows.iloc[0], result.links.iloc[0]
    assert flow["retransmits"] == 0
    # alpha packets wait or are in transmission, except for the effect of the handshake's small packets
    assert link["queue_packets.mean"] == pytest.approx(10 - 1, abs=0.6)
    assert link["utilisation"] > 0.98


def test_without_a_handler_a_mark_is_handled_as_a_loss(one_flow):
    received = []

    class Deaf(Fixed):
        def on_loss(self, loss: el.Loss) -> None:
            received.append(loss.now)

    class Keen(Deaf):
        def on_ecn(self, mark: el.Loss) -> None:
            received.append(-mark.now)

    for cls in (Deaf, Keen):
        el.register("marked", cls)
        table = one_flow({"kind": "marked", "window": 60}, tcp={"ecn": True}).to_dict()
        table["link"][0]["queue"] = {"kind": "codel", "limit": "1000 packets", "ecn": True}
        received.clear()
        el.Scenario(table).run()
        assert len(received) > 5
        assert all(t < 0 for t in received) == (cls is Keen)


def test_tcp_handles_idle_periods_unless_the_controller_does(one_flow):
    def windows(kind: str) -> tuple[float, float]:
        bursts = {"application": {"kind": "bursts", "bytes": "100 kB", "every": "2 s"}}
        table = one_flow({"kind": kind, "window": 20}, **bursts).to_dict()
        flow = el.Scenario({**table, "warmup": "1 s"}).run().flows.iloc[0]
        return flow["window_packets.min"], flow["window_packets.max"]

    el.register("fixed", Fixed)
    assert windows("fixed") == (10, 20)

    class Awake(Fixed):
        def on_idle(self, restart_window: float) -> None:
            assert restart_window == 10

    el.register("awake", Awake)
    assert windows("awake") == (20, 20)


def test_new_data_is_reported_before_the_idle_restart(one_flow):
    received: list[float | str] = []

    class Waiting(Fixed):
        def on_data(self, now: float) -> None:
            received.append(now)

        def on_idle(self, restart_window: float) -> None:
            received.append("idle")

        def on_sent(self, sent: el.Sent) -> None:
            if received and received[-1] != "sent":
                received.append("sent")

    el.register("waiting", Waiting)
    bursts = {"application": {"kind": "bursts", "bytes": "100 kB", "every": "2 s"}}
    table = {**one_flow({"kind": "waiting", "window": 20}, **bursts).to_dict(), "duration": "7 s"}
    el.Scenario(table).run()
    assert received == [each for n in (2.0, 4.0, 6.0) for each in (n, "idle", "sent")]
    # the end of the flow gives none
    received.clear()
    el.Scenario(table, set={"flow.*.stop": "5 s"}).run()
    assert [each for each in received if isinstance(each, float)] == [2.0, 4.0]


@pytest.mark.parametrize("world", ["sim", "quic"])
def test_the_pacing_rate_holds_back_as_the_window_does(one_flow, world):
    sent: list[el.Sent] = []

    class Paced(Fixed):
        pacing_rate = 500.0

        def on_sent(self, packet: el.Sent) -> float:
            sent.append(packet)
            return 0.0

    el.register("paced", Paced)
    # 14 or 15 packets each: never a full window
    bursts = {"kind": "bursts", "bytes": "20 kB", "every": "1 s"}
    one_flow({"kind": "paced", "window": 40}, application=bursts).run(world=world)
    burst = [packet for packet in sent if 2 <= packet.now < 3]
    assert len(burst) in (14, 15)
    assert all(packet.in_flight < 40 for packet in burst)
    # after a pause TCP makes up for one interval, the QUIC stack's pacer for 10 ms
    at_once = sum(packet.now == burst[0].now for packet in burst)
    assert at_once == {"sim": 2, "quic": 5}[world]
    assert [packet.cwnd_limited for packet in burst] == [False] * at_once + [True] * (len(burst) - at_once)


EVENTS = {
    "path": el.PathFacts,
    "ack": el.Ack,
    "round": el.Round,
    "loss": el.Loss,
    "timeout": el.Timeout,
    "sent": el.Sent,
}


def _declared(name: str) -> dict[str, bool]:
    """The fields of a class in the stubs, and which of them can be None."""
    stubs = ast.parse((Path(el.__file__).parent / "_core.pyi").read_text("utf-8"))
    (found,) = [each for each in stubs.body if isinstance(each, ast.ClassDef) and each.name == name]
    fields = [each for each in found.body if isinstance(each, ast.AnnAssign)]
    return {ast.unparse(each.target): "| None" in ast.unparse(each.annotation) for each in fields}


@pytest.mark.parametrize("called", EVENTS)
def test_every_field_says_what_it_is_and_where_it_is_none(called):
    event = EVENTS[called]
    fields = _declared(event.__name__)
    assert set(fields) == {name for name in dir(event) if not name.startswith("_")}
    guide = (ROOT / "docs" / "guides" / "your-own-controller.md").read_text("utf-8")
    (table,) = re.findall(r"^#### What can be None$(.*?)^A handler", guide, re.MULTILINE | re.DOTALL)
    for name, may_be_none in fields.items():
        told = getattr(event, name).__doc__
        assert told, name
        assert ("None if" in told or "None w" in told or "None for" in told) == may_be_none, (name, told)
        assert (f"`{called}.{name}`" in table) == may_be_none, name


@pytest.mark.parametrize(("timestamps", "reason"), [(False, "retransmission"), (True, "SACK only")])
def test_no_sample_is_none(one_flow, timestamps, reason):
    acks: list[el.Ack] = []
    rounds: list[el.Round] = []

    class Ear(Fixed):
        def on_ack(self, ack: el.Ack) -> None:
            acks.append(ack)

        def on_round(self, round: el.Round) -> None:
            rounds.append(round)

    el.register("ear", Ear)
    one_flow({"kind": "ear", "window": 12}, loss=0.02, seconds=10, tcp={"timestamps": timestamps}).run()
    without = [a for a in acks if a.rtt is None]
    assert 0 < len(without) < len(acks), reason
    if timestamps:  # the hole is open as long as SACK alone acknowledges
        assert all(a.in_recovery or a.lost == 0 for a in without)
    for each in rounds:
        samples = {each.first_rtt is None, each.last_rtt is None, each.min_rtt is None, each.mean_rtt is None}
        assert len(samples) == 1
        assert each.forward_delay is not None
        assert each.reverse_delay is not None


def test_losses_that_a_timer_finds_are_told(one_flow):
    """RACK waits a while where few segments arrived above a hole; then its timer finds the loss."""
    acks: list[el.Ack] = []
    losses: list[float] = []
    rounds: list[el.Round] = []

    class Ear(Fixed):
        def on_ack(self, ack: el.Ack) -> None:
            acks.append(ack)

        def on_loss(self, loss: el.Loss) -> None:
            losses.append(loss.now)

        def on_round(self, round: el.Round) -> None:
            rounds.append(round)

    el.register("ear", Ear)
    result = one_flow({"kind": "ear", "window": 6}, loss=0.02, seconds=20, tcp={"rack": True}).run()
    by_timer = set(losses) - {a.now for a in acks}
    assert len(by_timer) > 5
    assert result.flows["timeouts"].iloc[0] == 0
    assert sum(a.lost for a in acks) == result.links["lost"].iloc[0] == result.flows["retransmits"].iloc[0]
    assert sum(r.lost for r in rounds) == pytest.approx(sum(a.lost for a in acks), abs=2)  # the last round is not over


def test_acknowledgements_behind_a_gap_are_no_delay_of_the_return_path(one_flow):
    """With timestamps each echoes the packet below the gap, which has arrived long before (RFC 7323, 4.3)."""
    rounds: list[el.Round] = []
    waits: list[float] = []

    class Ear(Fixed):
        def on_ack(self, ack: el.Ack) -> None:
            waits.append(ack.now - ack.received_at)

        def on_round(self, round: el.Round) -> None:
            rounds.append(round)

    el.register("ear", Ear)
    one_flow({"kind": "ear", "window": 12}, loss=0.02, seconds=10, tcp={"timestamps": True}).run()
    assert max(waits) > 0.05
    # 20 ms and 40 bytes at 10 Mbit/s; nothing waits there
    delays = [r.reverse_delay for r in rounds]
    assert delays == pytest.approx([0.02 + 40 * 8 / 10e6] * len(rounds), rel=0.05)
