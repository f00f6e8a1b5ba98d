"""Repetitions of a run: what tables, figures and CSV files say about several seeds."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest

import eddyline as el
from eddyline.plots import repeated
from eddyline.quantities import bits_per_second, count, interval, percent, seconds, size
from eddyline.runs import without_cost
from eddyline.summary import spread
from eddyline.tables import _cell

LOSS = ('delay = "10 ms"', 'delay = "10 ms"\nloss = 0.01')


@pytest.mark.parametrize(
    ("mean", "half", "form", "text"),
    [
        (9.7331e6, 1.24e4, bits_per_second, "9.733 ± 0.012 Mbit/s"),
        (9.7331e6, 0.0, bits_per_second, "9.733 ± 0.000 Mbit/s"),
        (2.0e3, 5.0e3, bits_per_second, "2.0 ± 5.0 kbit/s"),
        (0.0, 0.0, seconds, "0 ± 0 ns"),
        (0.04321, 0.00056, seconds, "43.21 ± 0.56 ms"),
        (110_619.2, 2151.3, size, "110.6 ± 2.2 kB"),
        (0.987, 0.0123, percent, "98.7 ± 1.2 %"),
        (1234.5, 321.0, count, "1,234 ± 321"),
        (5.0, 0.0, count, "5 ± 0"),
    ],
)
def test_both_sides_have_the_same_decimals_and_unit(mean, half, form, text):
    assert interval(mean, half, form) == text


def test_counts_beyond_all_packets_have_an_exponent():
    assert [count(n) for n in (999, 12345.6, 1e14, 1e15, 2.5e100)] == [
        "999",
        "12,346",
        "100,000,000,000,000",
        "1e+15",
        "2.5e+100",
    ]


def test_every_row_of_the_table_has_an_interval(eddyline, scenario):
    ran = eddyline("run", scenario(LOSS), "--seeds", 3)
    rows = [line for line in ran.out.splitlines() if re.search(r"\d", line)][1:]
    assert len(rows) > 15
    assert any("drops" in row for row in rows)
    for row in rows:
        mean, half = re.search(r"([\d,.]+) ± ([\d,.]+)", row).groups()
        assert len(mean.partition(".")[2]) == len(half.partition(".")[2]), row


def test_a_cell_of_the_table_says_of_how_many_runs_it_is_if_not_of_all(eddyline, scenario):
    rare = """
