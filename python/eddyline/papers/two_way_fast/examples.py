"""Examples 1 to 5: what the paper prints, what theory says, what we simulate, what ns-2 gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.reports.exhibit import Column, Exhibit

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Row

__all__ = ["COLUMNS", "WIRES", "agreement", "builder", "ratio", "rows_of", "theorem", "trio"]

WIRES = (1000, 1040)
"""Sizes of a data packet on the wire: what the equations count, and what ns-2 sends."""

ANALYSIS_WITHIN = 0.01  # the coarsest printed value has two digits, 0.5 % of the last one
SIMULATION_WITHIN = 0.025  # two digits, and two packets of the backlog that the module leaves open

COLUMNS = (
    Column("what", "quantity"),
    Column("entity", "of"),
    Column("wire", "wire", "B"),
    Column("unit", "in"),
    Column("paper_analysis", "paper's analysis"),
    Column("theory", "our theory"),
    Column("clean", "our sim, clean"),
    Column("paper_simulation", "paper's simulation"),
    Column("module", "our sim, ns-2 profile"),
    Column("reference", "ns-2 reference"),
    Column("clean_off", "clean against theory", percent=True),
    Column("module_off", "profile against ns-2", percent=True),
    Column("verdict", "paper's figures"),
)

_TITLES = {
    1: "two downloads whose ACKs fill the slow way back",
    2: "a symmetric link, two flows one way, one the other",
    3: "one flow each way, 100 against 10 Mbit/s",
    4: "Example 3 with a third flow",
    5: "a balanced link, one flow each way",
}


@dataclass(frozen=True)
class Trio:
    """Theory and the two simulations of one scenario."""

    theory: RunResult
    clean: RunResult
    module: RunResult


def trio(context: Context, file: str, changes: tuple[tuple[str, str], ...] = ()) -> Trio:
    """Asks theory, the clean algorithm and the ns-2 module's profile."""
    runs = [Run(file, "theory", None, changes), Run(file, "sim", None, changes), Run(file, "sim", NS2_PROFILE, changes)]
    return Trio(*context.runner.run_all(runs))


def ratio(value: float | None, against: float | None) -> float | None:
    """How far `value` is from `against`, as a share of it."""
    return None if value is None or not against else value / against - 1.0


def agreement(row: Row) -> str:
    """What became of the paper's two figures in a row."""
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


def rows_of(context: Context, example: int) -> list[Row]:
    """Every printed quantity of an example at both sizes, beside ours."""
    rows: list[Row] = []
    for wire in WIRES:
        ours = trio(context, f"example-{example}-{wire}B")
        reference = context.ns2.get(f"ex{example}_{'header' if wire == 1040 else 'no_header'}")
        wanted = [p for p in context.values["printed"] if p["example"] == example]
        rows += [_row(printed, wire, ours, reference) for printed in wanted]
    return rows


def _row(printed: dict[str, Any], wire: int, ours: Trio, reference: dict[str, Any] | None) -> Row:
    what, entity = printed["what"], printed["entity"]
    of = _quantity(what, entity)
    scale, unit = {"throughput": (1e6, "Mbit/s"), "packets_per_s": (1.0, "packets/s"), "utilisation": (1.0, "1")}[what]
    row: Row = {
        "example": printed["example"],
        "what": what.replace("_per_s", " a second"),
        "entity": entity,
        "wire": wire,
        "unit": unit,
        "paper_analysis": printed.get("analysis"),
        "paper_simulation": printed.get("simulation"),
        "theory": of(ours.theory) / scale,
        "clean": of(ours.clean) / scale,
        "module": of(ours.module) / scale,
        "reference": _referred(reference, what, entity),
        "place": printed["place"],
    }
    row["clean_off"] = ratio(row["clean"], row["theory"])
    row["module_off"] = ratio(row["module"], row["reference"])
    row["verdict"] = agreement(row)
    return row


