"""What a controller of one's own costs: acknowledgements a second, beside the same law built in.

The library and the WebAssembly module are those of `eddyline new-controller --rust`, built by cargo; the module needs
`rustup target add wasm32-unknown-unknown`.

python benches/controllers.py [SECONDS]
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import eddyline as el
from eddyline.cli.new_controller import command, library
from eddyline.controllers.registry import names
from eddyline.controllers.sources import load

LINKS = [
    {"name": "down", "rate": "100 Mbit/s", "delay": "20 ms", "queue": {"kind": "droptail", "limit": "300 packets"}},
    {"name": "up", "rate": "100 Mbit/s", "delay": "20 ms"},
]


@el.register("per-round")
class PerRound:
    """Reno's law once a round trip."""

    def __init__(self, path: el.PathFacts) -> None:
        """A sender at its initial window."""
        self.cwnd = path.initial_window
        self.ssthresh = math.inf

    def on_round(self, round: el.Round) -> None:
        """Doubles, beyond the threshold one packet more."""
        if round.in_recovery or not round.cwnd_limited:
            return
        if self.cwnd < self.ssthresh:
            self.cwnd = min(self.cwnd + round.acked, self.ssthresh)
        else:
            self.cwnd += 1.0

    def on_loss(self, loss: el.Loss) -> None:
        """Half of it."""
        self.cwnd = self.ssthresh = max(loss.flight_size / 2, 2.0)

    def on_timeout(self, timeout: el.Timeout) -> None:
        """From one packet on."""
        self.ssthresh = max(timeout.flight_size / 2, 2.0)
        self.cwnd = 1.0


def measure(kind: str, seconds: float) -> tuple[float, float]:
    """Acknowledgements, and CPU seconds, of the best of three runs."""
    flow = {"name": "f", "controller": {"kind": kind}, "data": ["down"], "ack": ["up"]}
    scenario = el.Scenario({"duration": f"{seconds} s", "link": LINKS, "flow": [flow]})
    best = min((scenario.run(series=False).to_dict() for _ in range(3)), key=lambda d: float(d["cost"]["cpu_s"]))
    return float(best["counters"]["data_packets_delivered"]), float(best["cost"]["cpu_s"])


def environment(seconds: float) -> tuple[int, float]:
    """Steps of an environment, and how long they took."""
    flow = {"name": "f", "controller": {"kind": "reno"}, "data": ["down"], "ack": ["up"]}
    env = el.env({"duration": f"{seconds} s", "link": LINKS, "flow": [flow]})
    env.reset(seed=0)
    action, steps, started = np.zeros(1, np.float32), 0, time.process_time()
    while not any(env.step(action)[2:4]):
        steps += 1
    return steps, time.process_time() - started


def built(name: str, target: str | None = None) -> Path | None:
    """A new controller called `name`, built; None where cargo cannot."""
    os.chdir(tempfile.mkdtemp(prefix="eddyline-bench-"))
    command.main([name, "--rust"], standalone_mode=False)
    words = ["cargo", "build", "--release", "--quiet", *(["--target", target] if target else [])]
    environment = {k: v for k, v in os.environ.items() if k != "CARGO_TARGET_DIR"}
    if subprocess.run(words, cwd=name, env=environment, check=False).returncode != 0:
        return None
    file = f"{name.replace('-', '_')}.wasm" if target else library(name)
    return Path(name, "target", *([target] if target else []), "release", file).absolute()


def main() -> None:
    """Prints a table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    load(str(Path(__file__).parents[1] / "examples" / "controllers" / "reno.py"))
    for name, target in (("native", None), ("wasm", "wasm32-unknown-unknown")):
        file = built(name, target)
        if file is not None:
            load(str(file))
    print(f"one flow, 100 Mbit/s, {seconds:g} s, an ACK for every packet")
    for kind, what in (
        ("newreno", "Rust, built in"),
        ("native", "Rust, library"),
        ("wasm", "WebAssembly"),
        ("my-newreno", "Python, on_ack"),
        ("per-round", "Python, on_round"),
    ):
        if kind in ("native", "wasm") and kind not in names():
            print(f"  {what:<18} not built")
            continue
        acks, cpu = measure(kind, seconds)
        print(f"  {what:<18} {acks:>9,.0f} ACKs  {cpu:7.3f} s  {acks / cpu:>12,.0f} ACKs/s")
    steps, cpu = environment(seconds)
    print(f"  {'environment':<18} {steps:>9,} steps {cpu:7.3f} s  {steps / cpu:>12,.0f} steps/s")


if __name__ == "__main__":
    main()
