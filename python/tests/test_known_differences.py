"""To which scenarios known differences of worlds apply."""

from __future__ import annotations

from typing import Any

import pytest

from eddyline.deviations.known import KNOWN
from eddyline.deviations.unswitched import unswitched


def _scenario(tcp: dict[str, Any] | None = None, **flow: Any) -> dict[str, Any]:
    sender = {"name": "one", "controller": {"kind": "newreno"}, "tcp": {"sack": True, **(tcp or {})}, **flow}
    return {"link": [], "flow": [sender]}


def _result(world: str, retransmits: int = 3) -> dict[str, Any]:
    flow = {"name": "one", "retransmits": retransmits, "packets_per_s": 100.0}
    return {"world": world, "flows": [flow], "links": [], "approximations": []}


@pytest.mark.parametrize(
    ("tcp", "overrides"),
    [
        ({"timestamps": True}, {'flow."one".tcp.timestamps': False}),
        ({}, {}),
        # a clock of the receiver needs them
        ({"timestamps": True, "timestamp_clock": {"tick": "10 ms"}}, {}),
    ],
)
def test_samples_of_quic_are_without_the_receivers_delay(tcp: dict[str, Any], overrides: dict[str, Any] | None) -> None:
    (samples,) = (each for each in KNOWN if each.name == "samples" and "quic" in each.worlds)
    assert samples.overrides(_scenario(tcp), _result("quic")) == overrides


@pytest.mark.parametrize(
    ("flow", "retransmits", "named"),
    [
        ({"size": "2 MB"}, 3, True),
        ({"application": {"kind": "objects", "bytes": "100 kB"}}, 3, True),
        ({"application": {"kind": "bulk"}}, 3, False),
        ({"size": "2 MB"}, 0, False),
    ],
)
def test_reductions_of_linux_are_named_where_data_may_be_lacking(
    flow: dict[str, Any], retransmits: int, named: bool
) -> None:
    names = [each.name for each in unswitched(_scenario(**flow), _result("kernel", retransmits))]
    assert ("reductions" in names) is named
