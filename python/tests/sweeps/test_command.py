"""`eddyline sweep`: what it writes, what it says, what it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pandas as pd
import pytest

import eddyline as el

from .conftest import WATCHED, alive, children, kill, part, rates, start, stored, wait_until


def summary(ran):
    assert ran.code == 0, ran.err
    assert ran.err == ""
    return json.loads(ran.out)


def test_every_row_is_what_run_says(eddyline, lossy, tmp_path):
    path = lossy()
    words = ["--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--vary", "flow.download.tcp.initial_window=2,10"]
    d = summary(eddyline("sweep", path, *words, "--seeds", 2, "--out", "grid", "--json"))
    assert (d["points"], d["done"], d["ran"], d["failed"], d["failures"]) == (8, 8, 8, 0, [])
    flows, links = el.read_sweep(tmp_path / "grid"), el.read_sweep(tmp_path / "grid", of="links")
    keys = ["link.down.rate", "flow.download.tcp.initial_window"]
    assert list(flows.columns[:4]) == [*keys, "seed", "flow"]
    assert list(links.columns[:4]) == [*keys, "seed", "link"]
    assert (len(flows), len(links)) == (8, 16)
    rows = iter(flows.itertuples())
    for rate in ("1 Mbit/s", "2 Mbit/s"):
        for window in (2, 10):
            for seed in (3, 4):
                row = next(rows)
                assert row[1:5] == (rate, window, seed, "download")
                result = el.Scenario.load(path, set={"link.down.rate": rate, keys[1]: window, "seed": seed}).run(
                    series=False
                )
                here = flows["link.down.rate"].eq(rate) & flows[keys[1]].eq(window) & flows["seed"].eq(seed)
                for mine, theirs in ((flows[here], result.flows), (links[here.repeat(2).array], result.links)):
                    mine = mine.drop(columns=[*keys, "seed"]).rename(columns={"flow": "name", "link": "name"})
                    pd.testing.assert_frame_equal(mine.reset_index(drop=True), theirs, check_exact=True)


def test_theory_and_overrides_and_groups(eddyline, scenario, tmp_path):
    words = ["--vary", "flow.download.controller.alpha=10 packets,20 packets", "--set", "flow.upload.count=3"]
    summary(eddyline("sweep", scenario(), *words, "--world", "theory", "--out", "t", "--json"))
    flows, groups = el.read_sweep(tmp_path / "t"), el.read_sweep(tmp_path / "t", of="groups")
    assert list(flows["flow"]) == ["download", "upload[0]", "upload[1]", "upload[2]"] * 2
    assert list(groups["group"]) == ["upload"] * 2
    assert flows["timeouts"].isna().all()  # theory knows none
    assert str(flows["timeouts"].dtype) == "float64"
    down = flows[flows["flow"] == "download"]
    theory = el.Scenario.load(scenario(), set={"flow.upload.count": 3, "flow.download.controller.alpha": "10 packets"})
    assert down["goodput_bps"].iloc[0] == theory.run("theory").flows["goodput_bps"].iloc[0]


def test_a_grid_of_nothing_but_arrivals(eddyline, lossy, tmp_path):
    arrivals = """
