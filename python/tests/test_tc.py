"""`eddyline tc`: the nearest tc and netem commands."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from eddyline import _core
from eddyline.adviser.tc import commands
from eddyline.cli import main
from eddyline.errors import ScenarioError
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path

QUEUES = {
    entry["properties"]["kind"]["const"]: entry["properties"]
    for entry in json.loads(_core.schema())["$defs"]["QueueParams"]["oneOf"]
}
REQUIRED: dict[str, dict[str, Any]] = {
    "tbf": {"rate": "1 Mbit/s", "burst": "5 kB"},
    "ack_decimation": {"threshold": "40 packets", "drop": {"kind": "every", "keep_one_in": 2}},
}
OTHER: dict[str | None, Any] = {
    "time": "7 ms",
    "bytes": "6 kB",
    "rate": "3 Mbit/s",
    "frequency": "0.5 /s",
    "packets": "9 packets",
    "queue-limit": "9 packets",
    "uint32": 33,
    "double": 0.25,
    "phi": 1.25,
    "framing": "docsis",
    "target_delay": "20 ms",
    "isolation": "flows",
    "ack_filter": "aggressive",
    "rule": "aggressive",
    "place": "tail",
    "not_capable": "drop",
}
"""Values that are no default, by format and by key."""
ENDS: dict[str | None, tuple[Any, ...]] = {
    "time": ("0 s", "100 ns", "100 us", "1 ms", "1 min", "1 h", "200 d"),
    "bytes": ("0 B", "1 B", "64 B", "1 GB", "1e6 GB"),
    "rate": ("1 bit/s", "10 Tbit/s"),
    "frequency": ("0 /s", "1e9 /s"),
    "packets": ("0 packets", "1e6 packets", "1e15 packets"),
    "queue-limit": ("1 packets", "1500 B", "32 cells", "1e15 packets", "1e15 B", "1e14 cells", "unlimited"),
    "uint32": (1, 65536),
    "double": (0, 1e-9, 0.999999, 1, 1e9),
}
"""The least and the most of each format, of a key or another."""


def lines(queue: dict[str, Any], **more: Any) -> tuple[str, str, list[str]]:
    """The last line of the queue's commands, that of the path's, and the notes."""
    link = {"name": "d", "rate": "10 Mbit/s", "delay": "20 ms", "queue": queue, **more}
    back = {"name": "u", "rate": "1 Gbit/s", "delay": "0 s"}
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["d"], "ack": ["u"]}
    scenario = Scenario({"duration": "1 s", "link": [link, back], "flow": [flow]})
    found = commands(scenario, {"d": ("eth0", "eth1"), "u": ("eth1", "eth0")})
    assert not found[1].path, "a link without delay needs no netem"
    return found[0].queue[-1], found[0].path[-1], found[0].notes


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


@pytest.mark.parametrize(
    ("queue", "expected", "noted"),
    [
        ({"kind": "red"}, " ecn harddrop", ["in bytes", "gentle", "weight"]),
        ({"kind": "red", "gentle": False, "hard_drop": False}, " ecn", ["in bytes", "weight"]),
        ({"kind": "red", "gentle": False, "ecn": False}, "burst 48", ["in bytes", "weight"]),
        ({"kind": "red", "gentle": False, "ecn": False, "weight": 1 / 512}, "burst 48", ["in bytes"]),
        # with an average packet of a full one tc would find no weight; with its ratio, idle times count the same
        (
            {"kind": "red", "gentle": False, "weight": 1 / 512, "min_threshold": "1 packets"},
            "min 1500 max 22500 avpkt 187 bandwidth 1246667bit probability 0.1 burst 63 ecn harddrop",
            ["in bytes"],
        ),
        # 23 bits of the threshold and 9 of the weight are one too many
        (
            {"kind": "red", "gentle": False, "min_threshold": "5 MB", "max_threshold": "5 MB", "limit": "9 MB"},
            "avpkt 1500 bandwidth 10000000bit probability 0.1 burst 3461 ecn harddrop",
            ["from 1/256 on with these thresholds: 1/256 for the scenario's 0.002"],
        ),
        (
            {"kind": "red", "gentle": False, "weight": 1 / 512, "max_p": 1},
            "probability 0.999999 burst 48 ecn harddrop",
            ["in bytes"],
        ),
        (
            {"kind": "red", "gentle": False, "weight": 1 / 512, "limit": "60 kB", "typical_packet": "500 B"},
            "limit 60000 min 2500 max 7500 avpkt 500 bandwidth 10000000bit probability 0.1 burst 48 ecn harddrop",
            ["min_threshold, max_threshold in bytes: here those of packets of 500 B"],
        ),
        (
            {"kind": "codel", "limit": "60 kB"},
            "codel limit 40 target 5000us interval 100000us ecn",
            ["limit in packets"],
        ),
        # zero would be the default
        (
            {"kind": "codel", "target": "100 ns", "mtu": "9 kB"},
            "codel limit 1000 target 1us interval 100000us ecn",
            ["target in whole microseconds from 1", "no mtu: Linux takes the device's for the scenario's 9 kB"],
        ),
        ({"kind": "fq_codel", "limit": "100 packets"}, " ecn", []),
        ({"kind": "fq_codel", "quantum": "64 B"}, " ecn", ["quantum in whole bytes from 256 to 1048576"]),
        (
            {"kind": "pie", "alpha": "0 /s", "beta": "3 /s", "max_burst": "100 ms", "max_ecn": 1, "update": "500 us"},
            "pie limit 1000 target 15000us tupdate 500us alpha 1 beta 32 ecn",
            [
                "alpha in whole sixteenths",
                "beta in whole",
                "Linux takes 150 ms for",
                "no max_ecn",
                "ticks of its clock",
            ],
        ),
        (
            {"kind": "dualpi2"},
            "dualpi2 limit 10000 target 15000us tupdate 15000us alpha 0.1484375 beta 3 coupling_factor 2"
            " step_thresh 1000us min_qlen_step 1 classic_protection 10%",
            ["ramp", "Linux 6.17"],
        ),
        (
            {"kind": "dualpi2", "ramp_range": "0 s", "coupling": 0.4, "classic_weight": 0.126, "max_rtt": "10 s"},
            "alpha 0.00390625 beta 0.03125 coupling_factor 1 step_thresh 800us min_qlen_step 1 classic_protection 13%",
            ["Linux 6.17", "coupling in whole", "classic_weight in whole percent", "alpha in parts of 1/256: 1 for"],
        ),
        (
            {"kind": "dualpi2", "ramp_range": "0 s", "ramp_packets": "0 packets"},
            " step_thresh 800us min_qlen_step 0 classic_protection 10%",
            ["Linux 6.17"],
        ),
        (
            {"kind": "sfq", "limit": "60 kB"},
            "sfq limit 40 divisor 1024 perturb 0",
            ["limit in packets", "not one packet"],
        ),
        (
            {"kind": "sfq", "quantum": "500 B", "perturb": "400 ms", "queues": 1000, "drop": "head"},
            "sfq limit 127 divisor 1024 perturb 1 quantum 500 headdrop",
            ["powers of two of queues: 1024 for the scenario's 1000", "perturb in whole seconds"],
        ),
        (
            {"kind": "sfq", "quantum": "500 B", "limit": "1000 packets"},
            "sfq limit 1000 divisor 1024 perturb 0 flows 1024 quantum 500",
            ["127 packets of each queue"],
        ),
        (
            {"kind": "per_connection", "each": "20 packets"},
            "pfifo limit 20",
            ["have a plain queue (each 20 packets), without quantum 1500 B"],
        ),
        # from 10 packets on, as RED with equal thresholds; `nodrop` is for packets that cannot be marked
        (
            {"kind": "step", "threshold": "9 packets"},
            "limit 1500000 min 15000 max 15000 avpkt 1500 bandwidth 10000000bit probability 0.1 burst 10 ecn nodrop",
            [
                "limit in bytes",
                "1/2 for 1 (the queue as it is)",
                "equal thresholds, 15000 bytes for threshold 9 packets",
            ],
        ),
        (
            {"kind": "step", "threshold": "15 kB", "limit": "90 kB", "not_capable": "drop"},
            "limit 90000 min 15001 max 15001 avpkt 1501 bandwidth 10000000bit probability 0.1 burst 10 ecn",
            ["1/2 for 1 (the queue as it is)", "equal thresholds, 15001 bytes for threshold 15000 B"],
        ),
        # what finds 49 waiting is not above, what finds 50 is dropped
        (
            {"kind": "step", "threshold": "49 packets", "limit": "50 packets"},
            "pfifo limit 50",
            ["limit in bytes", "nothing is marked, threshold 49 packets leaves no room for it below limit 50 packets"],
        ),
        (
            {"kind": "step", "threshold": "48 packets", "limit": "50 packets"},
            "limit 75000 min 73500 max 73500 avpkt 1500 bandwidth 10000000bit probability 0.1 burst 49 ecn nodrop",
            ["limit in bytes", "1/2 for 1 (the queue as it is)", "equal thresholds, 73500 bytes"],
        ),
        (
            {"kind": "step", "threshold": "2 GB", "limit": "unlimited"},
            "pfifo limit 1000000",
            ["nothing is marked, RED has thresholds of 536870911 bytes at most"],
        ),
        # half of what 10 Mbit/s sends in 15 ms is 6.25 packets; the weight has a time constant of a second, 833 packets
        (
            {"kind": "adaptive_red", "target_delay": "15 ms"},
            "min 9375 max 28125 avpkt 1500 bandwidth 10000000bit probability 0.1 burst 76 ecn harddrop adaptive",
            ["limit in bytes", "of 6.25 and 18.75 packets", "1/1024 for 0.0012 (a time constant of 1 s)", "gentle"],
        ),
        # five packets at least
        (
            {"kind": "adaptive_red", "interval": "1 s", "ecn": False, "limit": "5 packets"},
            "limit 7500 min 7500 max 22500 avpkt 1500 bandwidth 10000000bit probability 0.1 burst 66 adaptive",
            [
                "no interval: Linux takes 500 ms for the scenario's 1 s",
                "limit in bytes",
                "of 5 and 15 packets",
                "weights",
                "nothing is marked or dropped early, since limit 5 packets is not above the lower threshold",
                "gentle",
            ],
        ),
        ({"kind": "cake", "isolation": "flows", "framing": "docsis"}, " overhead 0", ["its framing counts in"]),
    ],
)
def test_parameters_of_queues_are_set_or_commented(queue: dict[str, Any], expected: str, noted: list[str]) -> None:
    last, _, notes = lines(queue)
    assert last.endswith(expected)
    assert len(notes) == len(noted), notes
    assert all(any(word in note for note in notes) for word in noted), notes


def queue_with(kind: str, key: str, value: Any) -> dict[str, Any]:
    """A queue with a value; RED's thresholds have one unit, and these are equal."""
    keys = ("min_threshold", "max_threshold") if key.endswith("_threshold") else (key,)
    return {"kind": kind, **REQUIRED.get(kind, {}), **dict.fromkeys(keys, value)}


