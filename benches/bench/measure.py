"""Measures one workload: time, memory, instructions, and the same work in other simulators."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench import child
from bench.peers import arguments, work_done
from bench.workloads import OVERSHOOT, Workload, overrides, scenario_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.peers import Peer
    from bench.workloads import Settings

__all__ = ["Bench", "Instructions", "Measured", "PeerRun", "ending", "measure_overshoot"]


@dataclass(frozen=True)
class Instructions:
    """Instructions in user mode."""

    per_packet: float
    """Of one more data packet delivered."""
    start_up: int
    """Of the whole process when next to nothing is simulated."""
    counted_by: str


@dataclass(frozen=True)
class PeerRun:
    """The same work elsewhere."""

    packets: int
    cpu_s: float
    simulated_s: float
    capped: bool
    """It was stopped before the scenario's end."""
    ours_per_cpu_s: float = 0.0
    """Eddyline's data packets per CPU second on the same points."""
    points: int = 1

    @property
    def per_cpu_s(self) -> float:
        """Data packets per CPU second."""
        return self.packets / self.cpu_s

    @property
    def ratio(self) -> float:
        """How much faster Eddyline is."""
        return self.ours_per_cpu_s / self.per_cpu_s


@dataclass(frozen=True)
class Point:
    """One run of ours: see `Measured`."""

    packets: int
    events: int
    cpu_s: float
    simulation_s: float
    peak_bytes: int


@dataclass
class Measured:
    """One workload's figures; several points are summed."""

    workload: Workload
    packets: int
    """Data packets delivered to receivers."""
    events: int
    cpu_s: float
    """User and system time of the whole process, the best run of each point."""
    simulation_s: float
    """Of it, inside the simulator."""
    peak_bytes: int
    instructions: Instructions | None = None
    peers: dict[str, PeerRun] = field(default_factory=dict)

    @property
    def per_cpu_s(self) -> float:
        """Data packets per CPU second."""
        return self.packets / self.cpu_s

    @property
    def ns_per_hop(self) -> float:
        """CPU nanoseconds of a data packet on each link that it crosses, its acknowledgement included."""
        return self.cpu_s / self.packets / self.workload.hops * 1e9


@dataclass
class Bench:
    """What all measurements have in common."""

    eddyline: Path
    folder: Path
    """For what is made on the way."""
    peers: dict[Peer, list[str]]
    """The commands of those that are here."""
    repeat: int
    quick: bool
    cap_s: float
    skipped: list[str]
    """Reasons for what was not measured."""
    say: Callable[[str], None]

    def command(self, file: Path, settings: Settings, duration: str | None) -> list[str | Path]:
        """Our command line."""
        return [self.eddyline, "run", file, "--json", "--quiet", *overrides(settings, duration)]

    def measure(self, workload: Workload, count: bool) -> Measured:
        """All of one workload; ours and others' runs in turn."""
        file = scenario_file(workload, self.folder)
        duration = workload.quick if self.quick else None
        total = Measured(workload, 0, 0, 0.0, 0.0, 0)
        points = workload.some(self.quick)
        theirs: dict[str, list[tuple[PeerRun, Point]]] = {}
        for number, settings in enumerate(points, start=1):
            self.say(f"{workload.name}: {number} of {len(points)}")
            ours, others = self._point(workload, file, settings, duration)
            total.packets += ours.packets
            total.events += ours.events
            total.cpu_s += ours.cpu_s
            total.simulation_s += ours.simulation_s
            total.peak_bytes = max(total.peak_bytes, ours.peak_bytes)
            for name, run in others.items():
                theirs.setdefault(name, []).append((run, ours))
        total.peers = {name: _sum(pairs) for name, pairs in theirs.items()}
        for peer in self.peers if workload.peers else ():
            crashes = len(points) - len(theirs.get(peer.name, ()))
            if crashes:
                self.skipped.append(f"{workload.name}: {peer.name} crashed on {crashes} of {len(points)} points")
        if count and not (workload.heavy and child.counter() != "perf"):
            self.say(f"{workload.name}: instructions")
            total.instructions = self._instructions(workload, file)
        return total

    def _point(
        self, workload: Workload, file: Path, settings: Settings, duration: str | None
    ) -> tuple[Point, dict[str, PeerRun]]:
        """The best run of ours and of every peer that survives; runs in turn."""
        ours: list[Point] = []
        theirs: dict[str, list[PeerRun]] = {}
        for turn in range(self.repeat):
            cost = child.run(self.command(file, settings, duration))
            end = ending(cost.output)
            counters = end["counters"]
            packets, events = counters["data_packets_delivered"], counters["events"]
            ours.append(Point(packets, events, cost.cpu_s, end["cost"]["cpu_s"], cost.peak_bytes))
            for peer, command in self.peers.items() if workload.peers else ():
                if turn == 0 or not peer.capped:
                    try:
                        run = self._peer(peer, command, file, settings, duration)
                    except child.ChildError:
                        continue
                    theirs.setdefault(peer.name, []).append(run)
        best = {name: max(runs, key=lambda run: run.per_cpu_s) for name, runs in theirs.items()}
        return min(ours, key=lambda run: run.cpu_s), best

    def _peer(self, peer: Peer, command: list[str], file: Path, settings: Settings, duration: str | None) -> PeerRun:
        given = arguments(file, settings, duration, self.cap_s if peer.capped else 0.0)
        cost = child.run([*command, *given])
        packets, simulated_s = work_done(cost.output)
        asked = next(float(word.split("=")[1]) for word in given if word.startswith("duration="))
        return PeerRun(packets, cost.cpu_s, simulated_s, simulated_s < asked * (1 - 1e-9))

    def count(self, file: Path, settings: Settings, duration: str) -> tuple[int, dict[str, Any]]:
        """Instructions of one run, and the end of its result."""
        count, output = child.count_instructions(self._counted(file, settings, duration))
        return count, ending(output)["counters"]

    def _counted(self, file: Path, settings: Settings, duration: str) -> list[str | Path]:
        # a script's first line starts Python anew, which callgrind would not follow
        return [self.eddyline.with_name("python"), *self.command(file, settings, duration)]

    def _instructions(self, workload: Workload, file: Path) -> Instructions:
        start_up, _ = self.count(file, workload.points[0], "1 ms")
        (a, few), (b, many) = (self.count(file, workload.points[0], d) for d in workload.between)
        packets = many["data_packets_delivered"] - few["data_packets_delivered"]
        return Instructions((b - a) / packets, start_up, child.counter())