def _quantity(what: str, entity: str) -> Callable[[RunResult], float]:
    if what == "utilisation":
        return lambda a: float(a.link(entity)["goodput_utilisation"])
    field = "goodput_bps" if what == "throughput" else "packets_per_s"
    return lambda a: float(a.flow(entity)[field])


def _referred(reference: dict[str, Any] | None, what: str, entity: str) -> float | None:
    if reference is None:
        return None
    if what == "utilisation":
        return float(reference["links"][entity]["payload_utilisation"])
    return float(reference["flows"][entity]["payload_mbps" if what == "throughput" else "packets_per_s"])


def builder(example: int) -> Callable[[Context], Exhibit]:
    """What makes the exhibit of one example."""

    def build(context: Context) -> Exhibit:
        setting = next(s for s in context.values["setting"] if s["example"] == example)
        alphas = ", ".join(f"{a}" for a in setting["alpha"])
        return Exhibit(
            id=f"example-{example}",
            title=f"Example {example}: {_TITLES[example]}",
            place=f"Section 5.1, Example {example}; Table 2",
            reading=(
                f"{setting['forward_mbps']} Mbit/s forward, {setting['backward_mbps']} Mbit/s backward, "
                f"{setting['rtt_ms']} ms round trip, alpha {alphas}. Hold the paper's analysis against our theory at "
                "1,000 B, which is what its equations count, and its simulation against the ns-2 profile at 1,040 B, "
                "which is what ns-2 puts on the wire. Throughput and utilisation count payload only."
            ),
            columns=COLUMNS,
            rows=rows_of(context, example),
        )

    return build


def theorem(context: Context) -> Exhibit:
    """Theorem 1 against packets: every flow of every example, at both sizes, with alpha = x q measured."""
    rows: list[Row] = []
    for example in range(1, 6):
        for wire in WIRES:
            ours = trio(context, f"example-{example}-{wire}B")
            rows += [_flow_row(example, wire, ours, f["name"]) for f in ours.theory.document["flows"]]
    return Exhibit(
        id="theorem-1",
        title="Theorem 1 against packets",
        place="Theorem 1, eq. 5 and 6",
        reading=(
            "Theory is eq. 5 or 6 with the size that is really on the wire. The column x q is the flow's simulated "
            "rate times the queueing delay that its packets and ACKs really met: the paper's starting point says that "
            "it is alpha. Proportional fairness is what the rates would be if every flow paid only for the load that "
            "it puts on the links: with ACKs in the queues FAST does something else."
        ),
        columns=(
            Column("example", "example"),
            Column("flow", "flow"),
            Column("wire", "wire", "B"),
            Column("alpha", "alpha", "packets"),
            Column("theory", "theory", "packets/s"),
            Column("clean", "sim, clean", "packets/s"),
            Column("off", "clean against theory", percent=True),
            Column("module", "sim, ns-2 profile", "packets/s"),
            Column("module_off", "profile against theory", percent=True),
            Column("backlog", "x q, simulated", "packets"),
            Column("fair", "proportional fairness", "packets/s"),
        ),
        rows=rows,
    )


def _flow_row(example: int, wire: int, ours: Trio, name: str) -> Row:
    from eddyline.papers.two_way_fast.fairness import proportional

    theory, clean, module = (a.flow(name) for a in (ours.theory, ours.clean, ours.module))
    described = {f["name"]: f for f in ours.theory.scenario["flow"]}
    fair = proportional(ours.theory.scenario)
    return {
        "example": example,
        "flow": name,
        "wire": wire,
        "alpha": float(str(described[name]["controller"]["alpha"]).split()[0]),
        "theory": theory["packets_per_s"],
        "clean": clean["packets_per_s"],
        "off": ratio(clean["packets_per_s"], theory["packets_per_s"]),
        "module": module["packets_per_s"],
        "module_off": ratio(module["packets_per_s"], theory["packets_per_s"]),
        "backlog": clean["packets_per_s"] * clean["queueing_delay_s"],
        "fair": fair[name],
    }