[[arrivals]]
name = "rare"
rate = "0.5 /s"
size = { kind = "fixed", size = "3 kB" }
controller = { kind = "cubic" }
data = ["down"]
ack = ["up"]
"""
    words = ("run", scenario(more=rare), "--seeds", 6)
    (row,) = json.loads(eddyline(*words, "--json").out)["summary"]["arrivals"]
    number = row["completion_s"]["mean"]["n"]
    assert 1 < number < 6
    out = eddyline(*words).out
    assert "two-way, 6 runs: mean ± " in out
    marked = [line for line in out.splitlines() if line.rstrip().endswith(f" ms ({number} runs)")]
    assert len(marked) == out.count("(") == 3  # mean, p50 and p99 of times
    cells = [_cell({"a": spread([0.5] * n)}, "a", seconds, 2) for n in (1, 2)]
    assert cells == ["500 ms (1 run)", "500 ± 0 ms"]


PHASES = Path(__file__).parents[2] / "examples/phases.toml"
KEEP = "the flows over bottleneck can keep in phase, whenever they start, and then one of them has nearly all losses"


def test_a_note_names_queues_in_which_phases_can_decide(eddyline, tmp_path):
    """One run, several, and sweeps."""
    out = tmp_path / "grid"
    swept = ("--vary", "flow.*.controller.kind=reno,cubic", "--set", "duration=20 s", "--set", "warmup=5 s")
    for words in (
        ("run", PHASES),
        ("run", PHASES, "--seeds", 2),
        ("run", PHASES, "--seeds", 2, "--start-jitter", "50 ms"),
        ("sweep", PHASES, *swept, "--out", out),
        ("sweep", PHASES, *swept, "--out", out, "--seeds", 2),
    ):
        assert KEEP in eddyline(*words).err
    assert "in phase" not in eddyline("run", PHASES, "--quiet").err
    # drops of a point whose queue does not keep time say nothing of the others
    mixed = (
        "--vary",
        "link.bottleneck.queue.kind=droptail,codel",
        "--set",
        "link.bottleneck.queue.limit=unlimited",
    )
    assert "in phase" not in eddyline("sweep", PHASES, *mixed, "--out", tmp_path / "mixed").err
    assert KEEP in eddyline("sweep", PHASES, *mixed[:2], *swept[2:], "--out", tmp_path / "both").err
    short = ("--set", "duration=20 s", "--set", "warmup=5 s")
    for key in (
        "link.bottleneck.queue={ kind = 'fq_codel' }",
        "link.bottleneck.queue.limit=unlimited",
        "link.bottleneck.jitter={ kind = 'exponential', mean = '480 us' }",
        "link.back.jitter={ kind = 'exponential', mean = '480 us' }",
        "link.back.jitter={ kind = 'normal', sd = '480 us' }",
        "link.bottleneck.loss=0.001",
        "link.bottleneck.policer={ rate = '10 Mbit/s', burst = '30 kB' }",
        "flow.long.count=0",
    ):
        ran = eddyline("run", PHASES, "--set", key, *short)
        assert ran.code == 0
        assert "in phase" not in ran.err, key
    # a packet takes 240 us: less than twice that leaves them in phase
    for little in ("{ kind = 'exponential', mean = '479 us' }", "{ kind = 'normal', sd = '479 us' }"):
        ran = eddyline("run", PHASES, "--set", f"link.back.jitter={little}", *short)
        assert KEEP in ran.err, little


def test_queues_of_presets_and_equal_flows_in_them(eddyline, tmp_path):
    """Links of a preset have no table of their own; which of equal flows has the losses changes nothing."""
    file = tmp_path / "x.toml"
    flows = [f'name = "{name}"\ncontroller = {{ kind = "{kind}" }}' for name, kind in (("a", "reno"), ("b", "KIND"))]
    tables = "".join(f'[[flow]]\n{each}\ndata = ["home/down"]\nack = ["home/up"]\n' for each in flows)
    file.write_text(f'duration = "20 s"\nduplex = [{{ name = "home", preset = "adsl2+" }}]\n{tables}')
    for kind, noted in (("cubic", True), ("reno", False)):
        ran = eddyline("run", file, "--set", f"flow.b.controller.kind={kind}")
        assert ran.code == 0
        assert ("the flows over home/down can keep in phase" in ran.err) is noted


@pytest.mark.parametrize("kind", ["traffic", "arrivals"])
def test_other_traffic_mixes_phases(eddyline, tmp_path, kind):
    tables = {
        "traffic": """path = ["bottleneck"]
model = { kind = "poisson", rate = "1 Mbit/s" }""",
        "arrivals": """rate = "5 /s"
size = { kind = "fixed", size = "30 kB" }
controller = { kind = "cubic" }
data = ["bottleneck"]
ack = ["back"]""",
    }
    file = tmp_path / "x.toml"
    file.write_text(f'{PHASES.read_text()}\n[[{kind}]]\nname = "noise"\n{tables[kind]}\n')
    ran = eddyline("run", file, "--set", "duration=20 s", "--set", "warmup=5 s")
    assert ran.code == 0, ran.err
    assert "in phase" not in ran.err


def test_a_sweep_whose_points_all_fail_has_no_links_to_note(eddyline, tmp_path):
    (tmp_path / "fails.py").write_text("""
import eddyline as el


@el.register("fails")
class Fails:
    def __init__(self, path):
        self.cwnd = 1.0

    def on_ack(self, ack):
        raise ValueError("enough")

    on_loss = on_timeout = on_ack
