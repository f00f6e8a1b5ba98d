"""The letter's loop against world theory, and the cases that packets are compared with."""

from __future__ import annotations

import cmath
import random
from typing import Any

import pytest

from eddyline import Scenario
from eddyline.papers import find
from eddyline.papers.asymmetric_fast.cases import cases
from eddyline.papers.asymmetric_fast.equations import backward_bps
from eddyline.papers.asymmetric_fast.loop import Loop, right_poles, window_loop

FOLDER = find("asymmetric-fast").folder


@pytest.mark.parametrize("k_f", [0.1, 0.9, 1.1, 4.0, 40.0])
@pytest.mark.parametrize("gamma", [0.1, 0.5, 1.0])
def test_margins_are_those_of_theory(k_f: float, gamma: float) -> None:
    changes = {
        "link.backward.rate": f"{backward_bps(k_f, 1000):.6f} bit/s",
        "flow.*.controller.gamma": str(gamma),
        "flow.*.controller.alpha": "300 packets",
    }
    scenario = Scenario.load(FOLDER / "scenarios" / "sweep.toml", set=changes)
    settled = scenario.run("theory").to_dict()["flows"][0]
    loop = Loop(gamma, settled["queueing_delay_s"] / settled["rtt_s"]["mean"])
    _, document = scenario.theory("stability", link_model="integrator")
    assert document["stable"] == loop.stable()
    # both are exact; theory's round trip is whole picoseconds
    assert document["gain_margin"] == pytest.approx(loop.gain_margin(), rel=1e-6)


def test_eq_20_is_the_same_loop_opened_at_another_point() -> None:
    rng = random.Random(7)
    for _ in range(50):
        u, rho, a, w = (
            10 ** rng.uniform(-1, 2),
            rng.uniform(0.01, 0.99),
            10 ** rng.uniform(-1, 4),
            10 ** rng.uniform(-2, 1),
        )
        z, loop = complex(0.0, w), Loop(u, rho, a)
        # eq. 18 and 19: 1 - L from W to W, times its own denominator over z, is 1 + L
        closed = (1.0 - window_loop(w, u, rho, a)) * (z + a * cmath.exp(-z)) / z
        assert closed == pytest.approx(1.0 + loop.at(w), rel=1e-9)
        assert abs(window_loop(1e-9, u, rho, a)) == pytest.approx((1.0 - rho) / rho, rel=1e-6)


def test_boundary() -> None:
    # the worst case of the corrected loop, and of eq. 21's lag: (sqrt(u) - 1) / u
    assert not Loop(5.86, 0.6627).stable()
    assert Loop(5.86, 0.6629).stable()
    assert not Loop(4.0, 0.2499, lag=True).stable()
    assert Loop(4.0, 0.2501, lag=True).stable()
    # the phase left at the crossover says the same
    assert Loop(5.86, 0.6627).phase_margin() < 0 < Loop(5.86, 0.6629).phase_margin()
    # z + a e^-z: a pair crosses at pi / 2 and every 2 pi beyond
    assert [right_poles(a) for a in (1.5, 1.6, 7.8, 7.9, 5000.0)] == [0, 2, 2, 4, 1592]


def test_every_model_is_counted_once(asymmetric: dict[str, Any]) -> None:
    rows, counted = asymmetric["stability"].rows, asymmetric["stability-tally"].rows
    known = cases(FOLDER)
    assert len(known) == 60
    assert len(rows) == sum(len(case.senders) for case in known)
    for row in counted:
        parts = (row["both_settle"], row["both_oscillate"], row["only_model"], row["only_packets"])
        assert sum(parts) == row["cases"]
        assert row["agree"] == pytest.approx(sum(parts[:2]) / row["cases"])
    whole = [r for r in counted if r["sender"] == "all"]
    assert len(whole) == 5
    assert all(r["cases"] == len(rows) for r in whole)


def test_packets_agree_best_with_the_senders_own_law(asymmetric: dict[str, Any]) -> None:
    exhibit = asymmetric["stability-tally"]
    agree = {r["model"]: r["agree"] for r in exhibit.rows if r["sender"] == "all"}
    assert max(agree, key=lambda model: agree[model]) == "ack-clocked, own law"
    assert agree["ack-clocked, own law"] > 0.9
    # nearly all that it misses is the threshold of start-up, which is not linear
    calm = {r["model"]: r["calm_agree"] for r in exhibit.rows if r["sender"] == "all"}
    assert calm["ack-clocked, own law"] > 0.95
    assert agree["integrator, eq. 2"] < 0.75
