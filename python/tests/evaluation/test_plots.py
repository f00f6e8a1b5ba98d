"""Figures of evaluations."""

from __future__ import annotations

from typing import Any

from eddyline.evaluation.plots import overlaid


def _buffers(delay_s: float) -> list[dict[str, Any]]:
    row = {"utilisation": 0.5, "queueing_delay_s": 0.02}
    return [{**row, "buffer_bdp": 0.1}, {**row, "buffer_bdp": 1.0, "queueing_delay_s": delay_s}]


def test_an_empty_queue_is_on_the_axis() -> None:
    """There is no logarithm of 0."""
    for delay_s in (0.0, 0.02):
        _, queue = overlaid("buffers", [("mine", _buffers(delay_s), None)]).axes
        (line,) = (line for line in queue.lines if len(line.get_xdata()) == 2)
        low, high = queue.get_ylim()
        assert list(line.get_ydata()) == [20.0, delay_s * 1e3]
        assert all(low <= each <= high for each in line.get_ydata())
        assert (queue.get_yscale() == "log") == (delay_s > 0)
        assert not [tick for tick in queue.get_yticks() if low <= tick < 0]
