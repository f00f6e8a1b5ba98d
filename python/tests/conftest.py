from __future__ import annotations

import gc
import os
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from empty_figures import leave_figures_empty
from fork_server import COMMAND, ForkServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

PAPERS = "python/tests/papers/"

TWO_WAY = """\
title    = "two-way"
duration = "4 s"
warmup   = "1 s"
seed     = 7

[[link]]
name  = "down"
rate  = "10 Mbit/s"
delay = "10 ms"

[[link]]
name  = "up"
rate  = "5 Mbit/s"
delay = "10 ms"

[[flow]]
name       = "download"
controller = { kind = "fast", alpha = "20 packets" }
data       = ["down"]
ack        = ["up"]

[[flow]]
name       = "upload"
controller = { kind = "fast", alpha = "10 packets" }
data       = ["up"]
ack        = ["down"]
"""


# Only the tests of world kernel run it: it takes real time and depends on the machine. What the environment says is
# kept under another name, because the workers of pytest-xdist have the environment of this process; "?" for nothing.
LIVE = os.environ.setdefault("EDDYLINE_TESTED_LIVE", os.environ.get("EDDYLINE_LIVE", "?"))
LINUX = os.environ.get("EDDYLINE_LINUX")
os.environ["EDDYLINE_LIVE"] = ""
# Nothing here multiplies large matrices, and a process that imports numpy starts faster without threads for that.
os.environ["OPENBLAS_NUM_THREADS"] = "1"


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there is no such hook
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """With `--dist loadfile` all tests of papers stay in one process, as those of a file do: they share the papers."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return PAPERS if file.startswith(PAPERS) else file

    return Scheduling(config, log)


def pytest_collection_finish() -> None:
    """What is there now stays: a search for garbage need not look at it, nor search as often as for small programs."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)  # as in the command


def heed() -> None:
    """Where tests run in the background, shells have them, and all whom they start, ignore Ctrl-C: a `preexec_fn`."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Ran:
    code: int
    out: str
    err: str


def environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("EDDYLINE")}
    return {**kept, "COLUMNS": "100", "EDDYLINE_LIVE": ""}


@pytest.fixture(scope="session")
def forks() -> Iterator[ForkServer]:
    server = ForkServer(environment())
    yield server
    server.close()


@pytest.fixture
def installed(tmp_path: Path) -> Callable[..., Ran]:
    """Runs the installed command in a folder of its own, as people do: where start-up or the environment matters."""

    def run(*args: object, cwd: Path = tmp_path, timeout: float = 120, **variables: str) -> Ran:
        words = [str(COMMAND), *map(str, args)]
        env = environment() | variables
        p = subprocess.run(
            words, capture_output=True, text=True, timeout=timeout, cwd=cwd, env=env, stdin=subprocess.DEVNULL
        )
        return Ran(p.returncode, p.stdout, p.stderr)

    return run


@pytest.fixture
def eddyline(tmp_path: Path, forks: ForkServer) -> Callable[..., Ran]:
    """Runs the command in a folder of its own, in a process that starts quickly.

    With `figures=False` it draws none, which takes longer than a short run: for tests of other things.
    """

    def run(*args: object, cwd: Path = tmp_path, timeout: float = 120, figures: bool = True, **variables: str) -> Ran:
        return Ran(*forks.run([*map(str, args)], cwd, environment() | variables, timeout, figures=figures))

    return run


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that this process saves have figures without content: for tests of other things."""
    leave_figures_empty(monkeypatch.setattr)


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[..., Path]:
    """Writes the two-way scenario, with replacements."""

    def write(*replacements: tuple[str, str], name: str = "two-way.toml", more: str = "") -> Path:
        text = TWO_WAY
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text + more)
        return path

    return write


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The executable of world `kernel`, where it is and may run."""
    import eddyline.live as live
    from eddyline.errors import WorldUnavailable
    from eddyline.scenario import Scenario

    if LIVE == "?":
        monkeypatch.delenv(live.VARIABLE)
    else:
        monkeypatch.setenv(live.VARIABLE, LIVE)
    missing = live.unavailable()
    if missing is not None:
        pytest.skip(f"{missing}")
    found = live.executable()
    assert found is not None
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["down"], "ack": ["up"]}
    links = [{"name": name, "rate": "10 Mbit/s", "delay": "20 ms"} for name in ("down", "up")]
    try:
        Scenario({"duration": "20 ms", "link": links, "flow": [flow]}).run("kernel", series=False)
    except WorldUnavailable as e:
        pytest.skip(f"{e}; {e.hint}")
    return found


def still_controller(kind: str, more: str = "        pass") -> str:
    """A file with a controller whose window stays; `more` is the body of its `on_handshake(self, now, rtt)`."""
    return f"""
import eddyline as el


@el.register("{kind}")
class Still(el.Controller):
    def __init__(self, path: el.PathFacts):
        self.cwnd = 10.0

    def on_handshake(self, now, rtt):
{more}

    def on_ack(self, ack):
        pass

    def on_loss(self, loss):
        pass

    def on_timeout(self, timeout):
        pass
"""