@pytest.mark.parametrize("kind", QUEUES)
def test_every_parameter_of_a_queue_is_in_its_line_or_noted(kind: str) -> None:
    plain = lines({"kind": kind, **REQUIRED.get(kind, {})})
    for key in QUEUES[kind].keys() - {"kind"}:
        schema = QUEUES[kind][key]
        if key == "drop":
            value: Any = "head" if kind == "sfq" else {"kind": "random", "probability": 0.5}
        elif schema.get("type") == "boolean":
            value = not schema["default"]
        else:
            value = OTHER.get(key, OTHER.get(schema.get("format")))
        assert lines({"kind": kind, **REQUIRED.get(kind, {}), key: value}) != plain, key


@pytest.mark.parametrize("kind", QUEUES)
def test_limits_have_lines_in_every_unit(kind: str) -> None:
    for key, schema in QUEUES[kind].items():
        if schema.get("format") == "queue-limit":
            units = ["200 packets", "200 cells", "300000 B", "0.3 MB"]
            units += [] if key.endswith("_threshold") else ["unlimited"]
            units += ["50 ms", "2 BDP", "1 BDP of x", "1 BDP of 40 ms"] if key == "limit" else []
            for unit in units:
                assert lines(queue_with(kind, key, unit))[0].startswith("tc qdisc"), (key, unit)


