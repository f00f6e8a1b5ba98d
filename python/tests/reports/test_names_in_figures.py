"""Names in figures are text as it is, and a figure that fails loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pandas as pd
import pytest

import eddyline as el
from eddyline.plots.fitting import resized
from eddyline.plots.runs import bars, overview
from eddyline.plots.style import render

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

NAMES = ("_up", "$a_{$ b$", "$x$")


def _figure(names: tuple[str, ...] = NAMES, title: str = r"cost $\frac{1$ of 5 $") -> Figure:
    rows = [(name, time, 1.0) for name in names for time in (0.0, 1.0)]
    series = pd.DataFrame(rows, columns=["entity", "time_s", "value"]).assign(quantity="cwnd_packets", kind="flow")
    return overview(series, title)


@pytest.mark.parametrize("width", [None, 3.5])
def test_names_are_text_as_it_is(tmp_path: Path, width: float | None) -> None:
    figure = resized(_figure(), width)
    assert render(figure, tmp_path / "plot.svg", dpi=50)
    (axis,) = figure.axes
    legend = axis.get_legend() or figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == [*NAMES]
    assert not any(text.get_parse_math() for text in legend.get_texts())


def test_characters_that_the_font_lacks_are_said_once(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    assert not render(_figure(("流1",), "a title"), tmp_path / "plot.png", dpi=50)
    assert not recwarn


def test_an_svg_is_xml_whatever_the_names(tmp_path: Path) -> None:
    render(_figure(("x\ufffey", "z\uffff", "]]>", "a--b"), "title \uffff"), tmp_path / "plot.svg", dpi=50)
    assert ElementTree.parse(tmp_path / "plot.svg").getroot().tag.endswith("svg")


def test_a_figure_that_fails_loses_no_result(eddyline, scenario, tmp_path, monkeypatch) -> None:
    file = scenario()
    made = el.Scenario.load(file, set={"duration": "2 s", "warmup": "0 s"}).run()

    def broken(*_: object) -> None:
        raise ValueError("no such mathematics")

    monkeypatch.setattr(el.Result, "plot", broken)
    with pytest.warns(UserWarning, match=r"kept without plots: .* ValueError: no such mathematics"):
        made.save(tmp_path / "kept")
    assert el.Result.load(tmp_path / "kept").to_dict() == made.to_dict()
    assert not (tmp_path / "kept" / "plot.png").exists()
    args = ("--set", "duration=2 s", "--set", "warmup=0 s", "--set", "title=$a_{ 流 $", "--out", "out")
    ran = eddyline("run", file, *args)
    assert ran.code == 0
    said = "the font lacks some characters of names or title, boxes stand for them\n"
    assert f"note: out: plots: {said}" in ran.err
    assert said in eddyline("run", file, *args[:-2], "--plot", "f.png").err
    for output in (("--out", "out"), ("--plot", "f.png")):
        assert eddyline("run", file, *args[:-2], *output, "-q").err == ""
    assert (tmp_path / "out" / "result.json").exists()


def test_long_names_fit_in_a_folder_as_with_plot(eddyline, scenario, tmp_path) -> None:
    long = "an upload with a name of more words than any panel of a figure is wide enough for, its legend included"
    text = scenario().read_text().replace('"upload"', f'"{long}"')
    (tmp_path / "long.toml").write_text(text)
    args = (
        "run",
        "long.toml",
        "--set",
        "duration=2 s",
        "--set",
        "warmup=0 s",
        "-q",
        "--out",
        "out",
        "--plot",
        "one.png",
    )
    assert eddyline(*args).code == 0
    assert long in text
    assert (tmp_path / "out" / "plot.png").read_bytes() == (tmp_path / "one.png").read_bytes()


def test_names_at_ticks_are_text_as_it_is(tmp_path: Path) -> None:
    """Matplotlib would read mathematics in them."""
    names = ["$\\foo$", "cost $1 to $2"]
    flows = pd.DataFrame({"name": names, "goodput_bps": [1e6, 2e6]})
    links = pd.DataFrame({"name": ["l"], "utilisation": [0.5]})
    figure = bars(flows, links, pd.DataFrame(), "title")
    for width in (None, 3.0):
        resized(figure, width)
        assert render(figure, tmp_path / "plot.svg", dpi=50)
        labels = figure.axes[0].get_yticklabels()
        assert [text.get_text() for text in labels] == names
        assert not any(text.get_parse_math() for text in labels)


def test_a_result_is_kept_where_matplotlib_cannot_be_imported(installed, scenario, tmp_path) -> None:
    run = ("run", scenario(), "--set", "duration=2 s", "--set", "warmup=0 s", "-q")
    said = "matplotlib cannot be imported (its configuration is MPLBACKEND and matplotlibrc): "
    kept = installed(*run, "--out", "out", MPLBACKEND="foo")
    assert kept.code == 0
    assert kept.err.startswith(f"note: out: the result is kept without plots: drawing them failed: {said}ValueError: ")
    assert sorted(p.name for p in (tmp_path / "out").glob("*.*")) == [
        "manifest.json",
        "result.json",
        "scenario.json",
        "series.parquet",
    ]
    # where nothing else was asked for, nothing runs
    (tmp_path / "matplotlibrc").write_bytes(b"\xff")
    for words in ((*run, "--plot", "a.png"), ("gauntlet", "--controller", "reno", "--only", "loss")):
        refused = installed(*words)
        assert (refused.code, refused.out) == (2, "")
        assert f"error: {said}UnicodeDecodeError: " in refused.err
