"""Measures the simulator: `make bench`, or `.venv/bin/python benches/run.py --help`.

Each workload is a whole process, `eddyline run FILE --json`: its start, reading, simulating with summaries on, and
writing the result. Time is user and system time of that process, the best of three; beside it stand instruction
counts, which other work on the machine does not disturb. ns-2 and ns-3 do the same work in turn with it where they are
installed.
"""

from __future__ import annotations

import argparse
import compileall
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench import child, goals, report
from bench.measure import Bench, Measured, measure_overshoot
from bench.parts import Profiler
from bench.peers import PEERS
from bench.workloads import ALL, PROFILED, scenario_file

if TYPE_CHECKING:
    from bench.peers import Peer

_ROOT = Path(__file__).resolve().parent.parent
_EXTRA = "overshoot"
_PARTS = "parts"


def _options() -> argparse.Namespace:
    names = [w.name for w in ALL] + [_EXTRA, _PARTS]
    parser = argparse.ArgumentParser(description="Measures the simulator.")
    parser.add_argument("--only", metavar="NAMES", help=f"some of {','.join(names)}")
    parser.add_argument("--quick", action="store_true", help="short runs, once each: a look, not a measurement")
    parser.add_argument("--repeat", type=int, metavar="N", help="best of N runs (3; quick: 1)")
    parser.add_argument("--cap", type=float, metavar="S", help="CPU seconds after which ns-3 is stopped (20; quick: 3)")
    parser.add_argument("--no-peers", action="store_true", help="only Eddyline")
    parser.add_argument("--no-instructions", action="store_true", help="only times")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    parser.add_argument(
        "--eddyline", type=Path, default=_ROOT / ".venv/bin/eddyline", metavar="FILE", help="the command to measure"
    )
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else names
    if unknown := sorted(set(options.only) - set(names)):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(names)}")
    if options.repeat is not None and options.repeat < 1:
        parser.error("--repeat: at least 1")
    if not options.eddyline.exists():
        parser.error(f"{options.eddyline} is not there: `make build` makes it")
    return options


def main() -> int:
    """Measures what was asked for and prints it."""
    options = _options()
    # where Python writes no bytecode, each process would compile the modules that have changed
    compileall.compile_dir(_ROOT / "python" / "eddyline", quiet=2)
    skipped: list[str] = []
    count = not options.no_instructions
    if count:
        try:
            child.counter()
        except child.MissingError as e:
            skipped.append(str(e))
            count = False

    with tempfile.TemporaryDirectory(prefix="eddyline-bench-") as name:
        folder = Path(name)
        bench = Bench(
            eddyline=options.eddyline,
            folder=folder,
            peers={} if options.no_peers else _prepare(folder, skipped),
            repeat=options.repeat or (1 if options.quick else 3),
            quick=options.quick,
            cap_s=options.cap or (3.0 if options.quick else 20.0),
            skipped=skipped,
            say=lambda text: print(text, file=sys.stderr, flush=True),
        )
        all_measured: list[Measured] = []
        for workload in ALL:
            if workload.name in options.only:
                all_measured.append(bench.measure(workload, count))
                if count and all_measured[-1].instructions is None:
                    skipped.append(f"instructions of {workload.name}: too large for callgrind")
        overshoots: list[dict[str, float]] = []
        if _EXTRA in options.only and count:
            overshoots = measure_overshoot(bench, next(w for w in ALL if w.name == "W2-newreno"))

        parts: dict[str, dict[str, float]] = {}
        if _PARTS in options.only and count:
            parts = _measure_parts(folder, skipped)

    reached = goals.goals(all_measured)
    if options.json:
        print(report.as_json(all_measured, overshoots, parts, reached, skipped))
    else:
        print(report.as_text(all_measured, overshoots, parts, reached, skipped, options.markdown))
    return 0


def _measure_parts(folder: Path, skipped: list[str]) -> dict[str, dict[str, float]]:
    """Instructions per data packet of each part of the simulator, by workload; or a reason in `skipped`."""
    print("parts: build, instructions", file=sys.stderr, flush=True)
    try:
        profiler = Profiler(_ROOT)
    except child.MissingError as e:
        skipped.append(str(e))
        return {}
    return {w.name: profiler.measure(scenario_file(w, folder), w) for w in ALL if w.name in PROFILED}


def _prepare(folder: Path, skipped: list[str]) -> dict[Peer, list[str]]:
    """The commands of those peers that are here; the others' reasons go to `skipped`."""
    commands = {}
    for peer in PEERS:
        try:
            commands[peer] = peer.prepare(folder)
        except (child.MissingError, child.ChildError) as e:
            skipped.append(f"{peer.name}: {e}")
    return commands


if __name__ == "__main__":
    try:
        sys.exit(main())
    except child.ChildError as e:
        print(f"error: {e}", file=sys.stderr)
        sys.exit(1)
