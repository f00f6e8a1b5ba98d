"""Figures of runs: throughput, windows, round-trip times and queues over time; shares where there is no time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from matplotlib import rc_context

from eddyline.plots.picture import empty
from eddyline.plots.style import (
    COLOURS,
    DASHES,
    MARKERS,
    MAX_LINES,
    STYLE,
    capacity_look,
    chosen,
    duration,
    entry,
    from_zero,
    heading,
    name_ticks,
    scale,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["Legend", "bars", "compared", "overview", "repeated"]

# Quantity, panel title, axis label without unit, scale to the unit of the axis by its largest value.
_PANELS = (
    ("throughput_bps", "Throughput", "throughput", "rate"),
    ("cwnd_packets", "Congestion window", "window (packets)", "plain"),
    ("rtt_s", "Round-trip time", "RTT", "time"),
    ("queue_packets", "Queues", "waiting packets", "plain"),
)


@dataclass(frozen=True)
class Legend:
    """What a figure says beside the series.

    Attributes:
        names: Labels of flows and links, where these are not their names.
        capacities: Points (time in s, bit/s) of what links carry, drawn with the rates; where these are means, of the
            intervals between the times that it is given.
        chosen_interval: The scenario says how densely series are recorded, and rates are drawn so.
        ended: Flows that end before the run does: windows and round-trip times after their last packets are old.
    """

    names: Mapping[str, str]
    capacities: Callable[[Sequence[float]], Mapping[str, Sequence[tuple[float, float]]]] = lambda _: {}
    chosen_interval: bool = False
    ended: frozenset[str] = frozenset()

    @property
    def most(self) -> int:
        """Points of a line of means, at most: with the default interval noise would hide the line."""
        return _CHOSEN_TIMES if self.chosen_interval else _MAX_TIMES


def _smooth(one: pd.DataFrame, every: int) -> pd.DataFrame:
    """One line of a rate: means of so many intervals, and of more where packets are rare."""
    # the rest belongs to the last
    one = _means(one, np.minimum(np.arange(len(one)) // every, max(len(one) // every - 1, 0)))
    return _means(one, _points(one["value"].to_numpy()))


def _means(one: pd.DataFrame, points: NDArray[np.int_]) -> pd.DataFrame:
    """A row for each number in `points`, which has one for each row: from the first of its intervals to the last."""
    if not len(one) or points[-1] == len(one) - 1:
        return one
    means: pd.DataFrame = one.groupby(points).agg({"begin_s": "min", "time_s": "max", "value": "mean"})
    return means


def _with_begins(rows: pd.DataFrame) -> pd.DataFrame:
    """Rates with the times at which their intervals begin."""
    return rows.assign(begin_s=(rows["time_s"] - _interval(rows)).clip(lower=0.0))


def _every(rows: pd.DataFrame, most: int) -> int:
    """How many intervals of series are one point, so that no line has more than `most`."""
    longest = int(rows.groupby("entity", observed=True).size().max()) if len(rows) else 0
    return max(-(-longest // most), 1)


def _ends(rows: pd.DataFrame, every: int) -> list[float]:
    """Where points of so many intervals of series end; the rest belongs to the last."""
    times = np.unique(rows["time_s"]).tolist()
    points = max(len(times) // every, 1)
    return [*times[every - 1 :: every][: points - 1], *times[-1:]]


def _interval(rows: pd.DataFrame) -> float:
    """The interval of series in seconds; a single one begins with the run."""
    times = np.unique(rows["time_s"])
    return float(np.median(np.diff(times) if len(times) > 1 else times)) if len(times) else 0.0


def _are_bursts(rates: NDArray[np.float64], one: float) -> bool:
    """Whether most intervals have more than a few packets, or many a few times the least, as in slow start."""
    median, many = np.percentile(rates, (50, 75), method="lower")
    return bool(median > _FEW * one or many > _FEW * rates.min())


def _points(rates: NDArray[np.float64]) -> NDArray[np.int_]:
    """Numbers of points, one for each interval: several intervals are one point where packets are rare.

    They are rare where most intervals with packets have one or two, not where bursts have silences between them.

    Where `_PACKETS` intervals in a row have some, each is a point, so that what a flow has before something slows it
    down is not averaged with what it has then. So is each of a silence: what is rare is not spread over it.
    """
    flowing = rates > 0
    rows, alone = np.arange(len(flowing)), np.zeros(len(flowing), dtype=bool)
    one = float(np.percentile(rates[flowing], 2, method="lower")) if flowing.any() else 0.0  # packet in an interval
    for stretch in _stretches(flowing, rows):
        alone[stretch] = len(stretch) >= _PACKETS and flowing[stretch[0]]
    width = np.ones(len(flowing), dtype=int)  # of a point, where it is not alone
    for part in _stretches(alone, rows):
        if alone[part[0]]:
            continue
        gaps = np.diff(np.flatnonzero(flowing[part]))
        gap, long = (int(np.percentile(gaps, q, method="lower")) if len(gaps) else 1 for q in (50, 90))
        bursts = bool(len(gaps)) and _are_bursts(rates[part][flowing[part]], one)
        width[part] = _PACKETS * gap if gap > 1 and not bursts else 1
        for stretch in _stretches(flowing[part], part):
            # beside a dense stretch, or before the first packet, nothing hides that a silence is none of the gaps
            beside = stretch[0] == part[0] or (stretch[-1] == part[-1] and part[-1] < rows[-1])
            alone[stretch] = not flowing[stretch[0]] and len(stretch) >= _SILENCE * (gap if beside else long)
    numbers, first = [np.arange(0)], 0
    for part in _stretches(alone, rows):
        each = alone[part[0]] or flowing[part].sum() < _PACKETS
        every = 1 if each else int(width[part[0]])
        # the rest belongs to the last
        numbers.append(first + np.minimum(np.arange(len(part)) // every, max(len(part) // every - 1, 0)))
        first = int(numbers[-1][-1]) + 1
    return np.concatenate(numbers)


def _stretches(values: NDArray[np.bool_], rows: NDArray[np.int_]) -> list[NDArray[np.int_]]:
    """The rows of each stretch of equal values."""
    return np.split(rows, np.flatnonzero(np.diff(values)) + 1) if len(rows) else []


_STATES = ("cwnd_packets", "rtt_s")  # of a sender, as they were last
_PACKETS = 5  # of a slow flow that a point averages
_FEW = 2.5  # packets in an interval: more are a burst
_SILENCE = 1.5  # times the usual gap between packets, or the longest but for one in ten
_MAX_TIMES = 400  # points of a line of means
_STALL_S = 1.0  # the initial retransmission timeout (RFC 6298)
_CHOSEN_TIMES = 2000  # where the scenario chooses the interval


def repeated(runs: Sequence[pd.DataFrame], title: str, legend: Legend | None = None) -> Figure:
    """Four panels over one time axis: means over the runs, with the 95 % interval of the mean as a band.

    Args:
        runs: Tidy series of each.
        title: Above the figure.
        legend: Names of lines, and capacities.
    """
    legend, recorded = legend or Legend({}), runs[0][runs[0]["quantity"] == "throughput_bps"]
    heading = f"{title}: means and 95 % intervals of {len(runs)} runs"
    there = [_while_there(run, legend.ended) for run in runs]  # a flow ends at another time in each
    return _overview(_over_runs(there, legend.most), heading, legend, _interval(recorded))


def _while_there(run: pd.DataFrame, ended: frozenset[str]) -> pd.DataFrame:
    """Series without the windows and round-trip times of flows that have ended."""
    if not ended:
        return run
    states, rates = run["quantity"].isin(_STATES), run[run["quantity"] == "throughput_bps"]
    kept: pd.DataFrame = pd.concat([run[~states], _until_end(run[states], rates, ended)]).sort_index()
    return kept


def _over_runs(runs: Sequence[pd.DataFrame], most: int) -> pd.DataFrame:
    """Series of means, with `low` and `high` of the 95 % interval.

    Long series are averaged over intervals first, rates over the intervals in which the first run has packets, which
    begin at `begin_s`.
    """
    from eddyline.summary import student_t

    end = max((float(run["time_s"].max()) for run in runs if len(run)), default=0.0)
    width = end / most
    binned = []
    for run in runs:
        step = float(run["time_s"].drop_duplicates().sort_values().diff().median())
        if width > step:
            run = run.assign(time_s=(np.ceil(run["time_s"] / width - 1e-9)) * width)
        binned.append(_mean_by_time(_with_begins(run)))
    merged = _merged_times(binned[0]) if binned else {}
    for run in binned:
        rates = run["quantity"] == "throughput_bps"
        own = zip(run.loc[rates, "entity"], run.loc[rates, "time_s"], strict=True)
        run.loc[rates, "time_s"] = [merged.get(each, each[1]) for each in own]
    together = pd.concat([_mean_by_time(run) for run in binned])
    groups = together.groupby(_ROW, sort=False, observed=True)
    made = groups["value"].agg(["mean", "std", "count"]).assign(begin_s=groups["begin_s"].min()).reset_index()
    factors = {int(n): student_t(int(n) - 1) / np.sqrt(n) if n > 1 else np.nan for n in made["count"].unique()}
    half = made["std"] * made["count"].map(factors)
    made = made.assign(value=made["mean"], low=made["mean"] - half, high=made["mean"] + half)
    ordered: pd.DataFrame = made.sort_values("time_s", kind="stable")
    return ordered


_ROW = ["quantity", "kind", "entity", "time_s"]


def _mean_by_time(run: pd.DataFrame) -> pd.DataFrame:
    return run.groupby(_ROW, sort=False, observed=True).agg({"value": "mean", "begin_s": "min"}).reset_index()


def _merged_times(run: pd.DataFrame) -> dict[tuple[str, float], float]:
    """For a flow and a time, the time of the point that its rate is part of, see `_points`."""
    rates = run[run["quantity"] == "throughput_bps"]
    merged: dict[tuple[str, float], float] = {}
    for name, one in rates.groupby("entity", sort=False, observed=True):
        ends = one["time_s"].groupby(_points(one["value"].to_numpy())).transform("max")
        merged |= {(str(name), time): end for time, end in zip(one["time_s"], ends, strict=True)}
    return merged


def overview(series: pd.DataFrame, title: str, legend: Legend | None = None) -> Figure:
    """Four panels over one time axis, from tidy series."""
    recorded = series[series["quantity"] == "throughput_bps"]
    return _overview(series, title, legend or Legend({}), _interval(recorded))


def _overview(series: pd.DataFrame, title: str, legend: Legend, interval: float) -> Figure:
    """Of series whose rates were recorded at this interval, in seconds; with `low` and `high` also bands."""
    present = [p for p in _PANELS if (series["quantity"] == p[0]).any()]
    sent = series[series["quantity"] == "throughput_bps"]
    with rc_context(STYLE):
        figure = empty(8.0, 0.9 + 2.1 * max(1, len(present)))
        axes = figure.subplots(max(1, len(present)), 1, sharex=True, squeeze=False)[:, 0]
        flows = series[series["quantity"].isin([p[0] for p in present if p[0] != "queue_packets"])]
        for axis, (quantity, name, label, unit) in zip(axes, present, strict=False):
            rows = series[series["quantity"] == quantity]
            if quantity == "cwnd_packets":
                rows = _since_start(rows, sent)
            if quantity in _STATES:
                rows = _until_end(rows, sent, legend.ended)
            if quantity == "rtt_s":
                rows = _without_stalls(rows, sent, interval)
            # a flow has its colour in all panels, although its first round trip may end after another one's
            order = [str(e) for e in (rows if quantity == "queue_packets" else flows)["entity"].unique()]
            widths = _panel(axis, rows, order, label, unit, legend)
            axis.set_title(name + _averaged(widths, interval))
        axes[-1].set_xlabel("time (s)")
        heading(figure, title)
    return figure


def _without_stalls(trips: pd.DataFrame, rates: pd.DataFrame, interval: float) -> pd.DataFrame:
    """Round-trip times with gaps where flows have received nothing for long: the latest sample is not of that time."""
    received = rates[rates["value"] > 0].groupby("entity", observed=True)["time_s"]
    delivered = {entity: np.sort(times.to_numpy()) for entity, times in received}
    kept = []
    for entity, one in trips.groupby("entity", observed=True):
        times = delivered.get(entity, np.zeros(0))
        begins = np.append(float(one["time_s"].min()), times)
        since = one["time_s"] - begins[np.searchsorted(times, one["time_s"], side="right")]
        longest = np.maximum(max(_STALL_S, 3 * interval), 2 * one["value"])
        shown = [column for column in ("value", "low", "high") if column in one]
        kept.append(one.assign(**{column: one[column].where(since <= longest) for column in shown}))
    return pd.concat(kept) if kept else trips


def _averaged(widths: NDArray[np.float64], interval: float) -> str:
    """What a title says of the widths of points, in seconds, where they are more than the interval of series.

    Those of a twentieth of the time at each end are left out, such as the last of a line, which has the rest.
    """
    if not len(widths):
        return ""
    widths = np.sort(widths)
    until = np.cumsum(widths)
    least, most = (float(widths[np.searchsorted(until, share * until[-1])]) for share in (0.05, 0.95))
    if most <= 1.01 * interval:
        return ""
    ends = dict.fromkeys(duration(width) for width in (least, most))
    return f", means of {' to '.join(ends)}"


def _since_start(windows: pd.DataFrame, rates: pd.DataFrame) -> pd.DataFrame:
    """Windows of each flow from the interval before its first packets on: until then it has only its initial window.

    A flow whose rate is never above 0 has sent nothing.
    """
    silent = set(rates["entity"].unique()) - set(rates.loc[rates["value"] > 0, "entity"].unique())
    windows = windows[~windows["entity"].isin(silent)]
    first = rates[rates["value"] > 0].groupby("entity", observed=True)["time_s"].min()
    times = np.append(-np.inf, np.unique(rates["time_s"]))
    begins = windows["entity"].map(dict(zip(first.index, times[np.searchsorted(times, first) - 1], strict=True)))
    started: pd.DataFrame = windows[~(windows["time_s"] < begins.astype(float))]
    return started


def _until_end(rows: pd.DataFrame, rates: pd.DataFrame, ended: frozenset[str]) -> pd.DataFrame:
    """What flows that have ended had until their last packets."""
    if not ended:
        return rows
    last = rates[rates["value"] > 0].groupby("entity", observed=True)["time_s"].max()
    until = rows["entity"].map({name: time for name, time in last.items() if name in ended}).astype(float)
    there: pd.DataFrame = rows[~(rows["time_s"] > until)]
    return there


def bars(flows: pd.DataFrame, links: pd.DataFrame, traffic: pd.DataFrame, title: str) -> Figure:
    """Goodput of every flow and utilisation of every link; without flows, throughput of the traffic sources.

    Args:
        flows: `Result.flows`.
        links: `Result.links`.
        traffic: `Result.traffic`.
        title: Above the figure.
    """
    senders, key, kind = (flows, "goodput", "Flows") if len(flows) else (traffic, "throughput", "Traffic")
    with rc_context(STYLE):
        figure = empty(8.0, 4.0)
        right, *left = reversed(figure.subplots(1, 2 if len(senders) else 1, squeeze=False)[0])
        for axis in left:
            rates = senders[f"{key}_bps"].astype(float).fillna(0.0)
            size, unit = scale("rate", float(rates.max()))
            _bars(axis, list(senders["name"]), list(rates / size), kind, f"{key} ({unit})", COLOURS[0])
        shares = links["utilisation"].astype(float).fillna(0.0) * 100
        _bars(right, list(links["name"]), list(shares), "Links", "utilisation (%)", COLOURS[1])
        heading(figure, title)
    return figure


def _panel(
    axis: Axes, rows: pd.DataFrame, order: Sequence[str], label: str, unit: str, legend: Legend
) -> NDArray[np.float64]:
    """Draws a quantity; returns the seconds over which each point of a rate is averaged."""
    values, widths = rows["value"], [np.zeros(0)]
    averaged = unit == "rate" and "low" not in rows
    every = _every(rows, legend.most)
    if averaged:
        rows = _with_begins(rows)
    carried = legend.capacities(_ends(rows, every if averaged else 1)) if unit == "rate" else {}
    limits = [bps for steps in carried.values() for _, bps in steps]
    size, name = scale(unit, max([float(values.max()) if len(values) else 0.0, *limits]))
    different = list(dict.fromkeys(map(tuple, carried.values())))
    for link, steps in carried.items():
        at, rates = [t for t, _ in steps], [bps / size for _, bps in steps]
        axis.plot(at, rates, label=f"capacity of {link}", **capacity_look(different.index(tuple(steps))))
    entities = {str(e) for e in rows["entity"].unique()}
    lines = [(place, entity) for place, entity in enumerate(chosen(order, MAX_LINES)) if entity in entities]
    for place, entity in lines:
        one = rows[rows["entity"] == entity]
        if averaged:
            one = _smooth(one, every)
        # a rate is the mean of the interval before its time, other quantities are of that time
        step: Literal["pre"] | None = "pre" if unit == "rate" else None
        if unit == "rate" and len(one):
            widths.append((one["time_s"] - one["begin_s"]).to_numpy())
            one = pd.concat([one.iloc[:1].assign(time_s=one["begin_s"].iloc[0]), one])
        colour = COLOURS[place % len(COLOURS)]
        if "low" in one:
            low, high = one["low"] / size, one["high"] / size
            axis.fill_between(one["time_s"], low, high, color=colour, alpha=0.2, linewidth=0, step=step)
            if len(one) == 1:  # a band has no width there
                errors = [one["value"] / size - low, high - one["value"] / size]
                axis.errorbar(one["time_s"], one["value"] / size, errors, color=colour, fmt="none", capsize=2)
        axis.plot(
            one["time_s"],
            one["value"] / size,
            drawstyle="default" if step is None else "steps-pre",
            label=entry(legend.names.get(entity, entity)),
            color=colour,
            linestyle=DASHES[place // len(COLOURS) % len(DASHES)],
            # a line of one point has no length
            marker=MARKERS[place // len(COLOURS) % len(MARKERS)] if len(one) == 1 else "",
            markersize=4,
        )
    axis.set_ylabel(f"{label} ({name})" if name else label)
    from_zero(axis)
    axis.margins(x=0.01)
    what = "links" if (rows["kind"] == "link").any() else "flows"
    more = f"{len(lines)} of {len(entities)} {what}" if len(entities) > len(lines) else ""
    if lines or carried:
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), title=more or None)
    return np.concatenate(widths)


def _bars(axis: Axes, names: list[str], values: list[float], title: str, label: str, colour: str) -> None:
    shown = chosen(names, 2 * MAX_LINES)
    places = range(len(shown))
    lengths = dict(zip(names, values, strict=True))
    axis.barh(list(places), [lengths[name] for name in shown], color=colour, height=0.7)
    name_ticks(axis.yaxis, places, shown)
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(label)
    more = f" ({len(shown)} of {len(names)})" if len(names) > len(shown) else ""
    axis.set_title(title + more)


def compared(worlds: list[tuple[str, pd.DataFrame]], title: str, ended: frozenset[str] = frozenset()) -> Figure:
    """Windows and queues of several worlds in the same panels: the first world thin and dark, the others wide and pale.

    Args:
        worlds: Name and tidy series of each.
        title: Above the figure.
        ended: Flows that end before the run does.
    """
    panels = (("cwnd_packets", "window (packets)", "flows"), ("queue_packets", "waiting packets", "links"))
    with rc_context(STYLE):
        figure = empty(9.0, 6.0)
        axes = figure.subplots(2, 1, sharex=True)
        for axis, (quantity, label, what) in zip(axes, panels, strict=True):
            parts = []
            for world, series in worlds:
                rows = series[series["quantity"] == quantity]
                if quantity == "cwnd_packets":
                    sent = series[series["quantity"] == "throughput_bps"]
                    rows = _until_end(_since_start(rows, sent), sent, ended)
                parts += [(world, str(n), part) for n, part in rows.groupby("entity", sort=False, observed=True)]
            # one colour per flow or link in all worlds, also where a world models only some
            names = list(dict.fromkeys(p[1] for p in parts))
            places = {name: n for n, name in enumerate(chosen(names, MAX_LINES))}
            for world, name, part in parts:
                if name not in places:
                    continue
                width, alpha = (1.2, 1.0) if world == worlds[0][0] else (3.0, 0.35)
                turn, colour = divmod(places[name], len(COLOURS))
                look = {"color": COLOURS[colour], "linestyle": DASHES[turn % len(DASHES)], "linewidth": width}
                look["alpha"] = alpha
                axis.plot(part["time_s"], part["value"], label=entry(f"{name}, {world}"), **look)
            axis.set_ylabel(label)
            from_zero(axis)
            more = f"{len(places)} of {len(names)} {what}" if len(names) > len(places) else ""
            if names:
                axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), title=more or None)
        axes[-1].set_xlabel("time (s)")
        heading(figure, title)
    return figure
