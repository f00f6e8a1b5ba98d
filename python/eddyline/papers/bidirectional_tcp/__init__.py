"""A new look at bidirectional TCP connections over asymmetric links (Heusse, Brown, Schwengler, Duda)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp import (
    against_ns2,
    buffer_unit,
    capacity,
    closer_look,
    compression,
    cures,
    extensions,
    over_time,
    packets,
    pendulum,
    phases,
    ratio,
    units,
    wimax,
)

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Builders

__all__ = ["EXHIBITS"]

EXHIBITS: Builders = {
    "fig-1": over_time.figure_1,
    "fig-2": over_time.figure_2,
    "starts": over_time.starts,
    "compression": compression.compression,
    "fig-5": pendulum.figure_5,
    "rule-of-thumb": capacity.rule_of_thumb,
    "capacity-ratio": capacity.capacity_ratio,
    "fig-6": ratio.figure_6,
    "fig-7": ratio.figure_7,
    "estimate": ratio.estimates,
    "extensions": extensions.extensions,
    "fig-8": closer_look.figure_8,
    "fig-9": closer_look.figure_9,
    "fig-10-1": packets.figure_10("10-1"),
    "fig-10-2": packets.figure_10("10-2"),
    "half-the-downlink": packets.starving,
    "six-packets": phases.six_packets,
    "steps": phases.steps,
    "buffer-unit": buffer_unit.build,
    "section-5-alone": wimax.alone,
    "section-5": wimax.fit,
    "section-5-packets": wimax.in_packets,
    "units": units.units,
    "sizes": units.sizes,
    "upload-window": capacity.upload_window,
    "ns2": against_ns2.against_ns2,
    "cures": cures.build,
}
"""The function that makes each exhibit, by its id, in the order of the report."""
