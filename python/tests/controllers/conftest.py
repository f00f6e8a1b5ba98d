from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import eddyline as el
from eddyline.controllers.sources import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[3]
RENO = ROOT / "examples" / "controllers" / "reno.py"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Whatever a test registers goes again."""
    before = el.registered()
    yield
    for name in el.registered().keys() - before.keys():
        el.unregister(name)


@pytest.fixture
def reno() -> Iterator[None]:
    load(str(RENO))
    from eddyline.controllers.sources import FILES

    yield
    import sys

    for name in [n for n in sys.modules if n.startswith(FILES)]:
        del sys.modules[name]


@pytest.fixture
def one_flow() -> Callable[..., el.Scenario]:
    """A flow over a link of 10 Mbit/s, 40 ms, 20 packets."""

    def scenario(controller: dict[str, Any], *, seconds: float = 5, loss: float = 0.0, **flow: Any) -> el.Scenario:
        queue = {"kind": "droptail", "limit": "20 packets"}
        return el.Scenario(
            {
                "duration": f"{seconds} s",
                "seed": 5,
                "link": [
                    {"name": "down", "rate": "10 Mbit/s", "delay": "20 ms", "queue": queue, "loss": loss},
                    {"name": "up", "rate": "10 Mbit/s", "delay": "20 ms"},
                ],
                "flow": [{"name": "f", "controller": controller, "data": ["down"], "ack": ["up"], **flow}],
            }
        )

    return scenario


@pytest.fixture
def table(one_flow) -> dict[str, Any]:
    """The same with losses, as a dict."""
    return one_flow({"kind": "newreno"}, loss=0.001, seconds=6).to_dict()


class Fixed:
    """Keeps its window, and starts over after a timeout."""

    def __init__(self, path: el.PathFacts, window: float = 10.0) -> None:
        self.cwnd = self.window = window

    def on_ack(self, ack: el.Ack) -> None:
        pass

    def on_loss(self, loss: el.Loss) -> None:
        pass

    def on_timeout(self, timeout: el.Timeout) -> None:
        self.cwnd = 1.0
