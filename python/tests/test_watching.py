"""Lines of JSON from a file that grows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eddyline.cli import main
from eddyline.watching import Lines

if TYPE_CHECKING:
    from pathlib import Path


def test_lines_come_once_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with path.open("wb", buffering=0) as writer, path.open("rb") as reader:
        lines = Lines(reader)
        assert list(lines.new()) == []
        writer.write(b'{"time_s": 0.5}\n{"time_s"')
        assert list(lines.new()) == [{"time_s": 0.5}]
        writer.write(b": 1.0}\n")
        assert list(lines.new()) == [{"time_s": 1.0}]


REFUSED = (["--world", "sim"], ["--world", "kernel", "--clock", "virtual"], ["--world", "all"])


@pytest.mark.parametrize("options", REFUSED)
def test_only_runs_in_real_time_can_be_watched(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = {"rate": "1 Mbit/s", "delay": "1 ms"}
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["a"], "ack": ["b"]}
    table = {"duration": "1 s", "link": [link | {"name": name} for name in ("a", "b")], "flow": [flow]}
    given = tmp_path / "scenario.json"
    given.write_text(json.dumps(table))
    assert main(["run", str(given), "--watch", *options]) == 2
    assert "--watch takes one run" in capsys.readouterr().err
