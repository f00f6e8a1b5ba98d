"""Where the instructions of a packet go: self cost of every part of the simulator, by the place in the source.

Callgrind counts by instruction; the line tables of a build of its own (`profile.profiling` in `Cargo.toml`) say from
where each was inlined. What belongs to no part, such as the standard library, counts for the innermost caller
that does.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench import child

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.workloads import Workload

__all__ = ["PARTS", "Profiler"]

PARTS = {
    "event loop, timers of flows": ("sim/src/simulation/",),
    "event queues": ("sim/src/network/event_queue.rs",),
    "from links to pipes, from pipes to endpoints": ("sim/src/network/",),
    "drop-tail queue and transmission": ("path/src/link/fifo.rs", "path/src/queue/", "path/src/loss.rs"),
    "counters and histograms of links": ("path/src/link/meter.rs",),
    "counters and histograms of flows": ("sim/src/meter/",),
    "packets: made, read": ("sim/src/endpoint/", "sim/src/packet/", "tcp/src/segment.rs"),
    "receiver": ("tcp/src/receiver/",),
    "sender: retransmission timer": ("tcp/src/sender/rto.rs",),
    "sender: pacing": ("tcp/src/sender/pacer.rs",),
    "sender: scoreboard, losses": (
        "tcp/src/sender/scoreboard.rs",
        "tcp/src/sender/loss_recovery.rs",
        "tcp/src/sender/duplicate_acks.rs",
        "tcp/src/sender/episode.rs",
        "tcp/src/sequence_ranges.rs",
    ),
    "sender: acknowledgements, what to send": ("tcp/src/sender/",),
    "controller": ("cc/src/", "tcp/src/sender/congestion.rs"),
}
"""Beginnings of paths below `crates/`; the longest that fits decides."""

_REST = "all else"
_BEGINNINGS = sorted(((b, part) for part, all_of in PARTS.items() for b in all_of), key=lambda p: -len(p[0]))


class Profiler:
    """Counts with a build of the simulator that has line tables."""

    def __init__(self, root: Path) -> None:
        for tool in ("valgrind", "addr2line", "cargo"):
            if shutil.which(tool) is None:
                raise child.MissingError(f"where instructions go: {tool} is not installed")
        what = ["--profile", "profiling", "-p", "eddyline-sim", "--example", "simulate"]
        command = ["cargo", "build", "--locked", *what, "--message-format", "json"]
        built = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if built.returncode != 0:
            raise child.ChildError(f"cargo build ended with {built.returncode}: {built.stderr[-2000:]}")
        found = (json.loads(line).get("executable") for line in built.stdout.splitlines())
        self._program = Path(next(file for file in found if file and Path(file).stem == "simulate"))
        self._part_of: dict[int, str] = {}

    def measure(self, file: Path, workload: Workload) -> dict[str, float]:
        """Instructions per data packet of each part, as the difference of runs of two durations."""
        (few, packets_few), (many, packets_many) = (self._count(file, d) for d in workload.between)
        many.subtract(few)
        self._locate(many.keys() - self._part_of.keys())
        parts = dict.fromkeys((*PARTS, _REST), 0.0)
        for address, count in many.items():
            parts[self._part_of.get(address, _REST)] += count / (packets_many - packets_few)
        return parts

    def _count(self, file: Path, duration: str) -> tuple[Counter[int], int]:
        """Instructions at each address of the program (at 0: elsewhere), and data packets delivered."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "counts")
            options = ["--tool=callgrind", "--dump-instr=yes", f"--callgrind-out-file={out}", "--log-file=/dev/null"]
            cost = child.run(["valgrind", *options, self._program, file, duration])
            with out.open(encoding="utf-8") as lines:
                return _by_address(lines, str(self._program)), int(cost.output)

    def _locate(self, addresses: Iterable[int]) -> None:
        """Finds the part that each of `addresses` belongs to."""
        asked = "\n".join(map(hex, addresses))
        command = ["addr2line", "--inlines", "--addresses", "--exe", str(self._program)]
        said = subprocess.run(command, input=asked, check=True, capture_output=True, text=True).stdout
        address = 0
        for line in said.splitlines():
            if line.startswith("0x"):
                address = int(line, 16)
            elif address not in self._part_of and (found := re.search(r"/crates/([^:]+):", line)):
                part = next((p for beginning, p in _BEGINNINGS if found[1].startswith(beginning)), None)
                if part is not None:
                    self._part_of[address] = part


def _by_address(lines: Iterable[str], program: str) -> Counter[int]:
    """Self cost in the format of callgrind with `--dump-instr=yes`: position, line, cost."""
    counts: Counter[int] = Counter()
    names: dict[str, str] = {}
    address, here, of_call = 0, "", False
    for line in lines:
        if found := re.match(r"(c?)ob=\((\d+)\)(?: (.+))?$", line):
            if found[3]:
                names[found[2]] = found[3]
            here = here if found[1] else names[found[2]]
        elif line.startswith("calls="):
            of_call = True
        elif found := re.match(r"(0x[0-9a-f]+|[+-]\d+|\*) \S+ (\d+)$", line):
            position = found[1]
            if position.startswith("0x"):
                address = int(position, 16)
            elif position != "*":
                address += int(position)
            if not of_call:
                counts[address if here == program else 0] += int(found[2])
            of_call = False
    return counts
