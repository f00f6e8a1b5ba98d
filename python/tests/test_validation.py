"""Agreement of the worlds: the cases are sound, differences beyond a tolerance fail, and what cannot run is said."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import eddyline.live as live
import eddyline.validation.agreement as agreement
from eddyline.cli import main
from eddyline.errors import InputError, UntrustedRun
from eddyline.validation import cases, validate
from eddyline.validation.agreement import values
from eddyline.validation.cases import read

if TYPE_CHECKING:
    from pathlib import Path

QUICKEST = "asymmetric-fig-2"


@pytest.fixture(autouse=True)
def without_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(live.VARIABLE, "")


def test_each_case_compares_quantities_that_its_worlds_know() -> None:
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names)
    found = validate(quick=True)
    for runs in found.runs:
        known = runs.outcomes["sim"].result
        assert known is not None
        for tolerance in runs.case.tolerance:
            assert len(tolerance.why) > 5
            reference = dict(values(known, tolerance))
            assert reference, f"{runs.case.name}: there is no {tolerance.of}"
            assert None not in reference.values()
            assert all(0 < tolerance.allowed(value, value) < abs(value) for value in reference.values() if value)
    assert {each.world for each in found.comparisons} == {"theory", "quic"}
    assert [str(each) for each in found.comparisons if not each.holds] == []
    assert [outcome.why for _, _, outcome in found.skipped] == []
    assert "eddyline-live was not found" in str(found.unavailable["kernel"])


def test_a_difference_beyond_the_tolerance_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in cases() if case.name == QUICKEST)
    # QUIC's acknowledgements are smaller, so the link back lets more of them through
    goodput = replace(case.tolerance[0], worlds=["theory", "quic"])
    assert goodput.quantity == "goodput_bps"
    monkeypatch.setattr(agreement, "cases", lambda: [replace(case, tolerance=[goodput])])
    out = tmp_path / "report"
    assert main(["validate", "--quick", "--worlds", "theory,quic", "--out", str(out)]) == 1
    document = json.loads((out / "agreement.json").read_text())
    assert (document["held"], document["failed"], document["passed"]) == (1, 1, False)
    (theory, quic) = document["cases"][0]["comparisons"]
    assert theory["held"]
    assert not quic["held"]
    assert quic["relative"] > 0.1
    page = (out / "report.html").read_text()
    assert "% FAILED" in page
    assert "<img" in page
    assert (out / "data" / f"{QUICKEST}-comparisons.csv").exists()


def test_worlds_that_cannot_run_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["validate", "--quick", "--only", QUICKEST]
    assert main([*options, "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert "eddyline-live was not found" in document["unavailable"]["kernel"]
    assert list(document["cases"][0]["worlds"]) == ["theory", "sim", "quic"]
    assert main([*options, "--worlds", "kernel"]) == 3
    assert main([*options, "--worlds", "kernle"]) == 2
    assert main(["validate", "--only", "nothing"]) == 2


def test_a_run_that_cannot_be_trusted_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def disturbed(_scenario: object, world: str, *_: object) -> None:
        raise UntrustedRun(world, ["a busy machine"])

    monkeypatch.setattr(agreement, "trusted_run", disturbed)
    found = validate(["theory"], [QUICKEST], quick=True)
    assert found.comparisons == []
    assert not found.passed


def test_without_a_comparison_nothing_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--quick", "--only", QUICKEST, "--worlds", "sim"]) == 1
    assert "0 of 0 comparisons hold" in capsys.readouterr().out


def test_a_tolerance_of_nothing_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "cases.toml"
    file.write_text(
        '[[case]]\nname = "x"\ntitle = "x"\npaper = "two-way-fast"\nscenario = "x.toml"\nscaled = "x"\n'
        '[[case.tolerance]]\nof = "flows"\nquantity = "goodput_bps"\nworlds = ["theory"]\nwhy = "x"\n'
    )
    with pytest.raises(InputError, match="no tolerance"):
        read(file)
