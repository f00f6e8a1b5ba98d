"""Captures: read back by tshark and tcptrace, programs of others, whose figures agree with the result."""

from __future__ import annotations

import shutil
import struct
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import eddyline.captures as captures
from eddyline.cli import main
from eddyline.errors import InputError
from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {"x": 600_000, "y": 300_000}


def scenario() -> Scenario:
    """A transfer each way; the first loses packets at the end of slow start."""
    link = {"rate": "10 Mbit/s", "delay": "20 ms", "queue": {"kind": "droptail", "limit": "20 packets"}}
    flows = [
        {"name": name, "controller": {"kind": "reno"}, "data": [data], "ack": [ack], "start": start}
        | {"size": f"{SIZES[name]} B"}
        for name, data, ack, start in (("x", "d", "u", "0 s"), ("y", "u", "d", "300 ms"))
    ]
    return Scenario({"duration": "4 s", "link": [{"name": n} | link for n in ("d", "u")], "flow": flows})


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of a program, where it is installed."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return subprocess.run([found, *arguments], capture_output=True, text=True, check=True)


def sent(capture: Path) -> dict[str, tuple[int, int]]:
    """From tcptrace: by sending host, unique bytes and retransmitted data packets."""
    found: dict[str, tuple[int, int]] = {}
    hosts: list[str] = []
    figures: dict[str, list[str]] = {}
    for line in tool("tcptrace", "-l", "-n", str(capture)).stdout.splitlines():
        name, _, rest = line.strip().partition(":")
        if name.startswith("host "):
            hosts = [*hosts, rest.strip()][-2:]
        elif name in ("unique bytes sent", "rexmt data pkts"):
            figures[name] = [word for word in rest.replace(name + ":", " ").split() if word.isdigit()]
            if name == "rexmt data pkts":
                unique = figures["unique bytes sent"]
                found[hosts[0].rpartition(":")[0]] = int(unique[0]), int(figures[name][0])
    return found


def check(folder: Path, document: dict[str, Any]) -> None:
    """Both files open without a warning, and have the bytes and retransmissions of the result."""
    packets = 0
    for name in captures.FILES:
        read = tool("tshark", "-r", str(folder / name), "-T", "fields", "-e", "frame.time_epoch", "-e", "ip.len")
        warnings = [line for line in read.stderr.splitlines() if "Running as user" not in line]
        assert not warnings
        times = [float(line.split()[0]) for line in read.stdout.splitlines()]
        assert times == sorted(times)
        packets += len(times)
    assert packets > 2 * sum(SIZES.values()) / 1460
    by_host = [sent(folder / name) for name in captures.FILES]
    flows = {flow["name"]: flow for flow in document["flows"]}
    for flow, (host, address) in {"x": (0, "10.64.0.1"), "y": (1, "10.65.0.2")}.items():
        bytes_sent, retransmitted = by_host[host][address]
        assert bytes_sent == SIZES[flow] == flows[flow]["delivered_bytes"]
        assert retransmitted == flows[flow]["retransmits"]
    assert flows["x"]["retransmits"] > 0


def test_captures_of_a_simulation_agree_with_its_result(tmp_path: Path) -> None:
    given = tmp_path / "scenario.json"
    given.write_text(scenario().canonical)
    folder = tmp_path / "captures"
    assert main(["run", str(given), "--pcap", str(folder), "--quiet", "--json"]) == 0
    assert sorted(file.name for file in folder.iterdir()) == sorted(captures.FILES)
    check(folder, scenario().run("sim", series=False).to_dict())


def test_wireshark_sees_sack_and_ecn(tmp_path: Path) -> None:
    """It finds as many retransmissions as there are, and as many marks."""
    codel = scenario().with_overrides(['link.d.queue={ kind = "codel", ecn = true }', "flow.x.tcp.ecn=true"])
    for name, given in (("losses", scenario()), ("marks", codel)):
        given.run_with(RunOptions(series=False, pcap=tmp_path / name))

    def count(folder: str, condition: str) -> int:
        read = tool(
            "tshark", "-r", str(tmp_path / folder / captures.FILES[0]), "-Y", f"ip.addr == 10.64.0.1 && {condition}"
        )
        return len(read.stdout.splitlines())

    resent = scenario().run("sim", series=False).to_dict()["flows"][0]["retransmits"]
    assert count("losses", "tcp.options.sack.count > 0") > resent
    assert count("losses", "(tcp.analysis.retransmission || tcp.analysis.out_of_order)") == resent > 0
    assert count("marks", "tcp.flags.ece == 1 && tcp.flags.syn == 0") > 0
    assert count("marks", "tcp.flags.cwr == 1 && tcp.flags.syn == 0") > 0
    assert count("losses", "tcp.options.sack_perm") == 2


