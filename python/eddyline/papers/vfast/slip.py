"""Which single slip in a configuration gives what the paper prints: halved round trips, doubled rates."""

from __future__ import annotations

from functools import partial
from math import log2
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING

from eddyline.papers.vfast.runs import FAST, JOINING, RECOVERY, VFAST, Case
from eddyline.reports.figures import BLUE, GREEN, ORANGE, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["slip"]

PRINTED = {"II": {"base": 0.5, "rtt": 0.5, "window": 1.0, "rate": 2.0}, "IV": {"base": 0.5, "rtt": 0.5, "rate": 2.0}}
"""VFAST over FAST by the text of Section VI.B and VI.D."""

_STARTS = ("flow 2", "flow 3", "flow 4")


def _starts(seconds: float) -> tuple[tuple[str, str], ...]:
    return tuple((f'flow."{name}".start', f"{seconds * n:g} s") for n, name in enumerate(_STARTS, 1))


def _slips_of_scenario_2(thin: int) -> dict[str, tuple[tuple[str, str], ...]]:
    """Slips of scenario II, rates and alpha divided by `thin`."""

    def rate(times: float) -> tuple[str, str]:
        return ("link.*.rate", f"{times * 1000 / thin:g} Mbit/s")

    return {
        "none": (),
        "delay halved": (("link.*.delay", "10 ms"),),
        "delay doubled": (("link.*.delay", "40 ms"),),
        "rate doubled": (rate(2.0),),
        "rate halved": (rate(0.5),),
        "alpha doubled": (("flow.*.controller.alpha", f"{2000 // thin} packets"),),
        "alpha halved": (("flow.*.controller.alpha", f"{500 // thin} packets"),),
        "packets of 500 B": (("flow.*.packet", "540 B"),),
        "buffer of 1,000 packets": (("link.*.queue.limit", f"{1000 // thin} packets"),),
        "no SACK": tuple((f"flow.*.tcp.{key}", value) for key, value in RECOVERY["timer"]),
        "all start together": _starts(0.0),
        "starts 1 s apart": _starts(1.0),
        "delay halved, rate doubled": (("link.*.delay", "10 ms"), rate(2.0)),
    }


def _rtt(milliseconds: float) -> tuple[tuple[str, str], ...]:
    return Case("scenario-4-alone", rtt_ms=milliseconds).changes()[1:]


_SLIPS_OF_SCENARIO_4: dict[str, tuple[tuple[str, str], ...]] = {
    "none": (),
    "delay halved": _rtt(25.0),
    "delay doubled": _rtt(100.0),
    "rate doubled": (("link.forward.rate", "200 Mbit/s"),),
    "no loss": (("link.forward.loss", "0.0"),),
    "loss of 1e-5": (("link.forward.loss", "1e-5"),),
    "alpha doubled": (("flow.*.controller.alpha", "400 packets"),),
    "buffer of 100 packets": (("link.forward.queue.limit", "100 packets"),),
    "delay halved, rate doubled": (*_rtt(25.0), ("link.forward.rate", "200 Mbit/s")),
}


def _worst_error(row: Row, rate: str, scenario: str) -> float:
    """log2 of the largest factor between a ratio and what is printed."""
    found = {"base": row["base"], "rtt": row["rtt"], "window": row["window"], "rate": row[rate]}
    return max(abs(log2(found[key] / printed)) for key, printed in PRINTED[scenario].items())


def _row(scenario: str, recovery: str, name: str, kind: str, ratios: dict[str, float]) -> Row:
    row: Row = {"scenario": scenario, "recovery": recovery, "slip": name, "kind": kind, **ratios}
    row["plotted"] = ratios["window"] / ratios["rtt"]
    row["off_true"] = _worst_error(row, "rate", scenario)
    row["off_plotted"] = _worst_error(row, "plotted", scenario)
    return row


def _recorded_at_half(ratios: dict[str, float]) -> dict[str, float]:
    """What a run gives if its round trips are recorded at half: windows and what arrives stay, as eq. 3 has d / D."""
    return ratios | {key: 0.5 * ratios[key] for key in ("base", "rtt")}


