"""`eddyline theory map`: cells, boundary, figures, what is refused."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import COMMAND, environment
from test_command_line import complete
from test_interruption import start

import eddyline as el

RATES = ("--x", "link.down.rate=5 Mbit/s..20 Mbit/s:4:log", "--y", "link.up.rate=1 Mbit/s..9 Mbit/s:3")
TABLE = Path(__file__).parents[2] / "crates" / "theory" / "tests" / "suite" / "data" / "stability_boundary.json"

THREE = """\
duration = "10 s"

[[link]]
name  = "shared"
rate  = "10 Mbit/s"
delay = "10 ms"

[[link]]
name  = "second"
rate  = "3.6 Mbit/s"
delay = "10 ms"

[[flow]]
name       = "long"
controller = { kind = "fast", alpha = "100 packets" }
data       = ["shared", "second"]
ack        = ["shared"]
packet     = "1000 B"

[[flow]]
name       = "short"
controller = { kind = "fast", alpha = "100 packets" }
data       = ["shared"]
ack        = ["second"]
packet     = "1000 B"
"""

# 8 Mbit/s and packets of 1,000 B: 1,000 packets a second, so alpha packets wait alpha ms. An ACK takes no time.
ONE = """\
duration = "10 s"

[[link]]
name  = "there"
rate  = "8 Mbit/s"
delay = "100 ms"

[[link]]
name  = "back"
rate  = "10 Tbit/s"
delay = "99 ms"

[[flow]]
name       = "one"
controller = { kind = "fast", alpha = "50 packets", profile = "ns2-1.1.3", gamma = 0.5 }
data       = ["there"]
ack        = ["back"]
packet     = "1000 B"
ack_packet = "1 B"
"""
BASE_S = 0.199 + 0.001 + 8 / 10e12  # propagation, transmission of the packet, of its acknowledgement


def made(eddyline, *args: object) -> dict:
    ran = eddyline("theory", "map", *args, "--json", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def settings(document: dict) -> list[tuple[str, str, str, str]]:
    """For each cell what --set makes of it."""
    x, y = document["x"], document["y"]
    pairs = [(a, b) for b in y["settings"] for a in x["settings"]]
    return [("--set", f"{x['key']}={a}", "--set", f"{y['key']}={b}") for a, b in pairs]


def test_bottleneck_cells_are_what_equilibrium_says(eddyline, scenario):
    document = made(eddyline, scenario(), *RATES)
    assert (document["show"], document["failed"], document["boundary"]) == ("bottleneck", 0, None)
    assert document["x"]["values"][0] == 5e6
    assert document["y"]["settings"] == ["1 Mbit/s", "5 Mbit/s", "9 Mbit/s"]
    assert len(document["cells"]) == 12
    assert {c["region"] for c in document["cells"]} == {"down", "up"}
    for cell, args in zip(document["cells"], settings(document), strict=True):
        found = json.loads(eddyline("theory", "equilibrium", scenario(), *args, "--json").out)["equilibria"]
        assert cell["equilibria"] == len(found)
        assert cell["bottlenecks"] == [[at["name"] for at in f["links"] if at["bottleneck"]] for f in found]
        assert cell["region"] == " + ".join(cell["bottlenecks"][0])


@pytest.mark.parametrize("model", ["integrator", "ack_clocked", "joint"])
def test_stability_cells_are_what_stability_says(eddyline, scenario, model):
    args = (scenario(), *RATES, "--show", "stability", "--link-model", model)
    document = made(eddyline, *args, "--set", "flow.*.controller.gamma=1")
    assert document["link_model"] == model
    cells = list(zip(document["cells"], settings(document), strict=True))
    for cell, sets in cells[::3]:
        gamma = ("--set", "flow.*.controller.gamma=1")
        ran = eddyline("theory", "stability", scenario(), *gamma, *sets, "--link-model", model, "--json")
        judged = json.loads(ran.out)
        assert [cell["root_re_per_s"], cell["root_im_per_s"]] == judged["roots"][0]
        assert (cell["stable"], cell["neutral"]) == (judged["stable"], judged["neutral"])


# Almost balanced, with ACK-clocked links: the rightmost root is within the accuracy of roots of the axis.
BALANCED = """\
duration = "10 s"
link = [{ name = "down", rate = "100 Mbit/s", delay = "25 ms" }, { name = "up", rate = "98 Mbit/s", delay = "25 ms" }]

