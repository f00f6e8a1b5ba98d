"""World `kernel`: real connections over an emulated path. Skipped, with the reason, where the machine cannot run it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import conftest
import pytest

import eddyline._core as _core
import eddyline.live as live
from eddyline.captures import FILES
from eddyline.cli import main
from eddyline.cli.watch import drawn
from eddyline.errors import InputError, WorldUnavailable
from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

TRIES = 3
TCP = Path("/proc/sys/net/ipv4")


def _link(name: str, rate: str = "10 Mbit/s", limit: str = "50 packets", **more: Any) -> dict[str, Any]:
    return {"name": name, "rate": rate, "delay": "20 ms", "queue": {"kind": "droptail", "limit": limit}, **more}


def _flow(name: str, kind: str, **more: Any) -> dict[str, Any]:
    controller = {"kind": kind} | ({"alpha": more.pop("alpha")} if "alpha" in more else {})
    return {"name": name, "controller": controller, "data": ["down"], "ack": ["up"], **more}


def _table(*flows: dict[str, Any], duration: str = "4 s", warmup: str = "1 s", **down: Any) -> dict[str, Any]:
    return {"duration": duration, "warmup": warmup, "link": [_link("down", **down), _link("up")], "flow": list(flows)}


def _trusted(table: dict[str, Any], series: bool = False) -> Any:
    """A run that can be trusted; an untrusted one is repeated, and never passes."""
    because: list[str] = []
    for _ in range(TRIES):
        result = Scenario(table).run("kernel", series=series)
        emulation = result.to_dict()["emulation"]
        if emulation["trusted"]:
            return result
        because += emulation["because"]
    pytest.skip(f"no run of {TRIES} can be trusted on this machine: {'; '.join(because)}")


@pytest.mark.usefixtures("program")
def test_a_run_has_the_rate_and_the_queue_that_were_asked_for() -> None:
    """Reno fills a queue of 50 packets: the link is never idle, so goodput is 1,460 of 1,500 bytes of its rate."""
    linux = {"prr": True, "rack": True, "frto": True, "rto_every_ack": True}
    result = _trusted(_table(_flow("x", "reno", tcp=linux)), series=True)
    flow, link = result.flows.iloc[0], result.links.iloc[0]
    assert flow["goodput_bps"] == pytest.approx(1e7 * 1460 / 1500, rel=0.01)
    assert flow["throughput_bps"] == pytest.approx(1e7, rel=0.005)
    assert flow["base_rtt_s"] == pytest.approx(0.040, rel=0.05)
    assert link["queue_packets.max"] == 50
    assert result.approximations == []  # all of it was honoured: `--strict` passes
    assert link["drops.data"] > 0
    # each lost packet is sent again, but for those at the end and those that were sent again without need
    assert flow["retransmits"] == pytest.approx(link["drops.data"], rel=0.25, abs=5)
    document = result.to_dict()
    counters = document["counters"]
    fates = ("packets_delivered", "packets_dropped", "packets_in_flight")
    assert counters["packets_sent"] == sum(counters[name] for name in fates)
    goodput = result.series.query("entity == 'x' and quantity == 'goodput_bps' and time_s > 1")["value"]
    assert goodput.mean() == pytest.approx(flow["goodput_bps"], rel=0.05)
    queue = result.series.query("entity == 'down' and quantity == 'queue_packets' and time_s > 1")["value"]
    assert queue.mean() == pytest.approx(link["queue_packets.mean"], rel=0.1)


@pytest.mark.usefixtures("program")
def test_both_directions_and_a_transfer_with_a_size() -> None:
    """A download of 500 kB beside an upload: two threads of the emulator; the transfer completes."""
    upload = _flow("up", "cubic", data=["up"], ack=["down"]) | {"data": ["up"], "ack": ["down"]}
    table = _table(_flow("down", "cubic", size="500 kB", start="500 ms"), upload | {"name": "u"})
    table["flow"][0]["name"] = "d"
    result = _trusted(table)
    down = result.to_dict()["flows"][0]
    assert down["delivered_bytes"] == 500_000
    # 0.4 s at the link's rate, and some round trips of slow start and of waiting behind the upload
    assert 0.5 + 0.4 < down["completed_at_s"] < 3.5
    assert down["timeouts"] is None or down["timeouts"] <= 1
    up = result.to_dict()["flows"][1]
    assert up["goodput_bps"] > 5e6


@pytest.mark.usefixtures("program")
def test_a_receive_window_limits_the_rate() -> None:
    """20 kB a round trip of 40 ms are 4 Mbit/s; recent Linux forgets a window that is set before data arrives."""
    result = _trusted(_table(_flow("x", "reno", receive_window="20 kB"), duration="2 s"))
    assert result.flows.iloc[0]["goodput_bps"] == pytest.approx(4e6, rel=0.1)


@pytest.mark.usefixtures("program")
def test_a_short_transfer_has_the_rate_of_its_own_time() -> None:
    """A window of 10 kB arrives at once, between two samples."""
    flow = _trusted(_table(_flow("x", "reno", size="10 kB", start="500 ms"), duration="2 s", warmup="0 s")).to_dict()
    (x,) = flow["flows"]
    assert x["goodput_bps"] == pytest.approx(8e4 / (x["completed_at_s"] - 0.5), rel=0.01)


@pytest.mark.usefixtures("program")
def test_small_writes_leave_at_once() -> None:
    """500 B every 10 ms over a round trip of 40 ms: with Nagle's algorithm four would share a packet."""
    bursts = {"kind": "bursts", "bytes": "500 B", "every": "10 ms"}
    result = _trusted(_table(_flow("x", "reno", application=bursts), duration="3 s"))
    # those of a busy machine come late, two at a time
    assert 50.0 < result.flows.iloc[0]["packets_per_s"] <= 105.0


