"""Questions that only theory answers: one object per question, with its options, defaults and checks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, TypeAlias

from eddyline.spelling import unknown
from eddyline.worlds import LAWS, LINK_MODELS, require_model

__all__ = [
    "QUESTIONS",
    "Equilibrium",
    "Fairness",
    "Nyquist",
    "Population",
    "Question",
    "Stability",
    "arguments",
    "question",
]


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
        require_model(self.link_model, self.law)


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
