"""What `measure` finds of links: buffers, framing, flow queueing, rates that vary, policers."""

from __future__ import annotations

import random
import tomllib
from collections import deque
from typing import Any

import pytest

import eddyline as el
from eddyline.framing import FRAMINGS
from eddyline.measurement.client import _Client, _Filled, _HeldBack
from eddyline.measurement.datagrams import SPARSE, Arrival, Phase
from eddyline.measurement.link import FIFO, FLOWS, MANAGED, Direction, Measurement, buffer, burst_b, loaded_waits_s
from eddyline.measurement.variation import Light


class _Line:
    """A line of 1 Mbit/s with room for 60 packets, whose sender holds so many, and waits while they are unsent.

    Packets of the sparse flow wait the share `shared` of what the others wait.
    """

    room = 60

    def __init__(self, held: float, shared: float = 1.0) -> None:
        self.held, self.shared = held, shared

    def packets(
        self, down: bool, phases: list[Phase], size: int, idle_s: float, sparse_s: float | None = None
    ) -> tuple[list[Arrival], int]:
        assert not down
        assert idle_s > 0
        packet_s, free, now, number, found = 8 * size / 1e6, 0.0, 0.0, 0, []
        for phase, each in enumerate(phases):
            began = now
            for n in range(max(1, round(each.seconds * each.rate_bps / (8 * size)))):
                now = max(began + n * 8 * size / each.rate_bps, now, free - self.held * packet_s)
                number += 1
                if free - now > self.room * packet_s:
                    continue
                free = max(now, free) + packet_s
                found.append(Arrival(phase, number - 1, int(1e9 * now), int(1e9 * free)))
                if sparse_s is not None and number % round(sparse_s / packet_s) == 0:
                    waits = self.shared * (free - now)
                    found.append(Arrival(SPARSE + phase, number, int(1e9 * now), int(1e9 * (now + waits))))
        return found, number


