"""Does the simulator settle where a link model says so? Random networks, case by case, and the tally."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast.cases import MARGIN, SWING, cases, swing
from eddyline.reports.figures import BLACK, BLUE, GREEN, RED
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.asymmetric_fast.cases import Case
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["case_by_case", "tally"]

_MODELS = {
    "integrator": "integrator, eq. 2",
    "ack_clocked": "ack-clocked, eq. 2",
    "joint": "joint, eq. 2",
    "own_integrator": "integrator, own law",
    "own_ack_clocked": "ack-clocked, own law",
}
_SETTLES, _OSCILLATES = "settles", "oscillates"


def _found(context: Context) -> list[Row]:
    """A row per case and sender."""
    known = cases(context.folder)
    settled = [case.scenario().run_with(RunOptions(), "theory").to_dict() for case in known]
    asked = [
        (case, theory, sender, case.times(theory))
        for case, theory in zip(known, settled, strict=True)
        for sender in case.senders
    ]
    scenarios = [
        case.scenario(replace(sender, start_up=up), times, every=min(f["rtt_s"]["mean"] for f in theory["flows"]) / 8)
        for case, theory, sender, times in asked
        for up in (True, False)
    ]
    results = context.runner.simulate(scenarios)
    roots = {case.number: _growths(case, theory) for case, theory in zip(known, settled, strict=True)}
    rows = []
    pairs = zip(results[::2], results[1::2], strict=True)
    for (case, theory, sender, (_, warmup)), (result, calm) in zip(asked, pairs, strict=True):
        spread, calm_spread = swing(result, warmup), swing(calm, warmup)
        rtts = [f["rtt_s"]["mean"] for f in theory["flows"]]
        waits = [f["queueing_delay_s"] for f in theory["flows"]]
        gamma = case.table["flows"][0]["gamma"]
        rows.append(
            {
                "case": case.number,
                "kind": case.kind,
                "delays": case.delays,
                "sender": sender.name,
                "queues": sum(bool(link["bottleneck"]) for link in theory["links"]),
                "rtt_s": max(rtts),
                "rho": min(q / r for q, r in zip(waits, rtts, strict=True)),
                "u": max(gamma * r / case.between(r) for r in rtts),
                **{f"{model}_growth": value for model, value in roots[case.number].items()},
                **{model: _verdict(value > MARGIN) for model, value in roots[case.number].items()},
                "swing": spread,
                "simulated": _verdict(spread > SWING),
                "calm_swing": calm_spread,
                "calm": _verdict(calm_spread > SWING),
            }
        )
    return rows


def _growths(case: Case, theory: Row) -> dict[str, float]:
    """Real part of the rightmost root times the longest round trip, by model."""
    longest = max(f["rtt_s"]["mean"] for f in theory["flows"])
    scenario = case.scenario()
    grown = {}
    for model in ("integrator", "ack_clocked", "joint"):
        _, document = scenario.theory("stability", link_model=model)
        grown[model] = float(document["roots"][0][0]) * longest
    return grown | {f"own_{model}": case.own_growth(model) for model in ("integrator", "ack_clocked")}


def _verdict(oscillates: bool) -> str:
    return _OSCILLATES if oscillates else _SETTLES


def case_by_case(context: Context) -> Exhibit:
    """Sixty random networks, each with one or two kinds of sender."""
    rows = context.cached("stability", lambda: _found(context))
    return context.definition("stability").exhibit(
        rows, values={"swing": 100 * SWING}, draw={"stability": partial(_draw, rows=rows)}
    )


def tally(context: Context) -> Exhibit:
    """How often model and packets agree, by model and sender."""
    found = context.cached("stability", lambda: _found(context))
    senders = ["all", *dict.fromkeys(r["sender"] for r in found)]
    rows = []
    for key, name in _MODELS.items():
        for sender in senders:
            part = [r for r in found if sender in ("all", r["sender"])]
            same = [r for r in part if r[key] == r["simulated"]]
            rows.append(
                {
                    "model": name,
                    "sender": sender,
                    "cases": len(part),
                    "both_settle": sum(r[key] == _SETTLES for r in same),
                    "both_oscillate": sum(r[key] == _OSCILLATES for r in same),
                    "only_model": sum(r[key] == _OSCILLATES and r["simulated"] == _SETTLES for r in part),
                    "only_packets": sum(r[key] == _SETTLES and r["simulated"] == _OSCILLATES for r in part),
                    "agree": len(same) / len(part),
                    "calm_agree": sum(r[key] == r["calm"] for r in part) / len(part),
                }
            )
    return context.definition("stability-tally").exhibit(rows)


def _draw(figure: Figure, rows: list[Row]) -> None:
    shown = ("integrator", "ack_clocked", "own_ack_clocked")
    axes = figure.subplots(1, len(shown), sharey=True)
    marks = {"paced": ("o", BLUE), "ACK-driven": ("s", GREEN), "module": ("x", RED)}
    for axis, model in zip(axes, shown, strict=True):
        for sender, (mark, colour) in marks.items():
            part = [r for r in rows if r["sender"] == sender]
            growth = [max(r[f"{model}_growth"], -1.0) for r in part]
            spread = [100 * max(r["swing"], 1e-4) for r in part]
            axis.plot(growth, spread, mark, color=colour, label=sender, markersize=4, alpha=0.8)
        axis.axhline(100 * SWING, color=BLACK, linewidth=0.8, linestyle="--")
        axis.axvline(MARGIN, color=BLACK, linewidth=0.8, linestyle="--")
        axis.set_yscale("log")
        axis.set_title(_MODELS[model])
        axis.set_xlabel("growth a round trip, predicted")
    axes[0].set_ylabel("spread of windows, packets (%)")
    axes[0].set_yticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
