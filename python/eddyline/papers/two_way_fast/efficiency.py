"""Equations 8 and 9: how much of each link data packets take, and how that depends on balance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter

from eddyline.papers.runner import Run
from eddyline.papers.two_way_fast.conditions import B, condition, rate, threshold
from eddyline.papers.two_way_fast.examples import WIRES, ratio, trio
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["balance", "formula", "utilisation"]

_STEPS = (1 / 8, 1 / 4, 1 / 2, 1 / 1.4, 1 / 1.1, 1.0, 1.1, 1.4, 2.0, 4.0, 8.0)
_SMALLER_ALPHA = 40.0


def formula(forward: float, backward: float, capacity_ratio: float, b: float = B) -> tuple[float, float]:
    """Eq. 8 and 9: (U_F, U_B) by the sums of alpha each way."""
    if (forward + b * backward) / capacity_ratio >= backward + b * forward:
        whole = forward + b * backward
        return forward / whole, backward / whole * capacity_ratio
    whole = backward + b * forward
    return forward / whole / capacity_ratio, backward / whole


def utilisation(context: Context) -> Exhibit:
    """U_F and U_B of the five examples by formula, solver and simulation."""
    rows: list[Row] = []
    for setting in context.values["setting"]:
        number = setting["example"]
        for wire in WIRES:
            ours = trio(context, f"example-{number}-{wire}B")
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
                        "off": ratio(clean, value),
                        "module": module,
                        "goodput": ours.module.link(link)["goodput_utilisation"],
                        "acks": ours.module.link(link)["ack_utilisation"],
                        "before": _before(rows, number, wire, link),
                        "whole": ours.module.link(link)["utilisation"],
                        "ack_part": _part(ours.module.link(link)),
                    }
                )
    return Exhibit(
        id="utilisation",
        title="Equations 8 and 9: utilisation by data packets",
        place="Section 4.2, eq. 8 and 9",
        reading=(
            "U is the share of a link that data packets take, ACKs excluded. The formula is eq. 8 or 9 with b = 40 B "
            "over the size on the wire. Payload is what remains without headers, and what the paper's simulations "
            "report."
        ),
        columns=(
            Column("example", "example"),
            Column("wire", "wire", "B"),
            Column("link", "link"),
            Column("formula", "eq. 8, 9", percent=True),
            Column("theory", "our theory", percent=True),
            Column("clean", "our sim, clean", percent=True),
            Column("off", "clean against formula", percent=True),
            Column("module", "our sim, ns-2 profile", percent=True),
            Column("goodput", "of it payload", percent=True),
            Column("acks", "ACKs", percent=True),
            Column("before", "Example 3's", percent=True),
            Column("ack_part", "ACKs, part of the load", percent=True, digits=3),
        ),
        rows=rows,
    )


def _before(rows: Sequence[Row], number: int, wire: int, link: str) -> float | None:
    """What the link had in Example 3, for Example 4 which adds a flow to it."""
    wanted = (3, wire, link)
    had = [r["module"] for r in rows if (r["example"], r["wire"], r["link"]) == wanted]
    return float(had[0]) if number == 4 else None


def _part(link: dict[str, float]) -> float:
    return link["ack_utilisation"] / link["utilisation"] if link["utilisation"] else 0.0


def balance(context: Context) -> Exhibit:
    """U_F, U_B and their sum through theta: over alpha at fixed capacities, over capacities at fixed alpha."""
    points: list[tuple[str, float, float, float]] = []  # sweep, place relative to balance, capacity ratio, alpha ratio
    for capacities in (1.0, 2.0, 10.0):
        points += [(f"alpha, c_F / c_B = {capacities:g}", s, capacities, threshold(capacities) * s) for s in _STEPS]
    for alphas in (1.0, 5.0):
        even = (alphas + B) / (1.0 + B * alphas)  # eq. 17 solved for the capacities
        points += [(f"capacities, alpha_F / alpha_B = {alphas:g}", s, even * s, alphas) for s in _STEPS]
    rows: list[Row] = []
    for (sweep, place, capacities, alphas), result in zip(
        points, context.runner.run_all([_point(c, a) for _, _, c, a in points]), strict=True
    ):
        one, other = formula(alphas, 1.0, capacities)
        forward, backward = result.link("forward"), result.link("backward")
        bits = sum(f["throughput_bps"] for f in result.document["flows"])
        capacity = forward_mbps(capacities) + forward_mbps(capacities) / capacities
        rows.append(
            {
                "sweep": sweep,
                "varied": sweep.split(",")[0],
                "capacity_ratio": capacities,
                "alpha_ratio": alphas,
                "theta": threshold(capacities) if B < capacities < 1.0 / B else None,
                "place": place,
                "margin": condition(alphas, 1.0, capacities),
                "u_f_theory": one,
                "u_b_theory": other,
                "sum_theory": one + other,
                "u_f": forward["data_utilisation"],
                "u_b": backward["data_utilisation"],
                "sum": forward["data_utilisation"] + backward["data_utilisation"],
                "smaller": min(forward["data_utilisation"], backward["data_utilisation"]),
                "least_use": min(forward["utilisation"], backward["utilisation"]),
                "total_share": bits / 1e6 / (capacity / (1.0 + B)),
            }
        )
    return Exhibit(
        id="balance",
        title="Efficiency against balance",
        place="Sections 4.2, 5.1 and 6; eq. 8, 9 and 17",
        reading=(
            "Place 1 is exact balance: the ratio of alphas equals theta of eq. 17 (or the capacities are those for "
            "which it does). The sum of both utilisations is largest there and falls off on both sides; lines are eq. "
            "8 and 9, points are simulations. Total is the throughput of both directions over (c_F + c_B) / (1 + b), "
            "which Section 6 gives as the most that is possible."
        ),
        columns=(
            Column("sweep", "sweep"),
            Column("place", "place", digits=3),
            Column("capacity_ratio", "c_F / c_B", digits=4),
            Column("alpha_ratio", "alpha_F / alpha_B", digits=4),
            Column("theta", "theta", digits=4),
            Column("u_f_theory", "U_F, theory", percent=True),
            Column("u_f", "U_F, sim", percent=True),
            Column("u_b_theory", "U_B, theory", percent=True),
            Column("u_b", "U_B, sim", percent=True),
            Column("sum_theory", "sum, theory", percent=True),
            Column("sum", "sum, sim", percent=True),
            Column("smaller", "smaller of both, sim", percent=True),
            Column("least_use", "load of the less loaded link, sim", percent=True),
            Column("total_share", "total over its maximum", percent=True),
        ),
        rows=rows,
        pictures=[Picture("balance", "U_F, U_B and their sum through balance", drawn(_paint, 9.0, 5.6, rows))],
    )


def forward_mbps(capacities: float) -> float:
    """Rate of the forward link in the sweeps: the slower link has 10 Mbit/s."""
    return 10.0 * max(1.0, capacities)


def _point(capacities: float, alphas: float) -> Run:
    forward = forward_mbps(capacities)
    return Run(
        "one-each-way",
        set=(
            ("link.forward.rate", rate(forward)),
            ("link.backward.rate", rate(forward / capacities)),
            ('flow."flow 1".controller.alpha', f"{_SMALLER_ALPHA * max(1.0, alphas):.9g} packets"),
            ('flow."flow 2".controller.alpha', f"{_SMALLER_ALPHA * max(1.0, 1 / alphas):.9g} packets"),
        ),
    )


def _paint(figure: Figure, rows: list[Row]) -> None:
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
    places = [_STEPS[0] * (_STEPS[-1] / _STEPS[0]) ** (i / 200) for i in range(201)]
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
