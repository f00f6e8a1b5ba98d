"""Advice for the line of a home: the table of access types, the settings, before and after."""

from __future__ import annotations

import json
import os
import re
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import eddyline as el
import eddyline._core as _core
import eddyline.kinds as kinds
from eddyline.adviser import search
from eddyline.adviser.access import Access
from eddyline.adviser.candidates import Queues
from eddyline.adviser.cases import screening
from eddyline.adviser.experience import SEEDS, experiences, scenario
from eddyline.adviser.home import HomeAdvice, advise_home, curves
from eddyline.adviser.isp import FIELDS, OPTIONAL, isp, isps
from eddyline.adviser.line import line
from eddyline.cli import main
from eddyline.cli.advice_text import show_home
from eddyline.errors import InputError
from eddyline.latency import GRADES
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path

ORDER = [name for _, name in GRADES] + ["F"]
PRESETS = {"docsis": "docsis-3.1", "vdsl2": "vdsl2", "adsl": "adsl2+", "lte": "lte", "starlink": "starlink"}
SMALL = {
    "lte": ("5 Mbit/s", "2 Mbit/s"),
    "starlink": ("5 Mbit/s", "2 Mbit/s"),
    "docsis": ("20 Mbit/s", "4 Mbit/s"),
    "vdsl2": ("20 Mbit/s", "5 Mbit/s"),
    "fttp": ("20 Mbit/s", "6 Mbit/s"),
}
"""Rates at which a run is short."""
WIRED = ("docsis", "vdsl2", "fttp")
SLOW = "EDDYLINE_SLOW" in os.environ


# The table.


def test_rates_that_seem_swapped_are_remarked_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "lines of this type rarely carry more up than down; perhaps --down and --up are swapped"
    assert isp("docsis").remarks("20 Mbit/s", "250 Mbit/s") == [f"250 Mbit/s up and 20 Mbit/s down: {said}"]
    assert isp("vdsl2").remarks("5 Mbit/s", None) == [f"10 Mbit/s up and 5 Mbit/s down: {said}"]
    # as they are, symmetric fibre, and a measurement of it
    for down, up in ((None, None), ("300 Mbit/s", "300 Mbit/s"), ("870 Mbit/s", "930 Mbit/s")):
        assert isp("fttp").remarks(down, up) == []

    def stop(*_: object, **__: object) -> None:
        raise InputError("the search begins")

    monkeypatch.setattr("eddyline.adviser.home.advise_home", stop)
    assert main(["advise", "--isp", "cable", "--down", "20 Mbit/s", "--up", "250 Mbit/s"]) == 2
    assert capsys.readouterr().err.startswith(f"note: 250 Mbit/s up and 20 Mbit/s down: {said}\n")


def test_rates_that_seem_to_be_in_another_unit_are_remarked_on() -> None:
    said = "lines of this type usually have some 250 Mbit/s; perhaps another unit was meant"
    assert isp("docsis").remarks("250 kbit/s", "25 Mbit/s")[-1] == f"down 250 kbit/s: {said}"
    assert isp("docsis").remarks("5 Mbit/s", "1 Mbit/s") == []


def test_cells_are_remarked_on_where_rates_are_given() -> None:
    assert isp("adsl").remarks(None, None) == []
    assert isp("adsl").remarks("14 Mbit/s", None, "vdsl") == []
    (said,) = isp("adsl").remarks("14 Mbit/s", None)
    # 1460 bytes of payload in 1500 and 40, which take 33 cells of 53: 16.5 %
    assert "the rates that the modem shows; a speed test has 17% less" in said


