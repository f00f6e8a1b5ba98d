"""Flows that join one after another, with remedies for their wrong base RTT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.fairness import jain
from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_FILE = "late-joiners"
_CONTROLLER = "flow.flow.controller"
_AGEING = (f"{_CONTROLLER}.base_rtt_age", "30 s")
_DRAIN = (f"{_CONTROLLER}.drain", "true")

_REMEDIES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("none", ()),
    ("the base known", ((f"{_CONTROLLER}.base_rtt", "known"),)),
    ("rate correction", ((f"{_CONTROLLER}.rate_correction", "{}"),)),
    ("half a correction", ((f"{_CONTROLLER}.rate_correction", "{ keep = 0.5 }"),)),
    ("drain", (_DRAIN,)),
    ("drain, every 30 s", ((f"{_CONTROLLER}.drain", '{ every = "30 s" }'),)),
    ("ageing", (_AGEING,)),
    ("ageing and drain", (_AGEING, _DRAIN)),
)

_CASES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("5 flows", ()),
    ("15 flows", (("flow.flow.count", "15"), ("flow.flow.stagger", "10 s"))),
    ("5 flows, 10 ms", (("link.*.delay", "5 ms"),)),
)


def build(context: Context) -> Exhibit:
    """Each remedy in each case."""
    runs = [Run(_FILE, "sim", None, case + remedy) for _, case in _CASES for _, remedy in _REMEDIES]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for case, _ in _CASES:
        for remedy, _ in _REMEDIES:
            result = next(results)
            rates = [f["packets_per_s"] for f in result.document["flows"]]
            link, described = result.link("forward"), result.scenario
            base_rtt = sum(_core.quantity("time", k["delay"]) for k in described["link"])
            alphas = [
                _core.quantity("packets", f["controller"]["alpha"]) * f.get("count", 1) for f in described["flow"]
            ]
            queued = sum(alphas)
            rows.append(
                {
                    "case": case,
                    "cure": remedy,
                    "jain": jain(rates),
                    "last_over_first": rates[-1] / rates[0],
                    "use": link["utilisation"],
                    "cost": 1.0 - link["utilisation"],
                    "queue": link["queue_packets"]["mean"],
                    "queue_of_alphas": link["queue_packets"]["mean"] / queued,
                    "most": link["queue_packets"]["max"],
                    "error_s": max(f["base_rtt_s"] - base_rtt for f in result.document["flows"]),
                    "works": remedy in ("drain", "drain, every 30 s", "ageing and drain"),
                }
            )
    return context.definition("late-joiners").exhibit(rows, findings=_findings(rows))


def _findings(rows: Sequence[Row]) -> list[tuple[str, dict[str, Any]]]:
    findings: list[tuple[str, dict[str, Any]]] = []
    for case in dict.fromkeys(r["case"] for r in rows):
        index = {r["cure"]: r["jain"] for r in rows if r["case"] == case}
        remedies = ", ".join(f"{c} {v:.3f}" for c, v in index.items() if c not in ("none", "the base known"))
        findings.append(("fairness", {"case": case, "none": index["none"], "remedies": remedies}))
    dearest = max((r for r in rows if r["works"]), key=lambda r: r["cost"])
    ageing = max((r for r in rows if r["cure"] == "ageing"), key=lambda r: r["queue_of_alphas"])
    return [*findings, ("dearest", dearest), ("ageing", ageing)]
