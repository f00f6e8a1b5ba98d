"""Latency under load: probes, responsiveness, grades."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.cli import main
from eddyline.latency import GRADES, grade
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def rrul(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rrul") / "rrul.toml"
    assert main(["init", str(file), "--preset", "rrul"]) == 0
    return file


def probe(file: Path, queue: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["run", str(file), "--set", f"link.*.queue.kind={queue}", "--set", "duration=20 s", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["probes"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("increase_s", "expected"),
    [(0.0049, "A+"), (0.005, "A"), (0.03, "B"), (0.06, "C"), (0.2, "D"), (0.4, "F"), (9.0, "F"), (-0.001, "A+")],
)
def test_grades(increase_s: float, expected: str) -> None:
    assert grade(0.02, 0.02 + increase_s) == expected


def test_what_a_grade_leaves_out_is_said_where_it_is_explained(rrul: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--help"]) == 0
    assert "without the TCP and TLS handshakes before it" in " ".join(capsys.readouterr().out.split())
    assert "under load, without the handshakes before it" in rrul.read_text("utf-8")


def test_a_grade_needs_both_latencies() -> None:
    assert grade(None, 0.1) is None
    assert grade(0.1, None) is None
    assert [bound for bound, _ in GRADES] == sorted(bound for bound, _ in GRADES)


def test_rrul_shows_bufferbloat_and_its_cure(rrul: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Full buffers add up to 300 ms to every round trip; FQ-CoDel adds next to nothing for new connections."""
    full, cured = probe(rrul, "droptail", capsys), probe(rrul, "fq_codel", capsys)
    # request of 300 B at 10 Mbit/s, response of 1,500 B at 50 Mbit/s, 10 ms each way
    idle = 0.02 + 300 * 8 / 10e6 + 1500 * 8 / 50e6
    assert full["idle_s"] == cured["idle_s"] == pytest.approx(idle, rel=1e-9)
    assert 0.1 < full["http_s"]["mean"] - idle < 0.31
    assert grade(idle, full["http_s"]["mean"]) in ("C", "D")
    assert grade(idle, cured["http_s"]["mean"]) == "A+"
    assert full["responsiveness_rpm"] < 500 < 1500 < cured["responsiveness_rpm"]


def test_the_table_has_responsiveness_and_grade(rrul: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(rrul), "--set", "duration=15 s"]) == 0
    out = capsys.readouterr().out
    assert "RPM" in out
    assert "grade" in out


def test_presets_that_are_whole_scenarios_are_suggested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "x.toml"), "--preset", "rull"]) == 2
    assert "rrul" in capsys.readouterr().err


TWO = """
duration = "10 s"
link = [
    { name = "f", rate = "10 Mbit/s", delay = "10 ms", queue = { kind = "droptail", limit = "1 BDP" } },
    { name = "b", rate = "10 Mbit/s", delay = "10 ms" },
]
[[flow]]
name = "a"
data = ["f"]
ack = ["b"]
count = 2
controller = { kind = "newreno" }
"""


def runs(file: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[list[float], str]:
    """Goodputs of the first flow by seed, and what was said on standard error."""
    assert main(["run", str(file), "--seeds", "4", "--json", *options]) == 0
    told = capsys.readouterr()
    return [r["flows"][0]["goodput_bps"] for r in json.loads(told.out)["runs"]], told.err


def test_seeds_vary_starts_where_nothing_else_is_random(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TWO)
    goodputs, told = runs(file, capsys)
    assert len(set(goodputs)) == 4
    assert "nothing in the scenario is random" in told
    assert "100 ms" in told
    same, told = runs(file, capsys, "--start-jitter", "0 s")
    assert len(set(same)) == 1
    assert "repetitions are identical" in told
    assert runs(file, capsys, "--start-jitter", "100 ms") == (goodputs, "")


def test_seeds_of_a_random_scenario_start_as_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TWO.replace('delay = "10 ms" },\n]', 'delay = "10 ms", loss = 0.01 },\n]'))
    goodputs, told = runs(file, capsys)
    assert told == ""
    assert goodputs == [Scenario.load(file, set={"seed": s}).run().flows["goodput_bps"][0] for s in range(4)]