[[arrivals]]
name = "files"
rate = "20 /s"
size = { kind = "exponential", mean = "10 kB" }
controller = { kind = "newreno" }
data = ["down"]
ack = ["up"]
"""
    path = lossy(more=arrivals)
    path.write_text(path.read_text().replace(path.read_text()[path.read_text().index("[[flow]]") :], arrivals))
    summary(eddyline("sweep", path, "--vary", "arrivals.files.rate=10 /s,20 /s", "--out", "a", "--json"))
    assert len(el.read_sweep(tmp_path / "a")) == 0
    assert list(el.read_sweep(tmp_path / "a").columns) == ["arrivals.files.rate", "seed", "flow"]
    found = el.read_sweep(tmp_path / "a", of="arrivals")
    assert list(found["arrivals.files.rate"]) == ["10 /s", "20 /s"]
    assert found["completion_s.mean"].gt(0).all()


def test_probes_and_traffic_have_tables(eddyline, lossy, tmp_path):
    path, key = lossy(more=WATCHED), "link.down.rate"
    words = ("sweep", path, "--vary", f"{key}=1 Mbit/s,2 Mbit/s", "--seeds", 2, "--out", "grid")
    assert summary(eddyline(*words, "--json"))["done"] == 4
    document = json.loads(el.Scenario.load(path, set={key: "2 Mbit/s", "seed": 4}).run(series=False).json)
    for of, entity, name, metric in (
        ("probes", "probe", "web", "http_s.mean"),
        ("traffic", "traffic", "call", "one_way_delay_s.p99"),
    ):
        frame = el.read_sweep(tmp_path / "grid", of=of)
        assert list(frame.columns[:3]) == [key, "seed", entity]
        assert list(frame[entity]) == [name] * 4
        part, _, inner = metric.partition(".")
        assert frame[metric].iloc[-1] == document[of][0][part][inner]
        shown = eddyline(*words, "--table", "--of", of, "--metric", metric, "--plot", "grid.svg")
        assert (shown.code, name in shown.out, "±" in shown.out) == (0, True, True), shown.err
        assert eddyline(*words, "--table", "--of", of).code == 0
    assert eddyline(*words, "--csv", "--quiet").code == 0
    assert len(pd.read_csv(tmp_path / "grid/probes.csv")) == len(pd.read_csv(tmp_path / "grid/traffic.csv")) == 4


def test_what_people_see(eddyline, lossy):
    words = ("sweep", lossy(), "--vary", rates(3), "--out", "grid")
    first = eddyline(*words)
    assert (first.code, first.out, first.err) == (0, "3 of 3 points done: grid\n", "")
    second = eddyline(*words)
    assert (second.code, second.out, second.err) == (0, "3 of 3 points done, 3 of them earlier: grid\n", "")
    assert eddyline(*words, "--quiet").out == ""


def test_what_is_rarely_intended_is_said_once(eddyline, lossy):
    """Of the points: the scenario without the grid's values is none of them."""
    kinds = ["--vary", 'flow.download.controller={ kind = "newreno" },{ kind = "dctcp" }']
    starts = ["--vary", "flow.download.start=0 s,1 h", "--set", "flow.download.tcp.accurate_ecn"]
    words = ["sweep", lossy(), *kinds, *starts]
    late = "note: download starts at 1 h, not before the end of the run, 2 s"
    assert eddyline(*words[:-1], f"{words[-1]}=true", "--out", "accurate").err.splitlines() == [late]
    classic = [*words[:-1], f"{words[-1]}=false", "--out", "classic"]
    said = "note: download: dctcp requires tcp = { accurate_ecn = true }; without it its packets are never marked"
    assert eddyline(*classic).err.splitlines() == [late, said]
    assert eddyline(*classic, "-q").err == ""
    large = ["--vary", "flow.download.tcp.initial_window=1..300", "--shard", "1/900"]
    assert eddyline(*classic[:-1], "large", *large).err.splitlines() == [late, said]
    assert "note:" not in eddyline("sweep", lossy(), "--vary", "flow.download.start=1 h,soon", "--out", "wrong").err


