from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final, final

__all__ = [
    "VERSION",
    "Ack",
    "Checked",
    "Dynamics",
    "Equilibrium",
    "Fairness",
    "Loss",
    "Map",
    "Names",
    "Nyquist",
    "PathFacts",
    "Population",
    "QuicOptions",
    "Round",
    "Run",
    "Scenario",
    "Sent",
    "SimOptions",
    "Stability",
    "Stepper",
    "TheoryOptions",
    "Timeout",
    "Vegas",
    "Written",
    "add_controller",
    "buffer_estimate",
    "canonical_quantity",
    "check_points",
    "controller_crate",
    "filter_bias",
    "late_samples",
    "line_bytes",
    "load",
    "load_file",
    "load_plugin",
    "min_threshold",
    "quantity",
    "register",
    "remove_controller",
    "response",
    "saw_tooth",
    "schema",
    "smoothed_jitter",
    "values",
]

VERSION: Final[str]

def add_controller(
    name: str,
    cls: type,
    *,
    class_name: str,
    summary: str,
    source: str,
    schema: str,
    read: Callable[[str], tuple[dict[str, Any], str]],
    handlers: Sequence[str],
) -> None: ...
def load_plugin(path: str | PathLike[str]) -> str: ...
def remove_controller(name: str) -> bool: ...
def buffer_estimate(question: str) -> str: ...
def controller_crate() -> dict[str, str]: ...
def load(
    text: str,
    format: str,
    name: str,
    folder: str | PathLike[str] | None = None,
    overrides: Sequence[tuple[str, str]] = (),
    copies: Mapping[str, str | PathLike[str]] = ...,
) -> Scenario: ...
def load_file(path: str | PathLike[str], overrides: Sequence[tuple[str, str]] = ()) -> Scenario: ...
def canonical_quantity(what: str, text: str) -> str: ...
def check_points(
    text: str,
    format: str,
    name: str,
    folder: str | PathLike[str] | None,
    points: Sequence[Sequence[tuple[str, str]]],
    given: int,
    world: str,
    copies: Mapping[str, str | PathLike[str]] = ...,
) -> Checked: ...
def filter_bias(up: float, down: float, scatter: str, *, limit: bool = False) -> float: ...
def late_samples(up: float, down: float, zeta: float, minima: Sequence[float]) -> list[tuple[float, float]]: ...
def line_bytes(bytes: int, overhead: int, minimum: int, linklayer: str) -> int: ...
def min_threshold(pipe: float) -> float: ...
def quantity(what: str, text: str) -> float: ...
def register() -> str: ...
def response(
    kind: str, loss: float, rtt_s: float, *, ack_every: int = 1, periodic: bool = False
) -> tuple[float, float]: ...
def saw_tooth(kind: str, flows: float, pipe: float, threshold: float) -> list[float]: ...
def schema(of: str = "scenario") -> str: ...
def smoothed_jitter(up: float, down: float, correlation: float, *, change: bool = False) -> tuple[float, float]: ...
def values(what: str, text: str) -> tuple[list[float], str]: ...

@final
class Names:
    flows: Final[list[str]]
    links: Final[list[str]]
    sources: Final[list[str]]

@final
class Checked:
    @property
    def files(self) -> set[Path]: ...
    @property
    def errors(self) -> list[tuple[str, str]]: ...
    @property
    def unknown_controllers(self) -> set[str]: ...