[[flow]]
name       = "download"
controller = { kind = "fast", alpha = "200 packets", base_rtt = "known" }
data       = ["down"]
ack        = ["up"]

[[flow]]
name       = "upload"
controller = { kind = "fast", alpha = "200 packets", base_rtt = "known" }
data       = ["up"]
ack        = ["down"]
"""


def test_cells_where_disturbances_neither_grow_nor_die_out_are_neutral(eddyline, tmp_path):
    (tmp_path / "balanced.toml").write_text(BALANCED)
    words = ("theory", "map", "balanced.toml", "--x", "link.*.delay=20 ms,25 ms", "--show", "stability")
    near = (*words, "--y", "link.up.rate=98 Mbit/s,99 Mbit/s")
    document = json.loads(eddyline(*near, "--json").out)
    assert [(cell["stable"], cell["neutral"]) for cell in document["cells"]] == [(False, True)] * 4
    assert all(abs(cell["root_re_per_s"]) < 1e-7 for cell in document["cells"])
    table = eddyline(*near).out
    assert re.search(r"^ neutral +4 +100", table, re.M), table
    assert re.search(r"^ unstable +0 ", table, re.M), table
    # no boundary runs between what dies out and what does not grow
    wide = json.loads(eddyline(*words, "--y", "link.up.rate=50 Mbit/s,98 Mbit/s", "--json").out)
    assert {(cell["stable"], cell["neutral"]) for cell in wide["cells"]} == {(True, False), (False, True)}
    assert wide["boundary"] == []


def test_what_the_model_leaves_out_at_the_corners_is_noted(eddyline, tmp_path):
    (tmp_path / "balanced.toml").write_text(BALANCED)
    words = ("theory", "map", "balanced.toml", "--x", "link.down.loss=0.0,0.01", "--y")
    ran = eddyline(*words, "link.up.queue.limit=10 packets,1000 packets", "--show", "throughput")
    overflow = r"^note: with link\.down\.loss=0 and link\.up\.queue\.limit=10 packets: .*would overflow its limit of 10"
    assert len(re.findall(overflow, ran.err, re.M)) == 1, ran.err
    loss = r"^note: with link\.down\.loss=0\.01 and link\.up\.queue\.limit=10 packets: .*loss is not modelled"
    assert len(re.findall(loss, ran.err, re.M)) == 1, ran.err
    assert ran.err.count("note: ") == 2, ran.err
    stable = eddyline(*words, "link.up.queue.limit=10 packets,1000 packets", "--show", "stability")
    assert "would overflow its limit of 10" in stable.err


def test_names_with_digits_are_no_numbers_in_notes_of_corners(eddyline, tmp_path):
    """Two links that overflow at the same corner are two notes."""
    link = '[[link]]\nname = "{}"\nrate = "10 Mbit/s"\ndelay = "10 ms"\n'
    flow = '[[flow]]\nname = "flow{0}"\ncontroller = {{ kind = "fast", alpha = "20 packets" }}\n'
    flow += 'data = ["link{0}"]\nack = ["back"]\n'
    parts = ['duration = "10 s"\n', *(link.format(name) for name in ("link1", "link2", "back"))]
    (tmp_path / "two.toml").write_text("".join([*parts, *(flow.format(n) for n in (1, 2))]))
    axes = (
        "--x",
        "link.link1.queue.limit=10 packets,100 packets",
        "--y",
        "link.link2.queue.limit=10 packets,100 packets",
    )
    said = eddyline("theory", "map", "two.toml", *axes, "--show", "throughput").err
    assert all(said.count(f"link link{n}: the queue of equilibrium") == 1 for n in (1, 2)), said


def test_throughput_cells_are_what_theory_says(eddyline, scenario):
    one = made(eddyline, scenario(), *RATES, "--show", "throughput", "--flow", "download")
    both = made(eddyline, scenario(), *RATES, "--show", "throughput")
    assert (one["flow"], both["flow"]) == ("download", None)
    for cell, total, args in zip(one["cells"], both["cells"], settings(one), strict=True):
        result = json.loads(eddyline("run", scenario(), "--world", "theory", *args, "--json").out)
        download, upload = result["flows"]
        assert (cell["goodput_bps"], cell["packets_per_s"]) == (download["goodput_bps"], download["packets_per_s"])
        assert total["goodput_bps"] == download["goodput_bps"] + upload["goodput_bps"]


def test_flows_of_one_table_count_together(eddyline, scenario):
    path = scenario(('name       = "download"', 'name = "download"\ncount = 3'))
    args = (path, *RATES, "--show", "throughput", "--flow")
    together, alone = made(eddyline, *args, "download"), made(eddyline, *args, "download[1]")
    for three, one in zip(together["cells"], alone["cells"], strict=True):
        assert three["goodput_bps"] == pytest.approx(3 * one["goodput_bps"], rel=1e-12)


def test_several_equilibria_are_marked(eddyline, tmp_path):
    (tmp_path / "three.toml").write_text(THREE)
    ranges = (
        "--x",
        "link.second.rate=3.6 Mbit/s, 8 Mbit/s",
        "--y",
        "flow.long.controller.alpha=100 packets..101 packets:2",
    )
    document = made(eddyline, "three.toml", *ranges)
    assert [c["equilibria"] for c in document["cells"]] == [3, 1, 3, 1]
    assert sorted(map(tuple, document["cells"][0]["bottlenecks"])) == [("second",), ("shared",), ("shared", "second")]
    assert "several equilibria" in eddyline("theory", "map", "three.toml", *ranges).out


@pytest.mark.parametrize("row", [r for r in json.loads(TABLE.read_text())["values"] if r[1] > 0])
def test_the_boundary_is_the_tables(eddyline, tmp_path, row):
    """One flow on one link, integrator: stable from rho = q / R on, where u is gain times R."""
    u, rho, _ = row
    wait_s = rho / (1 - rho) * BASE_S
    # ns2-1.1.3 rests every other round trip: gamma in two periods
    period_s = 0.5 * (BASE_S + wait_s) / (2 * u)
    assert period_s < BASE_S + wait_s, "another gain"
    (tmp_path / "one.toml").write_text(ONE)
    alpha = 1000 * wait_s
    document = made(
        eddyline,
        "one.toml",
        "--x",
        f"flow.one.controller.alpha={0.9 * alpha} packets..{1.08 * alpha} packets:4",
        "--y",
        f"flow.one.controller.update_period={0.99 * period_s} s, {period_s} s",
        "--show",
        "stability",
        "--link-model",
        "integrator",
    )
    (line,) = document["boundary"]
    (found,) = [x for x, y in line if y == pytest.approx(period_s, rel=1e-9)]
    got = found / 1000 / (found / 1000 + BASE_S)
    # the table is good to its last digit; periods are whole picoseconds, of which the shortest here has ten million
    assert got == pytest.approx(rho, abs=1e-6)


def test_a_boundary_through_the_map(eddyline, scenario):
    x, y = "link.down.rate", "flow.upload.controller.alpha"
    fixed = {"flow.*.controller.gamma": "1", "link.*.delay": "20 ms"}
    sets = [word for key, value in fixed.items() for word in ("--set", f"{key}={value}")]
    ranges = ("--x", f"{x}=4 Mbit/s..20 Mbit/s:7", "--y", f"{y}=1 packets..100 packets:7:log")
    document = made(eddyline, scenario(), *ranges, *sets, "--show", "stability", "--link-model", "integrator")
    points = [point for line in document["boundary"] for point in line]
    assert len(points) >= 5
    values = document["x"]["values"]
    assert all(a in values or b in document["y"]["values"] for a, b in points), "each lies between two cells"
    for a, b in points:
        verdicts = set()
        for share in (1 - 1e-6, 1 + 1e-6):
            at = (a, b * share) if a in values else (a * share, b)
            s = el.Scenario.load(scenario(), set={**fixed, x: f"{at[0]} bit/s", y: f"{at[1]} packets"})
            verdicts.add(bool(el.theory.stability(s, "integrator").verdicts["stable"].iloc[0]))
        assert verdicts == {True, False}, (a, b)


@pytest.mark.parametrize("show", ["bottleneck", "stability", "throughput"])
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_table_and_a_figure(eddyline, scenario, tmp_path, show, ending):
    file = tmp_path / f"map.{ending}"
    ran = eddyline("theory", "map", scenario(), *RATES, "--show", show, "--plot", file)
    assert ran.code == 0
    assert f"two-way: {show} over link.down.rate and link.up.rate, 4 x 3 cells" in ran.out
    head = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert file.read_bytes().startswith(head)
    assert sorted(p.name for p in tmp_path.iterdir()) == [file.name, "two-way.toml"]


def test_a_cell_without_a_value_is_null_and_says_why(eddyline, scenario):
    args = (
        "--x",
        "flow.upload.packet=100 B, 1500 B",
        "--y",
        "flow.upload.header=40 B..1000 B:3",
        "--show",
        "throughput",
    )
    ran = eddyline("theory", "map", scenario(), *args, "--json", "--plot", "gaps.png")
    assert ran.code == 0
    document = json.loads(ran.out)
    assert document["failed"] == 2
    nulls = [(c["x"], c["y"]) for c in document["cells"] if c["goodput_bps"] is None]
    assert nulls == [(100.0, 520.0), (100.0, 1000.0)]
    for cell in document["cells"]:
        assert (cell["error"] is None) == (cell["goodput_bps"] is not None)
        assert cell["error"] is None or "header" in cell["error"]
    assert "2 of 6 cells have no value" in eddyline("theory", "map", scenario(), *args).out


def test_a_map_without_any_value_is_an_error(eddyline, scenario, tmp_path):
    path = scenario(
        ('kind = "fast", alpha = "20 packets"', 'kind = "newreno"'),
        ('kind = "fast", alpha = "10 packets"', 'kind = "newreno"'),
    )
    ran = eddyline("theory", "map", path, *RATES, "--plot", tmp_path / "none.png")
    assert (ran.code, ran.out) == (1, "")
    assert "no model of newreno" in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["two-way.toml"]


X, Y = "link.down.rate=5 Mbit/s..20 Mbit/s:4", "link.up.rate=1 Mbit/s..9 Mbit/s:3"


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ("link.down.rate", Y, ["--x", "KEY=RANGE"]),
        ("link.down.rat=1 Mbit/s..2 Mbit/s", Y, ["--x link.down.rat=", "rate"]),
        ("link.dwon.rate=1 Mbit/s..2 Mbit/s", Y, ["there is no link called", "down"]),
        ("link.down.rate=20 Mbit/s..5 Mbit/s", Y, ["--x link.down.rate=", "reversed", "5 Mbit/s..20 Mbit/s"]),
        ("link.down.rate=5 Mbit/s..5 Mbit/s", Y, ["above the lower"]),
        (X, "link.up.rate=5 Mbit/s", ["--y link.up.rate=", "at least two"]),
        (X, "link.up.rate=1 Mbit/s..9 Mbit/s:1", ["number of points", "2 to 10000"]),
        ("link.down.rate=0 Mbit/s..20 Mbit/s", Y, ["--x link.down.rate=0 Mbit/s", "1 bit/s"]),
        ("link.down.rate=0 Mbit/s..20 Mbit/s:5:log", Y, ["log needs"]),
        ("link.down.rate=slow..fast", Y, ["not a number"]),
        ("link.down.rate=nan..inf", Y, ["not a number"]),
        ("link.down.rate=5..20", Y, ["--x link.down.rate=5", "unit"]),
        ("link.down.rate=5..20 Mbit/s", Y, ["no unit", "5 Mbit/s"]),
        ("link.down.rate=5 Mbit/s..20 ms", Y, ["of one quantity"]),
        ("link.down.rate=5 ms..20 ms", Y, ["--x link.down.rate=5 ms", "Mbit/s"]),
        ("link.down.rate=-5 Mbit/s..20 Mbit/s", Y, ["negative"]),
        ("link.down.rate=9 Mbit/s, 5 Mbit/s", Y, ["ascending"]),
        ("flow.download.controller.gamma=0.5..1.5", Y, ["--x flow.download.controller.gamma=1.025", "gamma"]),
        ("flow.download.controller.kind=1..2", Y, ["kind"]),
        (X, X, ["two different keys"]),
        ("link.down.rate=1 Mbit/s..2 Mbit/s:2000", "link.up.rate=1 Mbit/s..2 Mbit/s:2000", ["at most 1000000"]),
    ],
)
def test_invalid_axes_are_refused(eddyline, scenario, tmp_path, x, y, said):
    ran = eddyline("theory", "map", scenario(), "--x", x, "--y", y, "--plot", tmp_path / "m.png", "--json")
    assert (ran.code, ran.out) == (2, ""), ran.err
    for text in said:
        assert text in ran.err
    assert "Traceback" not in ran.err
    assert "--set" not in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["two-way.toml"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--show", "colours"), "bottleneck"),
        (("--show", "throughput", "--flow", "nobody"), '"download", "upload"'),
        (("--flow", "download"), "--show throughput"),
        (("--link-model", "glue"), "integrator"),
        (("--link-model", "joint"), "--link-model is for --show stability, not bottleneck"),
        (("--set", "link.up.rate=5 Mbit/s"), "--set link.up.rate: --y link.up.rate sets the same anew"),
        (("--plot", "map.bmp"), ".png or .svg or .pdf"),
        (("--plot", "."), ".png or .svg or .pdf"),
    ],
)
def test_invalid_options_are_refused(eddyline, scenario, tmp_path, args, said):
    ran = eddyline("theory", "map", scenario(), *RATES, *args)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["two-way.toml"]
    assert eddyline("theory", "map", scenario(), "--x", X).code == 2


LONG = ("--x", "link.down.rate=5 Mbit/s..20 Mbit/s:900", "--y", "link.up.rate=1 Mbit/s..9 Mbit/s:900")


def test_ctrl_c_ends_it_and_leaves_nothing(scenario, tmp_path):
    p = start("theory", "map", scenario(), *LONG, "--show", "stability", "--plot", tmp_path / "m.png")
    time.sleep(2.0)
    assert p.poll() is None
    p.send_signal(signal.SIGINT)
    said, err = p.communicate(timeout=20)
    assert (p.returncode, said, err.strip()) == (130, "", "interrupted")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["two-way.toml"]


def test_a_bar_on_the_terminal(scenario):
    import pty

    ours, theirs = pty.openpty()
    args = [COMMAND, "theory", "map", scenario(), *LONG, "--show", "stability"]
    p = subprocess.Popen(
        args, stdout=subprocess.DEVNULL, stderr=theirs, env={**environment(), "TERM": "xterm"}, start_new_session=True
    )
    os.close(theirs)
    said = b""
    try:
        while b"%" not in said:
            said += os.read(ours, 65536)
    finally:
        p.kill()
        p.wait()
        os.close(ours)
    assert "left" in said.decode() or "━" in said.decode()


def test_python(scenario):
    s = el.Scenario.load(scenario())
    rates = [f"{n} Mbit/s" for n in (5, 10, 20)]
    m = el.theory_map(s, ("link.down.rate", rates), ("link.up.rate", "1 Mbit/s..9 Mbit/s:2"), "throughput")
    assert (m.x.values, m.x.unit, m.x.spacing) == ([5e6, 10e6, 20e6], "bit/s", "list")
    assert list(m.frame.columns) == [
        "link.down.rate",
        "link.up.rate",
        "packets_per_s",
        "goodput_bps",
        "equilibria",
        "error",
    ]
    assert len(m.frame) == 6
    grid = m.grid("packets_per_s")
    assert (list(grid.columns), list(grid.index)) == (m.x.values, m.y.values)
    for (x, setting), (y, other) in zip(
        zip(m.x.values, m.x.settings, strict=True), zip(m.y.values * 2, m.y.settings * 2, strict=True), strict=False
    ):
        at = el.Scenario.load(scenario(), set={"link.down.rate": setting, "link.up.rate": other})
        flows = el.theory.equilibrium(at).flows
        assert grid.loc[y, x] == flows["packets_per_s"].sum()
    assert json.loads(m.json) == m.to_dict()
    assert m.plot().axes
    with pytest.raises(el.InputError, match="no column"):
        m.grid("colour")
    with pytest.raises(el.InputError, match="there is no map"):
        el.theory_map(s, ("a", "1..2"), ("b", "1..2"), "colour")
    with pytest.raises(el.InputError, match="flow is for"):
        el.theory_map(s, ("link.down.rate", rates), ("link.up.rate", rates), flow="download")
    with pytest.raises(el.ScenarioError, match=r"--x link\.down\.rate=1"):
        el.theory_map(s, ("link.down.rate", [1, 2]), ("link.up.rate", rates))


def test_axes_have_plain_numbers_and_begin_at_0_at_least(scenario):
    """The first cell of a linear axis would reach as far below its value as above it."""
    s = el.Scenario.load(scenario())
    x, y = ("link.down.rate", "1 kbit/s..10 Gbit/s:3:log"), ("link.up.rate", "1 Mbit/s..19 Mbit/s:3")
    axis = el.theory_map(s, x, y, "throughput").plot().axes[0]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("link.down.rate (Mbit/s)", "link.up.rate (Mbit/s)")
    assert axis.get_ylim() == (0.0, 23.5)


def test_progress_may_stop_it(scenario):
    calls = []

    def stop(done: int, of: int) -> None:
        calls.append((done, of))
        raise RuntimeError("enough")

    s = el.Scenario.load(scenario())
    with pytest.raises(RuntimeError, match="enough"):
        el.theory_map(
            s,
            ("link.down.rate", "5 Mbit/s..20 Mbit/s:300"),
            ("link.up.rate", "1 Mbit/s..9 Mbit/s:300"),
            "stability",
            progress=stop,
        )
    assert len(calls) == 1
    assert 0 <= calls[0][0] < calls[0][1] == 90_000


def test_completion_of_keys(scenario):
    keys = complete(f"eddyline theory map {scenario()} --x link.")
    assert "link.down.rate=" in keys
    assert "flow.upload.controller.alpha=" in complete(f"eddyline theory map {scenario()} --y flow.up")
    assert "map" in complete("eddyline theory m")


def test_an_error_names_file_and_line_as_run_does(eddyline, tmp_path):
    expected = '[[expect]]\nof = "flow.short"\nwhat = "goodput_bps"\nat_least = "1 Mbit/s"\nwhy = "of one flow"\n'
    (tmp_path / "three.toml").write_text(f'title = "A title"\n{THREE}\n{expected}')
    ran = eddyline("run", "three.toml", "--set", "flow.short.count=3", "-q")
    assert (ran.code, ran.err.split(": ")[1]) == (2, "three.toml:30:8")
    axes = ("--x", "link.shared.rate=1 Mbit/s..2 Mbit/s:3", "--y", "flow.short.count=2..3")
    drawn = eddyline("theory", "map", "three.toml", *axes, "-q")
    assert (drawn.code, drawn.err) == (2, ran.err)


def test_what_follows_from_a_key_follows_in_every_cell(tmp_path):
    """A limit of 20 ms is fewer bytes at a lower rate: the queue of equilibrium overflows there."""
    path = tmp_path / "three.toml"
    path.write_text(THREE)
    limit = {"link.shared.queue": "{ kind = 'droptail', limit = '200 ms' }", "link.shared.rate": "100 Mbit/s"}
    s = el.Scenario.load(path, set=limit)
    rates = ["1 Mbit/s", "100 Mbit/s"]
    notes = el.theory_map(s, ("link.shared.rate", rates), ("link.second.rate", ["3 Mbit/s", "4 Mbit/s"])).notes
    own = el.theory.equilibrium(s.with_overrides({"link.shared.rate": rates[0]})).notes
    (overflow,) = [note for note in own if "link shared" in note]
    assert any(overflow in note for note in notes)
