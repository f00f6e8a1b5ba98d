"""Numbers in the errata and readings of the VFAST paper are those of the exhibits that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find

from .thin import SLOW

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Reproduction
    from eddyline.reports.exhibit import Row

pytestmark = pytest.mark.skipif(not SLOW, reason="whole exhibits: `make papers`")


def _text(*parts: str) -> str:
    return " ".join(find("vfast").folder.joinpath(*parts).read_text("utf-8").split())


@pytest.fixture(scope="module")
def errata() -> str:
    return _text("ERRATA.md")


@pytest.fixture(scope="module")
def readings() -> str:
    return _text("exhibits.toml")


@pytest.fixture(scope="module")
def rows(reproductions: dict[str, Reproduction]) -> dict[str, list[Row]]:
    return {exhibit.id: list(exhibit.rows) for exhibit in reproductions["vfast"].exhibits}


def _of(rows: list[Row], **wanted: Any) -> list[Row]:
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    assert found
    return found


def test_figure_16(errata: str, readings: str, rows: dict[str, list[Row]]) -> None:
    by = {row["recovery"]: row for row in rows["fig-16"]}
    fast, vfast = by["SACK"]["fast"] / 1e6, by["SACK"]["vfast"] / 1e6
    assert f"95 % of the link ({fast:.1f} of 96.2 Mbit/s), VFAST {100 * (vfast / fast - 1):.1f} % more" in errata
    assert f"fills {100 * fast / 96.154:.0f} % of the link" in readings
    timer = [by["timer"][sender] / 1e6 for sender in ("fast", "vfast")]
    assert f"to the timer: {timer[0]:.1f} and {timer[1]:.1f} Mbit/s" in errata
    assert f"since rates are {100 * (vfast / fast - 1):.1f} % higher" in errata


def test_steps_of_the_window(errata: str, rows: dict[str, list[Row]]) -> None:
    (once,) = _of(rows["fluctuating"], profile="ns2-1.1.3", sender="VFAST, once an update")
    assert f"and {100 * (once['window_step_ratio'] - 1):.0f} % larger in the module's" in errata


def test_totals_of_scenario_3(readings: str, rows: dict[str, list[Row]]) -> None:
    shared = {
        (row["setting"], row["sender"]): row["share"] for row in _of(rows["scenario-3-totals"], phase="20 to 80 s")
    }
    assert all(share > 0.999 for (setting, _), share in shared.items() if setting.endswith("SACK"))
    newreno, timer = shared["40 ms, NewReno", "VFAST"], shared["100 ms, timer", "VFAST"]
    assert f"VFAST has {100 * newreno:.0f} % of it with NewReno, and {100 * timer:.0f} % where the timer" in readings


def test_spurious_timeouts(errata: str, rows: dict[str, list[Row]]) -> None:
    jitter = _of(rows["jitter-timeouts"], by="jitter")
    window = _of(jitter, flow="a window", spread="100 ms")
    assert all(row["per_hour"] == 0 for row in _of(window, correlation="none"))
    lasting = [row for row in window if row["correlation"] != "none"]
    assert min(row["per_hour"] for row in _of(lasting, rule="eq. 6")) > 900  # some 1,000
    assert f"RFC 6298 {max(row['per_hour'] for row in _of(lasting, rule='RFC 6298')):.0f} at most" in errata
    held = _of(jitter, flow="one packet", floor="200 ms", rule="RFC 6298", frto=False)
    often = [row["per_hour"] for row in _of(held, spread="100 ms")]
    assert f"jitter of 100 ms still causes {min(often):.0f} to {max(often):.0f} an hour" in errata
    assert all(row["per_hour"] == 0 for row in _of(held, spread="20 ms"))
