"""Numbers in sentences about the bidirectional paper are those of the exhibits that they name."""

from __future__ import annotations

from math import floor
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eddyline.papers.reproduction import Reproduction
    from eddyline.reports.exhibit import Row

NEAR, FAR = 0.02, 0.1
SMALL, LARGE = 65536, 131072
UPLINKS = (6000, 9000, 15000, 30000)
ORDERS = ("together", "download first", "upload first")


@pytest.fixture(scope="module")
def errata() -> str:
    return _text("ERRATA.md")


@pytest.fixture(scope="module")
def readme() -> str:
    return _text("README.md")


@pytest.fixture(scope="module")
def theory_page() -> str:
    page = find("bidirectional-tcp").folder.parents[3] / "docs" / "theory" / "buffer.md"
    return " ".join(page.read_text("utf-8").split())


def _text(name: str) -> str:
    return " ".join((find("bidirectional-tcp").folder / name).read_text("utf-8").split())


def _rows(exhibit: Any, **wanted: Any) -> list[Row]:
    rows = [r for r in exhibit.rows if all(r[k] == v for k, v in wanted.items())]
    assert rows
    return rows


def _rounded(value: float) -> int:
    """To the nearest whole number, halves up, as in the text."""
    return floor(value + 0.5 + 1e-9)


def _percent(share: float) -> int:
    return _rounded(100 * share)


def _range(shares: Iterable[float]) -> str:
    """The least and the greatest as per cent, once if they are the same."""
    known = [s for s in shares if s is not None]
    return " to ".join(dict.fromkeys(str(_percent(end(known))) for end in (min, max)))


def _span(values: Iterable[float], digits: int = 1) -> str:
    known = list(values)
    return f"{min(known):.{digits}f} to {max(known):.{digits}f}"


def _column(rows: Iterable[Row], key: str) -> list[float]:
    return [float(r[key]) for r in rows if r[key] is not None]


def _numbers(values: Iterable[float]) -> str:
    known = list(values)
    return " to ".join(dict.fromkeys(f"{end(known):.0f}" for end in (min, max)))


