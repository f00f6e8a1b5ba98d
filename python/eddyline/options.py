"""Options of a run and of each question to theory: one object per question, with its defaults and its checks."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from eddyline.errors import InputError
from eddyline.spelling import unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = [
    "LAWS",
    "LINK_MODELS",
    "QUESTIONS",
    "Equilibrium",
    "Fairness",
    "Nyquist",
    "Population",
    "Question",
    "RunOptions",
    "Stability",
    "arguments",
    "question",
]

LAWS = ("equation", "algorithm")
"""How FAST senders set their window: eq. 2 as printed, or from the window at sending and their own RTT average."""

LINK_MODELS = ("integrator", "ack_clocked", "joint")
"""How queues respond to windows. The last is for small disturbances only."""


@dataclass(frozen=True)
class RunOptions:
    """What to record in a run, and what world theory is to assume; the arguments of `Scenario.run`.

    Attributes:
        series: Record series; by default where there are few flows and links.
        log: Record every packet's events, or those of one flow, link or traffic source by name.
        base_rtt_s: Each flow's base round-trip time as its sender believes it. World theory only.
        dynamics: Link model of the dynamics over time. World theory only.
        law: Window law of FAST senders in the dynamics. World theory only.
    """

    series: bool | None = None
    log: bool | str = False
    base_rtt_s: Sequence[float] | None = None
    dynamics: str | None = None
    law: str = LAWS[0]

    def __post_init__(self) -> None:
        if self.dynamics is not None:
            _require(self.dynamics, "link model", LINK_MODELS)
        _require(self.law, "window law", LAWS)
        if self.base_rtt_s is not None and not all(0 < each < math.inf for each in self.base_rtt_s):
            raise InputError("base_rtt_s: times in seconds, above 0 and finite")

    def with_series(self, series: bool) -> RunOptions:
        """The same with series recorded or not."""
        return replace(self, series=series)

    def without_theory(self) -> RunOptions:
        """The same without what only world theory has."""
        return RunOptions(self.series, self.log)

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
        try:
            return cls(series, **recorded)
        except TypeError as e:
            raise InputError(f"not the options of a run: {', '.join(recorded)}: {e}") from None

    def recorded(self) -> dict[str, Any]:
        """The options that results depend on and that were not the defaults, for the manifest of a result folder."""
        law = self.law if self.dynamics else None
        base_rtts = None if self.base_rtt_s is None else [*self.base_rtt_s]
        options = {"dynamics": self.dynamics, "law": law, "base_rtt_s": base_rtts}
        return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True)
class Equilibrium:
    """Every equilibrium."""

    name: ClassVar[str] = "equilibrium"


@dataclass(frozen=True)
class Fairness:
    """The equilibria beside the fair ideal.

    Attributes:
        exponent: Of the ideal; 1 is proportional fairness.
    """

    name: ClassVar[str] = "fairness"
    exponent: float = 1.0


@dataclass(frozen=True)
class Stability:
    """Local stability of the first equilibrium.

    Attributes:
        link_model: How queues respond.
        law: Window law of FAST senders.
    """

    name: ClassVar[str] = "stability"
    link_model: str = LINK_MODELS[0]
    law: str = LAWS[0]

    def __post_init__(self) -> None:
        _require(self.link_model, "link model", LINK_MODELS)
        _require(self.law, "window law", LAWS)


@dataclass(frozen=True)
class Nyquist(Stability):
    """The Nyquist curves of the same."""

    name: ClassVar[str] = "nyquist"


@dataclass(frozen=True)
class Population:
    """How many of the flows that arrive and leave are present.

    Attributes:
        flow_level: Simulate flows where the Markov chain would do.
        arrivals: Arrivals in such a simulation.
        distribution: Include the distributions of the numbers of flows, where the chain gives them.
    """

    name: ClassVar[str] = "population"
    flow_level: bool = False
    arrivals: int | None = None
    distribution: bool = False


Question: TypeAlias = Equilibrium | Fairness | Stability | Nyquist | Population

QUESTIONS: dict[str, type[Question]] = {q.name: q for q in (Equilibrium, Fairness, Stability, Nyquist, Population)}
"""Questions that only theory answers, by name."""


def question(name: str, **options: Any) -> Question:
    """A question by its name, with those of the options that it has.

    Raises:
        InputError: There is no such question, or an option has no such value.
    """
    if name not in QUESTIONS:
        raise unknown("question", name, QUESTIONS)
    made = QUESTIONS[name]
    return made(**{f.name: options[f.name] for f in fields(made) if f.name in options})


def arguments(asked: Question) -> dict[str, Any]:
    """The question's options as keyword arguments of the extension."""
    return asdict(asked)


def _require(given: str, what: str, names: Collection[str]) -> None:
    if given not in names:
        raise unknown(what, given, names)