@pytest.mark.usefixtures("program")
def test_the_minimum_timeout_is_the_scenarios() -> None:
    """In 1.2 s without packets the timer expires once by a minimum of 1 s, and doubles from 60 ms by one of 20 ms."""

    def timeouts(min_rto: str) -> int | None:
        flow = _flow("x", "reno", tcp={"min_rto": min_rto})
        outage = [{"start": "1.2 s", "length": "1.2 s"}]
        document = _trusted(_table(flow, duration="3 s", limit="10 packets", outages=outage)).to_dict()
        return document["flows"][0]["timeouts"]  # type: ignore[no-any-return]

    few, many = timeouts("1 s"), timeouts("20 ms")
    if few is None or many is None:
        pytest.skip("this kernel does not count timeouts")
    assert few <= 2 < many


@pytest.mark.usefixtures("program")
def test_round_trip_times_are_averaged_over_packets(tmp_path: Path) -> None:
    """A link at 12, then at 3 Mbit/s: most packets pass while it is fast; over time the mean is half as much again."""
    (tmp_path / "rates.csv").write_text("time_s,rate_bps\n0,12e6\n2,3e6\n4,3e6\n", "utf-8")
    table = _table(_flow("x", "cubic"), trace={"kind": "csv", "file": str(tmp_path / "rates.csv")})
    mean = [result.flows.iloc[0]["rtt_s.mean"] for result in (_trusted(table), Scenario(table).run("sim"))]
    assert mean[0] == pytest.approx(mean[1], rel=0.1)


@pytest.mark.usefixtures("program")
def test_socket_buffers_limit_the_rate() -> None:
    """Linux doubles a buffer, and half to all of that is payload: 16 KiB allow 16 to 32 KiB a round trip of 40 ms.

    A send buffer takes another write while it is not full, so it holds more
    than was asked for, yet less than the 48 kB of the path.
    """
    receiver = _trusted(_table(_flow("x", "reno", tcp={"receive_buffer": "16 KiB"}), duration="2 s"))
    assert 0.95 * 3.3e6 < receiver.flows.iloc[0]["goodput_bps"] < 6.6e6
    sender = _trusted(_table(_flow("x", "reno", tcp={"send_buffer": "8 KiB"}), duration="2 s"))
    assert 1.6e6 < sender.flows.iloc[0]["goodput_bps"] < 8.5e6


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("delay", ["round_trip", "forward"])
def test_fast_keeps_alpha_packets_queued(delay: str) -> None:
    flow = _flow("x", "fast", alpha="30 packets", tcp={"timestamps": True})
    flow["controller"]["delay"] = delay
    try:
        result = _trusted(_table(flow, duration="5 s", warmup="3 s", limit="400 packets"))
    except WorldUnavailable as e:
        pytest.skip(f"{e}; {e.hint}")
    link = result.links.iloc[0]
    # of alpha packets one is in transmission
    assert link["queue_packets.mean"] == pytest.approx(29, abs=3)
    assert link["drops.data"] == 0
    assert result.flows.iloc[0]["goodput_bps"] == pytest.approx(1e7 * 1460 / 1500, rel=0.01)


