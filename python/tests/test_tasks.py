"""The tasks of eight kinds of users, as scripts: each runs from an empty folder and prints what it says it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import environment, heed
from fork_server import COMMAND

from eddyline.cli import main
from eddyline.scenario import Scenario

TASKS = Path(__file__).parents[2] / "examples" / "tasks"
SCRIPTS = sorted(p for p in TASKS.iterdir() if p.suffix in (".sh", ".py"))
EXPECTED = "#> "


def run(script: Path, folder: Path, *options: str) -> list[str]:
    """Output and errors, as they come, of a script that must end with 0."""
    program = "sh" if script.suffix == ".sh" else sys.executable
    path = f"{COMMAND.parent}:/usr/bin:/bin"
    ran = subprocess.run(
        [program, str(script), *options],
        cwd=folder,
        env=environment() | {"PATH": path, "COLUMNS": "160"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=600,
        preexec_fn=heed,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "Traceback" not in ran.stdout
    return ran.stdout.splitlines()


def missing(expected: list[str], printed: list[str]) -> str | None:
    """The first expected line that is not printed after those before it; "..." stands for anything."""
    lines = iter(" ".join(line.split()) for line in printed)
    for each in expected:
        pattern = re.compile(".*".join(re.escape(" ".join(part.split())) for part in each.split("...")))
        if not any(pattern.search(line) for line in lines):
            return each
    return None


def expectations(script: Path) -> list[str]:
    """What the script says that it prints."""
    lines = script.read_text("utf-8").splitlines()
    return [line.removeprefix(EXPECTED) for line in lines if line.startswith(EXPECTED)]


def test_there_is_a_task_for_each_kind_of_user() -> None:
    names = {script.stem for script in SCRIPTS}
    assert names == {"researcher", "engineer", "tinkerer", "teacher", "learner", "cluster", "traces", "breaker"}
    page = (TASKS / "README.md").read_text("utf-8")
    for script in SCRIPTS:
        assert script.name in page
        assert len(expectations(script)) >= 4


def test_the_check_of_what_is_printed_can_fail() -> None:
    printed = ["a 1   b", "c", "a 2 d"]
    assert missing(["a 1 b", "a ... d"], printed) is None
    assert missing(["c", "b"], printed) == "b"
    assert missing(["a .* d"], printed) == "a .* d"


def test_the_scenario_of_the_readme_comes_with_the_package(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "upload.toml"), "--preset", "upload"]) == 0
    written, example = (Scenario.load(f) for f in (tmp_path / "upload.toml", TASKS.parent / "upload.toml"))
    assert written.sha256 == example.sha256


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_user_of_each_kind_does_the_task(script: Path, tmp_path: Path) -> None:
    printed = run(script, tmp_path, *(["--search"] if script.suffix == ".py" else []))
    assert missing(expectations(script), printed) is None, "\n".join(printed)


@pytest.mark.skipif(find_spec("stable_baselines3") is None, reason="stable-baselines3 is not installed")
def test_the_learner_trains_ppo(tmp_path: Path) -> None:
    printed = run(TASKS / "learner.py", tmp_path)
    assert printed[0] == "training: PPO"
    assert printed[-1] == "improved"
