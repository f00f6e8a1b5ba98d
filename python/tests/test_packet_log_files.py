"""Packet logs and captures written during a run: their rows, their memory, and what is left of runs that fail."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from conftest import COMMAND, environment, heed

import eddyline as el
from eddyline.reference.data import packet_log_page
from eddyline.worlds import RunOptions

PIECE = 65_536
FAST_LINKS = (('"10 Mbit/s"', '"100 Mbit/s"'), ('"5 Mbit/s"', '"100 Mbit/s"'))
"""Some 75,000 rows a second of simulated time."""

SHORT_FLOWS = """
[[arrivals]]
name = "short"
rate = "20 /s"
size = { kind = "exponential", mean = "20 kB" }
controller = { kind = "newreno" }
data = ["up"]
ack = ["down"]
"""


def start(*words: object, **more: object) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    command = [str(COMMAND), *map(str, words)]
    return subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=environment(), **{"preexec_fn": heed, **more}
    )


def staged(folder: Path) -> list[Path]:
    return list(folder.glob(".eddyline-*.staged*"))


def wait_for_a_piece(p: subprocess.Popen[str], folder: Path) -> None:
    """Until something of the log is in its scratch file."""
    deadline = time.monotonic() + 60
    while not any(f.stat().st_size for s in staged(folder) for f in ([s] if s.is_file() else s.iterdir())):
        assert p.poll() is None, p.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("world", ["sim", "quic"])
@pytest.mark.parametrize("of", [True, "upload", "short"])
def test_files_have_the_rows_of_the_log_in_memory(scenario, tmp_path, world, of):
    if world == "quic" and of == "short":
        pytest.skip("dynamic flows are those of world sim")
    # world quic has fewer packets: its log of one flow has one piece
    changes = (*FAST_LINKS, ('"4 s"', '"2 s"')) if world == "sim" or of is True else ()
    loaded = el.Scenario.load(scenario(*changes, more=SHORT_FLOWS if world == "sim" else ""))
    kept = loaded.run(world, log=of, series=False)
    if of is True:
        assert len(kept.log) > 2 * PIECE
    kept.write_log(tmp_path / "kept.txt")
    kept.write_log(tmp_path / "kept.parquet")
    for name in ("log.txt", "log.parquet"):
        written = loaded.run_with(RunOptions(False, of, log_file=tmp_path / name), world)
        with pytest.raises(el.EddylineError, match="no packet log was recorded"):
            _ = written.log
    assert (tmp_path / "log.txt").read_bytes() == (tmp_path / "kept.txt").read_bytes()
    was, found = pq.read_table(tmp_path / "kept.parquet"), pq.read_table(tmp_path / "log.parquet")
    assert found.schema.equals(was.schema, check_metadata=True)
    assert found.unify_dictionaries().combine_chunks() == was.unify_dictionaries().combine_chunks()
    rows = -(-len(kept.log) // PIECE)
    assert pq.ParquetFile(tmp_path / "log.parquet").num_row_groups == rows


def test_text_has_names_in_quotes_as_the_reference_says(scenario, tmp_path):
    loaded = el.Scenario.load(scenario(('"4 s"', '"1100 ms"')))
    loaded.run_with(RunOptions(False, True, log_file=tmp_path / "l.txt"))
    fields = [line.split() for line in (tmp_path / "l.txt").read_text().splitlines()[1:]]
    assert {f[4] for f in fields} == {'"-"', '"down"', '"up"'}
    assert {f[3] for f in fields} == {'"download"', '"upload"'}
    assert 'names in double quotes, `"-"` for no link' in " ".join(packet_log_page().split())


def test_a_log_without_rows_is_a_file_without_rows(eddyline, scenario, tmp_path):
    path = scenario(more=SHORT_FLOWS.replace("20 /s", "0.001 /s"))
    for name in ("l.txt", "l.parquet"):
        assert eddyline("run", path, "--log", name, "--log-of", "short", "--json").code == 0
    assert (tmp_path / "l.txt").read_text() == "# time_s event packet source link seq bytes\n"
    table = pq.read_table(tmp_path / "l.parquet")
    assert (len(table), table.column_names[0]) == (0, "time_s")


def test_captures_have_a_packet_for_each_row_at_an_interface(scenario, tmp_path):
    loaded = el.Scenario.load(scenario(*FAST_LINKS, ('"4 s"', '"2 s"')))
    # with a log in memory and with one in a file, both of everything
    result = loaded.run_with(RunOptions(False, True, pcap=tmp_path / "a"))
    loaded.run_with(RunOptions(False, True, pcap=tmp_path / "b", log_file=tmp_path / "l.txt"))
    result.write_log(tmp_path / "kept.txt")
    assert (tmp_path / "l.txt").read_bytes() == (tmp_path / "kept.txt").read_bytes()
    packets = 0
    for host in ("host-1.pcapng", "host-2.pcapng"):
        data = (tmp_path / "a" / host).read_bytes()
        assert data == (tmp_path / "b" / host).read_bytes()
        at = 0
        while at < len(data):
            kind, length = (int.from_bytes(data[at + n : at + n + 4], "little") for n in (0, 4))
            packets += kind == 6  # an enhanced packet block
            at += length
    log = result.log
    assert packets == (log["event"].isin(["send", "receive"]) & log["link"].isna()).sum() > PIECE


PEAK = """
import sys
from pathlib import Path
from eddyline.cli import main
code = main(sys.argv[1:])
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(peak.split()[1], file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process's memory is read from /proc")
@pytest.mark.parametrize("option", ["--log=l.txt", "--log=l.parquet", "--pcap=captures"])
def test_memory_does_not_grow_with_the_length_of_the_run(scenario, tmp_path, option):
    path, peaks = scenario(*FAST_LINKS), []
    for duration in ("2 s", "22 s"):
        words = [sys.executable, "-c", PEAK, "run", str(path), "--set", f"duration={duration}", "--quiet", option]
        ran = subprocess.run(words, capture_output=True, text=True, env=environment(), cwd=tmp_path, check=True)
        peaks.append(int(ran.stderr.split()[-1]))
    # kept, the million and a half rows between would be 46 MB; by 16 MB the allocators of several threads may vary
    assert peaks[1] - peaks[0] < 16_000, peaks


@pytest.mark.parametrize("option", ["--log=l.txt", "--log=l.parquet", "--pcap=captures"])
def test_an_interrupted_or_killed_run_leaves_no_file(eddyline, scenario, tmp_path, option):
    path = scenario(*FAST_LINKS, ('"4 s"', '"1 h"'))
    p = start("run", path, option, "--json", cwd=tmp_path)
    wait_for_a_piece(p, tmp_path)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    assert (p.returncode, out, err.strip()) == (130, "", "interrupted")
    assert [f.name for f in tmp_path.iterdir()] == [path.name]

    p = start("run", path, option, "--json", cwd=tmp_path)
    wait_for_a_piece(p, tmp_path)
    p.kill()
    p.communicate()
    left = option.partition("=")[2]
    assert not (tmp_path / left).exists()
    assert staged(tmp_path)
    assert eddyline("run", path, "--set", "duration=2 s", option, "--quiet").code == 0
    assert {f.name for f in tmp_path.iterdir()} == {path.name, left}, "the next run removes what was left"


@pytest.mark.parametrize("option", ["--log=l.txt", "--log=l.parquet", "--pcap=captures", "--qlog=traces"])
def test_a_full_disk_ends_the_run_with_the_reason_and_keeps_the_earlier_file(eddyline, scenario, tmp_path, option):
    path = scenario(*FAST_LINKS)
    place = tmp_path / option.partition("=")[2]
    assert eddyline("run", path, "--set", "duration=1.1 s", option, "--quiet").code == 0
    names = sorted(f.name for f in tmp_path.iterdir())
    before = {f.name: f.read_bytes() for f in ([place] if place.is_file() else place.iterdir())}

    def limit() -> None:  # a file that must not grow further fails as one on a full disk does
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    p = start("run", path, "--set", "duration=1 h", option, "--json", cwd=tmp_path, preexec_fn=limit)
    out, err = p.communicate(timeout=60)
    assert (p.returncode, out) == (1, "")
    assert err.startswith(f"error: {place.name}"), err
    assert "File too large" in err
    assert ".eddyline" not in err
    assert {f.name: f.read_bytes() for f in ([place] if place.is_file() else place.iterdir())} == before
    assert sorted(f.name for f in tmp_path.iterdir()) == names


def test_a_run_that_fails_leaves_no_file(eddyline, scenario, tmp_path):
    path = scenario(*FAST_LINKS, ('"20 packets"', '"1000000 packets"'))
    for option in ("--log=l.txt", "--log=l.parquet", "--pcap=captures"):
        ran = eddyline("run", path, "--set", "duration=1 h", "--memory", "32 MB", option, "--json")
        assert (ran.code, ran.out) == (1, "")
        assert "--memory" in ran.err
        assert [f.name for f in tmp_path.iterdir()] == [path.name]


def test_a_log_file_says_whose_packets_it_has(tmp_path):
    with pytest.raises(el.InputError, match="log_file: of the packets that `log` says"):
        RunOptions(log_file=tmp_path / "l.txt")


def test_marks_are_those_of_retransmitted_segments(scenario):
    result = el.Scenario.load(scenario(), set={"link.down.loss": 0.01, "link.up.loss": 0.01}).run(
        log=True, series=False
    )
    marked = result.log[result.log["retransmission"]]
    assert set(marked["packet"]) == {"data"}
    sent = marked[marked["event"] == "send"]["source"].value_counts()
    expected = result.flows.set_index("name")["retransmits"]
    assert (expected > 0).all()
    assert sent.to_dict() == expected.to_dict()


def test_a_log_replaces_logs_only(scenario, tmp_path):
    result = el.Scenario.load(scenario(*FAST_LINKS, ('"4 s"', '"2 s"'))).run(log=True)
    for name in ("log.txt", "log.parquet"):
        result.write_log(tmp_path / name)
        before = (tmp_path / name).read_bytes()
        result.write_log(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
        (tmp_path / name).write_text("mine")
        with pytest.raises(el.InputError, match="exists and is no packet log"):
            result.write_log(tmp_path / name)
        assert (tmp_path / name).read_text() == "mine"
    # a packet trace with a comment, series, another's table, and what only begins as Parquet does
    (tmp_path / "trace.txt").write_text("# time_s bytes\n0 100\n1 200\n")
    result.series.to_parquet(tmp_path / "series.parquet")
    pd.DataFrame({"time_s": [0.0, 1.0], "rsrp_dbm": [-90, -91]}).to_parquet(tmp_path / "drive.parquet")
    (tmp_path / "short.parquet").write_bytes(b"PAR1 mine")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1" + bytes(range(40)) + (40).to_bytes(4, "little") + b"PAR1")
    for name in ("trace.txt", "series.parquet", "drive.parquet", "short.parquet", "damaged.parquet"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(el.InputError, match="exists and is no packet log"):
            result.write_log(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before, name
    (tmp_path / "folder").mkdir()
    with pytest.raises(el.InputError, match="is a folder"):
        result.write_log(tmp_path / "folder")
    assert not [p.name for p in tmp_path.iterdir() if p.name.startswith(".")]
