"""Questions that only theory answers: one object per question, with its options, defaults and checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline._core import Equilibrium, Fairness, Nyquist, Population, Stability
from eddyline.spelling import unknown
from eddyline.worlds import LAWS, LINK_MODELS, require_model

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "QUESTIONS",
    "Question",
    "question",
]


Question: TypeAlias = Equilibrium | Fairness | Stability | Nyquist | Population

QUESTIONS: dict[str, tuple[Callable[..., Question], tuple[str, ...]]] = {
    "equilibrium": (Equilibrium, ()),
    "fairness": (Fairness, ("exponent",)),
    "stability": (Stability, ("link_model", "law")),
    "nyquist": (Nyquist, ("link_model", "law")),
    "population": (Population, ("flow_level", "arrivals", "distribution")),
}
"""Questions that only theory answers: the object of each, and the names of its options."""


def question(name: str, **options: Any) -> Question:
    """A question by its name, with those of the options that it has.

    Raises:
        InputError: There is no such question, or an option has no such value.
    """
    if name not in QUESTIONS:
        raise unknown("question", name, QUESTIONS)
    require_model(options.get("link_model", LINK_MODELS[0]), options.get("law", LAWS[0]))
    made, names = QUESTIONS[name]
    return made(**{option: options[option] for option in names if option in options})
