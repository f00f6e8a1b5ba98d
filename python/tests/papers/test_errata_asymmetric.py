"""Numbers in sentences of the errata of the letter are those of the exhibits that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find

if TYPE_CHECKING:
    from eddyline.reports.exhibit import Row


@pytest.fixture(scope="module")
def errata() -> str:
    return " ".join((find("asymmetric-fast").folder / "ERRATA.md").read_text("utf-8").split())


def _rows(exhibit: Any, **wanted: Any) -> list[Row]:
    rows = [r for r in exhibit.rows if all(r[k] == v for k, v in wanted.items())]
    assert rows
    return rows


def test_random_networks(errata: str, asymmetric: dict[str, Any]) -> None:
    rows = asymmetric["stability"].rows
    networks = {(r["case"], r["kind"]) for r in rows}
    predicted = sum(r["integrator"] == "oscillates" for r in rows)
    simulated = sum(r["simulated"] == "oscillates" for r in rows)
    assert f"Of {len(rows)} cases ({len(networks)} random networks, 30 of them with two kinds of sender)" in errata
    assert f"predicts oscillation in {predicted}; packets oscillate in {simulated}." in errata
    (tally,) = _rows(asymmetric["stability-tally"], model="integrator, eq. 2", sender="all")
    assert tally["both_oscillate"] + tally["only_model"] == predicted
    assert tally["both_oscillate"] + tally["only_packets"] == simulated


def test_the_equilibrium_of_eq_15(errata: str, asymmetric: dict[str, Any]) -> None:
    (row,) = _rows(asymmetric["k-f-sweep"], k_f=4.0)
    printed, theorem = (f"{row[key] / 1e6:.0f}" for key in ("eq_15", "theorem"))
    assert f"{printed} Mbit/s at k_f = 4 where Theorem 1 (and every simulation) says {theorem}" in errata


def test_the_loop(errata: str, asymmetric: dict[str, Any]) -> None:
    figures = [r for r in asymmetric["loop"].rows if r["setting"].startswith("Fig.")]
    assert all(r["printed"] == "unstable" for r in asymmetric["loop"].rows)
    assert max(r["printed_gain_margin"] for r in figures) <= 0.001
    assert all(r["counted"] == "unstable" for r in asymmetric["loop"].rows if r["k_f"] >= 1)
    assert all(r["corrected"] == "stable" for r in figures)
    margins = [r["corrected_gain_margin"] for r in figures]
    assert f"gain margin {min(margins):.1f} to {max(margins):.1f}" in errata
    (poles,) = {r["right_poles_20"] for r in figures if r["setting"] == "Fig. 2"}
    assert f"poles of eq. 20 in the right half plane ({poles:,} at Fig. 2)" in errata
    (ratio,) = {round(r["d_over_q0"], 6) for r in figures if r["setting"] == "Fig. 2"}
    assert f"d / q_0 = {ratio} < 1" in errata


def test_the_boundary_at_gamma_1(errata: str, asymmetric: dict[str, Any]) -> None:
    unstable = [r["rho"] for r in _rows(asymmetric["d-over-q0"], u=1.0, integrator="unstable")]
    assert (
        f"At gamma = 1 it is unstable where queueing is {100 * max(unstable):.0f} % of the round trip or less" in errata
    )
    assert all(r["integrator"] == "stable" for r in _rows(asymmetric["d-over-q0"], u=0.5))


def test_throughput_by_alpha(errata: str, asymmetric: dict[str, Any]) -> None:
    rows = asymmetric["alphas"].rows
    assert f"to {100 * max(-r['clean_off'] for r in rows):.1f} % from a single packet on" in errata
    assert all(abs(r["module_off"]) < 1e-3 for r in rows if r["alpha"] >= 30)
    most = max(-r["module_off"] for r in _rows(asymmetric["alphas"], alpha=10))
    assert f"With 10 it has up to {100 * most:.1f} % less" in errata
    few = [-r["module_off"] for r in rows if r["alpha"] <= 3]
    fast = [-r["module_off"] for r in rows if r["alpha"] <= 3 and r["k_f"] <= 4]
    assert f"with 1 to 3 it has {100 * min(fast):.0f} to {100 * max(few):.1f} % less up to k_f = 4" in errata
