"""Numbers in sentences about the overview are those of the exhibits: its errata, and how exhibits are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find

if TYPE_CHECKING:
    from eddyline.reports.exhibit import Row


@pytest.fixture(scope="module")
def errata() -> str:
    return " ".join((find("fast-overview").folder / "ERRATA.md").read_text("utf-8").split())


def _rows(exhibit: Any, **wanted: Any) -> list[Row]:
    rows = [r for r in exhibit.rows if all(r[k] == v for k, v in wanted.items())]
    assert rows
    return rows


def _reading(exhibit: Any) -> str:
    return " ".join(exhibit.reading.split())


def test_the_hour_of_one_fast_flow(errata: str, overview: dict[str, Any]) -> None:
    rows = _rows(overview["record"], experiment="FAST, 1 flow, 100")
    hours = {r["case"]: r for r in rows}
    reduced = hours["FAST, no doubling, window reduced"]
    half, quarter = (f"{reduced[key] / 1e6:.0f}" for key in ("goodput", "goodput_quarter"))
    assert f"{half} Mbit/s in the hour, a saw-tooth without a queue, instead of {quarter} with 1/4" in errata
    doubling = [hours[f"FAST, {local}"]["utilisation"] for local in ("window reduced", "packet lost")]
    assert f"({100 * doubling[0]:.0f} %, {100 * doubling[1]:.0f} %), whatever gamma is" in errata
    for local in ("window reduced", "packet lost"):
        row = hours[f"FAST, {local}"]
        assert row["utilisation_quarter"] == row["utilisation"]
    # a sender that stops has 95 % with any of them; with slow updates gamma 1/2 fits
    assert all(r["utilisation"] > 0.95 for r in rows if r["local"] == "sender stops" or "slow" in r["controller"])


def test_the_overshoot(errata: str, overview: dict[str, Any]) -> None:
    over = {r["gamma"]: r["over_alpha"] - 1 for r in _rows(overview["gamma"], updates="once a round trip")}
    assert f"o is {over[0.5]:.2f} for gamma 1/2 and {over[0.25]:.2f} for 1/4" in errata
    assert f"nearly half, with 1/4 by {100 * over[0.25]:.0f} %" in _reading(overview["gamma"])
    (slow,) = _rows(overview["gamma"], updates="every other round trip", gamma=0.5)
    assert f"gamma 1/2 overshoots by some {100 * slow['over_alpha'] - 100:.0f} %" in _reading(overview["gamma"])


def test_alphas_that_fit(overview: dict[str, Any]) -> None:
    for row in _rows(overview["alpha"], start="does not double", local="window reduced"):
        assert (row["utilisation"] > 0.95) is (row["alpha"] == 65)


def test_linux_tcp(errata: str, overview: dict[str, Any]) -> None:
    rows = overview["record"]
    (hour,) = _rows(rows, experiment="Linux, 1 flow, 100", local="window reduced")
    assert f"{hour['goodput'] / 1e6:.0f} Mbit/s in an hour" in errata
    long_queue = [r["utilisation"] for r in _rows(rows, experiment="Linux, 1 flow, 10,000")]
    assert f"{100 * min(long_queue):.0f} % in an hour" in errata
    assert min(long_queue) > 0.97
    definition = (find("fast-overview").folder / "exhibits.toml").read_text("utf-8")
    assert "a queue of 10,000 packets keeps Reno at 97 % and more over an hour" in definition


def test_linux_tcp_in_minutes(errata: str, overview: dict[str, Any]) -> None:
    minutes = {
        r["txqueuelen"]: r for r in _rows(overview["controllers"], controller="Linux TCP", local="window reduced")
    }
    assert f"{minutes[100]['goodput'] / 1e6:.0f} in the first 150 s" in errata
    assert f"Reno without loss has {100 * minutes[10_000]['utilisation']:.0f} % in 150 s" in errata


def test_the_loss_that_would_explain_it(errata: str, overview: dict[str, Any]) -> None:
    one, delayed = _rows(overview["random-loss"], experiment="1 flow, txqueuelen 10,000")
    assert (one["acks"], delayed["acks"]) == ("one by one", "every second packet")
    assert f"random loss of {1e7 * one['searched']:.1f}e-7 (acknowledgements one by one)" in errata
    assert f"or {1e8 * delayed['searched']:.1f}e-8 (every second packet)" in errata
    assert [round(r["seconds_between"] / 60) for r in (one, delayed)] == [7, 16]
    assert "one packet in seven to sixteen minutes" in errata
    errors = [round(1e12 * r["bit_error"]) for r in (delayed, one)]
    assert f"a bit error ratio of {errors[0]} to {errors[1]}e-12" in errata
    two = _rows(overview["random-loss"], experiment="each of 2 flows, txqueuelen 10,000")
    assert f"{two[0]['goodput'] / 1e6:.0f} Mbit/s each: three tenths of the loss that explains 266" in errata
    assert [f"{r['against_first']:.1f}" for r in two] == ["0.3", "0.3"]
    losses = [3600 / r["seconds_between"] for r in (one, delayed, *two)]
    assert (round(min(losses)), round(max(losses))) == (2, 8)
    assert "an hour has two to eight losses only" in errata


def test_the_card(errata: str, overview: dict[str, Any]) -> None:
    _, frame, timestamps = overview["card"].rows
    left = [f"{r['goodput'] / 1e6:.0f}" for r in (frame, timestamps)]
    assert f"{left[0]} are left, {left[1]} with TCP's timestamps" in errata
    shares = [f"{100 * r['share']:.1f}" for r in (frame, timestamps)]
    assert f"925 is {shares[0]} or {shares[1]} % of that" in errata


def test_the_host(errata: str, overview: dict[str, Any]) -> None:
    rows = {(r["order"], r["card"], r["packet"]): r for r in overview["host-cost"].rows}
    before, beside = "before the wire", "beside the wire"
    costs = [f"{1e6 * rows[order, 1e10, 1500]['cost']:.1f}" for order in (before, beside)]
    assert f"{costs[0]} us a packet before its time on the wire, or {costs[1]} beside it" in errata
    assert f"would leave {rows[before, 1e9, 1500]['goodput'] / 1e6:.0f} Mbit/s of a gigabit NIC" in errata
    large = [f"{rows[order, 1e10, 9000]['goodput'] / 1e9:.1f}" for order in (beside, before)]
    assert f"packets of 9,000 bytes carry {large[0]} Gbit/s ({large[1]} by the first)" in errata


def test_vegas_at_large_delay(errata: str, overview: dict[str, Any]) -> None:
    rows = overview["vegas-delay"].rows
    least, most = 1.6, 2.7
    oscillating = _rows(overview["vegas-delay"], kind="alpha = beta", delay="long beside the queueing")
    assert all(least <= round(r["swing"], 1) <= most for r in oscillating)
    text = f"oscillate in step, {least} to {most} packets each"
    assert text in errata
    assert text in _reading(overview["vegas-delay"])
    vegas = " ".join((find("fast-overview").folder.parents[3] / "docs/controllers/vegas.md").read_text("utf-8").split())
    assert f"{least} to {most} packets each" in vegas
    assert {r["alpha_beta"] for r in rows if r["utilisation"] < 0.9999} <= {"1"}  # costs capacity only there
    assert all(r["rtt"] >= 2 * r["at_rest_s"] for r in oscillating)


def test_how_much_vegas_oscillates_in_all_settings(overview: dict[str, Any]) -> None:
    rows = overview["vegas-delay"].rows
    if len(rows) < 100:
        pytest.skip("vegas-delay is thinned (`make papers`)")
    assert len(rows) == 100
    swings = [r["swing"] for r in rows if r["kind"] == "alpha = beta" and r["delay"] == "long beside the queueing"]
    assert (round(min(swings), 1), round(max(swings), 1)) == (1.6, 2.7)


def test_vegas_on_fast_links(errata: str, overview: dict[str, Any]) -> None:
    gigabit = {r["controller"]: r["utilisation"] for r in _rows(overview["vegas-scale"], rate=1e9)}
    vegas, reno = (f"{100 * gigabit[kind]:.0f} %" for kind in ("vegas", "reno"))
    assert f"{vegas} of 1 Gbit/s on a queue of 100, where Reno has {reno}" in errata


def test_joining_flows(errata: str, overview: dict[str, Any]) -> None:
    (joined,) = _rows(overview["fast-fairness"], case="base estimated, 20 s apart")
    least, most = (f"{joined[key] / 1e6:.1f}" for key in ("least", "most"))
    assert f"a Jain's index of {joined['jain']:.2f}, rates from {least} to {most} Mbit/s of 10" in errata


def test_the_queue_by_rem(overview: dict[str, Any]) -> None:
    queues = {r["case"]: r["queue"] for r in overview["vegas-base-rtt"].rows}
    assert queues["estimated, by REM's marks"] < 2 * 5 < queues["known, by delay"]
    assert "near its target of 5 packets, far below 40" in _reading(overview["vegas-base-rtt"])


def test_alpha_on_slow_links(errata: str, overview: dict[str, Any]) -> None:
    delays = {1000 * r["alpha_time"] for r in _rows(overview["conventional"], rate=1e6)}
    assert f"an alpha of 20 packets is a queueing delay of {delays.pop():.0f} ms at 1 Mbit/s" in errata
