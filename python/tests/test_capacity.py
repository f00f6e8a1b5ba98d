"""What is drawn as the capacity of a link."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

import eddyline as el
from eddyline.capacity import of_bottlenecks

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(("duration", "interval", "edges"), [(100, 30, (30, 60, 90, 100)), (97, 0.02, None)])
def test_a_recording_is_drawn_over_the_intervals_of_rates(
    tmp_path: Path, duration: float, interval: float, edges: tuple[float, ...] | None
) -> None:
    (tmp_path / "s.csv").write_text("time_s,rate_bps\n0,10e6\n30,2e6\n60,6e6\n")
    links = [{"name": name, "delay": "10 ms", "queue": {"kind": "droptail", "limit": "50 packets"}} for name in "du"]
    links[0]["trace"] = {"kind": "csv", "file": str(tmp_path / "s.csv"), "repeat": False}
    links[1]["rate"] = "10 Mbit/s"
    flow = {"name": "f", "controller": {"kind": "cubic"}, "data": ["d"], "ack": ["u"]}
    table = {"duration": f"{duration} s", "record": {"interval": f"{interval} s"}, "link": links, "flow": [flow]}
    axis = el.Scenario(table).run(series=True).plot().axes[0]
    capacity, rate = sorted(axis.lines, key=lambda line: str(line.get_label()))
    at, means = (np.asarray(values, dtype=float) for values in capacity.get_data())
    assert str(capacity.get_label()) == "capacity of d"
    if edges is not None:
        assert at[1::2].tolist() == list(edges)
        assert means[1::2].tolist() == [10, 2, 6, 6]
    # a point of the rate ends where one of the capacity does, above it by what arrives 10 ms after it has left
    times, rates = (np.asarray(values, dtype=float) for values in rate.get_data())
    assert set(times[1:]) <= set(at[1::2])
    carried = dict(zip(at[1::2], means[1::2], strict=True))
    for begin, end, mbps in zip(times, times[1:], rates[1:], strict=False):
        assert mbps <= carried[end] + 10 * 0.012 / (end - begin), (begin, end)
