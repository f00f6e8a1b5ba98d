"""A sweep on a Dask cluster: a real one, of processes of this machine."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import COMMAND, environment

import eddyline as el
import eddyline.sweeps.cluster as cluster_module
from eddyline.cli import main
from eddyline.sweeps.grid import Task
from eddyline.sweeps.worker import Job, OtherVersion, run_point, run_points

from .conftest import LOSSY, kill, part, rates, start, stored, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

DASK = COMMAND.with_name("dask")


@dataclass
class Cluster:
    address: str
    file: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def engine(self) -> str:
        return self.address.replace("tcp://", "dask://")

    def add_worker(self) -> None:
        words = ["worker", "--scheduler-file", self.file, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        words += ["--host", "127.0.0.1", "--local-directory", self.file.parent, "--death-timeout", "30"]
        self.workers.append(dask(*words))


def dask(*words: object) -> subprocess.Popen[bytes]:
    silent = subprocess.DEVNULL
    return subprocess.Popen([str(DASK), *map(str, words)], stdout=silent, stderr=silent, env=environment())


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    file = folder / "scheduler.json"
    scheduler = dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    made = None
    try:
        wait_until(file.exists)
        time.sleep(0.1)  # until it is written
        made = Cluster(json.loads(file.read_text())["address"], file, scheduler)
        for _ in range(workers):
            made.add_worker()
        yield made
    finally:
        for p in [scheduler, *(made.workers if made else [])]:
            p.kill()
            p.wait()


def test_a_lost_worker_loses_nothing_and_the_rows_are_those_of_one_process(eddyline, lossy, tmp_path):
    path, folder = lossy(('duration = "2 s"', 'duration = "200 s"')), tmp_path / "cluster"
    words = ("sweep", path, "--vary", rates(25), "--seeds", 20)
    assert eddyline(*words, "--out", "single", "--workers", "1").code == 0
    with cluster(tmp_path, 2) as c:
        p = start(*words, "--out", folder, "--engine", c.engine, "--json")
        wait_until(lambda: p.poll() is not None or stored(folder) > 100)
        c.workers[0].kill()
        assert p.poll() is None, p.communicate()
        assert stored(folder) < 500
        out, err = p.communicate(timeout=120)
    assert (p.returncode, err) == (0, "")
    assert json.loads(out)["ran"] == 500
    assert part(folder) == part(tmp_path / "single")
    assert set(part(folder)) == {"points.sha256", "points.parquet", "flows.parquet", "links.parquet"}


def test_a_sweep_begun_on_a_cluster_that_is_lost_ends_anywhere(eddyline, lossy, tmp_path):
    path, folder = lossy(('duration = "2 s"', 'duration = "200 s"')), tmp_path / "grid"
    words = ("sweep", path, "--vary", rates(25), "--seeds", 20, "--out", folder)
    with cluster(tmp_path, 1) as c:
        p = start(*words, "--engine", c.engine)
        wait_until(lambda: p.poll() is not None or stored(folder) > 50)
        kill(p)
        first = stored(folder)
        p = start(*words, "--engine", c.engine)
        wait_until(lambda: p.poll() is not None or stored(folder) > first + 50)
        c.scheduler.kill()
        _, err = p.communicate(timeout=120)
    assert p.returncode == 1
    assert "the Dask cluster at 127.0.0.1:" in err
    assert "the same command continues" in err
    assert "Traceback" not in err
    held = stored(folder)
    assert first + 50 < held < 500
    ran = eddyline(*words, "--json")
    assert (json.loads(ran.out)["done"], json.loads(ran.out)["ran"]) == (500, 500 - held)
    assert len(el.read_sweep(folder)) == 500


def test_ctrl_c_and_failures(eddyline, lossy, tmp_path):
    flood = '\n[[traffic]]\nname = "flood"\npath = ["down"]\nmodel = { kind = "cbr", rate = "900 kbit/s" }\n'
    path = lossy(("loss = 0.01", "loss = 0.0"), ('kind = "newreno"', 'kind = "fast", alpha = "9 packets"'), more=flood)
    with cluster(tmp_path, 1) as c:
        words = ("sweep", path, "--engine", c.engine, "--json")
        ran = eddyline(*words, "--vary", rates(5, 898), "--world", "theory", "--out", "theory")
        assert ran.code == 1
        assert [f["point"] for f in json.loads(ran.out)["failures"]] == [0, 1, 2]  # 900 of 900 is too much
        folder = tmp_path / "long"
        p = start(*words, "--vary", "duration=1 s,4000 h", "--out", folder)
        wait_until(lambda: p.poll() is not None or stored(folder) == 1)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        assert (p.returncode, out) == (130, "")
        assert "1 of 2 points are stored" in err
        assert "Traceback" not in err


def test_a_cluster_that_is_not_there_is_exit_3_and_nothing_is_written(lossy, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cluster_module, "_CONNECT_S", 0.5)
    path = lossy()
    words = [
        "sweep",
        str(path),
        "--vary",
        "seed=1,2",
        "--engine",
        "dask://127.0.0.1:9",
        "--out",
        str(tmp_path / "grid"),
    ]
    assert main(words) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "no Dask scheduler answers at 127.0.0.1:9" in err
    assert "hint: `dask scheduler`" in err
    assert list(tmp_path.iterdir()) == [path]


def test_without_dask_the_remedy_is_said(lossy, tmp_path):
    code = (
        "import sys\n"
        "sys.modules['distributed'] = None\n"
        "from eddyline.cli import main\n"
        f"sys.exit(main(['sweep', {str(lossy())!r}, '--vary', 'seed=1', '--engine', 'dask://h:1', '--out', 'grid']))\n"
    )
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), cwd=tmp_path)
    assert (p.returncode, p.stdout) == (3, "")
    assert "Dask is not installed here" in p.stderr
    assert "eddyline[dask]" in p.stderr
    assert not (tmp_path / "grid").exists()


def test_files_travel_with_the_job(tmp_path):
    more = '\n[[traffic]]\nname = "movie"\npath = ["down"]\nmodel = { kind = "trace", file = "../films/movie.dat" }\n'
    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "movie.dat").write_text("1000\n2000\n")
    task = Task(0, ("1 Mbit/s",), 7)
    near = Job(LOSSY + more, "toml", "lossy", str(folder), (), ("link.down.rate",), "sim")
    expected = run_point(near, task)
    assert expected.failure is None
    content = {"../films/movie.dat": b"1000\n2000\n"}
    far = Job(LOSSY + more, "toml", "lossy", "/nowhere", (), ("link.down.rate",), "sim", content)
    (tmp_path / "films" / "movie.dat").unlink()
    assert run_point(near, task).failure is not None
    unpacked = set(Path(tempfile.gettempdir()).glob("eddyline-sweep-*"))
    for _ in range(2):
        assert run_point(far, task).tables == expected.tables
    mine = set(Path(tempfile.gettempdir()).glob("eddyline-sweep-*")) - unpacked
    assert len(mine) == 1
    del far
    assert not mine & set(Path(tempfile.gettempdir()).glob("eddyline-sweep-*"))


def test_copies_travel_with_the_job(tmp_path):
    (tmp_path / "movie.dat").write_text("1000\n2000\n")
    more = '\n[[traffic]]\nname = "movie"\npath = ["down"]\nmodel = { kind = "trace", file = "/gone/movie.dat" }\n'
    task, copies = Task(0, ("1 Mbit/s",), 7), {"/gone/movie.dat": str(tmp_path / "movie.dat")}
    near = Job(LOSSY + more, "toml", "lossy", "/nowhere", (), ("link.down.rate",), "sim", copies=copies)
    expected = run_point(near, task)
    assert expected.failure is None
    (tmp_path / "movie.dat").unlink()
    content = {"/gone/movie.dat": b"1000\n2000\n"}
    far = Job(LOSSY + more, "toml", "lossy", "/nowhere", (), ("link.down.rate",), "sim", content, copies=copies)
    assert run_point(far, task).tables == expected.tables


def test_workers_of_another_version_are_refused():
    job = Job(LOSSY, "toml", "lossy", ".", (), (), "sim", version="0.0.0")
    with pytest.raises(OtherVersion):
        run_points(job, [Task(0, (), 1)])