@pytest.mark.parametrize(
    ("queue", "expected", "noted"),
    [
        (
            {"kind": "cake", "limit": "200 packets"},
            "memlimit 300000 ",
            "limit in bytes: here those of packets of 1500 B",
        ),
        ({"kind": "cake", "limit": "64 cells"}, "memlimit 3000 ", "limit in bytes: here those of packets of 1500 B"),
        ({"kind": "cake", "limit": "unlimited"}, "memlimit 1500000000 ", ""),
        # 32 cells hold a full packet
        (
            {"kind": "red", "min_threshold": "64 cells", "max_threshold": "320 cells"},
            "min 3000 max 15000 ",
            "its min_threshold, max_threshold, limit in bytes: here those of packets of 1500 B",
        ),
        ({"kind": "tbf", "rate": "1 Mbit/s", "burst": "5 kB", "limit": "64 cells"}, "limit 3000", "limit in bytes"),
        ({"kind": "droptail", "limit": "5 GB"}, "bfifo limit 4294967295", "limit in whole bytes from 1 to 4294967295"),
    ],
)
def test_limits_are_in_the_units_of_tc(queue: dict[str, Any], expected: str, noted: str) -> None:
    last, _, notes = lines(queue)
    assert expected in last
    assert any(noted in note for note in notes), notes


