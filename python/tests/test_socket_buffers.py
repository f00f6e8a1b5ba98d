"""Socket buffers in the worlds that have no sockets: said, and without effect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEYS = ("send_buffer", "receive_buffer")


@pytest.mark.parametrize("world", ["theory", "sim", "quic"])
def test_a_world_without_sockets_says_so(
    eddyline: Callable[..., Any], scenario: Callable[..., Path], world: str
) -> None:
    path = scenario()
    set_ = [item for key in KEYS for item in ("--set", f"flow.*.tcp.{key}=64 KiB")]
    plain = json.loads(eddyline("run", path, "--world", world, "--json").out)
    ran = eddyline("run", path, "--world", world, "--json", *set_)
    assert ran.code == 0
    result = json.loads(ran.out)
    notes = " ".join(result["approximations"])
    assert all(key in notes for key in KEYS)
    assert (result["flows"], result["links"]) == (plain["flows"], plain["links"])
    assert eddyline("run", path, "--world", world, *set_, "--strict").code == 3


def test_what_no_kernel_has_is_refused(eddyline: Callable[..., Any], scenario: Callable[..., Path]) -> None:
    ran = eddyline("run", scenario(), "--set", "flow.*.tcp.send_buffer=1 kB")
    assert ran.code == 2
    assert "at least 4 kB" in ran.err
