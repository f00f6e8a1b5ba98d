"""What is drawn as the capacity of a link."""

from __future__ import annotations

from itertools import pairwise

import pytest

import eddyline as el
from eddyline.capacity import of_bottlenecks


@pytest.mark.parametrize(("unit", "exact"), [("ms", False), ("s", True)])
def test_many_outages_are_drawn_as_means(unit: str, exact: bool) -> None:
    """Of every 6 units 4 are outages: 0 to 1, 2 to 5."""
    outages = [{"start": "0 s", "length": f"1 {unit}", "every": f"{every} {unit}"} for every in (2, 3)]
    links = [{"name": name, "rate": "12 Mbit/s", "delay": "1 ms"} for name in ("d", "u")]
    links[0]["outages"] = outages  # type: ignore[assignment]
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["u"]}
    scenario = el.Scenario({"duration": "12 s", "link": links, "flow": [flow]})
    points = of_bottlenecks(scenario._core)["d"]
    assert len(points) <= 2 * 2001
    carried = sum((b[0] - a[0]) * a[1] for a, b in pairwise(points))
    assert carried == pytest.approx(12 * 4e6, rel=0.01)
    assert ({bps for _, bps in points} <= {0.0, 12e6}) == exact