def _sum(pairs: list[tuple[PeerRun, Point]]) -> PeerRun:
    theirs, ours = zip(*pairs, strict=True)
    return PeerRun(
        sum(run.packets for run in theirs),
        sum(run.cpu_s for run in theirs),
        sum(run.simulated_s for run in theirs),
        any(run.capped for run in theirs),
        sum(run.packets for run in ours) / sum(run.cpu_s for run in ours),
        len(pairs),
    )


def measure_overshoot(bench: Bench, workload: Workload) -> list[dict[str, float]]:
    """Cost per data packet sent of slow starts that overshoot by more and more, each beside the same without loss."""
    file = scenario_file(workload, bench.folder)
    start_up, _ = bench.count(file, (), "1 ms")
    rows = []
    for over, under in OVERSHOOT:
        scale = over / under
        bench.say(f"overshoot: {scale:g}")
        queue = f"{round(10_000 * scale)} packets"
        delay = f"{90 * scale:g} ms"
        settings = (
            ("link.forward.queue.limit", queue),
            ("link.backward.queue.limit", queue),
            ("link.forward.delay", delay),
            ("link.backward.delay", delay),
            # no timeout may mix with what is measured
            ("flow.flow.tcp.min_rto", f"{max(1.0, 3 * scale):g} s"),
        )
        # 20,000 packets fill the path and half of the queue
        window = ("flow.flow.receive_window", f"{round(20_000 * scale) * 1460} B")
        costs = []
        for case in (settings, (*settings, window)):
            count, counters = bench.count(file, case, f"{10 * scale:g} s")
            sent = counters["data_packets_delivered"] + counters["packets_dropped"]
            costs.append((counters["packets_dropped"], (count - start_up) / sent))
        (dropped, with_loss), (_, without) = costs
        rows.append({"dropped": dropped, "with_loss": with_loss, "without": without})
    return rows


def ending(document: str) -> dict[str, Any]:
    """`counters` and `cost`, the end of a result; its beginning may be tens of megabytes that nobody needs."""
    decoder = json.JSONDecoder()
    found = {}
    for key in ("counters", "cost"):
        mark = f'"{key}": '
        found[key], _ = decoder.raw_decode(document, document.rindex(mark) + len(mark))
    return found
