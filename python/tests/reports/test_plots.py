"""Figures from data: which rows are drawn where, in which unit, with which label."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context, style
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from eddyline.errors import InputError
from eddyline.plots.picture import empty
from eddyline.plots.runs import Legend, compared, overview, repeated
from eddyline.plots.settled import bands
from eddyline.plots.style import MAX_LINES, STYLE, chosen, grouped_bars
from eddyline.reports.exhibit import Column
from eddyline.reports.figures import BLACK, BLUE, RED
from eddyline.reports.parsing import parse
from eddyline.reports.plot_spec import FigureSpec
from eddyline.reports.plots import Data, plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

ROWS = [
    {"way": "down", "k": 1.0, "rate": 1e6, "goal": 4e6, "name": "a, b"},
    {"way": "down", "k": 10.0, "rate": 2e6, "goal": 4e6, "name": "c"},
    {"way": "up", "k": 1.0, "rate": 3e6, "goal": 4e6, "name": "a, b"},
    {"way": "up", "k": 10.0, "rate": None, "goal": 4e6, "name": "c"},
]
COLUMNS = (Column("rate", "rate", "Mbit/s", scale=1e6), Column("goal", "goal", "Mbit/s", scale=1e6))


def _drawn(**spec: Any) -> Figure:
    figure = empty(4, 3)
    data = Data({"rows": ROWS, "curve": [{"k": 2.0, "rate": 5e6}]}, COLUMNS, {"world": "sim"}, "here")
    plot(figure, parse(FigureSpec, {"caption": "", "size": [4, 3], **spec}, "here"), data)
    return figure


X = {"key": "k", "label": "k_f", "scale": "log", "ticks": [1, 10]}
Y = {"key": "rate", "label": "rate (Mbit/s)", "unit": "Mbit/s", "min": 0}


def test_a_line_for_each_group() -> None:
    figure = _drawn(
        kind="lines",
        x=X,
        y=Y,
        groups={"by": "way", "colours": ["red", "blue"], "styles": ["o-", "x:"]},
        lines=[{"label": "{way}, {world}, first {rate}, {rate:g}"}],
        references=[{"y": "goal", "label": "goal {goal} Mbit/s", "style": "--"}, {"x": 5}],
        legend={"place": "upper right"},
    )
    (axis,) = figure.axes
    down, up, goal, five = axis.get_lines()
    assert (list(down.get_xdata()), list(down.get_ydata())) == ([1.0, 10.0], [1.0, 2.0])
    assert (list(up.get_xdata()), list(up.get_ydata())) == ([1.0], [3.0])  # a row without a value is left out
    assert [to_hex(line.get_color()).upper() for line in (down, up, goal)] == [RED, BLUE, BLACK]
    assert [line.get_linestyle() for line in (down, up, goal)] == ["-", ":", "--"]
    assert [line.get_marker() for line in (down, up)] == ["o", "x"]
    assert list(goal.get_ydata()) == [4.0, 4.0]
    assert list(five.get_xdata()) == [5.0, 5.0]
    legend = axis.get_legend()
    assert legend is not None
    assert [t.get_text() for t in legend.get_texts()] == [
        "down, sim, first 1, 1e+06",
        "up, sim, first 3, 3e+06",
        "goal 4 Mbit/s",
    ]
    assert axis.get_xscale() == "log"
    assert axis.get_ylim()[0] == 0
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("k_f", "rate (Mbit/s)")
    assert [t.get_text() for t in axis.get_xticklabels()] == ["1", "10"]


def test_several_lines_and_other_data() -> None:
    figure = _drawn(
        kind="scatter",
        where={"k": {"at_most": 5}},
        x=X,
        y=Y,
        lines=[{"where": {"way": ["down", "up"]}}, {"data": "curve", "style": "-", "colour": "#123456"}],
    )
    marks, curve = figure.axes[0].get_lines()
    assert (marks.get_marker(), marks.get_linestyle()) == ("o", "None")
    assert list(marks.get_ydata()) == [1.0, 3.0]
    assert list(curve.get_ydata()) == [5.0]
    assert to_hex(curve.get_color()) == "#123456"
    assert figure.axes[0].get_legend() is None


def test_a_panel_for_each_value() -> None:
    figure = _drawn(
        kind="lines",
        x=X,
        y=Y,
        panels={"by": "way", "values": ["up", "down"], "title": "{way}"},
        lines=[{"label": "rate"}],
        legend={"place": "outside right upper"},
    )
    assert [a.get_title("left") or a.get_title() for a in figure.axes] == ["up", "down"]
    assert [list(a.get_lines()[0].get_ydata()) for a in figure.axes] == [[3.0], [1.0, 2.0]]
    assert [a.get_ylabel() for a in figure.axes] == ["rate (Mbit/s)", ""]
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["rate"]


def test_a_wide_mark_is_no_wider_in_the_legend_than_the_room_beside_its_label() -> None:
    for mark_size, shown in ((40, 16.0), (6, 6.0)):
        lines = [{"style": "_", "mark_size": mark_size, "label": "rate"}]
        figure = _drawn(kind="lines", x=X, y=Y, lines=lines, legend={"place": "outside upper center"})
        (line,) = figure.legends[0].get_lines()
        assert line.get_markersize() == pytest.approx(shown)


def test_bars_beside_each_other() -> None:
    figure = _drawn(
        kind="bars",
        where={"k": 1.0},
        x={"key": "name", "line_break": ", "},
        y=Y,
        groups={"by": "way"},
        bar_width=0.4,
        lines=[{"y": "goal", "style": "_", "label": "goal"}],
    )
    (axis,) = figure.axes
    bars = [p for p in axis.patches if isinstance(p, Rectangle)]
    assert [(b.get_x() + b.get_width() / 2, b.get_height()) for b in bars] == [
        (pytest.approx(-0.2), 1.0),
        (pytest.approx(0.2), 3.0),
    ]
    assert [t.get_text() for t in axis.get_xticklabels()] == ["a\nb"]
    assert list(axis.get_lines()[0].get_ydata()) == [4.0]


def test_missing_data_is_named() -> None:
    with pytest.raises(InputError, match="here: a figure has no data 'curves'"):
        _drawn(kind="lines", x=X, y=Y, data="curves")
    with pytest.raises(InputError, match=r"here: .* needs a value for 'wya'"):
        _drawn(kind="lines", x=X, y=Y, lines=[{"label": "{wya}"}])


def test_a_large_table_of_flows_hides_no_other() -> None:
    torrents = [f"torrent[{k}]" for k in range(16)]
    assert chosen([*torrents, "film"], MAX_LINES) == [*torrents[: MAX_LINES - 1], "film"]
    assert chosen(["a[0]", "a[1]", "a[2]", "b[0]", "b[1]", "b[2]"], 4) == ["a[0]", "a[1]", "b[0]", "b[1]"]
    assert chosen(["b", "a"], 4) == ["b", "a"]
    rows = [(name, time, 1.0) for name in (*torrents, "film") for time in (0.0, 1.0)]
    series = pd.DataFrame(rows, columns=["entity", "time_s", "value"]).assign(quantity="cwnd_packets", kind="flow")
    (axis,) = overview(series, "a house").axes
    legend = axis.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [*torrents[:11], "film"]
    assert legend.get_title().get_text() == "12 of 17 flows"


def test_nor_in_bars() -> None:
    names = [*(f"torrent[{k}]" for k in range(30)), "film"]
    kept = [*names[: 2 * MAX_LINES - 1], "film"]
    with rc_context(STYLE):
        axis = empty(4, 3).subplots()
        axis.set_title("Flows")
        grouped_bars(axis, names, [("", list(range(31)))], "rate")
    assert [text.get_text() for text in axis.get_yticklabels()] == kept
    assert axis.get_title(loc="left") == "Flows (24 of 31)"
    assert [bar.get_width() for bar in axis.patches if isinstance(bar, Rectangle)] == [*range(23), 30]
    keys = ("least_packets_per_s", "most_packets_per_s", "at_alpha_packets_per_s", "at_beta_packets_per_s")
    flows = [{"name": name} | dict.fromkeys(keys, 1.0) for name in names]
    figure = bands({"flows": flows, "exact": True}, "a house")
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == kept
    assert figure.get_suptitle() == "a house: Vegas (24 of 31)"


def test_a_flow_has_its_colour_in_all_panels() -> None:
    """Also where its first round trip ends after that of a later flow."""
    rates = [(name, time, "throughput_bps", 1e6) for name in ("slow", "quick") for time in (0.0, 1.0)]
    trips = [("quick", 0.0, "rtt_s", 0.01), ("slow", 1.0, "rtt_s", 0.1), ("quick", 1.0, "rtt_s", 0.01)]
    series = pd.DataFrame([*rates, *trips], columns=["entity", "time_s", "quantity", "value"]).assign(kind="flow")
    above, below = overview(series, "two flows").axes
    colours = [{line.get_label(): line.get_color() for line in axis.get_lines()} for axis in (above, below)]
    assert colours[0] == colours[1]
    assert len({*colours[0].values()}) == 2


def points(line: Line2D) -> tuple[list[float], list[float]]:
    """Ends of the intervals of a rate, and its means in them; the line begins where the first one does, at 0."""
    assert line.get_drawstyle() == "steps-pre"
    times, rates = list(line.get_xdata()), list(line.get_ydata())
    assert times[0] == pytest.approx(0, abs=1e-9)
    assert rates[0] == rates[1]
    return times[1:], rates[1:]


def test_a_point_of_a_slow_flow_averages_several_packets() -> None:
    """A packet in every sixth interval is a line at the mean rate, not teeth between nothing and six times that."""
    rows = [(0.002 * k, 6e6 if k % 6 == 0 else 0.0) for k in range(320)]
    series = pd.DataFrame(rows, columns=["time_s", "value"]).assign(
        quantity="throughput_bps", kind="flow", entity="slow"
    )
    (axis,) = overview(series, "a slow flow").axes
    (line,) = axis.get_lines()
    assert points(line)[1][:-1] == [1.0] * 9
    assert points(line)[1][-1] == pytest.approx(1.0, rel=0.1)  # the rest, in which there may be a packet more
    slowed = series.assign(value=[12e6 if k < 100 else v for k, v in enumerate(series["value"])])
    (line,) = overview(slowed, "a flow that is slowed down").axes[0].get_lines()
    # each interval by itself until then, so that it does not fall before its cause
    ends, rates = points(line)
    assert ends[:100] == [pytest.approx(0.002 * k) for k in range(100)]
    assert set(rates[:100]) == {12.0}
    assert rates[102:-1] == pytest.approx([1.0] * len(rates[102:-1]), rel=0.2)
    # ten packets in every second interval, and one now and then, are bursts of a window, not packets that are rare
    bursts = [6e6 if k % 40 == 1 else 60e6 if k % 2 == 0 else 0.0 for k in range(320)]
    (line,) = overview(series.assign(value=bursts), "bursts").axes[0].get_lines()
    assert points(line)[1] == [rate / 1e6 for rate in bursts]
    # so are those of slow start, whose windows double in every tenth interval until they fill all
    slow_start = [(6e6 * 2 ** min(k // 10, 3) if k % 10 == 1 else 0.0) if k < 60 else 60e6 for k in range(320)]
    (line,) = overview(series.assign(value=slow_start), "slow start").axes[0].get_lines()
    assert points(line)[1] == [rate / 1e6 for rate in slow_start]
    pause = series.assign(value=[6e6 if k < 100 or k > 250 else 0.0 for k in range(320)])
    (line,) = overview(pause, "a pause").axes[0].get_lines()
    assert set(line.get_ydata()) == {0.0, 6.0}


def drawn(values: list[float]) -> tuple[list[float], list[float]]:
    """Times and Mbit/s of the line that a flow with these rates has, an interval of 100 ms each."""
    series = pd.DataFrame({"time_s": [0.1 * (k + 1) for k in range(len(values))], "value": values}).assign(
        quantity="throughput_bps", kind="flow", entity="one"
    )
    (line,) = overview(series, "one flow").axes[0].get_lines()
    unit = 1e6 if max(values) >= 1e6 else 1e3
    times, rates = points(line)
    return times, [rate * unit for rate in rates]


@pytest.mark.parametrize("after", [[2e6] * 10, [1e5, 0.0, 1e5, *[2e6] * 10], [1e5, *[0.0] * 5] * 8], ids=len)
def test_a_silence_is_drawn_as_one(after: list[float]) -> None:
    """Of 1 s, after a steady flow: what comes then, steady, at intervals or rare, is not spread over it."""
    values = [2e6] * 20 + [0.0] * 10 + after
    times, rates = drawn(values)
    assert [(round(t, 6), r) for t, r in zip(times[:30], rates[:30], strict=True)] == [
        (round(0.1 * (k + 1), 6), values[k]) for k in range(30)
    ]
    assert max(rates[30:]) == pytest.approx(max(after) if max(after) > 1e5 else 1e5 / 6, rel=0.25)


def test_a_rate_is_a_step_over_its_interval() -> None:
    """So it is not above what the link carries after that has fallen."""
    series = pd.DataFrame({"time_s": [1.0, 2.0, 3.0], "value": [10e6, 10e6, 2e6]}).assign(
        quantity="throughput_bps", kind="flow", entity="one"
    )
    legend = Legend({}, lambda _: {"down": [(0.0, 10e6), (2.0, 10e6), (2.0, 2e6), (3.0, 2e6)]})
    carried, rate = overview(series, "a step", legend).axes[0].get_lines()
    assert rate.get_path().vertices.tolist() == [[0, 10], [0, 10], [1, 10], [1, 10], [2, 10], [2, 2], [3, 2]]
    assert carried.get_xydata().tolist() == [[0, 10], [2, 10], [2, 2], [3, 2]]


@pytest.mark.parametrize("runs", [1, 3])
def test_a_single_sample_is_drawn(runs: int) -> None:
    """A rate over its interval, from the start of the run on; the others as markers, of several runs with bars."""
    rows = [("throughput_bps", 2e6), ("cwnd_packets", 20.0), ("rtt_s", 0.1), ("queue_packets", 5.0)]
    samples = [
        pd.DataFrame([(q, v + n) for q, v in rows], columns=["quantity", "value"]).assign(
            time_s=6.0, kind="flow", entity="one"
        )
        for n in range(runs)
    ]
    figure = overview(samples[0], "one run") if runs == 1 else repeated(samples, "several runs")
    rate, *others = figure.axes
    assert points(rate.get_lines()[0])[0] == [6.0]
    assert rate.get_title(loc="left") == "Throughput"
    for axis in others:
        assert [line.get_marker() for line in axis.get_lines() if line.get_label() == "one"] == ["o"]
        assert len(axis.containers) == (runs > 1)


def test_a_title_says_over_what_rates_are_averaged() -> None:
    """Noise of single intervals is averaged away unless the scenario chooses the interval."""
    series = pd.DataFrame({"time_s": [0.06 * (k + 1) for k in range(1000)], "value": 2e6}).assign(
        quantity="throughput_bps", kind="flow", entity="one"
    )
    series.loc[500, "value"] = 0.0  # an outage
    lowest = {}
    for own, title in ((False, "Throughput, means of 180 ms"), (True, "Throughput")):
        axis = overview(series, "an outage", Legend({}, chosen_interval=own)).axes[0]
        assert axis.get_title(loc="left") == title
        lowest[own] = min(points(axis.get_lines()[0])[1])
    assert lowest == {False: pytest.approx(4 / 3), True: 0.0}


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("first", [0, 5])
def test_the_first_point_of_a_slow_flow_covers_its_intervals(runs: int, first: int) -> None:
    """Where the series begin, not one interval before the point; the title says how wide the points are."""
    times = [0.01 * (first + k + 1) for k in range(300)]
    slow = pd.DataFrame({"time_s": times, "value": [6e6 if k % 6 == 0 else 0.0 for k in range(300)]})
    steady = pd.DataFrame({"time_s": times, "value": 2e6})
    for flows, widths in (({"slow": slow}, "300 ms"), ({"slow": slow, "steady": steady}, "10 ms to 300 ms")):
        series = pd.concat([flow.assign(entity=name) for name, flow in flows.items()])
        series = series.assign(quantity="throughput_bps", kind="flow")
        for legend in (Legend({}), Legend({}, chosen_interval=True)):
            drawn = overview(series, "one run", legend) if runs == 1 else repeated([series] * runs, "runs", legend)
            (axis,) = drawn.axes
            assert axis.get_title(loc="left") == f"Throughput, means of {widths}"
            line = next(line for line in axis.get_lines() if line.get_label() == "slow")
            assert list(line.get_xdata()[:3]) == pytest.approx([0.01 * first + x for x in (0.0, 0.3, 0.6)], abs=1e-9)
            assert list(line.get_ydata()) == pytest.approx([1.0] * 11)


def test_what_a_flow_had_ends_with_it() -> None:
    """Its last round-trip time is none of the rest of the run."""
    columns = ["entity", "quantity", "time_s", "value"]
    rows = [
        (name, quantity, time, value if quantity != "throughput_bps" or time <= last else 0.0)
        for name, last in (("ends", 3.0), ("stays", 3.0))
        for quantity, value in (("throughput_bps", 1e6), ("cwnd_packets", 20.0), ("rtt_s", 0.1))
        for time in (1.0, 2.0, 3.0, 4.0, 5.0)
    ]
    series = pd.DataFrame(rows, columns=columns).assign(kind="flow")
    axes = overview(series, "a short flow", Legend({}, ended=frozenset({"ends"}))).axes
    for axis in axes[1:]:
        ends, stays = axis.get_lines()
        assert (max(ends.get_xdata()), max(stays.get_xdata())) == (3.0, 5.0)


def test_no_style_of_the_user_changes_a_figure_in_part() -> None:
    series = pd.DataFrame({"time_s": [1.0, 2.0], "value": 2e6}).assign(
        quantity="throughput_bps", kind="flow", entity="one"
    )

    def drawn_bytes() -> bytes:
        with BytesIO() as file:
            overview(series, "as it is").savefig(file, format="png", dpi=50, metadata={"Software": None})
            return file.getvalue()

    usual = drawn_bytes()
    with style.context("dark_background"):
        assert drawn_bytes() == usual


def test_silences_between_rare_packets_are_drawn() -> None:
    rare = [1e5, *[0.0] * 5] * 10
    times, rates = drawn([*rare, *[0.0] * 10, *rare])
    silent = [rate for time, rate in zip(times, rates, strict=True) if 5.6 < time < 7.0]
    assert len(silent) == 14
    assert not any(silent)
    assert rates[0] == pytest.approx(1e5 / 6, rel=0.1)  # the last gap is part of the silence


def test_a_point_of_several_runs_averages_as_many_packets() -> None:
    """The interval is that of the runs' own means, so of runs that differ in phase alone it is narrow."""
    times = [0.002 * k for k in range(320)]
    runs = [
        pd.DataFrame({"time_s": times, "value": [6e6 if k % 6 == phase else 0.0 for k in range(320)]}).assign(
            quantity="throughput_bps", kind="flow", entity="slow"
        )
        for phase in (0, 2, 3)
    ]
    (axis,) = repeated(runs, "a slow flow").axes
    (line,) = axis.get_lines()
    assert points(line)[1][:-1] == pytest.approx([1.0] * 9)
    (band,) = axis.collections
    ends = band.get_paths()[0].vertices[:, 1]
    assert ends[ends > 0.7].max() < 1.4  # without the last point, of one packet more or less


