"""Tables on narrow terminals: no number is cut."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import pytest

from eddyline.cli.entry import main
from eddyline.tables import print_table, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    for name, value in (("COLUMNS", f"{columns}"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


@pytest.mark.parametrize("columns", [1, 20, 45])
def test_numbers_are_whole_and_names_are_broken(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(monkeypatch, columns)
    made = table("", "flow", ["goodput", "RTT p99"])
    made.add_row("the download of the attic", "8.456 Mbit/s", "46.78 ms")
    print_table(made)
    out = click.unstyle(capsys.readouterr().out)
    assert "8.456 Mbit/s" in out
    assert "46.78 ms" in out
    assert "\u2026" not in out
    assert max(map(len, out.splitlines())) == max(columns, 41)


def test_a_dumb_terminal_is_as_wide_as_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(monkeypatch, 160)
    monkeypatch.setenv("TERM", "dumb")
    made = table("", "flow", [f"column {n}" for n in range(10)])
    made.add_row("download", *["8.456 Mbit/s"] * 10)
    print_table(made)
    out = capsys.readouterr().out
    assert out.count("8.456 Mbit/s") == 10
    assert "download" in out
    assert "\u2026" not in out


def test_a_run_can_be_read(
    scenario: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(monkeypatch, 20)
    assert main(["run", str(scenario()), "--quiet"]) == 0
    out = click.unstyle(capsys.readouterr().out)
    assert "\u2026" not in out
    assert "utilisation" in out
    assert "Mbit/s" in out