@pytest.mark.usefixtures("program")
def test_fast_in_the_kernel_beside_fast_over_quic_shares_by_alpha() -> None:
    """Two stacks, and the window law in C and in Rust, on one link: shares 1/3 and 2/3, and a queue of both alphas."""
    flows = (_flow("tcp", "fast", alpha="20 packets"), _flow("quic", "fast", alpha="40 packets", transport="quic"))
    try:
        result = _trusted(_table(*flows, duration="4 s", warmup="2 s", limit="400 packets"))
    except WorldUnavailable as e:
        pytest.skip(f"{e}; {e.hint}")
    rates = result.flows["throughput_bps"]
    assert list(rates / rates.sum()) == pytest.approx([1 / 3, 2 / 3], abs=0.02)
    assert rates.sum() == pytest.approx(1e7, rel=0.005)
    link = result.links.iloc[0]
    # of all packets one is in transmission
    assert link["queue_packets.mean"] == pytest.approx(59, abs=4)
    assert link["drops.data"] == 0
    quic = result.to_dict()["flows"][1]
    assert quic["base_rtt_s"] == pytest.approx(0.0413, rel=0.02)
    assert quic["window_packets"]["mean"] == pytest.approx(40 * 0.1134 / 0.072, rel=0.05)
    assert quic["delivered_bytes"] > 2 * 6e6 / 8


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("ecn", [False, True])
def test_packets_of_quic_are_marked_where_the_flow_has_ecn(ecn: bool) -> None:
    """As in world `quic`; the stack itself always asks for it."""
    queue = {"kind": "step", "limit": "50 packets", "threshold": "5 packets"}
    flow = _flow("x", "cubic", transport="quic", tcp={"ecn": ecn})
    table = _table(flow, duration="2 s", warmup="0 s", queue=queue)
    marked = [Scenario(table).run(world).to_dict()["links"][0]["marked"] for world in ("quic", "kernel")]
    assert [count > 0 for count in marked] == [ecn, ecn]


ECHO = """
import os, socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.bind((os.environ["EDDYLINE_THERE"], 9))
    print("ready", flush=True)
    s.sendto(*s.recvfrom(9))
"""

ASK = """
import os, socket, sys, time
sys.stdin.readline()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.settimeout(20)
    began = time.monotonic()
    s.sendto(b"x", (os.environ["EDDYLINE_THERE"], 9))
    s.recv(9)
raise SystemExit(7 if time.monotonic() - began >= 0.040 else 8)
"""


@pytest.mark.usefixtures("program")
def test_a_program_crosses_the_path(tmp_path: Path) -> None:
    """A byte there and back takes the path's delay at least, and the program's exit code comes back."""
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    (tmp_path / "echo.py").write_text(ECHO)
    (tmp_path / "ask.py").write_text(ASK)
    run = f"{sys.executable} {tmp_path}"
    both = f"nsenter --net=$EDDYLINE_THERE_NET {run}/echo.py | {run}/ask.py"
    assert main(["shell", str(given), "--", "sh", "-c", both]) == 7


@pytest.mark.usefixtures("program")
def test_a_program_crosses_the_path_of_a_scenario_with_probes(tmp_path: Path) -> None:
    """They do not run there, as flows do not."""
    line = str(tmp_path / "line.toml")
    assert main(["init", line, "--preset", "rrul"]) == 0
    assert main(["shell", line, "--", "sh", "-c", "test $EDDYLINE_THERE || exit 1; exit 7"]) == 7


