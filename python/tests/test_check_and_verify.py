"""`eddyline check` and `eddyline verify`."""

from __future__ import annotations

import json
import os
import shutil
from xml.etree import ElementTree

import pytest
from conftest import still_controller

import eddyline as el
from eddyline.cli.check import _value

EXPECT = """
[[expect]]
of       = "flow.download"
what     = "goodput_bps"
at_least = "1 Mbit/s"
why      = "a download must survive an upload"

[[expect]]
of      = "link.up"
what    = "utilisation"
at_most = {limit}

[[expect]]
of    = "flow.upload"
what  = "packets_per_s"
near  = "400 /s"
within = "20 %"
world = "theory"
"""


def test_what_holds(eddyline, scenario):
    path = scenario(more=EXPECT.format(limit=1.01))
    ran = eddyline("check", path, "--json")
    assert (ran.code, ran.err) == (0, "")
    d = json.loads(ran.out)
    assert (d["held"], d["failed"]) == (3, 0)
    first = d["expectations"][0]
    assert {"file", "of", "what", "value", "bound", "held", "why"} <= set(first)
    assert first["what"] == "goodput_bps"
    assert first["value"] > 1e6
    assert d["expectations"][2]["world"] == "theory"
    table = eddyline("check", path)
    assert table.code == 0
    assert "3 held, 0 failed" in table.out


def test_what_is_rarely_intended_is_said_of_each_file(eddyline, scenario):
    """Once, though the file runs in two worlds."""
    path = scenario(more=EXPECT.format(limit=1.01))
    ran = eddyline("check", path, "--set", 'flow.upload.controller={ kind = "dctcp" }', "--json")
    assert ran.err.splitlines() == [
        f"note: {path}: upload: dctcp requires tcp = {{ accurate_ecn = true }}; without it its packets are never marked"
    ]


UNKNOWN = """
duration = "2 s"
warmup = "1 s"
link = [{ name = "f", rate = "10 Mbit/s", delay = "20 ms" }, { name = "b", rate = "10 Mbit/s", delay = "20 ms" }]
flow = [
    { name = "one", data = ["f"], ack = ["b"], controller = { kind = "newreno" } },
    { name = "late", data = ["f"], ack = ["b"], start = "5 s", controller = { kind = "newreno" } },
    { name = "big", data = ["f"], ack = ["b"], size = "100 MB", controller = { kind = "newreno" } },
    { name = "early one", data = ["f"], ack = ["b"], size = "10 kB", controller = { kind = "newreno" } },
]
arrivals = [{ name = "pages", rate = "20 /s", size = { kind = "fixed", size = "1 GB" }, data = ["f"], ack = ["b"],
    controller = { kind = "newreno" } }]
probe = [{ name = "web", data = ["b"], ack = ["f"], every = "10 s" }]
expect = [{ of = "OF", what = "WHAT", at_most = "1000 s", world = "WORLD" }]
"""


@pytest.mark.parametrize(
    ("of", "what", "world", "why"),
    [
        ("flow.one", "completed_at_s", "sim", "it has no size, so it does not end"),
        ("flow.big", "completed_at_s", "sim", "it had not completed at the end of the run"),
        ("flow.late", "rtt_s.mean", "sim", "it starts at 5 s, not before the end of the run, 2 s"),
        ('flow."early one"', "rtt_s.mean", "sim", "it completed at "),
        ("flow.one", "rtt_s.mean", "theory", "theory has no model of newreno: flows one, late, "),
        ("link.f", "queueing_delay_s.mean", "theory", "theory has no model of newreno: flows one, late, "),
        ("arrivals.pages", "completion_s.mean", "theory", "arrivals pages: the equilibrium is of flows that stay"),
        ("arrivals.pages", "completion_s.mean", "sim", "none of its flows had completed at the end of the run"),
        ("probe.web", "http_s.mean", "sim", "there was no sample of it from the warm-up on"),
    ],
)
def test_an_unknown_value_has_a_reason(eddyline, tmp_path, of, what, world, why):
    path = tmp_path / "x.toml"
    quoted = of.replace('"', '\\"')
    path.write_text(UNKNOWN.replace("OF", quoted).replace("WHAT", what).replace("WORLD", world))
    ran = eddyline("check", path, "--json", "--junit", tmp_path / "r.xml", "--markdown", tmp_path / "r.md")
    assert ran.code == 1
    (found,) = json.loads(ran.out)["expectations"]
    assert found["value"] is None
    assert found["unknown"].startswith(why)
    (failure,) = ElementTree.parse(tmp_path / "r.xml").getroot().iter("failure")
    assert failure.get("message") == f"unknown ({found['unknown']}), expected at most 1000 s"
    assert found["unknown"] in (tmp_path / "r.md").read_text()
    table = eddyline("check", path).out
    assert f"unknown: {what} of {of} in world {world}: {found['unknown']}" in table