def test_a_rate_is_a_byte_per_second_at_least() -> None:
    assert lines({"kind": "cake", "isolation": "flows"}, rate="1 bit/s")[0].count("bandwidth 8bit")
    assert lines({"kind": "droptail"}, rate="1 bit/s")[2] == ["rate: tc takes 8 bit/s at least"]


def test_tc_takes_the_ends_of_what_queues_may_have(tmp_path: Path) -> None:
    """Where Linux does not have a discipline, its options are read nevertheless."""
    written = []
    for kind, schemas in QUEUES.items():
        for key, schema in schemas.items():
            for value in ENDS.get(schema.get("format"), ()):
                with contextlib.suppress(ScenarioError):  # not in its bounds
                    written.append(lines(queue_with(kind, key, value))[0])
    assert len(written) > 200
    options = [line.partition("handle 10: ")[2] or line.partition("root ")[2] for line in written]
    batch = tmp_path / "batch"
    # sfq cannot be changed, only replaced by another
    batch.write_text("".join(f"qdisc replace dev lo root {each}\n" for own in options for each in ("pfifo", own)))
    tried = ["unshare", "--net", "sh", "-c", f"tc -V > /dev/null && tc -force -batch {batch}; test $? -le 2"]
    ran = subprocess.run(tried, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"no network namespace with tc: {ran.stderr.strip()[:100]}")
    harmless = ("kind is unknown", 'Unknown qdisc "dualpi2"', "RED: WARNING", "Command failed")
    assert not [line for line in ran.stderr.splitlines() if not any(words in line for words in harmless)]


def test_red_has_the_weight_of_the_scenario_and_the_rate_of_the_link() -> None:
    """In 48 packets the average stays below 5 if 48 + 1 - 5 = 44 <= (1 - (1 - w)^48) / w: 1/512; 1/256 has 43.85."""
    last, _, notes = lines({"kind": "red", "weight": 0.002})
    assert "avpkt 1500 bandwidth 10000000bit probability 0.1 burst 48" in last
    assert any("tc's weights are powers of two: 1/512 for the scenario's 0.002" in note for note in notes)


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
