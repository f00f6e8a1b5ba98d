"""Figures of equilibria, of the fair ideal, of the ranges of Vegas flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, MAX_LINES, STYLE, chosen, grouped_bars, heading, name_ticks, scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

__all__ = ["bands", "beside", "equilibria"]


def equilibria(document: dict[str, Any], title: str) -> Figure:
    """Queueing delay of every link and rate of every flow, the equilibria side by side."""
    found = document["equilibria"][: len(COLOURS)]
    links, flows = ([row["name"] for row in found[0][part]] for part in ("links", "flows"))
    delays = [[link["queueing_delay_s"] for link in at["links"]] for at in found]
    size, unit = scale("time", max((d for each in delays for d in each if d is not None), default=0.0))
    with rc_context(STYLE):
        figure = empty(9.0, _height(max(len(links), len(flows)), len(found)))
        left, right = figure.subplots(1, 2)
        names = [_named(n, at, len(found)) for n, at in enumerate(found, 1)]
        left.set_title("Links")
        waits = [(n, [None if d is None else d / size for d in each]) for n, each in zip(names, delays, strict=True)]
        grouped_bars(left, links, waits, f"queueing delay ({unit})", missing="only a sum is determined")
        right.set_title("Flows")
        rates = [(n, [f["packets_per_s"] for f in at["flows"]]) for n, at in zip(names, found, strict=True)]
        grouped_bars(right, flows, rates, "rate (packets/s)")
        if len(found) > 1 or found[0]["locally_stable"] is not None:
            figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=2)
        count = len(document["equilibria"])
        shown = "" if count == len(found) else f", first {len(found)} shown"
        word = "equilibrium" if count == 1 else "equilibria"
        heading(figure, f"{title}: {count} {word}{shown}")
    return figure


def _named(number: int, at: dict[str, Any], count: int) -> str:
    stable = {True: "locally stable", False: "not stable", None: ""}[at["locally_stable"]]
    return ", ".join(filter(None, ("the equilibrium" if count == 1 else f"equilibrium {number}", stable)))


def _height(rows: int, groups: int) -> float:
    return 1.7 + 0.16 * min(rows, 2 * MAX_LINES) * (groups + 1)


def beside(document: dict[str, Any], title: str) -> Figure:
    """Rates of the flows: the ideal's, then those of FAST's equilibria."""
    found = document["equilibria"][: len(COLOURS) - 1]
    names = [flow["name"] for flow in document["flows"]]
    exponent = document["exponent"]
    ideal = "proportionally fair" if exponent == 1 else f"alpha-fair, exponent {exponent:g}"
    groups: list[tuple[str, Sequence[float | None]]] = [(ideal, [f["packets_per_s"] for f in document["flows"]])]
    for number, at in enumerate(found, 1):
        name = "FAST" if len(found) == 1 else f"FAST, equilibrium {number}"
        label = f"{name}: efficiency {at['efficiency']:.3f}, throughput {at['throughput']:.3f} of the ideal's"
        groups.append((label, [f["packets_per_s"] for f in at["flows"]]))
    with rc_context(STYLE):
        figure = empty(8.0, _height(len(names), len(groups)))
        axis = figure.subplots()
        grouped_bars(axis, names, groups, "rate (packets/s)")
        figure.legend(loc="outside lower left")
        heading(figure, f"{title}: FAST beside the ideal")
    return figure


def bands(document: dict[str, Any], title: str) -> Figure:
    """From the minimum to the maximum rate of each flow, with the rates at both thresholds."""
    kept = set(chosen([f["name"] for f in document["flows"]], 2 * MAX_LINES))
    flows = [f for f in document["flows"] if f["name"] in kept]
    rows = range(len(flows))
    least = [f["least_packets_per_s"] for f in flows]
    most = [f["most_packets_per_s"] for f in flows]
    with rc_context(STYLE):
        figure = empty(8.0, _height(len(flows), 1))
        axis = figure.subplots()
        widths = [high - low for low, high in zip(least, most, strict=True)]
        axis.barh(list(rows), widths, left=least, height=0.5, color=COLOURS[5], label="equilibria")
        for key, marker, label in (
            ("at_alpha_packets_per_s", "|", "all flows at alpha"),
            ("at_beta_packets_per_s", "x", "all flows at beta"),
        ):
            axis.plot([f[key] for f in flows], list(rows), marker, color="black", markersize=8, label=label)
        name_ticks(axis.yaxis, rows, [f["name"] for f in flows])
        axis.invert_yaxis()
        axis.grid(visible=False, axis="y")
        axis.set_axisbelow(True)
        axis.set_xlim(left=0)
        axis.set_xlabel("rate (packets/s)")
        figure.legend(loc="outside lower left", ncols=3)
        exact = "" if document["exact"] else " (corners only)"
        more = f" ({len(flows)} of {len(document['flows'])})" if len(flows) < len(document["flows"]) else ""
        heading(figure, f"{title}: Vegas{exact}{more}")
    return figure
