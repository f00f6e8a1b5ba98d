"""The worlds: each is one entry that says its name, what it offers, what it needs and how it runs a scenario.

The command line, sweeps, `check`, `doctor` and `Scenario.run` take everything about a world from its entry.
"""

from __future__ import annotations

import json
import math
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.errors import Displaced, InputError, WorldUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import eddyline._core as _core
    from eddyline.live import LiveRun, Run
    from eddyline.progress import RunCallback
    from eddyline.watching import Watcher

    Runner: TypeAlias = Callable[[_core.Scenario, "RunOptions", RunCallback | None], Run]

__all__ = [
    "ALL",
    "CLOCKS",
    "DEFAULT",
    "LAWS",
    "LINK_MODELS",
    "NAMES",
    "WORLDS",
    "RunOptions",
    "World",
    "available",
    "needed",
    "require",
    "require_model",
    "require_packets",
    "served",
    "text",
    "with_captures",
    "with_dynamics",
    "with_packet_log",
]


LAWS = ("equation", "algorithm")
"""How FAST senders set their window: eq. 2 as printed, or from the window at sending and their own RTT average."""

CLOCKS = ("real", "virtual")
"""Clocks of world kernel: this machine's, or that of a user-mode Linux, which jumps."""

LINK_MODELS = ("integrator", "ack_clocked", "joint")
"""How queues respond to windows. The last is for small disturbances only."""

OVER_TIME = tuple(model for model in LINK_MODELS if model != "joint")
"""Those by which the dynamics over time are computed."""

DYNAMICS = "ack_clocked"
"""The link model of the dynamics over time where only these are asked for."""

MAX_THREADS = 1024
"""Of one run; more only cost."""


@dataclass(frozen=True, eq=False, repr=False)
class RunOptions:
    """What to record in a run, and what world theory is to assume; the arguments of `Scenario.run`.

    Attributes:
        series: Record series; by default where there are few flows and links.
        log: Record every packet's events, or those of one flow, link or traffic source by name.
        log_file: Write the packet log to this file (.txt or .parquet) while the run goes on; keep none in memory.
        base_rtt_s: Each flow's base round-trip time as its sender estimates it. World theory only.
        dynamics: Link model of the dynamics over time. World theory only.
        law: Window law of FAST senders in the dynamics. World theory only.
        memory: Bytes that packets in the network may take; by default half of the free memory.
        qlog: Write a qlog trace of each flow: a folder, or a file ending in `.sqlog` where there is one flow.
        pcap: Write a capture of each host's interface to this folder, in pcapng format.
        folder: Base of relative paths in the scenario. World kernel only, which reads them itself.
        clock: `real`, or `virtual`: a user-mode Linux whose clock jumps. World kernel only.
        watch: Called twice a second with what flows and links are doing. World kernel in real time only.
        threads: Threads that one run may use, where that pays; the result is the same. World sim only.
    """

    series: bool | None = None
    log: bool | str = False
    base_rtt_s: Sequence[float] | None = None
    dynamics: str | None = None
    law: str = LAWS[0]
    memory: int | None = None
    qlog: Path | None = None
    pcap: Path | None = None
    folder: Path | None = None
    clock: str = CLOCKS[0]
    watch: Watcher | None = None
    threads: int = 1
    log_file: Path | None = None

    def __post_init__(self) -> None:
        require_model(DYNAMICS if self.dynamics is None else self.dynamics, self.law, OVER_TIME)
        if self.base_rtt_s is not None and not all(0 < each < math.inf for each in self.base_rtt_s):
            raise InputError("base_rtt_s: times in seconds, above 0 and finite")
        if not isinstance(self.log, (bool, str)):
            raise InputError(f"log: True, or the name of a flow, link or traffic, is expected, not {self.log!r}")
        if self.log_file is not None and self.log is False:
            raise InputError("log_file: of the packets that `log` says")
        if not 1 <= self.threads <= MAX_THREADS:
            raise InputError(f"threads: {self.threads}; 1 to {MAX_THREADS} are allowed")
        if self.clock not in CLOCKS:
            from eddyline.spelling import unknown

            raise unknown("clock", self.clock, CLOCKS)

    def with_series(self, series: bool) -> RunOptions:
        """The same with series recorded or not."""
        return replace(self, series=series)

    def with_folder(self, folder: Path) -> RunOptions:
        """The same with the base of relative paths."""
        return replace(self, folder=folder)

    def with_watch(self, watch: Watcher) -> RunOptions:
        """The same with whom to call during the run."""
        return replace(self, watch=watch)

    def without_theory(self) -> RunOptions:
        """The same without what only world theory has."""
        return RunOptions(
            self.series,
            self.log,
            memory=self.memory,
            qlog=self.qlog,
            pcap=self.pcap,
            clock=self.clock,
            watch=self.watch,
            threads=self.threads,
            log_file=self.log_file,
        )

    @property
    def of_theory(self) -> list[str]:
        """Names of the given options that only world theory has."""
        given = {
            "base_rtt_s": self.base_rtt_s is not None,
            "dynamics": self.dynamics is not None,
            "law": self.law != LAWS[0],
        }
        return [name for name, there in given.items() if there]

    @classmethod
    def of_record(cls, recorded: Mapping[str, Any], *, series: bool) -> RunOptions:
        """The options that `recorded` gave, with series recorded or not.

        Raises:
            InputError: They are not those of a run.
        """
        texts = ("dynamics", "law", "clock")
        if wrong := [name for name in recorded if name not in (*texts, "base_rtt_s")]:
            raise InputError(f"not the options of a run: {', '.join(wrong)}")
        if wrong := [name for name in texts if not isinstance(recorded.get(name, ""), str)]:
            raise InputError(f"not the options of a run: {', '.join(wrong)} is no text")
        try:
            return cls(series, **recorded)
        except TypeError as e:
            raise InputError(f"not the options of a run: {', '.join(recorded)}: {e}") from None

    def recorded(self) -> dict[str, Any]:
        """The options that results depend on and that were not the defaults, for the manifest of a result folder."""
        law = self.law if self.dynamics else None
        base_rtts = None if self.base_rtt_s is None else [*self.base_rtt_s]
        clock = None if self.clock == CLOCKS[0] else self.clock
        options = {"dynamics": self.dynamics, "law": law, "base_rtt_s": base_rtts, "clock": clock}
        return {name: value for name, value in options.items() if value is not None}