@pytest.mark.parametrize("several_worlds", [False, True])
def test_windows_begin_with_their_flow(several_worlds: bool) -> None:
    """A flow that starts late has its initial window from the start of the run, but no packets."""
    columns = ["entity", "quantity", "time_s", "value"]
    rows = [("early", q, float(t), 1e6) for q in ("throughput_bps", "cwnd_packets") for t in range(1, 9)]
    rows += [("late", "throughput_bps", float(t), 1e6 if t > 4 else 0.0) for t in range(1, 9)]
    rows += [("late", "cwnd_packets", float(t), 10.0) for t in range(1, 9)]
    rows += [("silent", "cwnd_packets", float(t), 10.0) for t in range(1, 9)]
    series = pd.DataFrame(rows, columns=columns).assign(kind="flow")
    figure = compared([("sim", series)], "three flows") if several_worlds else overview(series, "three flows")
    windows = figure.axes[0 if several_worlds else 1]
    first = {str(line.get_label()).removesuffix(", sim"): line.get_xdata()[0] for line in windows.get_lines()}
    assert first == {"early": 1.0, "late": 4.0, "silent": 1.0}


def test_round_trip_times_have_gaps_where_nothing_arrives() -> None:
    """The latest sample is not of an outage, and of a flow that gets no more it is not of the rest of the run."""
    arrives = {
        "outage": lambda t: t <= 10 or t > 25,
        "starved": lambda t: t <= 10,
        "slow": lambda t: t % 3 == 0,  # no gap of a slow flow
    }
    rows = [(name, "rtt_s", float(t), 0.1) for name in arrives for t in range(1, 41)]
    rows += [(name, "throughput_bps", float(t), 1e4 * at(t)) for name, at in arrives.items() for t in range(1, 41)]
    series = pd.DataFrame(rows, columns=["entity", "quantity", "time_s", "value"]).assign(kind="flow")
    (trips,) = (axis for axis in overview(series, "an outage").axes if axis.get_ylabel().startswith("RTT"))
    gaps = {str(line.get_label()): np.isnan(np.array(line.get_ydata(), float)) for line in trips.get_lines()}
    times = np.array(trips.get_lines()[0].get_xdata())
    assert list(times) == list(range(1, 41))
    assert [t for t, gap in zip(times, gaps["outage"], strict=True) if gap] == list(range(14, 26))
    assert gaps["starved"][14:].all()
    assert not gaps["slow"].any()