def test_the_table_has_every_number_with_a_source() -> None:
    assert set(isps()) == {"docsis", "vdsl2", "adsl", "fttp", "lte", "starlink"}
    for each in isps().values():
        assert set(FIELDS) <= set(each.figures) <= {*FIELDS, *OPTIONAL}
        assert each.title
        assert each.wan
        for name, figure in each.figures.items():
            assert len(figure.source) >= len("assumption"), (each.name, name)
        for name in ("down", "up"):
            assert _core.quantity("rate", each.text(name)) >= 1e6
        assert 0.01 < _core.quantity("time", each.text("rtt")) < 0.1
        assert 0.4 <= each.share < 1
        line(each.line)  # raises where it is unknown


@pytest.mark.parametrize(
    ("said", "name"), [("cable", "docsis"), ("DOCSIS", "docsis"), ("fiber", "fttp"), ("VDSL", "vdsl2"), ("4G", "lte")]
)
def test_everyday_names(said: str, name: str) -> None:
    assert isp(said).name == name
    every = [other for each in isps().values() for other in (each.name, *each.also)]
    assert len(set(every)) == len(every)


@pytest.mark.parametrize(("name", "preset"), PRESETS.items())
def test_what_is_said_to_be_a_presets_is(name: str, preset: str) -> None:
    (known,) = [p for p in kinds.presets() if p["name"] == preset]
    for way in ("down", "up"):
        figure = isp(name).figures[f"buffer_{way}"]
        if not figure.source.startswith(f"preset {preset}"):
            assert figure.assumed
            continue
        limit = known[way]["queue"]["limit"]
        given = str(figure.value)
        if given.endswith("packets"):
            assert limit == given
        else:  # a time, at the preset's rate
            bits = _core.quantity("time", given) * _core.quantity("rate", known[way]["rate"])
            assert _core.quantity("bytes", limit) == pytest.approx(bits / 8)


@pytest.mark.parametrize("name", ["lte", "starlink"])
def test_lines_whose_rate_varies_follow_a_profile_and_leave_room(name: str) -> None:
    assert isp(name).profile == name
    assert isp(name).share < min(isp(wired).share for wired in WIRED)
    assert all(isp(wired).profile is None for wired in WIRED)


def test_a_line_whose_rate_varies_is_drawn_several_times() -> None:
    kind, access = isp("lte"), Access.of("2 Mbit/s", "1 Mbit/s", "70 ms", share=0.5)
    (found,) = experiences(kind, access, [None], (2e6, 1e6))
    table = scenario(kind, access, None, (2e6, 1e6))
    runs = [Scenario({**table, "seed": seed}).run(series=False).to_dict() for seed in range(1, SEEDS + 1)]
    loaded = [run["probes"][0]["http_s"]["mean"] for run in runs]
    assert len(set(loaded)) == SEEDS
    assert found.loaded_s == pytest.approx(fmean(loaded), rel=1e-12)
    assert found.upload_bps == pytest.approx(
        fmean(sum(f["goodput_bps"] for f in run["flows"] if f["name"].startswith("uploads[")) for run in runs)
    )


def test_the_shaper_is_in_front_of_the_line_up_and_behind_it_down() -> None:
    kind = isp("vdsl2")
    access = Access.of("50 Mbit/s", "10 Mbit/s", "30 ms", line_name="vdsl", share=0.9)
    cake = {"kind": "cake", "limit": "4194304 B", "rtt": "100 ms", "ack_filter": "none"}
    before, after = (scenario(kind, access, q, (50e6, 10e6)) for q in (None, Queues(cake, cake)))
    assert [link["name"] for link in before["link"]] == ["down", "up"]
    rates = {link["name"]: link["rate"] for link in after["link"]}
    assert rates["down"] == "50000000 bit/s"
    shapers = {link["name"]: link["queue"] for link in after["link"]}
    assert (shapers["shaper down"]["bandwidth"], shapers["shaper up"]["bandwidth"]) == (
        "45000000 bit/s",
        "9000000 bit/s",
    )
    assert rates["shaper up"] == "1000000000 bit/s"  # it spaces packets and does not hold them
    assert shapers["shaper up"]["framing"] == before["link"][1]["framing"]
    flows = {flow["name"]: flow for flow in after["flow"]}
    assert flows["downloads"]["data"] == ["down", "shaper down"]
    assert flows["uploads"]["data"] == ["shaper up", "up"]
    assert after["link"][0] == before["link"][0]  # the line keeps its own buffer
    for table in (before, after):
        Scenario(table)  # raises where it is invalid