@dataclass(eq=False, repr=False)
class _Files:
    """New files of a run, and the run that writes them."""

    traces: list[Path] | None = None
    captures: Path | None = None
    log: Path | Callable[[dict[str, bytes]], None] | None = None
    run: Run | None = None


@contextmanager
def _files(scenario: _core.Scenario, options: RunOptions) -> Iterator[_Files]:
    """The files that are wanted; they are at their places after the block.

    Raises:
        Displaced: Some are beside them, with the run.
    """
    files = _Files()
    try:
        with (
            _traces(scenario, options) as files.traces,
            _captures(options) as files.captures,
            _log(scenario, options) as files.log,
        ):
            yield files
    except Displaced as e:
        e.run = files.run
        raise


def _theory(scenario: _core.Scenario, options: RunOptions, progress: RunCallback | None) -> _core.Run:
    import eddyline._core as _core

    dynamics = None if options.dynamics is None else _core.Dynamics(options.dynamics, options.law)
    return scenario.run(_core.TheoryOptions(base_rtt_s=options.base_rtt_s, dynamics=dynamics), progress=progress)


def _sim(scenario: _core.Scenario, options: RunOptions, progress: RunCallback | None) -> _core.Run:
    import eddyline._core as _core

    if options.pcap is not None:
        from eddyline.captures import require_lengths

        require_lengths(scenario)
    with _files(scenario, options) as files:
        asked = _core.SimOptions(
            series=bool(options.series),
            log=options.log,
            memory=_memory(options),
            qlog=files.traces,
            threads=options.threads,
            log_to=files.log,
            pcap=files.captures,
        )
        files.run = run = scenario.run(asked, progress=progress)
    return run


def _quic(scenario: _core.Scenario, options: RunOptions, progress: RunCallback | None) -> _core.Run:
    import eddyline._core as _core

    with _files(scenario, options) as files:
        memory, series = _memory(options), bool(options.series)
        asked = _core.QuicOptions(series=series, log=options.log, memory=memory, qlog=files.traces, log_to=files.log)
        files.run = run = scenario.run(asked, progress=progress)
    return run


def _kernel(scenario: _core.Scenario, options: RunOptions, progress: RunCallback | None) -> LiveRun:
    import eddyline.live as live

    _require_of_kernel(scenario)
    with _files(scenario, options) as files:
        folder, is_virtual = options.folder or Path.cwd(), options.clock == "virtual"
        asked = live.LiveOptions(folder, bool(options.series), files.captures, is_virtual, options.watch)
        files.run = run = live.run(scenario, asked, progress)
    return run


