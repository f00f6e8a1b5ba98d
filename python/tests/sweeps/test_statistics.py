"""What a sweep says over its seeds: tables, figures, CSV."""

from __future__ import annotations

import json
import re
from statistics import fmean, stdev

import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.container import ErrorbarContainer

import eddyline as el
from eddyline.plots.style import tex
from eddyline.quantities import shortened
from eddyline.sweeps.choice import possible_metrics
from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.statistics import METRICS, known_metrics, mean_text, statistics

from .conftest import WATCHED


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    from .conftest import LOSSY

    folder = tmp_path_factory.mktemp("sweep")
    (folder / "lossy.toml").write_text(LOSSY)
    vary = {"link.down.rate": ["1 Mbit/s", "2 Mbit/s", "40 Mbit/s"], "link.up.delay": ["10 ms", "40 ms"]}
    return el.sweep(folder / "lossy.toml", vary, seeds=4, out=folder / "grid")


def test_means_and_intervals_over_the_seeds(swept):
    made = swept.statistics("goodput_bps", "rtt_s.p99")
    assert list(made.columns) == [*swept.keys, "flow", "metric", "mean", "sd", "ci95_low", "ci95_high", "n"]
    assert len(made) == 6 * 2
    row = made.iloc[0]
    frame = swept.flows
    values = frame[(frame["link.down.rate"] == "1 Mbit/s") & (frame["link.up.delay"] == "10 ms")][
        "goodput_bps"
    ].tolist()
    assert (row["metric"], row["n"], len(values)) == ("goodput_bps", 4, 4)
    assert row["mean"] == pytest.approx(fmean(values))
    assert row["ci95_high"] - row["mean"] == pytest.approx(3.182446 * stdev(values) / 2, rel=1e-6)
    pooled = swept.statistics("goodput_bps", keys=["link.down.rate"])
    assert (len(pooled), set(pooled["n"])) == (3, {8})
    for wrong in ({"metrics": ["goodput"]}, {"keys": ["link.down.delay"]}, {"of": "cells"}):
        with pytest.raises(el.InputError):
            swept.statistics(*wrong.pop("metrics", ()), **wrong)


def test_a_table_has_the_last_key_across(swept):
    table = swept.table("goodput_bps")
    assert table.shape == (3, 2)
    assert list(table.columns) == ["10 ms", "40 ms"]
    assert list(table.index.names) == ["flow", "link.down.rate"]
    assert table.loc[("download", "2 Mbit/s"), "40 ms"] == swept.statistics("goodput_bps")["mean"].iloc[3]
    text = swept.table("goodput_bps", text=True)
    assert (text.shape, list(text.index)) == (table.shape, list(table.index))
    assert text.map(lambda cell: bool(re.fullmatch(r"[\d.]+ ± [\d.]+ [kM]bit/s", cell))).all(axis=None)
    sizes = swept.table("queue_bytes.mean", "links", text=True)
    assert sizes.map(lambda cell: bool(re.fullmatch(r"[\d.]+ ± [\d.]+ k?B", cell))).all(axis=None)


def test_a_mean_over_fewer_seeds_has_their_number(swept):
    """Here two of four runs at one point are missing, as where they failed."""
    frame = swept.flows
    at = (
        frame["link.down.rate"].eq("1 Mbit/s")
        & frame["link.up.delay"].eq("10 ms")
        & (frame["seed"] < frame["seed"].min() + 2)
    )
    some = statistics(frame[~at], swept.keys, "flow", ["goodput_bps"])
    assert sorted(set(some["n"])) == [2, 4]
    texts = [mean_text(row, 4) for row in some.to_dict("records")]
    assert [text.endswith(" (n = 2)") for text in texts] == [n == 2 for n in some["n"]]
    assert not any("(n =" in text for text in texts if not text.endswith(" (n = 2)"))


