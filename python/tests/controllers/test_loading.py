"""Files that are loaded again, after edits and after one another."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from conftest import TWO_WAY

import eddyline as el
from eddyline.controllers.registry import files_of

if TYPE_CHECKING:
    from pathlib import Path

ONE = """from limits import PACKETS
import eddyline as el

@el.register("one-window", source="RFC 9999", files=["limits.py"])
class One(el.Controller):
    def __init__(self, path):
        self.cwnd = PACKETS + {more}
    def on_ack(self, ack): pass
    def on_loss(self, loss): pass
    def on_timeout(self, timeout): pass
"""


def test_a_text_that_was_loaded_before_counts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit and its undoing, another file in between, and a change of what it imports."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    file, other, limits = (tmp_path / name for name in ("one.py", "other.py", "limits.py"))
    limits.write_text("PACKETS = 20.0\n")
    table = {**tomllib.loads(TWO_WAY), "duration": "1 s", "warmup": "0 s"}

    def window() -> float:
        scenario = el.Scenario(table, set={"flow.*.controller": {"kind": "one-window"}})
        return float(scenario.run(series=False).flows["window_packets.max"].iloc[0])

    try:
        for more in (0.0, 10.0, 0.0):
            file.write_text(ONE.format(more=more))
            el.load_controllers(file)
            assert window() == 20.0 + more
        el.unregister("one-window")
        for _ in range(2):
            el.load_controllers(file)
            assert (window(), files_of("one-window")) == (20.0, (limits,))
        other.write_text(ONE.format(more=5.0))
        with pytest.warns(UserWarning, match=r"one-window is that of .*other\.py, which replaces that of .*one\.py"):
            el.load_controllers(other)
        assert window() == 25.0
        limits.write_text("PACKETS = 40.0\n")
        with pytest.warns(UserWarning, match=r"limits\.py has changed since it was imported"):
            el.load_controllers(other)
        assert window() == 25.0
    finally:
        el.unregister("one-window")
        sys.modules.pop("limits", None)
