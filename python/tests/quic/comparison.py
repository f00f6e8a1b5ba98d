"""One scenario over two foreign stacks: noq-proto in world `quic` and aioquic.

cd python/tests && python -m quic quic/scenarios/buffer-40.toml
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aioquic.quic.congestion.cubic import CubicCongestionControl
from aioquic.quic.congestion.reno import RenoCongestionControl

from eddyline.scenario import Scenario

from .controllers import CubicOfTheRfc, RenoToTheFirstLoss, WholeDatagrams
from .second_stack import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aioquic.quic.congestion.base import QuicCongestionControl

__all__ = ["AS_IT_IS", "SWITCHED", "Row", "aioquic", "rows", "world_quic"]

AS_IT_IS: dict[str, Callable[[int], QuicCongestionControl]] = {
    "newreno": lambda datagram: RenoCongestionControl(max_datagram_size=datagram),
    "cubic": lambda datagram: CubicCongestionControl(max_datagram_size=datagram),
}
SWITCHED: dict[str, Callable[[int], QuicCongestionControl]] = {
    "newreno": lambda datagram: WholeDatagrams(RenoToTheFirstLoss(max_datagram_size=datagram), datagram),
    "cubic": lambda datagram: WholeDatagrams(CubicOfTheRfc(datagram), datagram),
}


@dataclass(frozen=True)
class Row:
    """The first flow and the first link, after `warmup`."""

    goodput_bps: float
    rtt_s: float
    window_packets: float
    queue_packets: float
    drops: int


def world_quic(scenario: Scenario, controller: str) -> Row:
    """By noq-proto, with a kind of world `quic`."""
    table = scenario.to_dict()
    for flow in table["flow"]:
        flow["controller"] = {"kind": controller}
    result = Scenario(table).run("quic", series=False).to_dict()
    # counts are of the whole run
    before = Scenario(table | {"duration": table["warmup"], "warmup": "0 s"}).run("quic", series=False).to_dict()
    flow, link = result["flows"][0], result["links"][0]
    return Row(
        flow["goodput_bps"],
        flow["rtt_s"]["mean"],
        flow["window_packets"]["mean"],
        link["queue_packets"]["mean"],
        _drops(link) - _drops(before["links"][0]),
    )


def aioquic(scenario: Scenario, controller: Callable[[int], QuicCongestionControl]) -> Row:
    """By aioquic over links of our own."""
    outcome = run(scenario, dict.fromkeys(scenario.flows, controller))
    flow, link = outcome.flows[0], scenario.links[0]
    return Row(flow.goodput_bps, flow.rtt_s, flow.window_packets, outcome.queues[link], outcome.drops[link])


def rows(scenario: Scenario) -> Iterator[tuple[str, Row]]:
    """Both stacks with the first flow's law, `newreno` or `cubic`."""
    law = scenario.to_dict()["flow"][0]["controller"]["kind"]
    yield f"noq-proto, its own {law}", world_quic(scenario, f"noq-{law}")
    yield f"noq-proto, our {law}", world_quic(scenario, law)
    yield f"aioquic, its own {law}, rules switched", aioquic(scenario, SWITCHED[law])
    yield f"aioquic, its own {law}, as it is", aioquic(scenario, AS_IT_IS[law])


def _drops(link: dict[str, Any]) -> int:
    return int(sum(link["drops"].values()) + link["lost"])
