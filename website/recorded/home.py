"""Record of a home's line before and after the advice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.adviser.experience import FLOWS, INTERVAL_S, scenario
from eddyline.adviser.home import MEAN_S, advise_home, curves
from eddyline.scenario import Scenario
from recorded.record import Record, axis, mark, series, times

if TYPE_CHECKING:
    from recorded.record import Expression

_GIVEN = ("vdsl2", "50 Mbit/s", "10 Mbit/s")
_WAITS = "Round-trip time of a user that sends little, or its wait so far"


def home() -> Record:
    """Waits for round trips under load and throughput of both directions, before and after."""
    kind, down, up = _GIVEN
    record = Record(f"eddyline advise --isp {kind} --down '{down}' --up '{up}'", columns=1)
    advice = advise_home(kind, down, up)
    marks: dict[str, list[Any]] = {"latency": [], "downloads": [], "uploads": []}
    for name, made, queues, colour in (
        ("before", advice.before, None, 1),
        ("after", advice.after, advice.advice.choice.best.queues, 0),
    ):
        table = scenario(advice.isp, advice.advice.access, queues, advice.rates_bps)
        loaded = Scenario(table, name=str(table["title"]))
        run = record.run(loaded, 1e3 * float(loaded.run("sim", series=True).to_dict()["cost"]["cpu_s"]))
        drawn = curves(made.series)
        label = f"{name}, grade {made.grade}"
        marks["latency"].append(mark(label, colour, "line", *_waits(run), (None, drawn["latency"][1])))
        for first, way in ((0, "downloads"), (FLOWS, "uploads")):
            x, y = _together(run, first)
            marks[way].append(mark(label, colour, "line", x, y, drawn[way]))
    clock = axis("time (s)")
    record.panel(_WAITS, clock, axis("ms", size=1e-3), marks["latency"])
    record.panel("Downloads together", clock, axis("Mbit/s", size=1e6), marks["downloads"])
    record.panel("Uploads together", clock, axis("Mbit/s", size=1e6), marks["uploads"])
    return record


def _waits(run: int) -> tuple[Expression, Expression]:
    """Times and waits of the ping, the flow after all others."""
    ping = ("flow", 2 * FLOWS)
    clock = times(run, *ping, "rtt_s")
    taken = [series(run, *ping, quantity) for quantity in ("rtt_s", "srtt_s", "throughput_bps")]
    return clock, ["waits", clock, *taken]


def _together(run: int, first: int) -> tuple[Expression, Expression]:
    """Times and throughput of all flows from `first` on, means over a second."""
    clock = times(run, "flow", first, "throughput_bps")
    total = series(run, "flow", first, "throughput_bps")
    for entity in range(first + 1, first + FLOWS):
        total = ["+", total, series(run, "flow", entity, "throughput_bps")]
    return ["ends", clock, MEAN_S], ["/", ["*", ["sums", clock, MEAN_S, total], INTERVAL_S], MEAN_S]
