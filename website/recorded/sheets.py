"""Records of the sheets of the controllers: what `eddyline evaluate` measures and draws of one of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from eddyline.evaluation.convergence import CONVERGENCE
from eddyline.evaluation.path import FULL_PACKET_B, NARROW, Setting
from eddyline.evaluation.response import CAPACITY, RESPONSE, SETTLING, STEP_S
from eddyline.evaluation.rtt_fairness import RTT_FAIRNESS
from eddyline.evaluation.step import DOWN_S, STEP, UP_S
from eddyline.evaluation.subject import Subject
from eddyline.evaluation.trace import TRACE
from eddyline.evaluation.trial import EXPERIMENTS, SEEDS
from eddyline.summary import spread
from recorded.record import Record, axis, mark, result, series, times

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eddyline.evaluation.experiment import Curves, Experiment, Point
    from eddyline.scenario import Scenario
    from recorded.record import Expression

_BITS = 8 * FULL_PACKET_B
_RENO = "reno"
_ALONE = "Reno, in grey"
_BUFFER = axis("buffer (BDP)", log=True)


@dataclass(frozen=True)
class _Point:
    """The runs of a point, one per seed: scenarios, ms that they took, what was measured."""

    point: Point
    runs: list[tuple[Scenario, float]]
    numbers: Mapping[str, Any]
    curves: Curves | None


@cache
def _measured(kind: str, queue: str) -> dict[str, list[_Point]]:
    """All experiments with a controller, by name."""
    subject, setting = Subject(kind), Setting(queue=queue)
    found = defaultdict(list)
    for experiment in EXPERIMENTS.values():
        for point in experiment.points(False):
            found[experiment.name].append(_at(experiment, subject, point, setting))
    return found


def _at(experiment: Experiment, subject: Subject, point: Point, setting: Setting) -> _Point:
    runs, taken = [], []
    for seed in range(SEEDS if experiment.chance else 1):
        scenario = experiment.scenario(subject, point, setting, seed)
        made = scenario.run("sim", series=experiment.series)
        runs.append((scenario, 1e3 * float(made.to_dict()["cost"]["cpu_s"])))
        taken.append(experiment.take(subject, point, made))
    means = {}
    for key, value in taken[0].numbers.items():
        values = [each.numbers[key] for each in taken]
        numeric = isinstance(value, float | int) and None not in values
        means[key] = spread([float(v) for v in values])["mean"] if numeric else None  # type: ignore[arg-type]
    return _Point(point, runs, means, taken[0].curves)


class _Sheet:
    """One record as it grows."""

    def __init__(self, kind: str, queue: str) -> None:
        self.kind = kind
        self.points = _measured(kind, queue)
        # Reno's, where it is measured in the same way
        self.reno = _measured(_RENO, queue) if queue == "droptail" and kind != _RENO else {}
        command = "eddyline evaluate all" if queue == "droptail" else f"eddyline evaluate {kind} --queue {queue}"
        self.record = Record(command, columns=3)

    def over(
        self,
        experiment: Experiment,
        label: str,
        colour: int,
        names: tuple[str, str],
        by: tuple[Callable[[int], Expression] | None, Callable[[int], Expression]],
        only: Mapping[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """A line with a dot for each point, behind it Reno's: names of x and y, and how they follow from a run."""

        def chosen(points: Sequence[_Point]) -> list[_Point]:
            return [p for p in points if all(p.point[key] == value for key, value in (only or {}).items())]

        def column(points: Sequence[_Point], name: str) -> list[float | None]:
            return [p.point[name] if name in p.point else p.numbers[name] for p in points]  # type: ignore[misc]

        mine = chosen(self.points[experiment.name])
        runs = [[self.record.run(*run) for run in p.runs] for p in mine]

        def means(calculate: Callable[[int], Expression]) -> list[Expression]:
            return [["mean", *map(calculate, each)] if len(each) > 1 else calculate(each[0]) for each in runs]

        x, y = (column(mine, name) for name in names)
        marks = [mark(label, colour, "line dots", x if by[0] is None else means(by[0]), means(by[1]), (x, y))]
        if self.reno and only is None:
            behind = chosen(self.reno[experiment.name])
            grey = [column(behind, name) for name in names]
            marks.insert(0, mark(_RENO, "grey", "line dots", *grey, tuple(grey), fixed=_ALONE))  # type: ignore[arg-type]
        return marks

    def curves(self, experiment: Experiment) -> tuple[int, Curves]:
        """The run of an experiment over time, and its curves."""
        (point,) = self.points[experiment.name]
        assert point.curves is not None
        return self.record.run(*point.runs[0]), point.curves


def sheet(kind: str, queue: str = "droptail") -> Record:
    """The sheet of one controller."""
    made = _Sheet(kind, queue)
    _response(made)
    _rtt_fairness(made)
    _trace(made)
    _convergence(made)
    _step(made)
    _sharing(made)
    _buffers(made)
    return made.record