""")
    short = ("--set", "duration=20 s", "--set", "warmup=5 s", "--controllers", tmp_path / "fails.py")
    ran = eddyline("sweep", PHASES, "--vary", "flow.short.controller.kind=fails", *short, "--out", tmp_path / "grid")
    assert (ran.code, "raised ValueError: enough" in ran.err, "internal" in ran.err) == (1, True, False)
    noted = eddyline("sweep", PHASES, "--vary", "flow.*.tcp.sack=true,false", *short, "--out", tmp_path / "sack")
    assert KEEP in noted.err


def test_python_warns_as_the_command_line_notes(tmp_path):
    phases = el.Scenario.load(PHASES, set={"duration": "20 s", "warmup": "5 s"})
    kept = re.escape(KEEP)
    with pytest.warns(UserWarning, match=kept):
        phases.run()
    with pytest.warns(UserWarning, match=kept):
        phases.run(seeds=2, set={"flow.*.start_jitter": "100 ms"})
    with pytest.warns(UserWarning, match=kept):
        el.sweep(phases, {"flow.*.tcp.sack": [True, False]}, out=tmp_path / "sack")
    jitter = {"link.bottleneck.jitter": {"kind": "exponential", "mean": "2 ms"}}
    phases.run(set=jitter)
    el.sweep(phases, {"flow.*.tcp.sack": [True, False]}, out=tmp_path / "jitter", set=jitter)
    late = {**jitter, "flow.short.start": "30 s"}
    with pytest.warns(UserWarning, match="^short starts at 30 s, not before the end of the run, 20 s$"):
        phases.run(set=late)
    with pytest.warns(UserWarning, match="^short starts at 30 s, not before the end of the run, 20 s$"):
        el.sweep(phases, {"seed": [1, 2]}, out=tmp_path / "late", set=late)


@pytest.mark.filterwarnings("ignore:the flows over")
def test_random_traffic_turns_round_what_phases_decide():
    phases = PHASES
    noise = {"name": "noise", "path": ["bottleneck"], "packet": "173 B"}
    table = el.Scenario.load(phases).to_dict()
    table["traffic"] = [noise | {"model": {"kind": "poisson", "rate": "1 Mbit/s"}}]
    in_phase, mixed = (s.run().flows["goodput_bps"] for s in (el.Scenario.load(phases), el.Scenario(table)))
    assert 2 * in_phase[0] < in_phase[1]
    assert mixed[0] > 1.5 * mixed[1]


def test_one_seed(eddyline, scenario):
    path = scenario(LOSS)
    assert '"seed": 99,' in eddyline("run", path, "--seed", 99, "--json").out
    assert eddyline("run", path, "--seed", 99).out == eddyline("run", path, "--set", "seed=99").out
    assert '"seed": 100,' in eddyline("run", path, "--seed", 99, "--seeds", 2, "--json").out
    assert eddyline("run", path, "--seed", -1).code == 2


def test_csv(eddyline, scenario, tmp_path):
    path = scenario(LOSS)
    ran = eddyline("run", path, "--seeds", 2, "--csv")
    rows = pd.read_csv(io.StringIO(ran.out))
    assert list(rows.columns) == ["world", "seed", "kind", "name", "quantity", "value"]
    one = rows[(rows["seed"] == 8) & (rows["name"] == "upload") & (rows["quantity"] == "rtt_s.mean")]
    result = el.Scenario.load(path, set={"seed": 8}).run()
    assert one["value"].tolist() == [result.to_dict()["flows"][1]["rtt_s"]["mean"]]
    assert eddyline("run", path, "--csv", "--json").code == 2
    ran = eddyline("run", path, "--seeds", 2, "--csv", "--out", "out", figures=False)
    assert ran.code == 0, ran.err
    flows = pd.read_csv(tmp_path / "out" / "flows.csv")
    assert list(zip(flows["seed"], flows["name"], strict=True)) == [
        (7, "download"),
        (7, "upload"),
        (8, "download"),
        (8, "upload"),
    ]
    assert flows["goodput_bps"].iloc[2] == result.flows["goodput_bps"].iloc[0]
    assert {"seed", "time_s", "quantity"} <= set(pd.read_csv(tmp_path / "out" / "series.csv").columns)
    assert eddyline("verify", "out").code == 0
    assert eddyline("run", path, "--out", "out", figures=False).code == 0  # replaces them, CSV and all
    assert not (tmp_path / "out" / "flows.csv").exists()


def test_csv_has_every_table_that_there_is(eddyline, scenario, tmp_path):
    more = """
[[arrivals]]
name = "web"
rate = "5 /s"
size = { kind = "fixed", size = "30 kB" }
controller = { kind = "cubic" }
data = ["down"]
ack = ["up"]

