"""The memory budget of a run."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

import eddyline.memory as memory
from eddyline.cli import main

if TYPE_CHECKING:
    from pathlib import Path

HUGE = """
duration = "10 s"
link = [{ name = "f", rate = "10 Mbit/s", delay = "10 ms" }, { name = "b", rate = "10 Mbit/s", delay = "10 ms" }]
[[flow]]
name = "a"
data = ["f"]
ack = ["b"]
controller = { kind = "fast", alpha = "10 packets", min_window = "9223372036854775808 packets" }
"""


def test_a_run_ends_at_its_budget_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "huge.toml", tmp_path / "out"
    file.write_text(HUGE)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert main(["run", str(file), "--out", str(out), "--memory", "64 MiB"]) == 1
    said = capsys.readouterr().err
    for part in ("out of memory", 'link "f"', "queue.limit is unlimited", 'flow "a"', "--memory"):
        assert part in said
    assert not out.exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # in KiB


@pytest.mark.parametrize(("text", "size"), [("2 GB", 2 * 10**9), ("512MiB", 512 << 20), ("0.5 kB", 500)])
def test_sizes(text: str, size: int) -> None:
    assert memory.parse(text) == size


def test_a_wrong_size_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "huge.toml"
    file.write_text(HUGE)
    assert main(["run", str(file), "--memory", "2 pounds"]) == 2
    assert "such as 2 GB" in capsys.readouterr().err


def test_limits_of_the_process_bound_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = memory.available()
    assert memory.budget() <= unlimited
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 40, 1 << 40))
    assert memory.available() <= unlimited
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 20, 1 << 20))
    assert memory.available() == 0
