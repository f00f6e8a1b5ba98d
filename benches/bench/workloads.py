"""The workloads: which file, how long, what counts instructions in bearable time."""

from __future__ import annotations

import itertools
import runpy
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ALL", "OVERSHOOT", "PROFILED", "Workload", "overrides", "scenario_file"]

_HERE = Path(__file__).resolve().parent.parent / "workloads"

Settings = tuple[tuple[str, str], ...]


def _asymmetric_grid() -> tuple[Settings, ...]:
    grid = itertools.product((16384, 32768, 65536, 131072), (6000, 9000, 15000, 30000), (22500, 37500, 75000))
    return tuple(
        (
            ("flow.download.receive_window", f"{window} B"),
            ("flow.upload.receive_window", f"{window} B"),
            ("link.up.queue.limit", f"{up} B"),
            ("link.down.queue.limit", f"{down} B"),
        )
        for window, up, down in grid
    )


@dataclass(frozen=True)
class Workload:
    """One workload: a scenario file, run as a process of its own at every point."""

    name: str
    file: str
    about: str
    between: tuple[str, str]
    """Instructions per packet are the difference of runs of these two durations."""
    quick: str
    """Duration of a quick run."""
    hops: int = 1
    """Links that a data packet crosses."""
    points: tuple[Settings, ...] = ((),)
    peers: bool = False
    """Others can run it too."""
    heavy: bool = False
    """Too large for counting by callgrind."""

    def some(self, quick: bool) -> tuple[Settings, ...]:
        """All points, or the corners of the grid and what lies evenly between."""
        return self.points[:: max(1, len(self.points) // 4)] if quick else self.points


ALL = (
    Workload("W1", "W1.toml", "FAST, two flows one way and one the other", ("20 s", "40 s"), "100 s"),
    Workload("W2", "W2.toml", "one FAST flow, 17,000 packets in flight", ("10 s", "15 s"), "30 s"),
    Workload(
        "W3",
        "W3.toml",
        "asymmetric line, 48 points",
        ("300 s", "600 s"),
        "600 s",
        points=_asymmetric_grid(),
        peers=True,
    ),
    Workload("W4", "W4.toml", "1,000 FAST flows in one queue", ("2 s", "3 s"), "3 s"),
    Workload("W5", "W5.py", "100,000 FAST flows on a ring of 1,000 links", ("2 s", "3 s"), "2 s", hops=4, heavy=True),
    Workload(
        "W6",
        "W6.py",
        "a million FAST flows on a ring of 10,000 links",
        ("200 ms", "400 ms"),
        "200 ms",
        hops=4,
        heavy=True,
    ),
    Workload("W1-newreno", "W1-newreno.toml", "W1 with NewReno", ("20 s", "40 s"), "100 s", peers=True),
    Workload("W2-newreno", "W2-newreno.toml", "W2 with NewReno", ("30 s", "35 s"), "30 s", peers=True),
    Workload("W4-newreno", "W4-newreno.toml", "W4 with NewReno", ("2 s", "3 s"), "3 s", peers=True),
)

PROFILED = ("W1", "W1-newreno", "W2-newreno", "W4-newreno")
"""Workloads of which it is measured where their instructions go."""

OVERSHOOT = ((1, 4), (1, 2), (1, 1), (2, 1))
"""Slow start's overshoot on W2 with NewReno: round trip, queue and duration times these ratios."""


def scenario_file(workload: Workload, folder: Path) -> Path:
    """The scenario file; one that is made by a script is made in `folder`."""
    source = _HERE / workload.file
    if source.suffix != ".py":
        return source
    made = folder / f"{source.stem}.json"
    if not made.exists():
        import json

        made.write_text(json.dumps(runpy.run_path(str(source))["scenario"]()), encoding="utf-8")
    return made


def overrides(settings: Settings, duration: str | None = None) -> list[str]:
    """Options of the command."""
    if duration is not None:
        settings = (*settings, ("duration", duration))
    return [word for key, value in settings for word in ("--set", f"{key}={value}")]
