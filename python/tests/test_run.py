"""`eddyline run`: documents, tables, repetitions, what is written."""

from __future__ import annotations

import errno
import json
import os
import re

import pyarrow.parquet as pq
import pytest

import eddyline as el
from eddyline.folder_manifest import write as write_manifest
from eddyline.output import replaced, replaced_file


def document(ran):
    assert ran.code == 0, ran.err
    assert ran.err == ""
    return json.loads(ran.out)


def without_cost(text):
    d = json.loads(text)
    d.pop("cost")
    return d


def test_json_is_one_document_and_the_same_twice(eddyline, installed, scenario):
    path = scenario()
    first, second = eddyline("run", path, "--json"), installed("run", path, "--json")
    d = document(first)
    assert (d["world"], d["title"], d["seed"]) == ("sim", "two-way", 7)
    assert [f["name"] for f in d["flows"]] == ["download", "upload"]
    assert d["cost"]["cpu_s"] > 0
    assert d["cost"]["wall_s"] > 0
    assert without_cost(first.out) == without_cost(second.out)


def test_a_long_document_is_written_in_pieces(scenario):
    more = ('= "upload"', '= "upload \u00fc\u65e5 \U0001f30a"\ncount = 1_000')
    result = el.Scenario.load(scenario(more, ('"4 s"', '"1 ms"'), ('"1 s"', '"0 s"'))).run(series=False)
    pieces: list[str] = []
    result.write_json(pieces.append)
    assert len(pieces) > 1
    assert "".join(pieces) == result.json

    def full(_piece):
        raise OSError(errno.ENOSPC, "no space left")

    with pytest.raises(OSError, match="no space left"):
        result.run.write_json(full)


def test_the_table_names_flows_and_links(eddyline, scenario):
    ran = eddyline("run", scenario())
    assert ran.code == 0
    for word in ("two-way (world sim)", "download", "upload", "down", "up", "Mbit/s", "ms"):
        assert word in ran.out


def test_what_is_rarely_intended_is_said(eddyline, scenario):
    path = scenario()
    ran = eddyline("run", path, "--set", "flow.upload.start=1 h", "--set", 'flow.download.data=["down", "down"]')
    assert ran.code == 0
    assert "note: upload starts at 1 h, not before the end of the run" in ran.err
    assert "note: download: data crosses link down 2 times" in ran.err
    assert "note:" not in eddyline("run", path).err


def test_acknowledgements_after_the_timeout_are_said(eddyline, scenario):
    path = scenario()
    said = "note: download: a segment by itself is acknowledged after 200 ms (tcp.ack_timer), when the sender's timeout"
    late = ("run", path, "--set", "flow.download.tcp.ack_every=2")
    one = (*late, "--set", "flow.download.tcp.initial_window=1")
    assert said in eddyline(*one).err
    frames = 'flow.download.application={kind="bursts",bytes="1460 B",every="1 s"}'
    assert said in eddyline(*late, "--set", frames).err
    assert said not in eddyline(*late, "--set", frames.replace("1460", "2920")).err
    assert (
        "note: download: fewer than 4 segments"
        in eddyline(*late, "--set", "flow.download.tcp.ack_every=4", "--set", "flow.download.tcp.initial_window=2").err
    )
    assert "note:" not in eddyline(*late).err
    assert "note:" not in eddyline(*one, "--set", "flow.download.tcp.ack_timer=40 ms").err
    assert "note:" not in eddyline(*one, "--set", "flow.download.tcp.min_rto=1 s").err
    assert "note:" not in eddyline(*one, "--world", "quic").err.replace("note: world quic", "")


def test_a_short_limit_of_cake_is_said(eddyline, scenario):
    path = scenario()
    cake = ("run", path, "--set", "link.down.queue.kind=cake")
    # 100 ms at 10 Mbit/s is 125 kB; the file's limit is that of a drop-tail queue
    assert "note: down: its CAKE queue's limit of " in eddyline(*cake, "--set", "link.down.queue.limit=124 kB").err
    assert "note: down: its CAKE queue's limit of " in eddyline(*cake, "--set", "link.down.queue.limit=83 packets").err
    assert "note:" not in eddyline(*cake, "--set", "link.down.queue.limit=125 kB").err
    assert "note:" not in eddyline(*cake, "--set", "link.down.queue.limit=84 packets").err
    for other in ("unlimited", "2700 cells", "1 MB"):
        ran = eddyline(*cake, "--set", f"link.down.queue.limit={other}")
        assert (ran.code, "note:" in ran.err) == (0, False), other
    assert "limit of 2600 cells" in eddyline(*cake, "--set", "link.down.queue.limit=2600 cells").err
    # the default's upper bound is less than 100 ms at 10 Gbit/s
    fast = ("--set", "link.down.rate=10 Gbit/s", "--set", 'link.down.queue={ kind = "cake" }', "--set", "duration=1 s")
    assert "note:" not in eddyline("run", path, *fast, "--set", "warmup=0 s").err


