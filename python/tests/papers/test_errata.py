"""Numbers in sentences of the errata of the two-way paper are those of the exhibits that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find

if TYPE_CHECKING:
    from eddyline.reports.exhibit import Row


@pytest.fixture(scope="module")
def errata() -> str:
    return " ".join((find("two-way-fast").folder / "ERRATA.md").read_text("utf-8").split())


def _rows(exhibit: Any, **wanted: Any) -> list[Row]:
    rows = [r for r in exhibit.rows if all(r[k] == v for k, v in wanted.items())]
    assert rows
    return rows


def test_late_starts(errata: str, two_way: dict[str, Any]) -> None:
    def rates(starts: str) -> str:
        return ", ".join(f"{r['module']:.1f}" for r in _rows(two_way["example-4-start"], starts=starts))

    assert f"reach {rates('together')} in ns-2 and here" in errata
    assert f"and the rates are {rates('0.155 s late')}; 0.16 s late, {rates('0.16 s late')}." in errata
    for row in _rows(two_way["example-4-start"], starts="together"):
        assert row["module"] == pytest.approx(row["reference"], abs=0.05)


def test_example_4(errata: str, two_way: dict[str, Any]) -> None:
    (row,) = _rows(two_way["table-1"], example=4)
    assert f"ratio of alphas is {row['alpha_ratio']:.0f}, the threshold of eq. 17 is {row['theta']:.1f}" in errata
    loads = {f"{r['forward_use']:.0%}" for r in _rows(two_way["switching"], case="Example 4")}
    assert loads == {"73%"}
    assert "the forward link is loaded to 73 %" in errata
    used = _rows(two_way["utilisation"], example=4, link="backward", wire=1040)[0]
    assert 0.15 < 1.0 - used["module"] / used["before"] < 0.2  # by nearly a fifth


def test_switching(errata: str, two_way: dict[str, Any]) -> None:
    module = {r["rtt_s"]: r for r in _rows(two_way["switching"], link="balanced", profile="ns-2 profile")}
    lost = {rtt: 1.0 - r["of_theory"] for rtt, r in module.items()}
    assert f"At 2 ms nothing is lost ({100 * lost[0.002]:.2f} %)" in errata
    assert f"switch {module[0.002]['switches_per_s']:.0f} times a second" in errata
    assert f"{100 * lost[0.02]:.0f} % at 20 ms, {100 * lost[0.2]:.0f} % at 200 ms" in errata
    most = max(1.0 - r["of_theory"] for r in _rows(two_way["switching"], link="balanced", profile="clean"))
    assert f"loses at most {100 * most:.1f} % at any round trip" in errata


def test_both_links_full(errata: str, two_way: dict[str, Any]) -> None:
    least = min(r["least_use"] for r in _rows(two_way["balance"], place=1.0))
    assert least >= 0.9999
    assert "loads of 99.99 % and more in every sweep" in errata
    assert f"1 / (1 + b) = {100 / 1.04:.1f} % of each" in errata


def test_stability(errata: str, two_way: dict[str, Any]) -> None:
    spreads = {r["example"]: r for r in two_way["table-1"].rows}
    first, fourth = (f"{100 * spreads[example]['spread']:.1f} %" for example in (1, 4))
    assert f"varies by {first} in Example 1 and {fourth} in Example 4" in errata
    assert max(r["spread_5s"] for r in spreads.values()) < 0.005  # less than half a percent
    assert all(r["window_spread"] < 1e-6 for r in spreads.values())
    rows = _rows(two_way["stability-both-ways"], bottlenecks="one")
    roots = [r for r in rows if r.get("difference") is not None]
    assert max(abs(r["difference"]) for r in roots) < 2e-8  # to 2e-8 a round trip
    unlike = [(r["network"], r["by"]) for r in rows if r["alike"] == "no"]
    assert [by for _, by in unlike] == ["packets, clean"]  # one of 34 links
    assert f"in one of {len({r['network'] for r in rows})} links" in errata
    loads = [r["largest_load"] for r in _rows(two_way["stability-both-ways"], by="packets, ns-2 profile")]
    assert f"with a load of {100 * min(loads):.0f} % in the worst of the links tried" in errata


def test_balance_lowers_the_bottlenecks_use(errata: str, two_way: dict[str, Any]) -> None:
    rows = _rows(two_way["balance"], sweep="alpha, c_F / c_B = 1")
    least = min(rows, key=lambda r: float(r["u_bottleneck"]))
    assert least["place"] == 1.0
    assert f"it is lowest there, {100 * least['u_bottleneck']:.1f} %" in errata


def test_dips_with_the_film(errata: str, two_way: dict[str, Any]) -> None:
    deepest = {(r["way"], r["flow"]): r["deepest"] for r in two_way["fig-4"].rows}
    first, second = (100 * deepest["forward", flow] / deepest["backward", flow] for flow in ("flow 1", "flow 2"))
    assert f"they are {first:.0f} % (flow 1) and {second:.0f} % (flow 2) as deep as with the film backward" in errata


def test_starts_of_example_5(two_way: dict[str, Any]) -> None:
    rows = {r["case"]: r for r in _rows(two_way["switching"], link="Example 5", profile="ns-2 profile")}
    assert rows["Example 5, 1 ms late"]["switches_per_s"] > 30
    assert rows["Example 5, 2 ms late"]["switches_per_s"] < 0.1  # rarer than once in ten seconds
    assert rows["Example 5, 2 ms late"]["unlike"] == pytest.approx(0.03, abs=0.005)
    assert rows["Example 5, 100 ms late"]["unlike"] == pytest.approx(1.0, abs=0.05)  # a factor of two


def test_the_film(errata: str, two_way: dict[str, Any]) -> None:
    film = [r for r in two_way["film"].rows if r["way"] in ("backward", "both")]
    losses = [100 * r["module_loss"] for r in film]
    assert f"the flows lose {min(losses):.1f} to {max(losses):.1f} %" in errata
    means = sorted({round(r["theory"]) for r in film}, reverse=True)
    assert f"theory with the mean load says {means[0]} and {means[1]}" in errata
    loads = {
        wire: " and ".join(
            dict.fromkeys(
                f"{r['load'] / 1e6:.1f}"
                for way in ("backward", "both")
                for r in _rows(two_way["film-load"], way=way, wire=wire)
            )
        )
        for wire in (1000, 1040)
    }
    assert f"need {loads[1000]} Mbit/s of a 10 Mbit/s link ({loads[1040]} with headers)" in errata
    spreads = [100 * r["spread"] for r in _rows(two_way["fig-4"], way="backward")]
    assert f"vary by {min(spreads):.0f} to {max(spreads):.0f} % of their mean" in errata