@pytest.mark.parametrize(
    ("what", "world", "why"),
    [
        ("delivered_ce", "sim", "it is counted only where tcp.accurate_ecn is on"),
        ("card_refusals", "sim", "it is counted only where tcp.local reports a full NIC queue to the sender"),
        ("delivered_ce", "quic", "world quic does not count it"),
    ],
)
def test_what_is_not_counted_of_every_flow_has_its_reason(eddyline, scenario, what, world, why):
    path = scenario(more=f'[[expect]]\nof = "flow.download"\nwhat = "{what}"\nat_most = 0\nworld = "{world}"\n')
    (found,) = json.loads(eddyline("check", path, "--json").out)["expectations"]
    assert (found["value"], found["unknown"]) == (None, why)


@pytest.mark.parametrize(("what", "most"), [("rtt_s.p99", '"1 s"'), ("timeouts", "0")])
def test_a_note_of_theory_that_makes_nothing_unknown_is_no_reason(eddyline, scenario, what, most):
    expect = f'[[expect]]\nof = "flow.upload"\nwhat = "{what}"\nat_most = {most}\nworld = "theory"\n'
    path = scenario(('rate  = "5 Mbit/s"', 'rate  = "300 kbit/s"'), more=expect)
    notes = eddyline("run", path, "--world", "theory", "--json")
    assert any("upload" in note for note in json.loads(notes.out)["approximations"])
    (found,) = json.loads(eddyline("check", path, "--json").out)["expectations"]
    assert (found["value"], found["unknown"]) == (None, "world theory does not know it")


def test_what_fails(eddyline, scenario, tmp_path):
    good, bad = scenario(name="good.toml"), scenario(more=EXPECT.format(limit=0.5), name="bad.toml")
    ran = eddyline("check", good, bad, "--junit", tmp_path / "r.xml", "--markdown", tmp_path / "r.md")
    assert ran.code == 1
    assert "FAILED" in ran.out
    assert "2 held, 1 failed" in ran.out
    root = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert [(s.get("tests"), s.get("failures")) for s in root] == [("0", "0"), ("3", "1")]
    assert len(root.findall(".//failure")) == 1
    rows = (tmp_path / "r.md").read_text().splitlines()
    assert len(rows) == 2 + 3
    assert sum("**no**" in row for row in rows) == 1


@pytest.mark.parametrize(
    ("value", "what", "bound", "said"),
    [
        (0.99999488, "jain_index", "at least 1", "0.99999"),
        (0.99999488, "jain_index", "at least 0.9", "1"),
        (9659360.0, "goodput_bps.sum", "at most 9.659 Mbit/s", "9.6594 Mbit/s"),
        (0.05755203, "rtt_s.p99", "at least 1 ms, at most 57.552 ms", "57.55203 ms"),
        (0.057552, "rtt_s.p99", "at least 57.552 ms", "57.552 ms"),
        (0.9499999, "utilisation", "at least 95 %", "94.99999 %"),
        (0.95, "jain_index", "near 1, within 5 %", "0.95"),
        (1.0300001, "jain_index", "near 1, within 3 %", "1.0300001"),
        (400.04, "packets_per_s", "at most 400 /s", "400.04"),
        (150.001, "loaded_rpm", "at most 150/min", "150.001"),
        (123456.4, "packets_sent", "at most 123456", "123,456.4"),
        (0.0, "packets_dropped", "at least 1", "0"),
    ],
)
def test_a_value_has_the_digits_that_its_bound_takes(value, what, bound, said):
    assert _value({"value": value, "what": what, "bound": bound}) == said


