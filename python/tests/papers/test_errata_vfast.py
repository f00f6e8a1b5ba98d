"""Numbers in sentences of VFAST's errata, readings and pages are those of the exhibits that they name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find
from eddyline.papers.claims import judged, read
from eddyline.papers.vfast import scenario_1, scenario_3
from eddyline.papers.vfast.runs import SENDERS, Case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

FOLDER = find("vfast").folder
DOCS = Path(__file__).parents[3] / "docs"


def _text(file: Path) -> str:
    return " ".join(file.read_text("utf-8").split())


@pytest.fixture(scope="module")
def errata() -> str:
    return _text(FOLDER / "ERRATA.md")


@pytest.fixture(scope="module")
def readings() -> dict[str, str]:
    """What the exhibits say above and below their tables, in one line each."""
    tables = tomllib.loads((FOLDER / "exhibits.toml").read_text("utf-8"))["exhibit"]
    return {t["id"]: " ".join(" ".join((t["reading"], *t.get("notes", ()))).split()) for t in tables if "id" in t}


@pytest.fixture(scope="module")
def theory() -> str:
    return _text(DOCS / "theory" / "vfast.md")


@pytest.fixture(scope="module")
def page() -> str:
    return _text(DOCS / "controllers" / "vfast.md")


@pytest.fixture(scope="module")
def scenario_iii(contexts: dict[str, Context]) -> dict[str, Exhibit]:
    """The tables of scenario III: few runs, so whole ones."""
    made = (scenario_3.figure_totals, scenario_3.table_2, scenario_3.table_3)
    return {e.id: e for e in (build(contexts["vfast"]) for build in made)}


@pytest.fixture(scope="module")
def figure_6(contexts: dict[str, Context]) -> Exhibit:
    return scenario_1.figure_6(contexts["vfast"])


def _rows(exhibit: Any, **wanted: Any) -> list[Row]:
    rows = [r for r in exhibit.rows if all(r[k] == v for k, v in wanted.items())]
    assert rows
    return rows


def _holding(claim: str, exhibit: Exhibit) -> list[str]:
    """The groups in which a claim holds."""
    (verdict,) = judged([c for c in read(FOLDER / "claims.toml") if c.id == claim], {exhibit.id: exhibit})
    return [name for name, outcome in verdict.groups if outcome.holds]


def _range(values: Sequence[float], digits: int) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def test_any_flow_may_have_the_losses(scenario_iii: dict[str, Exhibit]) -> None:
    totals = scenario_iii["scenario-3-totals"]
    several = [r for r in totals.rows if r["sender"] == "VFAST" and r["phase"] in ("20 to 40 s", "40 to 60 s")]
    assert all(r["dropped"] > 0 for r in several)
    # 40 ms, timer: flow 1 loses nothing there, flow 2 hundreds of packets
    assert max(r["sharpest"] for r in several) < 0.55
    alone = _rows(totals, phase="0 to 20 s")
    assert all((r["dropped"], r["sharpest"]) == (0, 1) for r in alone)
    assert _holding("reacts-to-loss", totals) == list(dict.fromkeys(r["setting"] for r in totals.rows))


def test_the_link_in_scenario_3(readings: dict[str, str], scenario_iii: dict[str, Exhibit]) -> None:
    shares = {
        (r["setting"], r["sender"]): r["share"] for r in _rows(scenario_iii["scenario-3-totals"], phase="20 to 80 s")
    }
    full = {key for key, share in shares.items() if share > 0.999}
    assert {key for key in shares if key[0].endswith("SACK")} <= full
    assert ("40 ms, timer", "VFAST") in full  # the others fill it
    newreno, timer = (100 * shares[setting, "VFAST"] for setting in ("40 ms, NewReno", "100 ms, timer"))
    assert (
        f"VFAST has {newreno:.0f} % of it with NewReno, and {timer:.0f} % where the timer repairs every loss at 100 ms"
        in (readings["scenario-3-totals"])
    )


def test_what_had_arrived_before(readings: dict[str, str], contexts: dict[str, Context]) -> None:
    settings = [s for s in scenario_3.SETTINGS if s[1] != "SACK"]
    runs = [Case("scenario-3", sender, *setting).with_series() for setting in settings for sender in SENDERS]
    shares = []
    for result in contexts["vfast"].runner.run_all(runs):
        # every lost packet is sent again until it arrives; what is sent again beyond that had arrived
        again = (
            sum(result.flow(flow)["retransmits"] for flow in scenario_3.FLOWS) - result.link("forward")["drops"]["data"]
        )
        bits = scenario_3.arrived_bps(result, scenario_3.FLOWS, 20.0, 80.0) * 60.0
        shares.append(100 * again * 8000.0 / bits)
    assert [round(share) for share in (min(shares), max(shares))] == [1, 3]
    assert "without SACK, one to three percent of it had arrived before" in readings["scenario-3-totals"]


def test_swings_of_scenario_3(errata: str, scenario_iii: dict[str, Exhibit]) -> None:
    held = {
        claim: len(_holding(claim, scenario_iii[exhibit]))
        for claim, exhibit in (
            ("queue-swings-less", "table-3"),
            ("window-swings-more", "table-3"),
            ("rate-swings-more", "table-3"),
            ("rtt-swings-less", "table-2"),
            ("rates-a-little-higher", "table-3"),
        )
    }
    assert list(held.values()) == [1, 2, 1, 0, 0]
    assert len(scenario_3.SETTINGS) == 5
    assert (
        "Of five settings the queue swings less in one, every window more in two and every rate more in one; every "
        "round trip swings less, and every rate is higher, in none." in errata
    )


def test_the_link_when_a_flow_leaves(errata: str, readings: dict[str, str], figure_6: Exhibit) -> None:
    unused = {(r["sender"], r["phase"], r["rtt_ms"]): r["unused"] for r in figure_6.rows if r["unused"] is not None}
    second = {sender: [unused[sender, "80 to 100 s", rtt] for rtt in (40.0, 100.0)] for sender in SENDERS}
    third = {sender: max(unused[sender, "60 to 80 s", rtt] for rtt in (40.0, 100.0)) for sender in SENDERS}
    assert f"for {second['VFAST'][0]} round trips of 40 ms and {second['VFAST'][1]} of 100 ms" in errata
    assert f"and for {third['VFAST']} at most when flow 3 leaves" in errata
    fast = f"{second['FAST'][0]} and {second['FAST'][1]}, and {third['FAST']} at most"
    assert f"with FAST, which has no such filter, it is {fast}" in errata
    assert second == {"FAST": [3, 6], "VFAST": [3, 4]}
    assert "for three or four round trips with VFAST, for three to six with FAST" in readings["fig-6"]
    assert all(r["least_after_leaving"] == 0 for r in _rows(figure_6, phase="80 to 100 s"))


def test_shares_that_remain(errata: str, contexts: dict[str, Context]) -> None:
    rows = _rows(scenario_1.figure_4(contexts["vfast"], rtts=(40.0,)), phase="60 to 80 s")
    assert f"shares remain {_range([r['rate'] / 1e6 for r in rows], 0)} Mbit/s" in errata


def test_figure_1(errata: str, vfast: dict[str, Any]) -> None:
    most = max(r["share"] for r in _rows(vfast["fig-1"], case="two round trips"))
    assert f"the swing is {100 * most:.1f} % of the round trip and less" in errata


def test_rerouting(errata: str, vfast: dict[str, Any]) -> None:
    shares = {
        longer: {f"{r['after']:.0%}" for r in _rows(vfast["rerouting"], longer=longer)} for longer in ("30 ms", "60 ms")
    }
    ((thirty,), (sixty,)) = shares.values()
    assert f"{thirty[:-1]} % of 100 Mbit/s for 30 ms, {sixty[:-1]} % for 60 ms" in errata


def test_figure_16(errata: str, readings: dict[str, str], page: str, vfast: dict[str, Any]) -> None:
    rates = {r["recovery"]: [r[s.lower()] / 1e6 for s in SENDERS] for r in vfast["fig-16"].rows}
    (fast, smoothed), timer = rates["SACK"], rates["timer"]
    link = 100 * 1000 / 1040
    more = 100 * (smoothed / fast - 1)
    assert (
        f"has {100 * fast / link:.0f} % of the link ({fast:.1f} of {link:.1f} Mbit/s), VFAST {more:.1f} % more."
        in errata
    )
    assert f"to the timer: {timer[0]:.1f} and {timer[1]:.1f} Mbit/s" in errata
    assert f"since rates are {more:.1f} % higher" in errata
    assert f"FAST already fills {100 * fast / link:.0f} % of the link" in readings["fig-16"]
    assert f"50 ms, SACK | {fast:.1f} Mbit/s | {smoothed:.1f} |" in page
    assert f"losses left to the timer | {timer[0]:.1f} | {timer[1]:.1f} |" in page


def test_oscillation(errata: str, page: str, vfast: dict[str, Any]) -> None:
    rows = [r for r in vfast["fluctuating"].rows if r["sender"] != "FAST"]
    jitter = [r for r in rows if r["profile"] == "clean, on jitter"]
    traffic = [r for r in rows if r not in jitter]
    swings = {
        name: _range([100 * r[key] for r in part for key in ("queue_swing_ratio", "rate_swing_ratio")], 0)
        for name, part in (("traffic", traffic), ("jitter", jitter))
    }
    assert f"are {swings['traffic']} % of FAST's, on a path with jitter {swings['jitter']} %" in errata
    (module,) = (r for r in traffic if (r["profile"], r["sender"]) == ("ns2-1.1.3", "VFAST"))
    assert f"| 1 | {module['queue_swing_ratio']:.2f}, {module['rate_swing_ratio']:.2f} |" in page


def test_steps_of_the_window(errata: str, vfast: dict[str, Any]) -> None:
    steps = {(r["profile"], r["sender"]): 100 * (r["window_step_ratio"] - 1) for r in vfast["fluctuating"].rows}
    every = [step for (_, sender), step in steps.items() if sender == "VFAST"]
    assert f"steps are {_range(every, 0)} % larger than FAST's" in errata
    once = {profile: step for (profile, sender), step in steps.items() if sender == "VFAST, once an update"}
    module = once.pop("ns2-1.1.3")
    smaller = _range([-step for step in once.values()], 0)
    assert f"they are {smaller} % smaller in the clean profile and {module:.0f} % larger in the module's" in errata


def test_ranks_of_the_weights(errata: str, vfast: dict[str, Any]) -> None:
    rows = vfast["psi-rank"].rows
    assert ({r["of"] for r in rows}, len(rows), [r["rank"] for r in rows].count(1)) == ({25}, 6, 1)
    assert sum(r["spread"] < 0.1 for r in rows) == 4
    assert "Rank 1 of 25 by one objective of six; four of the six change by less than a tenth over the grid" in errata


def test_waits_for_a_timeout(errata: str, vfast: dict[str, Any]) -> None:
    waited = [r for r in _rows(vfast["jitter-timeouts"], by="jitter", flow="one packet") if r["wait"] is not None]
    waits = {
        (spread, floor): [r["wait"] for r in waited if (r["spread"], r["floor"]) == (spread, floor)]
        for spread in ("5 ms", "100 ms")
        for floor in ("1 ms", "1 s")
    }
    assert (
        f"{_range(waits['5 ms', '1 ms'], 2)} s at jitter of 5 ms and {_range(waits['100 ms', '1 ms'], 2)} s at 100 ms "
        f"({waits['5 ms', '1 s'][0]:.2f} and {_range(waits['100 ms', '1 s'], 2)} s with a floor of 1 s under 4 V)"
    ) in errata
    assert {f"{wait:.2f}" for wait in waits["5 ms", "1 s"]} == {"1.07"}


def test_spurious_timeouts_of_one_packet(errata: str, readings: dict[str, str], vfast: dict[str, Any]) -> None:
    alone = _rows(vfast["jitter-timeouts"], by="jitter", flow="one packet", rule="RFC 6298", frto=False)
    assert all(r["per_hour"] > 1 for r in alone if r["floor"] == "1 ms")
    held = {
        spread: [r["per_hour"] for r in alone if (r["spread"], r["floor"]) == (spread, "200 ms")]
        for spread in ("20 ms", "100 ms")
    }
    assert f"jitter of 100 ms still causes {_range(held['100 ms'], 0)} an hour, of 20 ms none" in errata
    assert set(held["20 ms"]) == {0}
    independent = _rows(
        vfast["jitter-timeouts"], by="jitter", flow="one packet", floor="1 ms", frto=False, correlation="none"
    )
    shares = [r["per_hour"] / r["standard"] for r in independent if r["rule"] == "eq. 6"]
    assert all(0.5 < share < 0.65 for share in shares)
    assert "eq. 6 is late three fifths as often" in readings["jitter-timeouts"]


def test_spurious_timeouts_of_a_window(
    errata: str, readings: dict[str, str], theory: str, vfast: dict[str, Any]
) -> None:
    found = {
        (r["spread"], r["correlation"], r["rule"]): r["per_hour"]
        for r in _rows(vfast["jitter-timeouts"], by="jitter", flow="a window")
    }
    assert not any(n for (_, correlation, _), n in found.items() if correlation == "none")
    assert "jitter that is independent from packet to packet never makes it expire" in readings["jitter-timeouts"]
    eq_6, standard = ([found["100 ms", t, rule] for t in ("200 ms", "2 s")] for rule in ("eq. 6", "RFC 6298"))
    assert [round(n, -3) for n in eq_6] == [1000, 1000]
    assert f"of 100 ms, eq. 6 has some 1,000 an hour, RFC 6298 {max(standard):.0f} at most" in errata
    assert "by eq. 6 some 1,000 times an hour" in readings["jitter-timeouts"]
    assert standard[1] == 0
    assert (
        f"at 100 ms, eq. 6 has {eq_6[0]:,.0f} and {eq_6[1]:,.0f} spurious timeouts an hour and RFC 6298 "
        f"{standard[0]:.0f} and none, at 20 ms and 200 ms eq. 6 has {found['20 ms', '200 ms', 'eq. 6']:.0f}; "
        "all other cases have none" in theory
    )
    assert sum(n > 0 for n in found.values()) == 4


def test_the_table_of_the_timer(theory: str, vfast: dict[str, Any]) -> None:
    exhibit = vfast["jitter-timeouts"]
    rows = _rows(exhibit, flow="one packet", floor="1 ms", frto=False)
    for row in rows:
        if row["rule"] != "RFC 6298":
            continue
        both = (row, next(r for r in rows if r["rule"] == "eq. 6" and _path(r) == _path(row)))
        # theory, where there is some, comes first
        late = [", ".join(f"{r[k]:.0f}" for k in ("predicted", "per_hour") if r[k] is not None) for r in both]
        wait = [", ".join(f"{1e3 * r[k]:.0f}" for k in ("predicted_wait", "wait") if r[k] is not None) for r in both]
        assert f"| {_path(row)} | {late[0]} | {late[1]} | {wait[0]} ms | {wait[1]} ms |" in theory


def _path(row: Row) -> str:
    if row["by"] == "cross traffic":
        return "0.2 s of cross traffic every 2 s"
    return f"{row['spread']}, {'independent' if row['correlation'] == 'none' else row['correlation']}"


def test_a_floor_of_one_second(readings: dict[str, str], vfast: dict[str, Any]) -> None:
    # a third of a timeout: one in three seeds of ten minutes
    most = max(r["timeouts"] for r in _rows(vfast["spurious"], floor="1 s"))
    assert most == pytest.approx(1 / 3)
    assert "with a floor of one second there is at most one in half an hour" in readings["spurious"]


def test_which_verdicts_depend_on_the_reading(readings: dict[str, str], vfast: dict[str, Any]) -> None:
    depend = {r["claim"] for r in vfast["readings"].rows if r["depends"] != "none"}
    places = {c.id: c.where.split(",")[0] for c in read(FOLDER / "claims.toml")}
    assert {places[claim] for claim in depend} == {"Section V", "Section VI.C", "Section VI.D", "Section VII"}
    assert {claim for claim in depend if places[claim] == "Section V"} == {"unused-as-rtt-falls"}
    assert "in scenario I, for how many round trips the link is not fully used" in readings["readings"]
    assert "delays, swings and rates of scenario III" in readings["readings"]
    assert depend & {"random-loss-queue", "higher-utilisation"}
    assert "in scenario IV whether queue and rate exceed FAST's by more than chance" in readings["readings"]