def _response(made: _Sheet) -> None:
    rate: list[Any] = []

    def packets_per_s(run: int) -> Expression:
        return ["/", ["settled", series(run, "flow", 0, "throughput_bps"), STEP_S, _BITS, SETTLING], _BITS]

    rate += made.over(RESPONSE, made.kind, 0, ("loss", "packets_per_s"), (None, packets_per_s))
    moving = [p for p in made.points[RESPONSE.name] if not p.numbers["settled"]]
    if moving:
        losses = [float(p.point["loss"]) for p in moving]
        recorded = [p.numbers["packets_per_s"] for p in moving]
        rates = [packets_per_s(made.record.run(*p.runs[0])) for p in moving]
        rate.append(mark("not settled", 0, "rings", losses, rates, (losses, recorded)))
    known = [p for p in made.points[RESPONSE.name] if p.numbers["theory_packets_per_s"]]
    if known:
        losses = [float(p.point["loss"]) for p in known]
        runs = [made.record.response(made.kind, loss, CAPACITY.rtt_s, periodic=True) for loss in losses]
        formula = [["/", result(run, "window"), CAPACITY.rtt_s] for run in runs]
        recorded = [p.numbers["theory_packets_per_s"] for p in known]
        rate.append(mark("closed form", 0, "crosses", losses, formula, (losses, recorded)))
    x, y = axis("share of packets lost", log=True), axis("rate (packets/s)", log=True)
    made.record.panel("Response to loss", x, y, rate)


def _rtt_fairness(made: _Sheet) -> None:
    def ratio(place: str, over: int, under: int) -> Callable[[int], Expression]:
        return lambda run: ["/", result(run, f"flows.{over}.{place}"), result(run, f"flows.{under}.{place}")]

    marks: list[Any] = []
    for colour, size in enumerate(dict.fromkeys(p.point["buffer_bdp"] for p in made.points[RTT_FAIRNESS.name])):
        by = ratio("rtt_s.mean", 1, 0), ratio("throughput_bps", 0, 1)
        only = {"buffer_bdp": size}
        marks += made.over(RTT_FAIRNESS, f"buffer of {size:g} BDP", colour, ("rtt_ratio", "rate_ratio"), by, only)
    x, y = axis("RTT of far over near", log=True), axis("rate of near over far", log=True)
    made.record.panel("RTT fairness", x, y, marks)


def _trace(made: _Sheet) -> None:
    run, curves = made.curves(TRACE)
    marks = [
        mark(
            label,
            colour,
            "line",
            times(run, "flow", 0, quantity),
            series(run, "flow", 0, quantity),
            (None, curves[key].tolist()),
        )
        for label, colour, quantity, key in (
            ("in flight", 2, "in_flight_packets", "in_flight_packets"),
            ("window", 0, "cwnd_packets", "window_packets"),
        )
    ]
    made.record.panel("The window alone", axis("time (s)"), axis("packets"), marks)


def _convergence(made: _Sheet) -> None:
    run, curves = made.curves(CONVERGENCE)
    first, second = (("flow", i, "throughput_bps") for i in (0, 1))
    rates = series(run, *second)
    joined = curves["second_bps"].cumsum() > 0
    marks = [
        mark("first", 0, "line", times(run, *first), series(run, *first), (None, curves["first_bps"].tolist())),
        mark(
            "second",
            1,
            "line",
            ["since", rates, times(run, *second)],
            ["since", rates, rates],
            (None, curves["second_bps"][joined].tolist()),
        ),
    ]
    made.record.panel("A second flow joins", axis("time (s)"), axis("Mbit/s", size=1e6), marks)


def _step(made: _Sheet) -> None:
    run, curves = made.curves(STEP)
    rate, waiting = ("flow", 0, "throughput_bps"), ("link", 0, "queue_bytes")
    whole = NARROW.rate_bps
    capacity = ["within", times(run, *waiting), DOWN_S, UP_S, whole / 2, whole]
    delay = ["/", ["*", 8, series(run, *waiting)], capacity]
    drawn = mark(made.kind, 0, "line", times(run, *rate), series(run, *rate), (None, curves["rate_bps"].tolist()))
    made.record.panel("Half the capacity: rate", axis("time (s)"), axis("Mbit/s", size=1e6), [drawn])
    drawn = mark(made.kind, 0, "line", times(run, *waiting), delay, (None, curves["queueing_delay_s"].tolist()))
    y = axis("queueing delay (ms)", size=1e-3)
    made.record.panel("Half the capacity: queue", axis("time (s)"), y, [drawn])


def _sharing(made: _Sheet) -> None:
    def share(run: int) -> Expression:
        mine, other = (["or", result(run, f"flows.{i}.goodput_bps"), 0] for i in (0, 1))
        return ["/", mine, ["+", mine, other]]

    sharing = EXPERIMENTS["sharing"]
    marks: list[Any] = []
    for colour, rival in enumerate(dict.fromkeys(str(p.point["rival"]) for p in made.points[sharing.name])):
        names = ("buffer_bdp", "share")
        marks += made.over(sharing, f"beside {rival}", colour, names, (None, share), {"rival": rival})
    y = axis("share of both (%)", size=0.01, limits=(0, 100))
    made.record.panel("Share beside others", _BUFFER, y, marks)


def _buffers(made: _Sheet) -> None:
    buffers = EXPERIMENTS["buffers"]
    for title, key, place, y in (
        ("Use alone", "utilisation", "links.0.utilisation", axis("use of the link (%)", size=0.01)),
        (
            "Queue alone",
            "queueing_delay_s",
            "links.0.queueing_delay_s.mean",
            axis("queueing delay (ms)", log=True, size=1e-3),
        ),
    ):

        def taken(run: int, place: str = place) -> Expression:
            return result(run, place)

        marks = made.over(buffers, made.kind, 0, ("buffer_bdp", key), (None, taken))
        made.record.panel(title, _BUFFER, y, marks)