def test_a_controller_without_its_feedback_is_said(eddyline, scenario):
    path = scenario()
    prague = ("run", path, "--set", 'flow.*.controller={ kind = "prague" }')
    said = "prague requires tcp = { accurate_ecn = true }; without it"
    assert f"note: download, upload: {said} its packets are never marked" in eddyline(*prague).err
    assert (
        f"note: download: {said} a mark counts as a loss"
        in eddyline(*prague, "--set", "flow.download.tcp.ecn=true", "--set", "flow.upload.tcp.accurate_ecn=true").err
    )
    with pytest.warns(UserWarning, match=f"^download, upload: {re.escape(said)} its packets are never marked$"):
        el.Scenario.load(path).run(series=False, set={"flow.*.controller.kind": "prague"})
    # QUIC counts marks whatever the flows ask for
    quic = eddyline(*prague, "--world", "quic", "--set", "flow.*.tcp.ecn=true")
    assert (quic.code, "prague" in quic.err) == (0, False)
    listed = eddyline("list", "controllers").out
    assert listed.count("requires tcp.accurate_ecn") == 2


def test_all_worlds_side_by_side(eddyline, scenario):
    path = scenario()
    ran = eddyline("run", path, "--world", "all", "--json", "--quiet")
    worlds = document(ran)
    assert [w["world"] for w in worlds] == ["theory", "sim", "kernel", "quic"]
    assert [set(w) == {"world", "unavailable"} for w in worlds] == [False, False, True, False]
    assert all("flows" in w for w in worlds if "unavailable" not in w)
    assert ran.err == ""
    table = eddyline("run", path, "--world", "all")
    assert table.code == 0
    assert "theory" in table.out
    assert "kernel" not in table.out
    (left_out,) = (line for line in table.err.splitlines() if "left out" in line)
    assert left_out.startswith("note: world kernel is left out: no world kernel here: eddyline-live was not found (")
    strict = eddyline("run", path, "--world", "all", "--strict", "--json")
    assert strict.code == 3
    assert len(json.loads(strict.out)) == 4


def test_strict_lets_an_honoured_scenario_pass(eddyline, scenario):
    assert eddyline("run", scenario(), "--strict", "--json").code == 0


def test_overrides(eddyline, scenario):
    path = scenario()
    d = document(eddyline("run", path, "--json", "--set", "duration=2 s", "--set", "flow.upload.controller.kind=reno"))
    plain = document(eddyline("run", path, "--json"))
    assert d["flows"][1]["controller"] == "reno"
    assert d["scenario_sha256"] != plain["scenario_sha256"]
    wrong = eddyline("run", path, "--set", "link.down.rat=1 Mbit/s")
    assert wrong.code == 2
    assert "rate" in wrong.err


def test_seeds_give_runs_and_a_summary(eddyline, scenario):
    path = scenario(('delay = "10 ms"', 'delay = "10 ms"\nloss = 0.01'))
    d = document(eddyline("run", path, "--seeds", 5, "--json"))
    assert [r["seed"] for r in d["runs"]] == [7, 8, 9, 10, 11]
    values = [r["flows"][0]["goodput_bps"] for r in d["runs"]]
    said = d["summary"]["flows"][0]["goodput_bps"]
    mean = sum(values) / 5
    sd = (sum((v - mean) ** 2 for v in values) / 4) ** 0.5
    assert said["mean"] == pytest.approx(mean, rel=1e-12)
    assert said["sd"] == pytest.approx(sd, rel=1e-9)
    assert said["ci95"][1] - said["mean"] == pytest.approx(2.776445 * sd / 5**0.5, rel=1e-6)
    assert d["summary"]["flows"][0]["name"] == "download"
    single = document(eddyline("run", path, "--set", "seed=9", "--json"))
    single.pop("cost")
    d["runs"][2].pop("cost")
    assert single == d["runs"][2]
    table = eddyline("run", path, "--seeds", 3)
    assert "±" in table.out
    assert table.err == ""


