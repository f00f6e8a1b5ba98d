"""Processes that are killed: the sweep's own, and those that answer for it."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from contextlib import suppress

import pytest
from conftest import environment

import eddyline as el

from .conftest import LOSSY, alive, children, cpu_s, kill, part, rates, start, stored, wait_until

KILLS = 20
POINTS = 10_000


def test_ten_thousand_points_killed_twenty_times(lossy, tmp_path):
    """SIGKILL at random moments, early and late, in the middle of whatever it does; then exactly every row, once.

    Points are short, so that as many kills as possible come while rows are stored.
    """
    path, folder, chance = lossy(('duration = "2 s"', 'duration = "10 s"')), tmp_path / "grid", random.Random(20)
    words = ("sweep", path, "--vary", rates(100), "--seeds", POINTS // 100, "--out", folder, "--workers", "2", "--json")
    held, orphans = 0, []
    for left in range(KILLS, 0, -1):
        p = start(*words)
        # Some before anything is stored, the others when a random share of what this round may do is.
        share = chance.random() * (POINTS - held) / (2 * left) if chance.random() < 0.8 else -1
        deadline = time.monotonic() + chance.uniform(0, 0.5)
        while p.poll() is None and (stored(folder) < held + share if share >= 0 else time.monotonic() < deadline):
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.1))
        orphans += children(p.pid)
        assert p.poll() is None, f"round {left}: it ended by itself, with {stored(folder)} points: {p.communicate()}"
        kill(p)
        now = stored(folder)
        assert held <= now < POINTS, left
        held = now
    wait_until(lambda: not any(map(alive, orphans)))  # nobody is left behind
    p = start(*words)
    out, err = p.communicate(timeout=300)
    assert p.returncode == 0, err
    last = json.loads(out)
    assert (last["done"], last["ran"], last["failed"]) == (POINTS, POINTS - held, 0)

    frame = el.read_sweep(folder)
    assert len(frame) == POINTS
    keys = list(zip(frame["link.down.rate"], frame["seed"], strict=True))
    assert keys == [(f"{1000 + i} kbit/s", 3 + seed) for i in range(100) for seed in range(POINTS // 100)]
    assert len(el.read_sweep(folder, of="links")) == 2 * POINTS
    assert sorted(p.name for p in folder.iterdir()) == ["lock", "parts", "scenario.toml", "sweep.json"]
    assert set(part(folder)) == {"flows.parquet", "links.parquet", "points.parquet", "points.sha256"}
    # Rows are right, not only there: some of them against runs of their own.
    for row in chance.sample(range(POINTS), 200):
        rate, seed = keys[row]
        one = el.Scenario.load(path, set={"link.down.rate": rate, "seed": seed}).run(series=False)
        (flow,) = one.to_dict()["flows"]
        assert frame["delivered_bytes"][row] == flow["delivered_bytes"]
        assert frame["goodput_bps"][row] == flow["goodput_bps"]
        assert frame["rtt_s.mean"][row] == flow["rtt_s"]["mean"]
    assert frame["rtt_s.mean"].nunique() > 9900  # and they differ


def test_killed_workers_take_nothing_with_them(eddyline, lossy, tmp_path):
    path, chance = lossy(('duration = "2 s"', 'duration = "100 s"')), random.Random(5)
    words = ("sweep", path, "--vary", rates(50), "--seeds", 20)
    assert eddyline(*words, "--out", "quiet", "--workers", "1").code == 0
    folder = tmp_path / "troubled"
    p = start(*words, "--out", folder, "--workers", "2", "--json")
    kills = 0
    while p.poll() is None and kills < 12:
        time.sleep(0.005)
        for worker in children(p.pid):
            if cpu_s(worker) > 0.2 and chance.random() < 0.1:  # more than it takes to start: it has done something
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    kills += 1
    out, err = p.communicate(timeout=120)
    assert kills >= 2
    assert "Traceback" not in err
    # A point that was twice the one being run is a failure, and is done by the next.
    assert all("died, twice: signal SIGKILL" in f["why"] for f in json.loads(out)["failures"])
    assert p.returncode == (1 if json.loads(out)["failures"] else 0)
    assert eddyline(*words, "--out", folder).code == 0
    assert part(folder) == part(tmp_path / "quiet")


def test_a_point_that_kills_whoever_runs_it_fails_alone(lossy, tmp_path):
    folder = tmp_path / "grid"
    words = ("sweep", lossy(), "--vary", "duration=1 s,2 s,3 s,4000 h", "--out", folder, "--workers", "1", "--json")
    p = start(*words)
    wait_until(lambda: stored(folder) == 3)
    for _ in range(1000):
        if p.poll() is not None:
            break
        for worker in children(p.pid):
            wait_until(lambda worker=worker: not alive(worker) or cpu_s(worker) > 0.5)  # more than it takes to start
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        time.sleep(0.01)
    out, _ = p.communicate(timeout=60)
    assert p.returncode == 1
    (failure,) = json.loads(out)["failures"]
    assert failure["set"] == {"duration": "4000 h", "seed": 3}
    assert failure["why"].startswith("the process that ran it died, twice: signal SIGKILL")
    assert "--memory" in failure["why"]  # systems that are short of memory kill so
    with pytest.warns(UserWarning, match="1 of 4 points failed"):
        assert list(el.read_sweep(folder)["duration"]) == ["1 s", "2 s", "3 s"]


def test_the_answer_does_not_depend_on_who_gives_it(eddyline, lossy, tmp_path):
    words = ("sweep", lossy(), "--vary", rates(10), "--vary", "flow.download.count=1,3", "--seeds", 8)
    for workers in (1, 2, 5):
        assert eddyline(*words, "--out", f"of-{workers}", "--workers", workers).code == 0
    one = part(tmp_path / "of-1")
    assert set(one) == {"points.sha256", "points.parquet", "flows.parquet", "links.parquet", "groups.parquet"}
    assert part(tmp_path / "of-2") == one
    assert part(tmp_path / "of-5") == one


def test_long_and_short_points_are_shared_out(tmp_path):
    """Whoever is idle takes over what another was given and has not begun."""
    from eddyline.sweeps.batches import Batches
    from eddyline.sweeps.grid import Task
    from eddyline.sweeps.pool import Pool
    from eddyline.sweeps.worker import Job

    job = Job(LOSSY, "toml", "lossy", str(tmp_path), (), ("duration",), "sim")
    # A hundred quick ones make it believe that all are; then come eight that take a hundred times as long.
    tasks = [Task(i, ("1 s" if i < 200 else "2000 s",), i) for i in range(208)]
    found = [o for several in Pool(2).outcomes(job, Batches(tasks, len(tasks), 0.1)) for o in several]
    assert sorted(o.point for o in found) == list(range(208))
    assert all(o.failure is None for o in found)


def test_an_orphan_ends_soon(lossy, tmp_path):
    p = start("sweep", lossy(), "--vary", "duration=3000 h,4000 h", "--out", tmp_path / "grid", "--workers", "2")
    wait_until(lambda: len(children(p.pid)) == 2)
    time.sleep(1)  # until they are at it
    workers = children(p.pid)
    kill(p)
    wait_until(lambda: not any(map(alive, workers)), 10)


def test_workers_that_cannot_start_are_an_error_with_their_own_words(lossy, tmp_path):
    code = (
        "import sys, eddyline as el\n"
        "from eddyline.sweeps import pool\n"
        "pool._START = 'raise SystemExit(\"no room at the inn\")'\n"
        f"el.sweep({str(lossy())!r}, {{'seed': [1, 2]}}, out={str(tmp_path / 'grid')!r})\n"
    )
    import subprocess
    import sys

    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=60)
    assert p.returncode == 1
    assert "the processes of the sweep do not start: exit 1: no room at the inn" in p.stderr
