"""Scenarios of world `quic` over aioquic."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from eddyline.quantities import read

from .connection import Transfer
from .path import Link, VirtualTime

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aioquic.quic.congestion.base import QuicCongestionControl

    from eddyline.scenario import Scenario

__all__ = ["Flow", "Outcome", "run"]


@dataclass(frozen=True)
class Flow:
    """One flow of a run, from `warmup` on, but for `sent`."""

    goodput_bps: float
    rtt_s: float
    window_packets: float
    sent: list[tuple[float, int]]
    """Time and size of each packet of the sender."""


@dataclass(frozen=True)
class Outcome:
    flows: list[Flow]
    queues: dict[str, float]
    """Mean of waiting packets, by link."""
    drops: dict[str, int]
    """Packets dropped or lost, by link."""


def run(scenario: Scenario, controllers: Mapping[str, Callable[[int], QuicCongestionControl]]) -> Outcome:
    """Runs bulk flows over a link each way; each flow has the controller that `controllers` gives its name."""
    table = scenario.to_dict()
    duration, warmup = (read(key, "time", table[key]) for key in ("duration", "warmup"))
    time = VirtualTime()
    links = {link["name"]: _link(time, link, warmup) for link in table["link"]}
    transfers: list[Transfer] = []
    for flow in table["flow"]:
        assert flow["application"] == {"kind": "bulk"}, flow
        (data,), (ack,) = flow["data"], flow["ack"]
        packet, header = (round(read(key, "bytes", flow[key])) for key in ("packet", "header"))
        transfers.append(
            Transfer(
                time,
                f"{flow['name']} of {len(transfers)}",
                controllers[flow["name"]],
                links[data],
                links[ack],
                datagram=packet - header,
                header=header,
                acknowledge_each=flow["tcp"].get("ack_every", 1) == 1,
                size=round(links[data].rate_bps * duration / 8),
                start=read("start", "time", flow["start"]),
                measured_from=warmup,
            )
        )
    time.run(duration)
    window = duration - warmup
    flows = []
    for transfer, flow in zip(transfers, table["flow"], strict=True):
        measured = transfer.finish()
        datagram = read("packet", "bytes", flow["packet"]) - read("header", "bytes", flow["header"])
        flows.append(
            Flow(
                measured.delivered_bytes * 8 / window,
                fmean(measured.rtts),
                measured.window_seconds / window / datagram,
                measured.sent,
            )
        )
    return Outcome(
        flows,
        {name: link.mean_queue() for name, link in links.items()},
        {name: link.drops + link.lost for name, link in links.items()},
    )


def _link(time: VirtualTime, table: dict[str, Any], warmup: float) -> Link:
    known = {"name", "rate", "delay", "queue", "loss"}
    assert table.keys() <= known, table.keys() - known
    queue, loss = table["queue"], table["loss"]
    assert queue["kind"] == "droptail", queue
    limit = float("inf") if queue["limit"] == "unlimited" else read("limit", "packets", queue["limit"])
    every = None
    if loss != 0.0:
        assert loss["kind"] == "periodic", loss
        every = loss["every"]
    return Link(time, read("rate", "rate", table["rate"]), read("delay", "time", table["delay"]), limit, every, warmup)