def test_nothing_runs_where_one_file_is_wrong(eddyline, scenario, tmp_path):
    good, bad = scenario(name="good.toml"), scenario(("duration", "duratoin"), name="bad.toml")
    ran = eddyline("check", good, bad, "--junit", tmp_path / "r.xml")
    assert (ran.code, ran.out) == (2, "")
    assert not (tmp_path / "r.xml").exists()


def test_the_errors_of_all_files_are_reported(eddyline, scenario, tmp_path):
    names = [scenario(name="good.toml"), *(scenario(("duration", "duratoin"), name=f"{n}.toml") for n in "ab")]
    names += [tmp_path / "nowhere.toml", scenario(('kind = "fast"', 'kind = "mine"'), name="own.toml")]
    ran = eddyline("check", *names)
    assert (ran.code, ran.out, ran.err.count("error: ")) == (2, "", 1)
    told = [
        f"{tmp_path / name}" for name in ("a.toml:2:1: duratoin", "b.toml:2:1: duratoin", "nowhere.toml: ", "own.toml:")
    ]
    places = [ran.err.find(each) for each in told]
    assert -1 not in places, ran.err
    assert places == sorted(places)
    one = eddyline("check", names[0], names[0], "--set", "flow.none.start=1 s")
    assert (one.code, one.err.count("--set flow.none.start")) == (2, 1)


def test_an_override_that_some_files_refuse_names_them(eddyline, scenario):
    """Where all refuse it, their names say nothing."""
    fast = 'controller = { kind = "fast", alpha = "20 packets" }'
    file, other = scenario(), scenario((fast, 'controller = { kind = "reno" }'), name="other.toml")
    asked = ("--set", "flow.download.controller.gamma=0.3")
    some = eddyline("check", file, other, *asked)
    assert some.code == 2
    assert f"error: {other}: --set flow.download.controller.gamma=0.3: " in some.err
    assert str(file) not in some.err
    every = eddyline("check", other, other, *asked)
    assert every.err.startswith("error: --set flow.download.controller.gamma=0.3: ")


def test_a_run_that_cannot_be_or_ends_early_stops_no_other(eddyline, scenario, tmp_path):
    good = scenario(more=EXPECT.format(limit=1.01), name="good.toml")
    kernel = EXPECT.format(limit=1.01).replace('"theory"', '"kernel"')
    other = scenario(more=kernel, name="other.toml")
    ran = eddyline("check", other, good, "--junit", tmp_path / "r.xml", "--json")
    assert ran.code == 3
    document = json.loads(ran.out)
    assert (document["held"], document["failed"]) == (5, 0)
    assert [(e["file"], e["why"].startswith("world kernel: no world kernel")) for e in document["errors"]] == [
        (str(other), True)
    ]
    first, second = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert [(s.get("tests"), s.get("errors")) for s in (first, second)] == [("3", "1"), ("3", "0")]
    # what failed outranks what could not be tried
    failing = scenario(more=EXPECT.format(limit=0.01), name="failing.toml")
    assert eddyline("check", other, failing).code == 1


def test_a_run_may_take_so_long(eddyline, scenario):
    path = scenario(more='[[expect]]\nof = "flow.download"\nwhat = "goodput_bps"\nat_least = "1 bit/s"\n')
    ran = eddyline("check", path, "--timeout", "1 ms", "--set", "duration=1 h")
    assert ran.code == 1
    assert f"failed: {path}: world sim: timeout: not finished after 0.001 s\n  hint: --timeout" in ran.err
    assert eddyline("check", path, "--timeout", "1 h").code == 0


STUCK_FLOW = 'flow.*.controller={ kind = "stuck" }'

