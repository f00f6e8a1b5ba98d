"""One-way traffic whose ACKs meet no queue: rates of FAST against alpha-weighted proportional fairness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_BACK = ("back", "1 Gbit/s")
_CASES: dict[str, tuple[tuple[tuple[str, str], ...], tuple[tuple[str, tuple[str, ...], int], ...]]] = {
    "one link": (
        (("first", "20 Mbit/s"),),
        (("flow 1", ("first",), 50), ("flow 2", ("first",), 100), ("flow 3", ("first",), 150)),
    ),
    "two links in a row": (
        (("first", "20 Mbit/s"), ("second", "10 Mbit/s")),
        (("flow 1", ("first", "second"), 100), ("flow 2", ("first",), 60), ("flow 3", ("second",), 80)),
    ),
    "three links in a row": (
        (("first", "20 Mbit/s"), ("second", "15 Mbit/s"), ("third", "10 Mbit/s")),
        (
            ("flow 1", ("first", "second", "third"), 100),
            ("flow 2", ("first",), 60),
            ("flow 3", ("second", "third"), 80),
            ("flow 4", ("third",), 50),
        ),
    ),
}
"""Links with their rates; flows with their path and alpha. ACKs return over a link of 1 Gbit/s."""


def build(context: Context) -> Exhibit:
    """One link, and two and three in a row."""
    scenarios = {case: _scenario(case, *described) for case, described in _CASES.items()}
    results = context.runner.simulate(list(scenarios.values()))
    rows: list[Row] = []
    for (case, scenario), result in zip(scenarios.items(), results, strict=True):
        fair = scenario.theory("fairness")[1]["flows"]
        whole = sum(f["alpha_packets"] for f in fair)
        for described in fair:
            name, alpha = described["name"], described["alpha_packets"]
            simulated = result.flow(name)["packets_per_s"]
            rows.append(
                {
                    "case": case,
                    "flow": name,
                    "path": " ".join(next(path for flow, path, _ in _CASES[case][1] if flow == name)),
                    "alpha": alpha,
                    "fair": described["packets_per_s"],
                    "share": alpha / whole * 20e6 / 8e3 if case == "one link" else None,
                    "sim": simulated,
                    "off": relative_error(simulated, described["packets_per_s"]),
                }
            )
    return context.definition("one-way").exhibit(rows)


def _scenario(
    case: str, links: tuple[tuple[str, str], ...], flows: tuple[tuple[str, tuple[str, ...], int], ...]
) -> Scenario:
    document: dict[str, Any] = {
        "title": f"one way, {case}",
        "duration": "60 s",
        "warmup": "30 s",
        "link": [{"name": name, "rate": rate, "delay": "5 ms"} for name, rate in (*links, _BACK)],
        "flow": [
            {
                "name": name,
                "controller": {"kind": "fast", "alpha": f"{alpha} packets", "gamma": 0.5},
                "data": list(path),
                "ack": [_BACK[0]],
                "packet": "1000 B",
                "header": "0 B",
                "ack_packet": "40 B",
            }
            for name, path, alpha in flows
        ],
    }
    return Scenario(document)