@pytest.mark.usefixtures("program")
def test_a_program_crosses_the_path_of_flows_with_a_controller_of_ones_own(tmp_path: Path) -> None:
    """It does not run there, and the program that emulates the path does not know it."""
    table = _table(_flow("x", "reno"))
    table["flow"][0]["controller"] = {"kind": "only-here"}
    (tmp_path / "own.py").write_text(conftest.still_controller("only-here"))
    given = tmp_path / "scenario.json"
    given.write_text(json.dumps(table))
    words = ["shell", str(given), "--controllers", str(tmp_path / "own.py"), "--", "sh", "-c", "exit 7"]
    assert main(words) == 7


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_program_ends_with_the_shell_that_runs_it(tmp_path: Path, how: signal.Signals) -> None:
    """It holds the pipe that it writes to: the end of the pipe is the end of the program."""
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    command = [sys.executable, "-m", "eddyline", "shell", str(given), "--"]
    words = [*command, "sh", "-c", "echo runs; exec sleep 60"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=conftest.heed, start_new_session=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"runs\n"
        run.send_signal(how)
        assert run.stdout.read() == b""


@pytest.mark.usefixtures("program")
def test_a_program_has_the_last_word_after_ctrl_c(tmp_path: Path) -> None:
    """As `ping` and `iperf3` have: a terminal sends the signal to all of them."""
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    program = tmp_path / "program.py"
    program.write_text(
        "import time\ntry:\n    print('runs', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n"
        "    time.sleep(0.2)\n    print('summary', flush=True)\n"
    )
    command = [sys.executable, "-m", "eddyline", "shell", str(given), "--", sys.executable, str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=conftest.heed, start_new_session=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"runs\n"
        os.killpg(run.pid, signal.SIGINT)
        assert run.stdout.read() == b"summary\n"
    assert run.returncode == 0


@pytest.mark.usefixtures("program")
def test_a_program_may_report_by_sigquit(tmp_path: Path) -> None:
    """It goes on, and so does what runs it."""
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    script = "trap 'echo report; exit 7' QUIT; echo runs; while :; do sleep 0.1; done"
    command = [sys.executable, "-m", "eddyline", "shell", str(given), "--", "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"runs\n"
        os.killpg(run.pid, signal.SIGQUIT)
        assert run.stdout.read() == b"report\n"
    assert run.returncode == 7


@pytest.mark.usefixtures("program")
def test_the_exit_code_of_a_program_that_a_signal_ended(tmp_path: Path) -> None:
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    assert main(["shell", str(given), "--", "sh", "-c", "kill -TERM $$"]) == 128 + signal.SIGTERM


@pytest.mark.usefixtures("program")
def test_a_measured_link_is_the_emulated_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Client and server at the two ends of a path: the file that is written has the path's numbers."""
    down, up = _link("down", "10 Mbit/s", "40 packets"), _link("up", "4 Mbit/s", "30 kB")
    table = {"duration": "1 s", "link": [down, up], "flow": [_flow("x", "reno")]}
    because: list[str] = []
    for _ in range(TRIES):
        found = _measured(table, tmp_path)
        because += [line for line in capfd.readouterr().err.splitlines() if "cannot be trusted" in line]
        if all(found[name] == pytest.approx(truth, rel=0.1) for name, truth in TRUTH.items()):
            return
    # a path that the machine has disturbed may be measured wrong
    if because:
        pytest.skip(f"not every path of {TRIES} can be trusted on this machine: {'; '.join(because)}")
    pytest.fail(f"{found} is not {TRUTH}")


TRUTH = {"down": 1e7, "down delay": 0.020, "down packets": 40.0, "up": 4e6, "up delay": 0.020, "up B": 30_000.0}


def _measured(table: dict[str, Any], folder: Path) -> dict[str, float]:
    """Rates, delays and limits of a link as they are measured; a limit of another unit has another name."""
    given, out = folder / "scenario.json", folder / "measured.toml"
    given.write_text(Scenario(table).canonical)
    command = f"{sys.executable} -m eddyline measure $EDDYLINE_THERE"
    both = (
        f"nsenter --net=$EDDYLINE_THERE_NET {command} --server --once & n=0;"
        f"until {command} --seconds 0 --out {out} || [ $n = 20 ]; do n=$((n + 1)); sleep 1; done;"
        "kill $!; wait; [ $n != 20 ]"
    )
    found: dict[str, float] = defaultdict(float)
    if main(["shell", str(given), "--", "sh", "-c", both]) == 0:
        for link in Scenario.load(out).to_dict()["link"]:
            limit, _, unit = link["queue"]["limit"].partition(" ")
            found[link["name"]] = _core.quantity("rate", link["rate"])
            found[f"{link['name']} delay"] = _core.quantity("time", link["delay"])
            found[f"{link['name']} {unit}"] = float(limit)
    return found


@pytest.mark.usefixtures("program")
def test_virtual_time_gives_the_same_bytes_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if conftest.LINUX is not None:
        monkeypatch.setenv("EDDYLINE_LINUX", conftest.LINUX)
    table = _table(_flow("x", "fast", alpha="20 packets"), _flow("y", "cubic"), duration="3 s")
    options = RunOptions(series=False, clock="virtual")
    spaced = tmp_path / "a folder"
    spaced.mkdir()
    try:
        first, second = (Scenario(table, folder=at).run_with(options, "kernel").to_dict() for at in (tmp_path, spaced))
    except WorldUnavailable as e:
        pytest.skip(f"{e}; {e.hint}")
    assert first.pop("cost") is not None
    assert second.pop("cost") is not None
    assert first == second
    assert first["emulation"]["trusted"]
    assert first["emulation"]["lateness_s"]["max"] < 20e-6
    assert sum(flow["goodput_bps"] for flow in first["flows"]) == pytest.approx(1e7 * 1460 / 1500, rel=0.03)


@pytest.mark.usefixtures("program")
def test_expectations_of_the_world_are_checked() -> None:
    bounds = {"near": "9.73 Mbit/s", "within": "3 %"}, {"at_most": "1 Mbit/s"}
    expect = [{"of": "flow.x", "what": "goodput_bps", "world": "kernel"} | bound for bound in bounds]
    table = _table(_flow("x", "reno"), duration="2 s") | {"expect": expect}
    outcomes = Scenario(table).check(_trusted(table))
    assert [outcome["held"] for outcome in outcomes] == [True, False]


@pytest.mark.usefixtures("program")
def test_captures_of_a_run_have_its_packets(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    table = _table(_flow("x", "reno", size="300 kB"), duration="2 s", warmup="0 s")
    lines: list[Any] = []
    options = RunOptions(series=False, pcap=folder, watch=lines.append)
    result = Scenario(table).run_with(options, "kernel").to_dict()
    assert [flow["name"] for line in lines[:1] for flow in line["flows"]] == ["x"]
    assert sum(line["flows"][0]["goodput_bps"] for line in lines) > 0
    assert "of 2 s" in str(drawn(lines[0], 2.0).title)
    sizes = [(folder / name).stat().st_size for name in FILES]
    # headers, at most 128 of each packet, and 32 for its block
    assert all(
        300_000 / 1460 * (40 + 32) < size < result["counters"]["packets_sent"] * (128 + 32) + 200 for size in sizes
    )


@pytest.mark.usefixtures("program")
def test_a_link_is_checked_before_the_run() -> None:
    """Rate, delay and depth of a plain link like that of the first flow's data, as they are measured."""
    check = _trusted(_table(_flow("x", "reno"), duration="1 s", warmup="500 ms")).to_dict()["emulation"]["check"]
    assert check["rate_bps"] == pytest.approx(1e7, rel=0.02)
    assert check["asked_rate_bps"] == 1e7
    assert check["delay_s"] == pytest.approx(check["asked_delay_s"], abs=1e-3)
    assert check["asked_delay_s"] == pytest.approx(0.0212)
    assert check["queue_packets"] == pytest.approx(check["asked_queue_packets"], abs=5)


@pytest.mark.usefixtures("program")
def test_what_killed_runs_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left, own = (tmp_path / f"eddyline-virtual-{pid}-abcdef" for pid in (gone.pid, os.getpid()))
    for folder in (left, own):
        (folder / "work").mkdir(parents=True)
    assert main(["doctor", "--clean"]) == 0
    assert capsys.readouterr().out == f"removed {left}\n"
    assert not left.exists()
    assert main(["doctor", "--clean", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"removed": []}
    assert own.exists(), "its run goes on"


@pytest.mark.usefixtures("program")
def test_what_linux_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="controller copa") as caught:
        Scenario(_table(_flow("x", "copa"))).run("kernel")
    assert "world sim" in (caught.value.hint or "")
    assert "--world" not in (caught.value.hint or "")
    one_way = _flow("x", "fast", alpha="9 packets", transport="quic", tcp={"timestamps": True})
    one_way["controller"]["delay"] = "forward"
    with pytest.raises(InputError, match="one-way delays over QUIC"):
        Scenario(_table(one_way)).run("kernel")


def _host() -> tuple[str, str, list[str], dict[str, str]]:
    """Devices, routes, names of namespaces and parameters of TCP of this machine."""
    devices = "\n".join(sorted(line.split(":")[0] for line in Path("/proc/net/dev").read_text().splitlines()[2:]))
    routes = Path("/proc/net/route").read_text()
    names = sorted(p.name for p in Path("/run/netns").glob("*")) if Path("/run/netns").exists() else []
    values = {p.name: p.read_text() for p in TCP.glob("tcp_*") if os.access(p, os.R_OK) and "key" not in p.name}
    return devices, routes, names, values


def _namespaces(pid: int) -> set[Path]:
    """Network namespaces of a process's threads."""
    found = set()
    for task in Path(f"/proc/{pid}/task").glob("*/ns/net"):
        try:
            found.add(task.readlink())
        except OSError:
            continue  # the thread has ended meanwhile
    return found


def test_a_killed_run_leaves_nothing(program: Path, tmp_path: Path) -> None:
    """Devices, namespaces and connections belong to the process: nothing is to be cleaned after it."""
    before = _host()
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "cubic"), duration="30 s")).canonical)
    own = Path("/proc/self/ns/net").readlink()
    namespaces: set[Path] = set()
    child = subprocess.Popen([program, given], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # threads in the run's two namespaces are there for all of its 30 s, but not at once
        while len(namespaces - {own}) < 2:
            assert child.poll() is None, "it ended before it had two namespaces of its own"
            namespaces |= _namespaces(child.pid)
            time.sleep(0.01)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=60)
    # the check of a link before the run has two more
    assert len(namespaces - {own}) >= 2, "the run had two namespaces of its own"
    used = set()
    for process in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            used.add(process.readlink())
        except OSError:
            continue  # it has ended meanwhile
    assert not used & (namespaces - {own})
    assert _host() == before