STUCK = """\
import eddyline as el

@el.register("stuck")
class Stuck(el.Controller):
    def __init__(self, path: el.PathFacts):
        self.cwnd = 10.0
    def on_ack(self, ack):
        while True: pass
    def on_loss(self, loss): ...
    def on_timeout(self, timeout): ...

@el.register("red")
class Red(Stuck):
    def on_ack(self, ack):
        raise ValueError("\\x1b[31mred\\x1b[0m")
"""


def test_a_controller_that_never_returns_ends_in_time(eddyline, scenario, tmp_path):
    (tmp_path / "stuck.py").write_text(STUCK)
    path = scenario(more='[[expect]]\nof = "flow.download"\nwhat = "goodput_bps"\nat_least = "1 bit/s"\n')
    ran = eddyline("check", path, "--controllers", tmp_path / "stuck.py", "--set", STUCK_FLOW, "--timeout", "500 ms")
    assert ran.code == 1
    assert f"failed: {path}: world sim: timeout: not finished after 0.5 s" in ran.err


@pytest.mark.parametrize("seeds", [(), ("--seeds", 2)])
def test_verify_says_what_a_controller_raised(eddyline, scenario, tmp_path, seeds):
    (tmp_path / "good.py").write_text(STUCK.replace("raise ValueError", "self.said = "))
    (tmp_path / "bad.py").write_text(STUCK)
    flow = STUCK_FLOW.replace("stuck", "red")
    run = eddyline("run", scenario(), "--controllers", "good.py", "--set", flow, "--out", "stored", *seeds)
    assert run.code == 0, run.err
    assert eddyline("verify", "stored", "--controllers", "good.py").code == 0
    ran = eddyline("verify", "stored", "--controllers", "bad.py")
    assert ran.code == 1
    assert "raise ValueError" in ran.err
    assert "controller 'red': Red.on_ack raised ValueError" in ran.err


def test_seeds_whose_controller_fails_again_are_the_same(eddyline, scenario, tmp_path):
    late = '        if now > 0.09:\n            raise RuntimeError("a late start")'
    (tmp_path / "late.py").write_text(still_controller("late", late))
    run = ("run", scenario(), "--set", "flow.download.controller.kind=late", "--controllers", "late.py")
    chance = ("--set", "flow.*.start_jitter=100 ms", "--seeds", "0..5")
    assert eddyline(*run, *chance, "--out", "kept", figures=False).code == 1
    document = json.loads((tmp_path / "kept/result.json").read_text())
    failed = [each["seed"] for each in document["failed"]]
    assert 0 < len(failed) < 6
    ran = eddyline("verify", "kept", "--controllers", "late.py")
    assert (ran.code, "6 seeds from 0 on" in ran.out + ran.err) == (0, True), ran.out + ran.err
    # the seed of the stored scenario is not what is run, and is compared all the same
    stored = tmp_path / "kept/scenario.json"
    stored.write_text(stored.read_text().replace('\n  "seed": ', '\n  "seed": 7', 1))
    ran = eddyline("verify", "kept", "--controllers", "late.py")
    assert (ran.code, "scenario.json: stored one file, now changed" in ran.out) == (1, True), ran.out + ran.err
    # also where the first fails
    first = failed[0]
    seeds = ("--set", "flow.*.start_jitter=100 ms", "--seeds", f"{first}..{first + 3}")
    eddyline(*run, *seeds, "--out", "later", figures=False)
    ran = eddyline("verify", "later", "--controllers", "late.py")
    assert (ran.code, f"4 seeds from {first} on" in ran.out + ran.err) == (0, True), ran.out + ran.err


def test_colours_in_an_error_leave_the_report_well_formed(eddyline, scenario, tmp_path):
    (tmp_path / "red.py").write_text(STUCK)
    path = scenario(more='[[expect]]\nof = "flow.download"\nwhat = "goodput_bps"\nat_least = "1 bit/s"\n')
    words = ("--controllers", tmp_path / "red.py", "--set", STUCK_FLOW.replace("stuck", "red"))
    assert eddyline("check", path, *words, "--junit", tmp_path / "r.xml").code == 1
    (error,) = ElementTree.parse(tmp_path / "r.xml").getroot().iter("error")
    assert "\ufffd[31mred" in error.get("message")


