"""World theory beside world sim on every scenario of the papers and the examples.

Files are found, not listed. For each, STATED says how near the worlds come, and why no nearer; a new file fails until
it has an entry.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

import eddyline as el
from eddyline.papers import papers

ROOT = Path(__file__).parents[3]
FILES = {
    **{f"{p.name}/{f.stem}": f for p in papers() for f in sorted((p.folder / "scenarios").glob("*.toml"))},
    **{f"examples/{f.stem}": f for f in sorted(ROOT.glob("examples/*.toml"))},
}


@dataclass(frozen=True)
class Settled:
    """Flows that last. Theory is fed with the senders' own mean base round-trip times.

    Attributes:
        rate: How far a flow's packets a second may be off, as a share.
        rtt: How far its mean round-trip time may be.
        load: How far a link's utilisation may be, absolutely.
        why: What is left between the worlds.
        set: Changes under which the file is asked, where its summaries cover more than the time of rest.
    """

    rate: float
    rtt: float
    load: float
    why: str
    set: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Passing:
    """Flows that come and go, beside the chain.

    Attributes:
        time: How far mean transfer times and mean numbers present may be off, as a share.
        share: How far the share of time in which a link is the bottleneck may be, absolutely.
        why: What is left between the worlds.
        set: Changes under which the file is asked.
    """

    time: float
    share: float
    why: str
    set: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NoModel:
    """Theory has no model of any flow: it must return nulls and say so."""

    why: str


Stated = Settled | Passing | NoModel

WHOLE = "whole packets: less than a packet of backlog of a hundred and more"
MEAN = "theory takes a base round-trip time that was learnt over time at its mean"
FILM = "theory has the film's mean rate, packets its frames: what a burst leaves takes time"

STATED: dict[str, Stated] = {
    "asymmetric-fast/upload-joins": Settled(
        0.06, 0.12, 0.01, "ten packets of backlog each, of which one of 63 ms is not waiting but in transmission"
    ),
    "asymmetric-fast/three-flows": Settled(0.001, 0.001, 0.001, WHOLE),
    "asymmetric-fast/*": Settled(2e-4, 2e-4, 2e-4, "one flow with a thousand packets of backlog"),
    "two-way-fast/example-[35]-*": Settled(0.02, 0.01, 0.006, MEAN),
    "two-way-fast/example-4-late-flow2-0.16s": Settled(0.03, 0.02, 0.012, f"{MEAN}; links near balance"),
    "two-way-fast/example-4-*": Settled(0.02, 0.01, 0.012, MEAN),
    "two-way-fast/example-[12]-*": Settled(0.002, 0.002, 0.002, WHOLE),
    "two-way-fast/balance": Settled(5e-4, 5e-4, 5e-4, "one flow, both links full"),
    "two-way-fast/equal-flows": Settled(0.002, 0.002, 0.002, WHOLE),
    "two-way-fast/one-each-way": Settled(5e-4, 5e-4, 5e-4, "flows alike, both links full"),
    "two-way-fast/joining": Settled(0.025, 0.012, 0.008, MEAN, {"warmup": "35 s", "duration": "70 s"}),
    "two-way-fast/late-joiners": Settled(0.002, 0.002, 0.002, f"{WHOLE}; bases that are wrong, and told to theory"),
    "two-way-fast/film-backward": Settled(0.035, 0.035, 0.01, FILM + ", on the link that is full"),
    "two-way-fast/film-both": Settled(0.035, 0.06, 0.008, FILM),
    "two-way-fast/film-forward": Settled(0.05, 0.06, 0.018, FILM + ", on the link that has room"),
    "two-way-fast/population": Passing(
        0.12,
        0.03,
        "125 packets a file: handshake and start-up, a few percent; 12,000 transfers each way scatter by 2 %",
        {"duration": "24000 s"},
    ),
    "vfast/scenario-1": Settled(
        0.006, 0.002, 0.002, f"{MEAN}; the module's open backlog", {"warmup": "45 s", "duration": "60 s"}
    ),
    "vfast/scenario-2": Settled(
        0.02,
        0.008,
        0.01,
        "the module's backlog is open by two packets of 100",
        {"link.*.rate": "100 Mbit/s", "flow.*.controller.alpha": "100 packets", "warmup": "65 s"},
    ),
    "vfast/scenario-3": Settled(
        0.02,
        0.01,
        0.002,
        f"{MEAN}; alpha of 200, with which the buffer does not overflow",
        {"flow.*.controller.alpha": "200 packets", "warmup": "45 s", "duration": "60 s"},
    ),
    "vfast/scenario-4": Settled(
        0.12,
        0.08,
        0.01,
        "random loss, which theory leaves out, halves windows now of one flow, now of another",
        {"warmup": "45 s", "duration": "60 s"},
    ),
    "vfast/scenario-4-alone": Settled(0.07, 0.06, 0.07, "random loss, which theory leaves out, halves the window"),
    "vfast/fluctuating": Settled(0.01, 0.2, 0.01, "theory has the cross traffic's mean, packets its bursts"),
    "vfast/two-delays": Settled(0.004, 0.002, 0.002, "whole packets: a tenth of a packet of backlog of 40"),
    "vfast/rivals": Settled(0.002, 0.002, 0.002, WHOLE),
    "vfast/jitter-queue": Settled(5e-4, 5e-4, 5e-4, "jitter is delay beyond propagation, which the window law counts"),
    "vfast/jitter-shared": Settled(0.002, 0.001, 5e-4, WHOLE),
    "vfast/jitter-thin": Settled(
        0.002,
        0.005,
        0.002,
        "asked without its narrow receive window and with next to no jitter, of which theory knows nothing",
        {"flow.*.receive_window": "1 MB", "link.forward.jitter.sd": "1 us", "warmup": "10 s", "duration": "60 s"},
    ),
    "vfast/late-acks": Settled(0.1, 0.25, 0.08, "bursts, and the timeouts that are spurious after them"),
    "bidirectional-tcp/*": NoModel("loss-based senders, whose only losses are full buffers: docs/theory/buffer.md"),
    "fast-overview/host": Settled(
        2e-3, 2e-3, 2e-3, "asked without framing, of which theory knows nothing", {"link.host.framing.overhead": "0 B"}
    ),
    "fast-overview/loss": Settled(0.1, 0.02, 0.1, "eighty losses scatter; theory has evenly spaced ones"),
    "fast-overview/conventional": Settled(2e-3, 2e-3, 2e-3, WHOLE),
    "fast-overview/vegas-*": NoModel("Vegas rests in a band, not at a point, and Reno without random loss nowhere"),
    "fast-overview/*-flow*": NoModel("Reno without random loss has no equilibrium that theory knows"),
    "examples/phases": NoModel(
        "CUBIC whose only losses are those of a full buffer has no equilibrium that theory knows"
    ),
    "examples/upload": NoModel("NewReno without random loss has no equilibrium that theory knows"),
}
"""By paper and file, `*` and `[...]` as in a shell; the first that fits counts."""


def stated(name: str) -> Stated:
    """What is said about a file."""
    for pattern, said in STATED.items():
        if fnmatch(name, pattern):
            return said
    pytest.fail(
        f"there is no statement of how near theory and sim come on {name}: run it in both worlds, explain what is left "
        f"between them, and add {name!r} to STATED in {Path(__file__).name}: Settled(rate, rtt, load, why) for flows "
        "that last, Passing(time, share, why) for arrivals, NoModel(why) where theory has no model of its controllers"
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore:the flows over")
def test_side_by_side(name: str) -> None:
    said = stated(name)
    scenario = el.Scenario.load(FILES[name], set={} if isinstance(said, NoModel) else said.set)
    sim = scenario.run("sim", series=False).to_dict()
    assert said.why
    match said:
        case Settled():
            settled(scenario, sim, said)
        case Passing():
            passing(scenario, sim, said)
        case NoModel():
            unknown(scenario, sim)


def settled(scenario: el.Scenario, sim: dict[str, Any], said: Settled) -> None:
    """Flows and links, each beside its own."""
    assert sim["flows"]
    assert not sim["arrivals"]
    beliefs = [f["base_rtt_s"] for f in sim["flows"]]
    theory = scenario.run("theory", **({} if None in beliefs else {"base_rtt_s": beliefs})).to_dict()
    for got, want in zip(sim["flows"], theory["flows"], strict=True):
        assert got["packets_per_s"] == pytest.approx(want["packets_per_s"], rel=said.rate), got["name"]
        assert got["rtt_s"]["mean"] == pytest.approx(want["rtt_s"]["mean"], rel=said.rtt), got["name"]
    for got, want in zip(sim["links"], theory["links"], strict=True):
        assert got["utilisation"] == pytest.approx(want["utilisation"], abs=said.load), got["name"]
        # where both are full theory leaves open which of them has the queue
        if want["queueing_delay_s"]["mean"] is not None:
            assert got["bottleneck"] == want["bottleneck"], got["name"]


def passing(scenario: el.Scenario, sim: dict[str, Any], said: Passing) -> None:
    """Transfers and links, each beside its own."""
    assert sim["arrivals"]
    assert not sim["flows"]
    _, chain = scenario.theory("population")
    assert chain["stable"]
    for got in sim["arrivals"]:
        name = got["name"]
        assert got["completion_s"]["mean"] == pytest.approx(chain["mean_transfer_time_s"][name], rel=said.time), name
        assert got["mean_present"] == pytest.approx(chain["mean_flows"][name], rel=said.time), name
    for link in sim["links"]:
        assert link["bottleneck_share"] == pytest.approx(chain["bottleneck"][link["name"]], abs=said.share), link[
            "name"
        ]


def unknown(scenario: el.Scenario, sim: dict[str, Any]) -> None:
    """Nulls, and a note on each controller."""
    theory = scenario.run("theory").to_dict()
    assert sim["flows"]
    for flow in theory["flows"]:
        assert flow["packets_per_s"] is None
        assert any(flow["controller"] in note for note in theory["approximations"]), flow["name"]


def test_every_statement_is_about_a_file_that_exists() -> None:
    unused = [p for p in STATED if not any(stated_by(name) == p for name in FILES)]
    assert not unused


def stated_by(name: str) -> str | None:
    """The pattern that counts for a file."""
    return next((pattern for pattern in STATED if fnmatch(name, pattern)), None)


def test_a_file_without_a_statement_is_an_error() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"add 'two-way-fast/brand-new' to STATED in test_two_worlds\.py"):
        stated("two-way-fast/brand-new")