def test_without_the_executable_exit_3_names_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(live.VARIABLE, str(tmp_path / "none"))
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    assert main(["run", str(given), "--world", "kernel"]) == 3
    assert "cargo build --release -p eddyline-live" in capsys.readouterr().err
    assert main(["run", str(given), "--world", "all", "--json"]) == 0
    assert f"EDDYLINE_LIVE={tmp_path / 'none'}: there is no such file" in capsys.readouterr().out
    assert main(["live", "build-kernel"]) == 3


VERSION = "#!/bin/sh\nif [ $1 = --version ]; then echo eddyline-live 0; else"


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/ls\n",
        "#!/bin/sh\necho $0: there is no option $1 >&2\nexit 2\n",
        "#!/bin/true\n",
        "#!/bin/false\n",
        "#!/bin/cat\n",
        "#!/bin/echo\n",
        "#!/bin/nothing\n",
        "no program\n",
        f"{VERSION} echo '{{}}'; fi\n",
        f"{VERSION} echo '[1]'; fi\n",
    ],
)
def test_another_program_than_the_executable_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    other = tmp_path / "other"
    other.write_text(text)
    other.chmod(0o755)
    monkeypatch.setenv(live.VARIABLE, str(other))
    monkeypatch.setattr(live, "unavailable", lambda **_: None)
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    for more in ([], ["--plot", str(tmp_path / "a.png")]):
        assert main(["run", str(given), "--world", "kernel", "-q", *more]) == 3
        assert capsys.readouterr().err == (
            f"error: world kernel: {other} is no eddyline-live\n"
            "hint: unset EDDYLINE_LIVE, or name eddyline-live in it\n"
        )


