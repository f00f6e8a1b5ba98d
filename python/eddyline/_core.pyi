from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Final, final

VERSION: Final[str]

def buffer_estimate(question: str) -> str: ...
def load(
    text: str,
    format: str,
    name: str,
    folder: str | PathLike[str] | None = None,
    overrides: Sequence[tuple[str, str]] = (),
) -> Scenario: ...
def load_file(path: str | PathLike[str], overrides: Sequence[tuple[str, str]] = ()) -> Scenario: ...
def check_points(
    text: str,
    format: str,
    name: str,
    folder: str | PathLike[str] | None,
    points: Sequence[Sequence[tuple[str, str]]],
    given: int,
) -> Checked: ...
def quantity(what: str, text: str) -> float: ...
def register() -> str: ...
def response(
    kind: str, loss: float, rtt_s: float, *, ack_every: int = 1, periodic: bool = False
) -> tuple[float, float]: ...
def schema() -> str: ...
def values(what: str, text: str) -> tuple[list[float], str]: ...

@final
class Checked:
    @property
    def files(self) -> set[Path]: ...
    @property
    def mistakes(self) -> list[tuple[str, str]]: ...

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
    def flows(self) -> list[str]: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def sources(self) -> list[str]: ...
    @property
    def expected_worlds(self) -> list[str]: ...
    def check(self, run: Run) -> str: ...
    def theory(
        self,
        question: str,
        *,
        link_model: str = "integrator",
        law: str = "equation",
        exponent: float = 1.0,
        flow_level: bool = False,
        arrivals: int | None = None,
        distribution: bool = False,
    ) -> str: ...
    def vegas(self, thresholds: Sequence[tuple[float, float]]) -> str: ...
    def theory_map(
        self,
        x: tuple[str, str],
        y: tuple[str, str],
        show: str,
        *,
        flow: str | None = None,
        link_model: str = "ack_clocked",
        folder: str | PathLike[str] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> str: ...
    def run(
        self,
        world: str,
        *,
        series: bool = False,
        log_all: bool = False,
        log_of: str | None = None,
        base_rtt_s: Sequence[float] | None = None,
        dynamics: str | None = None,
        law: str = "equation",
        progress: Callable[[float, float, int, float], object] | None = None,
    ) -> Run: ...

@final
class Run:
    QUANTITIES: Final[list[str]]
    EVENTS: Final[list[str]]
    PACKETS: Final[list[str]]
    @property
    def world(self) -> str: ...
    @property
    def json(self) -> str: ...
    @property
    def approximations(self) -> list[str]: ...
    @property
    def flows(self) -> list[str]: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def sources(self) -> list[str]: ...
    def series(self) -> dict[str, bytes] | None: ...
    def log(self) -> dict[str, bytes] | None: ...
    def write_log(self, path: str) -> bool: ...
