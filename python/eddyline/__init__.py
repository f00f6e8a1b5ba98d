"""Eddyline, a congestion-control laboratory for two-way paths.

    import eddyline as el

    s = el.Scenario.load("two-way.toml")  # or el.Scenario({...})
    r = s.run("sim")  # a packet-level simulation
    t = s.run("theory")  # theory
    r.flows, r.links  # pandas frames, SI units
    el.compare(r, t)  # one table
    s.run(seeds=10).plot()  # means with bands
    el.open("result")  # whatever was saved
    el.sweep(s, {"link.up.rate": ["1 Mbit/s", "2 Mbit/s"]}, out="rates").flows  # a grid
    el.gauntlet.run("bbr").passed  # a controller in some fifty scenarios
    el.evaluate(["reno", "cubic"], quick=True).figures  # controllers side by side
    el.theory.stability(s).plot()  # what only theory computes

Everything is imported on first use, so that `import eddyline` itself costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # without `typing`, whose import takes longer than all of this

if TYPE_CHECKING:
    from eddyline import gauntlet, theory
    from eddyline.adviser import Advice, advise
    from eddyline.adviser.home import HomeAdvice, advise_home
    from eddyline.comparison import compare
    from eddyline.controllers.base import Ack, Controller, Loss, PathFacts, Round, Sent, Timeout
    from eddyline.controllers.interval import IntervalController
    from eddyline.controllers.parameters import Bytes, Duration, Frequency, Packets, Percent, Rate
    from eddyline.controllers.registry import register, registered, unregister
    from eddyline.controllers.sources import load_controllers
    from eddyline.environment import CongestionControl as CongestionControl
    from eddyline.environment import env as env
    from eddyline.errors import (
        ControllerError,
        EddylineError,
        InputError,
        InternalError,
        NoEquilibrium,
        ScenarioError,
        UntrustedRun,
        WorldUnavailable,
    )
    from eddyline.evaluation import Evaluation, evaluate
    from eddyline.interactive import interact
    from eddyline.observations import Interval, Observer, window_after
    from eddyline.opening import open
    from eddyline.probing import probe
    from eddyline.results import Results
    from eddyline.scenario import Result, Scenario
    from eddyline.sweeps.frame import read_sweep
    from eddyline.sweeps.listener import SweepListener
    from eddyline.sweeps.merge import merge
    from eddyline.sweeps.sweep import sweep
    from eddyline.sweeps.swept import Swept
    from eddyline.theory import theory_map
    from eddyline.worlds import NAMES as WORLDS

    __version__: str

__all__ = [
    "WORLDS",
    "Ack",
    "Advice",
    "Bytes",
    "Controller",
    "ControllerError",
    "Duration",
    "EddylineError",
    "Evaluation",
    "Frequency",
    "HomeAdvice",
    "InputError",
    "InternalError",
    "Interval",
    "IntervalController",
    "Loss",
    "NoEquilibrium",
    "Observer",
    "Packets",
    "PathFacts",
    "Percent",
    "Rate",
    "Result",
    "Results",
    "Round",
    "Scenario",
    "ScenarioError",
    "Sent",
    "SweepListener",
    "Swept",
    "Timeout",
    "UntrustedRun",
    "WorldUnavailable",
    "__version__",
    "advise",
    "advise_home",
    "compare",
    "evaluate",
    "gauntlet",
    "interact",
    "load_controllers",
    "merge",
    "open",
    "probe",
    "read_sweep",
    "register",
    "registered",
    "sweep",
    "theory",
    "theory_map",
    "unregister",
    "window_after",
]

_HOMES = {
    **dict.fromkeys(
        ("Ack", "Controller", "Loss", "PathFacts", "Round", "Sent", "Timeout"), "eddyline.controllers.base"
    ),
    **dict.fromkeys(
        ("Bytes", "Duration", "Frequency", "Packets", "Percent", "Rate"), "eddyline.controllers.parameters"
    ),
    "IntervalController": "eddyline.controllers.interval",
    **dict.fromkeys(("register", "registered", "unregister"), "eddyline.controllers.registry"),
    "load_controllers": "eddyline.controllers.sources",
    "CongestionControl": "eddyline.environment",
    "ControllerError": "eddyline.errors",
    "env": "eddyline.environment",
    "Evaluation": "eddyline.evaluation",
    "evaluate": "eddyline.evaluation",
    "Advice": "eddyline.adviser",
    "EddylineError": "eddyline.errors",
    "InputError": "eddyline.errors",
    "InternalError": "eddyline.errors",
    "NoEquilibrium": "eddyline.errors",
    "Result": "eddyline.scenario",
    "Scenario": "eddyline.scenario",
    "ScenarioError": "eddyline.errors",
    "UntrustedRun": "eddyline.errors",
    "WorldUnavailable": "eddyline.errors",
    "Interval": "eddyline.observations",
    "Observer": "eddyline.observations",
    "window_after": "eddyline.observations",
    "advise": "eddyline.adviser",
    "HomeAdvice": "eddyline.adviser.home",
    "advise_home": "eddyline.adviser.home",
    "compare": "eddyline.comparison",
    "Results": "eddyline.results",
    "SweepListener": "eddyline.sweeps.listener",
    "Swept": "eddyline.sweeps.swept",
    "interact": "eddyline.interactive",
    "merge": "eddyline.sweeps.merge",
    "open": "eddyline.opening",
    "probe": "eddyline.probing",
    "read_sweep": "eddyline.sweeps.frame",
    "sweep": "eddyline.sweeps.sweep",
    "theory_map": "eddyline.theory",
}


def __getattr__(name: str) -> object:
    from eddyline.ctrl_c import AfterImports

    with AfterImports():
        return _imported(name)


def _imported(name: str) -> object:
    import importlib

    if name == "__version__":
        return importlib.import_module("eddyline._core").VERSION
    if name == "WORLDS":
        return importlib.import_module("eddyline.worlds").NAMES
    if name in ("gauntlet", "theory"):
        return importlib.import_module(f"eddyline.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'eddyline' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # without names that need an optional library
    return sorted({*__all__, *_HOMES})