def test_damaged_packets_reach_the_other_host_with_a_wrong_checksum(tmp_path: Path) -> None:
    damaging = scenario().with_overrides(["link.d.corrupt=0.02", "link.d.queue.limit=500 packets"])
    log = damaging.run_with(RunOptions(False, True, pcap=tmp_path)).log
    hosts = [packets(tmp_path / name) for name in captures.FILES]
    damaged = [packet for host in hosts for packet in host if checksum(packet) != 0]
    assert len(damaged) == (log["event"] == "corrupted").sum() > 3
    assert sum(map(len, hosts)) == (log["event"].isin(["send", "receive", "corrupted"]) & log["link"].isna()).sum()


def packets(capture: Path) -> list[bytes]:
    """The packets of enhanced packet blocks."""
    data, at, found = capture.read_bytes(), 0, []
    while at < len(data):
        kind, length, *_, size, _ = struct.unpack_from("<7I", data, at)
        if kind == 6:
            found.append(data[at + 28 : at + 28 + size])
        at += length
    return found


def checksum(packet: bytes) -> int:
    """The checksum of TCP over a packet and a payload of zeros: 0 where the one in it is right (RFC 9293, 3.1)."""
    length = int.from_bytes(packet[2:4], "big") - 20
    total = sum(struct.unpack(f">{(len(packet) - 12) // 2}H", packet[12:])) + 6 + length
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def test_senders_without_packets_in_captures_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = tmp_path / "scenario.json"
    table = scenario().to_dict()
    sizes = {"kind": "fixed", "size": "30 kB"}
    web = {"name": "web", "rate": "5 /s", "size": sizes, "controller": {"kind": "cubic"}, "data": ["d"], "ack": ["u"]}
    given.write_text(Scenario({**table, "arrivals": [web]}).canonical)
    for option, what in (("--pcap", "captures"), ("--qlog", "traces")):
        assert main(["run", str(given), option, str(tmp_path / what)]) == 0
        assert f"note: {what} are of [[flow]] tables: web is not in them" in capsys.readouterr().err


def test_acknowledgements_without_packets_of_their_own_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, table = tmp_path / "scenario.json", scenario().to_dict()
    given.write_text(Scenario(table).canonical)
    for piggyback in (False, True):
        options = ["--set", "flow.x.piggyback=y"] if piggyback else []
        assert main(["run", str(given), "--pcap", str(tmp_path / f"captures-{piggyback}"), *options]) == 0
        said = "captures have no acknowledgements that data packets of another flow carry (piggyback of x)"
        assert (said in capsys.readouterr().err) == piggyback


def test_packets_longer_than_those_of_ipv4_are_refused(tmp_path: Path) -> None:
    """Headers of 40 B are in a capture whatever the scenario's are."""
    folder = tmp_path / "captures"
    for packet, header, fits in ((65_535, 40, True), (65_536, 40, False), (65_515, 20, True), (65_516, 20, False)):
        sizes = {"flow.x.packet": f"{packet} B", "flow.x.header": f"{header} B"}
        given = scenario().with_overrides(sizes)
        if fits:
            given.run_with(RunOptions(series=False, pcap=folder))
            continue
        with pytest.raises(InputError, match=r"flow\.x\.packet: a capture cannot have packets of 65,536 B"):
            given.run_with(RunOptions(series=False, pcap=folder))
        assert folder.is_dir(), "that of the last run"
    given.run_with(RunOptions(series=False))
    # nothing that is left out, or in no capture, is refused
    larger = scenario().with_overrides({"flow.x.packet": "70 kB", "flow.x.count": 0})
    larger.run_with(RunOptions(series=False, pcap=folder))
    sizes = {"kind": "fixed", "size": "300 kB"}
    web = {"name": "web", "rate": "5 /s", "size": sizes, "controller": {"kind": "cubic"}, "data": ["d"], "ack": ["u"]}
    arrivals = Scenario({**scenario().to_dict(), "arrivals": [web | {"packet": "70 kB"}]})
    arrivals.run_with(RunOptions(series=False, pcap=folder))


def test_captures_replace_captures_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    options = RunOptions(series=False, pcap=folder)
    scenario().run_with(options)
    first = (folder / captures.FILES[0]).read_bytes()
    scenario().run_with(options)
    assert (folder / captures.FILES[0]).read_bytes() == first, "the same run gives the same bytes"
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds more than captures: notes\.txt"):
        scenario().run_with(options)


def test_worlds_without_tcp_packets_have_no_captures(tmp_path: Path) -> None:
    given = tmp_path / "scenario.json"
    given.write_text(scenario().canonical)
    assert main(["run", str(given), "--world", "theory", "--pcap", str(tmp_path / "captures")]) == 2
    with pytest.raises(InputError, match="world quic has no TCP packets"):
        scenario().run_with(RunOptions(series=False, pcap=tmp_path / "captures"), "quic")
