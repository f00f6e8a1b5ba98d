"""Instructions per data packet by function, as callgrind counts them in the extension module."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench import child
from bench.measure import ending
from bench.workloads import overrides, scenario_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.workloads import Workload

__all__ = ["BETWEEN", "by_function", "per_packet"]

BETWEEN = {
    "W1": ("2 s", "5 s"),
    "W1-newreno": ("2 s", "5 s"),
    "W2-newreno": ("1 s", "1500 ms"),
    "W4-newreno": ("200 ms", "400 ms"),
}
"""Workloads, and the durations of the two runs whose difference counts: short, because a change of the instructions
shows in any part of a run."""


def per_packet(eddyline: Path, workload: Workload, folder: Path, controller: Path | None = None) -> dict[str, float]:
    """Instructions of each function of the module for one more data packet, in falling order.

    Args:
        eddyline: The command.
        workload: What it runs.
        folder: For files.
        controller: A library whose controller, called as the file, all flows have; its functions count too.

    Raises:
        child.ChildError: The command failed.
    """
    file = scenario_file(workload, folder)
    (few, packets_few), (many, packets_many) = (_count(eddyline, file, d, controller) for d in BETWEEN[workload.name])
    many.subtract(few)
    packets = packets_many - packets_few
    return {name: count / packets for name, count in many.most_common()}


def _count(eddyline: Path, file: Path, duration: str, controller: Path | None) -> tuple[Counter[str], int]:
    own: list[str | Path] = []
    if controller is not None:
        kind = controller.stem.removeprefix("lib")
        own = ["--controllers", controller, *overrides((("flow.*.controller.kind", kind),))]
    objects = ("eddyline/_core", *(() if controller is None else (controller.name,)))
    with tempfile.TemporaryDirectory() as name:
        out = Path(name, "counts")
        ours = [
            eddyline,
            "run",
            file,
            "--json",
            "--quiet",
            *overrides((), duration),
            *overrides((("warmup", "0 s"),)),
            *own,
        ]
        callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--log-file=/dev/null"]
        # a script's first line starts Python anew, which callgrind would not follow
        output = child.run([*callgrind, eddyline.with_name("python"), *ours]).output
        with out.open(encoding="utf-8") as lines:
            return by_function(lines, objects), ending(output)["counters"]["data_packets_delivered"]


def by_function(lines: Iterable[str], objects: tuple[str, ...] = ("eddyline/_core",)) -> Counter[str]:
    """Self cost of the functions of these objects, the extension module. The interpreter's differs from run to run."""
    counts: Counter[str] = Counter()
    names: dict[str, dict[str, str]] = {"ob": {}, "fn": {}}
    here = {"ob": "", "fn": ""}
    of_call = False
    for line in lines:
        if found := re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.+))?$", line):
            callee, kind, number, name = found.groups()
            if name:
                names[kind][number] = name
            if not callee:
                here[kind] = names[kind][number]
        elif line.startswith("calls="):
            of_call = True
        elif found := re.match(r"(?:0x[0-9a-f]+|[+-]?\d+|\*)(?: \S+)* (\d+)$", line):
            if not of_call and any(each in here["ob"] for each in objects):
                counts[_plain(here["fn"])] += int(found[1])
            of_call = False
    return counts


def _plain(function: str) -> str:
    """A name that does not change from build to build: without recursion level and the compiler's hash."""
    return re.sub(r"(?:::h[0-9a-f]{16})?(?:'\d+)?$", "", function)