def test_a_mean_over_fewer_seeds_has_their_number_where_no_cell_has_all(lossy, tmp_path):
    """Without failed points: no transfer has completed in some of the runs."""
    rare = """
[[arrivals]]
name = "rare"
rate = "1 /s"
size = { kind = "fixed", size = "3 kB" }
controller = { kind = "newreno" }
data = ["down"]
ack = ["up"]
"""
    swept = el.sweep(lossy(more=rare), {"link.up.delay": ["10 ms"]}, seeds=12, out=tmp_path / "rare")
    (number,) = swept.statistics("completion_s.mean", of="arrivals")["n"]
    assert 1 < number < 12
    (text,) = swept.table("completion_s.mean", "arrivals", text=True)["10 ms"]
    assert text.endswith(f" ms (n = {number})")


def test_frames_group_and_print_as_pandas_frames_do(swept):
    grouped = swept.flows.groupby("link.down.rate")["goodput_bps"].agg(["mean", "std"])
    assert grouped.shape == (3, 2)
    assert "\\begin{tabular}" in grouped.to_latex()
    assert "40 Mbit/s" in swept.table().to_latex()


def test_a_second_metric_of_a_table_is_no_table(swept):
    with pytest.raises(el.InputError, match=r"of: a sweep has no 'rtt_s\.p99'") as caught:
        swept.table("goodput_bps", "rtt_s.p99")
    assert caught.value.hint.startswith("of is one of flows, links, ")


def test_a_panel_per_metric_with_lines_and_bands(swept):
    figure = swept.plot("goodput_bps", "rtt_s.mean")
    panels = figure.get_axes()
    assert [panel.get_ylabel() for panel in panels] == ["goodput (Mbit/s)", "RTT, mean (ms)"]
    assert panels[-1].get_xlabel() == "link.down.rate (Mbit/s)"
    assert panels[-1].get_xscale() == "log"  # from 1 to 40
    panels[-1].figure.canvas.draw()
    numbers = [text.get_text() for text in panels[-1].get_xticklabels(which="both") if text.get_text()]
    assert [number for number in numbers if 1 <= float(number) <= 40] == ["1", "2", "40"]
    for panel in panels:
        assert len(panel.lines) == len(panel.collections) == 2  # a mean and a band for each delay
    line, band = panels[0].lines[0], panels[0].collections[0].get_paths()[0].vertices
    made = swept.statistics("goodput_bps")
    made = made[made["link.up.delay"] == "10 ms"]
    assert list(line.get_xdata()) == [1.0, 2.0, 40.0]
    assert list(line.get_ydata()) == pytest.approx(list(made["mean"] / 1e6))
    assert {round(y, 9) for y in band[:, 1]} >= {round(y / 1e6, 9) for y in (*made["ci95_low"], *made["ci95_high"])}
    labels = [text.get_text() for text in panels[0].get_legend().get_texts()]
    assert labels == ["download, up delay 10 ms", "download, up delay 40 ms"]
    one = swept.plot("goodput_bps", x="link.up.delay", by="link.up.delay").get_axes()[0]
    assert len(one.lines) == 1
    with pytest.raises(el.InputError, match="there is no varied key"):
        swept.plot(x="link.up.rate")
    assert swept.plot("goodput_bps", x="link.up.delay").get_axes()[0].get_xlabel() == "link.up.delay (ms)"


def test_nearly_equal_means_have_room_above_them(lossy, tmp_path):
    """A margin by the range of the values has no room for markers, or for the line at the top."""
    vary = {"link.down.queue.limit": ["900 packets", "1000 packets"]}
    (panel,) = el.sweep(lossy(), vary, out=tmp_path / "g").plot("goodput_bps").get_axes()
    (line,) = panel.lines
    largest = max(line.get_ydata())
    assert min(line.get_ydata()) > 0.99 * largest
    assert panel.get_ylim() == (0.0, pytest.approx(1.05 * largest))


