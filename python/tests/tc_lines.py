"""What `eddyline tc` writes for one link."""

from __future__ import annotations

from typing import Any

from eddyline.adviser.tc import commands
from eddyline.scenario import Scenario


def lines(queue: dict[str, Any], **more: Any) -> tuple[str, str, list[str]]:
    """The last line of the queue's commands, that of the path's, and the notes."""
    link = {"name": "d", "rate": "10 Mbit/s", "delay": "20 ms", "queue": queue, **more}
    back = {"name": "u", "rate": "1 Gbit/s", "delay": "0 s"}
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["u"]}
    scenario = Scenario({"duration": "1 s", "link": [link, back], "flow": [flow]})
    found = commands(scenario, {"d": ("eth0", "eth1"), "u": ("eth1", "eth0")})
    assert not found[1].path, "a link without delay needs no netem"
    return found[0].queue[-1], found[0].path[-1], found[0].notes
