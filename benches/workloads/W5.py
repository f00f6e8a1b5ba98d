"""Writes W5 as JSON: 100,000 FAST flows over a ring of 1,000 links, four links for data and four for the way back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

__all__ = ["ring", "scenario"]

FLOWS_PER_LINK = 100
HOPS = 4


def ring(title: str, duration: str, starts: list[str]) -> dict[str, object]:
    """A ring of links with a hundred flows each: data enters at its table's link, acknowledgements use four before.

    Args:
        title: Title.
        duration: Simulated time.
        starts: When the first flow of each table starts; there is a link for each table.
    """
    links = len(starts)
    return {
        "title": title,
        "duration": duration,
        "seed": 1,
        "link": [{"name": f"link {i}", "rate": "100 Mbit/s", "delay": "5 ms"} for i in range(links)],
        "flow": [
            {
                "name": f"flow {i}",
                "count": FLOWS_PER_LINK,
                "start": start,
                "stagger": "10 us",
                "controller": {"kind": "fast", "alpha": "5 packets"},
                "data": [f"link {(i + k) % links}" for k in range(HOPS)],
                "ack": [f"link {(i + k - HOPS) % links}" for k in range(HOPS)],
                "packet": "1500 B",
            }
            for i, start in enumerate(starts)
        ],
    }


def scenario() -> dict[str, object]:
    """The scenario."""
    starts = [f"{i} ms" for i in range(1_000)]
    return ring("W5: a hundred thousand FAST flows over a ring of a thousand links", "10 s", starts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(scenario(), indent=1) + "\n", encoding="utf-8")
