"""`el.sweep` and `el.read_sweep`."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import environment

import eddyline as el
import eddyline.parquet as parquet
import eddyline.sweeps.pool as pool
from eddyline.cli import main

from .conftest import LOSSY


class Told:
    def __init__(self) -> None:
        self.said: list[tuple[object, ...]] = []

    def checking(self, done: int, total: int) -> None:
        self.said.append(("checking", done, total))

    def started(self, points: int, stored: int) -> None:
        self.said.append(("started", points, stored))

    def update(self, done: int, failed: int) -> None:
        self.said.append(("update", done, failed))


def test_a_file_a_dict_and_a_scenario_give_the_same(lossy, tmp_path):
    vary = {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"], "link.down.loss": [0.0, 0.01]}
    table = tomllib.loads(LOSSY)
    frames = []
    for number, source in enumerate((lossy(), str(lossy()), table, el.Scenario(table))):
        swept = el.sweep(source, vary, out=tmp_path / str(number), seeds=2, workers=1)
        assert (swept.points, swept.done, swept.ran, swept.failures) == (8, 8, 8, [])
        frames.append(swept.flows)
        pd.testing.assert_frame_equal(swept.links, el.read_sweep(tmp_path / str(number), of="links"))
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame, frames[0], check_exact=True)
    assert frames[0]["link.down.loss"].tolist() == [0.0, 0.0, 0.01, 0.01] * 2
    again = el.sweep(lossy(), vary, out=tmp_path / "0", seeds=2)
    assert (again.done, again.ran) == (8, 0)


def test_a_script_that_sweeps_its_own_class_without_a_guard_is_refused_by_its_workers(lossy, tmp_path):
    """Each would import the script, and start workers."""
    script = tmp_path / "unguarded.py"
    script.write_text(
        "import tempfile, eddyline as el\n"
        "@el.register('mine')\n"
        "class Mine:\n"
        "    def __init__(self, path): self.cwnd = 4.0\n"
        "    def on_ack(self, ack): pass\n"
        "    def on_loss(self, loss): pass\n"
        "    def on_timeout(self, timeout): pass\n"
        f"out = tempfile.mkdtemp(dir={str(tmp_path)!r}) + '/grid'\n"
        f"swept = el.sweep({str(lossy())!r}, {{'flow.*.controller.kind': ['mine', 'reno']}}, out=out, workers=1)\n"
        "print(len(swept.failures), swept.failures[0].why)\n"
    )
    ran = subprocess.run(
        [sys.executable, script], env=environment(), capture_output=True, text=True, timeout=120, check=True
    )
    assert ran.stdout.startswith("2 ")
    assert 'put the call under `if __name__ == "__main__":`' in ran.stdout
    assert sum(each.name == "grid" for each in tmp_path.glob("*/*")) == 1


def test_a_script_sweeps_classes_that_it_defines_below_its_guard(lossy, tmp_path):
    """Another process that imports the script has no such class, or another one of the same name."""
    script = tmp_path / "guarded.py"
    script.write_text(
        "import eddyline as el\n"
        "class Fixed:\n"
        "    def __init__(self, path): self.cwnd = 4.0\n"
        "    def on_ack(self, ack): pass\n"
        "    def on_loss(self, loss): pass\n"
        "    def on_timeout(self, timeout): pass\n"
        "class Larger(Fixed): pass\n"
        "if __name__ == '__main__':\n"
        "    class Same(Fixed): pass\n"
        "    class Larger(Fixed):\n"
        "        def __init__(self, path): self.cwnd = 8.0\n"
        "    Made = type('Made', (Fixed,), {})\n"
        "    for cls in (Fixed, Same, Made, Larger): el.register(cls.__name__.lower(), cls)\n"
        "    kinds = ['fixed', 'same', 'made', 'larger', 'newreno']\n"
        f"    swept = el.sweep({str(lossy())!r}, {{'flow.*.controller.kind': kinds}}, out='g', workers=1)\n"
        "    print(swept.ran, [failure.why for failure in swept.failures])\n"
        "    print(*swept.flows['window_packets.mean'].iloc[:4])\n"
    )
    for ran in (5, 0):  # the code of a class is the same in another process
        words = [sys.executable, str(script)]
        p = subprocess.run(words, capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=120)
        assert (p.stdout, p.stderr) == (f"{ran} []\n4.0 4.0 4.0 8.0\n", "")


def test_tables_of_links_are_there_for_access_lines_too(eddyline):
    assert eddyline("init", "upload.toml", "--preset", "upload").code == 0
    vary = ("--vary", "link.home/up.loss=0,0.01", "--set", "duration=5 s", "--set", "warmup=1 s")
    ran = eddyline(
        "sweep", "upload.toml", *vary, "--out", "grid", "--of", "links", "--metric", "utilisation", "--table"
    )
    assert ran.code == 0, ran.err
    assert "home/down" in ran.out
    assert "home/up" in ran.out


def test_a_finished_sweep_that_cannot_be_written_to_is_read(lossy, tmp_path, monkeypatch):
    """As on a medium that is mounted read-only: nothing is locked, and what is missing is said."""
    import eddyline.sweeps.sweep as running

    vary = {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}
    whole = el.sweep(lossy(), vary, out=tmp_path / "grid", seeds=2, workers=1)
    part = el.sweep(lossy(), vary, out=tmp_path / "part", seeds=2, workers=1, shard=(1, 2))
    assert (part.points, part.done) == (2, 2)

    def refused(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(running.os, "access", lambda path, _: tmp_path not in Path(path).parents)
    monkeypatch.setattr(running, "locked", refused)
    again = el.sweep(lossy(), vary, out=tmp_path / "grid", seeds=2)
    assert (again.done, again.ran) == (4, 0)
    pd.testing.assert_frame_equal(again.flows, whole.flows, check_exact=True)
    shutil.rmtree(tmp_path / "part" / "parts")
    (tmp_path / "part" / "parts").mkdir()
    with pytest.raises(el.InputError, match="cannot be written to, and 2 points are missing"):
        el.sweep(lossy(), vary, out=tmp_path / "part", seeds=2, shard=(1, 2))


def test_a_sweep_that_cannot_be_written_to_does_not_grow(lossy, tmp_path, monkeypatch):
    rates = ["1 Mbit/s", "2 Mbit/s"]
    grid, part = tmp_path / "grid", tmp_path / "part"
    el.sweep(lossy(), {"link.down.rate": rates[:1]}, out=grid, workers=1)
    shutil.copytree(grid, part)
    opened = os.open

    def refused(path, *given, **options):
        if Path(path).name == "lock":
            raise OSError(30, "Read-only file system", path)
        return opened(path, *given, **options)

    monkeypatch.setattr(os, "open", refused)
    for change in (lambda: el.sweep(lossy(), {"link.down.rate": rates}, out=grid), lambda: el.merge([part], out=grid)):
        with pytest.raises(el.InputError, match="grid: cannot be written: read-only file system") as caught:
            change()
        assert caught.value.hint == "a copy of the folder can be completed"


def test_folders_are_named_by_text_too(lossy, tmp_path):
    for index in (1, 2):
        el.sweep(str(lossy()), {"seed": "1..4"}, out=str(tmp_path / f"{index}"), shard=(index, 2))
    merged = el.merge([str(tmp_path / "1"), tmp_path / "2"], str(tmp_path / "whole"))
    assert (merged.done, len(merged.flows)) == (4, 4)


def test_a_change_of_the_working_directory_changes_nothing(lossy, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)

    class Moves(el.SweepListener):
        def update(self, done: int, failed: int) -> None:
            assert done + failed <= 2
            os.chdir(elsewhere)

    swept = el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out="grid", workers=1, listener=Moves())
    os.chdir(elsewhere)
    assert (swept.done, len(swept.flows)) == (2, 2)
    os.chdir(tmp_path)
    opened = el.open("grid")
    os.chdir(elsewhere)
    assert opened.flows.equals(swept.flows)
    os.chdir(tmp_path)
    shard = el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out="shard", workers=1, shard=(1, 1))
    merged = el.merge([shard.folder], "whole")
    os.chdir(elsewhere)
    assert merged.flows.equals(swept.flows)
    assert not list(elsewhere.iterdir())


def test_the_listener_is_told(lossy, tmp_path):
    told = Told()
    el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=tmp_path / "g", seeds=3, listener=told)
    assert told.said[:2] == [("checking", 2, 2), ("started", 6, 0)]
    assert told.said[-1] == ("update", 6, 0)
    told = Told()
    el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=tmp_path / "g", seeds=3, listener=told)
    assert told.said == [("started", 6, 6)]


def test_a_listener_has_the_methods_that_it_needs(lossy, tmp_path):
    done = []

    class Log(el.SweepListener):
        def update(self, finished, failed):
            done.append((finished, failed))

    el.sweep(lossy(), {"seed": "1..3"}, out=tmp_path / "g", listener=Log())
    assert done[-1] == (3, 0)
    with pytest.raises(el.InputError, match=r"listener: .* has no method 'checking'") as caught:
        el.sweep(lossy(), {"seed": "1..3"}, out=tmp_path / "h", listener=print)
    assert caught.value.hint == "a subclass of el.SweepListener has all"
    assert not (tmp_path / "h").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"vary": {"link.down.rat": ["1 Mbit/s"]}}, "link.down.rat"),
        ({"vary": {"seed": []}}, "a value is empty"),
        ({"world": "moon"}, "moon"),
        ({"workers": 0}, "workers: 0; at least 1"),
        ({"seeds": 0}, "seeds: 0; at least 1"),
        ({"vary": {"link.up.delay": ["1 s", "1000 ms"]}}, "1 s and 1000 ms are the same value"),
        ({"world": "theory", "memory": 10**9}, "memory: world theory simulates no packets"),
        ({"set": "flow.*.start_jitter=1 ms", "start_jitter": "9 ms"}, "start_jitter and start_jitter: both say"),
        ({"vary": {"link.up.rate": 5}}, "link.up.rate: 5 is no list of values"),
        ({"vary": {"link.down.loss": {"kind": "periodic"}}}, "no list of values"),
        ({"vary": {"link.up.rate": np.array(3)}}, r"link.up.rate: array\(3\) is no list of values"),
        ({"vary": {"flow.upload.tcp.initial_window": [10**400]}}, r"flow\.upload\.tcp\.initial_window"),
        ({"vary": {"link.up.rate": [math.nan]}}, r"link\.up\.rate: nan is not a finite number"),
        (
            {"vary": {"link.down.queue": [{"kind": "codel", "target": math.inf}]}},
            r"link\.down\.queue\.target: inf is not",
        ),
        ({"vary": {"link.up.rate": ["1 Mbit/s", None]}}, r"link\.up\.rate: None is no value of a scenario"),
        ({"start_jitter": math.nan}, "start_jitter: nan is not a finite number"),
        ({"shard": "1/2"}, "shard '1/2': not a pair of integers"),
        ({"shard": (1, 2, 3)}, "not a pair of integers"),
        ({"engine": "moon"}, "no engine 'moon'"),
        ({"scenario": {"duration": "1 s", "x": object()}}, "object"),
        ({"scenario": "nowhere.toml"}, "nowhere.toml"),
    ],
)
def test_wrong_arguments(lossy, tmp_path, changes, said):
    arguments = {"scenario": lossy(), "vary": {"seed": [1, 2]}, "out": tmp_path / "g", **changes}
    with pytest.raises(el.InputError, match=said):
        el.sweep(**arguments)
    assert not (tmp_path / "g").exists()


def test_what_cannot_be_read(lossy, tmp_path):
    el.sweep(lossy(), {"seed": [1, 2]}, out=tmp_path / "g")
    with pytest.raises(el.InputError, match="has no 'cells'"):
        el.read_sweep(tmp_path / "g", of="cells")
    with pytest.raises(el.InputError, match="holds no sweep"):
        el.read_sweep(tmp_path)
    assert list(el.read_sweep(tmp_path / "g", of="points").columns) == ["seed", "failure", "approximations"]
    (part,) = (tmp_path / "g" / "parts").iterdir()
    (part / "flows.parquet").write_bytes((part / "flows.parquet").read_bytes()[:-1])
    with pytest.raises(el.EddylineError, match="damaged") as e:
        el.read_sweep(tmp_path / "g")
    assert str(part) in e.value.hint
    (tmp_path / "g" / "sweep.json").write_text("{")
    with pytest.raises(el.InputError, match=r"sweep\.json is damaged"):
        el.read_sweep(tmp_path / "g")


def test_approximations_are_kept(tmp_path, scenario):
    path = scenario(('controller = { kind = "fast", alpha = "10 packets" }', 'controller = { kind = "newreno" }'))
    for _ in range(2):
        swept = el.sweep(path, {"link.up.delay": ["1 ms", "2 ms"]}, out=tmp_path / "g", world="theory")
        assert any("newreno" in text for text in swept.approximations)


def test_it_reads_while_it_is_written(lossy, tmp_path):
    """Parts come and are joined meanwhile: what is read is always whole points, never fewer than before."""
    path, folder = lossy(('duration = "2 s"', 'duration = "50 s"')), tmp_path / "g"
    thread = threading.Thread(target=lambda: el.sweep(path, {"seed": list(range(1500))}, out=folder, workers=2))
    thread.start()
    seen = []
    while thread.is_alive():
        if (folder / "sweep.json").exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that it is unfinished
                flows = el.read_sweep(folder)
            assert flows["seed"].is_unique
            assert flows["seed"].is_monotonic_increasing
            seen.append(len(flows))
        time.sleep(0.01)  # the workers want the processor too
    thread.join()
    assert seen == sorted(seen)
    assert len(el.read_sweep(folder)) == 1500


def test_a_script_needs_no_guard(lossy, tmp_path):
    """The processes do not import the caller's main module."""
    script = tmp_path / "script.py"
    script.write_text(
        "import eddyline as el\n"
        "print('once')\n"
        f"print(len(el.sweep({str(lossy())!r}, {{'seed': [1, 2, 3]}}, out='g', workers=2).flows))\n"
    )
    (tmp_path / "json.py").write_text("raise SystemExit('taken for the standard library')")
    script = script.rename(tmp_path.parent / f"{tmp_path.name}.py")
    words = [sys.executable, "-P", str(script)]
    p = subprocess.run(words, capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=60)
    assert (p.stdout, p.stderr) == ("once\n3\n", "")


