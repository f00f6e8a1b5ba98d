"""`eddyline tc`: the nearest tc and netem commands."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tc_lines import lines

from eddyline.adviser.tc import commands
from eddyline.cli import main
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("queue", "leaf"),
    [
        ({"kind": "droptail", "limit": "50 packets"}, "pfifo limit 50"),
        ({"kind": "droptail", "limit": "75 kB"}, "bfifo limit 75000"),
        ({"kind": "headdrop", "limit": "50 packets"}, "pfifo_head_drop limit 50"),
        ({"kind": "codel", "target": "8 ms"}, "codel limit 1000 target 8000us interval 100000us ecn"),
        ({"kind": "sfq", "quantum": "1514 B"}, "sfq limit 127 divisor 1024 perturb 0 quantum 1514"),
        (
            {"kind": "pie", "alpha": "0.25 /s"},
            "pie limit 1000 target 15000us tupdate 15000us alpha 4 beta 20 ecn",
        ),
    ],
)
def test_a_queue_is_the_discipline_of_its_kind(queue: dict[str, Any], leaf: str) -> None:
    last, path, notes = lines(queue)
    assert last == f"tc qdisc replace dev eth0 parent 1:1 handle 10: {leaf}"
    assert path == "tc qdisc replace dev ifb-d root netem limit 1000000 delay 20000us"
    assert not notes


def test_cake_shapes_by_itself() -> None:
    last, _, _ = lines({"kind": "cake", "rtt": "50 ms", "ack_filter": "aggressive"})
    assert last.startswith("tc qdisc replace dev eth0 root cake bandwidth 10000000bit besteffort")
    assert "rtt 50000us ack-filter-aggressive" in last


@pytest.mark.parametrize(
    ("device", "framing", "stab", "cake"),
    [
        ("eth0", None, "stab overhead -14 linklayer ethernet htb", "overhead 0"),
        ("ppp0", None, "htb", "overhead 0"),
        ("eth0", {"overhead": "38 B"}, "stab mpu 0 overhead 24 linklayer ethernet htb", "overhead 38 mpu 0 noatm"),
        ("ppp0", {"overhead": "38 B"}, "stab mpu 0 overhead 38 linklayer ethernet htb", "overhead 38 mpu 0 noatm"),
    ],
)
def test_rates_count_packets_as_the_scenario_does(device: str, framing: object, stab: str, cake: str) -> None:
    """Linux counts the header of Ethernet, which packets of a scenario do not have."""
    link: dict[str, Any] = {"name": "d", "rate": "10 Mbit/s", "delay": "20 ms"}
    if framing:
        link["framing"] = framing
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["d"]}
    for queue, first in (({"kind": "droptail"}, f"root handle 1: {stab} default 1"), ({"kind": "cake"}, cake)):
        scenario = Scenario({"duration": "1 s", "link": [link | {"queue": queue}], "flow": [flow]})
        emptied, line, *_ = commands(scenario, {"d": (device, "eth1")})[0].queue
        assert emptied == f"tc qdisc replace dev {device} root pfifo"
        assert line.endswith(first)


def linux_counts(tmp_path: Path, line: str, payload: int) -> int:
    """Bytes of a UDP datagram by the count of the discipline that a line sets up, on a device of its own."""
    script = tmp_path / "count.sh"
    sent = f"s.sendto(bytes({payload}), ('10.9.9.2', 9))"
    script.write_text(
        "set -e\n"
        "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6\n"
        "ip link add wan0 type veth peer name lan0\nip link set wan0 up\nip link set lan0 up\n"
        f"{line}\n"
        "ip addr add 10.9.9.1/24 dev wan0\nip neigh add 10.9.9.2 lladdr 02:00:00:00:00:01 dev wan0\n"
        f'{sys.executable} -c "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); {sent}"\n'
        "tc -s -j qdisc show dev wan0\n"
    )
    ran = subprocess.run(["unshare", "--net", "sh", str(script)], capture_output=True, text=True, check=False)
    if any(word in ran.stderr for word in ("unshare", "not permitted", "not found", "kind is unknown")):
        pytest.skip(f"no network namespace with this discipline: {ran.stderr.strip()[:100]}")
    assert ran.returncode == 0, ran.stderr
    return int(json.loads(ran.stdout)[0]["bytes"])


def test_linux_counts_what_the_scenario_counts(tmp_path: Path) -> None:
    link = {"name": "d", "rate": "10 Mbit/s", "delay": "20 ms"}
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["d"]}
    scenario = Scenario({"duration": "1 s", "link": [link], "flow": [flow]})
    root = "\n".join(commands(scenario, {"d": ("wan0", "lan0")})[0].queue[:2])
    for packet in (40, 1500):
        assert linux_counts(tmp_path, root, packet - 28) == packet


@pytest.mark.parametrize(
    ("queue", "line", "expected", "noted"),
    [
        # CAKE shapes to its own bandwidth, with its own framing
        (
            {"kind": "cake", "bandwidth": "9 Mbit/s", "framing": "pppoe-ptm"},
            {},
            "cake bandwidth 9000000bit besteffort triple-isolate rtt 100000us no-ack-filter memlimit 4194304 "
            "overhead 30 mpu 0 ptm",
            [],
        ),
        ({"kind": "cake"}, {"framing": "docsis"}, "bandwidth 10000000bit * overhead 18 mpu 64 noatm", []),
        ({"kind": "cake", "bandwidth": "9 Mbit/s"}, {}, "bandwidth 9000000bit * overhead 0", []),
        # 9 Mbit/s of packets without framing are more than 10 Mbit/s of cells
        (
            {"kind": "cake", "bandwidth": "9 Mbit/s"},
            {"framing": "pppoe-llcsnap"},
            "bandwidth 9000000bit * overhead 0",
            ["queue cake: the link is slower than its bandwidth for packets of 40 B, 52 B, 100 B, 576 B, 1500 B"],
        ),
        (
            {"kind": "tbf", "rate": "1 Mbit/s", "burst": "5 kB"},
            {},
            "tbf rate 1000000bit burst 5000 limit 1500000000",
            [],
        ),
        (
            {"kind": "tbf", "rate": "1 Mbit/s", "burst": "5 kB", "limit": "60 kB", "framing": "ethernet"},
            {},
            "tbf rate 1000000bit burst 5000 limit 61520",
            ["queue tbf: the link's rate counts", "queue tbf: tc counts its limit in bytes"],
        ),
        # 500 cells hold 500 / 32 full packets, each of which is 33 cells of 53 bytes on this line
        (
            {"kind": "droptail", "limit": "500 cells"},
            {"framing": "pppoe-llcsnap"},
            f"bfifo limit {500 / 32 * 33 * 53:.0f}",
            ["queue droptail: tc counts its limit in bytes, framing included"],
        ),
        (
            {"kind": "droptail", "limit": "75 kB"},
            {"framing": "pppoe-llcsnap"},
            f"bfifo limit {50 * 33 * 53}",
            ["queue droptail: tc counts its limit in bytes, framing included"],
        ),
        ({"kind": "headdrop", "limit": "75 kB"}, {}, "pfifo_head_drop limit 50", ["queue headdrop: tc counts"]),
        # a quantum of 1,514 bytes and 40 of overhead and trailer are 33 cells
        (
            {"kind": "fq_codel"},
            {"framing": "pppoe-llcsnap"},
            f"fq_codel limit 10240 flows 1024 quantum {33 * 53} * ecn",
            ["queue fq_codel: tc counts its quantum, and so the shares of flows, in bytes with framing"],
        ),
        (
            {"kind": "sfq", "quantum": "1500 B"},
            {"framing": "ethernet"},
            f"quantum {1500 + 38}",
            ["queue sfq: tc counts its quantum"],
        ),
    ],
)
def test_rates_and_limits_of_shapers_and_framed_links(
    queue: dict[str, Any], line: dict[str, Any], expected: str, noted: list[str]
) -> None:
    last, _, notes = lines(queue, **line)
    if queue["kind"] == "cake":
        noted = [*noted, "queue cake: this is triple-isolate"]
    begin, _, end = expected.partition(" * ")
    assert begin in last
    assert last.endswith(end or begin)
    assert [note.startswith(words) for note, words in zip(notes, noted, strict=True)] == [True] * len(noted), notes


@pytest.mark.parametrize(
    "queue",
    [
        {"kind": "tbf", "rate": "1 Mbit/s", "burst": "5 kB", "limit": "60 kB", "framing": "ethernet"},
        {"kind": "droptail", "limit": "500 cells"},
    ],
)
def test_linux_takes_the_lines(queue: dict[str, Any], tmp_path: Path) -> None:
    link = {"name": "d", "rate": "10 Mbit/s", "delay": "20 ms", "queue": queue, "framing": "pppoe-llcsnap"}
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["d"]}
    scenario = Scenario({"duration": "1 s", "link": [link], "flow": [flow]})
    # an IP packet of 1,026 B: 23 cells of 53 B over PPPoE, or a frame of 1,064 B
    counted = linux_counts(tmp_path, "\n".join(commands(scenario, {"d": ("wan0", "lan0")})[0].queue), 998)
    assert counted == (1064 if queue["kind"] == "tbf" else 23 * 53)


def test_loss_and_jitter_are_netems() -> None:
    jitter = {"kind": "normal", "sd": "2 ms"}
    _, path, notes = lines({"kind": "droptail"}, loss=0.01, jitter=jitter)
    # the mean of jitter without one is four standard deviations, on top of 20 ms
    assert path.endswith("netem limit 1000000 delay 28000us 2000us distribution normal loss random 1%")
    assert any("reorder" in note for note in notes)
    bursts = {"kind": "gilbert-elliott", "p": 0.01, "r": 0.25}
    _, path, _ = lines({"kind": "droptail"}, loss=bursts)
    assert path.endswith("loss gemodel 1% 25% 100% 0%")


@pytest.mark.parametrize(
    ("jitter", "netem", "noted"),
    [
        ({"kind": "normal", "sd": "2 ms", "mean": "20 ms"}, "delay 40000us 2000us distribution normal", []),
        ({"kind": "exponential", "mean": "5 ms"}, "delay 25000us 5000us distribution pareto", ["jitter exponential"]),
        (
            {"kind": "normal", "sd": "1 ms", "mean": "30 ms", "correlation": "50 ms"},
            "delay 50000us 1000us distribution normal",
            ["jitter correlation"],
        ),
        # tc refuses a distribution without a delay or a jitter
        ({"kind": "normal", "sd": "0 s", "mean": "20 ms"}, "delay 40000us", []),
        (
            {"kind": "exponential", "mean": "100 ns"},
            "delay 20000us 1us distribution pareto",
            ["jitter exponential", "delay", "jitter"],
        ),
    ],
)
def test_jitter_is_part_of_netems_mean_delay(jitter: dict[str, str], netem: str, noted: list[str]) -> None:
    _, path, notes = lines({"kind": "droptail"}, jitter=jitter, reorder=True)
    assert path.endswith(f"netem limit 1000000 {netem}")
    assert [note.partition(":")[0] for note in notes] == noted


@pytest.mark.parametrize(("delay", "written"), [("300 ns", "1us"), ("1 h", "274877906us")])
def test_delays_are_some_that_netem_takes(delay: str, written: str) -> None:
    _, path, notes = lines({"kind": "droptail"}, delay=delay)
    assert path.endswith(f" delay {written}")
    assert [note.partition(",")[0] for note in notes] == ["delay: netem takes whole microseconds up to 275 s"]


def test_the_rate_makes_up_for_packet_transfer_mode_without_cake_only() -> None:
    said = "framing: a size table has no packet transfer mode; take 1/65 off the rate"
    _, _, notes = lines({"kind": "droptail"}, framing="pppoe-ptm")
    assert notes == [said]
    last, _, notes = lines({"kind": "cake", "isolation": "flows"}, framing="pppoe-ptm")
    assert "besteffort flows" in last
    assert last.endswith("overhead 30 mpu 0 ptm")
    assert not notes


def test_links_that_only_their_own_packets_and_folder_allow_have_lines(tmp_path: Path) -> None:
    """ACKs fit where full packets do not, and a recording is beside the scenario, not in the folder of work."""
    (tmp_path / "rates.csv").write_text("time_s,rate_bps\n0,5e6\n1,1e7\n")
    queue = {"kind": "droptail", "limit": "2 cells"}
    trace = {"kind": "csv", "file": "rates.csv"}
    links = [{"name": "d", "delay": "5 ms", "trace": trace}, {"name": "u", "rate": "1 Mbit/s", "delay": "5 ms"}]
    links[1]["queue"] = queue
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["u"]}
    (tmp_path / "s.json").write_text(json.dumps({"duration": "1 s", "link": links, "flow": [flow]}))
    scenario = Scenario.load(tmp_path / "s.json")
    down, up = commands(scenario, {"d": ("eth0", "eth1"), "u": ("eth1", "eth0")})
    assert "htb rate 7500000bit" in down.queue[-2]
    assert down.notes == ["trace: tc has nothing like it"]
    assert up.queue[-1].endswith("bfifo limit 94")


def test_an_access_link_has_the_queues_of_its_preset() -> None:
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["home/down"], "ack": ["home/up"]}
    scenario = Scenario({"duration": "1 s", "duplex": [{"name": "home", "preset": "docsis-3.1"}], "flow": [flow]})
    found = commands(scenario, {"home/down": ("eth0", "eth1"), "home/up": ("eth1", "eth0")})
    assert [each.link for each in found] == ["home/down", "home/up"]
    assert "ip link add ifb-home-down type ifb" in found[0].path


def test_links_with_long_or_odd_names_have_devices_of_their_own() -> None:
    names = ["headquarters/down", "headquarters/up", "headquarters/x", "a b", "a-b"]
    links = [{"name": name, "rate": "1 Mbit/s", "delay": "5 ms"} for name in names]
    load = {"name": "load", "path": names, "model": {"kind": "cbr", "rate": "1 kbit/s"}}
    scenario = Scenario({"duration": "1 s", "link": links, "traffic": [load]})
    found = commands(scenario, dict.fromkeys(names, ("eth0", "eth1")))
    devices = [each.path[0].split()[3] for each in found]
    assert devices == ["ifb-headquarter", "ifb-headquart-2", "ifb-headquart-3", "ifb-a-b", "ifb-a-b-2"]


def test_damage_is_netems_and_a_policer_is_named() -> None:
    policer = {"rate": "5 Mbit/s", "burst": "20 kB"}
    _, path, notes = lines({"kind": "droptail"}, corrupt=0.01, policer=policer)
    assert path.endswith("corrupt 1%")
    assert notes == ["policer: these lines have none; tc-police(8) polices by a token bucket"]


def test_what_tc_cannot_express_is_said() -> None:
    outages = [{"start": "1 s", "length": "1 s"}]
    last, _, notes = lines({"kind": "ack_filter", "limit": "50 packets"}, outages=outages)
    assert last.endswith("pfifo limit 50")
    assert any("no discipline of tc is the same" in note for note in notes)
    assert "outages: tc has nothing like it" in notes


def test_the_command_prints_lines_for_a_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = tmp_path / "two-way.toml"
    assert main(["init", str(given)]) == 0
    capsys.readouterr()
    assert main(["tc", str(given), "--device", "down=wan0,lan0"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed
    assert all(line.startswith(("tc ", "ip ", "# ")) for line in printed)
    assert any("dev wan0 root" in line for line in printed)
    assert "(ethtool -K DEVICE tso off gso off gro off)" in printed[-2]
    assert printed[-1].startswith("# send from other machines than this one")
    assert not any("for each link" in line for line in printed), "one link only has no devices"
    assert main(["tc", str(given)]) == 0
    assert "set $LEAVE and $ARRIVE anew for each link" in capsys.readouterr().out.splitlines()[0]
    assert main(["tc", str(given), "--device", "dwn=wan0,lan0"]) == 2
    assert "did you mean" in capsys.readouterr().err
    for wrong in ("down=wan0;reboot,lan0", "down=wan0,$(id)", "down=a-very-long-interface,lan0"):
        assert main(["tc", str(given), "--device", wrong]) == 2
        assert "is not the name of an interface" in capsys.readouterr().err
    assert main(["tc", str(given), "--device", "down=wan0,lan0", "--device", "down=wan1,lan0"]) == 2


@pytest.mark.parametrize(
    ("up", "delay", "said"),
    [
        ("wan0,lan0", "10 ms", "packets of link down leave by wan0 too"),
        ("wan0,lan1", "10 ms", "packets of link down leave by wan0 too"),
        ("wan1,lan0", "10 ms", "packets of link down arrive by lan0 too"),
        ("wan1,lan0", "0 s", None),  # nothing is set up where packets of a link without delay arrive
        ("lan0,wan0", "10 ms", None),
    ],
)
def test_links_that_would_replace_each_other_are_refused(
    up: str, delay: str, said: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "two-way.toml"
    assert main(["init", str(given)]) == 0
    capsys.readouterr()
    asked = ["tc", str(given), "--set", f"link.up.delay={delay}", "--device", "down=wan0,lan0", "--device", f"up={up}"]
    assert main(asked) == (2 if said else 0)
    streams = capsys.readouterr()
    if said is not None:
        assert streams.out == ""
        assert f"--device up={up}: {said}" in streams.err


def test_a_medium_is_said_to_be_missing() -> None:
    link = {"rate": "10 Mbit/s", "delay": "5 ms", "medium": "air"}
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["u"]}
    scenario = Scenario({"duration": "1 s", "link": [{"name": n} | link for n in "du"], "flow": [flow]})
    for found in commands(scenario, {"d": ("eth0", "eth1"), "u": ("eth1", "eth0")}):
        assert "medium: tc has nothing like it" in found.notes
