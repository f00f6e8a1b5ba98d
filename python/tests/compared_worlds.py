"""What the tests of `compare` share: scenarios, what is said of a world, and a played world `kernel`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eddyline.cli import main
from eddyline.live import LiveRun
from eddyline.scenario import Scenario
from eddyline.worlds import WORLDS, RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    import eddyline._core as _core

LATE = """
duration = "40 s"
warmup = "20 s"
link = [
    { name = "f", rate = "50 Mbit/s", delay = "20 ms", queue = { kind = "droptail", limit = "LIMIT" } },
    { name = "b", rate = "50 Mbit/s", delay = "20 ms" },
]
[[flow]]
name = "early"
data = ["f"]
ack = ["b"]
controller = { kind = "fast", alpha = "40 packets", base_rtt = "BASE" }
[[flow]]
name = "late"
data = ["f"]
ack = ["b"]
start = "10 s"
controller = { kind = "fast", alpha = "30 packets", base_rtt = "BASE" }
"""

LINUX = """
duration = "12 s"
warmup = "2 s"
link = [
    { name = "f", rate = "10 Mbit/s", delay = "20 ms", queue = { kind = "droptail", limit = "100 packets" } },
    { name = "b", rate = "10 Mbit/s", delay = "20 ms" },
]
[[flow]]
name = "one"
data = ["f"]
ack = ["b"]
controller = CONTROLLER
tcp = { TCP }
"""

COMPETING = """
duration = "60 s"
warmup = "15 s"
seed = 11
link = [
    { name = "f", rate = "24 Mbit/s", delay = "18 ms", queue = { kind = "droptail", limit = "1 BDP" } },
    { name = "b", rate = "24 Mbit/s", delay = "18 ms" },
]
[[flow]]
name = "delay"
count = 2
data = ["f"]
ack = ["b"]
start_jitter = "500 ms"
controller = { kind = "vegas" }
[[flow]]
name = "loss"
count = 2
data = ["f"]
ack = ["b"]
start_jitter = "500 ms"
controller = { kind = "CONTROLLER" }
tcp = { TCP }
"""

SHORT = COMPETING.replace("60 s", "10 s").replace("15 s", "4 s").replace("CONTROLLER", "cubic").replace("TCP", "")


def compared(capsys: pytest.CaptureFixture[str], file: Path, world: str, *options: str) -> dict[str, Any]:
    """What is said of a world, once the exit code is that of all worlds."""
    code = main(["compare", str(file), "--json", "--strict", *options])
    worlds = [w for w in json.loads(capsys.readouterr().out)["worlds"] if "unavailable" not in w]
    assert code == (0 if all(w["explained"] for w in worlds) else 1)
    (found,) = (w for w in worlds if w["world"] == world)
    assert isinstance(found, dict)
    return found


class Kernel:
    """World `kernel`, played by `sim` with the keys that make it behave as Linux does; `clock` is what it was asked."""

    def __init__(self, keys: dict[str, Any], notes: tuple[str, ...] = (), because: tuple[str, ...] = ()) -> None:
        self.keys, self.notes, self.because = keys, notes, because
        self.clock = ""

    def run(self, scenario: _core.Scenario, options: RunOptions, _progress: object) -> LiveRun:
        self.clock = options.clock
        document = Scenario(json.loads(scenario.canonical), set=self.keys).run_with(RunOptions(series=False)).to_dict()
        emulation = {"trusted": not self.because, "because": list(self.because)}
        text = json.dumps(document | {"world": "kernel", "approximations": list(self.notes), "emulation": emulation})
        return LiveRun(text, scenario.names, None)

    def found(
        self,
        tools: tuple[pytest.CaptureFixture[str], pytest.MonkeyPatch],
        file: Path,
        *options: str,
        controller: str = '{ kind = "newreno" }',
        tcp: str = "ack_every = 2",
        text: str = LINUX,
    ) -> dict[str, Any]:
        """What is said of it."""
        capsys, monkeypatch = tools
        monkeypatch.setitem(WORLDS, "kernel", replace(WORLDS["kernel"], run=self.run, missing=None))
        file.write_text(text.replace("CONTROLLER", controller).replace("TCP", tcp))
        return compared(capsys, file, "kernel", *options)
