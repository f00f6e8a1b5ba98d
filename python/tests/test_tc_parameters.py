"""Parameters of queues in the lines of `eddyline tc`: each is set, or a note says that it is not."""

from __future__ import annotations

import contextlib
import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tc_lines import lines

from eddyline import _core
from eddyline.errors import ScenarioError

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
        ({"kind": "cake", "limit": "60 kB"}, "memlimit 60000 ", "limit by the memory that packets occupy"),
        ({"kind": "fq_codel", "memory_limit": "60 kB"}, "memory_limit 60000 ", "memory_limit by the memory that"),
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