def test_tables_are_read_from_memory_that_is_not_pythons() -> None:
    """A thread of Arrow's that releases an object of Python's aborts the process where that happens at its end."""
    content = b"PAR1" * 100
    before = sys.getrefcount(content)
    reader = parquet._reader(content)
    assert sys.getrefcount(content) == before
    assert reader.read() == content


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_names_the_folder(lossy, tmp_path, monkeypatch):
    full, out, shard = tmp_path / "full", tmp_path / "g", tmp_path / "shard"
    el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=shard, workers=1, shard=(1, 2))
    full.symlink_to("/dev/full")
    usual = parquet.created
    monkeypatch.setattr(parquet, "created", lambda path: usual(full if path.suffix == ".parquet" else path))
    with pytest.raises(el.EddylineError, match=f"{out}: cannot be written: no space left on device"):
        el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=out, workers=1)
    with pytest.raises(el.EddylineError, match=f"{tmp_path / 'm'}: cannot be written: no space left on device"):
        el.merge([shard], tmp_path / "m")
    monkeypatch.undo()
    assert el.sweep(lossy(), {"link.down.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=out, workers=1).done == 2


LOOPING = """
import threading
import eddyline as el

@el.register("looping")
class Looping(el.Controller):
    def __init__(self, path, mode: str = "ok"):
        self.cwnd, self.mode = 10.0, mode
        here = threading.current_thread()
        left = [t for t in threading.enumerate() if t is not here and t.name.startswith("ThreadPoolExecutor")]
        if left:
            raise RuntimeError("the loop of an earlier point goes on")
    def on_ack(self, ack):
        while self.mode == "loop":
            pass
        while self.mode == "catch":
            try:
                while True:
                    pass
            except BaseException:
                pass
        if self.mode == "wait":
            threading.Event().wait()
    def on_loss(self, loss): pass
    def on_timeout(self, timeout): pass
"""


def test_a_controller_that_never_returns_is_ended_before_the_next_point(eddyline, scenario, tmp_path):
    """In one process: what it would take of the processor is missing to the points after it."""
    (tmp_path / "looping.py").write_text(LOOPING)
    modes = "flow.download.controller.mode=loop,ok"
    given = ("--controllers", "looping.py", "--set", "flow.download.controller={kind='looping'}", "--vary", modes)
    ran = eddyline("sweep", scenario(), *given, "--timeout", "1 s", "--workers", 1, "--out", "swept", "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["done"]) == (1, 1), found
    assert [each["why"] for each in found["failures"]] == ["timeout: not finished after 1 s"]


@pytest.mark.parametrize("mode", ["wait", "catch"])
def test_a_controller_that_cannot_be_ended_ends_with_its_process(scenario, tmp_path, monkeypatch, capsys, mode):
    monkeypatch.setattr(pool, "_LATE_S", 1.0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "looping.py").write_text(LOOPING)
    modes = f"flow.download.controller.mode={mode},ok"
    given = ("--controllers", "looping.py", "--set", "flow.download.controller={kind='looping'}", "--vary", modes)
    given += ("--vary", "link.down.rate=1 Mbit/s,2 Mbit/s")
    words = ["sweep", str(scenario()), *given, "--timeout", "1 s", "--workers", "1", "--out", "swept", "--json"]
    try:
        code = main(words)
    finally:
        el.unregister("looping")
    found = json.loads(capsys.readouterr().out)
    assert (code, found["done"]) == (1, 2), found
    assert [each["why"] for each in found["failures"]] == ["timeout: not finished after 1 s"] * 2
