"""Section 6: the service rates of the chain, C(n, m), against packets: their maximum and their minima."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.papers.two_way_fast.chain import service_rate
from eddyline.papers.two_way_fast.conditions import B, threshold
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["build"]

_FLOWS = 12
_FORWARD_MBPS = 10.0
_THETAS = {"theta = 1": 1.0, "theta = 1/2": 0.5}
_LARGER = ((2, 1), (16, 8))
"""Other numbers of flows in one of the ratios, n = 2 m."""


def build(context: Context) -> Exhibit:
    """Twelve flows in every split, on links whose theta is 1 and 1/2; and other numbers of flows."""
    points = [(name, theta, n, _FLOWS - n) for name, theta in _THETAS.items() for n in range(_FLOWS + 1)]
    points += [("theta = 1", 1.0, n, m) for n, m in _LARGER]
    results = context.runner.simulate([_scenario(_rates(theta), n, m) for _, theta, n, m in points])
    rows: list[Row] = []
    for (name, theta, n, m), result in zip(points, results, strict=True):
        c_f, c_b = _rates(theta)
        flows = {f["name"]: 1e-6 * f["throughput_bps"] for f in result.document["flows"]}
        sums = {way: [bps for flow, bps in flows.items() if flow.startswith(way)] for way in ("forward", "backward")}
        total = sum(flows.values())
        rows.append(
            {
                "links": name,
                "flows": n + m,
                "n": n,
                "m": m,
                "place": n / (n + m) * (1.0 + theta) / theta,
                "axis": "m = 0" if m == 0 else "n = 0" if n == 0 else "neither",
                "formula": (n + m) * service_rate(n, m, c_f, c_b),
                "total": total,
                "of_maximum": total * (1.0 + B) / (c_f + c_b),
                "forward_flow": sum(sums["forward"]) / n if n else None,
                "backward_flow": sum(sums["backward"]) / m if m else None,
                "minimum": c_f if m == 0 else c_b if n == 0 else None,
            }
        )
    for row in rows:
        row["beside"] = _beside(row, rows)
    return context.definition("service").exhibit(rows)


def _rates(theta: float) -> tuple[float, float]:
    """Mbit/s of both links: eq. 17 solved for the ratio of capacities."""
    ratio = (theta + B) / (1.0 + B * theta)
    assert abs(threshold(ratio) - theta) < 1e-9
    return _FORWARD_MBPS, _FORWARD_MBPS / ratio


def _beside(row: Row, rows: list[Row]) -> float | None:
    """Total rate where one flow more goes the way that none goes."""
    if row["axis"] == "neither":
        return None
    n = row["n"] - 1 if row["m"] == 0 else row["n"] + 1
    return next(float(r["total"]) for r in rows if (r["links"], r["flows"], r["n"]) == (row["links"], row["flows"], n))


def _scenario(rates: tuple[float, float], n: int, m: int) -> Scenario:
    links = [
        {"name": name, "rate": f"{1e6 * mbps:.0f} bit/s", "delay": "10 ms"}
        for name, mbps in zip(("forward", "backward"), rates, strict=True)
    ]
    flows = [_flow(f"forward {k}", "forward", "backward") for k in range(n)]
    flows += [_flow(f"backward {k}", "backward", "forward") for k in range(m)]
    return Scenario({"title": f"{n} and {m} flows", "duration": "20 s", "warmup": "10 s", "link": links, "flow": flows})


def _flow(name: str, data: str, ack: str) -> dict[str, Any]:
    return {
        "name": name,
        "controller": {"kind": "fast", "alpha": "20 packets", "gamma": 0.5},
        "data": [data],
        "ack": [ack],
        "packet": "1000 B",
        "header": "0 B",
        "ack_packet": "40 B",
    }