@final
class Scenario:
    @property
    def canonical(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def names(self) -> Names: ...
    @property
    def expected_worlds(self) -> list[str]: ...
    def capacity(self, link: str, times: Sequence[float]) -> list[float]: ...
    def check(self, run: Run) -> str: ...
    def check_document(self, result: str) -> str: ...
    def theory(self, question: Equilibrium | Fairness | Stability | Nyquist | Population | Vegas) -> str: ...
    def map(self, map: Map, *, progress: Callable[[int, int], object] | None = None) -> str: ...
    def run(
        self,
        options: SimOptions | QuicOptions | TheoryOptions,
        *,
        progress: Callable[[float, float, int, float], object] | None = None,
    ) -> Run: ...

@final
class QuicOptions:
    """World `quic`.

    Args:
        series: Record series.
        log: Record the packet log: True of everything, a name of one flow, link or traffic.
        qlog: Write qlog traces to these files, one per flow.
        memory: Bytes that packets in the network may take; a run that needs more ends with an error.
        log_to: Write the packet log to this file, as text, or call this with the columns of each piece; keep none.
    """

    def __new__(
        cls,
        *,
        series: bool = False,
        log: bool | str = False,
        memory: int | None = None,
        qlog: Sequence[Path] | None = None,
        log_to: Path | Callable[[dict[str, bytes]], object] | None = None,
    ) -> QuicOptions: ...

@final
class SimOptions:
    """World `sim`.

    Args:
        series: Record series.
        log: Record the packet log: True of everything, a name of one flow, link or traffic.
        memory: Bytes that packets in the network may take; a run that needs more ends with an error.
        qlog: Write qlog traces to these files, one per flow.
        threads: Simulate on so many threads, where that pays; the result is the same.
        log_to: Write the packet log to this file, as text, or call this with the columns of each piece; keep none.
        pcap: Write a capture of each host's interface to this folder; a packet log is of everything then.
    """

    def __new__(
        cls,
        *,
        series: bool = False,
        log: bool | str = False,
        memory: int | None = None,
        qlog: Sequence[Path] | None = None,
        threads: int = 1,
        log_to: Path | Callable[[dict[str, bytes]], object] | None = None,
        pcap: Path | None = None,
    ) -> SimOptions: ...

@final
class TheoryOptions:
    """World `theory`.

    Args:
        base_rtt_s: Base round-trip times that the flows believe, in seconds; None: propagation alone.
        dynamics: Give series on the way to the equilibrium.
    """

    def __new__(
        cls, *, base_rtt_s: Sequence[float] | None = None, dynamics: Dynamics | None = None
    ) -> TheoryOptions: ...

@final
class Dynamics:
    """Fluid dynamics.

    Args:
        link_model: `integrator` or `ack_clocked`.
        law: `equation` (eq. 2 of the two-way paper) or `algorithm` (FAST as published).
    """

    def __new__(cls, link_model: str, law: str = "equation") -> Dynamics: ...

@final
class Equilibrium:
    """Every equilibrium."""

    def __new__(cls) -> Equilibrium: ...

@final
class Fairness:
    """FAST's rates beside the alpha-fair ones of this exponent; 1 is proportional fairness."""

    def __new__(cls, exponent: float = 1.0) -> Fairness: ...

@final
class Stability:
    """Local stability of the first equilibrium.

    Args:
        link_model: `integrator`, `ack_clocked` or `joint`.
        law: `equation` (eq. 2 of the two-way paper) or `algorithm` (FAST as published).
    """

    def __new__(cls, link_model: str = "integrator", law: str = "equation") -> Stability: ...

@final
class Nyquist:
    """Nyquist loci about the first equilibrium; arguments as of `Stability`."""

    def __new__(cls, link_model: str = "integrator", law: str = "equation") -> Nyquist: ...

@final
class Population:
    """The stationary population of flows that arrive and leave.

    Args:
        flow_level: Simulate flows even where the Markov chain applies.
        arrivals: How many arrivals the simulation has; None: as many as the network needs.
        distribution: Add the distributions of the numbers of flows.
    """

    def __new__(
        cls, *, flow_level: bool = False, arrivals: int | None = None, distribution: bool = False
    ) -> Population: ...

@final
class Vegas:
    """The range of equilibria if all flows were Vegas flows; `thresholds` are (alpha, beta) in packets for each."""

    def __new__(cls, thresholds: Sequence[tuple[float, float]]) -> Vegas: ...

@final
class Written:
    """A scenario as it was written, with overrides; see `load`."""

    def __new__(
        cls,
        text: str,
        format: str,
        name: str,
        folder: str | PathLike[str] | None,
        overrides: Sequence[tuple[str, str]],
        copies: Mapping[str, str | PathLike[str]],
    ) -> Written: ...

@final
class Map:
    """A map over two keys.

    Args:
        x: Key and range of the first axis.
        y: The same of the second.
        show: `bottleneck`, `stability` or `throughput`.
        written: The scenario; cells are loaded from it.
        flow: Whose throughput; None: the sum of all.
        link_model: Of a stability map.
    """

    def __new__(
        cls,
        x: tuple[str, str],
        y: tuple[str, str],
        show: str,
        written: Written,
        *,
        flow: str | None = None,
        link_model: str = "ack_clocked",
    ) -> Map: ...

@final
class Run:
    QUANTITIES: Final[list[str]]
    EVENTS: Final[list[str]]
    PACKETS: Final[list[str]]
    @property
    def world(self) -> str: ...
    @property
    def json(self) -> str: ...
    def write_json(self, write: Callable[[str], object]) -> None: ...
    @property
    def approximations(self) -> list[str]: ...
    @property
    def failures(self) -> list[tuple[str, str, str]]: ...
    @property
    def execution(self) -> tuple[int, int, str | None]: ...
    @property
    def names(self) -> Names: ...
    def series(self) -> dict[str, bytes] | None: ...
    def log(self) -> dict[str, bytes] | None: ...
    def write_log(self, path: str) -> bool: ...

@final
class PathFacts:
    """What a controller may know of its path before the first packet.

    Attributes:
        mss: Payload bytes of a full segment.
        ack_ratio: Data packets that one acknowledgement stands for.
        initial_window: Initial window in packets.
        known_base_rtt: Propagation and access delay of the round trip in seconds, which a real sender cannot know; None
            where the world does not know it either.
        byte_counting: Growth by what is acknowledged, in slow start at most so many packets an acknowledgement (RFC
            3465; infinite in QUIC); None for growth by acknowledgement, which is the default.
        paced: Packets are paced whatever the controller wants.
    """

    mss: Final[int]
    ack_ratio: Final[int]
    initial_window: Final[float]
    known_base_rtt: Final[float | None]
    byte_counting: Final[float | None]
    paced: Final[bool]

@final
class Ack:
    """An acknowledgement of new data. Times in seconds.

    Attributes:
        now: When it arrived, in seconds.
        sent_at: When the packet that caused it was sent, in seconds; with timestamps, the packet that it echoes: behind
            a gap, one from before it (RFC 7323, 4.3), which `stamp` is not of.
        received_at: When that packet reached the receiver, in seconds: `received_at - sent_at` is the forward delay,
            `now - received_at` that of the acknowledgement. With timestamps the latter is too long behind a gap and
            where packets overtake each other.
        rtt: The round-trip sample in seconds. None where the acknowledgement gives none: without timestamps, if a
            retransmission caused it (Karn's algorithm); with them, if it acknowledges by SACK only (RFC 7323, 4.1); in
            QUIC, if all its packets were sent before one that was acknowledged earlier.
        acked: Packets newly acknowledged, cumulatively or selectively.
        lost: Packets that it shows to be lost, and those that RACK's timer has found lost since the one before; in
            QUIC, all that were found lost since the one before.
        in_flight: Packets in flight after it.
        stamp: What `on_sent` returned for the packet that caused it; the packets in flight then, where it returned
            None.
        cwnd_limited: The window or the pacing rate, not the application or the receiver, held the sender back. False in
            TCP where only SACK acknowledges: windows do not grow on those (RFC 3042), until packets have been seen to
            overtake each other.
        in_recovery: Loss recovery is under way.
    """

    now: Final[float]
    sent_at: Final[float]
    received_at: Final[float]
    rtt: Final[float | None]
    acked: Final[float]
    lost: Final[float]
    in_flight: Final[float]
    stamp: Final[float]
    cwnd_limited: Final[bool]
    in_recovery: Final[bool]

@final
class Loss:
    """A loss episode, or a congestion mark.

    Attributes:
        now: When it was noticed, in seconds.
        flight_size: Packets outstanding then (FlightSize of RFC 5681).
    """

    now: Final[float]
    flight_size: Final[float]

@final
class Timeout:
    """The retransmission timer expired.

    Attributes:
        now: When it expired, in seconds.
        flight_size: Packets outstanding then (FlightSize of RFC 5681).
        repeated: It had expired before without new data acknowledged in between.
    """

    now: Final[float]
    flight_size: Final[float]
    repeated: Final[bool]

@final
class Sent:
    """A data packet is about to leave.

    Attributes:
        now: When it leaves, in seconds.
        in_flight: Packets in flight, this one included.
        cwnd_limited: The window or the pacing rate, not the application or the receiver, held the sender back before.
    """

    now: Final[float]
    in_flight: Final[float]
    cwnd_limited: Final[bool]

@final
class Round:
    """A round trip, or the time from one decision to the next. Times in seconds; None where there was no sample.

    Attributes:
        began: When it began, in seconds; the first one begins as the SYN is sent, after a lost SYN as the first
            acknowledged packet is.
        now: When it ended, in seconds.
        acks: Acknowledgements of new data.
        acked: Packets acknowledged.
        lost: Packets that acknowledgements show to be lost; not what a timeout retransmits, which may have arrived.
        in_flight: Packets in flight after its last acknowledgement, before what that lets out; without one, as in the
            round before.
        first_rtt: The first round-trip sample in seconds; None if no acknowledgement had a sample.
        last_rtt: The last round-trip sample in seconds; None if no acknowledgement had a sample.
        min_rtt: The smallest round-trip sample in seconds; None if no acknowledgement had a sample.
        mean_rtt: The mean of the round-trip samples in seconds; None if no acknowledgement had a sample.
        forward_delay: Mean delay of the data packets to the receiver in seconds, without acknowledgements that echo a
            packet again and have no sample, as those behind a gap with timestamps; None if there was no other, never in
            `on_round`.
        reverse_delay: Mean delay of their acknowledgements in seconds, the receiver's own delay included, without the
            same ones; None where `forward_delay` is.
        losses: Loss episodes that began.
        marks: Calls of `on_ecn`: for marks at most one per window of data, however many packets they are, and as many
            for a full NIC queue with `local = "cwr"`.
        timeouts: Timeouts.
        cwnd_limited: As in `Ack`, at its last acknowledgement; False without one.
        in_recovery: Loss recovery was under way at its last acknowledgement; False without one.
    """

    began: Final[float]
    now: Final[float]
    acks: Final[int]
    acked: Final[float]
    lost: Final[float]
    in_flight: Final[float]
    first_rtt: Final[float | None]
    last_rtt: Final[float | None]
    min_rtt: Final[float | None]
    mean_rtt: Final[float | None]
    forward_delay: Final[float | None]
    reverse_delay: Final[float | None]
    losses: Final[int]
    marks: Final[int]
    timeouts: Final[int]
    cwnd_limited: Final[bool]
    in_recovery: Final[bool]

@final
class Stepper:
    def __new__(cls, scenario: Scenario, flow: str, every: str | None = None) -> Stepper: ...
    def advance(self) -> Round | None: ...
    def decide(self, window: float) -> None: ...
    @property
    def window(self) -> float: ...
    @property
    def handshake_rtt(self) -> float | None: ...
    @property
    def completed(self) -> bool: ...
    def finish(self) -> str: ...
