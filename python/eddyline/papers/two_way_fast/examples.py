"""Examples 1 to 5: the paper's values beside our theory, our simulations and ns-2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.papers.two_way_fast.backlogs import left_open, rounding

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["WIRES", "agreement", "builder", "compare", "example_rows", "relative_error", "theorem"]

WIRES = (1000, 1040)
"""Sizes of a data packet on the wire in bytes: in the equations, and in ns-2."""

ANALYSIS_WITHIN = 0.01  # the coarsest printed value has two digits, 0.5 % of the last one
SIMULATION_WITHIN = 0.025  # two digits, and two packets of the backlog that the module leaves open

_TITLES = {
    1: "two downloads whose ACKs fill the slow backward link",
    2: "a symmetric link, two flows forward, one backward",
    3: "one flow each way, 100 against 10 Mbit/s",
    4: "Example 3 with a third flow",
    5: "a balanced link, one flow each way",
}


@dataclass(frozen=True)
class Comparison:
    """Theory and the two simulations of one scenario."""

    theory: RunResult
    clean: RunResult
    module: RunResult


def compare(context: Context, file: str, changes: tuple[tuple[str, str], ...] = ()) -> Comparison:
    """Theory, the clean algorithm and the ns-2 module's profile on one scenario."""
    runs = [Run(file, "theory", None, changes), Run(file, "sim", None, changes), Run(file, "sim", NS2_PROFILE, changes)]
    return Comparison(*context.runner.run_all(runs))


def relative_error(value: float | None, against: float | None) -> float | None:
    """`value / against - 1`; None where there is no such value."""
    return None if value is None or not against else value / against - 1.0


def agreement(row: Row) -> str:
    """Which of the paper's two figures in a row agree with ours."""
    pairs = [("analysis", "paper_analysis", "theory", ANALYSIS_WITHIN)]
    pairs.append(("simulation", "paper_simulation", "module", SIMULATION_WITHIN))
    known = {
        name: _close(row[ours], row[theirs], share) for name, theirs, ours, share in pairs if row[theirs] is not None
    }
    good = [name for name, close in known.items() if close]
    if not known:
        return ""
    if len(good) == len(known):
        return "agree" if len(known) == 2 else "agrees"
    return f"{good[0]} agrees" if good else ("neither agrees" if len(known) == 2 else "differs")


def _close(ours: float, theirs: float, share: float) -> bool:
    return abs(ours - theirs) <= share * abs(theirs) + 1e-9


def example_rows(context: Context, example: int) -> list[Row]:
    """Each printed quantity of an example at both sizes, beside ours."""
    rows: list[Row] = []
    for wire in WIRES:
        ours = compare(context, f"example-{example}-{wire}B")
        reference = context.ns2.get(f"ex{example}_{'header' if wire == 1040 else 'no_header'}")
        printed = [p for p in context.values["printed"] if p["example"] == example]
        rows += [_row(p, wire, ours, reference) for p in printed]
    return rows


def _row(printed: dict[str, Any], wire: int, ours: Comparison, reference: dict[str, Any] | None) -> Row:
    what, entity = printed["what"], printed["entity"]
    quantity = _quantity(what, entity)
    scale, unit = {"throughput": (1e6, "Mbit/s"), "packets_per_s": (1.0, "packets/s"), "utilisation": (1.0, "1")}[what]
    row: Row = {
        "example": printed["example"],
        "what": what.replace("_per_s", " a second"),
        "entity": entity,
        "wire": wire,
        "unit": unit,
        "paper_analysis": printed.get("analysis"),
        "paper_simulation": printed.get("simulation"),
        "theory": quantity(ours.theory) / scale,
        "clean": quantity(ours.clean) / scale,
        "module": quantity(ours.module) / scale,
        "reference": _reference_value(reference, what, entity),
        "place": printed["place"],
    }
    if row["paper_simulation"]:
        row["deviation"] = abs(row["module"] / row["paper_simulation"] - 1.0)
        row["left_open"] = left_open(ours.module.scenario)[entity] + rounding(row["paper_simulation"])
    if "simulation_in_text" in printed:
        row["deviation_of_text"] = abs(row["module"] / printed["simulation_in_text"] - 1.0)
    row["clean_off"] = relative_error(row["clean"], row["theory"])
    row["module_off"] = relative_error(row["module"], row["reference"])
    row["verdict"] = agreement(row)
    return row


def _quantity(what: str, entity: str) -> Callable[[RunResult], float]:
    if what == "utilisation":
        return lambda a: float(a.link(entity)["goodput_utilisation"])
    field = "goodput_bps" if what == "throughput" else "packets_per_s"
    return lambda a: float(a.flow(entity)[field])


def _reference_value(reference: dict[str, Any] | None, what: str, entity: str) -> float | None:
    if reference is None:
        return None
    if what == "utilisation":
        return float(reference["links"][entity]["payload_utilisation"])
    return float(reference["flows"][entity]["payload_mbps" if what == "throughput" else "packets_per_s"])


def builder(example: int) -> Callable[[Context], Exhibit]:
    """The function that makes the exhibit of one example."""

    def build(context: Context) -> Exhibit:
        setting = next(s for s in context.values["setting"] if s["example"] == example)
        alphas = ", ".join(f"{a}" for a in setting["alpha"])
        values = setting | {"number": example, "title": _TITLES[example], "alphas": alphas}
        return context.definition(f"example-{example}").exhibit(example_rows(context, example), values=values)

    return build


def theorem(context: Context) -> Exhibit:
    """Theorem 1 against packets: each flow of each example at both sizes, with x q simulated."""
    rows: list[Row] = []
    for example in range(1, 6):
        for wire in WIRES:
            ours = compare(context, f"example-{example}-{wire}B")
            setting = next(s for s in context.values["setting"] if s["example"] == example)
            equation = _equation(setting, ours.theory.scenario["flow"], wire)
            rows += [_flow_row(example, wire, ours, f["name"], equation) for f in ours.theory.document["flows"]]
    return context.definition("theorem-1").exhibit(rows)


def _equation(setting: dict[str, Any], flows: list[dict[str, Any]], wire: int) -> dict[str, float]:
    """Eq. 5 or 6, as (4) decides, in packets a second."""
    alphas = {f["name"]: float(alpha) for f, alpha in zip(flows, setting["alpha"], strict=True)}
    queued = {"forward": 0.0, "backward": 0.0}  # seconds: the sides of (4)
    for flow in flows:
        for link in queued:
            size = wire if flow["data"] == [link] else 40
            queued[link] += alphas[flow["name"]] * 8.0 * size / (1e6 * setting[f"{link}_mbps"])
    return {name: alpha / max(queued.values()) for name, alpha in alphas.items()}


def _flow_row(example: int, wire: int, ours: Comparison, name: str, equation: dict[str, float]) -> Row:
    from eddyline.papers.two_way_fast.fairness import proportional

    theory, clean, module = (a.flow(name) for a in (ours.theory, ours.clean, ours.module))
    described = {f["name"]: f for f in ours.theory.scenario["flow"]}
    fair = proportional(ours.theory.scenario)
    return {
        "example": example,
        "flow": name,
        "wire": wire,
        "alpha": float(str(described[name]["controller"]["alpha"]).split()[0]),
        "equation": equation[name],
        "theory": theory["packets_per_s"],
        "clean": clean["packets_per_s"],
        "off": relative_error(clean["packets_per_s"], equation[name]),
        "module": module["packets_per_s"],
        "module_off": relative_error(module["packets_per_s"], equation[name]),
        "backlog": clean["packets_per_s"] * clean["queueing_delay_s"],
        "fair": fair[name],
    }