def test_long_term_goodput(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = {w: _rows(bidirectional["starts"], link="Fig. 1", uploads=1, window=w) for w in ("64 kB", "128 kB")}
    down, up = (_numbers(1e-3 * v for v in _column(rows["64 kB"], way)) for way in ("download", "upload"))
    use = _range(_column(rows["64 kB"], "down_use"))
    assert f"({down} kbit/s down, {use} %; {up} up)" in errata
    first = {r["order"]: r for r in _rows(bidirectional["starts"], link="Fig. 1", uploads=1, window="unlimited")}
    minute, linux = ([f"{1e-3 * first[o][k]:,.0f}" for o in ORDERS[:2]] for k in ("first_minute", "linux_download"))
    assert f"{minute[0]} kbit/s in its first minute with unlimited windows, against {minute[1]} if" in errata
    assert f"On Linux {linux[0]} against {linux[1]}." in errata


def test_the_order_of_starts(errata: str, bidirectional: dict[str, Any]) -> None:
    def changed(window: str) -> int:
        downloads = _column(_rows(bidirectional["starts"], link="Fig. 1", uploads=1, window=window), "download")
        return _percent(max(downloads) / min(downloads) - 1.0)

    assert changed("64 kB") == changed("unlimited") == 11
    assert (
        f"{changed('64 kB')} % with windows of 64 kB and without a limit, though {changed('128 kB')} % with" in errata
    )
    assert f"by up to {changed('64 kB')} % with the buffers of Fig. 1" in _reading(bidirectional, "starts")
    for window in ("64 kB", "128 kB", "unlimited"):
        rows = bidirectional["starts"]
        one, two = (
            {r["order"]: r["first_minute"] for r in _rows(rows, link="Fig. 1", uploads=n, window=window)}
            for n in (1, 2)
        )
        assert max(one, key=lambda order: one[order]) == "together"
        assert min(two, key=lambda order: two[order]) == "together"


def _reading(exhibits: dict[str, Any], name: str) -> str:
    return " ".join(exhibits[name].reading.split())


def test_fig_1(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = _rows(bidirectional["fig-1"], phase="one upload")
    by = {(r["window"], r["timer"]): f"{1e-3 * r['download']:.0f}" for r in rows}
    others = _numbers(1e-3 * r["download"] for r in rows if r["window"] != "64 kB")
    assert f"F-RTO: {by['64 kB', '1 s']} kbit/s ({others} with windows of 128 kB and more)" in errata
    assert by["64 kB", "200 ms, F-RTO"] == by["64 kB", "1 s"]
    assert f"back to slow start and gets {by['64 kB', '200 ms']}." in errata


def _kept(rows: list[Row], key: str = "kept") -> dict[int, float]:
    return {int(r["size"]): float(r[key]) for r in rows}


def test_units(errata: str, bidirectional: dict[str, Any]) -> None:
    worse: dict[tuple[float, int], int] = {}
    best: dict[tuple[float, str], list[tuple[int, float]]] = {}
    for tp in (NEAR, FAR):
        for window in (SMALL, LARGE):
            packets = _rows(bidirectional["units"], unit="packets", tp_s=tp, window=window)
            worse[tp, window] = max(int(r["size"]) for r in packets if r["kept"] < r["in_bytes"])
            for unit in ("bytes", "packets"):
                kept = _kept(_rows(bidirectional["units"], unit=unit, tp_s=tp, window=window))
                size = max(kept, key=lambda s: kept[s])
                best.setdefault((tp, unit), []).append((size, kept[size]))
    assert worse[NEAR, SMALL] == worse[NEAR, LARGE]
    assert (
        f"Up to {worse[NEAR, SMALL]} packets' worth of uplink buffer at tp = 20 ms, up to {worse[FAR, SMALL]} at "
        f"100 ms ({worse[FAR, LARGE]} with windows of 128 kB)." in errata
    )
    sizes = {key: _numbers(size for size, _ in found) for key, found in best.items()}
    kept_at = {key: _range(share for _, share in found) for key, found in best.items()}
    assert (
        f"{sizes[NEAR, 'bytes']} packets' worth in bytes and {sizes[NEAR, 'packets']} in packets, "
        f"keep {kept_at[NEAR, 'bytes']} and {kept_at[NEAR, 'packets']} % at tp = 20 ms, "
        f"{sizes[FAR, 'bytes']} and {sizes[FAR, 'packets']} keep {kept_at[FAR, 'bytes']} and "
        f"{kept_at[FAR, 'packets']} % at 100 ms." in errata
    )


def test_least_sizes(errata: str, bidirectional: dict[str, Any]) -> None:
    def least(unit: str, tp: float, window: int, share: float) -> int | None:
        found = None
        kept = _kept(_rows(bidirectional["units"], unit=unit, tp_s=tp, window=window), "kept_up")
        for size in sorted(kept, reverse=True):
            if kept[size] < share:
                break
            found = size
        return found

    def sizes(unit: str, tp: float) -> str:
        return _numbers(least(unit, tp, w, 2 / 3) or 0 for w in (SMALL, LARGE))

    def both(window: int, share: float) -> str:
        return f"{least('bytes', NEAR, window, share)} and {least('packets', NEAR, window, share)}"

    assert f"with {sizes('bytes', NEAR)} packets' worth in bytes and {sizes('packets', NEAR)} in packets, at" in errata
    assert f"at 100 ms with {sizes('bytes', FAR)} and {sizes('packets', FAR)}." in errata
    assert f"at 20 ms, {both(SMALL, 0.9)} with windows of 64 kB, {both(LARGE, 0.9)} with 128 kB;" in errata
    assert f"by 95 % {both(SMALL, 0.95)} with 64 kB." in errata


def test_sizes_of_section_3_1(errata: str, bidirectional: dict[str, Any]) -> None:
    def kept(size: int, tp: float, *windows: int) -> str:
        rows = _rows(bidirectional["units"], size=size, tp_s=tp)
        return _range(r["kept"] for r in rows if r["unit"] != "packets" and r["window"] in windows)

    assert f"At tp = 20 ms ({kept(6, NEAR, SMALL, LARGE)} % kept)" in errata
    assert f"at 100 ms with windows of 128 kB ({kept(6, FAR, LARGE)} %); with 64 kB {kept(6, FAR, SMALL)} %" in errata
    (four,) = _rows(bidirectional["units"], unit="bytes", size=4, tp_s=FAR, window=SMALL)
    assert f"where 6,000 B keep {_percent(four['kept'])} %." in errata


def test_bytes_beside_packets(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = {(r["unit"], r["setting"], r["size"]): r for r in bidirectional["units"].rows}
    pairs = [(r, rows["packets", setting, size]) for (unit, setting, size), r in rows.items() if unit == "bytes"]
    assert all(r["download_in_packets"] == packets["download"] for r, packets in pairs)
    down, up = ([r[way] / packets[way] for r, packets in pairs] for way in ("download", "upload"))
    assert len({r["size"] for r, _ in pairs}) == 16
    assert f"It gets at most {100 * (max(down) - 1):.1f} % more at any of 16 sizes" in errata
    assert min(down) == pytest.approx(0.25, abs=0.01)  # as little as a quarter
    assert f"The upload gets {_range(u - 1 for u in up)} % more." in errata


def test_similar_windows(errata: str, bidirectional: dict[str, Any]) -> None:
    points = {tp: _rows(bidirectional["fig-6"], tp_s=tp, order="together") for tp in (NEAR, FAR)}

    def within(rows: list[Row], factor: float) -> int:
        return sum(1 / factor <= r["windows_ratio"] <= factor for r in rows)

    quarter, twice = ({tp: within(rows, factor) for tp, rows in points.items()} for factor in (1.25, 2.0))
    assert (
        f"of {len(points[NEAR])} settings the windows are within a quarter of each other in {quarter[NEAR]} at "
        f"tp = 20 ms and {quarter[FAR]} at 100 ms, and within a factor of two in {twice[NEAR]} and {twice[FAR]},"
        in errata
    )
    middle = [f"{median(_column(rows, 'windows_ratio')):.1f}" for rows in points.values()]
    assert f"The median ratio is {middle[0]} and {middle[1]}." in errata
    for row in _rows(bidirectional["estimate"], uploads=1, up="all"):
        assert row["similar_windows"] == pytest.approx(quarter[row["tp_s"]] / 48)
        assert row["windows_within_two"] == pytest.approx(twice[row["tp_s"]] / 48)
    everywhere = bidirectional["fig-6"].rows
    small = [r for r in everywhere if r["window"] < SMALL]
    assert within(small, 2.0) > 0.85 * within(everywhere, 2.0)  # most of them with small receive windows
    for order in ORDERS:  # the exhibit has one; the others are alike
        assert within(_rows(bidirectional["fig-6"], order=order), 2.0) == within(everywhere, 2.0) / len(ORDERS)


def test_windows_over_round_trips(errata: str, bidirectional: dict[str, Any]) -> None:
    above = [r["ratio"] / r["by_windows"] - 1.0 for r in bidirectional["fig-6"].rows]
    assert f"The ratio of goodputs is {_range(above)} % above that of mean windows" in errata


def test_compression(errata: str, bidirectional: dict[str, Any]) -> None:
    exhibit = bidirectional["compression"]
    by_packets = _rows(exhibit, treatment="fair queueing (SFQ by packets)")
    assert f"for each packet of the upload: {_range(_column(by_packets, 'down_use'))} % of the downlink." in errata
    raised = {r["order"]: _percent(_gain(r)) for r in _rows(exhibit, treatment="both paced", window=LARGE)}
    assert (
        f"the download has +{raised['together']} % where both start together, +{raised['upload first']} % where the "
        f"upload starts first, {raised['download first']} % where the download does." in errata
    )
    paced = _rows(exhibit, kind="pacing")
    assert {r["treatment"] for r in paced if _gain(r) > 0.12} == {"both paced"}  # no other pacing exceeds the bound
    assert max(_gain(r) for r in paced) < 0.25
    first = [1.0 + _gain(r) for r in _rows(exhibit, treatment="ACKs first")]
    assert f"ACKs first raises it by a factor of {min(first):.1f} to {max(first):.0f}." in errata
    assert all(abs(_gain(r)) < 1 / 6 for r in paced)
    compressed = _column(paced, "compression")
    assert (min(compressed), max(compressed)) == (pytest.approx(0.05, abs=0.006), pytest.approx(0.6, abs=0.006))
    assert "Pacing leaves between a twentieth and three fifths compressed, and the download within a sixth" in _reading(
        bidirectional, "compression"
    )


def _gain(row: Row) -> float:
    return float(row["download"] / row["download_as_it_is"] - 1.0)


def test_pendulum(errata: str, bidirectional: dict[str, Any]) -> None:
    near, far = (_rows(bidirectional["fig-5"], tp_s=tp) for tp in (NEAR, FAR))
    assert (
        f"where no byte of data waits, {_range(_column(near, 'case_2'))} % at tp = 20 ms, where data waits at both "
        f"ends for {_range(_column(near, 'case_3'))} % of the time; {_range(_column(far, 'case_2'))} % at 100 ms."
        in errata
    )
    assert f"does not count it is {_range(_column(near, 'case_2_lenient'))} % at 20 ms." in errata
    assert (
        f"Packet by packet for {_range(_column(near, 'eq_5'))} % of that time at tp = 20 ms and "
        f"{_range(_column(far, 'eq_5'))} % at 100 ms; the reverse in case 2 for "
        f"{_range(_column([*near, *far], 'eq_5_converse'))} %." in errata
    )
    least = min(_column(near, "case_1_upset"))
    assert f"At tp = 20 ms: {100 * least:.1f} % of that time and more is within three round trips" in errata
    assert f"windows of 128 kB, {_range(_column(far, 'case_1_upset'))} %:" in errata
    assert max(_column(near, "proportional")) == 0.0  # never by less than a tenth
    assert min(_column(near, "roughly_proportional")) > 0.9
    assert min(_column(_rows(bidirectional["fig-5"], tp_s=FAR, window=SMALL), "proportional")) == 1.0
    lags = _column([*near, *far], "lag_rtts")
    assert 1.7 < min(lags) < max(lags) < 2.0  # nearly two


def test_rule_of_thumb_and_rho(errata: str, bidirectional: dict[str, Any]) -> None:
    (row,) = _rows(bidirectional["rule-of-thumb"], eq_6=960, times=1.0)
    assert f"with one packet of buffer the link is {_percent(row['use'])} % busy." in errata
    points = [*bidirectional["fig-6"].rows, *bidirectional["fig-7"].rows]
    smaller = max(1.0 - r["measured_rho"] / r["estimate"] for r in points)
    assert f"with 1/37.5 r is up to {100 * smaller:.1f} % smaller" in errata


def test_room_of_the_downlink(errata: str, bidirectional: dict[str, Any]) -> None:
    room = {
        up: max(_column(_rows(bidirectional["fig-6"], up=up, limit="buffer"), "window_over_room")) for up in UPLINKS
    }
    assert f"(the mean window is at most {max(room[6000], room[9000]):.2f} of it)" in errata
    assert f"up to {room[15000]:.2f} and {room[30000]:.2f} times as large." in errata


def test_ratio_of_capacities(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = bidirectional["capacity-ratio"].rows
    assert all(abs(r["ratio"] / r["at_papers_k"] - 1.0) <= 0.25 for r in rows if 7 <= r["k"] <= 15)
    (beyond,) = (off for r in rows if r["k"] == 20 and (off := r["ratio"] / r["at_papers_k"] - 1.0) > 0.25)
    assert f"at 20 but for one order of starts ({_percent(beyond)} %)" in errata
    one = _rows(bidirectional["capacity-ratio"], k=1.0)
    estimates = _numbers(_column(one, "estimate"))
    assert f"({_span(_column(one, 'ratio'))} at k = 1 against an estimate of {estimates})" in errata
    wide = [r["ratio"] / r["at_papers_k"] for r in rows if r["window"] == LARGE and r["k"] >= 40]
    assert min(wide) > 2.0


def test_estimate(errata: str, bidirectional: dict[str, Any]) -> None:
    def largest(tp: float, *uplinks: int) -> float:
        provided = _rows(bidirectional["fig-6"], tp_s=tp, provided="large enough")
        return max(abs(float(r["off"])) for r in provided if r["up"] in uplinks)

    assert f"within {_percent(largest(NEAR, 6000, 9000))} % with 6,000 and 9,000 B up at tp = 20 ms." in errata
    (row,) = (r for r in _rows(bidirectional["fig-6"], order="together", tp_s=NEAR, up=30000, down=75000, window=LARGE))
    assert (
        f"Up to {1 + largest(NEAR, 15000, 30000):.1f} times as much with 15,000 and 30,000 B up "
        f"({row['ratio']:.2f} against {row['estimate']:.2f}; ns-2 {row['ns2']:.2f})" in errata
    )
    assert f"At 100 ms within {_percent(largest(FAR, *UPLINKS))} %." in errata
    about_ten = {
        tp: _span(_column([r for r in _rows(bidirectional["fig-6"], tp_s=tp) if r["printed_ratio"]], "ratio"))
        for tp in (NEAR, FAR)
    }
    assert f"At tp = 20 ms ({about_ten[NEAR]}), but not at 100 ms ({about_ten[FAR]})." in errata
    differ = sum(r["smaller"] != r["estimate"] for r in _rows(bidirectional["fig-6"], order="together"))
    assert f"changes r at {differ} of 96 points of Fig. 6." in errata


def test_where_the_uplinks_queue_lasts_longer(bidirectional: dict[str, Any]) -> None:
    outgrown = {
        up
        for up in UPLINKS
        for r in _rows(bidirectional["fig-6"], up=up, tp_s=NEAR, order="together")
        if r["limit"] == "buffer" and r["window_over_room"] > 1.0
    }
    assert outgrown == {15000, 30000}
    said = "At tp = 20 ms this happens with 15,000 and 30,000 B up"
    assert said in _reading(bidirectional, "estimate")
    assert all(r["window_over_room"] < 1.0 for r in _rows(bidirectional["fig-6"], tp_s=FAR, limit="buffer"))
    longer = [r for r in _rows(bidirectional["fig-6"], tp_s=NEAR, order="together") if r["half_up_s"] > r["down_s"]]
    # in bursts: not never
    assert {r["up"] for r in longer if r["down_drops"] > 0} >= {6000, 30000}


def test_ten_uploads(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = _rows(bidirectional["fig-7"], order="together")
    against = _column(rows, "against_one")
    assert f"within a fifth of that with one upload in {sum(abs(a) <= 0.2 for a in against)} of {len(rows)}." in errata
    assert min(against) == pytest.approx(-0.5, abs=0.01)  # up to a half lower
    found = {r["tp_s"]: r["correlation"] for r in _rows(bidirectional["estimate"], uploads=10, up="all")}
    assert f"(correlation {found[NEAR]:.2f} at tp = 20 ms, {found[FAR]:.2f} at 100 ms)" in errata


def test_queues_over_time(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = bidirectional["fig-8"].rows
    near = _rows(bidirectional["fig-8"], tp_s=NEAR, window="128 kB")
    up, down = (f"{_rounded(fmean(_column(near, key)))}" for key in ("halvings_up", "halvings_down"))
    assert f"{up} halvings a minute against {down}." in errata
    found = {k: _range(_column(rows, k)) for k in ("down_at_up_overflow", "down_median", "down_empty_at_up_overflow")}
    assert (
        f"({found['down_at_up_overflow']} % of its buffer; its median at any time is {found['down_median']} %" in errata
    )
    assert f"at most one packet waits there in {found['down_empty_at_up_overflow']} % of the overflows)" in errata
    least, at_once = (_column(bidirectional["fig-9"].rows, k) for k in ("least_in_rtt", "at_zero"))
    assert f"{max(least):.2f} to {min(least):.2f} with a lag" in errata
    assert f"between {max(at_once):+.2f} and {min(at_once):.1f} without a lag." in errata


def test_half_the_downlink(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = _rows(bidirectional["half-the-downlink"], order="together")
    by = {(r["acks"], r["tp_s"]): r for r in rows}
    near, far = by["delayed", NEAR], by["delayed", FAR]
    assert f"({near['crossing']:.1f} of 50; ns-2 {near['ns2_crossing']:.1f}; {far['crossing']:.1f} at 100" in errata
    assert f"{far['crossing']:.1f} at 100 ms, ns-2 {far['ns2_crossing']:.1f})" in errata
    near, far = by["every packet", NEAR], by["every packet", FAR]
    assert f"({near['crossing']:.1f}, ns-2 {near['ns2_crossing']:.1f}; {far['crossing']:.1f} at 100" in errata
    assert f"{far['crossing']:.1f} at 100 ms, ns-2 {far['ns2_crossing']:.1f}, where" in errata

    def sizes(acks: str, tp: float) -> str:
        return f"{by[acks, tp]['satisfying_from']} to {by[acks, tp]['satisfying_to']}"

    assert f"{sizes('delayed', NEAR)} packets with delayed acknowledgements, {sizes('every packet', NEAR)} wi" in errata
    assert f"At 100 ms the ranges overlap ({sizes('delayed', FAR)}, {sizes('every packet', FAR)})" in errata
    assert f"the best size keeps {_range(r['best_kept'] for r in rows if r['tp_s'] == FAR)} %." in errata


def test_below_half(errata: str, bidirectional: dict[str, Any]) -> None:
    def of(name: str, tp: float, key: str) -> list[float]:
        return _column(_rows(bidirectional[name], range="below half", tp_s=tp), key)

    shares = {tp: of("fig-10-1", tp, "upload_share") + of("fig-10-2", tp, "upload_share") for tp in (NEAR, FAR)}
    said = f"{_range(shares[NEAR])} % of what they get alone at tp = 20 ms, {_range(shares[FAR])} % at 100 ms."
    assert f"They keep {said}" in errata
    ratios = of("fig-10-1", NEAR, "ratio") + of("fig-10-1", FAR, "ratio")
    use = {tp: _range(of("fig-10-1", tp, "down_use")) for tp in (NEAR, FAR)}
    assert (
        f"the ratio is {min(ratios):.1f} to {max(ratios):.0f} and, at tp = 20 ms, the downlink {use[NEAR]} % busy "
        f"({use[FAR]} % at 100 ms)." in errata
    )


def test_six_packets(errata: str, readme: str, bidirectional: dict[str, Any]) -> None:
    by = {(r["acks"], r["simulator"]): r for r in bidirectional["six-packets"].rows}
    ours, theirs = by["delayed", "ours"], by["delayed", "ns-2"]
    low, high = (_range((r["lowest"], r["highest"])) for r in (ours, theirs))
    assert f"They keep {low} %, in ns-2 {high} %, depending" in errata
    every = [by["every packet", simulator] for simulator in ("ours", "ns-2")]
    low, high = (_range((r["lowest"], r["highest"])) for r in every)
    assert f"without delayed acknowledgements {low} %, in ns-2 {high} %: see below" in errata
    assert f"{_percent(ours['loss'])} % against {100 * ours['loss_alone']:.1f} % alone, " in errata
    lost = f"{_percent(every[0]['loss'])} % against {100 * every[0]['loss_alone']:.1f} %."
    assert f"without delayed acknowledgements {lost}" in errata
    at_5_ms = [f"{100 * r['at_5_ms']:.1f}" for r in (ours, theirs)]
    assert f"the upload keeps {at_5_ms[0]} % here and {at_5_ms[1]} % in ns-2." in errata
    middle = {key: f"{100 * r['share']:.1f}" for key, r in by.items()}
    delayed = f"{middle['delayed', 'ours']} and {middle['delayed', 'ns-2']} %"
    assert f"the medians are {delayed} with delayed acknowledgements" in errata
    assert f"{middle['every packet', 'ours']} and {middle['every packet', 'ns-2']} % without" in errata
    assert f"(six packets: {delayed} of the uplink)" in readme


def test_steps(errata: str, bidirectional: dict[str, Any]) -> None:
    middle = {r["acks"]: r for r in _rows(bidirectional["steps"], kind="median")}
    every, delayed = middle["every packet"], middle["delayed"]
    assert (
        f"The largest step is {_percent(every['largest'])} % (median over eight distances; ns-2 "
        f"{_percent(every['ns2_largest'])} %), with them {_percent(delayed['largest'])} % (ns-2 "
        f"{_percent(delayed['ns2_largest'])} %)." in errata
    )
    assert f"{_percent(delayed['jumps'])} % against {_percent(delayed['ns2_jumps'])} % in ns-2 with delayed" in errata
    assert f"{_percent(every['jumps'])} against {_percent(every['ns2_jumps'])} % without" in errata
    single = {acks: _rows(bidirectional["steps"], kind="one distance", acks=acks) for acks in middle}
    found = [_range(_column(single[acks], k)) for acks in ("delayed", "every packet") for k in ("jumps", "ns2_jumps")]
    assert f"{found[0]} and {found[1]} %, {found[2]} and {found[3]} %)" in errata

    def means(low: float, high: float, acks: str) -> str:
        rows = [r for r in single[acks] if low <= r["distance_s"] <= high]
        return f"{_percent(fmean(_column(rows, 'jumps')))} and {_percent(fmean(_column(rows, 'ns2_jumps')))} %"

    near = [means(0.002, 0.008, acks) for acks in ("delayed", "every packet")]
    far = [means(0.011, 0.017, acks) for acks in ("delayed", "every packet")]
    assert f"({near[0]} on average; {near[1]} without" in errata
    assert f"{far[0]}, {far[1]}." in errata


def test_wimax_alone(errata: str, bidirectional: dict[str, Any]) -> None:
    upload = _rows(bidirectional["section-5-alone"], way="upload")
    assert f"| {1e-6 * upload[0]['goodput']:.3f}, {_range(_column(upload, 'off'))} % more:" in errata


def test_wimax_links(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = bidirectional["section-5"].rows
    assert f"`section-5` lists {len(rows)} of 1,536 links" in errata
    assert f"the best within {100 * min(_column(rows, 'off')):.1f} %." in errata
    assert f"is {_span(_column(rows, 'estimate'))}. They" in errata
    ups, downs = (f"{min(v):,} to {max(v):,} B" for v in ([int(r[k]) for r in rows] for k in ("up", "down")))
    assert f"({ups} up, {downs} down)" in errata


def test_wimax_in_packets(errata: str, bidirectional: dict[str, Any]) -> None:
    exhibit = bidirectional["section-5-packets"]
    together = _rows(exhibit, buffers="50 packets both ways", order="together")

    def ratios(buffers: str, *windows: int, digits: tuple[int, int] = (1, 1)) -> str:
        rows = [r for r in _rows(exhibit, buffers=buffers) if r["window"] in windows]
        low, high = min(_column(rows, "lowest")), max(_column(rows, "highest"))
        return f"{low:.{digits[0]}f} to {high:.{digits[1]}f}"

    assert f"On the {sum(r['links'] for r in together)} links that fit:" in errata
    hundred = "100 packets both ways"
    assert f"{ratios(hundred, SMALL, digits=(2, 2))} with 100 packets and windows of 64 kB" in errata
    assert f"{ratios(hundred, LARGE)} with 128 kB; {ratios('50 packets both ways', SMALL, LARGE)} with 50" in errata
    assert f"{ratios('as many packets', SMALL, LARGE, digits=(1, 0))} with as many packets" in errata


def test_windows_of_the_upload(errata: str, bidirectional: dict[str, Any]) -> None:
    best = {n: _range(_column(_rows(bidirectional["upload-window"], best=True, uploads=n), "kept")) for n in (2, 10)}
    assert f"if each has half the window ({best[2]} % kept);" in errata
    assert f"with ten, even one packet each is too much ({best[10]} %)." in errata
    ten = _rows(bidirectional["upload-window"], uploads=10, order="together")
    above = [1e-3 * r["up_queue"] for r in ten if r["window"] >= 9000]
    assert f"above, it is {_numbers(above)} kB of 75 with every window." in errata


def test_fair_queueing(errata: str, bidirectional: dict[str, Any]) -> None:
    rows = _rows(bidirectional["cures"], line="the paper's link")
    kept = {(r["cure"], r["uploads"]): r["kept"] for r in rows}
    one = [kept[cure, 1] for cure in ("DRR", "FQ-CoDel", "CAKE", "CAKE, ACK filter")]
    assert f"With one upload ({_range(one)} % kept; SFQ by packets {_percent(kept['SFQ', 1])} %)." in errata
    cake = _range(kept[cure, 10] for cure in ("CAKE", "CAKE, ACK filter"))
    assert (
        f"DRR keeps {_percent(kept['DRR', 10])} %, FQ-CoDel {_percent(kept['FQ-CoDel', 10])} %, SFQ by packets "
        f"{_percent(kept['SFQ', 10])} %; CAKE, which shares by host, {cake} %." in errata
    )


FIGURES = {
    "Fig. 6 | 20 ms": ("figure-6", NEAR, "together"),
    "Fig. 1, three seeds | 20 ms": ("figures-1-2", NEAR, "together"),
    "the same, medians over starts | 20 ms": ("figures-1-2", NEAR, "12 starts"),
    "Fig. 10.1 | 20 ms": ("figure-10", NEAR, "together"),
    "Fig. 10.1 | 100 ms": ("figure-10", FAR, "together"),
    "Fig. 10.2 | 20 ms": ("figure-10-2", NEAR, "together"),
    "Fig. 10.2 | 100 ms": ("figure-10-2", FAR, "together"),
}


def test_table_of_ns2(readme: str, bidirectional: dict[str, Any]) -> None:
    for label, (figure, tp, order) in FIGURES.items():
        (row,) = _rows(bidirectional["ns2"], figure=figure, tp_s=tp, order=order, halves="whole packets")
        keys = ("download_median", "download_worst", "upload_median", "upload_worst", "ratio_median")
        cells = " | ".join(f"{100 * row[k]:.1f} %" if row[k] < 0.0995 else f"{_percent(row[k])} %" for k in keys)
        assert f"| {label} | {row['runs']} | {cells} |" in readme
    fractions = {
        figure: _rows(bidirectional["ns2"], figure=figure, tp_s=NEAR, halves="bytes")[0]["ratio_median"]
        for figure in ("figure-6", "figure-10")
    }
    said = f"the ratio of Fig. 6 is {100 * fractions['figure-6']:.1f} % off and that of Fig. 10.1 "
    assert f"{said}{100 * fractions['figure-10']:.1f} %." in readme
    (row,) = _rows(bidirectional["ns2"], figure="figure-10-2", tp_s=NEAR)
    assert f"differ by up to {_percent(row['upload_worst'])} %," in readme


def test_crossings(readme: str, bidirectional: dict[str, Any]) -> None:
    by = {(r["acks"], r["tp_s"]): r for r in _rows(bidirectional["half-the-downlink"], order="together")}
    (far,) = _rows(bidirectional["ns2"], figure="figure-10", tp_s=FAR, halves="whole packets")
    near = _rows(bidirectional["ns2"], figure="figure-10", tp_s=NEAR, halves="whole packets")[0]
    assert f"at {by['delayed', NEAR]['crossing']:.1f} packets (2,000 s" in readme
    assert f"{near['crossing']:.1f} with ns-2's buffer sizes" in readme
    assert f"{near['ns2_crossing']:.1f} with" in readme
    assert f"at {by['delayed', FAR]['crossing']:.1f} with tp = 100 ms ({far['crossing']:.1f} with its sizes; " in readme
    assert f"ns-2 {far['ns2_crossing']:.1f})." in readme
    each = [by["every packet", tp] for tp in (NEAR, FAR)]
    assert (
        f"at {each[0]['crossing']:.1f} (ns-2 {each[0]['ns2_crossing']:.1f}), and at {each[1]['crossing']:.1f} "
        in readme
    )
    assert f"with tp = 100 ms (ns-2 {each[1]['ns2_crossing']:.1f})" in readme


def test_what_the_whole_paper_takes(
    readme: str, bidirectional: dict[str, Any], reproductions: dict[str, Reproduction]
) -> None:
    assert bidirectional["cures"].rows  # the whole of it
    made = reproductions["bidirectional-tcp"]
    assert f"about {round(made.runs, -2):,} runs with {1e-9 * made.packets:.2f} billion packets" in readme


def test_page_of_the_theory(theory_page: str, bidirectional: dict[str, Any]) -> None:
    first = bidirectional["fig-5"].rows[0]
    case_1, case_2, case_3 = (_percent(first[f"case_{n}"]) for n in (1, 2, 3))
    assert f"counts {case_2} % of the time in case 2, {case_3} % in case 3 and {case_1} % in case 1" in theory_page
    # the last overflow is 50 ms before the end of the run
    assert f"after each of {first['overflows_down'] - 1} overflows of the downlink" in theory_page
    assert f"which is {first['lag_rtts']:.1f} round trips after the drop." in theory_page
    whole = {(r["uploads"], r["tp_s"]): r for r in _rows(bidirectional["estimate"], up="all")}
    for label, row in (("Fig. 6, tp = 100 ms", whole[1, FAR]), ("Fig. 7 (ten uploads), tp = 20 ms", whole[10, NEAR])):
        cells = f"{row['correlation']:.3f} | {_percent(row['off'])} % | {_percent(row['worst']):+d} %"
        assert f"| {label} | 48 | {cells} |" in theory_page
    near = whole[1, NEAR]
    assert f"| {near['correlation']:.3f} (ns-2's own: {near['ns2_correlation']:.3f}) |" in theory_page
    assert f"uplink's queue shorter (see 1) | 4 | | {_percent(near['off_supposed'])} % |" in theory_page
    assert f"uplink's queue longer | 20 | | {_percent(near['off_too_long'])} % |" in theory_page
    apart = f"{whole[10, NEAR]['correlation']:.3f} | {_percent(whole[10, NEAR]['spread_off'])} %"
    assert f"| the same, losses one at a time | 48 | {apart} |" in theory_page
    limited = _rows(bidirectional["fig-6"], order="together", tp_s=NEAR, limit="window")
    small = _range(r["off"] for r in limited if r["window"] < SMALL)
    assert f"where windows are the limit, r is {small} % above at tp = 20 ms." in theory_page
    assert f"So r is up to {1 + near['worst']:.1f} times the estimate." in theory_page


def test_crossings_on_the_page_of_the_theory(theory_page: str, bidirectional: dict[str, Any]) -> None:
    rows = {r["acks"]: r for r in _rows(bidirectional["half-the-downlink"], order="together", tp_s=NEAR)}
    ours, theirs = (
        [f"{rows[acks][key]:.1f}" for acks in ("delayed", "every packet")] for key in ("crossing", "ns2_crossing")
    )
    said = f"The ratio falls below k at {ours[0]} and {ours[1]} packets (ns-2: {theirs[0]} and {theirs[1]})."
    assert said in theory_page
