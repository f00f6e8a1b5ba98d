"""What only theory computes: equilibria, stability, populations, closed forms, maps.

    import eddyline as el

    s = el.Scenario.load("two-way.toml")
    el.theory.equilibrium(s).flows  # every equilibrium, a pandas frame
    el.theory.stability(s).plot()  # roots and Nyquist curves
    el.theory_map(s, ("link.down.rate", "1 Mbit/s..20 Mbit/s:41:log"), ("link.up.rate", "1 Mbit/s..20 Mbit/s:41:log"))

Every function returns an object with frames in SI units, the document as the command prints it (`json`, `to_dict()`)
and a figure (`plot()`).
"""

from __future__ import annotations

from eddyline.theory.document import Document
from eddyline.theory.equilibria import Equilibria, equilibrium
from eddyline.theory.ideal import Fairness, fairness
from eddyline.theory.local_stability import Stability, stability
from eddyline.theory.maps import Axis, TheoryMap, theory_map
from eddyline.theory.populations import Population, population
from eddyline.theory.response_functions import Responses, response, responses
from eddyline.theory.saw_teeth import SawTeeth, SawTooth, saw_teeth, saw_tooth
from eddyline.theory.vegas_band import VegasBand, vegas

__all__ = [
    "Axis",
    "Document",
    "Equilibria",
    "Fairness",
    "Population",
    "Responses",
    "SawTeeth",
    "SawTooth",
    "Stability",
    "TheoryMap",
    "VegasBand",
    "equilibrium",
    "fairness",
    "population",
    "response",
    "responses",
    "saw_teeth",
    "saw_tooth",
    "stability",
    "theory_map",
    "vegas",
]
