"""VFAST's paper: our runs against ns-2 and equilibrium, the arithmetic of its exhibits against closed forms."""

from __future__ import annotations

from math import cos, hypot, pi, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import pytest

from eddyline import _core
from eddyline.papers import find
from eddyline.papers.claims import read
from eddyline.papers.context import Context
from eddyline.papers.vfast import EXHIBITS, jitter_queue, jitter_timeouts
from eddyline.papers.vfast.phases import settling, swing
from eddyline.papers.vfast.rivals import BDP, predicted
from eddyline.papers.vfast.runs import Case
from eddyline.papers.vfast.smoothing import simulated_bias
from eddyline.papers.vfast.weights import OBJECTIVES, ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.reports.exhibit import Row


def test_scenario_1_against_ns2(vfast: dict[str, Any]) -> None:
    rows = [r for r in vfast["fig-4"].rows if r["reference"] is not None]
    assert len(rows) == 9
    for row in rows:
        # the module's backlog is open by two packets of 200, a percent
        assert row["rate"] == pytest.approx(row["reference"], rel=0.03), row


def test_base_round_trips_of_scenario_1_against_ns2(vfast: dict[str, Any]) -> None:
    known = Context(find("vfast").folder).ns2["I"]["intervals"]
    phases = list(dict.fromkeys(r["phase"] for r in vfast["fig-4"].rows))
    rows = [r for r in vfast["fig-4"].rows if r["sender"] == "FAST" and r["rtt_ms"] == 100.0]
    for row in rows:
        said = known[phases.index(row["phase"])]["flows"][row["flow"]]["base_rtt_ms"]
        assert row["base"] * 1e3 == pytest.approx(said, rel=0.005), row


@pytest.mark.parametrize(("exhibit", "count"), [("scenario-3-totals", 5), ("scenario-4-totals", 5)])
def test_totals_with_sack_against_ns2(exhibit: str, count: int, vfast: dict[str, Any]) -> None:
    rows = [r for r in vfast[exhibit].rows if r["reference"] is not None]
    assert len(rows) == count
    for row in rows:
        assert row["total"] == pytest.approx(row["reference"], rel=0.03), row


def test_random_loss_without_sack_against_ns2() -> None:
    context = Context(find("vfast").folder)
    runs = [Case("scenario-4-alone", "FAST", None, "timer", seed=seed).summary() for seed in range(1, 11)]
    rates = [result.flow("flow 1")["goodput_bps"] / 1e6 for result in context.runner.run_all(runs)]
    ns2 = context.reference["without_sack"]["mean_of_forty"]
    error = stdev(rates) / sqrt(len(rates))
    # two standard errors of the difference of both means
    assert fmean(rates) == pytest.approx(ns2["mbps"], abs=2 * hypot(error, ns2["standard_error_mbps"]))


def test_scenario_2_is_in_equilibrium(vfast: dict[str, Any]) -> None:
    rows = vfast["fig-9"].rows
    assert len(rows) == 10
    for row in rows:
        assert abs(row["fast_off"]) <= 0.02, row
        assert abs(row["vfast_off"]) <= 0.02, row


def test_flow_1_has_another_bottleneck_in_the_end(vfast: dict[str, Any]) -> None:
    longest = {r["phase"]: (r["fast_longest"], r["vfast_longest"]) for r in vfast["fig-10"].rows}
    assert longest["20 to 40 s"] == ("link 1", "link 1")
    assert longest["60 to 100 s"] == ("link 3", "link 3")


def test_theory_of_scenario_1(vfast: dict[str, Any]) -> None:
    """Flow 2 takes flow 1's alpha for propagation: x1 q = a, x2 (q - a / c) = a, so x2 / x1 is the golden ratio."""
    rows = {
        r["flow"]: r
        for r in vfast["fig-4"].rows
        if (r["sender"], r["phase"], r["rtt_ms"]) == ("FAST", "20 to 40 s", 100.0)
    }
    assert rows["flow 2"]["theory"] / rows["flow 1"]["theory"] == pytest.approx((1 + sqrt(5)) / 2, rel=0.01)


def test_every_figure_and_table_is_there() -> None:
    figures = {f"fig-{n}" for n in (*range(3, 17),)}
    assert figures | {f"table-{n}" for n in (1, 2, 3)} <= set(EXHIBITS)
    assert len(read(find("vfast").folder / "claims.toml")) >= 25


def _line(value: Any) -> tuple[Sequence[float], Sequence[float]]:
    times = [0.1 * i for i in range(1, 401)]
    return times, [value(t) for t in times]


def test_swing_of_a_wave() -> None:
    moved = swing(*_line(lambda t: 10 + 2 * cos(2 * pi * t / 5)), 0.0, 40.0)
    assert moved is not None
    # 5 % and 95 % of a cosine are 2 cos(0.05 pi) from its middle
    assert moved.width == pytest.approx(4 * cos(0.05 * pi), rel=0.01)
    assert moved.period_s == pytest.approx(5.0, abs=0.11)
    still = swing(*_line(lambda _: 10.0), 0.0, 40.0)
    assert still is not None
    assert still.period_s is None


def test_settling_of_an_exponential() -> None:
    from math import exp, log

    # the mean over the next three seconds of 1 - e^(-t/2) lacks 2/3 (1 - e^-1.5) e^(-t/2): 5 % at 2 log(0.518 / 0.05)
    found = settling(*_line(lambda t: 1 - exp(-t / 2)), 0.0, 40.0)
    assert found == pytest.approx(2 * log((1 - exp(-1.5)) * 2 / 3 / 0.05), abs=0.15)
    assert settling(*_line(lambda t: 1 + (t % 16 > 8)), 0.0, 40.0) is None


