"""Other simulators at the same work: ns-2 and ns-3 as Debian packages them, driven by `benches/peers`."""

from __future__ import annotations

import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import child

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.workloads import Settings

__all__ = ["PEERS", "Peer", "arguments", "work_done"]

_HERE = Path(__file__).resolve().parent.parent / "peers"
_NS3_LIBRARIES = ("applications", "internet", "point-to-point", "network", "core")
_UNITS = {"s": 1.0, "ms": 1e-3, "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "packets": 1.0, "B": 1.0}


@dataclass(frozen=True)
class Peer:
    """One other simulator."""

    name: str
    prepare: Callable[[Path], list[str]]
    """Gives the command's beginning; builds in a folder what must be built.

    Raises `MissingError` where it is not installed.
    """
    capped: bool = False
    """So slow that CPU time, not the scenario's duration, ends its runs."""


def _ns2(headers: str) -> Callable[[Path], list[str]]:
    def prepare(_: Path) -> list[str]:
        if not shutil.which("ns"):
            raise child.MissingError("ns-2 is not installed (Debian package ns2)")
        return ["ns", str(_HERE / "ns2.tcl"), f"headers={headers}"]

    return prepare


def _ns3(folder: Path) -> list[str]:
    if not Path("/usr/include/ns3/core-module.h").exists():
        raise child.MissingError("ns-3 is not installed (Debian package libns3-dev)")
    if not shutil.which("g++"):
        raise child.MissingError("ns-3 needs g++")
    driver = folder / "ns3"
    if not driver.exists():
        libraries = [f"-lns3-{name}" for name in _NS3_LIBRARIES]
        child.run(["g++", "-O2", "-std=c++17", _HERE / "ns3.cc", "-o", driver, *libraries])
    return [str(driver)]


PEERS = (
    Peer("ns-2", _ns2("all")),
    Peer("ns-2 lean", _ns2("few")),
    Peer("ns-3", _ns3, capped=True),
)


def arguments(file: Path, settings: Settings, duration: str | None, cap_s: float) -> list[str]:
    """The drivers' arguments, from the scenario file that Eddyline runs."""
    with file.open("rb") as stream:
        scenario = tomllib.load(stream)
    for key, value in settings:
        _set(scenario, key.split("."), value)
    forward, backward = scenario["link"]
    flows = scenario["flow"]
    packet = _number(flows[0]["packet"])
    payload = int(packet) - 40
    window = _number(flows[0].get("receive_window", "0 B")) // payload
    given: dict[str, object] = {
        "duration": _number(duration or scenario["duration"]),
        "payload": payload,
        "header": 40,
        "ack": 40,
        "initial_window": 10,
        "ack_every": 2 if flows[0].get("delayed_ack") else 1,
        "ack_timer": 0.2,
        "min_rto": 0.2,
        "stagger": max(_number(flow.get("stagger", "0 s")) for flow in flows),
        "window": int(window),
        "cap_s": cap_s,
    }
    room = 0.0
    for way, link in (("forward", forward), ("backward", backward)):
        count = sum(flow.get("count", 1) for flow in flows if flow["data"] == [link["name"]])
        limit, unit = link["queue"]["limit"].split()
        rate, delay = _number(link["rate"]), _number(link["delay"])
        in_packets = float(limit) / (packet if unit == "B" else 1)
        room = max(room, (2 * delay * rate / 8 / packet + in_packets) / max(count, 1))
        given |= {
            f"{way}_bps": int(rate),
            f"{way}_delay": delay,
            f"{way}_limit": int(limit),
            f"{way}_unit": unit,
            f"{way}_flows": count,
        }
    # ns-3 fills all of it at once; four times a flow's fair share of path and queue does not limit it
    given["buffer"] = max(int(4 * room * payload), 64 * payload)
    return [f"{key}={value}" for key, value in given.items()]


def work_done(output: str) -> tuple[int, float]:
    """Data packets delivered and seconds simulated, as a driver prints them."""
    values = dict(re.findall(r"^(\w+) ([\d.e+-]+)$", output, re.MULTILINE))
    return int(values["data_packets"]), float(values["simulated_s"])


def _number(quantity: str) -> float:
    value, unit = quantity.split()
    return float(f"{float(value) * _UNITS[unit]:.12g}")


def _set(scenario: dict[str, Any], path: list[str], value: str) -> None:
    """Sets `link.NAME.key...` or `flow.NAME.key...`."""
    kind, name, *keys, last = path
    table = next(t for t in scenario[kind] if t["name"] == name)
    for key in keys:
        table = table[key]
    table[last] = value
