"""Equations 8 and 9: the share of each link that data packets take, and how it depends on balance."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.conditions import B, condition, rate, threshold
from eddyline.papers.two_way_fast.examples import WIRES, compare, relative_error
from eddyline.reports.figures import BLACK, BLUE, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["balance", "formula", "utilisation"]

_PLACES = (1 / 8, 1 / 4, 1 / 2, 1 / 1.4, 1 / 1.1, 1.0, 1.1, 1.4, 2.0, 4.0, 8.0)
_SMALLER_ALPHA = 40.0


def formula(forward: float, backward: float, capacity_ratio: float, b: float = B) -> tuple[float, float]:
    """Eq. 8 and 9: (U_F, U_B) from the sums of alpha each way."""
    if (forward + b * backward) / capacity_ratio >= backward + b * forward:
        whole = forward + b * backward
        return forward / whole, backward / whole * capacity_ratio
    whole = backward + b * forward
    return forward / whole / capacity_ratio, backward / whole


def utilisation(context: Context) -> Exhibit:
    """U_F and U_B of the five examples by formula, theory and simulation."""
    rows: list[Row] = []
    for setting in context.values["setting"]:
        number = setting["example"]
        for wire in WIRES:
            ours = compare(context, f"example-{number}-{wire}B")
            sums = {"forward": 0.0, "backward": 0.0}
            for flow, alpha in zip(ours.theory.scenario["flow"], setting["alpha"], strict=True):
                sums[flow["data"][0]] += alpha
            both = formula(
                sums["forward"], sums["backward"], setting["forward_mbps"] / setting["backward_mbps"], 40.0 / wire
            )
            for link, value in zip(("forward", "backward"), both, strict=True):
                theory, clean, module = (
                    a.link(link)["data_utilisation"] for a in (ours.theory, ours.clean, ours.module)
                )
                rows.append(
                    {
                        "example": number,
                        "wire": wire,
                        "link": link,
                        "formula": value,
                        "theory": theory,
                        "clean": clean,
                        "off": relative_error(clean, value),
                        "module": module,
                        "goodput": ours.module.link(link)["goodput_utilisation"],
                        "acks": ours.module.link(link)["ack_utilisation"],
                        "before": _in_example_3(rows, number, wire, link),
                        "whole": ours.module.link(link)["utilisation"],
                        "ack_part": _ack_part(ours.module.link(link)),
                    }
                )
    return context.definition("utilisation").exhibit(rows)


def _in_example_3(rows: Sequence[Row], number: int, wire: int, link: str) -> float | None:
    """The same link's utilisation in Example 3, for the rows of Example 4, which adds a flow to it."""
    if number != 4:
        return None
    return next(float(r["module"]) for r in rows if (r["example"], r["wire"], r["link"]) == (3, wire, link))


def _ack_part(link: dict[str, float]) -> float:
    return link["ack_utilisation"] / link["utilisation"] if link["utilisation"] else 0.0


def balance(context: Context) -> Exhibit:
    """U_F, U_B and their sum around theta: over alpha at fixed capacities, over capacities at fixed alpha."""
    points: list[tuple[str, float, float, float]] = []  # sweep, place relative to balance, capacity ratio, alpha ratio
    for capacities in (1.0, 2.0, 10.0):
        points += [(f"alpha, c_F / c_B = {capacities:g}", s, capacities, threshold(capacities) * s) for s in _PLACES]
    for alphas in (1.0, 5.0):
        even = (alphas + B) / (1.0 + B * alphas)  # eq. 17 solved for the capacity ratio
        points += [(f"capacities, alpha_F / alpha_B = {alphas:g}", s, even * s, alphas) for s in _PLACES]
    rows: list[Row] = []
    for (sweep, place, capacities, alphas), result in zip(
        points, context.runner.run_all([_point(c, a) for _, _, c, a in points]), strict=True
    ):
        u_f, u_b = formula(alphas, 1.0, capacities)
        forward, backward = result.link("forward"), result.link("backward")
        bits = sum(f["throughput_bps"] for f in result.document["flows"])
        capacity = _forward_mbps(capacities) + _forward_mbps(capacities) / capacities
        rows.append(
            {
                "sweep": sweep,
                "varied": sweep.split(",")[0],
                "capacity_ratio": capacities,
                "alpha_ratio": alphas,
                "theta": threshold(capacities) if B < capacities < 1.0 / B else None,
                "place": place,
                "margin": condition(alphas, 1.0, capacities),
                "u_f_theory": u_f,
                "u_b_theory": u_b,
                "sum_theory": u_f + u_b,
                "u_f": forward["data_utilisation"],
                "u_b": backward["data_utilisation"],
                "sum": forward["data_utilisation"] + backward["data_utilisation"],
                "smaller": min(forward["data_utilisation"], backward["data_utilisation"]),
                "difference": forward["data_utilisation"] - backward["data_utilisation"],
                "u_bottleneck": (forward if condition(alphas, 1.0, capacities) >= 0 else backward)["data_utilisation"],
                "side": "balance" if place == 1.0 else _side(alphas, capacities),
                "least_use": min(forward["utilisation"], backward["utilisation"]),
                "total_share": bits / 1e6 / (capacity / (1.0 + B)),
            }
        )
    for row in rows:
        # eq. 8 has no capacities: on one side of balance all rows of a sweep over them should have what the first has
        row["u_first"] = next(r["u_bottleneck"] for r in rows if (r["sweep"], r["side"]) == (row["sweep"], row["side"]))
    return context.definition("balance").exhibit(rows, draw={"balance": partial(_draw, rows=rows)})