def _require_of_kernel(scenario: _core.Scenario) -> None:
    """Controllers of one's own are known in this process only."""
    from eddyline.controllers.registry import names

    own = names()
    for flow in json.loads(scenario.canonical).get("flow", ()):
        if (kind := flow["controller"]["kind"]) in own:
            raise InputError(
                f"world kernel has no controller {kind} (flow {flow['name']})",
                "controllers of your own run in worlds sim and quic",
            )


def _kernel_unavailable(clock: str) -> WorldUnavailable | None:
    import eddyline.live as live

    return live.unavailable(is_virtual=clock == "virtual")


def _traces(scenario: _core.Scenario, options: RunOptions) -> AbstractContextManager[list[Path] | None]:
    """New files for the traces, where they are wanted."""
    if options.qlog is None:
        return nullcontext()
    from eddyline.qlog import staged

    return staged(options.qlog, scenario.names.flows)


def _captures(options: RunOptions) -> AbstractContextManager[Path | None]:
    """A new folder for the captures, where they are wanted."""
    if options.pcap is None:
        return nullcontext()
    from eddyline.captures import staged

    return staged(options.pcap)


def _log(
    scenario: _core.Scenario, options: RunOptions
) -> AbstractContextManager[Path | Callable[[dict[str, bytes]], None] | None]:
    """Where the packet log goes, where it is wanted in a file."""
    if options.log_file is None:
        return nullcontext()
    from eddyline.packet_log import staged

    return staged(options.log_file, lambda: scenario.names)


def _memory(options: RunOptions) -> int:
    import eddyline.memory as memory

    return memory.budget() if options.memory is None else options.memory


@dataclass(frozen=True, eq=False, repr=False)
class World:
    """One world.

    Attributes:
        name: Its name.
        summary: What computes the result.
        run: Runs a loaded scenario.
        packet_log: It has packets whose events can be logged, and whose memory can be limited.
        captures: It has TCP packets that can be captured.
        clocks: It can run in real time and in virtual time.
        threads: One run can use several threads.
        dynamics: It has the options of the dynamics: a link model, a window law, base round-trip times.
        random: Seeds matter to it.
        measured: How it measures what others compute, a sentence, where that differs from them.
        needs: What it needs of a machine, by the name that `doctor` has for it, and what for.
        missing: Says why this machine cannot run it by a clock, if it cannot.
    """

    name: str
    summary: str
    run: Runner
    packet_log: bool = False
    captures: bool = False
    clocks: bool = False
    threads: bool = False
    dynamics: bool = False
    random: bool = True
    measured: str = ""
    needs: Mapping[str, str] = field(default_factory=dict)
    missing: Callable[[str], WorldUnavailable | None] | None = None

    def not_random(self, remedy: str = "") -> str:
        """Why all seeds gave the same; with the remedy, where there is one."""
        return (
            f"nothing in the scenario is random{remedy}" if self.random else f"nothing in world {self.name} is random"
        )

    def unavailable(self, clock: str = CLOCKS[0]) -> WorldUnavailable | None:
        """Why it cannot run here by this clock, and the remedy; None where it can."""
        return None if self.missing is None else self.missing(clock)

    def check(self, options: RunOptions) -> None:
        """Makes sure that it has the options that are given.

        Raises:
            InputError: An option belongs to another world.
        """
        if options.of_theory and not self.dynamics:
            given = ", ".join(options.of_theory)
            raise InputError(f"{given}: for world {text(with_dynamics())}, not for {self.name}")
        if options.log is not False and not self.packet_log:
            raise InputError(f"log: world {self.name} has no packets", f"world {text(with_packet_log())} has")
        if options.qlog is not None and not self.packet_log:
            raise InputError(f"qlog: world {self.name} has no packets", f"world {text(with_packet_log())} has")
        if options.memory is not None and not self.packet_log:
            raise InputError(f"memory: world {self.name} simulates no packets", f"worlds {text(with_packet_log())} do")
        if options.clock != CLOCKS[0] and not self.clocks:
            raise InputError(f"clock: world {self.name} has no clock to choose", "world kernel has")
        if options.threads > 1 and not self.threads:
            raise InputError(f"threads: a run of world {self.name} has one thread", "world sim can use several")
        if options.watch is not None and (not self.clocks or options.clock != CLOCKS[0]):
            raise InputError("watch: for world kernel in real time")
        if options.pcap is not None and not self.captures:
            raise InputError(f"pcap: world {self.name} has no TCP packets", f"world {text(with_captures())} has")

    def supported(self, options: RunOptions) -> RunOptions:
        """The options without those that it does not have."""
        log, qlog = (options.log, options.qlog) if self.packet_log else (False, None)
        log_file, memory = (options.log_file, options.memory) if self.packet_log else (None, None)
        pcap, clock = options.pcap if self.captures else None, options.clock if self.clocks else CLOCKS[0]
        kept = options if self.dynamics else options.without_theory()
        threads = options.threads if self.threads else 1
        return replace(
            kept, log=log, log_file=log_file, memory=memory, qlog=qlog, pcap=pcap, clock=clock, threads=threads
        )