def test_progress_is_for_terminals(lossy, tmp_path):
    """A sweep that takes longer than the bar waits; it is stopped as soon as the bar says all it has to."""
    import pty
    import subprocess

    from conftest import COMMAND, environment

    path, (ours, theirs) = lossy(('duration = "2 s"', 'duration = "9 h"')), pty.openpty()
    words = [COMMAND, "sweep", path, "--vary", rates(400), "--out", tmp_path / "grid", "--workers", "1"]
    p = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=theirs, env={**environment(), "TERM": "xterm"})
    os.close(theirs)
    said = ""
    try:
        while not all(word in said for word in ("/400", "/s ", "left")):
            said += os.read(ours, 65536).decode(errors="replace")
    except OSError:  # the other end is closed: it ended before
        pytest.fail(f"it said {said!r}")
    finally:
        p.kill()
        p.wait()
        os.close(ours)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--vary", "link.down.rat=1 Mbit/s,2 Mbit/s"], ["--vary link.down.rat=1 Mbit/s", "rate"]),
        (["--vary", "link.down.rate=1,2 Mbit/s,3"], ["--vary link.down.rate=1:", "--vary link.down.rate=3:"]),
        (["--vary", "warmup=1 s,3 s", "--vary", "link.sideways.rate=1 Mbit/s"], ["warmup", "sideways"]),
        (["--vary", "duration=1 s,2 s", "--vary", "warmup=500 ms,1500 ms"], ["warmup"]),
        (["--vary", "link.down.rate=1 Mbit/s,"], ["a value is empty"]),
        (["--vary", "link.down.rate=1 Mbit/s,1 Mbit/s"], ["given 2 times"]),
        (["--vary", "seed=1,2", "--seeds", "2"], ["--vary seed"]),
        (["--vary", "seed=1", "--set", "seed=2"], ["both --set and --vary"]),
        (["--vary", "seed=1,-1"], ["-1"]),
        (["--vary", "link.down.rate"], ["KEY=VALUE"]),
        (["--vary", "loss=0.1", "--seeds", "0"], ["0"]),
        (["--vary", "seed=1", "--workers", "0"], ["0"]),
        (["--vary", "seed=1", "--engine", "moon://x:1"], ["dask://HOST:PORT"]),
        (["--vary", "seed=1", "--engine", "dask://x:1", "--workers", "2"], ["--workers"]),
        (["--vary", "seed=1", "--workers", "dask://x:1"], ["--engine dask://x:1"]),
        (["--set", "seed=1"], ["--vary"]),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(eddyline, lossy, tmp_path, words, said):
    path = lossy()
    ran = eddyline("sweep", path, *words, "--out", "grid", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    for each in said:
        assert each in ran.err
    assert list(tmp_path.iterdir()) == [path]


def test_who_stops_reading_changes_nothing(lossy, tmp_path):
    from conftest import COMMAND, environment

    ours, theirs = os.pipe()
    os.close(ours)
    words = [COMMAND, "sweep", lossy(), "--vary", "seed=1,2", "--out", tmp_path / "grid", "--csv", "--workers", "1"]
    p = subprocess.run(
        [*map(str, words)], stdout=theirs, stderr=subprocess.PIPE, text=True, check=False, env=environment()
    )
    os.close(theirs)
    assert (p.returncode, p.stderr) == (0, "")
    assert (tmp_path / "grid" / "flows.csv").exists()  # what comes after the output is written


def test_a_mistake_that_points_share_is_said_once(eddyline, lossy):
    path = lossy(('rate = "192 kbit/s"', 'rate = "192 kB"'))
    ran = eddyline("sweep", path, "--vary", rates(300), "--vary", "link.dwn.delay=1 ms,2 ms", "--out", "grid")
    assert ran.code == 2
    assert ran.err.count('"192 kB"') == 1
    assert ran.err.count("dwn") == 2  # the option, and the name in the message
    missing = eddyline("sweep", "nowhere.toml", "--vary", "seed=1", "--out", "grid")
    assert missing.code == 2
    assert "nowhere.toml" in missing.err


def test_a_world_that_is_not_here(eddyline, lossy, tmp_path):
    path = lossy()
    ran = eddyline("sweep", path, "--vary", "seed=1", "--world", "kernel", "--out", "grid")
    assert (ran.code, ran.out) == (3, "")
    assert "world kernel" in ran.err
    assert list(tmp_path.iterdir()) == [path]


def test_another_sweep_in_the_same_folder_is_refused_with_the_difference(eddyline, lossy, tmp_path):
    (tmp_path / "movie.dat").write_text("1000\n2000\n")
    more = '\n[[traffic]]\nname = "movie"\npath = ["up"]\nmodel = { kind = "trace", file = "movie.dat" }\n'
    path = lossy(more=more)
    words = ("sweep", path, "--vary", rates(2), "--vary", "link.up.delay=1 ms,2 ms")
    assert eddyline(*words, "--seeds", 2, "--out", "grid").code == 0
    before = {p: p.read_bytes() for p in (tmp_path / "grid").rglob("*") if p.is_file()}

    def refused(*words: object) -> str:
        ran = eddyline(*words, "--out", "grid")
        assert (ran.code, ran.out) == (2, ""), ran.err
        assert "holds another sweep" in ran.err
        return ran.err

    assert "seeds 2, now 1" in refused(*words, "--seeds", 1)
    assert "world sim, now theory" in refused(*words, "--seeds", 2, "--world", "theory")
    said = refused("sweep", path, "--vary", rates(2, 1001), "--vary", "link.up.delay=1 ms,2 ms", "--seeds", 2)
    assert "--vary link.down.rate=1000 kbit/s,1001 kbit/s, now 1001 kbit/s,1002 kbit/s" in said
    said = refused("sweep", path, "--vary", rates(2), "--seeds", 2)
    assert "--vary link.up.delay=1 ms,2 ms, now (not varied)" in said
    said = refused("sweep", path, "--vary", "link.up.delay=1 ms,2 ms", "--vary", rates(2), "--shard", "1/2")
    assert "order of the keys" in said
    said = refused(*words, "--seeds", 2, "--set", "link.down.loss=0.02")
    assert "link.down.loss = 0.01, now 0.02" in said
    assert "--set (nothing), now link.down.loss=0.02" in said
    lossy(('duration = "2 s"', 'duration = "3 s"'), more=more)
    assert 'duration = "2 s", now "3 s"' in refused(*words, "--seeds", 2)
    lossy(more=f"\n# a comment is no difference\n{more}")
    (tmp_path / "movie.dat").write_text("1000\n2001\n")
    assert "movie.dat has changed" in refused(*words, "--seeds", 2)
    (tmp_path / "movie.dat").write_text("1000\n2000\n")
    manifest = tmp_path / "grid" / "sweep.json"
    manifest.write_text(manifest.read_text().replace(f'"version": "{el.__version__}"', '"version": "0.0.0"'))
    assert f"version 0.0.0, now {el.__version__}" in refused(*words, "--seeds", 2)
    manifest.write_bytes(before[manifest])
    assert all(p.read_bytes() == content for p, content in before.items())
    assert eddyline(*words, "--seeds", 2, "--out", "grid").code == 0


@pytest.mark.parametrize(
    ("vary", "world", "said", "hint"),
    [
        (
            "flow.download.controller.kind=cubic,noq-cubic",
            "sim",
            'controller "noq-cubic" is part of world quic',
            "quic",
        ),
        ("flow.download.transport=tcp,quic", "sim", 'flow "download" asks for QUIC: world sim has TCP only', "kernel"),
        ("flow.download.transport=tcp,quic", "quic", 'flow "download": world quic: it asks for TCP', "sim"),
        ("flow.download.tcp.sack=true,false", "quic", None, None),
    ],
)
def test_what_the_world_does_not_have_is_said_before_anything_runs(eddyline, lossy, tmp_path, vary, world, said, hint):
    path = lossy()
    ran = eddyline("sweep", path, "--vary", vary, "--seeds", 2, "--world", world, "--out", "grid")
    if said is None:
        assert ran.code == 0
        return
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("error: ") == 1
    assert ran.err.startswith(f"error: {path}: {said}")
    assert f"hint: world {hint}" in ran.err
    assert not (tmp_path / "grid").exists()


def test_a_folder_of_something_else_is_left_alone(eddyline, lossy, tmp_path):
    path = lossy()
    assert eddyline("run", path, "--out", "result").code == 0
    ran = eddyline("sweep", path, "--vary", "seed=1", "--out", "result")
    assert ran.code == 2
    assert "holds files that are not a sweep's: manifest.json, plot.png" in ran.err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "scenario.toml").write_text("a user's own")
    ran = eddyline("sweep", path, "--vary", "seed=1", "--out", "mine")
    assert (ran.code, (tmp_path / "mine" / "scenario.toml").read_text()) == (2, "a user's own"), ran.err
    assert eddyline("sweep", path, "--vary", "seed=1", "--out", path).code == 2
    assert not (tmp_path / "result" / "lock").exists()
    with pytest.raises(el.InputError, match="holds no sweep"):
        el.read_sweep(tmp_path / "result")