def test_a_run_may_take_so_much_memory(eddyline, scenario):
    path = scenario(more='[[expect]]\nof = "flow.download"\nwhat = "goodput_bps"\nat_least = "1 bit/s"\n')
    deep = ("--set", "flow.*.controller.kind=cubic", "--set", "link.*.queue.limit=unlimited", "--set", "duration=60 s")
    ran = eddyline("check", path, *deep, "--memory", "200 kB")
    assert ran.code == 1
    assert f"failed: {path}: world sim: " in ran.err
    assert "--memory" in ran.err


def test_a_stored_result_is_the_same(eddyline, scenario, tmp_path):
    path = scenario(('delay = "10 ms"', 'delay = "10 ms"\nloss = 0.01'))
    theory = ["--world", "theory"]
    worlds = ([], ["--seeds", "2"], ["--world", "all"], theory, [*theory, "--dynamics=integrator"])
    for more in (*worlds, ["--world", "all", "--dynamics"], [*theory, "--dynamics", "--seeds", "2"]):
        assert eddyline("run", path, "--out", tmp_path / "out", "--quiet", *more, figures=False).code == 0
        ran = eddyline("verify", tmp_path / "out")
        assert ran.code == 0, (more, ran.out, ran.err)
        assert ran.out.startswith("same: ")
        assert ("2 seeds from " in ran.out) is ("--seeds" in more)


def test_a_changed_result_is_not(eddyline, installed, scenario, tmp_path):
    out = tmp_path / "out"
    assert eddyline("run", scenario(), "--out", out, figures=False).code == 0
    assert installed("verify", out).code == 0
    d = json.loads((out / "result.json").read_text())
    d["flows"][1]["rtt_s"]["mean"] *= 1 + 1e-15
    (out / "result.json").write_text(json.dumps(d))
    ran = eddyline("verify", out)
    assert ran.code == 1
    assert 'flows["upload"].rtt_s.mean: stored ' in ran.out


