"""Flows that join one after the other, and the cures of what they then believe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline import _core
from eddyline.fairness import jain
from eddyline.papers.runner import Run
from eddyline.reports.exhibit import Column, Exhibit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["build"]

_FILE = "late-joiners"
_OF = "flow.flow.controller"
_AGE = (f"{_OF}.base_rtt_age", "30 s")
_PAUSE = (f"{_OF}.drain", "true")

_CURES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("none", ()),
    ("the base known", ((f"{_OF}.base_rtt", "known"),)),
    ("rate correction", ((f"{_OF}.rate_correction", "{}"),)),
    ("half a correction", ((f"{_OF}.rate_correction", "{ keep = 0.5 }"),)),
    ("drain", (_PAUSE,)),
    ("drain, every 30 s", ((f"{_OF}.drain", '{ every = "30 s" }'),)),
    ("ageing", (_AGE,)),
    ("ageing and drain", (_AGE, _PAUSE)),
)

_CASES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("5 flows", ()),
    ("15 flows", (("flow.flow.count", "15"), ("flow.flow.stagger", "10 s"))),
    ("5 flows, 10 ms", (("link.*.delay", "5 ms"),)),
)


def build(context: Context) -> Exhibit:
    """Every cure in every case."""
    runs = [Run(_FILE, "sim", None, case + cure) for _, case in _CASES for _, cure in _CURES]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for case, _ in _CASES:
        for cure, _ in _CURES:
            result = next(results)
            rates = [f["packets_per_s"] for f in result.document["flows"]]
            link, described = result.link("forward"), result.scenario
            trip = sum(_core.quantity("time", k["delay"]) for k in described["link"])
            alphas = [
                _core.quantity("packets", f["controller"]["alpha"]) * f.get("count", 1) for f in described["flow"]
            ]
            queued = sum(alphas)
            rows.append(
                {
                    "case": case,
                    "cure": cure,
                    "jain": jain(rates),
                    "last_over_first": rates[-1] / rates[0],
                    "use": link["utilisation"],
                    "cost": 1.0 - link["utilisation"],
                    "queue": link["queue_packets"]["mean"],
                    "queue_of_alphas": link["queue_packets"]["mean"] / queued,
                    "most": link["queue_packets"]["max"],
                    "error_s": max(f["base_rtt_s"] - trip for f in result.document["flows"]),
                    "works": cure in ("drain", "drain, every 30 s", "ageing and drain"),
                }
            )
    return Exhibit(
        id="late-joiners",
        title="Cures of a wrong base round-trip time",
        place="Example 4; Section 2.2",
        reading=(
            "Flows alike join one after the other on 20 Mbit/s, 40 ms; each takes the queue of those before it for "
            "propagation and gets the more the later it came. All figures are of the time when all are there. "
            "Correction: a new flow stops for a round trip once it has settled (after Cui, Andrew, Zukerman and Tan "
            "2006). Drain: every flow stops for a round trip after 10 s (or 100 round trips) without an empty queue. "
            "Ageing: the base is the smallest sample of 30 s."
        ),
        columns=(
            Column("case", "case"),
            Column("cure", "cure"),
            Column("jain", "Jain's index", digits=3),
            Column("last_over_first", "last over first", digits=3),
            Column("use", "link used", percent=True),
            Column("queue", "queue", "packets"),
            Column("queue_of_alphas", "over the alphas", digits=3),
            Column("most", "most", "packets"),
            Column("error_s", "worst base too long by", "ms", scale=1e-3, digits=3),
        ),
        rows=rows,
        findings=_findings(rows),
        notes=(
            "Prices. A drain costs its round trips in each period, and the queue swings when flows come back. A "
            "correction costs one pause in a flow's life, but learns only what that pause uncovers: where the new "
            "flow's rate times a round trip is less than all that is queued, the error shrinks and stays. Ageing by "
            "itself forgets what was right: no flow sees an empty queue, so all bases and the queue grow together, "
            "in fairness, until the buffer ends.",
        ),
    )


def _findings(rows: Sequence[Row]) -> list[str]:
    cases = list(dict.fromkeys(r["case"] for r in rows))
    said = []
    for case in cases:
        of = {r["cure"]: r for r in rows if r["case"] == case}
        fair = [f"{c} {r['jain']:.3f}" for c, r in of.items() if c not in ("none", "the base known")]
        said.append(f"{case}: Jain's index {of['none']['jain']:.3f} without a cure; {', '.join(fair)}.")
    dear = max((r for r in rows if r["works"]), key=lambda r: r["cost"])
    said.append(f"The dearest drain costs {dear['cost']:.1%} of the link ({dear['case']}, {dear['cure']}).")
    aged = max((r for r in rows if r["cure"] == "ageing"), key=lambda r: r["queue_of_alphas"])
    said.append(f"Ageing alone makes the queue {aged['queue_of_alphas']:.1f} times the alphas ({aged['case']}).")
    return said