OVERLOAD = '\n[[traffic]]\nname = "flood"\npath = ["down"]\nmodel = { kind = "cbr", rate = "900 kbit/s" }\n'
"""Theory has no equilibrium where this is more than the link carries."""


def test_points_that_fail_do_not_stop_the_others_and_are_tried_again(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(more=OVERLOAD), "--vary", "link.down.rate=1 Mbit/s,2 Mbit/s", "--world", "theory")
    words += ("--vary", "traffic.flood.model.rate=0.9 Mbit/s,1.5 Mbit/s", "--set", "flow.download.controller.kind=fast")
    words += ("--set", "flow.download.controller.alpha=10 packets", "--set", "link.down.loss=0.0")
    ran = eddyline(*words, "--out", "grid", "--json")
    assert ran.code == 1
    d = json.loads(ran.out)
    assert (d["points"], d["done"], d["ran"], d["failed"]) == (4, 3, 4, 1)
    (failure,) = d["failures"]
    assert failure["point"] == 1
    assert failure["set"] == {"link.down.rate": "1 Mbit/s", "traffic.flood.model.rate": "1.5 Mbit/s", "seed": 3}
    assert "grows without bound" in failure["why"]
    assert "link.down.rate=1 Mbit/s traffic.flood.model.rate=1.5 Mbit/s seed=3: " in ran.err
    with pytest.warns(UserWarning, match="1 of 4 points failed"):
        assert len(el.read_sweep(tmp_path / "grid")) == 3
    with pytest.warns(UserWarning, match="failed"):
        points = el.read_sweep(tmp_path / "grid", of="points")
    assert list(points["failure"].notna()) == [False, True, False, False]
    quiet = eddyline(*words, "--out", "grid", "--quiet")
    assert (quiet.code, quiet.out) == (1, "")
    assert eddyline(*words, "--out", "grid").out == "3 of 4 points done, 3 of them earlier: grid\n"
    assert re.search(r"^failed: link\.down\.rate=1 Mbit/s .* grows without bound", quiet.err, re.M)
    assert "1 point failed; the same command runs what failed again\n" in quiet.err
    again = eddyline(*words, "--out", "grid", "--json")
    assert again.code == 1
    d = json.loads(again.out)
    assert (d["done"], d["ran"], d["failed"]) == (3, 1, 1)  # tried, and failed again
    assert "holds another sweep" not in again.err