def test_a_run_that_ends_before_its_first_packet_is_drawn() -> None:
    """Its windows are none: a legend of nothing is a warning of matplotlib's."""
    rows = [("one", "throughput_bps", 1.0, 0.0), ("one", "cwnd_packets", 1.0, 10.0)]
    series = pd.DataFrame(rows, columns=["entity", "quantity", "time_s", "value"]).assign(kind="flow")
    for windows in (overview(series, "too short").axes[1], compared([("theory", series)], "too short").axes[0]):
        assert not windows.get_lines()


def test_no_two_lines_of_several_worlds_look_alike() -> None:
    """A large table of flows hides no other here either."""
    names = [*(f"bulk[{k}]" for k in range(39)), "film"]
    rows = [(name, quantity, 1.0, 1e6) for name in names for quantity in ("throughput_bps", "cwnd_packets")]
    series = pd.DataFrame(rows, columns=["entity", "quantity", "time_s", "value"]).assign(kind="flow")
    axis = compared([("theory", series), ("sim", series)], "forty flows").axes[0]
    looks = [(line.get_color(), line.get_linestyle(), line.get_linewidth()) for line in axis.get_lines()]
    assert len(set(looks)) == len(looks) == 2 * MAX_LINES
    assert {"film, theory", "film, sim"} <= {line.get_label() for line in axis.get_lines()}
    legend = axis.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "12 of 40 flows"


def test_a_saved_picture_has_room_for_its_panel_beside_long_names():
    figure = empty(7.0, 3.0)
    axis = figure.subplots()
    for i in range(4):
        axis.plot([0, 1], [i, i + 1], label=f'flow {i}, controller {{kind="fast", alpha="10 packets"}}, queue "codel"')
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    first, second = BytesIO(), BytesIO()
    figure.savefig(first)
    assert axis.bbox.width > 0.7 * figure.bbox.width
    figure.savefig(second)
    assert second.getvalue() == first.getvalue()
