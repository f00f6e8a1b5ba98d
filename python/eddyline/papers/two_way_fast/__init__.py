"""Performance Effects of Two-way FAST TCP (Ge, Chan, Andrew, Li, Tan, Zukerman)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.two_way_fast import (
    ack_congestion,
    ack_priority,
    conditions,
    efficiency,
    examples,
    figure_2,
    figure_5,
    film,
    joining,
    late_joiners,
    mixes,
    one_way,
    one_way_delay,
    overload,
    quic,
    reverse_queue,
    separation,
    service,
    stability,
    starts,
    switching,
    tables,
)

if TYPE_CHECKING:
    from eddyline.papers.reproduction import Builders

__all__ = ["EXHIBITS"]

EXHIBITS: Builders = {
    "stability-both-ways": stability.build,
    "one-way": one_way.build,
    "theorem-1": examples.theorem,
    "bottleneck-map": conditions.bottleneck_map,
    "flow-counts": conditions.flow_counts,
    "utilisation": efficiency.utilisation,
    "joining": joining.build,
    "reverse-queue": reverse_queue.build,
    "fig-2": figure_2.build,
    **{f"example-{n}": examples.builder(n) for n in range(1, 6)},
    "example-4-start": starts.build,
    "quic": quic.build,
    "table-1": tables.table_1,
    "table-2": tables.table_2,
    "table-3": tables.table_3,
    "balance": efficiency.balance,
    "switching": switching.build,
    "fast-ack-priority": ack_priority.build,
    "one-way-delay": one_way_delay.build,
    "ack-congestion": ack_congestion.build,
    "late-joiners": late_joiners.build,
    "film": film.mean_rates,
    "film-load": film.film_load,
    "fig-4": film.figure_4,
    "service": service.build,
    "always-one": mixes.always_one,
    "overload": overload.build,
    "fig-5": figure_5.build,
    "fig-5-shifts": mixes.shifts,
    "fig-5-mix": mixes.mix,
    "fig-5-timescale": separation.build,
}
"""The function that makes each exhibit, by its id, in the order of the report."""