def test_names_are_an_axis_too(lossy, tmp_path):
    vary = {"flow.download.controller.kind": ["newreno", "cubic"]}
    panel = el.sweep(lossy(), vary, seeds=3, out=tmp_path / "g").plot("goodput_bps").get_axes()[0]
    assert [text.get_text() for text in panel.get_xticklabels()] == ["newreno", "cubic"]
    losses = [0.001, *({"kind": "gilbert-elliott", "p": p, "r": 0.25} for p in (0.001256281407, 0.002))]
    panel = el.sweep(lossy(), {"link.down.loss": losses}, out=tmp_path / "long").plot("goodput_bps").get_axes()[0]
    shown = [text.get_text() for text in panel.get_xticklabels()]
    assert shown == ["0.001", "gilbert-elliott (p\n0.001256281407)", "gilbert-elliott (p\n0.002)"]
    only = el.sweep(lossy(), {"seed": "1..3"}, out=tmp_path / "s")
    with pytest.raises(el.InputError, match="only seeds vary"):
        only.plot()


@pytest.mark.parametrize("x", ["flow.download.controller.kind", "link.up.delay"])
def test_no_two_series_of_a_panel_look_alike(lossy, tmp_path, x):
    """There are eight colours, and up to twelve series."""
    vary = {
        x: ["newreno", "cubic"] if x.endswith("kind") else ["1 ms", "2 ms"],
        "link.down.loss": [n / 1000 for n in range(12)],
    }
    figure = el.sweep(lossy(), vary, seeds=2, out=tmp_path / "g").plot("goodput_bps", x=x)
    handles = figure.get_axes()[0].get_legend_handles_labels()[0]
    marks = [each[0] if isinstance(each, ErrorbarContainer) else each for each in handles]
    # dashes are not seen where a series has one point
    looks = [(mark.get_color(), mark.get_marker()) for mark in marks]
    assert len(set(looks)) == len(looks) == 12