def test_identical_repetitions_are_said_to_be(eddyline, scenario):
    words = ("run", scenario(), "--seeds", 2, "--json", "--start-jitter", "0 s")
    ran = eddyline(*words)
    assert ran.code == 0
    assert "warning" in ran.err
    assert "nothing in the scenario is random" in ran.err
    assert json.loads(ran.out)["summary"]["flows"][0]["goodput_bps"]["sd"] == 0
    assert eddyline(*words, "--quiet").err == ""


def test_out_keeps_everything(eddyline, scenario, tmp_path):
    out = tmp_path / "deep" / "out"
    ran = eddyline("run", scenario(), "--out", out, "--json")
    assert sorted(p.name for p in out.iterdir()) == [
        "manifest.json",
        "plot.png",
        "plot.svg",
        "result.json",
        "scenario.json",
        "series.parquet",
    ]
    assert (out / "result.json").read_text() == ran.out
    assert json.loads((out / "scenario.json").read_text())["seed"] == 7
    series = pq.read_table(out / "series.parquet").to_pandas()
    assert list(series.columns) == ["time_s", "kind", "entity", "quantity", "value"]
    assert set(series["kind"]) == {"flow", "link"}
    assert set(series["entity"]) == {"download", "upload", "down", "up"}
    assert {"cwnd_packets", "throughput_bps", "queue_packets"} <= set(series["quantity"])
    assert (out / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "plot.svg").read_text()
    assert list(out.parent.iterdir()) == [out]


def test_out_of_several_runs_says_whose_series_they_are(eddyline, scenario, tmp_path):
    path = scenario(('delay = "10 ms"', 'delay = "10 ms"\nloss = 0.01'))
    ran = eddyline("run", path, "--seeds", 2, "--out", tmp_path / "out", "--json", figures=False)
    assert (tmp_path / "out" / "result.json").read_text() == ran.out
    series = pq.read_table(tmp_path / "out" / "series.parquet").to_pandas()
    assert set(series["seed"]) == {7, 8}


def test_out_replaces_its_own_and_nothing_else(eddyline, scenario, tmp_path):
    path, out = scenario(), tmp_path / "out"
    assert eddyline("run", path, "--out", out, figures=False).code == 0
    before = (out / "result.json").read_text()
    assert eddyline("run", path, "--set", "seed=8", "--out", out, figures=False).code == 0
    assert (out / "result.json").read_text() != before
    (out / "thesis.tex").write_text("years of work")
    ran = eddyline("run", path, "--out", out)
    assert (ran.code, ran.out) == (2, "")
    assert "thesis.tex" in ran.err
    assert (out / "thesis.tex").read_text() == "years of work"
    assert eddyline("run", path, "--out", path).code == 2


def test_plot_and_log_files(eddyline, scenario, tmp_path):
    path = scenario()
    ran = eddyline(
        "run", path, "--plot", tmp_path / "p.svg", "--log", tmp_path / "l.txt", "--log-of", "upload", "--json"
    )
    assert ran.code == 0, ran.err
    assert "<svg" in (tmp_path / "p.svg").read_text()
    lines = (tmp_path / "l.txt").read_text().splitlines()
    assert lines[0] == "# time_s event packet source link seq bytes"
    assert all('"upload"' in line for line in lines[1:])
    assert eddyline("run", path, "--log", tmp_path / "l.parquet", "--json").code == 0
    log = pq.read_table(tmp_path / "l.parquet").to_pandas()
    assert set(log["source"]) == {"download", "upload"}
    own = log[log["source"] == "upload"]
    assert len(own) == len(lines) - 1
    assert own["link"].isna().any()
    wrong = eddyline("run", path, "--log", tmp_path / "x.txt", "--log-of", "nobody")
    assert wrong.code == 2
    assert "download" in wrong.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["l.parquet", "l.txt", "p.svg", "two-way.toml"]


