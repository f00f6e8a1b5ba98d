"""Saw-teeth behind a marking threshold: the closed forms, the simulation beside them, the command."""

from __future__ import annotations

import json
import math

import pytest

import eddyline as el
import eddyline._core as core

PATH = ("--rate", "10 Gbit/s", "--rtt", "100 us", "--threshold", "40")


def test_closed_forms(eddyline):
    """Two flows of SIGCOMM 2010, Figure 12."""
    pipe = 1e10 * 1e-4 / 12_000
    tooth = el.theory.saw_tooth("dctcp", 1e10, 1e-4, 40, flows=2)
    assert tooth.window_packets == pytest.approx((pipe + 40) / 2, rel=1e-12)
    alpha, top = tooth.marked_share, tooth.window_packets + 1
    assert alpha**2 * (1 - alpha / 4) == pytest.approx((2 * top - 1) / top**2, rel=1e-9)
    assert tooth.amplitude_packets == pytest.approx(top * alpha, rel=1e-12)
    # the approximation drops 1 beside W* and alpha / 4 beside 1
    assert tooth.amplitude_packets == pytest.approx(0.5 * math.sqrt(4 * (pipe + 40)), rel=0.03)
    assert (tooth.queue_max_packets, tooth.utilisation) == (42, 1)
    # windows from bottom to top, each round trip as long as the windows are
    mean = pipe + 42 - tooth.amplitude_packets / 2
    assert tooth.period_s == pytest.approx(tooth.period_round_trips * mean * 1.2e-6, rel=1e-9)
    ran = eddyline("theory", "sawtooth", "dctcp", *PATH, "--flows", "2", "--json")
    document = json.loads(ran.out)
    assert document["sawteeth"][0]["amplitude_packets"] == tooth.amplitude_packets
    assert document["least_threshold_packets"] == pytest.approx(0.17 * pipe)


def test_a_queue_that_empties_swings_by_its_maximum():
    tooth = el.theory.saw_tooth("reno", 10e6, 0.048, 20)
    assert (tooth.queue_min_packets, tooth.queue_max_packets, tooth.amplitude_packets) == (0, 21, 21)
    assert tooth.period_round_trips == 30.5
    tooth = el.theory.saw_tooth("reno", 10e6, 0.048, 60)
    assert (tooth.queue_min_packets, tooth.queue_max_packets, tooth.amplitude_packets) == (10.5, 61, 50.5)


def test_beside_simulation(eddyline, tmp_path):
    """With default parameters: the longest queue to the packet, the swing within a fifth, Reno's use within 0.03."""
    args = ("dctcp", "reno", *PATH, "--flows", "2", "--with-sim")
    ran = eddyline("theory", "sawtooth", *args, "--plot", tmp_path / "s.png", "--json")
    dctcp, reno = json.loads(ran.out)["sawteeth"]
    assert dctcp["sim_queue_max_packets"] == dctcp["queue_max_packets"] + 1
    assert dctcp["sim_amplitude_packets"] == pytest.approx(dctcp["amplitude_packets"], rel=0.2)
    assert dctcp["sim_utilisation"] == pytest.approx(1, abs=1e-3)
    for each in (dctcp, reno):
        assert each["sim_amplitude_packets"] <= each["sim_queue_max_packets"] - each["sim_queue_min_packets"]
    assert reno["utilisation"] < 0.97
    assert reno["sim_utilisation"] == pytest.approx(reno["utilisation"], abs=0.03)
    assert (tmp_path / "s.png").stat().st_size > 10_000
    assert len(el.theory.saw_teeth(["dctcp", "newreno"], 1e9, 1e-4, 5).frame) == 2
    said = eddyline("theory", "sawtooth", "dctcp", "reno", *PATH).out
    assert "dctcp" in said
    assert "smallest threshold at which DCTCP uses the whole link with any number of flows: 14.17 packets" in said
    assert "DCTCP" not in eddyline("theory", "sawtooth", "reno", *PATH).out