def test_bias_in_theory_and_with_random_samples() -> None:
    assert _core.filter_bias(0.75, 0.5, "normal") == pytest.approx(0.19, abs=0.005)
    for scatter in ("normal", "exponential", "uniform"):
        assert simulated_bias(0.75, 0.5, scatter) == pytest.approx(_core.filter_bias(0.75, 0.5, scatter), abs=0.003)


def test_the_bias_takes_packets_from_the_queue(vfast: dict[str, Any]) -> None:
    rows = {(r["gamma"], r["heard"]): r for r in vfast["jitter-queue"].rows if r["spread"] == "2 ms"}
    once = rows[0.1, "once a round trip"]
    # w (1 - d / (D + b)) = alpha, D = w / rate: to first order the queue is smaller by rate b d / D
    d, base = jitter_queue.BASE, jitter_queue.BASE + jitter_queue.ALPHA / jitter_queue.RATE
    assert once["predicted_less"] == pytest.approx(jitter_queue.RATE * once["bias"] * d / base, rel=0.1)
    # a minute of round trips determines it to some 10 %
    assert once["less"] == pytest.approx(once["predicted_less"], rel=0.25)
    assert abs(rows[0.1, "every ACK"]["less"]) < 0.5 * once["less"]


def test_equilibrium_with_an_estimate_error() -> None:
    nothing = jitter_queue.RttEstimate(0.0, 0.0)
    # no error: FAST's x = alpha / q
    assert jitter_queue.equilibrium_window(nothing, 500.0) == pytest.approx(
        jitter_queue.RATE * jitter_queue.BASE + 500.0
    )
    assert jitter_queue.shared_rates([nothing, nothing], 250.0) == pytest.approx([jitter_queue.RATE / 2] * 2)
    biased = jitter_queue.RttEstimate(0.001, 0.0)
    at = jitter_queue.equilibrium_window(biased, 500.0)
    law = at * (1 - jitter_queue.BASE / (at / jitter_queue.RATE + 0.001))
    assert law == pytest.approx(500.0, rel=1e-9)
    fast, vfast = jitter_queue.shared_rates([nothing, biased], 250.0)
    assert fast + vfast == pytest.approx(jitter_queue.RATE)
    assert vfast < fast


def test_after_a_real_loss_the_wait_is_that_of_theory(vfast: dict[str, Any]) -> None:
    rows = [r for r in vfast["jitter-timeouts"].rows if r["wait"] is not None and r["predicted_wait"] is not None]
    assert {(r["rule"], r["floor"]) for r in rows} == {
        (rule, floor) for rule in jitter_timeouts.RULES for floor in jitter_timeouts.FLOORS
    }
    for row in rows:
        # some 270 losses: their waits scatter by 20 ms and the round trips beside them by as much
        assert row["wait"] == pytest.approx(row["predicted_wait"], rel=0.03), row


@pytest.mark.parametrize("kind", ["reno", "cubic"])
def test_share_beside_a_rival(kind: str) -> None:
    # a saw-tooth that stays above an empty queue: share (B - s c (1 - share) (BDP + B)) = alpha
    shape, cut = {"reno": (0.5, 0.5), "cubic": (0.25, 0.3)}[kind]
    buffer, alpha = 5 * BDP, 50.0
    share = predicted(buffer, alpha, 1, 1, kind)
    assert share * (buffer - shape * cut * (1 - share) * (BDP + buffer)) == pytest.approx(alpha, rel=1e-6)
    assert predicted(buffer, 10 * buffer, 1, 1, kind) == 1.0
    assert predicted(buffer, alpha, 2, 1, kind) == pytest.approx(predicted(buffer, 2 * alpha, 1, 1, kind))


def _made_up_grid() -> list[Row]:
    """Made-up objectives: larger weights are better, in all but the last objective."""
    names = list(OBJECTIVES)
    rows: list[Row] = []
    for down in (0.25, 0.5, 0.75):
        for up in (0.25, 0.5, 0.75):
            good = {name: 100.0 + (down + up) * (1 if more else -1) for name, (_, more) in OBJECTIVES.items()}
            good[names[-1]] = 100.0 - down - up
            rows.append({"down": down, "up": up, **good})
    return rows


def test_ranks_of_a_made_up_grid() -> None:
    context = Context(find("vfast").folder)
    context.cached("weights", _made_up_grid)
    rows = {r["objective"]: r for r in ranks(context).rows}
    assert list(rows) == list(OBJECTIVES)
    # nine pairs by their sum; (1/2, 3/4) has 1.25, only (3/4, 3/4) more, two more the same
    assert all(rows[name]["rank"] == 2 for name in list(OBJECTIVES)[:-1])
    assert rows[list(OBJECTIVES)[-1]]["rank"] == 7
    assert (rows["I, settling"]["best_down"], rows["I, settling"]["best_up"]) == (0.75, 0.75)


def test_only_one_slip_explains_the_printed_values(vfast: dict[str, Any]) -> None:
    rows = {r["slip"]: r for r in vfast["slip"].rows if r["scenario"] == "II" and r["kind"] == "configuration"}
    assert min(rows, key=lambda name: rows[name]["off_true"]) == "delay halved, rate doubled"
    # eq. 3 at rest: w = x d + alpha. Delay halved at twice the rate leaves w and halves alpha / x
    both = rows["delay halved, rate doubled"]
    for key, printed in (("base", 0.5), ("rtt", 0.5), ("window", 1.0), ("rate", 2.0)):
        assert both[key] == pytest.approx(printed, rel=0.05), key
    assert all(row["off_true"] > 0.9 for name, row in rows.items() if name != "delay halved, rate doubled")
