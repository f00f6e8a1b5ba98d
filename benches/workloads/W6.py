"""Writes W6 as JSON: W5 ten times as large, a million flows. The tables have a `count`, so the file has 3 MB."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

__all__ = ["scenario"]


def scenario() -> dict[str, object]:
    """The scenario; all flows have started after half of the time."""
    ring = runpy.run_path(str(Path(__file__).with_name("W5.py")))["ring"]
    starts = [f"{50 * i} us" for i in range(10_000)]
    made: dict[str, object] = ring("W6: a million FAST flows over a ring of ten thousand links", "1 s", starts)
    return made


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(scenario(), indent=1) + "\n", encoding="utf-8")