def test_what_the_closed_form_does_not_have_is_noted(eddyline):
    schema = json.loads(core.schema())["$defs"]["ControllerParams"]["oneOf"]
    dctcp = next(each["properties"] for each in schema if each["properties"]["kind"].get("const") == "dctcp")
    assert dctcp["gain"]["default"] == 1 / 16
    gain, least = "dctcp: its gain of 1/16 is above its bound", "the closed form's windows go below 2 packets"
    # (1.386 * 16)^2 / 2 = 245.9 packets of path and threshold a flow
    for kind, packets, flows, said in (
        ("dctcp", 245, 1, []),
        ("dctcp", 247, 1, [gain]),
        ("dctcp", 490, 2, []),
        ("dctcp", 494, 2, [gain]),
        ("reno", 494, 1, []),
        ("dctcp", 123, 50, []),  # (2.46 + 1) (1 - 0.77 / 2) = 2.1
        ("dctcp", 123, 60, [f"dctcp: {least}"]),  # (2.05 + 1) (1 - 0.84 / 2) = 1.8
        ("reno", 6, 2, []),
        ("reno", 5, 2, [f"reno: {least}"]),
    ):
        found = el.theory.saw_teeth([kind], 12e9, (packets - 1) * 1e-6, 1, flows=flows).notes
        assert [note[: len(start)] for note, start in zip(found, said, strict=True)] == said, (kind, packets, flows)
    ran = eddyline("theory", "sawtooth", "dctcp", *PATH, "--flows", "100", "--with-sim", "--json")
    tooth = json.loads(ran.out)["sawteeth"][0]
    assert f"note: dctcp: {least}" in ran.err
    # two packets each and one on its way, less what the path holds
    assert tooth["sim_queue_max_packets"] > 1.5 * tooth["queue_max_packets"]
    assert tooth["sim_amplitude_packets"] < 0.1 * tooth["amplitude_packets"]


def test_thresholds_as_in_scenarios(eddyline):
    written = [eddyline("theory", "sawtooth", "dctcp", *PATH[:-1], k, "--json").out for k in ("40", "40 packets")]
    assert written[0] == written[1] != ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("cubic", *PATH), "dctcp"),
        (("dctcp", "--rate", "10 Gbit/s", "--rtt", "100 us"), "--threshold"),
        (("dctcp", "--rate", "10", "--rtt", "100 us", "--threshold", "40"), "Gbit/s"),
        (("dctcp", "--rate", "10 Gbit/s", "--rtt", "0 s", "--threshold", "40"), "packets on the path"),
        (("dctcp", *PATH[:-1], "60 kB"), "allowed are 0 to 10,000,000 packets, as in 40 or '40 packets'"),
        (("dctcp", *PATH[:-1], "2.5 packets"), "'2.5 packets' is not a whole number of packets"),
        (("dctcp", *PATH[:-1], "10000001"), "allowed are 0 to 10,000,000 packets"),
        (("dctcp", *PATH[:-1], "0", "--with-sim"), "--threshold 0: with --with-sim it is 1 packet at least"),
        (("dctcp", *PATH, "--flows", "200"), "at least 1 packet"),
        (("dctcp", *PATH, "--flows", "0"), "flows"),
        (("dctcp", *PATH, "--packet", "1 B"), "100 B"),
    ],
)
def test_refused(eddyline, tmp_path, args, said):
    ran = eddyline("theory", "sawtooth", *args, "--plot", "s.png")
    assert (ran.code, ran.out) == (2, "")
    assert said.lower() in ran.err.lower()
    assert list(tmp_path.iterdir()) == []


def test_invalid_input_from_python():
    with pytest.raises(el.InputError, match="no saw-tooth"):
        el.theory.saw_tooth("cubic", 1e9, 0.1, 10)
    with pytest.raises(el.InputError, match="at least 1"):
        el.theory.saw_tooth("dctcp", 1e9, 0.1, 10, flows=0)
    with pytest.raises(el.InputError, match="above 0"):
        el.theory.saw_tooth("dctcp", 0, 0.1, 10)
    assert el.theory.saw_teeth(["dctcp"], 1e9, 0.1, 0).to_dict()["threshold_packets"] == 0
    with pytest.raises(el.InputError, match="threshold_packets is 0"):
        el.theory.saw_teeth(["dctcp"], 1e9, 0.1, 0, with_sim=True)