def test_a_file_that_is_gone_or_changed_is_noticed(eddyline, scenario, tmp_path):
    out, cbr = tmp_path / "out", tmp_path / "film.dat"
    cbr.write_text("".join(f"{i * 40} {1000 + i % 7}\n" for i in range(200)))
    model = '[[traffic]]\nname = "film"\npath = ["up"]\nmodel = { kind = "trace", file = "film.dat" }\n'
    path = scenario(more=model)
    whole = [
        "files/film.dat",
        "manifest.json",
        "plot.png",
        "plot.svg",
        "result.json",
        "scenario.json",
        "series.parquet",
    ]

    assert eddyline("run", path, "--out", tmp_path / "kept", "--quiet", figures=False).code == 0

    def fresh() -> None:
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(tmp_path / "kept", out)

    fresh()
    assert [str(p.relative_to(out)) for p in sorted(out.rglob("*")) if p.is_file()] == whole
    for name in ("series.parquet", "plot.png", "files/film.dat"):
        fresh()
        (out / name).unlink()
        ran = eddyline("verify", out)
        assert ran.code == 1, name
        assert f"{name}: stored one file, now missing" in ran.out
    fresh()
    (out / "plot.svg").write_text("<svg/>")
    # another end of its lines changes no result, but the file is not the one that was stored
    (out / "files" / "film.dat").write_text(cbr.read_text() + "\n")
    ran = eddyline("verify", out)
    assert ran.code == 1
    assert "plot.svg: stored one file, now changed" in ran.out
    assert "files/film.dat: stored one file, now changed" in ran.out
    # a changed input comes before the numbers that differ because of it
    (out / "files" / "film.dat").write_text("0 400\n40 900\n")
    ran = eddyline("verify", out)
    assert ran.code == 1
    assert ran.out.splitlines()[1] == "  files/film.dat: stored one file, now changed"
    # folders of versions that wrote no manifest
    fresh()
    (out / "manifest.json").unlink()
    ran = eddyline("verify", out)
    assert ran.code == 0
    assert "has no manifest.json: only the result and the series are compared" in ran.err
    (out / "series.parquet").unlink()
    assert eddyline("verify", out).code == 0
    for damaged, said in (
        ("[]", "not the digests of"),
        ('{"format": 1, "sha256": 5}', "not the digests of"),
        ("{", "Expecting"),
        ('{"sha256": {}}', "not the digests of"),
        ('{"format": null, "sha256": {}}', "format None, not 1"),
        ('{"format": 2, "sha256": {}}', "format 2, not 1"),
        ('{"format": 1, "asked": {"sim": {"memory": "x"}}, "sha256": {}}', "asked: not the options of a run: memory"),
        (
            '{"format": 1, "asked": {"theory": {"clock": [1]}}, "sha256": {}}',
            "asked: not the options of a run: clock is no text",
        ),
        (
            '{"format": 1, "asked": {"theory": {"base_rtt_s": ["1"]}}, "sha256": {}}',
            "asked: not the options of a run: base_rtt_s",
        ),
        (
            '{"format": 1, "asked": {"theory": {"base_rtt_s": 1}}, "sha256": {}}',
            "asked: not the options of a run: base_rtt_s",
        ),
    ):
        (out / "manifest.json").write_text(damaged)
        ran = eddyline("verify", out)
        assert (ran.code, f"manifest.json is damaged: {said}" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("name", ["result.json", "scenario.json", "series.parquet", "plot.svg", "files/film.dat"])
def test_a_file_that_is_gone_cut_or_damaged_is_a_difference(eddyline, scenario, tmp_path, name):
    """Of a folder with a manifest, whatever the file is: exit 1, and standard output names it."""
    (tmp_path / "film.dat").write_text("".join(f"{i * 40} {1000 + i % 7}\n" for i in range(200)))
    model = '[[traffic]]\nname = "film"\npath = ["up"]\nmodel = { kind = "trace", file = "film.dat" }\n'
    out = tmp_path / "out"
    assert eddyline("run", scenario(more=model), "--out", out, "--quiet", figures=False).code == 0
    whole, said = (out / name).read_bytes() or b"<svg/>", []  # figures are left empty here
    for damaged in (
        whole[: len(whole) // 2 - 3],
        b"",
        b"\xff\x00",
        b"{}",
        b'{"world": "none"}',
        b"[",
        b"[" * 100_000,
        None,
    ):
        if damaged == (out / name).read_bytes():
            continue
        (out / name).unlink()
        if damaged is not None:
            (out / name).write_bytes(damaged)
        ran = eddyline("verify", out)
        assert (ran.code, "error" in ran.err) == (1, False), (damaged, ran.out, ran.err)
        assert ran.out.startswith(f"different: {out}\n  ")
        said.append(ran.out)
    assert said[-1] == f"different: {out}\n  {name}: stored one file, now missing\n"
    # a result that can be read is compared value by value
    assert all(name == "result.json" or f"  {name}: stored one file, now changed\n" in each for each in said[:-1])
    for each in ("result.json", "scenario.json", "series.parquet"):
        (out / each).unlink(missing_ok=True)
    ran = eddyline("verify", out)
    assert (ran.code, ran.err) == (1, "")
    assert all(f"{each}: stored one file, now missing" in ran.out for each in ("result.json", "scenario.json"))
    (out / "manifest.json").unlink()
    ran = eddyline("verify", out)
    assert (ran.code, ran.out) == (2, "")


def test_a_file_that_expects_nothing_is_named(eddyline, scenario):
    for more in ([], ["--json"]):
        ran = eddyline("check", scenario(), *more)
        assert ran.code == 0
        assert ran.err == f"warning: {scenario()}: no [[expect]] tables, nothing was checked\n"
    assert json.loads(ran.out) == {"held": 0, "failed": 0, "expectations": [], "errors": []}


def test_a_changed_scenario_is_noticed(eddyline, scenario, tmp_path):
    out = tmp_path / "out"
    assert eddyline("run", scenario(), "--out", out, figures=False).code == 0
    text = (out / "scenario.json").read_text()
    (out / "scenario.json").write_text(text.replace('"seed": 7', '"seed": 8'))
    ran = eddyline("verify", out)
    assert ran.code == 1
    assert "scenario_sha256" in ran.out
    assert "the result is not of this scenario.json" in ran.err


def test_a_result_of_no_runs_is_none(eddyline, scenario, tmp_path):
    assert eddyline("run", scenario(), "--out", tmp_path / "out", figures=False).code == 0
    (tmp_path / "out" / "result.json").write_text('[{"world": "sim", "runs": []}]')
    ran = eddyline("verify", tmp_path / "out")
    assert ran.code == 1
    assert "result.json: stored one file, now changed" in ran.out
    assert "not a result that can be run again" in ran.err
    (tmp_path / "out" / "manifest.json").unlink()  # nothing says that it was another one
    assert eddyline("verify", tmp_path / "out").code == 2


def test_series_of_runs_that_have_none_are_a_difference(eddyline, scenario, tmp_path):
    out = tmp_path / "out"
    assert eddyline("run", scenario(), "--out", out, figures=False).code == 0
    result = out / "result.json"
    result.write_text(result.read_text().replace('"world": "sim"', '"world": "theory"'))
    ran = eddyline("verify", out)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("different: ")


def test_what_cannot_be_verified(eddyline, tmp_path):
    (tmp_path / "result.json").write_text("{")
    (tmp_path / "scenario.json").write_text("{}")
    ran = eddyline("verify", tmp_path)
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("preset", [(), ("--preset", "upload")])
def test_a_scenario_of_one_world_names_it(eddyline, tmp_path, preset):
    made = eddyline("init", "q.toml", "--controller", "noq-cubic", *preset)
    assert made.err == "wrote q.toml; next: eddyline run q.toml --world quic\n"
    commands = [line for line in (tmp_path / "q.toml").read_text().splitlines() if "eddyline run" in line]
    assert commands
    assert all("eddyline run q.toml --world quic" in line for line in commands)
    assert eddyline("run", "q.toml", "--world", "quic", "--set", "duration=45 s").code == 0
    if not preset:
        assert eddyline("check", "q.toml", "--set", "duration=45 s").code == 0
    wrong = eddyline("compare", "q.toml")
    assert wrong.code == 2
    assert "world quic has it" in wrong.err


def test_names_may_hold_any_bytes_and_values_may_not(eddyline, scenario):
    odd = os.fsdecode(b"odd\xff")
    assert eddyline("run", scenario(), "--out", f"{odd}/result", figures=False).code == 0
    ran = eddyline("verify", f"{odd}/result")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("same: odd\\udcff/result (")
    path = scenario(name=f"{odd}.toml", more=EXPECT.format(limit=1.01))
    assert eddyline("check", path, "--junit", "r.xml", "--markdown", "r.md").code == 0
    assert "odd\ufffd.toml" in path.with_name("r.xml").read_text("utf-8")
    assert eddyline("init", path, "--force").code == 0
    assert "odd\ufffd.toml" in path.read_text("utf-8")
    for command in ("run", "check", "compare"):
        wrong = eddyline(command, scenario(), "--set", f"title={odd}")
        assert (wrong.code, wrong.out, wrong.err) == (2, "", "error: title=odd\ufffd: not UTF-8\n")
    for keys in ({"title": odd}, {f"link.{odd}.rate": "1 Mbit/s"}, {"flow.download.controller": {"kind": odd}}):
        with pytest.raises(el.InputError, match=r"odd\ufffd.*: not UTF-8"):
            el.Scenario.load(scenario(), set=keys)


def test_ack_compression_is_a_share(eddyline, scenario):
    expect = '[[expect]]\nof = "flow.download"\nwhat = "ack_compression"\nat_most = "{}"\n'
    for bound, code in (("100 %", 0), ("0.0001 %", 1)):
        ran = eddyline("check", scenario(more=expect.format(bound)))
        assert ran.code == code, ran.err