def test_nothing_can_be_written_there(eddyline, scenario, tmp_path):
    (tmp_path / "file").write_text("")
    ran = eddyline("run", scenario(), "--out", tmp_path / "file" / "out")
    assert ran.code == 2
    assert "Traceback" not in ran.err
    for option, name in (("--plot", "p.png"), ("--log", "l.txt")):
        ran = eddyline("run", scenario(), option, tmp_path / "file" / name)
        assert (ran.code, ran.out) == (2, "")
        assert "not a folder" in ran.err
    if os.geteuid() != 0:  # nothing is forbidden to root
        (tmp_path / "locked").mkdir(mode=0o500)
        assert eddyline("run", scenario(), "--out", tmp_path / "locked" / "out").code == 2


TELL = """\
from pathlib import Path
import eddyline as el

@el.register("told")
class Told(el.Controller):
    def __init__(self, path):
        self.cwnd = 1.0
        Path("began").touch()

    def on_ack(self, ack):
        pass

    on_loss = on_timeout = on_ack
"""


def test_what_a_link_points_to_is_written(eddyline, scenario, tmp_path):
    (tmp_path / "disk").mkdir()
    links = {"out": "disk", "plot.png": "disk/figure.png", "swept": "disk/sweep"}
    (tmp_path / "disk/figure.png").touch()
    (tmp_path / "disk/sweep").mkdir()
    for link, place in links.items():
        (tmp_path / link).symlink_to(place)
    assert eddyline("run", scenario(), "--plot", "plot.png").code == 0
    assert (tmp_path / "disk/figure.png").stat().st_size > 10_000
    assert eddyline("sweep", scenario(), "--vary", "seed=1,2", "--out", "swept").code == 0
    assert (tmp_path / "disk/sweep/sweep.json").exists()
    (tmp_path / "empty").mkdir()
    (tmp_path / "out").unlink()
    (tmp_path / "out").symlink_to("empty")
    for _ in range(2):  # into an empty folder, then in place of a result
        assert eddyline("run", scenario(), "--out", "out", figures=False).code == 0
        assert (tmp_path / "empty/result.json").exists()
        assert eddyline("verify", "out").code == 0
    assert all((tmp_path / link).is_symlink() for link in links)


@pytest.mark.parametrize(
    "words",
    [
        *(("run", "two-way.toml", option, "loop.png") for option in ("--plot", "--out", "--pcap")),
        ("run", "two-way.toml", "--log", "loop.txt"),
        ("run", "two-way.toml", "--qlog", "loop.png"),
        ("run", "two-way.toml", "--plot", "loop.png/a.png"),
        ("check", "two-way.toml", "--junit", "loop.png"),
        ("init", "loop.toml", "--force"),
        ("sweep", "two-way.toml", "--vary", "seed=1,2", "--out", "loop.png"),
        ("sweep", "two-way.toml", "--vary", "link.up.rate=1 Mbit/s,2 Mbit/s", "--out", "g", "--plot", "loop.png"),
    ],
)
def test_a_loop_of_links_is_no_place(eddyline, scenario, tmp_path, words):
    scenario()
    for name in ("loop.png", "loop.toml", "loop.txt"):
        (tmp_path / name).symlink_to(name)
    ran = eddyline(*words)
    assert (ran.code, ran.err.startswith("error: ")) == (2, True)
    assert "loop" in ran.err.splitlines()[0]
    assert "internal error" not in ran.err
    assert (tmp_path / "loop.toml").is_symlink()


