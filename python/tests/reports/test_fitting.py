"""Figures of a narrow column: all text is in sight, none over another, and what fits stays as it is."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context
from PIL import Image

from eddyline.plots.fitting import resized
from eddyline.plots.picture import empty
from eddyline.plots.response import curves
from eddyline.plots.runs import overview
from eddyline.plots.settled import beside
from eddyline.plots.style import STYLE, render
from eddyline.plots.sweeps import panels, short_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONG = "the download of the family in the attic over the old line"
BRANDS = ('{kind="droptail",limit="20 packets"}', '{kind="fq_codel"}')


def _run(names: tuple[str, ...]) -> Figure:
    quantities = (("throughput_bps", 1e7), ("cwnd_packets", 80.0), ("rtt_s", 0.1), ("queue_packets", 50.0))
    rows = [(q, n, t, v * t) for q, v in quantities for n in names for t in (0.0, 1.0, 2.0)]
    series = pd.DataFrame(rows, columns=["quantity", "entity", "time_s", "value"]).assign(kind="flow")
    return overview(series, "a download against an upload: means and 95 % intervals of 10 runs")


def _sweep(column: str, values: tuple[str, ...], numbers: tuple[list[float], str]) -> Figure:
    metrics = ("goodput_bps", "rtt_s.mean", "retransmits")
    rows = [
        {
            "x": x,
            column: v,
            "name": f"upload[{n}]",
            "metric": m,
            "mean": 0.1,
            "ci95_low": 0.05,
            "ci95_high": 0.2,
            "n": 4,
        }
        for x in numbers[0]
        for v in values
        for n in range(3)
        for m in metrics
    ]
    return panels(pd.DataFrame(rows), "x", numbers, [column, "name"], "grid")


def _over_names(names: list[str]) -> Figure:
    rows = [
        {"x": x, "flow.*.queue.kind": kind, "name": name, "metric": metric, "mean": 4e7, "n": 10}
        for x in names
        for kind in ("droptail", "ack_priority")
        for name in ("download", "upload")
        for metric in ("goodput_bps", "rtt_s.mean")
    ]
    statistics = pd.DataFrame(rows).assign(ci95_low=3e7, ci95_high=5e7)
    return panels(statistics, "x", None, ["flow.*.queue.kind", "name"], "grid")


def _responses() -> Figure:
    rows = [
        {
            "kind": kind,
            "loss": loss,
            "function_losses": "periodic",
            "window_packets": 10 / loss**0.5,
            "throughput_bps": 1e6 / loss**0.5,
        }
        for kind in ("reno", "cubic", "highspeed", "scalable")
        for loss in np.geomspace(1e-5, 1e-2, 5)
    ]
    return curves({"responses": rows, "rtt_s": 0.1, "losses": "periodic", "packet_bytes": 1500})


def _ideal() -> Figure:
    flows = [{"name": name, "packets_per_s": 400.0} for name in ("download", "upload")]
    return beside(
        {
            "equilibria": [{"efficiency": 0.5, "throughput": 0.4, "flows": flows}],
            "flows": flows,
            "exponent": 1,
        },
        "a download against an upload",
    )


FIGURES: dict[str, Callable[[], Figure]] = {
    "run": lambda: _run(("download", "upload")),
    "run, long name": lambda: _run((LONG, "upload")),
    "sweep over losses": lambda: _sweep("count", ("1",), ([0.0003, 0.001, 0.003, 0.01, 0.03], "plain")),
    "sweep over queues": lambda: _sweep("link.up.queue", BRANDS, ([1e6, 5e6], "rate")),
    "sweep over kinds": lambda: _over_names(["cubic", "bbr", "fast"]),
    "sweep over long names": lambda: _over_names([f"fast (alpha {n} packets)" for n in (50, 100, 200)]),
    "sweep over ten names": lambda: _over_names([f"illinois {n}" for n in range(10)]),
    "sweep over tables": lambda: _over_names([f'{{data="{n} ms",ack="{n} ms"}}' for n in (1, 10, 100)]),
    "responses": _responses,
    "ideal": _ideal,
}


def _texts(figure: Figure) -> list[tuple[str, Any]]:
    """Names and places of headings, labels of axes, titles and legends."""
    found = [("heading", figure._suptitle)]  # type: ignore[attr-defined]
    legends = list(figure.legends)
    for axis in figure.axes:
        found += [("title", axis._left_title), ("x", axis.xaxis.label), ("y", axis.yaxis.label)]  # type: ignore[attr-defined]
        legends += [legend] if (legend := axis.get_legend()) is not None else []
    found += [("legend", legend) for legend in legends]
    boxes = [(f"{kind} {getattr(a, 'get_text', str)()}", a.get_window_extent()) for kind, a in found if a is not None]
    return [(name, box) for name, box in boxes if box.width > 0]


@pytest.mark.parametrize(("width", "size"), [(5.0, 14.0), (4.0, 16.0), (3.4, 9.0), (2.0, 9.0)])
def test_labels_are_broken_between_words(width: float, size: float) -> None:
    figure = resized(_run(("CUBIC", "BBR")), width, size)
    figure.draw_without_rendering()
    labels = [axis.yaxis.label for axis in figure.axes]
    assert [label.get_text().split() for label in labels][:2] == [["throughput", "(Mbit/s)"], ["window", "(packets)"]]
    for axis, label in zip(figure.axes, labels, strict=True):
        extent = label.get_window_extent()
        assert extent.y0 >= -1
        assert extent.height < 1.1 * axis.bbox.height
    below = figure.axes[0].get_legend()
    assert below is not None
    gap = figure.axes[0].bbox.y0 - below.get_window_extent().y1
    assert gap < 3 * size * figure.dpi / 72
    assert below.get_window_extent().x1 <= figure.bbox.width


@pytest.mark.parametrize("size", [None, 16.0])
def test_the_title_of_a_legend_has_the_size_of_text(size: float | None) -> None:
    """Also where the legend is made anew, below its panel."""
    figure = resized(_run(tuple(f"download[{n}]" for n in range(21))), None, size)
    legend = figure.axes[0].get_legend() or figure.legends[0]
    assert (legend.get_title().get_text(), legend.get_title().get_fontsize()) == ("12 of 21 flows", size or 9.0)


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "run"])
def test_a_narrow_figure_can_be_read(name: str) -> None:
    figure = resized(FIGURES[name](), 3.5, 8.0)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == 3.5
    texts = _texts(figure)
    assert len(texts) >= 3
    whole = figure.bbox
    for text, box in texts:
        assert whole.x0 - 2 <= box.x0 < box.x1 <= whole.x1 + 2, text
        assert whole.y0 - 2 <= box.y0 < box.y1 <= whole.y1 + 2, text
    for (one, a), (other, b) in combinations(texts, 2):
        assert not (a.x0 < b.x1 - 1 and b.x0 < a.x1 - 1 and a.y0 < b.y1 - 1 and b.y0 < a.y1 - 1), f"{one}: {other}"
    for axis in figure.axes:
        assert axis.bbox.width > 0.4 * whole.width
        assert axis.bbox.height > 0.6 * figure.dpi
        labels = [t.get_window_extent() for t in axis.get_xticklabels() if t.get_text() and t.get_visible()]
        shown = sorted((b for b in labels if b.width > 0), key=lambda b: b.x0)
        if oblique(axis):
            assert shown[0].x0 >= 0
        else:
            assert all(a.x1 < b.x0 for a, b in pairwise(shown))


def oblique(axis: Axes) -> bool:
    return any(label.get_rotation() for label in axis.get_xticklabels())


@pytest.mark.parametrize("width", [3.5, 7.0])
@pytest.mark.parametrize("number", [3, 6])
def test_long_names_below_an_axis_make_a_figure_higher(number: int, width: float) -> None:
    """Not its panels lower."""
    heights = []
    for name in ("{}", "traces/of-a-day/{}.csv"):
        figure = resized(_over_names([name.format(n) for n in range(number)]), width)
        figure.draw_without_rendering()
        heights.append([axis.bbox.height / figure.dpi for axis in figure.axes])
    assert oblique(figure.axes[-1]) is (number == 6 or width < 7)
    for short, long in zip(*heights, strict=True):
        assert long > 0.85 * short


def test_names_that_are_broken_keep_their_characters() -> None:
    names = [f"gilbert-elliott with p {n}" for n in range(4)]
    figure = resized(_over_names(names), 5.0)
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert all("\n" in label for label in labels)
    assert [" ".join(label.split()) for label in labels] == names


@pytest.mark.parametrize("name", ["run", "ideal"])
def test_a_figure_that_fits_stays_as_it_is(name: str) -> None:
    from matplotlib import rc_context

    plain, again = FIGURES[name](), resized(FIGURES[name]())
    with rc_context(STYLE):
        for figure in (plain, again):
            figure.draw_without_rendering()
    assert plain.get_size_inches().tolist() == again.get_size_inches().tolist()
    places = [[axis.get_position().bounds for axis in figure.axes] for figure in (plain, again)]
    assert places[0] == places[1]
    assert [str(t) for t, _ in _texts(plain) if not t.startswith("legend")] == [
        str(t) for t, _ in _texts(again) if not t.startswith("legend")
    ]


@pytest.mark.parametrize("largest", [0.0024, 0.003, 0.0065])
@pytest.mark.parametrize("width", [1.0, 1.25, 1.5, 2.5, 3.5, 7.0])
def test_numbers_below_an_axis_never_touch(width: float, largest: float) -> None:
    """Losses such as 0.0005 are longer than matplotlib expects of a label."""
    kinds = tuple(f"kind {n}" for n in range(4))
    figure = resized(_sweep("flow.a.controller.kind", kinds, ([0.0, 0.001, largest], "plain")), width)
    figure.draw_without_rendering()
    for axis in figure.axes:
        labels = [t.get_window_extent() for t in axis.get_xticklabels() if t.get_text() and t.get_visible()]
        shown = sorted((b for b in labels if b.width > 0), key=lambda b: b.x0)
        assert all(a.x1 < b.x0 for a, b in pairwise(shown))
    assert len(shown) >= 2


@pytest.mark.parametrize("width", [3.0, 3.25, 3.5, 4.0, 4.5])
@pytest.mark.parametrize("size", [7.0, 8.0, 9.0])
def test_the_label_of_the_y_axis_is_in_the_picture(tmp_path: Path, width: float, size: float) -> None:
    """Many ticks need wide labels and so a small panel, for which few ticks with short labels are chosen, and so on."""
    ends = {
        (1, "f"): (0.71, 0.64, 0.77),
        (1, "b"): (0.66, 0.61, 0.71),
        (4, "f"): (0.88, 0.59, 1.165),
        (4, "b"): (0.87, 0.53, 1.2),
    }
    rows = [
        {"x": x, "name": name, "metric": "utilisation", "mean": mean, "ci95_low": low, "ci95_high": high, "n": 3}
        for (x, name), (mean, low, high) in ends.items()
    ]
    figure = resized(
        panels(pd.DataFrame(rows), "x", ([1.0, 4.0], "plain"), ["name"], "q: means of 3 runs"), width, size
    )
    render(figure, tmp_path / "q.png")
    pixels = np.asarray(Image.open(tmp_path / "q.png").convert("L"))
    assert (pixels[:, :2] > 250).all()


@pytest.mark.parametrize(("width", "size"), [(1.0, None), (1.25, None), (1.5, None), (1.25, 9.0), (1.5, 9.0)])
def test_a_very_narrow_figure(width: float, size: float | None) -> None:
    """Text is smaller and in sight; of a given size it may be cut off, but no number is on another."""
    figure = resized(_run(("download", "upload")), width, size)
    figure.draw_without_rendering()
    for axis in figure.axes:
        labels = [t.get_window_extent() for t in axis.get_xticklabels() if t.get_text() and t.get_visible()]
        shown = sorted((b for b in labels if b.width > 0), key=lambda b: b.x0)
        assert all(a.x1 < b.x0 for a, b in pairwise(shown))
        if size is None:
            assert axis.bbox.width > 0.4 * figure.bbox.width
            assert axis.title.get_window_extent().x1 <= figure.bbox.width + 1


def test_text_of_a_given_size_that_is_cut_off_is_said(
    eddyline: Callable[..., Any], scenario: Callable[..., Any]
) -> None:
    words = ("run", scenario(), "--plot", "f.png", "--width", "1.5")
    assert eddyline(*words, "--font-size", "9", "-q").err == ""
    assert "cut off" not in eddyline(*words).err
    assert (
        "text of 9 pt may be cut off at a width of 1.5 in; 6.75 pt or less has room"
        in eddyline(*words, "--font-size", "9").err
    )


@pytest.mark.parametrize(("least", "shown"), [(1e-3, {"0.001", "0.002", "0.005", "0.01"}), (1e-5, set())])
def test_a_logarithmic_axis_of_few_decades_has_plain_numbers(least: float, shown: set[str]) -> None:
    rows = [
        {
            "kind": "reno",
            "loss": loss,
            "function_losses": "periodic",
            "window_packets": 10 / loss**0.5,
            "throughput_bps": 1e6 / loss**0.5,
        }
        for loss in np.geomspace(least, 1e-2, 5)
    ]
    figure = curves({"responses": rows, "losses": "periodic", "rtt_s": 0.1, "packet_bytes": 1500})
    figure.draw_without_rendering()
    texts = {t.get_text() for t in figure.axes[0].get_xticklabels()}
    assert shown <= texts
    assert bool(shown) is not any("10^" in text for text in texts)


@pytest.mark.parametrize(("least", "unit"), [(1e2, "Mbit/s"), (1e6, "Gbit/s")])
def test_a_logarithmic_axis_of_many_decades_has_plain_numbers(least: float, unit: str) -> None:
    figure = _sweep("kind", ("a",), ([least * 10**n for n in range(8)], "rate"))
    figure.draw_without_rendering()
    axis = figure.axes[-1]
    assert axis.get_xlabel() == f"x ({unit})"
    texts = [t.get_text() for t in axis.get_xticklabels()]
    assert texts
    assert not any("e" in text for text in texts)


def test_numbers_of_a_logarithmic_axis_have_the_digits_of_tables() -> None:
    figure = _sweep("kind", ("a",), ([1e-4, 0.000312913, 0.000979148, 16384.0], "plain"))
    figure.draw_without_rendering()
    texts = [t.get_text() for t in figure.axes[-1].get_xticklabels()]
    assert texts == ["0.0001", "0.0003129", "0.0009791", "16384"]


def _short(keys: Sequence[str], entity: str = "x") -> list[str]:
    return list(short_names(keys, entity).values())


def test_a_key_is_named_after_whose_it_is() -> None:
    # the second line is of the rival, whose controller does not change
    keys = ["flow.mine.controller.kind", "flow.*.start", "tcp.initial_window", "duration"]
    assert _short(keys, "mine") == ["kind", "start", "initial_window", "duration"]
    assert _short(keys, "rival") == ["mine kind", "start", "initial_window", "duration"]
    assert _short(['link."a.b".rate', "duplex.home.up.rate"]) == ["a.b rate", "home up rate"]


def test_keys_that_end_alike_are_told_apart() -> None:
    kinds = ["flow.a.controller.kind", "flow.b.controller.kind"]
    assert _short([*kinds, "link.up.rate"]) == ["a kind", "b kind", "up rate"]
    assert _short(["link.up.queue.limit", "link.up.limit"]) == ["up queue limit", "up limit"]
    assert _short(["link.a.b.c.rate", "link.a.c.b.rate"]) == ["link.a.b.c.rate", "link.a.c.b.rate"]
    rows = [
        {"x": x, kinds[0]: "reno", kinds[1]: kind, "name": "a", "metric": "goodput_bps", "mean": 1e6, "n": 1}
        for x in (1.0, 2.0)
        for kind in ("reno", "cubic")
    ]
    statistics = pd.DataFrame(rows).assign(ci95_low=np.nan, ci95_high=np.nan)
    legend = panels(statistics, "x", ([1.0, 2.0], "plain"), [*kinds, "name"], "grid").axes[0].get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown == ["a, kind reno, b kind reno", "a, kind reno, b kind cubic"]


@pytest.mark.parametrize("size", [("--width", "3"), ("--font-size", "8")])
@pytest.mark.parametrize(
    "command",
    [("run",), ("run", "--out", "o"), ("sweep", "--vary", "seed=1,2", "--out", "o"), ("theory", "equilibrium")],
)
def test_the_size_of_no_figure_is_refused(eddyline, scenario, command, size):
    ran = eddyline(*command, scenario(), *size)
    assert (ran.code, ran.out) == (2, "")
    assert "--width and --font-size are of the figure of --plot FILE" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "--plot", "f.svg", "--width", "3,3"), "'3,3' is not a number; allowed are numbers from 1 to 50"),
        (("run", "--plot", "f.svg", "--width", "nan"), "'nan' is not a number; allowed are numbers from 1 to 50"),
        (("compare", "--packets", "x"), "'x' is not a number; allowed are numbers at least 0, as in 3.5"),
    ],
)
def test_what_is_no_number_gets_what_is_allowed(eddyline, scenario, words, said):
    ran = eddyline(words[0], scenario(), *words[1:])
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize(("width", "size"), [(6.5, 9.0), (6.5, 12.0), (3.3, 12.0)])
def test_titles_end_before_the_next_panel_and_the_figure(width: float, size: float) -> None:
    with rc_context(STYLE):
        figure = empty(9.0, 4.0)
        left, right = figure.subplots(1, 2)
        left.set_title("Rightmost roots (right of the line: growing)", loc="left")
        right.set_title("Nyquist curves of the loop", loc="left")
        right.set_aspect("equal")
        left.plot([0, 1], [0, 1])
        right.plot([0, 1], [0, 1])
    resized(figure, width, size)
    figure.draw_without_rendering()
    titles = [axis._left_title.get_window_extent() for axis in (left, right)]
    assert not titles[0].overlaps(titles[1])
    assert max(title.x1 for title in titles) <= figure.bbox.width + 1  # a pixel of anti-aliasing
    # no line of a title is left short where the words of the next one fit
    assert all(title.width > 0.4 * axis.bbox.width for title, axis in zip(titles, (left, right), strict=True))


@pytest.mark.parametrize("name", ["flow {} of the test", LONG + " {}"])
def test_a_legend_under_a_panel_keeps_the_width_of_those_beside_it(name: str) -> None:
    with rc_context(STYLE):
        figure = empty(9.0, 2.4)
        left, right = figure.subplots(1, 2)
        for n in range(10):
            left.plot([0, 1], [0, n], label=name.format(n))
        right.plot([0, 1], [0, 1], label="queue")
        for axis in (left, right):
            axis.legend()
    resized(figure)
    figure.draw_without_rendering()
    assert min(axis.bbox.width for axis in (left, right)) > 0.4 * figure.bbox.width
    extents = [legend.get_window_extent() for axis in (left, right) if (legend := axis.get_legend()) is not None]
    assert not extents[0].overlaps(extents[1])
    assert max(extent.x1 for extent in extents) <= figure.bbox.width
