"""Runs that Ctrl-C or a kill ends, at any moment: exit codes, what is said, and what stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import COMMAND, environment, heed

DROPPED = """\
import signal
import eddyline as el

class Finalizer:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

class Unused(el.Controller):
    def __init__(self, path: el.PathFacts):
        self.cwnd = 10.0

    on_ack = on_loss = on_timeout = lambda self, event: None

Finalizer()
el.register("unused", Unused)
"""
LONG = (('duration = "4 s"', 'duration = "100 h"'),)


def start(*args: object) -> subprocess.Popen[str]:
    words, pipe = [str(COMMAND), *map(str, args)], subprocess.PIPE
    return subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, env=environment(), preexec_fn=heed)


@pytest.mark.parametrize("more", [[], ["--seeds", "2"]])
def test_ctrl_c_stops_and_leaves_the_old_files(eddyline, scenario, tmp_path, more):
    path, out = scenario(), tmp_path / "out"
    assert eddyline("run", path, "--out", out, "--quiet", figures=False).code == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    names = sorted(p.name for p in tmp_path.iterdir())
    p = start("run", scenario(*LONG), "--out", out, "--json", "--set", "record.interval=1 h", *more)
    time.sleep(1.5)
    assert p.poll() is None
    p.send_signal(signal.SIGINT)
    said, err = p.communicate(timeout=60)
    assert (p.returncode, said, err.strip()) == (130, "", "interrupted")
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before
    assert sorted(p.name for p in tmp_path.iterdir()) == names


BURST = """\
duration = "1 h"
link = [
    {{ name = "f", rate = "10 Mbit/s", delay = "10 ms", queue = {{ kind = "droptail", limit = "100 packets" }} }},
    {{ name = "b", rate = "10 Mbit/s", delay = "10 ms" }},
]
[[flow]]
name = "large"
data = ["f"]
ack = ["b"]
controller = {}
"""
BUILT_IN = '{ kind = "fast", alpha = "10 packets", min_window = "1e15 packets" }'
LARGE = """\
import eddyline as el

@el.register("large")
class Large(el.Controller):
    def __init__(self, path):
        self.cwnd = 1e15
    def on_ack(self, ack):
        pass
    def on_loss(self, loss):
        pass
    def on_timeout(self, timeout):
        pass
"""


def test_ctrl_c_is_heard_where_python_drops_exceptions(scenario, tmp_path):
    path = scenario(*LONG)
    (tmp_path / "dropped.py").write_text(DROPPED)
    p = start("run", path, "--controllers", tmp_path / "dropped.py")
    out, err = p.communicate(timeout=60)
    assert (p.returncode, out, err.strip()) == (130, "", "interrupted")


IMPORTED = {
    "fails": ("raise AttributeError('partially initialized')", ""),
    "is caught": ("import gone", "try:\n    import library\nexcept Exception:\n    import colorsys\n"),
    "ends": ("import colorsys", ""),
    "is interrupted twice": ("signal.raise_signal(signal.SIGINT)\nimport time\ntime.sleep(600)", ""),
}


def test_a_second_ctrl_c_does_not_wait_for_a_controller_that_waits(scenario, tmp_path):
    """Nothing can be raised in a call that blocks; the first one waits for its end."""
    waiting = tmp_path / "waiting"
    (tmp_path / "waits.py").write_text(f"""
import pathlib
import time

import eddyline as el


@el.register("waits")
class Waits:
    def __init__(self, path):
        self.cwnd = path.initial_window

    def on_ack(self, ack):
        pathlib.Path({str(waiting)!r}).touch()
        time.sleep(600)

    def on_loss(self, loss):
        pass

    on_timeout = on_loss