@pytest.mark.parametrize("write", [replaced, replaced_file])
def test_a_full_disk_names_the_place(tmp_path, write):
    place = tmp_path / "place"
    with pytest.raises(el.EddylineError, match="place: cannot be written: no space left on device"), write(place):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "two-way.toml", "--out", "/proc/x"], "/proc/x: cannot be written"),
        (["run", "two-way.toml", "--out", "file"], "file: exists and is not a folder"),
        (["run", "two-way.toml", "--out", "file/x/y"], "is not a folder"),
        (["run", "two-way.toml", "--out", "n" * 300], "file name too long"),
        (["run", "two-way.toml", "--out", "dangling"], "dangling: is a link to nowhere, which does not exist"),
        (["run", "two-way.toml", "--plot", "/proc/x.png"], "/proc/x.png: cannot be written"),
        (["run", "two-way.toml", "--plot", "n" * 300 + ".png"], "file name too long"),
        (["check", "two-way.toml", "--junit", "/proc/x.xml"], "/proc/x.xml: cannot be written"),
        (["sweep", "two-way.toml", "--vary", "seed=1,2", "--out", "/proc/x"], "/proc/x: cannot be written"),
        (["sweep", "two-way.toml", "--vary", "seed=1,2", "--out", "n" * 300], "file name too long"),
        (["gauntlet", "--controller", "told", "--out", "/proc/x"], "/proc/x: cannot be written"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_runs(eddyline, scenario, tmp_path, words, said):
    scenario(('"fast", alpha = "20 packets"', '"told"'))
    (tmp_path / "told.py").write_text(TELL)
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    before = sorted(p.name for p in tmp_path.iterdir())
    ran = eddyline(*words, "--controllers", "told.py")
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["run", "two-way.toml", "--out", "o", "--log", "o/packets.parquet"],
            "--log o/packets.parquet: is inside the folder of --out",
        ),
        (["run", "two-way.toml", "--out", "o", "--plot", "o/f.pdf"], "--plot o/f.pdf: is inside the folder of --out"),
        (
            ["run", "two-way.toml", "--out", "o", "--plot", "link/f.pdf"],
            "--plot link/f.pdf: is inside the folder of --out",
        ),
        (["run", "two-way.toml", "--out", "o", "--qlog", "o/a/b"], "--qlog o/a/b: is inside the folder of --out"),
        (["run", "two-way.toml", "--out", "o", "--pcap", "./o/caps"], "--pcap o/caps: is inside the folder of --out"),
        (["run", "two-way.toml", "--out", "caps/o", "--pcap", "caps"], "--out caps/o: is inside the folder of --pcap"),
        (
            ["run", "two-way.toml", "--log", "traces/l.txt", "--qlog", "traces"],
            "--log traces/l.txt: is inside the folder of --qlog",
        ),
        (["run", "two-way.toml", "--pcap", "traces", "--qlog", "traces"], "--qlog and --pcap: both would write traces"),
        (
            ["run", "two-way.toml", "--log", "both.txt", "--qlog", "both.txt"],
            "--log and --qlog: both would write both.txt",
        ),
        (["run", "two-way.toml", "--out", "x.png", "--plot", "./x.png"], "--out and --plot: both would write x.png"),
        (["run", "two-way.toml", "--plot", "a.pdf", "--plot", "a.png"], "--plot is given 2 times (a.pdf, a.png)"),
        (["sweep", "two-way.toml", "--vary", "seed=1,2", "--out", "a", "--out", "b"], "--out is given 2 times (a, b)"),
        (["theory", "stability", "two-way.toml", "--plot", "a.pdf", "--plot", "a.png"], "--plot is given 2 times"),
        (["live", "build-kernel", "--out", "a", "--out", "b", "--out", "c"], "--out is given 3 times (a, b, c)"),
        (["check", "two-way.toml", "--junit", "r", "--markdown", "r"], "--junit and --markdown: both would write r"),
        (
            ["gauntlet", "--controller", "reno", "--out", "o", "--junit", "o/r.xml"],
            "r.xml: is inside the folder of --out",
        ),
    ],
)
def test_outputs_have_places_of_their_own(eddyline, scenario, tmp_path, words, said):
    scenario()
    (tmp_path / "link").symlink_to("o")
    ran = eddyline(*words)
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.split())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "two-way.toml"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "two-way.toml", "--junit", "two-way.toml"], "two-way.toml: exists and is no JUnit XML"),
        (["check", "--junit", "two-way.toml", "other.toml"], "two-way.toml: exists and is no JUnit XML"),
        (["check", "two-way.toml", "--markdown", "told.py"], "told.py: exists and is no Markdown report"),
        (["gauntlet", "--controller", "told", "--junit", "told.py"], "told.py: exists and is no JUnit XML"),
        (["gauntlet", "--controller", "told", "--markdown", "told.py"], "told.py: exists and is no Markdown report"),
        (["run", "two-way.toml", "--log", "sizes.txt"], "sizes.txt: exists and is no packet log"),
        (["run", "two-way.toml", "--plot", "mine.svg"], "mine.svg: exists and is no figure"),
        (["run", "two-way.toml", "--plot", "track.svg"], "track.svg: exists and is no figure"),
        (["check", "two-way.toml", "--junit", "track.svg"], "track.svg: exists and is no JUnit XML"),
        (["theory", "equilibrium", "two-way.toml", "--plot", "mine.svg"], "mine.svg: exists and is no figure"),
        (["run", "d/scenario.json", "--out", "d"], "--out d: holds d/scenario.json, an input of this command"),
        (["run", "two-way.toml", "--out", "e"], "e/files/film.dat, an input of this command"),
        (
            ["gauntlet", "--controller", "told", "--base", "f", "--out", "f"],
            "--out f: holds f/scorecard.json, an input of this command",
        ),
    ],
)
def test_outputs_replace_no_other_file(eddyline, scenario, tmp_path, words, said):
    model = '{ kind = "trace", file = "e/files/film.dat" }'
    scenario(more=f'[[traffic]]\nname = "film"\npath = ["up"]\nmodel = {model}\n')
    scenario(name="other.toml")
    for name, text in {
        "told.py": TELL,
        "sizes.txt": "0 1000 B\n",
        "mine.svg": "not a figure",
        "track.svg": '<?xml version="1.0"?>' + 200 * "<!-- mine -->" + "<gpx/>",
        "e/files/film.dat": "1\tI\t0\t400\n",
        "d/scenario.json": el.Scenario.load(scenario(name="plain.toml")).canonical,
        "f/scorecard.json": "{}",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for folder in "def":
        write_manifest(tmp_path / folder)  # earlier outputs
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    ran = eddyline(*words, "--controllers", "told.py")
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.split())
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_outputs_replace_those_of_their_kind(eddyline, scenario, tmp_path):
    path = scenario(('warmup   = "1 s"', 'warmup   = "0.5 s"'), ('"4 s"', '"1 s"'))
    (tmp_path / "r.md").touch()  # as CI gives one
    for _ in range(2):
        assert eddyline("run", path, "--log", "l.txt", "--plot", "p.svg", "-q").code == 0
        assert eddyline("check", path, "--junit", "r.xml", "--markdown", "r.md", "-q").code == 0