def _side(alphas: float, capacities: float) -> str:
    """Which link is the bottleneck, by (4)."""
    return "forward" if condition(alphas, 1.0, capacities) > 0 else "backward"


def _forward_mbps(capacities: float) -> float:
    """Rate of the forward link in the sweeps, where the slower link has 10 Mbit/s."""
    return 10.0 * max(1.0, capacities)


def _point(capacities: float, alphas: float) -> Run:
    forward = _forward_mbps(capacities)
    return Run(
        "one-each-way",
        set=(
            ("link.forward.rate", rate(forward)),
            ("link.backward.rate", rate(forward / capacities)),
            ('flow."flow 1".controller.alpha', f"{_SMALLER_ALPHA * max(1.0, alphas):.9g} packets"),
            ('flow."flow 2".controller.alpha', f"{_SMALLER_ALPHA * max(1.0, 1 / alphas):.9g} packets"),
        ),
    )


def _draw(figure: Figure, rows: list[Row]) -> None:
    sweeps = list(dict.fromkeys(r["sweep"] for r in rows))
    axes = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    for axis, sweep in zip(axes, sweeps, strict=False):
        _panel(axis, sweep, [r for r in rows if r["sweep"] == sweep])
    handles, labels = axes[0].get_legend_handles_labels()
    axes[-1].axis("off")
    axes[-1].legend(handles, labels, loc="center")
    for axis in axes[2:5]:
        axis.tick_params(labelbottom=True)
        axis.set_xlabel("place relative to balance")
    for axis in (axes[0], axes[3]):
        axis.set_ylabel("utilisation by data (%)")


def _panel(axis: Axes, sweep: str, rows: Sequence[Row]) -> None:
    places = [_PLACES[0] * (_PLACES[-1] / _PLACES[0]) ** (i / 200) for i in range(201)]
    vary_alpha = rows[0]["varied"] == "alpha"
    start = next(r for r in rows if r["place"] == 1.0)
    curve = [
        formula(start["alpha_ratio"] * p, 1.0, start["capacity_ratio"])
        if vary_alpha
        else formula(start["alpha_ratio"], 1.0, start["capacity_ratio"] * p)
        for p in places
    ]
    for pick, key, colour, mark, name in (
        ((1, 0), "u_f", BLUE, "^", "U_F"),
        ((0, 1), "u_b", RED, "v", "U_B"),
        ((1, 1), "sum", BLACK, "o", "sum"),
    ):
        line = [100 * (pick[0] * f + pick[1] * b) for f, b in curve]
        axis.plot(places, line, color=colour, linewidth=1, label=f"{name}, eq. 8 and 9")
        axis.plot(
            [r["place"] for r in rows],
            [100 * r[key] for r in rows],
            mark,
            color=colour,
            markersize=4,
            label=f"{name}, simulated",
        )
    axis.axvline(1.0, color="#888888", linewidth=0.8, linestyle=":")
    axis.set_xscale("log")
    axis.set_xticks([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8])
    axis.minorticks_off()
    axis.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}" if v >= 1 else f"1/{1 / v:g}"))
    axis.set_ylim(0, 205)
    axis.set_title(f"over {sweep}", fontsize=9)