def test_only_the_executable_itself_is_given_a_path_or_asked_to_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(live.VARIABLE, "/bin/ls")
    given = tmp_path / "scenario.json"
    given.write_text(Scenario(_table(_flow("x", "reno"))).canonical)
    for words in (["shell", str(given)], ["live", "build-kernel"], ["doctor", "--clean"]):
        assert main(words) == 3, words
        said = capfd.readouterr()
        assert (said.out, said.err.splitlines()[0]) == ("", "error: world kernel: /bin/ls is no eddyline-live")
    main(["doctor"])
    assert "/bin/ls is no eddyline-live" in capfd.readouterr().out


def test_a_file_that_cannot_be_executed_is_named(scenario, tmp_path, monkeypatch, capsys):
    plain = tmp_path / "plain"
    plain.touch()
    monkeypatch.setenv(live.VARIABLE, str(plain))
    assert main(["run", str(scenario()), "--world", "kernel"]) == 3
    said = f"error: world kernel: no world kernel here: EDDYLINE_LIVE={plain}: cannot be executed\n"
    assert capsys.readouterr().err.startswith(said)


def test_an_option_after_the_file_is_no_program(eddyline, scenario):
    ran = eddyline("shell", scenario(), "--quiet")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: no such option: --quiet; a program comes after --\n")


def test_a_program_that_never_answers_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setattr(live, "_ANSWER_S", 0.1)
    assert live.foreign(silent) is not None
