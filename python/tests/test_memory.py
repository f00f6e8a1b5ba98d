"""The memory budget of a run."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

import eddyline.memory as memory
from eddyline.cli import main

if TYPE_CHECKING:
    from pathlib import Path

HUGE = """
duration = "10 s"
link = [{ name = "f", rate = "10 Mbit/s", delay = "10 ms" }, { name = "b", rate = "10 Mbit/s", delay = "10 ms" }]
[[flow]]
name = "a"
data = ["f"]
ack = ["b"]
controller = { kind = "fast", alpha = "10 packets", min_window = "9223372036854775808 packets" }
"""


@pytest.mark.parametrize("limit", ["unlimited", "50 packets"])
@pytest.mark.parametrize("world", ["sim", "quic"])
def test_a_run_ends_at_its_budget_and_writes_nothing(
    world: str, limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where a queue drops most of what the window allows, so that the network stays almost empty."""
    file, out = tmp_path / "huge.toml", tmp_path / "out"
    queue = f'queue = {{ kind = "droptail", limit = "{limit}" }}, ' if limit != "unlimited" else ""
    file.write_text(HUGE.replace('name = "f", ', f'name = "f", {queue}'))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert main(["run", str(file), "--world", world, "--out", str(out), "--memory", "64 MiB"]) == 1
    said = capsys.readouterr().err
    for part in ("out of memory", 'link "f"', f"queue.limit is {limit}", 'flow "a"', "--memory"):
        assert part in said
    assert not out.exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # in KiB


@pytest.mark.parametrize(("text", "size"), [("2 GB", 2 * 10**9), ("512MiB", 512 << 20), ("0.5 kB", 500)])
def test_sizes(text: str, size: int) -> None:
    assert memory.parse(text) == size


def test_a_wrong_size_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "huge.toml"
    file.write_text(HUGE)
    assert main(["run", str(file), "--memory", "2 pounds"]) == 2
    assert "such as 2 GB" in capsys.readouterr().err


def test_limits_of_the_process_bound_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"/proc/meminfo": "MemAvailable: 8000000 kB\n", "/proc/self/statm": "1000 500\n"}
    monkeypatch.setattr(memory, "_read", lambda path: files.get(path, ""))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    unlimited = memory.available()
    assert unlimited == 8_000_000 << 10
    assert memory.budget() == unlimited // 2
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 40, 1 << 40))
    assert memory.available() <= unlimited
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 20, 1 << 20))
    assert memory.available() == 0
    assert memory.budget() == memory.MIN_BYTES


def test_a_control_group_gives_up_its_cached_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Used up but for 100 MB, of which 900 MB more are cached files: 1,000 MB are available."""
    files = {"max": "2000000000", "current": "1900000000\n", "stat": "anon 1000000000\nfile 900000000\nkernel 1\n"}
    monkeypatch.setattr(memory, "_read", lambda path: files.get(path.removeprefix("/sys/fs/cgroup/memory."), ""))
    assert memory.available() == 1_000_000_000
    files["max"] = "max"
    assert memory.available() == memory.DEFAULT_BYTES


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        # version 2, as a job of Slurm: the limit is that of a parent
        (
            "0::/system.slice/slurmstepd.scope/job_7/step_0\n",
            {
                "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.max": "max\n",
                "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.current": "1\n",
                "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max": "400000000\n",
                "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.current": "300000000\n",
                "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.stat": "anon 1\nfile 50000000\n",
            },
        ),
        # version 1, beside a mounted version 2 without controllers
        (
            "5:cpu,cpuacct:/a\n4:memory:/slurm/job_7\n0::/\n",
            {
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                "/sys/fs/cgroup/memory/memory.usage_in_bytes": "5000000000\n",
                "/sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes": "400000000\n",
                "/sys/fs/cgroup/memory/slurm/job_7/memory.usage_in_bytes": "300000000\n",
                "/sys/fs/cgroup/memory/slurm/job_7/memory.stat": "cache 1\ntotal_cache 50000000\n",
            },
        ),
    ],
)
def test_the_limit_of_a_job_is_that_of_its_control_groups(
    monkeypatch: pytest.MonkeyPatch, groups: str, files: dict[str, str]
) -> None:
    monkeypatch.setattr(memory, "_read", lambda path: {"/proc/self/cgroup": groups, **files}.get(path, ""))
    assert memory.available() == 150_000_000
