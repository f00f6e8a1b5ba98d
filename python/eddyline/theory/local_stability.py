"""Local stability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.loading import loaded
from eddyline.questions import question
from eddyline.theory.document import Document
from eddyline.worlds import LINK_MODELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.loading import Given
    from eddyline.scenario import Scenario

__all__ = ["Stability", "stability", "verdict"]


def verdict(document: Mapping[str, Any]) -> str:
    """What a document of one link model says of small disturbances, in a word."""
    return "stable" if document["stable"] else "neutral" if document["neutral"] else "unstable"


class Stability(Document):
    """Verdicts about the first equilibrium, one per link model."""

    def __init__(self, text: str, scenario: Scenario, law: str) -> None:
        super().__init__(text, scenario.title)
        self._scenario = scenario
        self._law = law

    @property
    def documents(self) -> list[dict[str, Any]]:
        """One document per link model."""
        given = self.to_dict()
        return given if isinstance(given, list) else [given]

    @property
    def notes(self) -> list[str]:
        """What the verdicts do not cover: first what holds for all of several link models, then what is of one."""
        documents = self.documents
        common = [note for note in documents[0]["notes"] if all(note in d["notes"] for d in documents[1:])]
        if len(documents) == 1:
            common = []
        own = ((d["link_model"], note) for d in documents for note in d["notes"] if note not in common)
        return [*common, *(f"{model}: {note}" for model, note in own)]

    @property
    def verdicts(self) -> pd.DataFrame:
        """A row per link model: `stable`, `neutral`, rightmost root (1/s), margins and their frequencies (rad/s)."""
        from eddyline.frames import frame

        names = ("gain_margin", "gain_margin_at_rad_s", "delay_margin_s", "delay_margin_at_rad_s")
        rows = []
        for d in self.documents:
            re, im = d["roots"][0] if d["roots"] else (None, None)
            row = {name: d[name] for name in ("link_model", "stable", "neutral")}
            rows.append(row | {"root_re_per_s": re, "root_im_per_s": im} | {n: d[n] for n in names})
        return frame(rows)

    @property
    def roots(self) -> pd.DataFrame:
        """A row per link model and root, rightmost first: `re_per_s`, `im_per_s` (the upper one of a pair)."""
        import pandas as pd

        rows = [(d["link_model"], re, im) for d in self.documents for re, im in d["roots"]]
        return pd.DataFrame(rows, columns=["link_model", "re_per_s", "im_per_s"])

    @property
    def nyquist(self) -> pd.DataFrame:
        """The loop's eigenvalues along the imaginary axis: `link_model`, `locus`, `omega_rad_s`, `re`, `im`.

        With gain k there is a root on the axis where one of them is -1 / k.
        """
        import pandas as pd

        parts = []
        for d in self.documents:
            _, curves = self._scenario.ask(question("nyquist", link_model=d["link_model"], law=self._law))
            for number, curve in enumerate(curves["loci"]):
                parts.append(pd.DataFrame({"link_model": d["link_model"], "locus": number, **curve}))
        columns = ["link_model", "locus", "omega_rad_s", "re", "im"]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)

    def plot(self) -> Figure:
        """Rightmost roots in the complex plane, and Nyquist curves with the margins."""
        from eddyline.plots.roots import stability

        return stability([d | {"verdict": verdict(d)} for d in self.documents], self.nyquist, self._title)


def stability(scenario: Given, link_model: str = "all", law: str = "equation") -> Stability:
    """Local stability of the first equilibrium: rightmost roots with exact delays, margins.

    Source: eq. 1 to 3 of Ge et al., "Performance Effects of Two-way FAST TCP", and the ACK clock of Jacobsson et al.
    (2008), here for two-way traffic; `docs/theory/stability.md`.

    Args:
        scenario: With FAST flows.
        link_model: `"integrator"`, `"ack_clocked"`, `"joint"`, or `"all"` of them.
        law: `"equation"`: the present window and the last round-trip time, as eq. 2 has it. `"algorithm"`: the window
            at sending and the sender's average of round-trip times, as FAST is published and implemented.

    Raises:
        InputError: There is no such link model or law.
        EddylineError: There is no equilibrium, and why.
    """
    scenario = loaded(scenario)
    models = LINK_MODELS if link_model == "all" else (link_model,)
    texts = [scenario.ask(question("stability", link_model=m, law=law))[0] for m in models]
    return Stability(texts[0] if len(texts) == 1 else "[" + ",\n".join(texts) + "]", scenario, law)
