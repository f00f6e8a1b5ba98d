"""The command, its document, its folder, and user controllers."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import COMMAND, environment

import eddyline as el
from eddyline.cli import main
from eddyline.evaluation import EXPERIMENTS, Evaluation, evaluate
from eddyline.folder_manifest import write as write_manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

    Command = Callable[..., Ran]

ROOT = Path(__file__).parents[3]
OWN_RENO = ROOT / "examples" / "controllers" / "reno.py"
KINDS = [k["name"] for k in json.loads(el._core.register())["controllers"] if k["only_in"] is None]

SHY = '''\
import eddyline as el


@el.register("shy")
class Shy:
    """Grows until it loses something, then raises an error."""

    def __init__(self, path):
        self.cwnd = path.initial_window

    def on_ack(self, ack):
        self.cwnd += ack.acked

    def on_loss(self, loss):
        raise RuntimeError("no idea what to do now")

    def on_timeout(self, timeout):
        pass
'''


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_same_call_gives_the_same_bytes(eddyline: Command, installed: Command, tmp_path: Path) -> None:
    call = ["evaluate", "vegas", "--quick", "--only", "sharing", "--seeds", "1", "--json", "--out"]
    one, two = eddyline(*call, "one", "--jobs", 1), installed(*call, "two", "--jobs", 3)
    assert one.code == two.code == 0, one.err
    assert one.out == two.out
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_the_result_folder(eddyline: Command, tmp_path: Path) -> None:
    call = ["evaluate", "reno", "tahoe", "--quick", "--only", "buffers,trace", "--out", "here"]
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "evaluation.json").write_text("an earlier one")
    write_manifest(tmp_path / "here")
    ran = eddyline(*call)
    assert ran.code == 0, ran.err
    assert "report: here/report.html" in ran.out
    found = files(tmp_path / "here")
    assert {"report.html", "evaluation.json", "sheets/reno.png", "sheets/tahoe.png", "plots/buffers.png"} <= set(found)
    assert {"data/buffers.csv", "data/trace-tahoe.csv", "data/figures.csv"} <= set(found)
    page = found["report.html"].decode()
    assert all(f'id="{name}"' in page for name in ("buffers", "trace", "figures"))
    assert 'src="http' not in page
    document = json.loads(found["evaluation.json"])
    assert document["version"] == 3
    assert [c["kind"] for c in document["controllers"]] == ["reno", "tahoe"]
    assert [e["id"] for e in document["experiments"]] == ["buffers", "trace"]
    (tmp_path / "here" / "mine.txt").write_text("mine")
    assert eddyline(*call).code == 2


def test_a_user_controller_is_measured_beside_built_in_ones(eddyline: Command) -> None:
    """The example's Reno sends the same packets as the built-in one: every number of the two is the same."""
    call = ["evaluate", "reno", "my-reno", "--controllers", OWN_RENO, "--only", "step,trace", "--quick", "--json"]
    ran = eddyline(*call)
    assert ran.code == 0, ran.err
    reno, own = json.loads(ran.out)["figures"]
    assert own.pop("controller") != reno.pop("controller")
    assert own == reno
    assert reno["overshoot_s"] > 0


def test_a_controller_that_raises_leaves_other_results_intact(eddyline: Command, tmp_path: Path) -> None:
    (tmp_path / "shy.py").write_text(SHY)
    call = ["evaluate", "reno", "shy", "--controllers", "shy.py", "--only", "step", "--quick", "--seeds", "1"]
    ran = eddyline(*call, "--json", "--out", "out")
    assert ran.code == 1
    assert ran.err.count("RuntimeError: no idea what to do now") == 1
    assert "shy.py" in ran.err
    document = json.loads(ran.out)
    assert {f["controller"] for f in document["failures"]} == {"shy"}
    assert "no idea what to do now" in document["failures"][0]["error"]
    assert document["figures"][0]["overshoot_s"] > 0
    assert document["figures"][1]["overshoot_s"] is None
    assert "no idea what to do now" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["cubik"], "did you mean cubic"),
        (["reno", "--only", "shareing"], "did you mean sharing"),
        (["fast", "--set", "alpah=5 packets"], "--set alpah=5 packets: unknown key"),
        (["fast", "--set", "alpah=5 packets"], "did you mean alpha"),
        (["reno", "--queue", "dualpi"], "did you mean dualpi2"),
        (["reno", "--set", "cubic.beta=0.5"], "'cubic' is not evaluated here"),
        (["reno", "--seeds", "0"], "0"),
        ([], "KIND"),
        (["mine", "--controllers", "none.py"], "none.py"),
    ],
)
def test_wrong_input_runs_and_writes_nothing(
    args: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", *args, "--out", "out"]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""
    assert not (tmp_path / "out").exists()


def test_parameters_go_to_one_kind_or_to_all() -> None:
    one = evaluate(["reno", "cubic"], parameters={"cubic.beta": "0.5"}, only=["trace"], quick=True)
    assert [dict(s.parameters) for s in one.subjects] == [{}, {"beta": "0.5"}]
    falls = [
        row["largest_window_packets"] / row["least_window_packets"] for m in one.measured.values() for row in m.rows
    ]
    assert falls == pytest.approx([2.0, 2.0], rel=0.02)  # CUBIC's own is 1 / 0.7
    both = evaluate(["reno", "newreno"], parameters={"slow_start": "hystart++"}, only=["trace"], quick=True)
    assert all(dict(s.parameters) == {"slow_start": "hystart++"} for s in both.subjects)


def test_a_full_disk_loses_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "out/index.html")

    monkeypatch.setattr(Evaluation, "write", full)
    call = ["evaluate", "reno", "--quick", "--only", "trace", "--json", "--quiet", "--out", str(tmp_path / "out")]
    assert main(call) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["controllers"] == [{"kind": "reno", "parameters": {}}]
    assert said.err == "error: out/index.html: No space left on device\n"


def test_the_terminal_shows_a_table_for_each_and_one_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "reno", "cubic", "--quick", "--only", "step"]) == 0
    printed = capsys.readouterr().out
    assert "Capacity step" in printed
    assert "In a few numbers" in printed


def test_completion_of_kinds_and_experiments() -> None:
    def complete(line: str) -> list[str]:
        env = {
            **environment(),
            "_EDDYLINE_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(line.count(" ")),
        }
        p = subprocess.run([COMMAND], capture_output=True, text=True, env=env, timeout=60, cwd=os.curdir)
        return [each.partition(",")[2] for each in p.stdout.splitlines()]

    assert complete("eddyline evaluate cub") == ["cubic"]
    assert "bbr3" in complete("eddyline evaluate reno bbr")
    assert complete("eddyline evaluate reno --only step,sha") == ["step,sharing"]


def test_the_page_explains_every_column() -> None:
    page = (ROOT / "docs" / "guides" / "evaluate.md").read_text()
    for e in EXPERIMENTS.values():
        assert f"`{e.name}`" in page
        for column in (*e.columns, *e.figure_columns):
            assert f"`{column.key}`" in page, (e.name, column.key)


@pytest.mark.parametrize("kind", KINDS)
def test_every_controller_has_its_sheet_on_its_page(kind: str) -> None:
    sheet = ROOT / "docs" / "images" / "controllers" / f"{kind}.png"
    assert 10_000 < sheet.stat().st_size < 90_000
    pages = [p.read_text() for p in (ROOT / "docs" / "controllers").glob("*.md")]
    assert sum(f"images/controllers/{kind}.png" in page for page in pages) == 1