@pytest.mark.parametrize(("held", "known"), [(40.0, False), (1e6, True)])
def test_a_sender_that_is_held_back_states_no_buffer(held: float, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    client = _Client.__new__(_Client)
    client.report, client.long_b = said.append, 1500
    monkeypatch.setattr(client, "packets", _Line(held).packets)
    monkeypatch.setattr(client, "_rate", lambda _down, _rtt_s: (1e6, 1500.0, []))
    found = client.direction(False, 0.02)
    assert (found.limit is None) is not known
    assert any("behind its schedule" in line for line in said) is not known
    text = Measurement(0.02, found, found).scenario()
    assert ("# The buffer could not be measured: the sender was" in text) is not known
    limit = el.Scenario(tomllib.loads(text)).to_dict()["link"][0]["queue"]["limit"]
    assert (limit == "unlimited") is not known


@pytest.mark.parametrize(
    ("shared", "queue", "written"), [(0.02, FLOWS, "fq_codel"), (1.0, FIFO, "droptail"), (0.8, FIFO, "droptail")]
)
def test_a_sparse_flow_tells_flow_queueing_from_a_fifo(
    shared: float, queue: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = _Client.__new__(_Client)
    said: list[str] = []
    client.report, client.long_b = said.append, 1500
    monkeypatch.setattr(client, "packets", _Line(1e6, shared).packets)
    monkeypatch.setattr(client, "_rate", lambda _down, _rtt_s: (1e6, 1500.0, []))
    found = client.direction(False, 0.02)
    assert found.queue == queue
    assert any("it is no FIFO" in line for line in said) is (queue == FLOWS)
    text = Measurement(0.02, found, found).scenario()
    assert el.Scenario(tomllib.loads(text)).to_dict()["link"][0]["queue"]["kind"] == written
    assert ("# The queue is no FIFO: a second flow that sends little waits" in text) is (queue == FLOWS)


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_codel_that_has_shortened_the_queue_is_told_by_the_first_half_of_the_load(share: float) -> None:
    """The filling flow waits 40 ms at first and 20 ms, less than four packets of 6 ms, from the middle on."""

    def arrivals(flow: int, waits: list[float], share: float) -> list[Arrival]:
        phases = [(0, 0.0)] * 20 + [(1, wait) for wait in waits] + [(2, waits[-1])] * len(waits)
        sent = [int(1e9 * n * 0.5 / len(waits)) for n in range(len(phases))]
        return [
            Arrival(flow + phase, n, at, at + 10_000_000 + int(1e9 * share * wait))
            for n, ((phase, wait), at) in enumerate(zip(phases, sent, strict=True))
        ]

    filling = arrivals(0, [0.04] * 40 + [0.02] * 40, 1.0)
    sparse = arrivals(SPARSE, [0.04] * 4 + [0.02] * 4, share)
    assert loaded_waits_s(filling + sparse, 0.006) == (pytest.approx(0.04 * share), pytest.approx(0.04))
    assert loaded_waits_s(filling + sparse, 0.004) == (pytest.approx(0.02 * share), pytest.approx(0.02))
    # too little waits in either half, or too few of the sparse flow arrived
    assert loaded_waits_s(filling + sparse, 0.011) == (None, pytest.approx(0.02))
    assert loaded_waits_s(filling + sparse[:22], 0.006) == (None, pytest.approx(0.02))


def test_a_pause_of_the_receiver_makes_no_fair_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """What arrives in an eighth of the time that fills the buffer is received at its end."""
    line = _Line(4.0)

    def packets(*words: Any) -> tuple[list[Arrival], int]:
        found, number = line.packets(*words)
        filling = [a.received_ns for a in found if a.phase == 1]
        end = filling[-1] - 12_000_000
        begin = end - (filling[-1] - filling[0]) // 8
        paused = {a for a in found if begin <= a.received_ns < end}
        return [a._replace(received_ns=end) if a in paused else a for a in found], number

    client = _Client.__new__(_Client)
    client.report, client.long_b = lambda _: None, 1500
    monkeypatch.setattr(client, "packets", packets)
    sparse, waited, _ = client._sparse(False, 1e6, 0.2, 0.02)
    assert sparse == pytest.approx(waited, rel=0.15)


def test_a_queue_that_is_not_known_to_be_a_fifo_is_said_to_be_none() -> None:
    managed = Direction(1e6, None, 50_000.0, 0.4, "", queue=MANAGED)
    unknown = Direction(1e6, "packets", 20.0, 0.24, "")
    text = Measurement(0.02, managed, unknown).scenario()
    assert "# The queue was not found to be a FIFO: how long packets wait depends on the load" in text
    assert "# Whether the queue is a FIFO, or serves flows by themselves, could not be told." in text
    assert el.Scenario(tomllib.loads(text))


@pytest.mark.parametrize(
    ("framing", "rate", "unit", "limit"),
    [
        (None, 10e6, "packets", 128),
        ("pppoe-ptm", 10e6, "packets", 128),
        ("pppoe-llcsnap", 8e6, "packets", 60),
        ("pppoe-llcsnap", 1e6, "bytes", 40_000),
        ("pppoa-vcmux", 10e6, "cells", 1500),
    ],
)
def test_the_unit_of_a_buffer_behind_framing(framing: str | None, rate: float, unit: str, limit: int) -> None:
    """Short packets leave more slowly, in bytes of IP: by the rate of long ones cells would be bytes."""

    def line_bytes(size: int) -> int:
        return size if framing is None else FRAMINGS[framing].line_bytes(size)

    def waited(size: int) -> float:
        holds = {"packets": limit, "bytes": limit // size, "cells": limit // -(-(size + 10) // 48)}[unit]
        return holds * 8 * line_bytes(size) / rate

    full_rate, short_rate = (rate * size / line_bytes(size) for size in (1500, 128))
    long = waited(1500)
    found, size, full, why = buffer(full_rate, (128, waited(128), short_rate), (1500, long, long))
    assert found == unit, why
    assert size == pytest.approx(limit, rel=0.03)
    assert full == long
    way = Direction(full_rate, found, size, full, why, short_rate_bps=short_rate)
    text = Measurement(0.02, way, way).scenario()
    assert ("the line has framing" in text) is (framing is not None)
    el.Scenario(tomllib.loads(text))


class _VaryingLine:
    """A line with room for 60 full packets whose rate is each of some for a time, in turn, from one call to the next.

    It loses packets at random. Every so many seconds the receiver is away for 100 ms, and receives late.
    """

    def __init__(self, rates: list[float], seconds: float, lost: float = 0.0, away_s: float = 1e9) -> None:
        self.rates, self.seconds, self.lost, self.away_s, self.now = rates, seconds, lost, away_s, 0.0
        self.random = random.Random(1)

    def _left(self, begin: float, bits: float) -> float:
        """When a packet that begins to leave has left."""
        while True:
            rate = self.rates[int(begin / self.seconds) % len(self.rates)]
            end = (int(begin / self.seconds) + 1) * self.seconds
            if begin + bits / rate <= end:
                return begin + bits / rate
            begin, bits = end + 1e-9, bits - rate * (end - begin)

    def _received(self, at: float) -> float:
        return at + max(0.0, 0.1 - at % self.away_s) if self.away_s < 1e9 else at

    def packets(
        self, down: bool, phases: list[Phase], size: int, idle_s: float, sparse_s: float | None = None
    ) -> tuple[list[Arrival], int]:
        assert down
        free, number, found, waiting = self.now, 0, [], deque[float]()
        for phase, each in enumerate(phases):
            interval = 8 * size / each.rate_bps
            began = self.now
            for n in range(max(1, round(each.seconds / interval))):
                self.now = began + n * interval
                while waiting and waiting[0] <= self.now:
                    waiting.popleft()
                if len(waiting) < 60:
                    free = self._left(max(free, self.now), 8 * size)
                    waiting.append(free)
                    times = int(1e9 * self.now), int(1e9 * self._received(free))
                    if self.random.random() >= self.lost:
                        found.append(Arrival(phase, number, *times))
                    if sparse_s is not None and number % 10 == 0:
                        found.append(Arrival(SPARSE + phase, number, *times))
                number += 1
        self.now = max(self.now, free) + idle_s
        return found, number


def _measured(line: _VaryingLine, monkeypatch: pytest.MonkeyPatch) -> tuple[Direction, list[str]]:
    client = _Client.__new__(_Client)
    lines: list[str] = []
    client.report, client.long_b = lines.append, 1500
    monkeypatch.setattr(client, "packets", line.packets)
    return client.direction(True, 0.02), lines


@pytest.mark.parametrize(
    ("rates", "seconds", "mean"),
    [
        ([1.4e6, 0.6e6], 0.3, 1e6),
        ([1.15e6, 0.85e6], 0.7, 1e6),
        ([1.4e6, 0.6e6], 2.0, 1e6),
        ([18e6, 2e6], 1.0, 10e6),
        ([10e6, 10e6, 2e6], 1.0, 7.33e6),
        ([2e6, 8e6, 20e6, 4e6, 12e6], 3.0, 9.2e6),
        ([1e6, 20e6, 20e6, 20e6], 5.0, 15.25e6),
    ],
)
def test_a_rate_that_varies_is_said_and_nothing_that_needs_one(
    rates: list[float], seconds: float, mean: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, lines = _measured(_VaryingLine(rates, seconds), monkeypatch)
    assert any("the rate varies, half of the time between" in line for line in lines)
    assert not any("the line has framing" in line or "by the load" in line for line in lines), lines
    text = " ".join(Measurement(0.02, found, found).scenario().replace("#", "").split())
    assert "The rate varied while it was measured" in text
    assert "whether it is managed, as by CoDel or PIE, could not be told" in text
    assert (found.queue, found.unit, found.short_rate_bps) == (None, None, None)
    assert found.rate_range_bps is not None
    low, high = found.rate_range_bps
    assert min(rates) * 0.99 <= low < high <= max(rates) * 1.01
    # some 7 s of it are seen, and less of fast times, in which the buffer may be empty
    assert found.rate_bps == pytest.approx(mean, rel=0.3 if seconds <= 1 else 0.5)


@pytest.mark.parametrize("rate", [64e3, 0.3e6, 1e6, 10e6])
@pytest.mark.parametrize(("lost", "away_s"), [(0.0, 1e9), (0.0, 1.7), (0.02, 1e9), (0.03, 1e9)])
def test_losses_and_a_receiver_that_is_late_make_no_rate_vary(
    rate: float, lost: float, away_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, lines = _measured(_VaryingLine([rate], 1.0, lost, away_s), monkeypatch)
    assert found.rate_range_bps is None, lines
    assert found.rate_bps == pytest.approx(rate * (1 - lost), rel=0.05)
    assert found.queue == FIFO, lines
    if not lost and away_s == 1e9:
        assert (found.unit, found.limit) == ("packets", pytest.approx(60, abs=2))


def test_a_rate_that_could_not_be_measured_is_no_framing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of fewer than three packets no rate can be told."""
    client = _Client.__new__(_Client)
    said: list[str] = []
    client.report, client.long_b = said.append, 1500
    monkeypatch.setattr(client, "_rate", lambda _down, _rtt_s: (1e6, 1500.0, []))
    rates = iter([1e6, 0.0])
    monkeypatch.setattr(client, "_full", lambda *_: _Filled(0.1, 0.1, 1.0, next(rates), [], Light(0, 0)))
    found = client._buffer(False, 0.02).found
    assert (found.short_rate_bps, found.framed) == (None, None)
    assert not any("framing" in each for each in said)


@pytest.mark.parametrize(("second", "framed"), [(1e6, None), (0.8e6, 0.8), (0.6e6, 0.7), (0.0, None), (None, None)])
def test_framing_is_found_twice(monkeypatch: pytest.MonkeyPatch, second: float | None, framed: float | None) -> None:
    client = _Client.__new__(_Client)
    client.report, client.long_b = lambda _: None, 1500
    monkeypatch.setattr(client, "_rate", lambda _down, _rtt_s: (1e6, 1500.0, []))
    rates = iter([1e6, 0.7e6, second])

    def full(*_: Any) -> _Filled:
        if (rate := next(rates)) is None:
            raise _HeldBack
        return _Filled(0.1, 0.1, 1.0, rate, [], Light(0, 0))

    monkeypatch.setattr(client, "_full", full)
    assert client._buffer(False, 0.02).found.framed == framed


def test_short_packets_are_shorter_than_full_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    client = _Client.__new__(_Client)
    client.report, client.long_b = lambda _: None, 576
    monkeypatch.setattr(
        client, "_rate", lambda _down, _rtt_s: (45e6, 576.0, [])
    )  # where 1024 B would be the short size
    sizes: list[int] = []
    monkeypatch.setattr(
        client, "_full", lambda _d, rate, size, *_: sizes.append(size) or _Filled(0.1, 0.1, 1.0, rate, [], Light(0, 0))
    )
    client._buffer(False, 0.02)
    assert max(sizes) == 576
    assert sizes.count(576) == 1


@pytest.mark.parametrize(("waited", "full"), [(-3e-5, 2e-5), (2e-5, -1e-5), (1e-4, 1e-4)])
def test_where_nothing_waits_there_is_no_buffer(waited: float, full: float) -> None:
    """A policer drops at once; noise makes the waits a little more than nothing, or less. The measurement goes on."""
    unit, limit, kept, why = buffer(5e6, (128, waited, 5e6), (1500, full, full))
    assert (unit, limit) == (None, 1500)
    assert kept == max(0.0, full)
    assert "as by a policer" in why
    way = Direction(5e6, unit, limit, kept, why)
    text = Measurement(0.02, way, way).scenario()
    assert "as by a policer" in " ".join(text.replace("#", "").split())
    el.Scenario(tomllib.loads(text)).run(series=False)


def test_a_policer_is_written_with_its_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    """An overload of twice the rate: a token bucket of 30 kB passes its burst at once, then every second packet."""
    rate, burst, tokens, arrivals = 3e6, 30_000.0, 30_000.0, []
    for number in range(1000):
        now = number * 0.002
        tokens = min(burst, tokens + (rate / 8 * 0.002 if number else 0.0))
        if tokens >= 1500:
            tokens -= 1500
            arrivals.append(Arrival(0, number, int(1e9 * now), int(1e9 * now) + 10_000_000))
    assert burst_b(arrivals, 1500, 0, rate) == pytest.approx(burst, abs=2 * 1500)
    client = _Client.__new__(_Client)
    said: list[str | None] = []
    client.report, client.long_b = lambda _: None, 1500
    monkeypatch.setattr(client, "_full", lambda *_: _Filled(0.0, 1e-4, 1.0, rate, [], Light(0, 0)))
    for passed, policed in ((burst, True), (2900.0, False)):
        monkeypatch.setattr(client, "_rate", lambda _down, _rtt_s, passed=passed: (rate, passed, []))
        measured = client._buffer(False, 0.02)
        assert measured.found.burst_b == (passed if policed else None)
        said.append(measured.said)
    assert "no buffer, a burst of 30000 bytes: nothing waits" in str(said[0])
    monkeypatch.setattr(client, "_rate", lambda _down, _rtt_s: (rate, burst, []))
    way = client._buffer(False, 0.02).found
    wide = Direction(10e6, "packets", 100.0, 0.12, "", queue=FIFO)
    scenario = el.Scenario(tomllib.loads(Measurement(0.01, wide, way).scenario()))
    assert scenario.to_dict()["link"][1]["policer"] == {"rate": "3 Mbit/s", "burst": "30 kB"}
    (upload,) = scenario.run(set={"flow.download.count": 0}, series=False).to_dict()["flows"]
    # a queue of one packet in its place has less than half of the rate
    assert upload["goodput_bps"] > 0.9 * rate


def test_the_file_has_the_packets_of_the_path() -> None:
    way = Direction(1e6, "packets", 20.0, 0.24, "", queue=FIFO)
    for size in (1500, 1492):
        flows = el.Scenario(tomllib.loads(Measurement(0.02, way, way, packet_bytes=size).scenario())).to_dict()["flow"]
        assert {flow["packet"] for flow in flows} == {f"{size} B"}