_ENTRIES = (
    World("theory", "closed forms, fluid models and Markov chains", _theory, dynamics=True, random=False),
    World("sim", "the packet-level simulator", _sim, packet_log=True, captures=True, threads=True),
    World(
        "kernel",
        "Linux TCP over an emulated path, in real time",
        _kernel,
        captures=True,
        clocks=True,
        needs={
            "Linux": "",
            "eddyline-live": "",
            "namespaces": "",
            "TUN": "",
            "root": "real-time priority, and controllers fast and vfast",
            "BTF": "controllers fast and vfast",
            "clang": "building controllers fast and vfast",
        },
        measured=(
            "base_rtt_s, rtt_s.mean and window_packets are from samples of TCP_INFO: the kernel's minimum and smoothed "
            "round-trip time and its window, every few milliseconds"
        ),
        missing=_kernel_unavailable,
    ),
    World("quic", "a QUIC stack over the simulator's links, in virtual time", _quic, packet_log=True),
)

WORLDS: dict[str, World] = {world.name: world for world in _ENTRIES}
"""All worlds by name."""

NAMES = tuple(WORLDS)
"""Names of all worlds, in the order of tables."""

DEFAULT = "sim"
"""The world that runs a scenario where none is named."""

ALL = "all"
"""Stands for every world on the command line."""


def available() -> list[str]:
    """Names of the worlds that can run here."""
    return [world.name for world in _ENTRIES if world.unavailable() is None]


def require(name: str, clock: str = CLOCKS[0]) -> World:
    """The world called `name`, for runs by this clock.

    Raises:
        InputError: There is no such world.
        WorldUnavailable: It cannot run here.
    """
    if not isinstance(name, str) or name not in WORLDS:
        from eddyline.spelling import unknown

        raise unknown("world", name, WORLDS)
    world = WORLDS[name]
    unavailable = world.unavailable(clock)
    if unavailable is not None:
        raise unavailable
    return world


def needed(need: str) -> bool:
    """Whether a world needs something of the machine."""
    return any(need in world.needs for world in _ENTRIES)


def served(need: str) -> str:
    """The worlds that need something of the machine, and what for, as `doctor` prints it."""
    purposes = {world.name: world.needs[need] for world in _ENTRIES if need in world.needs}
    what = f"world{'s' if len(purposes) > 1 else ''} {text(list(purposes))}"
    return ": ".join([what, *dict.fromkeys(purpose for purpose in purposes.values() if purpose)])


def with_dynamics() -> list[str]:
    """Names of the worlds that follow flows over time by a fluid model."""
    return [world.name for world in _ENTRIES if world.dynamics]


def with_packet_log() -> list[str]:
    """Names of the worlds that can log packets here."""
    return [world.name for world in _ENTRIES if world.packet_log]


def with_captures() -> list[str]:
    """Names of the worlds whose packets can be captured here."""
    return [world.name for world in _ENTRIES if world.captures]


def require_packets(name: str) -> None:
    """Makes sure that a world simulates packets.

    Raises:
        InputError: It does not, or there is no such world.
        WorldUnavailable: It cannot run here.
    """
    if not require(name).packet_log:
        raise InputError(f"world {name} has no packets", f"--world takes {text(with_packet_log())}")


def text(names: list[str], last: str = "and") -> str:
    """Names in a sentence: `theory and sim`."""
    return f" {last} ".join(names)


def require_model(link_model: str, law: str, models: Sequence[str] = LINK_MODELS) -> None:
    """Makes sure that there are such a link model and window law.

    Raises:
        InputError: There are not.
    """
    for what, given, names in (("link model", link_model, models), ("window law", law, LAWS)):
        if given not in names:
            from eddyline.spelling import unknown

            raise unknown(what, given, names)
