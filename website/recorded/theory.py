"""Records of world `theory`'s figures: response functions, saw-teeth, a map of stability."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from eddyline.scenario import Scenario
from eddyline.theory import SawTeeth, responses, saw_teeth, theory_map
from eddyline.theory.local_stability import stability as local
from eddyline.theory.response_runs import simulation as lossy
from eddyline.theory.saw_tooth_runs import SHOWN, settled_s
from eddyline.theory.saw_tooth_runs import simulation as marked
from recorded.record import Record, axis, mark, result, series, times

ROOT = Path(__file__).resolve().parents[2]
_RTT_S = 0.080
_LOSSES = "1e-5..1e-2:7:log"
_PATH: dict[str, Any] = {"rate_bps": 1e10, "rtt_s": 1e-4, "threshold_packets": 40, "packet_bytes": 1500}
_STABILITY = "python/eddyline/papers/two_way_fast/scenarios/one-each-way.toml"
_TIMED = 50
_LAST_DIGITS = 1e-9
"""Of a characteristic root: eigenvalues come from other instructions on each processor."""


def spent(scenario: Scenario, *, recorded: bool = False) -> tuple[dict[str, Any], float]:
    """The result of a run, and the processor time that it took in ms."""
    document = scenario.run("sim", series=recorded).to_dict()
    return document, 1e3 * float(document["cost"]["cpu_s"])


def response() -> Record:
    """Closed forms as lines, simulations as crosses."""
    from eddyline.cli.theory.quantities import many

    kinds = ("reno", "cubic", "highspeed", "scalable")
    record = Record(f"eddyline theory response {' '.join(kinds)} --loss {_LOSSES} --rtt '80 ms' --with-sim")
    options: Any = {"packet_bytes": 1500, "ack_every": 1, "losses": "periodic"}
    document = responses(kinds, many("--loss", _LOSSES, "", "0.1 %"), _RTT_S, **options, with_sim=True).to_dict()
    windows, rates = [], []
    for place, kind in enumerate(kinds):
        rows = [row for row in document["responses"] if row["kind"] == kind]
        losses = [row["loss"] for row in rows]
        closed, simulated = [], []
        for row in rows:
            closed.append(record.response(kind, row["loss"], _RTT_S, periodic=True))
            scenario = lossy(kind, row["loss"], row["packets_per_s"], _RTT_S, **options)
            assert scenario is not None
            simulated.append(record.run(scenario, spent(scenario)[1]))

        def given(name: str, rows: list[Any] = rows, losses: list[float] = losses) -> Any:
            return losses, [row[name] for row in rows]

        formula = [result(run, "window") for run in closed]
        windows.append(mark(kind, place, "line dots", losses, formula, given("window_packets")))
        crosses = [result(run, "flows.0.window_packets.mean") for run in simulated]
        windows.append(mark(f"{kind}, simulated", place, "crosses", losses, crosses, given("sim_window_packets")))
        bps = [["*", 8 * 1500, result(run, "rate")] for run in closed]
        rates.append(mark(kind, place, "line dots", losses, bps, given("throughput_bps")))
    lost = axis("share of packets lost", log=True)
    record.panel("Mean window", lost, axis("packets", log=True), windows)
    record.panel("Throughput by the closed form", lost, axis("Mbit/s", log=True, size=1e6), rates)
    return record


def saw_tooth() -> Record:
    """The queue over time behind a threshold, of DCTCP and of Reno."""
    kinds = ("dctcp", "reno")
    record = Record(
        f"eddyline theory sawtooth {' '.join(kinds)} --rate '10 Gbit/s' --rtt '100 us' --threshold 40 --flows 2 "
        "--with-sim",
        columns=1,
    )
    made = saw_teeth(kinds, flows=2, with_sim=True, **_PATH)
    document, closed = made.to_dict(), _closed(made)
    for place, row in enumerate(document["sawteeth"]):
        period = row["period_s"]
        scenario = marked(row["kind"], row["flows"], period, **_PATH)
        run = record.run(scenario, spent(scenario, recorded=True)[1])
        queue = ("link", 0, "queue_packets")
        begin = settled_s(_PATH["rtt_s"], period)
        limits = (begin, begin + SHOWN * period)
        at = ["between", times(run, *queue), *limits, times(run, *queue)]
        lengths = ["between", times(run, *queue), *limits, series(run, *queue)]
        shown = row["sim_series"]
        time_s, packets = shown["time_s"], shown["queue_packets"]
        tooth = closed[place]
        fixed = mark("closed form", "grey", "dashed", *tooth, tooth, fixed="the closed form")
        record.panel(
            f"Queue of {row['kind']}",
            axis("time (µs)", size=1e-6),
            axis("packets"),
            [fixed, mark("simulated", place, "line", ["-", at, begin], lengths, (time_s, packets))],
        )
    return record


def _closed(made: SawTeeth) -> list[tuple[list[float], list[float]]]:
    """The saw-teeth of the closed form, aligned with the simulated ones as the picture has them; times in s."""
    found = []
    for axes, row in zip(made.plot().axes, made.to_dict()["sawteeth"], strict=True):
        line = next(line for line in axes.lines if line.get_label() == "closed form")
        size = SHOWN * row["period_s"] / axes.get_xlim()[1]
        points = [
            (x * size, y) for x, y in zip(*line.get_data(), strict=True) if 0 <= x * size <= SHOWN * row["period_s"]
        ]
        # a rise is almost straight, a fall has two ends
        steep = [abs(b[1] - a[1]) > 1 for a, b in pairwise(points)]
        kept = [p for i, p in enumerate(points) if i % 20 == 0 or any(steep[max(0, i - 1) : i + 1])]
        found.append(([float(x) for x, _ in kept], [float(y) for _, y in kept]))
    return found


def stability() -> Record:
    """The rightmost root over a rate and a delay."""
    x, y = ("link.backward.rate", "1 Mbit/s..100 Mbit/s:61:log"), ("link.*.delay", "1 ms..1 s:61:log")
    gamma = {"flow.*.controller.gamma": "1"}
    record = Record(
        f"eddyline theory map {_STABILITY} --x '{x[0]}={x[1]}' --y '{y[0]}={y[1]}' --show stability "
        "--link-model integrator --set 'flow.*.controller.gamma=1'",
        columns=1,
    )
    scenario = Scenario.load(ROOT / _STABILITY, set=gamma)
    made = theory_map(scenario, x, y, "stability", link_model="integrator")
    cells = made.to_dict()["cells"]

    def along(key: str, settings: list[str]) -> list[Scenario]:
        return [Scenario.load(ROOT / _STABILITY, set=gamma | {key: setting}) for setting in settings]

    began = time.process_time()
    for _ in range(_TIMED):
        local(scenario, "integrator")
    ms = 1e3 * (time.process_time() - began) / _TIMED
    more: Any = {"world": "stability", "linkModel": "integrator"}
    record.times(scenario, ms, along(x[0], made.x.settings), along(y[0], made.y.settings), **more)
    roots = [cell["root_re_per_s"] for cell in cells]
    values = (made.x.values, made.y.values, roots)
    z = ["every", 0, len(cells), "roots.0.0"]
    label = "real part of the rightmost root: blue below zero (stable), orange above"
    marks = [mark(label, 0, "cells", made.x.values, made.y.values, values, z=z, within=_LAST_DIGITS)]
    for curve in made.boundary:
        xs, ys = [x for x, _ in curve], [y for _, y in curve]
        marks.append(mark("boundary", "grey", "line", xs, ys, (xs, ys), fixed="the boundary"))
    rate, delay = axis("backward link (Mbit/s)", log=True, size=1e6), axis("delay of a link (ms)", log=True, size=1e-3)
    record.panel("Stability of one flow each way", rate, delay, marks)
    return record
