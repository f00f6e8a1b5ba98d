"""Counts the instructions of a data packet, and compares them with the last record.

`.venv/bin/python benches/instructions.py` takes some 35 s of processor time and needs valgrind. Its exit code is 1 if a
workload takes 3 % more than the last record says.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import child, dashboard, history
from bench.functions import BETWEEN, per_packet
from bench.workloads import ALL

from eddyline.cli.new_controller import library

_ROOT = Path(__file__).resolve().parent.parent
_RECORDS = _ROOT / "benches/instructions.json"
_LEAST = 0.84
"""Of the built-in controller's speed by instructions, for one in a library; by time it is some hundredths less."""


def main() -> int:
    """Counts, compares and records."""
    parser = argparse.ArgumentParser(description="Counts the instructions of a data packet.")
    parser.add_argument("--record", action="store_true", help="add the commit that is checked out to the records")
    parser.add_argument(
        "--eddyline", type=Path, default=_ROOT / ".venv/bin/eddyline", metavar="FILE", help="the command to count"
    )
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: instructions are counted by valgrind, which is not installed")
        return 0
    records = history.load(_RECORDS)
    comparable = bool(records) and records[-1].rustc == history.compiler()
    if records and not comparable and not options.record:
        print(f"skipped: the last record is of rustc {records[-1].rustc}, this is {history.compiler()}")
        return 0
    with tempfile.TemporaryDirectory(prefix="eddyline-bench-") as folder:
        workloads = [w for w in ALL if w.name in BETWEEN]
        counted = {w.name: per_packet(options.eddyline.absolute(), w, Path(folder)) for w in workloads}
        own = _library(options.eddyline.absolute(), Path(folder))
        twin = next(w for w in workloads if w.name == "W1-newreno")
        of_library = None if own is None else per_packet(options.eddyline.absolute(), twin, Path(folder), own)
    for name, parts in counted.items():
        before = records[-1].workloads.get(name, {}).get("together") if comparable else None
        change = f", {sum(parts.values()) / before - 1:+.1%} since {records[-1].commit}" if before else ""
        print(f"{name}: {sum(parts.values()):.0f} instructions a data packet{change}")
    found = []
    if of_library is None:
        print("skipped: a controller in a library is built by cargo, which is not installed")
    else:
        built_in, together = sum(counted["W1-newreno"].values()), sum(of_library.values())
        share = built_in / together
        print(
            f"W1-newreno, controller in a library: {together:.0f} instructions, {share:.0%} of the built-in one's speed"
        )
        if share < _LEAST:
            found.append(
                f"a controller in a library runs at {share:.0%} of the built-in one's speed, less than {_LEAST:.0%}"
            )
    if options.record:
        history.write(_RECORDS, [*records, history.Record.of(_ROOT, counted)])
        records = history.load(_RECORDS)
        (_ROOT / "docs/concepts/instructions.md").write_text(dashboard.page(records), encoding="utf-8")
        dashboard.draw(records, _ROOT / "docs/images/instructions.png")
        return 0
    found += history.worse(records[-1], counted) if comparable else []
    for sentence in found:
        print(sentence, file=sys.stderr)
    return 1 if found else 0


def _library(eddyline: Path, folder: Path) -> Path | None:
    """The library that `eddyline new-controller` writes, built; None without cargo."""
    if shutil.which("cargo") is None:
        return None
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_TARGET_DIR"}
    for words, place in (
        ([eddyline, "new-controller", "library", "--rust"], folder),
        (["cargo", "build", "--release", "--quiet", "--offline"], folder / "library"),
    ):
        subprocess.run(words, cwd=place, env=environment, check=True, capture_output=True)
    return folder / "library/target/release" / library("library")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except child.ChildError as e:
        print(f"error: {e}", file=sys.stderr)
        sys.exit(1)
