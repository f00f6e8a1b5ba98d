"""Random networks from a file, as scenarios, and their results in the simulator.

`stability-cases.json` holds sixty networks of the five hundred on which theory's dynamics are compared with its roots;
each has FAST flows with gamma from 0.1 to 1, half of them with one update a round trip, half as the module of ns-2 does
it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Row

__all__ = ["MARGIN", "SWING", "Case", "Sender", "cases", "swing"]

SWING = 0.03
"""A window whose standard deviation is above this share of its mean oscillates; whole packets alone make less."""


MARGIN = 0.02
"""Powers of e that a disturbance gains in a round trip: a model says that it oscillates from there on."""


@dataclass(frozen=True)
class Sender:
    """How flows send.

    Attributes:
        name: Its name in tables.
        pacing: The key `tcp.pacing`, if it is not the controller's own.
        start_up: Whether windows double while queueing is below FAST's threshold of 0.75 ms, or a microsecond only.
    """

    name: str
    pacing: bool | None = None
    start_up: bool = True


@dataclass(frozen=True)
class Case:
    """One network."""

    number: int
    table: dict[str, Any]

    @property
    def kind(self) -> str:
        """`one way`, `both ways` or `several queues`."""
        return str(self.table["kind"])

    @property
    def delays(self) -> str:
        """`equal` where all flows have the same propagation delay, as the letter assumes; else `unequal`."""
        paths = {(f["access_us"], tuple(f["data"]), tuple(f["ack"])) for f in self.table["flows"]}
        return "equal" if len(paths) == 1 else "unequal"

    @property
    def module(self) -> bool:
        """Whether its flows behave as the module of ns-2."""
        return self.table["flows"][0]["period_us"] is not None

    @property
    def senders(self) -> list[Sender]:
        """As published, paced; the same driven by acknowledgements; the module is driven by them anyway."""
        if self.module:
            return [Sender("module")]
        return [Sender("paced"), Sender("ACK-driven", pacing=False)]

    def own_growth(self, model: str) -> float:
        """What a disturbance gains in the longest round trip, as a power of e, by the roots of the senders' own law."""
        return float(self.table["growth_of_own_law"][model])

    def scenario(
        self, sender: Sender | None = None, times: tuple[float, float] = (1.0, 0.0), every: float = 0.0
    ) -> Scenario:
        """The case with these senders; `times` are duration and warm-up in seconds, `every` the spacing of series."""
        document: dict[str, Any] = {
            "title": f"stability, case {self.number}",
            "duration": f"{times[0]:.6f} s",
            "warmup": f"{times[1]:.6f} s",
            "link": [
                {"name": f"link {n}", "rate": f"{kbps} kbit/s", "delay": f"{us} us"}
                for n, (kbps, us) in enumerate(self.table["links_kbps_us"], 1)
            ],
            "flow": [_flow(n, f, sender) for n, f in enumerate(self.table["flows"], 1)],
        }
        if every:
            document["record"] = {"interval": f"{every:.6f} s"}
        return Scenario(document)

    def times(self, theory: Row) -> tuple[float, float]:
        """Duration and warm-up in seconds: start-up, ten time constants of the slowest window, sixty round trips."""
        slowest = 0.0
        for flow, settled in zip(self.table["flows"], theory["flows"], strict=True):
            rtt = settled["rtt_s"]["mean"]
            slowest = max(slowest, self.between(rtt) / flow["gamma"] * rtt / settled["queueing_delay_s"])
        longest = max(f["rtt_s"]["mean"] for f in theory["flows"])
        warmup = 40.0 * longest + 10.0 * slowest
        return warmup + 60.0 * longest, warmup

    def between(self, rtt: float) -> float:
        """Mean seconds between two updates of a window."""
        period = self.table["flows"][0]["period_us"]
        if period is None:
            return rtt
        seconds = 1e-6 * float(period)
        return 2.0 * seconds if seconds < rtt else seconds + rtt


def _flow(number: int, flow: dict[str, Any], sender: Sender | None) -> dict[str, Any]:
    controller: dict[str, Any] = {
        "kind": "fast",
        "alpha": f"{flow['alpha']:g} packets",
        "gamma": flow["gamma"],
        "base_rtt": "known",
    }
    if flow["period_us"] is not None:
        controller |= {"profile": "ns2-1.1.3", "update_period": f"{flow['period_us']} us"}
    if sender is not None and not sender.start_up:
        controller["mi_threshold"] = "1 us"
    table = {
        "name": f"flow {number}",
        "controller": controller,
        "data": [f"link {place + 1}" for place in flow["data"]],
        "ack": [f"link {place + 1}" for place in flow["ack"]],
        "packet": "1000 B",
        "header": "0 B",
        "ack_packet": "40 B",
        "access_delay": {"data": f"{flow['access_us']} us", "ack": "0 s"},
    }
    if sender is not None and sender.pacing is not None:
        table["tcp"] = {"pacing": sender.pacing}
    return table


def cases(folder: Path) -> list[Case]:
    """All of them."""
    tables = json.loads((folder / "stability-cases.json").read_text("utf-8"))
    return [Case(number, table) for number, table in enumerate(tables, 1)]


def swing(result: RunResult, warmup: float) -> float:
    """The largest standard deviation of a window after warm-up, as a share of its mean."""
    assert result.series is not None
    part = result.series
    part = part[(part["quantity"] == "cwnd_packets") & (part["time_s"] > warmup)]
    spread = part.groupby("entity", observed=True)["value"].agg(["std", "mean"])
    return float((spread["std"] / spread["mean"]).max())
