"""Writes W5 as JSON: 100,000 FAST flows over a ring of 1,000 links, four links for data and four for the way back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

__all__ = ["scenario"]

LINKS = 1000
FLOWS_PER_LINK = 100
HOPS = 4


def scenario() -> dict[str, object]:
    """The scenario: data enters the ring at its table's link, acknowledgements come over the four links before it."""
    return {
        "title": "W5: a hundred thousand FAST flows over a ring of a thousand links",
        "duration": "10 s",
        "seed": 1,
        "link": [{"name": f"link {i}", "rate": "100 Mbit/s", "delay": "5 ms"} for i in range(LINKS)],
        "flow": [
            {
                "name": f"flow {i}",
                "count": FLOWS_PER_LINK,
                "start": f"{i} ms",
                "stagger": "10 us",
                "controller": {"kind": "fast", "alpha": "5 packets"},
                "data": [f"link {(i + k) % LINKS}" for k in range(HOPS)],
                "ack": [f"link {(i + k - HOPS) % LINKS}" for k in range(HOPS)],
                "packet": "1500 B",
            }
            for i in range(LINKS)
        ],
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(scenario(), indent=1) + "\n", encoding="utf-8")
