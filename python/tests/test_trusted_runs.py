"""Runs that a busy machine disturbed: repeated, and never counted. The program is a script with prepared results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import eddyline.live as live
from eddyline.cli import main
from eddyline.errors import UntrustedRun
from eddyline.scenario import Scenario
from eddyline.trusted_runs import TRIES, trusted_run
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GOODPUT = 9e6
TABLE = {
    "duration": "1 s",
    "link": [{"name": name, "rate": "10 Mbit/s", "delay": "20 ms"} for name in ("down", "up")],
    "flow": [{"name": "x", "controller": {"kind": "reno"}, "data": ["down"], "ack": ["up"]}],
    "expect": [{"of": "flow.x", "what": "goodput_bps", "world": "kernel", "at_least": "8 Mbit/s"}],
}


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """Makes the program: its first runs cannot be trusted. Returns the file with a line a run."""

    def make(disturbed: int) -> Path:
        document = Scenario(TABLE).run("sim", series=False).to_dict()
        document["world"] = "kernel"
        document["flows"][0]["goodput_bps"] = GOODPUT
        verdict = {
            "trusted": True,
            "because": [],
            "lateness_s": {"p50": 0.0, "p99": 0.0, "max": 0.0},
            "device_drops": 0,
            "real_time_priority": True,
        }
        for name, because in (("bad", ["a busy machine"]), ("good", [])):
            verdict |= {"trusted": not because, "because": because}
            (tmp_path / name).write_text(json.dumps(document | {"emulation": verdict}))
        runs, program = tmp_path / "runs", tmp_path / "eddyline-live"
        runs.touch()
        choose = f"[ $(wc -l < runs) -gt {disturbed} ] && cat good || cat bad"
        version = "[ $1 = --version ] && echo eddyline-live 0 && exit"
        program.write_text(f"#!/bin/sh\n{version}\ncd '{tmp_path}'\necho run >> runs\n{choose}\n")
        program.chmod(0o755)
        monkeypatch.setenv(live.VARIABLE, str(program))
        monkeypatch.setattr(live, "unavailable", lambda **_: None)
        return runs

    return make


def _number(runs: Path) -> int:
    return len(runs.read_text().splitlines())


def test_a_disturbed_run_is_repeated(prepared: Callable[[int], Path]) -> None:
    runs = prepared(TRIES - 1)
    result = trusted_run(Scenario(TABLE), "kernel", RunOptions(series=False))
    assert result.untrusted == []
    assert _number(runs) == TRIES
    (outcome,) = Scenario(TABLE).check(result)
    assert (outcome["value"], outcome["held"]) == (GOODPUT, True)


def test_disturbed_runs_are_never_passed(
    prepared: Callable[[int], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = prepared(100)
    with pytest.raises(UntrustedRun, match="a busy machine"):
        trusted_run(Scenario(TABLE), "kernel", RunOptions(series=False))
    assert _number(runs) == TRIES
    with pytest.raises(UntrustedRun):
        Scenario(TABLE).check(Scenario(TABLE).run("kernel", series=False))
    given, junit = tmp_path / "scenario.json", tmp_path / "junit.xml"
    given.write_text(json.dumps(TABLE))
    capsys.readouterr()
    assert main(["check", str(given), "--json", "--junit", str(junit)]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["expectations"] == []
    assert "cannot be trusted: a busy machine" in printed.err
    assert 'errors="1"' in junit.read_text()