def test_points_that_fail_alike_have_their_reason_once(eddyline, lossy, tmp_path):
    (tmp_path / "raising.py").write_text(
        "import eddyline as el\n\n\n@el.register('raising')\nclass Raising(el.Controller):\n"
        "    def __init__(self, path):\n        self.cwnd = 10.0\n\n"
        "    def on_ack(self, ack):\n        raise ValueError('as it is')\n\n"
        "    def on_loss(self, loss):\n        pass\n\n    def on_timeout(self, timeout):\n        pass\n"
    )
    words = ("sweep", lossy(), "--controllers", "raising.py", "--set", "flow.*.controller={kind='raising'}")
    ran = eddyline(*words, "--vary", rates(3), "--seeds", "2", "--out", "grid", "-q")
    assert ran.code == 1
    assert [len(re.findall(f"^{each}: ", ran.err, re.M)) for each in ("failed", "failed likewise")] == [1, 5], ran.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_done(eddyline, lossy, tmp_path, number):
    path, folder = lossy(('duration = "2 s"', 'duration = "20 s"')), tmp_path / "grid"
    words = ("sweep", path, "--vary", rates(3000), "--out", folder, "--workers", "2")
    p = start(*words)
    wait_until(lambda: stored(folder) > 0)
    workers = children(p.pid)
    assert len(workers) == 2
    for process in workers:  # as where a whole job is told to end
        os.kill(process, number)
    p.send_signal(number)
    out, err = p.communicate(timeout=30)
    assert (p.returncode, out) == (130, "")
    assert "Traceback" not in err
    kept = stored(folder)
    assert f"{kept:,} of 3,000 points are stored; the same command continues\n" in err
    assert 0 < kept < 3000
    wait_until(lambda: not any(map(alive, workers)))
    with pytest.warns(UserWarning, match=f"unfinished: {3000 - kept:,} of 3,000 points are missing"):
        assert len(el.read_sweep(folder)) == kept
    d = summary(eddyline(*words, "--json"))
    assert (d["done"], d["ran"]) == (3000, 3000 - kept)
    assert len(el.read_sweep(folder)) == 3000


