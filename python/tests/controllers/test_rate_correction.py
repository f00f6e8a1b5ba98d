"""The pause of a new FAST flow (`rate_correction`): how much of the queue that it took for propagation it finds out."""

from __future__ import annotations

from typing import Any

import pytest

import eddyline as el

RATE = 20e6 / (8 * 1040)
"""Packets a second of the link."""


def joined(others: int, propagation_s: float, correction: dict[str, Any] | None) -> dict[str, Any]:
    """A flow that starts after 30 s beside others that know their base round trips: summaries from 60 to 90 s."""
    common = {"data": ["forward"], "ack": ["backward"], "packet": "1040 B", "header": "40 B"}
    old = {"kind": "fast", "alpha": "20 packets", "base_rtt": "known"}
    new: dict[str, Any] = {"kind": "fast", "alpha": "20 packets"}
    if correction is not None:
        new["rate_correction"] = correction
    link = {"rate": "20 Mbit/s", "delay": f"{propagation_s / 2} s"}
    document = {
        "title": "a new flow",
        "duration": "90 s",
        "warmup": "60 s",
        "link": [{"name": "forward", **link}, {"name": "backward", **link}],
        "flow": [
            {"name": "old", "controller": old, **common, "count": others, "stagger": "20 ms"},
            {"name": "new", "controller": new, **common, "start": "30 s"},
        ],
    }
    return el.Scenario(document).run("sim", series=False).to_dict()


def base_error(result: dict[str, Any], propagation_s: float) -> float:
    """Seconds by which the new flow's base is too long: beyond propagation and both packets' transmission."""
    error: float = result["flows"][-1]["base_rtt_s"] - propagation_s - (1040 + 40) * 8 / 20e6
    return error


@pytest.mark.parametrize(
    ("others", "propagation_s", "keep"),
    [(1, 0.04, 0.0), (5, 0.16, 0.0), (1, 0.16, 0.5), (5, 0.04, 0.0), (20, 0.01, 0.0), (10, 0.16, 0.0)],
)
def test_the_queue_falls_by_what_the_flow_does_not_send(others: int, propagation_s: float, keep: float) -> None:
    before = joined(others, propagation_s, None)
    after = joined(others, propagation_s, {"keep": keep})
    queue = before["links"][0]["queue_packets"]["mean"]
    new = before["flows"][-1]
    withheld = (1.0 - keep) * new["packets_per_s"] * new["rtt_s"]["mean"]
    assert base_error(before, propagation_s) > 0.005
    # ten packets' bursts of the flows that respond
    least, most = (max(0.0, queue - factor * withheld) / RATE for factor in (1.5, 1.0))
    assert least - 0.004 <= base_error(after, propagation_s) <= most + 0.004
    if withheld > queue:
        # each gets what it should, up to a packet of 20
        share = after["flows"][-1]["packets_per_s"] / (RATE / (others + 1))
        assert share == pytest.approx(1.0, abs=0.03)


def test_half_a_pause_gives_an_error_in_between() -> None:
    whole, half = (base_error(joined(5, 0.04, {"keep": keep}), 0.04) for keep in (0.0, 0.5))
    assert whole < half < base_error(joined(5, 0.04, None), 0.04)