def test_the_command_draws_prints_and_writes_csv(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--seeds", 3, "--out", "grid")
    ran = eddyline(*words, "--table", "--metric", "goodput_bps", "--plot", "g.svg", "--width", 3.5, "--csv")
    assert (ran.code, ran.err) == (0, "6 of 6 points done: grid\n")  # standard output has the table alone
    lines = ran.out.splitlines()
    assert "goodput, mean" in lines[0]
    assert "goodput, mean ± half of the 95 % interval" in ran.out
    (row,) = [line for line in lines if line.strip().startswith("download")]
    for cell in (part for part in row.split("  ") if "±" in part):
        mean, half = cell.strip().split(" ± ")
        assert len(mean.partition(".")[2]) == len(half.split()[0].partition(".")[2])
    assert row.count("±") == 2
    svg = (tmp_path / "g.svg").read_text()
    assert 'width="252pt"' in svg  # 3.5 inches
    for kind in ("flows", "links", "points"):
        pd.testing.assert_frame_equal(
            pd.read_csv(tmp_path / "grid" / f"{kind}.csv")[["link.down.rate", "seed"]],
            el.read_sweep(tmp_path / "grid", of=kind)[["link.down.rate", "seed"]],
        )
    again = eddyline(*words, "--table", "--of", "links", "--metric", "utilisation", "--quiet")
    assert (again.code, " %" in again.out) == (0, True)
    assert json.loads(eddyline(*words, "--json", "--quiet").out)["ran"] == 0
    both = eddyline(*words, "--table", "--json")  # a table after a document is no document
    assert (both.code, both.out, "--table and --json" in both.err) == (2, "", True)
    wrong = eddyline(*words, "--table", "--metric", "goodput")
    assert (wrong.code, "did you mean" in wrong.err) == (2, True)
    unshown = eddyline(*words, "--metric", "goodput_bsp")
    assert (unshown.code, "did you mean goodput_bps" in unshown.err) == (2, True)
    unshown = eddyline(*words, "--plot", "h.svg", "--by", "link.down.rat")
    assert (unshown.code, "did you mean link.down.rate" in unshown.err) == (2, True)
    assert eddyline(*words, "--plot", "g.bmp").code == 2
    more = eddyline(*words[:4], "--seeds", 4, "--out", "grid")
    assert (more.code, len(pd.read_csv(tmp_path / "grid" / "flows.csv"))) == (0, 8)  # not left behind


def test_tables_in_csv_grow_with_a_sweep_from_python(eddyline, lossy, tmp_path):
    file, grid = lossy(), tmp_path / "grid"
    assert eddyline("sweep", file, "--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--out", grid, "--csv").code == 0
    swept = el.sweep(file, {"link.down.rate": ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s"]}, out=grid)
    assert len(pd.read_csv(grid / "flows.csv")) == len(swept.flows) == 3
    assert eddyline("verify", grid).code == 0


def test_tables_in_csv_follow_the_order_and_spelling_of_the_grid(eddyline, lossy, tmp_path):
    file, grid = lossy(), tmp_path / "grid"
    rate, delay = "link.down.rate=1 Mbit/s,2 Mbit/s", "link.up.delay=1 ms,2 ms"
    words = ("sweep", file, "--out", grid)
    assert eddyline(*words, "--vary", rate, "--vary", delay, "--csv").code == 0
    before = (grid / "flows.csv").stat().st_mtime_ns
    for vary in (
        (rate, delay),  # the same: nothing is written
        (rate, "link.up.delay=2 ms,1 ms"),
        (delay, rate),
        (rate.replace("1 Mbit/s", "1000 kbit/s"), delay),
    ):
        ran = eddyline(*words, "--vary", vary[0], "--vary", vary[1])
        assert (ran.code, "4 of them earlier" in ran.out + ran.err) == (0, True), ran.out + ran.err
        assert ((grid / "flows.csv").stat().st_mtime_ns == before) == (vary == (rate, delay)), vary
        assert eddyline("verify", grid).code == 0, vary
        keys = list(el.read_sweep(grid).columns[:3])
        csv = pd.read_csv(grid / "flows.csv")
        assert csv[keys].astype(str).equals(el.read_sweep(grid)[keys].astype(str)), vary


def test_a_figure_over_a_key_of_choice(eddyline, lossy, tmp_path):
    vary = ("--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--vary", "link.up.delay=1 ms,2 ms")
    drawn = []
    for x in ((), ("--x", "link.down.rate"), ("--x", "link.up.delay")):
        assert eddyline("sweep", lossy(), *vary, "--out", "grid", "--plot", "g.svg", *x).code == 0
        drawn.append((tmp_path / "g.svg").read_bytes())
    assert drawn[0] == drawn[1] != drawn[2]
    for option in ("--x", "--by"):
        ran = eddyline("sweep", lossy(), *vary, "--out", "grid", option, "link.up.delay")
        assert (ran.code, f"{option} is for a figure: it needs --plot FILE" in ran.err) == (2, True)


def test_a_table_of_seeds_alone_and_one_of_what_there_is(eddyline, lossy, tmp_path):
    seeds = eddyline("sweep", lossy(), "--vary", "seed=1..3", "--out", "seeds", "--table", "--metric", "goodput_bps")
    assert (seeds.code, seeds.err) == (0, "3 of 3 points done: seeds\n")
    assert "goodput_bps" in seeds.out
    assert "±" in seeds.out
    (tmp_path / "poisson.toml").write_text(
        'duration = "2 s"\nlink = [{ name = "line", rate = "1 Mbit/s", delay = "1 ms" }]\n'
        'traffic = [{ name = "t", path = ["line"], model = { kind = "poisson", rate = "500 kbit/s" } }]\n'
    )
    words = ("sweep", "poisson.toml", "--vary", "link.line.delay=1 ms,2 ms", "--out", "poisson", "--table", "--quiet")
    ran = eddyline(*words)
    assert (ran.code, "the results have no flows" in ran.err, "they have links, traffic: --of" in ran.err) == (
        2,
        True,
        True,
    )
    assert eddyline(*words, "--of", "links", "--metric", "utilisation").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--plot", "g.svg", "--by", "link.down.rat"), "there is no varied key 'link.down.rat'"),
        (("--plot", "g.svg", "--by", "seed"), "there is no varied key 'seed'"),
        (("--plot", "g.svg", "--x", "link.up.dela"), "there is no varied key 'link.up.dela'"),
        (("--plot", "g.svg", "--metric", "goodput"), "there is no metric 'goodput'"),
        (
            ("--table", "--metric", "rtt_s.mean", "--metric", "rtt_s"),
            "flows have no metric 'rtt_s'\nhint: they have rtt_s.mean,",
        ),
        (
            ("--table", "--of", "groups", "--metric", "goodput_bps"),
            "groups have no metric 'goodput_bps'\nhint: they have goodput_bps.",
        ),
        (("--table", "--of", "links", "--metric", "goodput_bps"), "links have no metric 'goodput_bps'"),
        (
            ("--table", "--metric", "http_s.mean"),
            "flows have no metric 'http_s.mean'\nhint: probes have it: --of probes",
        ),
        (
            ("--table", "--metric", "goodput_bps", "--metric", "queueing_delay_s.mean"),
            "flows have no metric 'queueing_delay_s.mean'\nhint: links have it: --of links in a call of its own, which",
        ),
        (("--table", "--metric", "resent"), "--metric resent: did you mean retransmits"),
        (("--table", "--of", "links", "--metric", "wait p99"), "--metric wait p99: did you mean queueing_"),
        (("--table", "--of", "groups"), "the results have no groups"),
        (("--plot", "g.svg", "--of", "arrivals"), "the results have no arrivals"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_runs(eddyline, lossy, tmp_path, words, said):
    vary = ("--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--vary", "link.up.delay=1 ms,2 ms")
    ran = eddyline("sweep", lossy(), *vary, "--out", "grid", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {said}")
    assert "s are " in ran.err or "\nhint: " in ran.err
    assert not (tmp_path / "grid").exists()


def test_a_figure_over_seeds_alone_is_refused_before_anything_runs(eddyline, lossy, tmp_path):
    ran = eddyline("sweep", lossy(), "--vary", "seed=1,2", "--out", "grid", "--plot", "g.svg")
    assert (ran.code, "only seeds vary" in ran.err, (tmp_path / "grid").exists()) == (2, True, False)


def test_values_of_ranges_have_few_digits_in_headings(eddyline, lossy, tmp_path):
    ranges = ("--vary", "link.down.rate=1 Mbit/s..2 Mbit/s:4", "--vary", "link.up.delay=10 ms..20 ms:4:log")
    ran = eddyline(
        "sweep", lossy(), *ranges, "--out", "g", "--table", "--metric", "goodput_bps", "--quiet", COLUMNS="200"
    )
    assert ran.code == 0, ran.err
    heading, rates = ran.out.split("───")[0], re.findall(r"download +(\S+) Mbit/s", ran.out)
    assert re.findall(r"delay=(\S+) ms", heading) == ["10", "12.6", "15.87", "20"]
    assert rates == ["1", "1.333", "1.667", "2"]
    panel = el.open(tmp_path / "g").plot("goodput_bps").get_axes()[0]
    labels = [text.get_text() for text in panel.get_legend().get_texts()]
    assert labels == [f"download, up delay {value} ms" for value in ("10", "12.6", "15.87", "20")]
    assert "12.5992104989 ms" in set(el.read_sweep(tmp_path / "g")["link.up.delay"]), "the data have all digits"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (["1.00000012 s", "1.00000034 s", "2 s"], ["1.0000001 s", "1.0000003 s", "2 s"]),
        (["1.25963 ms", "123456 B"], ["1.25963 ms", "123456 B"]),  # as given
        (["12345.6789012 B", "x 1.23456789"], ["12346 B", "x 1.23456789"]),
        ([0.333333333333, 0.5, 7], ["0.3333", "0.5", "7"]),
        (['{kind="cubic"}', '{kind="fast",alpha="50 packets"}'], ["cubic", "fast"]),
        (
            ['{kind="fast",alpha="5 packets",gamma=0.5}', '{kind="fast",alpha="9 packets",gamma=0.5}', '{kind="bbr"}'],
            ["fast (alpha 5 packets)", "fast (alpha 9 packets)", "bbr"],
        ),
        (['{kind="cubic"}', '{kind="cubic",profile="rfc8312"}'], ["cubic", "cubic (profile rfc8312)"]),
        (['{kind="cubic"}', "cubic"], ['{kind="cubic"}', "cubic"]),
        (['{data="1 ms"}', '{data="2 ms"}'], ['{data="1 ms"}', '{data="2 ms"}']),
    ],
)
def test_headings_tell_values_apart(values, texts):
    assert list(shortened(values).values()) == texts


def test_what_only_some_results_have_is_known_after_the_sweep(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--out", "grid", "--table")
    ran = eddyline(*words, "--metric", "delivered_ce")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("2 of 2 points done: grid\n")
    assert "there is no metric 'delivered_ce'" in ran.err
    assert len(el.read_sweep(tmp_path / "grid")) == 2


def test_every_table_is_an_attribute_and_has_metrics_of_the_schema(lossy, tmp_path):
    arrivals = (
        '[[arrivals]]\nname = "files"\nrate = "5 /s"\nsize = { kind = "fixed", size = "30 kB" }\n'
        'controller = { kind = "newreno" }\ndata = ["down"]\nack = ["up"]\n'
    )
    path = lossy(('name = "download"', 'name = "download"\ncount = 2'), more=arrivals + WATCHED)
    swept = el.sweep(path, {"seed": [1, 2]}, out=tmp_path / "grid")
    for of, entity in ENTITIES.items():
        pd.testing.assert_frame_equal(getattr(swept, of), swept.read(of))
        shown = set(known_metrics(el.read_sweep(tmp_path / "grid", of), [], entity))
        possible = set(possible_metrics(of))
        assert shown
        assert shown <= possible
        assert possible - shown <= {"card_refusals", "corrupted", "delivered_ce"}
        assert set(METRICS[of]) <= possible


def test_a_figure_without_all_lines_is_said_to_be_one(eddyline, lossy, tmp_path):
    vary = [
        f"--vary=link.{key}" for key in ("down.rate=1 Mbit/s,2 Mbit/s", "up.delay=1 ms,2 ms", "down.delay=1 ms,2 ms")
    ]
    words = ("sweep", lossy(("[[flow]]", "[[flow]]\ncount = 5")), *vary, "--out", "grid", "--plot", "g.svg")
    ran = eddyline(*words)
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert ran.err.startswith("note: g.svg: the figure has the first 12 of 20 lines: --x KEY ")
    assert "--by KEY" in ran.err
    assert "--of TABLE" in ran.err
    for fewer in (("--quiet",), ("--by", "link.up.delay"), ("--of", "groups")):
        assert eddyline(*words, *fewer).err == ""
    with pytest.warns(UserWarning, match="the first 12 of 20 lines"):
        el.open(tmp_path / "grid").plot()


def test_values_without_results_are_left_out_of_figures(lossy, tmp_path):
    vary = {"flow.download.count": [0, 1, 2, 3], "link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}
    swept = el.sweep(lossy(more=WATCHED), vary, out=tmp_path / "grid")
    panel = swept.plot("goodput_bps.sum", of="groups").get_axes()[0]
    assert [list(line.get_xdata()) for line in panel.get_lines()] == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("key", ["flow.download.count", 'flow."download".count', "flow.*.count"])
@pytest.mark.parametrize("world", ["sim", "theory"])
def test_a_table_of_one_flow_is_a_group_where_its_count_varies(lossy, tmp_path, key, world):
    path = lossy(('kind = "newreno"', 'kind = "fast", alpha = "5 packets"'), ("loss = 0.01", "loss = 0.0"))
    swept = el.sweep(path, {key: [2, 1], "link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, world=world, out=tmp_path / "g")
    groups = swept.read("groups")
    assert list(groups["group"]) == ["download"] * 4
    assert list(groups["count"]) == list(groups[key]) == [2, 2, 1, 1]
    one, flows = groups[groups["count"] == 1].reset_index(), swept.flows
    flow = flows[flows["flow"] == "download"].reset_index()
    for name in ("throughput_bps", "packets_per_s", "rtt_s.mean", "rtt_s.p99", "delivered_bytes", "retransmits"):
        pd.testing.assert_series_equal(one[name], flow[name], check_dtype=False)
    for part in ("sum", "mean", "min", "max"):
        assert list(one[f"goodput_bps.{part}"]) == list(flow["goodput_bps"])
    assert one["goodput_bps.sd"].isna().all()
    assert list(one["jain_index"]) == [1, 1]
    assert (one["completed"].isna() if world == "theory" else one["completed"] == 0).all()


def test_one_flow_is_no_group_where_its_count_is_fixed(lossy, tmp_path):
    swept = el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=tmp_path / "g")
    assert swept.read("groups").empty


def test_groups_of_one_alone_can_be_shown(eddyline, lossy):
    ran = eddyline("sweep", lossy(), "--vary", "flow.download.count=1", "--out", "g", "--table", "--of", "groups")
    assert ran.code == 0, ran.err
    assert "goodput" in ran.out


def test_a_point_without_neighbours_has_an_error_bar(lossy, tmp_path):
    """Names of flows follow their count: each but one is there at one value only."""
    other = '[[flow]]\nname = "other"\ncontroller = { kind = "newreno" }\ndata = ["down"]\nack = ["up"]\n'
    vary = {"flow.download.count": [1, 2], "link.up.delay": ["10 ms", "20 ms"]}
    swept = el.sweep(lossy(more=other), vary, seeds=2, out=tmp_path / "counts")
    figure = swept.plot("goodput_bps", x="flow.download.count", by="flow.download.count")
    axis = figure.get_axes()[0]
    assert figure.get_suptitle().endswith("of 4 runs")
    figure.canvas.draw()
    assert all(float(tick).is_integer() for tick in axis.get_xticks())
    segments = [c.get_segments()[0] for c in axis.collections if isinstance(c, LineCollection)]
    rows = swept.statistics("goodput_bps", keys=["flow.download.count"]).set_index(["flow", "flow.download.count"])
    unit = 1e6
    assert axis.get_ylabel() == "goodput (Mbit/s)"
    alone = [("download", 1), ("download[0]", 2), ("download[1]", 2)]
    assert len(segments) == len(alone)
    for ((x, low), (_, high)), of in zip(segments, alone, strict=True):
        row = rows.loc[of]
        assert (x, low * unit, high * unit) == pytest.approx((of[1], row["ci95_low"], row["ci95_high"]))
    assert "of 2 to 4 runs" in swept.plot(x="link.up.delay", by="link.up.delay").get_suptitle()


def test_identical_repetitions_are_said_to_be(eddyline, scenario):
    words = ("sweep", scenario(), "--vary", "link.up.delay=1 ms,2 ms", "--out", "grid")
    ran = eddyline(*words, "--seeds", 2)
    assert ran.code == 0
    assert "warning: all repetitions of every point are identical" in ran.err
    assert "--start-jitter '100 ms'" in ran.err
    assert eddyline(*words, "--seeds", 2, "--quiet").err == ""


def test_identical_repetitions_by_a_key_are_said_to_be(eddyline, scenario, tmp_path):
    ran = eddyline("sweep", scenario(), "--vary", "seed=1..3", "--out", "grid")
    assert (ran.code, ran.err.count("warning: all repetitions of every point are identical")) == (0, 1)
    with pytest.warns(UserWarning, match="all 3 seeds gave the same results"):
        el.sweep(scenario(), {"link.up.delay": ["1 ms", "2 ms"], "seed": [1, 2, 3]}, out=tmp_path / "other")


@pytest.mark.parametrize("place", [None, 0, 1, 2])
def test_combinations_without_chance_are_counted(eddyline, scenario, place):
    keys = ["link.down.loss=0,0.01", "link.up.delay=1 ms,2 ms"]
    if place is not None:
        keys.insert(place, "seed=1,7,4")
    vary = [word for key in keys for word in ("--vary", key)]
    ran = eddyline("sweep", scenario(), *vary, *(("--seeds", 2) if place is None else ()), "--out", "grid")
    assert (ran.code, ran.err.count("identical")) == (0, 1)
    assert "note: the repetitions of 2 of 4 combinations are identical: nothing is random there" in ran.err


def test_starts_at_random_let_seeds_differ(eddyline, scenario, tmp_path):
    words = ("sweep", scenario(), "--vary", "link.up.delay=1 ms", "--start-jitter", "50 ms")
    ran = eddyline(*words, "--seeds", 3, "--out", "grid")
    assert (ran.code, "identical" in ran.err) == (0, False)
    flows = el.read_sweep(tmp_path / "grid")
    assert flows[flows["flow"] == "upload"]["goodput_bps"].nunique() == 3
    # the same sweep grows, byte for byte, and without the option it is another one
    assert eddyline(*words, "--seeds", 2, "--out", "grown").code == 0
    assert eddyline(*words, "--seeds", 3, "--out", "grown").code == 0
    pd.testing.assert_frame_equal(el.read_sweep(tmp_path / "grown"), flows)
    same = el.sweep(words[1], {"link.up.delay": ["1 ms"]}, out=tmp_path / "grid", seeds=3, start_jitter="50 ms")
    pd.testing.assert_frame_equal(same.flows, flows)
    other = eddyline(*words[:4], "--seeds", 3, "--out", "grid")
    assert (other.code, "start_jitter" in other.err) == (2, True)
    wrong = eddyline(*words[:-1], "soon", "--out", "wrong")
    assert (wrong.code, (tmp_path / "wrong").exists()) == (2, False)


@pytest.mark.skipif(tex() is None, reason="there is no TeX (xelatex, lualatex or pdflatex)")
def test_pgf(swept, tmp_path):
    from eddyline.plots import render

    render(swept.plot("goodput_bps"), tmp_path / "g.pgf")
    assert "pgfpicture" in (tmp_path / "g.pgf").read_text()


@pytest.mark.skipif(tex() is not None, reason="there is TeX")
def test_pgf_needs_tex(eddyline, lossy):
    ran = eddyline("run", lossy(), "--plot", "g.pgf")
    assert (ran.code, "needs TeX" in ran.err) == (2, True)
    assert "hint: LaTeX takes g.pdf too" in ran.err


def test_axes_and_tables_have_words_and_units():
    from eddyline.plots.style import scale
    from eddyline.plots.sweeps import label_of
    from eddyline.sweeps.statistics import axis

    for values, numbers, unit in (
        (["20 packets", "50 packets"], [20, 50], "packets"),
        (["2.5 /s", "5 /s"], [2.5, 5], "/s"),
        (["1 %", "5 %"], [1, 5], "%"),
        (["0.5 BDP", "4 BDP"], [0.5, 4], "BDP"),
        (["1 BDP of 40 ms", "2 BDP of 40 ms"], [1, 2], "BDP of 40 ms"),
        (["100 cells", "1000 cells"], [100, 1000], "cells"),
    ):
        found, kind = axis(values)
        size, name = scale(kind, max(found))
        assert ([value / size for value in found], name) == (pytest.approx(numbers), unit)
    for names in (["1 BDP", "1 BDP of 40 ms"], ["1 BDP", "unlimited"], ["cubic", "reno"]):
        assert axis(names) is None
    assert label_of("mean_present") == "flows present, mean"
    assert label_of("queue_packets.max") == "queue, max (packets)"
    assert label_of("rtt_s.p50") == "RTT, p50"
    assert label_of("completion_s.p90") == "completion time, p90"


def test_a_sweep_of_another_world_says_which(tmp_path):
    from .conftest import LOSSY

    (tmp_path / "a.toml").write_text(
        re.sub(r"controller( *)=.*", 'controller = { kind = "fast", alpha = "20 packets" }', LOSSY)
    )
    made = el.sweep(tmp_path / "a.toml", {"link.up.delay": ["10 ms", "40 ms"]}, world="theory", out=tmp_path / "g")
    assert made.plot().get_suptitle() == "g (world theory)"
    made.write_csv()
    notes = [json.loads(text) for text in pd.read_csv(tmp_path / "g" / "points.csv")["approximations"]]
    assert notes == [list(each) for each in made.read("points")["approximations"]] == [made.approximations] * 2
    assert len(made.approximations) > 0