[[probe]]
name = "probe"
data = ["down"]
ack = ["up"]
"""
    path = scenario(('name       = "upload"', 'name       = "upload"\ncount = 2'), more=more)
    ran = eddyline("run", path, "--seeds", 2, "--csv", "--out", "out", figures=False)
    assert ran.code == 0, ran.err
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    for name in ("flows", "links", "groups", "arrivals", "probes"):
        frame = pd.read_csv(tmp_path / "out" / f"{name}.csv")
        rows = [(run["seed"], row["name"]) for run in document["runs"] for row in run[name]]
        assert list(zip(frame["seed"], frame["name"], strict=True)) == rows
    sizes = [json.loads(text) for text in pd.read_csv(tmp_path / "out" / "arrivals.csv")["by_size"]]
    assert sizes == [row["by_size"] for run in document["runs"] for row in run["arrivals"]]
    assert all(sizes)
    kinds = pd.read_csv(io.StringIO(eddyline("run", path, "--csv").out))["kind"].unique()
    assert list(kinds) == ["flow", "link", "group", "arrival", "probe"]  # as docs/reference/result.md says
    assert not (tmp_path / "out" / "traffic.csv").exists()
    assert eddyline("verify", "out").code == 0


def test_a_figure_of_several_seeds_has_bands(eddyline, scenario, tmp_path):
    scenarios = [el.Scenario.load(scenario(LOSS), set={"seed": seed}) for seed in (1, 2, 3)]
    runs = [each.run(series=True).series for each in scenarios]
    figure = repeated(runs, "title")
    assert "means and 95 % intervals of 3 runs" in figure.get_suptitle()
    throughput = figure.get_axes()[0]
    assert (len(throughput.lines), len(throughput.collections)) == (2, 2)
    named = repeated(runs, "title", scenarios[0].run().legend).get_axes()[0]
    labels = [line.get_label() for line in named.lines]
    assert labels == ["capacity of down", "capacity of up", "download (fast)", "upload (fast)"]
    rows = [run[(run["quantity"] == "throughput_bps") & (run["entity"] == "download")] for run in runs]
    means = sum(row["value"].to_numpy() for row in rows) / 3
    line = throughput.lines[0]
    assert len(line.get_ydata()) <= 401
    # the mean over time and seeds is kept, whatever is averaged on the way
    assert line.get_ydata().mean() * 1e6 == pytest.approx(means.mean(), rel=0.01)
    ran = eddyline("run", scenario(LOSS), "--seeds", 3, "--plot", "bands.svg", "--width", 3.5, "--font-size", 7)
    assert ran.code == 0, ran.err
    text = (tmp_path / "bands.svg").read_text()
    assert 'width="252pt"' in text
    assert "font: 7px" in text or "scale(0.07" in text


def test_ranges_of_seeds_and_titles_that_the_font_lacks_are_answered_in_words(eddyline, scenario):
    path = scenario(LOSS)
    back = eddyline("run", path, "--seeds", "5..1")
    assert (back.code, "upper end must not be below" in back.err) == (2, True)
    many = eddyline("run", path, "--seeds", "1..1000000")
    assert (many.code, "1,000,000 seeds" in many.err) == (2, True)
    ran = eddyline("run", path, "--set", "title=\u540d", "--plot", "title.png")
    assert (ran.code, "boxes stand for them" in ran.err, "UserWarning" in ran.err) == (0, True, False)


@pytest.mark.usefixtures("without_figures")
def test_saved_repetitions_are_the_folder_that_the_command_writes(eddyline, scenario, tmp_path):
    path, of_command, saved, again = scenario(LOSS), tmp_path / "command", tmp_path / "saved", tmp_path / "again"
    eddyline("run", path, "--seeds", 3, "--out", of_command, figures=False)
    results = el.Scenario.load(path).run(seeds=3, series=True)
    results.save(saved)
    loaded = el.Result.load(saved)
    loaded.save(again)

    def files(folder):
        return {p.name for p in folder.iterdir()}

    assert files(saved) == files(again) == files(of_command)
    for folder in (saved, again):
        assert (folder / "scenario.json").read_bytes() == (of_command / "scenario.json").read_bytes()
        assert _document(folder) == _document(of_command)
        pd.testing.assert_frame_equal(
            pd.read_parquet(folder / "series.parquet"), pd.read_parquet(of_command / "series.parquet")
        )
        assert eddyline("verify", folder).code == 0
    assert [r.to_dict() for r in loaded] == [r.to_dict() for r in results]


@pytest.mark.usefixtures("without_figures")
def test_saved_results_of_several_worlds_can_be_read_again(eddyline, scenario, tmp_path):
    eddyline("run", scenario(), "--world", "all", "--out", tmp_path / "all", figures=False)
    loaded = el.Result.load(tmp_path / "all")
    loaded.save(tmp_path / "again")
    again = el.Result.load(tmp_path / "again")
    assert [r.world for r in again] == [r.world for r in loaded]
    assert len(again) >= 2
    assert again.to_dict() == loaded.to_dict()
    pd.testing.assert_frame_equal(again.series, loaded.series)


def test_results_of_several_worlds_are_summarised_by_world(scenario):
    made = el.Scenario.load(scenario(), set={"flow.*.start_jitter": "100 ms"})
    sim, other, theory = made.run(), made.with_seed(8).run(), made.run("theory")
    assert json.loads(el.Results([sim, theory]).json) == [sim.to_dict(), theory.to_dict()]
    several = el.Results([sim, theory, other])
    repeated, single = json.loads(several.json)
    assert (repeated["runs"], single["runs"]) == ([sim.to_dict(), other.to_dict()], [theory.to_dict()])
    assert repeated["summary"] == el.Results([sim, other]).summary
    assert repeated == json.loads(el.Results([sim, other]).json)
    for results in (several, el.Results([theory, sim])):
        with pytest.raises(el.InputError, match=r"these are results of (sim, theory|theory, sim)"):
            _ = results.summary
    html = several._repr_html_()
    assert re.findall("<th[^>]*>(sim|theory|download)</th>", html) == ["sim", "download", "theory", "download"]
    for results in ([sim, other], [theory]):
        assert f"<td>{sum(r.flows['goodput_bps'][0] for r in results) / len(results):.6e}</td>" in html


def test_means_are_of_the_runs_in_which_a_flow_is_still_there():
    """Losses end transfers of 1 MB after 0.57 to 1.3 s; then windows and round-trip times stay as they were last."""
    line = {"rate": "20 Mbit/s", "delay": "20 ms"}
    there = {"name": "f", **line, "loss": 0.003, "queue": {"kind": "droptail", "limit": "400 packets"}}
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["f"], "ack": ["b"], "size": "1 MB"}
    table = {"duration": "12 s", "record": {"interval": "100 ms"}, "link": [there, {"name": "b", **line}]}
    results = el.Scenario({**table, "flow": [flow], "seed": 1}).run(seeds=6, series=True)
    completed = sorted(flow["completed_at_s"] for r in results for flow in r.to_dict()["flows"])
    last = next(r for r in results if r.to_dict()["flows"][0]["completed_at_s"] == completed[-1])
    at_s = 1.0
    assert completed[-2] + 0.1 < at_s < completed[-1]
    drawn = {axis.get_title(loc="left"): axis for axis in results.plot().axes}
    for title, quantity, unit in (("Congestion window", "cwnd_packets", 1.0), ("Round-trip time", "rtt_s", 1e-3)):
        rows = last.series[(last.series["quantity"] == quantity) & ((last.series["time_s"] - at_s).abs() < 1e-9)]
        line = drawn[title].lines[0]
        (shown,) = [y for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True) if abs(x - at_s) < 1e-9]
        assert shown * unit == pytest.approx(float(rows["value"].iloc[0]), rel=1e-9), title


JITTERY = {
    "title": "no flow",
    "duration": "5 s",
    "link": [
        {"name": "l", "rate": "10 Mbit/s", "delay": "1 ms", "jitter": {"kind": "exponential", "mean": "2 ms"}},
        {"name": "back", "rate": "10 Mbit/s", "delay": "1 ms"},
    ],
}
CALL = {"traffic": [{"name": "call", "path": ["l"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}]}
WEB = {"probe": [{"name": "web", "data": ["l"], "ack": ["back"]}]}
FILES = {
    "arrivals": [
        {
            "name": "files",
            "rate": "5 /s",
            "size": {"kind": "fixed", "size": "30 kB"},
            "controller": {"kind": "reno"},
            "data": ["l"],
            "ack": ["back"],
        }
    ]
}


@pytest.mark.parametrize(
    ("tables", "part", "name"), [(CALL, "traffic", "call"), (WEB, "probes", "web"), (FILES, "arrivals", "files")]
)
@pytest.mark.filterwarnings("error")
def test_results_without_flows_differ_and_are_shown(tmp_path, tables, part, name):
    """Of traffic, probes or arrivals alone: no warning that nothing is random, and no empty table in a notebook."""
    scenario = el.Scenario(JITTERY | tables)
    results = scenario.run(seeds=3)
    means = getattr(results, part).select_dtypes("number").nunique()
    assert not results.identical
    assert (means > 1).any()
    swept = el.sweep(scenario, {"link.l.rate": ["10 Mbit/s"]}, out=tmp_path / "grid", seeds=2)
    for shown in (results[0], results, swept):
        html = shown._repr_html_()
        assert f">{name}<" in html
        assert "<tbody>\n  </tbody>" not in html


def _document(folder):
    return without_cost(json.loads((folder / "result.json").read_text()))


TABLES = """
[[flow]]
name = "many"
count = 2
controller = { kind = "reno" }
data = ["down"]
ack = ["up"]