def test_the_working_directory_is_not_replaced(eddyline, scenario, tmp_path):
    """It would vanish under the shell that stands in it."""
    (tmp_path / "here").mkdir()
    ran = eddyline("run", scenario(), "--out", ".", cwd=tmp_path / "here")
    assert ran.code == 2
    assert "working directory" in ran.err


def test_a_full_disk_loses_no_answer(scenario, monkeypatch, capfd):
    from eddyline import runs
    from eddyline.cli import main

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "out/series.parquet")

    monkeypatch.setattr(runs, "save", full)
    path = scenario()
    assert main(["run", str(path), "--json", "--quiet", "--out", str(path.with_name("out"))]) == 1
    said = capfd.readouterr()
    assert json.loads(said.out)["world"] == "sim"
    assert said.err == "error: out/series.parquet: No space left on device\n"
    # nor does a folder that was there when the work began
    import eddyline.cli.check

    def gone(*_: object) -> None:
        raise el.InputError("out/r.xml: cannot be written: no such file or directory")

    monkeypatch.setattr(eddyline.cli.check, "put_text", gone)
    assert main(["check", str(path), "--json", "--junit", str(path.with_name("r.xml"))]) == 1
    said = capfd.readouterr()
    assert json.loads(said.out)["held"] == 0
    assert said.err.endswith("error: out/r.xml: cannot be written: no such file or directory\n")


def test_seeds_end_at_two_to_the_63(eddyline, scenario):
    last = 2**63 - 1
    ran = eddyline("run", scenario(("seed     = 7", f"seed = {last - 1}")), "--seeds", 3)
    assert ran.code == 2
    assert f"--seeds 3: seeds from {last - 1} on go beyond 2^63 - 1" in ran.err
    ran = eddyline("run", scenario(("seed     = 7", f"seed = {last - 1}")), "--seeds", 2, "--json")
    assert ran.code == 0, ran.err
    assert [r["seed"] for r in json.loads(ran.out)["runs"]] == [last - 1, last]
    with pytest.raises(el.InputError, match="seed 9223372036854775808: allowed are"):
        el.Scenario.load(scenario()).with_seed(last + 1)


def test_series_that_memory_would_not_hold_are_refused(eddyline, scenario, tmp_path):
    ran = eddyline(
        "run", scenario(), "--out", tmp_path / "out", "--set", "duration=1 h", "--set", "record.interval=400 us"
    )
    assert (ran.code, ran.out) == (2, "")
    assert "216 million rows" in ran.err
    assert "record.interval" in ran.err
    assert not (tmp_path / "out").exists()