""")
    words = ("--controllers", tmp_path / "waits.py", "--set", "flow.download.controller={ kind = 'waits' }")
    p = start("run", scenario(), *words)
    while not waiting.exists():
        assert p.poll() is None
        time.sleep(0.05)
    while p.poll() is None:
        p.send_signal(signal.SIGINT)
        time.sleep(0.5)
    out, err = p.communicate(timeout=60)
    assert (p.returncode, out, err.strip()) == (130, "", "interrupted")


@pytest.mark.parametrize("end", IMPORTED)
def test_ctrl_c_waits_for_the_end_of_an_import(scenario, tmp_path, end):
    """A library that is imported in part fails in ways of its own."""
    rest, importing = IMPORTED[end]
    heard = "except KeyboardInterrupt:\n    sys.stderr.write('within the import')\n    raise\n"
    first = "import sys, signal, time\ntry:\n    signal.raise_signal(signal.SIGINT)\n    time.sleep(0.1)\n"
    (tmp_path / "library.py").write_text(f"{first}{heard}{rest}\n")
    (tmp_path / "own.py").write_text(importing or "import library\n")
    p = start("run", scenario(*LONG), "--controllers", tmp_path / "own.py", "--json")
    out, err = p.communicate(timeout=60)
    assert (p.returncode, out, err.strip()) == (130, "", "interrupted")


def test_ctrl_c_as_matplotlib_is_imported_is_no_error_about_it(scenario, tmp_path, monkeypatch):
    lost = "try:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    pass\n"
    (tmp_path / "matplotlib.py").write_text(f"import signal\n{lost}raise ImportError('initialization failed')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    out, err = (p := start("run", scenario(), "--plot", tmp_path / "x.png", "-q")).communicate(timeout=60)
    assert (p.returncode, out, err.strip()) == (130, "", "interrupted")


@pytest.mark.parametrize(
    ("library", "call"),
    [("matplotlib", "scenario.run().plot()"), ("numpy", "el.env"), ("pandas", "scenario.run().flows")],
)
def test_ctrl_c_in_an_import_of_the_package_is_none_of_the_librarys_errors(scenario, tmp_path, library, call):
    lost = "try:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    pass\n"
    (tmp_path / f"{library}.py").write_text(f"import signal\n{lost}raise ImportError('initialization failed')\n")
    script = f"""\
import eddyline as el

scenario = el.Scenario.load({str(scenario())!r})
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""
    env = {**environment(), "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-c", script]
    ran = subprocess.run(words, env=env, capture_output=True, text=True, preexec_fn=heed, check=False)
    assert (ran.returncode, ran.stdout) == (0, "interrupted\n"), ran.stderr


@pytest.mark.parametrize(
    ("world", "controller"),
    [("sim", BUILT_IN), ("quic", BUILT_IN), ("sim", '{ kind = "large" }')],
    ids=["sim", "quic", "python"],
)
def test_ctrl_c_stops_in_the_middle_of_a_burst(tmp_path, world, controller):
    """A window of 1e15 packets is sent in one event, and the queue drops it as fast."""
    path, code = tmp_path / "burst.toml", tmp_path / "large.py"
    path.write_text(BURST.format(controller))
    code.write_text(LARGE)
    # with less memory it would end by itself
    words = ("--memory", "1000000 GB", "--out", tmp_path / "out", "--json")
    p = start("run", path, "--world", world, "--controllers", code, *words)
    time.sleep(1.5)
    assert p.poll() is None
    p.send_signal(signal.SIGINT)
    said, err = p.communicate(timeout=60)
    assert (p.returncode, said, err.strip()) == (130, "", "interrupted")
    assert not (tmp_path / "out").exists()


def test_kill_leaves_old_files_or_none_whenever_it_comes(eddyline, scenario, tmp_path):
    """Killed at many moments, in the middle of writing too."""
    path, out = scenario(), tmp_path / "out"
    whole = {"manifest.json", "plot.png", "plot.svg", "result.json", "scenario.json", "series.parquet"}
    for wait in (0.05, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4):
        p = start("run", path, "--out", out, "--json")
        time.sleep(wait)
        p.kill()
        p.communicate()
        assert not out.exists() or {f.name for f in out.iterdir()} == whole
    assert eddyline("run", path, "--out", out, figures=False).code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "two-way.toml"]  # leftovers were swept