[[arrivals]]
name = "pages"
controller = { kind = "cubic" }
rate = "20 /s"
size = { kind = "fixed", size = "20 kB" }
data = ["down"]
ack = ["up"]

[[traffic]]
name = "call"
model = { kind = "cbr", rate = "100 kbit/s" }
packet = "200 B"
path = ["down"]

[[probe]]
name = "probes"
data = ["down"]
ack = ["up"]
"""


def test_every_list_of_results_is_a_frame(scenario):
    several = el.Scenario.load(scenario(more=TABLES)).run(seeds=2)
    for name in ("flows", "links", "groups", "arrivals", "traffic", "probes"):
        (one, two), both = [getattr(r, name) for r in several], getattr(several, name)
        assert len(one) > 0, name
        assert list(both.columns) == ["seed", *one.columns]
        assert list(both["seed"]) == [7] * len(one) + [8] * len(two)
    assert several.arrivals["completion_s.p50"].gt(0).all()
    without = el.Scenario.load(scenario(LOSS)).run(seeds=2)
    assert without.arrivals.empty
    assert without[0].arrivals.empty


def test_capacities_that_each_seed_draws_are_not_in_figures_of_several(tmp_path: Path) -> None:
    """A profile is another of each seed; a recording and a constant rate are the same."""
    (tmp_path / "drive.csv").write_text("time_s,rate_bps\n0,2e6\n1,4e6\n")
    flow = {"name": "f", "controller": {"kind": "cubic"}, "data": ["down"], "ack": ["up"], "start_jitter": "10 ms"}
    up = {"name": "up", "rate": "10 Mbit/s", "delay": "10 ms"}
    for trace, drawn in (
        ({"trace": {"kind": "lte"}}, False),
        ({"trace": {"kind": "csv", "file": str(tmp_path / "drive.csv")}}, True),
        ({}, True),
    ):
        down = {"name": "down", "rate": "3 Mbit/s", "delay": "10 ms", "queue": {"kind": "droptail", "limit": "50 ms"}}
        scenario = el.Scenario({"duration": "4 s", "link": [down | trace, up], "flow": [flow]})
        axis = scenario.run(seeds=2, series=True).plot().axes[0]
        assert any("capacity" in str(line.get_label()) for line in axis.get_lines()) is drawn, trace
        one = scenario.run(series=True).plot().axes[0]
        assert any("capacity" in str(line.get_label()) for line in one.get_lines())


def test_seeds_do_not_matter_to_theory(eddyline, scenario, tmp_path):
    """Whatever is random in the scenario, so no start jitter is advised."""
    file = scenario()
    said = "nothing in world theory is random"
    for words in (("run", file, "--seeds", 2), ("sweep", file, "--vary", "link.*.loss=0", "--seeds", 2, "--out", "x")):
        ran = eddyline(*words, "--world", "theory")
        assert (ran.code, ran.err.count(said), "scenario is random" in ran.err, "--start-jitter" in ran.err) == (
            0,
            1,
            False,
            False,
        ), ran.err
    for call in (
        lambda: el.Scenario.load(file).run("theory", seeds=2),
        lambda: el.sweep(file, {"link.*.loss": [0]}, seeds=2, world="theory", out=tmp_path / "y"),
    ):
        with pytest.warns(UserWarning, match=f"{said}$"):
            call()
