"""aioquic as an independent witness: a second foreign stack, in Python, over links that share no code with ours.

Both worlds run the same scenario with the same packet sizes. Where a rule differs it is switched to the other's:
aioquic's HyStart is off, its packets are full ones, and it acknowledges each packet as the scenario says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import eddyline as el

pytest.importorskip("aioquic", reason="aioquic is not installed (.venv/bin/pip install aioquic==1.7.2)")

from .comparison import AS_IT_IS, SWITCHED, Row, aioquic, world_quic
from .controllers import CubicOfTheRfc, Fast, WholeDatagrams
from .second_stack import Outcome, run

SCENARIOS = Path(__file__).parent / "scenarios"
BULK = ["buffer-10", "buffer-40", "loss-500"]


def bulk(name: str) -> el.Scenario:
    return el.Scenario.load(SCENARIOS / f"{name}.toml")


@pytest.fixture(scope="module")
def by_noq() -> dict[tuple[str, str], Row]:
    kinds = ["noq-newreno", "newreno", "noq-cubic", "cubic"]
    return {(name, kind): world_quic(bulk(name), kind) for name in BULK for kind in kinds}


def agree(got: Row, want: Row, within: float) -> None:
    assert got.goodput_bps == pytest.approx(want.goodput_bps, rel=within)
    assert got.window_packets == pytest.approx(want.window_packets, rel=within)
    assert got.rtt_s == pytest.approx(want.rtt_s, rel=within)


@pytest.mark.parametrize("name", BULK)
def test_newreno_of_two_stacks_and_ours(name: str, by_noq: dict[tuple[str, str], Row]) -> None:
    """Within 1 %: the window of 20 s cuts the saw-tooth, of some 2.5 s, at another phase.

    Drops differ by those of a few teeth, as a burst may lose two packets where another loses one.
    """
    got = aioquic(bulk(name), SWITCHED["newreno"])
    for kind in ("noq-newreno", "newreno"):
        want = by_noq[name, kind]
        agree(got, want, 0.01)
        assert got.queue_packets == pytest.approx(want.queue_packets, abs=0.2)
        assert got.drops == pytest.approx(want.drops, abs=4)


def test_short_packets_fill_a_queue_that_counts_packets(by_noq: dict[tuple[str, str], Row]) -> None:
    """aioquic as it is: packets that fill the rest of a window take places in the queue, and it overflows earlier."""
    got, want = aioquic(bulk("buffer-40"), AS_IT_IS["newreno"]), by_noq["buffer-40", "noq-newreno"]
    assert got.window_packets < 0.9 * want.window_packets
    assert got.queue_packets < 0.8 * want.queue_packets
    assert got.drops > 1.5 * want.drops


@pytest.mark.parametrize("name", ["buffer-40", "loss-500"])
def test_cubic_by_the_rfc(name: str, by_noq: dict[tuple[str, str], Row]) -> None:
    """aioquic's CUBIC with RFC 9438's rules is ours, within 3 %.

    noq-proto's has other rules of its own (`crates/quic/tests/suite/controllers.rs`).
    """
    agree(aioquic(bulk(name), SWITCHED["cubic"]), by_noq[name, "cubic"], 0.03)


@pytest.mark.parametrize("rule", ["slope", "growth in recovery", "reduced from flight"])
def test_each_rule_of_cubic_matters(rule: str, by_noq: dict[tuple[str, str], Row]) -> None:
    """With one rule kept as aioquic has it, the window is 3 to 34 % from ours; with none, 1.2 %."""
    got = aioquic(bulk("loss-500"), lambda d: WholeDatagrams(CubicOfTheRfc(d, kept=rule), d))
    assert abs(got.window_packets / by_noq["loss-500", "cubic"].window_packets - 1) > 0.02


def fast(flows: list[tuple[bool, int]], mbps: tuple[float, float], delay_ms: int) -> tuple[Outcome, dict[str, Any]]:
    """FAST by aioquic and by world `quic`, with a known base RTT; a flow is whether it goes backward, and alpha."""
    names = ("forward", "backward")
    scenario = el.Scenario(
        {
            "duration": "20 s",
            "warmup": "10 s",
            "link": [
                {"name": name, "rate": f"{rate} Mbit/s", "delay": f"{delay_ms} ms"}
                for name, rate in zip(names, mbps, strict=True)
            ],
            "flow": [
                {
                    "name": str(i),
                    "controller": {"kind": "fast", "alpha": f"{alpha} packets", "base_rtt": "known"},
                    "data": [names[backward]],
                    "ack": [names[not backward]],
                    "packet": "1240 B",
                }
                for i, (backward, alpha) in enumerate(flows)
            ],
        }
    )

    def law(alpha: int) -> Any:
        return lambda d: WholeDatagrams(Fast(max_datagram_size=d, alpha=alpha, base_rtt=2e-3 * delay_ms), d)

    laws = {str(i): law(alpha) for i, (_, alpha) in enumerate(flows)}
    return run(scenario, laws), scenario.run("quic", series=False).to_dict()


@pytest.mark.parametrize(
    ("flows", "mbps", "delay_ms"),
    [
        ([(False, 50)], (10, 10), 20),
        ([(False, 20), (False, 40)], (10, 10), 20),
        ([(False, 30), (True, 30)], (10, 10), 1),
        ([(False, 30), (True, 15)], (10, 1), 10),
    ],
    ids=["one flow", "shared by alpha", "two-way", "two-way, asymmetric"],
)
def test_fast_of_the_equation(flows: list[tuple[bool, int]], mbps: tuple[float, float], delay_ms: int) -> None:
    """Rates and windows within 3 %, queues within 2 packets."""
    outcome, result = fast(flows, mbps, delay_ms)
    for got, want in zip(outcome.flows, result["flows"], strict=True):
        assert got.goodput_bps == pytest.approx(want["goodput_bps"], rel=0.03)
        assert got.window_packets == pytest.approx(want["window_packets"]["mean"], rel=0.03)
    for link in result["links"]:
        assert outcome.queues[link["name"]] == pytest.approx(link["queue_packets"]["mean"], abs=2)


def test_packets_are_sent_at_the_same_times_in_every_run() -> None:
    """Keys and connection IDs are random, what is sent when is not."""
    scenario = bulk("buffer-10").with_overrides({"duration": "3 s", "warmup": "1 s"})
    runs = [run(scenario, {"bulk": SWITCHED["newreno"]}) for _ in range(2)]
    assert len(runs[0].flows[0].sent) > 1000
    assert runs[0] == runs[1]
