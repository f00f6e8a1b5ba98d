"""Theorem 1 over k_f, over the packet size, and for flows of unequal alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast.equations import FORWARD_BPS, aggregate_of_eq_15, backward_bps, factor, theorem_1
from eddyline.papers.runner import NS2_PROFILE, Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["alphas", "flows", "packets", "sweep"]

_FACTORS = (0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.6, 2.5, 4.0, 6.0, 10.0, 16.0, 25.0, 40.0, 63.0, 100.0)
_ALPHAS = (1, 3, 10, 30, 100, 300, 1000)
_FACTORS_OF_ALPHAS = (0.1, 0.4, 0.8, 1.0, 1.25, 4.0, 16.0, 100.0)
_SIZES = (250, 500, 1000, 1500, 2000, 4000, 9000)


def _backward(k_f: float, size: int) -> tuple[str, str]:
    return "link.backward.rate", f"{backward_bps(k_f, size):.6f} bit/s"


def _long(k_f: float) -> tuple[tuple[str, str], ...]:
    """Where ACKs are slow the start takes long: the file's 40 s grow with k_f."""
    if k_f <= 4:
        return ()
    return (("duration", f"{10 * k_f:g} s"), ("warmup", f"{5 * k_f:g} s"))


def _asked(context: Context, file: str, changes: list[tuple[tuple[str, str], ...]]) -> list[tuple[Row, ...]]:
    """Theory, clean and profile for each set of changes."""
    worlds = (("theory", None), ("sim", None), ("sim", NS2_PROFILE))
    context.runner.run_all([Run(file, world, profile, c) for c in changes for world, profile in worlds])
    return [tuple(context.runner.run(Run(file, w, p, c)).document for w, p in worlds) for c in changes]


def sweep(context: Context) -> Exhibit:
    """One flow, k_f from 0.1 to 100."""
    rows: list[Row] = []
    for k_f, (theory, clean, module) in zip(
        _FACTORS, _asked(context, "sweep", [(_backward(k, 1000), *_long(k)) for k in _FACTORS]), strict=True
    ):
        one, two, three = (r["flows"][0]["goodput_bps"] for r in (theory, clean, module))
        rows.append(
            {
                "k_f": k_f,
                "side": "above 1" if k_f > 1 else "below 1" if k_f < 1 else "1",
                "backward": backward_bps(k_f, 1000),
                "theorem": theorem_1(k_f),
                "theory": one,
                "clean": two,
                "clean_off": two / theorem_1(k_f) - 1.0,
                "module": three,
                "module_off": three / theorem_1(k_f) - 1.0,
                "eq_15": aggregate_of_eq_15(k_f),
                "in_words": (8000.0 / FORWARD_BPS) / (320.0 / backward_bps(k_f, 1000)),
                "forward_use": module["links"][0]["utilisation"],
                "backward_use": module["links"][1]["utilisation"],
                "limit_use": module["links"][0 if k_f <= 1 else 1]["utilisation"],
                "capacity": FORWARD_BPS,
            }
        )
    return context.definition("k-f-sweep").exhibit(rows, curves={"closed forms": _closed_forms()})


def _closed_forms() -> list[Row]:
    factors = [0.1 * 1000 ** (i / 300) for i in range(301)]
    return [{"k_f": k, "theorem": theorem_1(k), "eq_15": aggregate_of_eq_15(k)} for k in factors]


def alphas(context: Context) -> Exhibit:
    """One flow with an alpha of 1 to 1,000 packets."""
    cases = [(alpha, k_f) for alpha in _ALPHAS for k_f in _FACTORS_OF_ALPHAS]
    changes = [(_backward(k, 1000), *_long(k), ("flow.*.controller.alpha", f"{alpha} packets")) for alpha, k in cases]
    rows: list[Row] = []
    for (alpha, k_f), results in zip(cases, _asked(context, "sweep", changes), strict=True):
        one, two, three = (r["flows"][0]["goodput_bps"] for r in results)
        rows.append(
            {
                "alpha": alpha,
                "k_f": k_f,
                "theorem": theorem_1(k_f),
                "theory": one,
                "clean": two,
                "clean_off": two / theorem_1(k_f) - 1.0,
                "module": three,
                "module_off": three / theorem_1(k_f) - 1.0,
            }
        )
    return context.definition("alphas").exhibit(rows)


def flows(context: Context) -> Exhibit:
    """Three flows with alpha 100, 200 and 300 at k_f = 0.5, 1 and 4."""
    factors, alphas = (0.5, 1.0, 4.0), (100, 200, 300)
    rows: list[Row] = []
    for k_f, results in zip(
        factors, _asked(context, "three-flows", [(_backward(k, 1000),) for k in factors]), strict=True
    ):
        for place, alpha in enumerate(alphas):
            one, two, three = (r["flows"][place]["goodput_bps"] for r in results)
            goal = theorem_1(k_f, alpha / sum(alphas))
            rows.append(
                {
                    "k_f": k_f,
                    "flow": f"flow {place + 1}",
                    "alpha": alpha,
                    "theorem": goal,
                    "theory": one,
                    "clean": two,
                    "clean_off": two / goal - 1.0,
                    "module": three,
                    "module_off": three / goal - 1.0,
                }
            )
    return context.definition("three-flows").exhibit(rows)


def packets(context: Context) -> Exhibit:
    """Packet sizes from 250 to 9,000 bytes over backward links of 10, 1 and 0.1 Mbit/s."""
    cases = [(mbps, size) for mbps in (10.0, 1.0, 0.1) for size in _SIZES]
    changes = [
        (
            ("link.backward.rate", f"{1e6 * mbps:.0f} bit/s"),
            ("flow.*.packet", f"{size} B"),
            *((("duration", "200 s"), ("warmup", "100 s")) if mbps < 1 else ()),
        )
        for mbps, size in cases
    ]
    rows: list[Row] = []
    for (mbps, size), (theory, clean, module) in zip(cases, _asked(context, "sweep", changes), strict=True):
        one, two, three = (r["flows"][0]["goodput_bps"] for r in (theory, clean, module))
        k_f = factor(1e6 * mbps, size)
        rows.append(
            {
                "backward": 1e6 * mbps,
                "size": size,
                "k_f": k_f,
                "side": "above 1" if k_f > 1 else "1 or below",
                "theorem": theorem_1(k_f),
                "theory": one,
                "clean": two,
                "module": three,
                "clean_off": two / theorem_1(k_f) - 1.0,
            }
        )
    for row in rows:
        base = next(r for r in rows if r["backward"] == row["backward"] and r["size"] == 1000)
        row["times"] = row["module"] / base["module"]
        row["size_times"] = row["size"] / 1000
    return context.definition("packet-size").exhibit(rows)