def _measurement(scenario: str, recovery: str, rows: list[Row]) -> Row:
    none = next(r for r in rows if (r["scenario"], r["recovery"], r["slip"]) == (scenario, recovery, "none"))
    ratios = {key: none[key] for key in ("base", "rtt", "window", "rate")}
    return _row(scenario, recovery, "samples recorded at half", "measurement", _recorded_at_half(ratios))


def _ratios(reference: Sequence[RunResult], changed: Sequence[RunResult]) -> dict[str, float]:
    """Medians over flows and phases."""
    found: dict[str, list[float]] = {"base": [], "rtt": [], "window": [], "rate": []}
    for old, new in zip(reference, changed, strict=True):
        for flow in old.document["flows"]:
            other = new.flow(flow["name"])
            if flow["packets_per_s"] and other["packets_per_s"] and other["rtt_s"]["mean"]:
                found["base"].append(other["base_rtt_s"] / flow["base_rtt_s"])
                found["rtt"].append(other["rtt_s"]["mean"] / flow["rtt_s"]["mean"])
                found["window"].append(other["window_packets"]["mean"] / flow["window_packets"]["mean"])
                found["rate"].append(other["goodput_bps"] / flow["goodput_bps"])
    return {key: median(values) for key, values in found.items()}


def slip(context: Context, seeds: int = 3, thin: int = 10, recoveries: Sequence[str] = ("SACK", "timer")) -> Exhibit:
    """VFAST with each slip over FAST without."""
    rows: list[Row] = []
    base = context.runner.run_all([Case("scenario-2", FAST, thin=thin).phase(p) for p in JOINING])
    for name, changes in _slips_of_scenario_2(thin).items():
        changed = context.runner.run_all([Case("scenario-2", VFAST, thin=thin, more=changes).phase(p) for p in JOINING])
        rows.append(_row("II", "SACK", name, "configuration", _ratios(base, changed)))
    rows.append(_measurement("II", "SACK", rows))
    for recovery in recoveries:
        runs = [
            Case("scenario-4-alone", sender, None, recovery, seed=seed, more=changes).summary()
            for sender, changes in ((FAST, ()), *((VFAST, c) for c in _SLIPS_OF_SCENARIO_4.values()))
            for seed in range(1, seeds + 1)
        ]
        results = context.runner.run_all(runs)
        for place, name in enumerate(_SLIPS_OF_SCENARIO_4, 1):
            changed = results[place * seeds : (place + 1) * seeds]
            rows.append(_row("IV", recovery, name, "configuration", _ratios(results[:seeds], changed)))
        rows.append(_measurement("IV", recovery, rows))
    return context.definition("slip").exhibit(rows, findings=_nearest(rows), draw={"slip": partial(_draw, rows=rows)})


def _nearest(rows: list[Row]) -> list[tuple[str, Row]]:
    """The slip whose ratios are nearest to what is printed, by scenario and kind of rate."""
    findings: list[tuple[str, Row]] = []
    for scenario in dict.fromkeys(r["scenario"] for r in rows):
        for key in ("off_true", "off_plotted"):
            best = min((r for r in rows if r["scenario"] == scenario), key=itemgetter(key))
            findings.append((key, best | {"factor": 2 ** best[key]}))
    return findings


def _draw(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    part = [r for r in rows if r["scenario"] == "II"]
    for key, colour, mark in (("base", BLUE, "o"), ("rtt", GREEN, "s"), ("window", ORANGE, "^"), ("plotted", RED, "D")):
        label = {"base": "base RTT", "rtt": "mean RTT", "window": "window", "plotted": "window over RTT"}[key]
        axis.plot([r[key] for r in part], range(len(part)), mark, color=colour, label=label, markersize=5)
    for value in (0.5, 1.0, 2.0):
        axis.axvline(value, color="#999999", linewidth=0.7)
    axis.set_xscale("log", base=2)
    axis.set_yticks(range(len(part)), [r["slip"] for r in part])
    axis.invert_yaxis()
    axis.set_xlabel("VFAST with the slip over FAST")
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, fontsize=8)
