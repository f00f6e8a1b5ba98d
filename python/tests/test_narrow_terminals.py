"""Tables on narrow terminals: no number is cut."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from eddyline.cli.entry import main
from eddyline.tables import print_table, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(params=["1", "20", "40"])
def narrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> int:
    """A terminal of so many columns."""
    monkeypatch.setenv("COLUMNS", request.param)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    capsys.readouterr()
    return int(request.param)


def test_numbers_are_whole_and_names_are_broken(narrow: int, capsys: pytest.CaptureFixture[str]) -> None:
    made = table("", "flow", ["goodput", "RTT p99"])
    made.add_row("the download of the attic", "8.456 Mbit/s", "46.78 ms")
    print_table(made)
    out = capsys.readouterr().out
    assert "8.456 Mbit/s" in out
    assert "46.78 ms" in out
    assert "\u2026" not in out
    assert max(map(len, out.splitlines())) <= max(narrow, 12 + 12 + 8 + 3 * 3)


def test_a_run_can_be_read(
    narrow: int, scenario: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert narrow < 50
    assert main(["run", str(scenario()), "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "\u2026" not in out
    assert "utilisation" in out
    assert "Mbit/s" in out
