"""A flow that starts later does the same later: no controller counts time from the scenario's beginning."""

from __future__ import annotations

from typing import Any

import pytest
from code_blocks import ROOT

import eddyline as el
from eddyline.kinds import controllers

KINDS = sorted(
    kind.name
    for kind in controllers()
    if kind.only_in is None and (ROOT / "docs" / "controllers" / f"{kind.name}.md").exists()
)
ALPHA = {"fast": {"alpha": "10 packets"}, "vfast": {"alpha": "10 packets"}}
OTHERS = [
    ("fast", {"alpha": "10 packets", "base_rtt_age": "10 s"}),
    ("ledbat", {"profile": "ledbat++"}),
]
SEEDED = {"bbr3"}
"""Whose probing at random is seeded by the time of the handshake (`crates/cc/DEVIATIONS.md`)."""
LASTS_S = {"ledbat": 650.0}
"""For its base delay, which expires after ten minutes."""


def flow(kind: str, more: dict[str, Any], start_s: float) -> dict[str, Any]:
    """A flow over a path whose delay grows 20 s after its start."""
    scenario: dict[str, Any] = {
        "duration": f"{start_s + LASTS_S.get(kind, 60.0)} s",
        "warmup": f"{start_s + 1} s",
        "link": [
            {
                "name": "there",
                "rate": "4 Mbit/s",
                "delay": "20 ms",
                "queue": {"kind": "droptail", "limit": "60 packets"},
                "changes": [{"at": f"{start_s + 20} s", "delay": "35 ms"}],
            },
            {"name": "back", "rate": "4 Mbit/s", "delay": "20 ms"},
        ],
        "flow": [
            {
                "name": "f",
                "controller": {"kind": kind, **more},
                "data": ["there"],
                "ack": ["back"],
                "start": f"{start_s} s",
                "tcp": {"accurate_ecn": True},
            }
        ],
    }
    found: dict[str, Any] = el.Scenario(scenario).run(series=False).to_dict()["flows"][0]
    return found


@pytest.mark.parametrize(
    ("kind", "more"), [*((kind, ALPHA.get(kind, {})) for kind in KINDS if kind not in SEEDED), *OTHERS]
)
def test_a_flow_does_the_same_later(kind: str, more: dict[str, Any]) -> None:
    first, *later = (flow(kind, more, start_s) for start_s in (0.0, 2.0, 7.5, 61.0))
    for each in later:
        for key in ("delivered_bytes", "retransmits", "timeouts"):
            assert each[key] == first[key]
        assert each["rtt_s"]["mean"] == pytest.approx(first["rtt_s"]["mean"], rel=1e-9)
