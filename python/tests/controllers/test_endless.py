"""A controller that never returns: Ctrl-C and --timeout end it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from conftest import COMMAND, environment, heed

import eddyline as el

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = """\
import sys
import eddyline as el

class Endless(el.Controller):
    def __init__(self, path: el.PathFacts):
        self.cwnd = 10.0

    def on_ack(self, ack):
        sys.stderr.write("looping\\n")
        sys.stderr.flush()
        while True:
            pass

    def on_loss(self, loss):
        pass

    def on_timeout(self, timeout):
        pass

el.register("endless", Endless)
"""

WORDS = ("--controllers", "endless.py", "--set", "flow.*.controller={ kind = 'endless' }")


@pytest.fixture
def folder(tmp_path: Path, scenario) -> Path:
    scenario()
    (tmp_path / "endless.py").write_text(ENDLESS)
    return tmp_path


@pytest.mark.parametrize("words", [(), ("--seeds", "2")])
def test_the_first_ctrl_c_is_heard(folder: Path, words: tuple[str, ...]) -> None:
    line = [str(COMMAND), "run", "two-way.toml", *WORDS, *words]
    pipe = subprocess.PIPE
    options = {"stdout": pipe, "stderr": pipe, "text": True, "env": environment(), "cwd": folder}
    with subprocess.Popen(line, preexec_fn=heed, **options) as p:
        try:
            assert p.stderr is not None
            assert "looping" in p.stderr.readline()  # two threads may write into one line
            began = time.monotonic()
            p.send_signal(signal.SIGINT)
            out, err = p.communicate(timeout=60)
        finally:
            p.kill()
    assert (p.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert err.endswith("interrupted\n")
    assert time.monotonic() - began < 30  # it would never end by itself


def test_a_point_of_a_sweep_ends_by_its_timeout(eddyline, folder: Path) -> None:
    vary = ("--vary", "flow.*.controller.kind=newreno,endless", "--controllers", "endless.py")
    scenario = folder / "two-way.toml"
    text = scenario.read_text().replace('kind = "fast", alpha = "20 packets"', 'kind = "newreno"')
    scenario.write_text(text.replace('kind = "fast", alpha = "10 packets"', 'kind = "newreno"'))
    ran = eddyline("sweep", scenario, *vary, "--out", "g", "--timeout", "1 s", "--json", "--workers", 1)
    d = json.loads(ran.out)
    assert (ran.code, d["done"], d["failed"]) == (1, 1, 1)
    assert d["failures"][0]["why"] == "timeout: not finished after 1 s"


def test_a_test_of_the_gauntlet_too(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    try:
        import endless  # noqa: F401
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("endless", None)
    card = el.gauntlet.run("endless", only=["line-1m"], seeds=2, timeout_s=0.5)
    assert card.verdicts[0].error == "timeout: not finished after 0.5 s"


def test_nothing_is_imported_before_ctrl_c_is_handled() -> None:
    code = (
        "import sys; before = set(sys.modules); from eddyline.cli import main; print(sorted(set(sys.modules) - before))"
    )
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=60)
    assert p.stdout == "['__future__', 'eddyline', 'eddyline.cli']\n"


def test_a_run_waits_for_an_import_of_another_one():
    """Runs in threads import what they need as they come to it: one may find the other's module half made."""
    script = """\
import importlib.abc, sys, threading
from eddyline.controllers.endless import interruptible

inside, go = threading.Event(), threading.Event()

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "eddyline.controllers.plugins":
            inside.set()
            go.wait(0.3)

sys.meta_path.insert(0, Slow())
threading.Thread(target=__import__, args=("eddyline.controllers.registry",)).start()
inside.wait()
print(interruptible(lambda _: "ran", None))
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (ran.stdout, ran.stderr) == ("ran\n", "")
