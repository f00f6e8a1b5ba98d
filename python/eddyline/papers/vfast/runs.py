"""The runs of the exhibits: scenario, sender, round trip, recovery, reading of the paper, phase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import eddyline._core as _core
from eddyline.papers.runner import Run
from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from eddyline.papers.runner import RunResult

__all__ = [
    "DEFAULT",
    "FAST",
    "FLOWS",
    "JOINING",
    "KINDS",
    "PHASES",
    "RECOVERY",
    "SENDERS",
    "VFAST",
    "Case",
    "Phase",
    "Reading",
    "equilibrium_rates",
    "true_base_rtt",
]

FAST, VFAST = "FAST", "VFAST"
SENDERS = (FAST, VFAST)
KINDS = {FAST: "fast", VFAST: "vfast"}
FLOWS = ("flow 1", "flow 2", "flow 3")
SETTLING_S = 5.0
"""Time at the start of a phase that means leave out; as in the runs of ns-2 that they are compared with."""


@dataclass(frozen=True)
class Phase:
    """A stretch of time in which no flow joins or leaves."""

    start: float
    stop: float
    flows: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name in tables."""
        return f"{self.start:g} to {self.stop:g} s"


PHASES = (
    Phase(0, 20, FLOWS[:1]),
    Phase(20, 40, FLOWS[:2]),
    Phase(40, 60, FLOWS),
    Phase(60, 80, FLOWS[:2]),
    Phase(80, 100, FLOWS[:1]),
)
"""Of scenarios I, III and IV (figures 3, 12 and 14)."""

JOINING = (
    Phase(0, 20, ("flow 1",)),
    Phase(20, 40, ("flow 1", "flow 2")),
    Phase(40, 60, ("flow 1", "flow 2", "flow 3")),
    Phase(60, 100, ("flow 1", "flow 2", "flow 3", "flow 4")),
)
"""Of scenario II (figure 8)."""

RECOVERY: dict[str, tuple[tuple[str, str], ...]] = {
    "SACK": (),
    "NewReno": (("sack", "false"), ("rack", "false")),
    "timer": (("sack", "false"), ("rack", "false"), ("fast_retransmit", "false"), ("min_rto", "134 ms")),
}
"""How losses are repaired. `timer`: as the ns-2 module does where a receiver has no SACK; its timeout of 200 ms is
134 ms above a round trip of 66 ms."""


@dataclass(frozen=True)
class Reading:
    """One way to read the paper: changes to VFAST's parameters."""

    name: str
    changes: tuple[tuple[str, str], ...] = ()


DEFAULT = Reading("default")
"""Eq. 4 on every ACK, SRTT is D, old SRTT in eq. 5, eq. 6 with a floor under 4 V."""


@dataclass(frozen=True)
class Case:
    """A scenario with values for what the paper leaves open.

    Attributes:
        file: The scenario's file.
        sender: FAST or VFAST.
        rtt_ms: Round trip without queueing, or None for the file's.
        recovery: How losses are repaired.
        reading: How VFAST's equations are read.
        profile: Of the controller; None for that of the file, the ns-2 module's.
        thin: All rates and alpha are divided by this.
        seed: Of random losses.
        more: Other changes.
    """

    file: str
    sender: str = FAST
    rtt_ms: float | None = None
    recovery: str = "SACK"
    reading: Reading = DEFAULT
    profile: str | None = None
    thin: int = 1
    seed: int = 1
    more: tuple[tuple[str, str], ...] = field(default=())

    def changes(self) -> tuple[tuple[str, str], ...]:
        """Keys to override."""
        pairs: list[tuple[str, str]] = [("flow.*.controller.kind", KINDS[self.sender])]
        if self.sender == VFAST:
            pairs += [(f"flow.*.controller.{key}", value) for key, value in self.reading.changes]
        pairs += [(f"flow.*.tcp.{key}", value) for key, value in RECOVERY[self.recovery]]
        if self.rtt_ms is not None:
            for way in ("forward", "backward"):
                pairs += [
                    (f"link.{way}.delay", f"{0.4 * self.rtt_ms:g} ms"),
                    (f'link."to {way}".delay', f"{0.05 * self.rtt_ms:g} ms"),
                    (f'link."from {way}".delay', f"{0.05 * self.rtt_ms:g} ms"),
                ]
        if self.thin != 1:
            pairs += [
                ("link.*.rate", f"{1000 // self.thin} Mbit/s"),
                ("flow.*.controller.alpha", f"{1000 // self.thin} packets"),
            ]
        if self.seed != 1:
            pairs.append(("seed", str(self.seed)))
        return (*pairs, *self.more)

    def with_series(self, interval: str = "100 ms") -> Run:
        """The whole run, with series."""
        return Run(self.file, "sim", self.profile, self.changes(), interval)

    def summary(self) -> Run:
        """The whole run, without series."""
        return Run(self.file, "sim", self.profile, self.changes())

    def with_only(self, changes: tuple[tuple[str, str], ...]) -> Run:
        """The whole run with these changes and no others, without series."""
        return Run(self.file, "sim", self.profile, changes)

    def phase(self, phase: Phase) -> Run:
        """The run up to the end of a phase, summaries over its settled part."""
        window = (("warmup", f"{phase.start + SETTLING_S:g} s"), ("duration", f"{phase.stop:g} s"))
        return Run(self.file, "sim", self.profile, (*self.changes(), *window))


def true_base_rtt(result: RunResult, flow: str) -> float:
    """Propagation and a data packet's own transmission times, there and back, in s."""
    links = {link["name"]: link for link in result.scenario["link"]}
    spec = next(f for f in result.scenario["flow"] if f["name"] == flow)
    total = 0.0
    for path, size in ((spec["data"], 1040.0), (spec["ack"], 40.0)):
        for name in path:
            rate_bps = _core.quantity("rate", links[name]["rate"])
            total += _core.quantity("time", links[name]["delay"]) + size * 8.0 / rate_bps
    return total


def equilibrium_rates(result: RunResult, flows: tuple[str, ...], bases: dict[str, float]) -> dict[str, float]:
    """Packets a second of these flows alone in equilibrium with these base round-trip times, by world theory."""
    document = {key: result.scenario[key] for key in ("link",)}
    document["flow"] = [
        {k: v for k, v in flow.items() if k not in ("start", "stop")}
        for flow in result.scenario["flow"]
        if flow["name"] in flows
    ]
    document |= {"title": "equilibrium", "duration": "100 s", "seed": 1}
    equilibrium = (
        Scenario(document)
        .run_with(RunOptions(base_rtt_s=[bases[f["name"]] for f in document["flow"]]), "theory")
        .to_dict()
    )
    return {f["name"]: f["packets_per_s"] for f in equilibrium["flows"]}
