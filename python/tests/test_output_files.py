"""Outputs through links, on a full disk, and where something is that is no regular file."""

from __future__ import annotations

import os
import resource
import socket
import stat
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from conftest import environment
from fork_server import COMMAND

from eddyline import qlog
from eddyline.cli.outputs import draw
from eddyline.errors import EddylineError, InputError
from eddyline.output import replaced_file
from eddyline.plots.picture import empty

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.figure import Figure

BEGINNINGS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@contextmanager
def full_disk(most: int = 500) -> Iterator[None]:
    """Files must not grow beyond this size, which fails as on a full disk."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


@pytest.fixture
def figure() -> Figure:
    made = empty(3, 2)
    made.add_subplot().plot([0, 1], [0, 1])
    return made


@pytest.mark.parametrize("suffix", BEGINNINGS)
@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("target", ["latest", "latest.png"])
def test_the_given_name_says_the_format_not_that_of_a_links_target(figure, tmp_path, suffix, exists, target):
    if exists:
        (tmp_path / target).touch()
    link = tmp_path / f"fig{suffix}"
    link.symlink_to(target)
    draw(figure, link)
    assert link.is_symlink()
    assert (tmp_path / target).read_bytes().startswith(BEGINNINGS[suffix])
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("suffix", BEGINNINGS)
def test_a_figure_on_a_full_disk_names_the_file(figure, tmp_path, suffix):
    draw(figure, tmp_path / f"before{suffix}")
    place = tmp_path / f"fig{suffix}"
    with full_disk(), pytest.raises(EddylineError) as raised:
        draw(figure, place)
    assert str(raised.value) == f"{place}: cannot be written: file too large"
    assert [p.name for p in tmp_path.iterdir()] == [f"before{suffix}"]


@pytest.fixture
def checked(scenario) -> Path:
    """A file with an expectation that holds."""
    return scenario(more='[[expect]]\nof = "flow.upload"\nwhat = "goodput_bps"\nat_least = "1 Mbit/s"\n')


@contextmanager
def reader(pipe: Path) -> Iterator[list[str]]:
    """Reads a named pipe to its end, as another program would; the list has the text after the block."""
    read: list[str] = []
    thread = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    thread.start()
    yield read
    thread.join(10)


def node(path: Path, minor: int) -> None:
    """A character device: 3 is that of /dev/null, 7 that of /dev/full."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.write_bytes(b"")
    except PermissionError:
        pytest.skip("only root makes devices, where it may")


@pytest.mark.parametrize(("option", "beginning"), [("--junit", "<?xml"), ("--markdown", "| file |")])
@pytest.mark.parametrize("name", ["pipe", "link"])
def test_text_is_written_into_pipes(eddyline, checked, tmp_path, option, beginning, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with reader(tmp_path / "pipe") as read:
        ran = eddyline("check", checked, option, name)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 held, 0 failed")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert read[0].startswith(beginning)


def test_text_is_written_into_pipes_of_shells(checked, tmp_path):
    words = [str(COMMAND), "check", str(checked), "--junit"]
    end, other = os.pipe()
    ran = subprocess.run(
        [*words, f"/dev/fd/{other}"], cwd=tmp_path, env=environment(), pass_fds=[other], capture_output=True, timeout=60
    )
    os.close(other)
    assert os.read(end, 100).startswith(b"<?xml")
    os.close(end)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("place", ["/dev/stdout", "file", "pipe"])
def test_standard_output_has_the_text_and_what_is_shown(checked, tmp_path, place):
    words = [str(COMMAND), "check", str(checked), "--markdown", "file" if place == "file" else "/dev/stdout"]
    with (tmp_path / "file").open("wb") as file:
        to = subprocess.PIPE if place == "pipe" else file
        ran = subprocess.run(words, cwd=tmp_path, env=environment(), stdout=to, timeout=60)
    out = ran.stdout.decode() if place == "pipe" else (tmp_path / "file").read_text("utf-8")
    assert ran.returncode == 0
    assert out.startswith("| file |")
    assert out.endswith("\n1 held, 0 failed\n")


def test_text_is_written_into_devices(eddyline, checked, tmp_path):
    place, full = tmp_path / "null", tmp_path / "full"
    node(place, 3)
    node(full, 7)
    assert eddyline("check", checked, "--junit", "null").code == 0
    ran = eddyline("check", checked, "--markdown", "full")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "1 held, 0 failed")
    assert ran.err == "error: full: cannot be written: no space left on device\n"
    assert place.is_char_device()
    assert full.is_char_device()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("p.png", ("run", "two-way.toml", "--plot")),
        ("p.pdf", ("theory", "equilibrium", "two-way.toml", "--plot")),
        ("l.txt", ("run", "two-way.toml", "--log")),
        ("l.parquet", ("run", "two-way.toml", "--log")),
        ("out", ("run", "two-way.toml", "--out")),
        ("program", ("live", "build-kernel", "--out")),
    ],
)
@pytest.mark.parametrize("linked", [False, True])
def test_nothing_else_replaces_a_pipe(eddyline, scenario, tmp_path, name, words, linked):
    scenario()
    place = tmp_path / ("pipe" if linked else name)
    os.mkfifo(place)
    if linked:
        (tmp_path / name).symlink_to("pipe")
    ran = eddyline(*words, name)
    assert (ran.code, ran.out) == (2, "")
    said = "exists and is not a folder" if name == "out" else "is a pipe, not a file"
    assert f"{name}: {said}" in ran.err
    assert place.is_fifo()


def test_a_socket_is_no_place(eddyline, checked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        ran = eddyline("check", checked, "--junit", "s")
    assert (ran.code, ran.out, ran.err.splitlines()[0]) == (2, "", "error: s: is a socket, not a file")
    assert (tmp_path / "s").is_socket()


def test_neither_a_table_nor_a_trace_replaces_a_pipe(tmp_path):
    table, trace = tmp_path / "f.csv", tmp_path / "t.sqlog"
    for place in (table, trace):
        os.mkfifo(place)
    with pytest.raises(InputError, match="is a pipe, not a file"), replaced_file(table):
        pass
    with pytest.raises(InputError, match="is a pipe, not a file"):
        qlog.require_writable(trace, ["upload"])


def test_without_a_home_matplotlib_says_nothing(scenario, tmp_path):
    without = {k: v for k, v in environment().items() if k not in ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    words = [COMMAND, "run", scenario(), "--plot", tmp_path / "f.png", "-q"]
    ran = subprocess.run(words, env={**without, "HOME": "/proc/1/none"}, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_init_writes_into_a_pipe_of_any_name() -> None:
    words = [str(COMMAND), "init", "/dev/stdout"]
    ran = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("[[link]]") >= 1