def test_two_at_once_is_an_error_and_a_killed_one_is_not_in_the_way(eddyline, lossy, tmp_path):
    folder = tmp_path / "grid"
    words = ("sweep", lossy(), "--vary", "duration=1 s,4000 h", "--out", folder, "--workers", "1")
    p = start(*words)
    wait_until(lambda: stored(folder) > 0)
    second = eddyline(*words)
    assert p.poll() is None
    assert (second.code, second.out) == (2, "")
    assert f"another process is running this sweep (process {p.pid} on " in second.err
    kill(p)
    q = start(*words)
    wait_until(lambda: f"process {q.pid} on " in (folder / "lock").read_text())
    assert q.poll() is None
    kill(q)


def test_nothing_heavy_is_loaded_by_those_who_answer():
    code = (
        "import sys, eddyline.sweeps.worker\n"
        "heavy = {'pandas', 'pyarrow', 'numpy', 'matplotlib', 'rich', 'click'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    import subprocess

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_keys_are_completed(lossy):
    import test_command_line

    path = lossy()
    keys = test_command_line.complete(f"eddyline sweep {path} --vary link.")
    assert "link.down.queue.limit=" in keys


ODD = os.fsdecode(b"odd\xff")


def test_names_may_hold_any_bytes(eddyline, lossy, tmp_path):
    path = lossy()
    path.with_name(f"{ODD}.toml").write_bytes(path.read_bytes())
    words = ("--vary", "link.down.rate=1 Mbit/s,2 Mbit/s")
    assert eddyline("sweep", path, *words, "--seeds", 2, "--out", "once").code == 0
    for step in (words, (*words, "--seeds", 2)):  # run, then extended
        drawn = ("--csv", "--plot", f"{ODD}.svg", "--table", "--quiet")
        ran = eddyline("sweep", f"{ODD}.toml", *step, "--out", ODD, *drawn)
        assert (ran.code, ran.err) == (0, "")
    assert json.loads(eddyline("sweep", path, *words, "--seeds", 2, "--out", ODD, "--json").out)["dir"] == ODD
    once = {str(p.relative_to(tmp_path / "once")) for p in (tmp_path / "once").rglob("*") if p.is_file()}
    assert "lock" in once
    for name in once:
        assert (tmp_path / "once" / name).read_bytes() == (tmp_path / ODD / name).read_bytes()
    assert eddyline("sweep", "merge", ODD, "--out", f"{ODD}-merged").code == 0
    assert part(tmp_path / f"{ODD}-merged") == part(tmp_path / "once")
    assert el.read_sweep(tmp_path / ODD).equals(el.read_sweep(tmp_path / "once"))


def test_values_must_be_utf_8(eddyline, lossy, tmp_path):
    words, vary = ("sweep", lossy()), ("--vary", "seed=1,2")
    for wrong in (("--set", f"title={ODD}", *vary), ("--vary", f"title=a,{ODD}"), ("--start-jitter", ODD, *vary)):
        ran = eddyline(*words, *wrong, "--out", "grid")
        assert ran.code == 2, ran.err
        assert re.fullmatch(r"error: (title=(a,)?)?odd\ufffd: not UTF-8\n", ran.err), ran.err
    assert not (tmp_path / "grid").exists()


def test_tables_are_varied_as_they_are_written(eddyline, lossy):
    tables = '{kind="codel"},{kind="droptail",limit="30 packets"}'
    ran = eddyline("sweep", lossy(), "--vary", f"link.up.queue={tables}", "--out", "grid")
    assert (ran.code, ran.out) == (0, "2 of 2 points done: grid\n"), ran.err
    wrong = eddyline("sweep", lossy(), "--vary", f"link.up.queue={tables[:-1]}", "--out", "other")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err == f"error: --vary link.up.queue: {tables[15:-1]}: }} is missing\n"