# Before and after.


def advised(name: str, monkeypatch: pytest.MonkeyPatch) -> HomeAdvice:
    """The advice; among CAKE's candidates and by the first cases only, unless the test may take long."""
    if SLOW:
        return advise_home(name)
    monkeypatch.setattr(search, "cases", screening)
    return advise_home(name, *SMALL.get(name, ("8 Mbit/s", "3 Mbit/s")), have="cake")


@pytest.mark.parametrize("name", sorted(isps()))
def test_the_advice_makes_the_line_better(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = advised(name, monkeypatch)
    before, after = home.before, home.after
    assert before.grade is not None
    assert after.grade is not None
    assert ORDER.index(after.grade) < ORDER.index(before.grade)
    assert before.loaded_s is not None
    assert after.loaded_s is not None
    assert after.loaded_s - after.idle_s < 0.6 * (before.loaded_s - before.idle_s)
    assert (after.responsiveness_rpm or 0.0) > 1.4 * (before.responsiveness_rpm or 1e9)
    down, up = home.rates_bps
    assert after.download_bps < isp(name).share * down
    assert after.upload_bps < isp(name).share * up
    if name in WIRED:
        assert after.grade in ("A+", "A")
        assert after.download_bps > 0.8 * down
        assert after.upload_bps > 0.65 * up
    devices = {re.search(r" dev (\S+) ", each)[1] for each in home.advice.tc}  # type: ignore[index]
    assert devices == {isp(name).wan, "br-lan"}
    assert home.sqm_pages["Basic Settings"].startswith(f"interface {isp(name).wan}, download ")


def test_latency_is_that_of_requests_under_load() -> None:
    home = el.advise_home("adsl", "3 Mbit/s", "1 Mbit/s", "20 ms", downloads=1, uploads=1, prefer="latency")
    best = home.advice.choice.best
    assert best.request_s == home.after.loaded_s
    rows = [row for row in home.advice.choice.by_family if row.outcome.share >= best.outcome.share]
    assert best.request_s <= 1.05 * min(row.request_s for row in rows)
    assert home.to_dict()["improves"] is (home.after.loaded_s <= home.before.loaded_s)
    for made in (home.before, home.after):
        drawn = curves(made.series)
        for way, rate_bps in zip(("downloads", "uploads"), home.rates_bps, strict=True):
            # more than the line carries would be a false picture, half of it no loaded line
            assert 0.5 * rate_bps < max(drawn[way][1]) <= rate_bps


def test_the_probe_does_not_fill_a_slow_line() -> None:
    """Ten connections a second would be more than CAKE gives one of three hosts: 950 B each of 23 kB/s."""
    home = advise_home("adsl", "2 Mbit/s", "192 kbit/s", have="cake")
    assert home.improves
    assert home.after.unanswered < 0.01
    assert home.after.loaded_s < 0.3 < home.before.loaded_s


def test_the_figure_shows_how_long_a_stalled_user_waits() -> None:
    """None of this user's round trips ends for 7.5 s here: the line must not stay at the time of the last one."""
    after = advise_home("adsl", "16 Mbit/s", "1 Mbit/s", have="pie").after
    assert after.loaded_p99_s is not None
    times, waits = curves(after.series)["latency"]
    assert max(waits) > 0.9 * after.loaded_p99_s
    stalled = times.index(7.5), times.index(14.0)
    assert [round(wait, 9) for wait in waits[stalled[0] : stalled[1] + 1]] == [1.0 + n / 4 for n in range(27)]
    # without load each round trip takes as long as the one before: no value is new, and nobody waits longer
    assert max(wait for time, wait in zip(times, waits, strict=True) if time <= 5.0) < 0.06
    recorded = after.series[(after.series["entity"] == "ping") & (after.series["quantity"] == "rtt_s")]["value"]
    assert all(wait >= trip for wait, trip in zip(waits, recorded, strict=True))


def test_progress_counts_all_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of requests behind each candidate, which come first, and of the line before and after."""
    shares: list[float] = []
    monkeypatch.setattr(search, "cases", screening)
    advise_home("adsl", "2 Mbit/s", "640 kbit/s", have="cake", done=lambda done, all_: shares.append(done / all_))
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert sum(share <= 0.3 for share in shares) > 5
    assert shares[-3] < 0.95
    assert shares[-2:] == [0.975, 1.0]


def test_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(search, "cases", screening)
    figure = tmp_path / "home.svg"
    typed = ["advise", "--isp", "vdsl2", "--down", "8 Mbit/s", "--have", "cake", "--plot", str(figure)]
    assert main(typed) == 0
    out = capsys.readouterr().out
    assert "--up is not given, 10 Mbit/s is usual (preset vdsl2)" in out
    assert "--down is not given" not in out
    assert "Basic Settings: interface pppoe-wan, download 7600 kbit/s, upload 9500 kbit/s" in out
    assert "ingress: nat dual-dsthost rtt 100000us ptm, egress: nat dual-srchost" in out
    assert "per packet overhead 30, minimum packet size (MPU) 0" in out
    assert "Expect grade A" in out
    drawn = figure.read_text("utf-8")
    assert drawn.startswith("<?xml")

    assert main([*typed[:5], "--have", "cake", "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["isp"]["usual"] == ["up", "rtt"]
    assert document["isp"]["figures"]["buffer_up"]["value"] == "128 packets"
    assert document["before"]["grade"] > document["after"]["grade"].rstrip("+")
    assert document["measured"] == {"down_bps": 8e6, "up_bps": 10e6}
    assert document["shaped"]["share"] == 0.95
    assert "uci set sqm.pppoe_wan.script='piece_of_cake.qos'" in document["sqm"]
    assert document["sqm"][0] == "uci set sqm.pppoe_wan='queue'"
    assert document["sqm"][-1] == "uci commit sqm && /etc/init.d/sqm restart"


def test_no_settings_where_the_line_is_to_stay_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(search, "cases", screening)
    monkeypatch.setattr(HomeAdvice, "improves", property(lambda _: False))
    assert main(["advise", "--isp", "vdsl2", "--down", "8 Mbit/s", "--have", "cake", "--share", "90%"]) == 0
    out = capsys.readouterr().out
    assert "Leave the line as it is" in out
    assert "nearest queue" in out
    assert "Shaped to 90.0 %" in out
    assert ("Nearest queue: CAKE" in out, "CAKE (nearest)" in out, "dvised" in out) == (True, True, False)
    for setting in ("uci", "Queue Discipline", "Expect grade", "after"):
        assert setting not in out


def test_delay_that_a_profile_adds_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Starlink's has up to 15 ms each way; LTE's varies the rate alone: a request takes longer."""
    monkeypatch.setattr(search, "cases", screening)
    for name, down, up in (("starlink", "4 Mbit/s", "1 Mbit/s"), ("lte", "500 kbit/s", "200 kbit/s")):
        home = advise_home(name, down, up, rtt="20 ms", have="fifo")
        added_s = home.profile_delay_s
        if name == "starlink":  # the mean of as many draws as the table's, where 300 B up and 1500 B down take 5.4 ms
            assert home.before.idle_s == pytest.approx(0.0254 + added_s, abs=0.0003)
        show_home(home)
        assert "in the mean to 20 ms" in capsys.readouterr().out
        assert 0.005 < added_s < 0.03, (name, added_s)


@pytest.mark.parametrize(
    ("line_name", "wan"),
    [
        (None, "pppoe-wan"),
        ("vdsl", "pppoe-wan"),
        ("bridged-ptm", "wan"),
        ("ethernet", "wan"),
        ("pppoa-vcmux", "pppoa-wan"),
    ],
)
def test_lines_with_ppp_have_its_interface(line_name: str | None, wan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "cases", screening)
    home = advise_home("vdsl2", "8 Mbit/s", "2 Mbit/s", line=line_name, have="fifo")
    section = wan.replace("-", "_")
    assert home.sqm[0] == f"uci set sqm.{section}='queue'"
    assert f"uci set sqm.{section}.interface='{wan}'" in home.sqm


@pytest.mark.parametrize(("have", "twice_s"), [("cake", 0.0), ("fifo", 0.0), ("fq_codel", 1749 * 8 / 5.7e6)])
def test_a_shaper_does_not_slow_an_idle_line(have: str, twice_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request has 8 ATM cells, its answer 33, transmitted once each; FQ-CoDel's link holds the answer again."""
    monkeypatch.setattr(search, "cases", screening)
    home = advise_home("adsl", "6 Mbit/s", "640 kbit/s", have=have)
    trip = 0.049 + 8 * 53 * 8 / 640e3 + 33 * 53 * 8 / 6e6
    assert home.before.idle_s == pytest.approx(trip, rel=0.001)
    assert home.after.idle_s == pytest.approx(trip + twice_s, rel=0.01)


def test_a_slow_line_has_room_for_a_packet() -> None:
    """40 ms of 200 kbit/s are 1000 B."""
    access = Access.of("200 kbit/s", "50 kbit/s", "20 ms")
    table = scenario(isp("fttp"), access, None, (200e3, 50e3))
    limits = {link["name"]: link["queue"]["limit"] for link in table["link"]}
    assert limits == {"down": "1 packets", "up": "1 packets"}
    assert scenario(isp("fttp"), access, None, (400e3, 50e3))["link"][0]["queue"]["limit"] == "40 ms"
    Scenario(table)


@pytest.mark.parametrize("share", ["95", "0", "0%", "-5%", "101 %", "most", "nan"])
def test_a_share_is_a_number_or_in_percent(share: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--isp", "vdsl2", f"--share={share}"]) == 2
    assert f"{share!r} is not a share above 0 and at most 1, as in 0.95 or 95%" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after", "better"), [(0.08, 0.02, True), (0.08, 0.21, False), (None, 0.1, True), (0.08, None, False)]
)
def test_settings_that_make_the_line_worse_are_no_advice(before, after, better):
    experiences = {"before": SimpleNamespace(loaded_s=before), "after": SimpleNamespace(loaded_s=after)}
    assert HomeAdvice.improves.fget(SimpleNamespace(**experiences)) is better


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--isp", "dokcis"], "did you mean docsis?"),
        (["--isp", "cabel"], "did you mean cable? access types are docsis, vdsl2,"),
        (["--isp", "zzz"], "access types are docsis, vdsl2, adsl, fttp, lte, starlink"),
        (["--isp", "lte", "--down", "ten"], "unknown unit"),
        (["--isp", "lte", "--have", "linux"], "sqm"),
        (["--isp", "lte", "--wan", "a; rm"], "is not the name of an interface"),
        (["--isp", "lte", "--plot", "home.bmp"], ".png"),
        (["--down", "10 Mbit/s", "--up", "1 Mbit/s", "--rtt", "20 ms", "--plot", "a.png"], "--isp"),
        (["--down", "10 Mbit/s"], "--up, --rtt missing"),
    ],
)
def test_wrong_input_runs_nothing(typed: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *typed]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_shares_outside_the_line_are_refused() -> None:
    from eddyline.adviser import advise

    with pytest.raises(InputError, match="outside 0 to 1"):
        advise("8 Mbit/s", "1 Mbit/s", "20 ms", share=1.5)
