"""The bidirectional paper: our simulation against ns-2, the estimate, and what Section 2 says of single quantities."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from eddyline import _core
from eddyline.errors import InputError
from eddyline.papers import find
from eddyline.papers.bidirectional_tcp.against_ns2 import compare, compare_over_starts
from eddyline.papers.bidirectional_tcp.model import MEASURED_RHO, estimate
from eddyline.papers.bidirectional_tcp.occupancy import (
    Occupancy,
    case_1_after_overflow,
    cases,
    correlation_at,
    halvings,
    in_case,
    in_proportion,
    overflows,
    within_eq_5,
)
from eddyline.papers.bidirectional_tcp.packets import crossing, ns2_packets
from eddyline.papers.bidirectional_tcp.ratio import correlation
from eddyline.papers.bidirectional_tcp.setting import Link, bandwidth_delay, simulate
from eddyline.papers.context import Context

if TYPE_CHECKING:
    from eddyline.reports.exhibit import Row


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(find("bidirectional-tcp").folder)


@pytest.fixture(scope="module")
def beside(context: Context) -> list[Row]:
    """Every run of ns-2 with ours beside it."""
    return compare(context)


def _off(rows: list[Row], what: str) -> list[float]:
    return [abs(r[f"{what}_off"]) for r in rows]


@pytest.mark.parametrize("what", ["download", "upload"])
def test_goodputs_with_buffers_in_bytes(beside: list[Row], what: str) -> None:
    # Fig. 6 and Fig. 1, 2: medians below 10 %. Single runs scatter in ns-2 too, by up to 40 % from seed to seed.
    rows = [r for r in beside if r["group"] == "bytes"]
    assert len(rows) == 60
    assert median(_off(rows, what)) < 0.10
    assert max(_off(rows, what)) < 0.50
    assert median(_off([r for r in rows if r["figure"] == "figure-6"], what)) < 0.05


def test_figures_1_and_2_over_several_starts(context: Context) -> None:
    rows = compare_over_starts(context)
    assert len(rows) == 4
    assert median(_off(rows, "download")) < 0.10
    # three seeds there: their own medians are known to no better than 20 %
    assert max(_off(rows, "download")) < 0.25
    assert max(_off(rows, "upload")) < 0.02


@pytest.mark.parametrize(("tp_s", "within"), [(0.02, 0.03), (0.1, 0.06)])
def test_ratios_with_buffers_in_packets(beside: list[Row], tp_s: float, within: float) -> None:
    # asked for is 15 %
    rows = [r for r in beside if r["figure"] == "figure-10" and r["tp_s"] == tp_s]
    assert len(rows) == 23
    assert median(_off(rows, "ratio")) < within
    assert max(_off(rows, "ratio")) < 0.40


@pytest.mark.parametrize(("tp_s", "within"), [(0.02, 0.08), (0.1, 0.2)])
def test_ratios_with_an_ack_for_every_packet(beside: list[Row], tp_s: float, within: float) -> None:
    # Fig. 10.2: single sizes differ by up to a half, as the runs of ns-2 do from one distance to the next
    rows = [r for r in beside if r["figure"] == "figure-10-2" and r["tp_s"] == tp_s]
    assert len(rows) == 30
    assert median(_off(rows, "ratio")) < within
    # where every acknowledgement has room, nothing is left to chance
    roomy = [r for r in rows if r["up_buffer"] > 50]
    assert median(_off(roomy, "ratio")) < (0.03 if tp_s == 0.02 else 0.2)
    assert max(_off(roomy, "download")) < (0.06 if tp_s == 0.02 else 0.35)


def test_six_packets_at_twenty_distances(bidirectional: dict[str, Any]) -> None:
    rows = {(r["acks"], r["simulator"]): r for r in bidirectional["six-packets"].rows}
    for acks in ("delayed", "every packet"):
        ours, theirs = rows[acks, "ours"], rows[acks, "ns-2"]
        assert ours["share"] == pytest.approx(theirs["share"], abs=0.03)
        # either simulator alone would confirm and refute "less than half", from one distance to another
        for r in (ours, theirs):
            assert r["lowest"] < 0.45 < 0.58 < r["highest"]
    assert rows["delayed", "ns-2"]["at_5_ms"] == pytest.approx(0.433, abs=0.001)


def test_steps_between_sizes(bidirectional: dict[str, Any]) -> None:
    middle = {r["acks"]: r for r in bidirectional["steps"].rows if r["kind"] == "median"}
    for r in middle.values():
        assert r["largest"] == pytest.approx(r["ns2_largest"], abs=0.08)
        # more steps above a tenth than in ns-2, most of them at distances of 11 ms and more: see ERRATA.md
        assert 1.0 < r["jumps"] / r["ns2_jumps"] < 2.0


def test_reference_of_packets_agrees_with_the_older_one(context: Context) -> None:
    # the same settings, run anew: sizes that both have
    anew = {
        (c["tp_s"], c["up_buffer"]): c
        for c in ns2_packets(context)["figure-10"]
        if c["acks_every"] == 2 and c["seed"] == 1
    }
    older = context.ns2["figure-10"]
    offs = [abs(anew[c["tp_s"], c["up_buffer"]]["upload_bps"] / c["upload_bps"] - 1.0) for c in older]
    assert len(offs) == 46
    assert median(offs) < 0.001
    assert max(offs) < 0.15


def test_halving_to_whole_packets_is_what_brings_them_together(context: Context) -> None:
    rows = compare(context, halves=("whole packets", "bytes"), figures=("figure-6",))
    by = {h: median(_off([r for r in rows if r["halves"] == h], "ratio")) for h in ("whole packets", "bytes")}
    assert by["whole packets"] < 0.6 * by["bytes"]


def test_crossings_of_the_capacity_ratio(bidirectional: dict[str, Any], beside: list[Row]) -> None:
    rows = bidirectional["half-the-downlink"].rows
    found = {(r["acks"], r["order"], r["tp_s"]): r["crossing"] for r in rows}
    for order in ("together", "download first", "upload first"):
        assert 26 <= found["delayed", order, 0.02] <= 28
        assert 45 <= found["every packet", order, 0.02] <= 50
    for r in rows:
        if r["tp_s"] == 0.02:
            assert r["crossing"] == pytest.approx(r["ns2_crossing"], abs=0.3)
    # ns-2 with tp = 100 ms crosses between 15 and 17 packets, where its runs are two packets apart
    theirs = [r for r in beside if r["figure"] == "figure-10" and r["tp_s"] == 0.1]
    at = crossing([{"up": r["up_buffer"], "ratio": r["ns2_ratio"]} for r in theirs])
    assert at is not None
    assert found["delayed", "together", 0.1] == pytest.approx(at, abs=3.0)


def test_crossing_lies_on_the_line_between_two_points() -> None:
    k = 2e6 / 192e3
    rows = [
        {"up": 10, "ratio": k + 3},
        {"up": 14, "ratio": k - 1},
        {"up": 12, "ratio": k + 1},
        {"up": 11, "ratio": None},
    ]
    assert crossing(rows) == pytest.approx(13.0)
    assert crossing([{"up": 1, "ratio": k - 1}]) is None


def test_estimate_correlates_as_it_does_with_ns2(bidirectional: dict[str, Any]) -> None:
    whole = {(r["uploads"], r["tp_s"]): r for r in bidirectional["estimate"].rows if r["up"] == "all"}
    near = whole[1, 0.02]
    assert near["correlation"] > 0.95
    assert near["ns2_correlation"] > 0.95
    assert near["correlation"] == pytest.approx(near["ns2_correlation"], abs=0.02)
    assert near["with_ns2"] > 0.985
    assert whole[1, 0.1]["correlation"] < 0.9


def test_estimate_fails_where_the_downlink_never_fills(bidirectional: dict[str, Any]) -> None:
    rows = [
        r
        for r in bidirectional["fig-6"].rows
        if r["order"] == "together" and r["tp_s"] == 0.02 and r["limit"] == "buffer"
    ]
    by = {q: [r for r in rows if r["uplink_queue"].startswith(q)] for q in ("shorter", "longer")}
    off = {q: fmean(abs(r["off"]) for r in part) for q, part in by.items()}
    assert off["shorter"] < 0.2
    assert off["longer"] > 2 * off["shorter"]
    # the reason: there alone does the window outgrow what the downlink stores
    assert max(r["window_over_room"] for r in by["shorter"]) < 0.8
    assert max(r["window_over_room"] for r in by["longer"]) > 1.3
    worst = [r for r in rows if r["up"] == 30000]
    assert min(r["off"] for r in worst if r["window"] >= 65536) > 0.5


def test_estimate_by_hand() -> None:
    # 64 kB, 9,000 B up, rho = 1/30: 65,536 / (3/4 (9,000 - 65,536 / 60 + 960))
    found = estimate(Link("75000 B", "9000 B"))
    assert found.ratio == pytest.approx(65536 / (0.75 * (9000 - 65536 / 60 + 960)), rel=1e-12)
    measured = estimate(Link("75000 B", "9000 B"), rho=MEASURED_RHO)
    assert measured.ratio == pytest.approx(65536 / (0.75 * (9000 - 65536 / 75 + 960)), rel=1e-12)
    # an acknowledgement is one cell and one packet, whatever rho
    assert estimate(Link("1600 cells", "192 cells")) == estimate(Link("1600 cells", "192 cells"), rho=MEASURED_RHO)
    assert found.down_limited_by_window
    assert bandwidth_delay(2e6, 0.02) == 10_000.0
    with pytest.raises(InputError):
        _core.buffer_estimate(json.dumps({"setting": {}}))


def test_pearson() -> None:
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1.0)
    assert correlation([1, 2, 3, 4], [1, -1, -1, 1]) == pytest.approx(0.0)


def _occupancy(down: list[float], up: list[float], window: list[float] | None = None) -> Occupancy:
    n = len(down)
    numbers = np.asarray(window or [1.0] * n)
    empty = np.asarray([])
    return Occupancy(0.1, np.arange(n) * 0.1, np.asarray(down), np.asarray(up), empty, empty, numbers, numbers)


def test_cases_are_shares_of_time() -> None:
    o = _occupancy([0, 3000, 3000, 1500, 9000], [3000, 0, 3000, 40, 1500])
    found = cases(o)
    assert (found.one, found.two, found.three, found.idle) == pytest.approx((0.2, 0.4, 0.4, 0.0))
    lenient = cases(o, 1500.0)
    assert (lenient.one, lenient.two, lenient.three, lenient.idle) == pytest.approx((0.2, 0.4, 0.2, 0.2))


def test_windows_in_the_cases() -> None:
    o = _occupancy([0, 0, 3000, 3000], [3000, 3000, 3000, 3000])
    o = replace(o, download_window=np.asarray([5.0, 9.0, 22.0, 60.0]), upload_window=np.asarray([6.0, 8.0, 20.0, 50.0]))
    one, two, three = in_case(o)
    assert within_eq_5(o, one, 65536, -1) == pytest.approx(0.5)
    assert within_eq_5(o, two, 65536, 1) is None
    # 60 and 50 packets are both the receive window of 44
    assert in_proportion(o, three, 65536, 0.05) == pytest.approx(0.5)
    assert in_proportion(o, three, 65536, 0.11) == pytest.approx(1.0)
    assert in_proportion(o, three, 131072, 0.11) == pytest.approx(0.5)


def test_case_1_after_an_overflow() -> None:
    # case 1 at 0.2, 0.5, 0.6 and 0.9 s; what was dropped before 0.3 s is known for what comes later only
    up = [3000.0 if i in (2, 5, 6, 9) else 0.0 for i in range(10)]
    o = replace(_occupancy([0.0] * 10, up), down_drops=np.asarray([0.35]))
    assert case_1_after_overflow(o, 0.3) == pytest.approx(2 / 3)
    assert case_1_after_overflow(o, 0.8) == pytest.approx(1.0)
    assert case_1_after_overflow(replace(o, down_drops=np.asarray([])), 0.3) == pytest.approx(0.0)
    assert case_1_after_overflow(_occupancy([0.0] * 10, [0.0] * 10), 0.3) is None


def test_overflows_and_halvings() -> None:
    assert overflows(np.asarray([1.0, 1.1, 1.25, 3.0]), 0.2) == [1.0, 3.0]
    assert overflows(np.asarray([]), 0.2) == []
    o = _occupancy([0.0] * 5, [0.0] * 5, [10, 11, 5.5, 6, 5.9])
    assert halvings(o, o.download_window) == pytest.approx([0.2])


def test_correlation_knows_which_is_later() -> None:
    down = [0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0]
    up = [0, 0, *down[:-2]]
    o = _occupancy([float(d) for d in down], [float(u) for u in up])
    assert correlation_at(o, 0.2) == pytest.approx(1.0)
    assert correlation_at(o, -0.2) < 0.5


def test_pendulum_without_losses_has_no_overflow(bidirectional: dict[str, Any]) -> None:
    # a window of 64 kB over 200 ms of propagation: 50 kB in flight, 15 kB waiting
    row = next(r for r in bidirectional["fig-5"].rows if r["tp_s"] == 0.1 and r["window"] == 65536)
    assert row["overflows_down"] == 0
    assert row["case_2_lenient"] == pytest.approx(1.0, abs=0.01)


def test_several_uploads_are_added(context: Context) -> None:
    one, two = simulate(context, [Link(duration_s=120.0), Link(uploads=2, duration_s=120.0)])
    assert two.upload == pytest.approx(one.upload, rel=0.02)
    assert len(two.result.document["flows"]) == 3


def test_wimax(bidirectional: dict[str, Any]) -> None:
    rows = bidirectional["section-5"].rows
    assert 10 < len(rows) < 200
    for row in rows:
        for name, value in (
            ("download_alone", 1.9e6),
            ("upload_alone", 0.16e6),
            ("download", 1.04e6),
            ("upload", 0.15e6),
        ):
            assert row[name] == pytest.approx(value, rel=0.1), name
    # it takes an uplink that gives less than its nominal rate, or bytes on every packet
    assert min(r["overhead_size"] for r in rows) > 0
    # and nothing in the model is told these figures: an upload on the printed rate gets a sixth more
    single = {r["way"]: r for r in bidirectional["section-5-alone"].rows}
    assert single["upload"]["off"] > 0.15
    # and the sizes stay open: from one to three times and more
    assert max(r["up"] for r in rows) >= 3 * min(r["up"] for r in rows)
